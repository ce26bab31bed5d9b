# Copyright the daos-assay founders.
#
# SPDX-License-Identifier: (Apache-2.0 OR MIT)

"""Argobots as DAOS builds it."""

from spack_repo.builtin.packages.argobots.package import Argobots as BuiltinArgobots

from spack.package import *

_PATCHES = "https://raw.githubusercontent.com/daos-stack/daos/v2.8.0/deps/patches/argobots"


class Argobots(BuiltinArgobots):
    """User-level threads of the DAOS engine, with DAOS's patches."""

    version("1.2", tag="v1.2", commit="6d216a9f546f0a0024a4fe0e8548aeaf51520d4a")

    # The sources of the tag have no configure, and the second patch changes what makes it.
    depends_on("autoconf", type="build", when="@1.2")
    depends_on("automake", type="build", when="@1.2")
    depends_on("libtool", type="build", when="@1.2")
    depends_on("m4", type="build", when="@1.2")

    patch(
        f"{_PATCHES}/0001_411e5b344642ebc82190fd8b125db512e5b449d1.diff",
        sha256="808455284545b7c1650ea68c1a7b0bc9c12e0907f5cfbfca5d56e2be54fc0fb5",
        when="@1.2",
    )
    patch(
        f"{_PATCHES}/0002_bb0c908abfac4bfe37852eee621930634183c6aa.diff",
        sha256="fcac33b01c99856555e31379507274a513c31a66ad96367475211c470425e4de",
        when="@1.2",
    )
