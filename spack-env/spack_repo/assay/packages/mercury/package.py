# Copyright the daos-assay founders.
#
# SPDX-License-Identifier: (Apache-2.0 OR MIT)

"""Mercury as DAOS builds it."""

from spack_repo.builtin.packages.mercury.package import Mercury as BuiltinMercury

from spack.package import *

_PATCHES = "https://raw.githubusercontent.com/daos-stack/daos/v2.8.0/deps/patches/mercury"


class Mercury(BuiltinMercury):
    """RPC library of DAOS, with its patches, counters, and plugins that are loaded on demand."""

    version("2.4.1", tag="v2.4.1", commit="9449e529e3f49c8d8303b4335a54aeabbe4e6180")

    # Its performance tests need submodules, and DAOS has better ones.
    variant("perf", default=False, when="@2.3.0:", description="Build performance tests")

    patch(
        f"{_PATCHES}/0001_dep_versions.patch",
        sha256="ecd337c5e3d825baaa2dc79700d1359ae9a299c8b6cb501dcbf1c452b2e4ed35",
        when="@2.4.1",
    )
    patch(
        f"{_PATCHES}/0002_ofi_counters.patch",
        sha256="3bc1f94970d6cbacde8b789809be787c0f4a18232eeca0b05a4b1af1148c0be2",
        when="@2.4.1",
    )
    patch(
        f"{_PATCHES}/0003_ofi_auth_key.patch",
        sha256="b31a596a9ebb3bde98ac147e5eabf43681881b2b7c97924f5122ecc37cccd189",
        when="@2.4.1",
    )
    patch(
        f"{_PATCHES}/0004_ucx_connection_reset.patch",
        sha256="dd6f6848199e489073bff189cb577c303a900109545363b52233e101924d7fed",
        when="@2.4.1",
    )
    patch(
        f"{_PATCHES}/0005_ucx_put_flush.patch",
        sha256="7a2bc3bf919a2279aef769515c2fb0db63d6e46db33c5fce7ef90a61eb9bcb9e",
        when="@2.4.1",
    )

    def cmake_args(self):
        """Add what DAOS asks for and no variant of the builtin recipe stands for."""
        args = super().cmake_args()
        if self.spec.satisfies("@2.4.1"):
            args += [
                self.define("MERCURY_ENABLE_COUNTERS", True),
                self.define("NA_USE_DYNAMIC_PLUGINS", True),
            ]
        return args
