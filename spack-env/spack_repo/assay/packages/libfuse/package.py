# Copyright the daos-assay founders.
#
# SPDX-License-Identifier: (Apache-2.0 OR MIT)

"""libfuse as DAOS 2.6 builds it."""

from spack_repo.builtin.build_systems.meson import MesonPackage

from spack.package import *


class Libfuse(MesonPackage):
    """FUSE library that dfuse of DAOS 2.6 links, with DAOS's patch: lookups go on in parallel.

    It is a library only: dfuse still needs the distribution's fusermount3. The builtin recipe
    cannot serve: with GCC 11 and newer it applies a patch for libfuse 3.10 to each later version.
    """

    homepage = "https://github.com/libfuse/libfuse"
    git = "https://github.com/libfuse/libfuse.git"

    license("LGPL-2.1-only")

    version(
        "3.16.2",
        tag="fuse-3.16.2",
        commit="7a92727d97c10290b3501d86a194738973edb61d",
    )

    depends_on("c", type="build")
    depends_on("pkgconfig", type="build")

    patch(
        "https://github.com/libfuse/libfuse/commit/c9905341ea34ff9acbc11b3c53ba8bcea35eeed8.patch?full_index=1",
        sha256="a69518b4135c0826d5909c44e806cf771d5955004c45ba0d9b64580b894185e5",
        when="@3.16.2",
    )

    def meson_args(self):
        """Build the library alone, and put nothing into the system's directories."""
        return [
            "-Ddisable-mtab=true",
            "-Dutils=false",
            "-Dexamples=false",
            "-Dtests=false",
            f"-Dudevrulesdir={self.prefix}/udev",
        ]
