# Copyright the daos-assay founders.
#
# SPDX-License-Identifier: (Apache-2.0 OR MIT)

"""PMDK of the DAOS project."""

from spack_repo.builtin.packages.pmdk.package import Pmdk as BuiltinPmdk

from spack.package import *


class Pmdk(BuiltinPmdk):
    """Persistent memory library of the DAOS engine, in the DAOS project's own line."""

    git = "https://github.com/daos-stack/pmdk.git"

    # 2.1.3 and the three fixes that DAOS puts on it, which are commits of the branch stable-2.1.
    version("2.1.3", commit="6805ed4f8d1a4e4c6070bf8b68f0dffef08b9c99")

    depends_on("ndctl", when="+ndctl")
    conflicts("+rpmem", when="@2:", msg="PMDK 2 has no remote memory: ask for pmdk~rpmem")

    def install(self, spec, prefix):
        """Build the libraries of DAOS's line only; without ndctl, without the checks that need it.

        Those are whether a shutdown was dirty and whether blocks are bad: for DRAM there is
        nothing to check, for PMem modules ndctl is needed.
        """
        if not spec.satisfies("@2.1.3"):
            super().install(spec, prefix)
            return
        arguments = [
            f"prefix={prefix}",
            f"libdir={prefix.lib}",
            "EXTRA_CFLAGS=-Wno-error",
            "BUILD_EXAMPLES=n",
            "BUILD_BENCHMARKS=n",
            "DOC=n",
        ]
        if spec.satisfies("+ndctl"):
            arguments += ["NDCTL_ENABLE=y"]
        else:
            arguments += [
                "NDCTL_ENABLE=n",
                "PMEMOBJ_IGNORE_DIRTY_SHUTDOWN=y",
                "PMEMOBJ_IGNORE_BAD_BLOCKS=y",
            ]
        make("install", *arguments)
