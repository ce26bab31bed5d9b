# Copyright the daos-assay founders.
#
# SPDX-License-Identifier: (Apache-2.0 OR MIT)

"""The IO500 program with DAOS's file system, which Spack has no recipe for."""

from spack_repo.builtin.build_systems.makefile import MakefilePackage

from spack.package import *


class Io500(MakefilePackage):
    """All phases of the IO500 list in one program, with the score that it submits."""

    homepage = "https://io500.org"
    git = "https://github.com/IO500/io500.git"

    license("MIT")

    version(
        "isc26_v1",
        tag="io500-isc26_v1",
        commit="0befb5466d19d16be00cfc6be6cbbfb260206fd5",
    )

    variant("daos", default=False, description="The API DFS")

    depends_on("c", type="build")
    depends_on("autoconf", type="build")
    depends_on("automake", type="build")
    depends_on("libtool", type="build")
    depends_on("m4", type="build")
    depends_on("pkgconf", type="build")
    depends_on("mpi")
    depends_on("daos+client", when="+daos")
    depends_on("uuid", when="+daos")

    # A list's rules name the IOR and the find that its program is built with: prepare.sh's own.
    resource(
        name="ior",
        git="https://github.com/hpc/ior.git",
        commit="5fcf0ba995fd92164d50e344597e2d8203298c08",
        destination="build",
        placement="ior",
        when="@isc26_v1",
    )
    resource(
        name="pfind",
        git="https://github.com/VI4IO/pfind.git",
        commit="aaba722a178d38799125a271a7f554d004713363",
        destination="build",
        placement="pfind",
        when="@isc26_v1",
    )

    sanity_check_is_file = ("bin/io500", "bin/io500-verify")

    def edit(self, spec, prefix):
        """Configure its IOR, and fail if DFS was dropped, which is silent."""
        arguments = [f"--prefix={prefix}", f"CC={spec['mpi'].mpicc}", "--without-hdf5"]
        if spec.satisfies("+daos"):
            arguments.append(f"--with-daos={spec['daos'].prefix}")
        with working_dir("build/ior"):
            Executable("./bootstrap")()
            Executable("./configure")(*arguments)
            with open("src/config.h") as config:
                has_dfs = "#define USE_DAOS_AIORI" in config.read()
        if spec.satisfies("+daos") and not has_dfs:
            raise InstallError("IO500's IOR was configured without DFS; see its config.log")

    def build(self, spec, prefix):
        """Build as prepare.sh does, which would download both while it builds."""
        mpicc = spec["mpi"].mpicc
        make("-C", "build/ior/src")
        with working_dir("build/pfind"):
            Executable("./compile.sh")(extra_env={"CC": mpicc})
        # Its Makefile asks git for the version, and an archive of a mirror has no git.
        make(f"CC={mpicc}", f"VERSION=io500-{self.version}", "io500", "io500-verify")

    def install(self, spec, prefix):
        """Install the program, and the one that checks what it wrote."""
        mkdirp(prefix.bin)
        install("io500", prefix.bin)
        install("io500-verify", prefix.bin)

    def test_list(self):
        """It starts, and lists its options."""
        said = which(self.prefix.bin.io500)("--list", output=str, error=str)
        check_outputs([r"\[ior-easy\]", "transferSize = 2m"], said)

    def test_dfs(self):
        """The API is there: no option lists it, and a program without it crashes if it is asked."""
        if not self.spec.satisfies("+daos"):
            raise SkipTest("without DAOS there is no API DFS")
        linked = which("ldd")(self.prefix.bin.io500, output=str)
        check_outputs([r"libdfs\.so\S* => /"], linked)
