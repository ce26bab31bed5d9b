# Copyright the daos-assay founders.
#
# SPDX-License-Identifier: (Apache-2.0 OR MIT)

"""FDB with its backend for DAOS, which the builtin recipe does not know."""

from spack_repo.builtin.packages.fdb.package import Fdb as BuiltinFdb

from spack.package import *


class Fdb(BuiltinFdb):
    """ECMWF's fields database, whose catalogue and store may lie in DAOS."""

    version("5.19.2", tag="5.19.2", commit="81035012c4f3757055c2c840a49aca032bd22f1a")

    variant("daos", default=False, when="@5.19.2:", description="Catalogue and store in DAOS")

    # Its CMake asks for them; the builtin recipe has older minima, and would take eckit 2.
    depends_on("eckit@1.32:1", when="@5.19.2")
    depends_on("metkit@1.15:1", when="@5.19.2")
    depends_on("daos+client", when="+daos")
    depends_on("uuid", when="+daos")

    def cmake_args(self):
        """Never take the dummy of DAOS, on a POSIX file system, which is upstream's default."""
        return [
            *super().cmake_args(),
            self.define("ENABLE_DUMMY_DAOS", False),
            self.define_from_variant("ENABLE_DAOSFDB", "daos"),
        ]

    @run_after("cmake")
    def assert_daos(self):
        """Fail if the backend was left out or is the dummy."""
        if self.spec.satisfies("+daos"):
            with open(join_path(self.build_directory, "src", "fdb5", "fdb5_config.h")) as config:
                lines = config.read().splitlines()
            if "#define fdb5_HAVE_DAOSFDB" not in lines:
                raise InstallError("FDB was configured without its backend for DAOS")
            if "#define fdb5_HAVE_DUMMY_DAOS" in lines:
                raise InstallError("FDB was configured with the dummy of DAOS")

    def test_version(self):
        """Its programs run, with the libraries of DAOS where they link them."""
        information = which(self.prefix.bin.join("fdb-info"))
        check_outputs([f"Version: {self.version}"], information("--all", output=str, error=str))
