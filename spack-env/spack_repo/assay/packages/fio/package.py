"""fio with its engine dfs, which the builtin recipe does not know."""

from spack.package import *
from spack_repo.builtin.packages.fio.package import Fio as BuiltinFio


class Fio(BuiltinFio):
    """Flexible I/O tester, with the engine dfs for DAOS's file system."""

    git = "https://github.com/axboe/fio.git"

    version("3.42", tag="fio-3.42", commit="ab77643023f5d7e3c1b71a7576a564f368bf577a")

    variant("daos", default=False, when="@3.42:", description="The engine dfs")

    depends_on("daos", when="+daos")
    depends_on("uuid", when="+daos")
    conflicts(
        "^daos~client", when="+daos", msg="fio+daos needs libdfs of the client: ask for daos+client"
    )

    def configure_args(self):
        """Leave dfs out where it is not asked for, even if DAOS is there."""
        return super().configure_args() + (
            [] if self.spec.satisfies("+daos") else ["--disable-dfs"]
        )

    @run_after("configure")
    def assert_dfs(self):
        """Fail if configure did not find DAOS, which it only notes."""
        if self.spec.satisfies("+daos"):
            with open(join_path(self.build_directory, "config-host.mak")) as config:
                if "CONFIG_DFS=y" not in config.read().splitlines():
                    raise InstallError("fio was configured without dfs; see config.log")
