"""IOR and mdtest with DAOS's file system, which the builtin recipe does not know."""

from spack.package import *
from spack_repo.builtin.packages.ior.package import Ior as BuiltinIor


class Ior(BuiltinIor):
    """IOR and mdtest: parallel I/O of files and metadata, over POSIX, MPI-IO, and DAOS's DFS."""

    git = "https://github.com/hpc/ior.git"

    version("4.0.0", tag="4.0.0", commit="967a9f65109760db8a3ac14a7fdd007f337d2960")

    variant("daos", default=False, when="@4:", description="The API DFS")

    depends_on("daos", when="+daos")
    depends_on("uuid", when="+daos")
    conflicts(
        "^daos~client", when="+daos", msg="ior+daos needs libdfs of the client: ask for daos+client"
    )

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
