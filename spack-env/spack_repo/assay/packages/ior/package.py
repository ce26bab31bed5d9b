# Copyright the daos-assay founders.
#
# SPDX-License-Identifier: (Apache-2.0 OR MIT)

"""IOR and mdtest with DAOS's file system, which the builtin recipe does not know."""

from spack_repo.builtin.packages.ior.package import Ior as BuiltinIor

from spack.package import *


class Ior(BuiltinIor):
    """IOR and mdtest: parallel I/O of files and metadata, over POSIX, MPI-IO, and DAOS's DFS."""

    sanity_check_is_file = ("bin/ior", "bin/mdtest")

    git = "https://github.com/hpc/ior.git"

    version("4.0.0", tag="4.0.0", commit="967a9f65109760db8a3ac14a7fdd007f337d2960")

    variant("daos", default=False, when="@4:", description="The API DFS")

    depends_on("daos+client", when="+daos")
    depends_on("uuid", when="+daos")

    def configure_args(self):
        """Add DAOS to what the builtin recipe configures."""
        args = super().configure_args()
        if self.spec.satisfies("+daos"):
            args.append(f"--with-daos={self.spec['daos'].prefix}")
        return args

    @run_after("configure")
    def assert_dfs(self):
        """Fail if configure dropped DFS, which it does in silence if it cannot link libdfs."""
        if self.spec.satisfies("+daos"):
            with open(join_path(self.build_directory, "src", "config.h")) as config:
                if "#define USE_DAOS_AIORI" not in config.read():
                    raise InstallError("IOR was configured without DFS; see config.log")

    def test_dfs(self):
        """The API is there."""
        if not self.spec.satisfies("+daos"):
            raise SkipTest("without DAOS there is no API DFS")
        said = which(self.prefix.bin.ior)("-h", output=str, error=str, fail_on_error=False)
        check_outputs([r"\bDFS\b"], said)
