# Copyright the daos-assay founders.
#
# SPDX-License-Identifier: (Apache-2.0 OR MIT)

"""fio with its engine dfs, which the builtin recipe does not know."""

from spack_repo.builtin.packages.fio.package import Fio as BuiltinFio

from spack.package import *

UNDECLARED = (
    "gfapi",
    "http",
    "isal",
    "isal64",
    "libblkio",
    "libnfs",
    "libzbc",
    "pmem",
    "rados",
    "rbd",
    "rdma",
    "tcmalloc",
    "xnvme",
)
"""What configure of 3.42 links wherever a host has it, and no package here declares."""


class Fio(BuiltinFio):
    """Flexible I/O tester, with the engine dfs for DAOS's file system."""

    sanity_check_is_file = ("bin/fio",)

    git = "https://github.com/axboe/fio.git"

    version("3.42", tag="fio-3.42", commit="ab77643023f5d7e3c1b71a7576a564f368bf577a")

    variant("daos", default=False, when="@3.42:", description="The engine dfs")

    depends_on("daos+client", when="+daos")
    depends_on("uuid", when="+daos")
    depends_on("numactl", when="@3.42:")

    def configure_args(self):
        """Link what is declared, and dfs only where it is asked for, whatever the host has."""
        args = super().configure_args()
        if self.spec.satisfies("@3.42:"):
            args.extend(f"--disable-{library}" for library in UNDECLARED)
        if self.spec.satisfies("@3.27:") and not self.spec.satisfies("+daos"):
            args.append("--disable-dfs")  # which configure knows since 3.27
        return args

    @run_after("configure")
    def assert_dfs(self):
        """Fail if configure did not find DAOS, which it only notes."""
        if self.spec.satisfies("+daos"):
            with open(join_path(self.build_directory, "config-host.mak")) as config:
                if "CONFIG_DFS=y" not in config.read().splitlines():
                    raise InstallError("fio was configured without dfs; see config.log")

    def test_dfs(self):
        """The engine is there."""
        if not self.spec.satisfies("+daos"):
            raise SkipTest("without DAOS there is no engine dfs")
        said = which(self.prefix.bin.fio)("--enghelp", output=str, error=str)
        check_outputs([r"\bdfs\b"], said)
