# Copyright the daos-assay founders.
#
# SPDX-License-Identifier: (Apache-2.0 OR MIT)

"""FUSE library of the DAOS project."""

from spack_repo.builtin.build_systems.meson import MesonPackage

from spack.package import *


class Fused(MesonPackage):
    """The DAOS project's own line of libfuse, which dfuse links since DAOS 2.8.

    It is a library only: dfuse still needs the distribution's fusermount3.
    """

    homepage = "https://github.com/daos-stack/fused"
    git = "https://github.com/daos-stack/fused.git"

    license("LGPL-2.1-only")

    version("1.0.0", tag="v1.0.0", commit="ebb74dad043dcdb85e2e121a88cc4377a7efc741")

    variant(
        "default_library",
        default="static",  # as DAOS builds it: dfuse carries it
        values=("shared", "static"),
        multi=True,
        description="Build shared libs, static libs or both",
    )

    depends_on("c", type="build")
    depends_on("pkgconfig", type="build")

    def meson_args(self):
        """Build the library alone, and put nothing into the system's directories."""
        return [
            "-Ddisable-mtab=true",
            "-Dutils=false",
            "-Dexamples=false",
            "-Dtests=false",
            f"-Dudevrulesdir={self.prefix}/udev",
        ]
