# Copyright the daos-assay founders.
#
# SPDX-License-Identifier: (Apache-2.0 OR MIT)

"""DAOS 2.6 and 2.8, from source."""

from spack_repo.builtin.build_systems.scons import SConsPackage

from spack.package import *


class Daos(SConsPackage):
    """Distributed Asynchronous Object Storage: its libraries, tools, agent and server.

    Nothing is inherited from the builtin recipe: its dependencies are those of DAOS 2.2, and
    what a class inherits it cannot drop.
    """

    homepage = "https://daos.io"
    git = "https://github.com/daos-stack/daos.git"
    submodules = True  # of any commit: daos@git.COMMIT=2.8.1 is one that has no version here

    license("BSD-2-Clause-Patent")

    version(
        "2.8.0",
        tag="v2.8.0",
        commit="5a2536493607f065e0f6be51fd87b534a5eafa52",
    )
    version(
        "2.6.5",
        tag="v2.6.5",
        commit="e626ae8c4c9725dfb3b086cfc9f08fccc69d0c88",
    )

    variant("client", default=True, description="libdaos, libdfs, dfuse, daos, dmg, daos_agent")
    variant("server", default=True, description="daos_server and daos_engine")
    variant(
        "client_tests",
        default=False,
        description="daos_perf, and with the server vos_perf (scons target test)",
    )
    variant("ucx", default=False, description="Fabrics through UCX besides libfabric")
    variant(
        "ipmctl", default=True, when="+server", description="Manage PMem modules with libipmctl"
    )

    conflicts(
        "~client~server", msg="daos without client and server is nothing: ask for one of them"
    )
    conflicts(
        "~ipmctl",
        when="+server target=x86_64:",
        msg="The server of DAOS links libipmctl on x86_64: ask for +ipmctl",
    )
    conflicts("target=aarch64:", when="+ipmctl", msg="ipmctl is for x86_64: ask for daos~ipmctl")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("gmake", type="build")
    depends_on("go@1.23:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("py-distro", type="build")
    depends_on("scons@4.4:", type="build")

    # What daos-dependencies.yml says.
    depends_on("argobots@1.2+stackunwind")
    depends_on("libfabric@1.22.0")
    depends_on("mercury@2.4.1+ofi+boostsys~checksum+debug")
    depends_on("protobuf-c@1.3.3:")
    with when("@2.8"):
        depends_on("isa-l@2.31.1")
        depends_on("isa-l-crypto@2.26")
        depends_on("fused@1.0.0", when="+client")
        depends_on("ucx@1.20.0", when="+ucx")
        depends_on("spdk@26.01+shared", when="+server")
    with when("@2.6"):
        depends_on("isa-l@2.30.0")
        depends_on("isa-l-crypto@2.24.0")
        depends_on("libfuse@3.16.2", when="+client")
        depends_on("ucx@1.14.1", when="+ucx")
        depends_on("spdk@22.01.2+shared", when="+server")
    depends_on("mercury+ucx", when="+ucx")
    depends_on("mercury~ucx", when="~ucx")
    depends_on("pmdk@2.1.3+ndctl", when="+server")

    # What upstream takes from the distribution, in whatever version.
    depends_on("boost")
    depends_on("hwloc")
    depends_on("libunwind")
    depends_on("libyaml")
    depends_on("lz4")
    depends_on("openssl")
    depends_on("uuid")
    depends_on("capstone", when="+client")
    depends_on("json-c", when="+client")
    depends_on("libaio", when="+client")
    depends_on("numactl", when="+server")
    depends_on("pciutils+shared", when="+server")
    depends_on("ipmctl", when="+ipmctl")
    depends_on("cmocka", when="+client_tests")
    depends_on("mpi", when="+client_tests")

    def setup_build_environment(self, env: EnvironmentModifications) -> None:
        """Keep Go to its vendored sources, its own version, and the stage."""
        env.set("GOTOOLCHAIN", "local")
        env.set("GOPROXY", "off")
        env.set("GOFLAGS", "-mod=vendor")
        env.set("GOCACHE", join_path(self.stage.path, "go-cache"))

    def setup_run_environment(self, env: EnvironmentModifications) -> None:
        """Name the prefix for what is built against it by hand."""
        env.set("DAOS_PATH", self.prefix)

    def build_args(self, spec, prefix):
        """Say where everything is, and that nothing is to be downloaded."""
        components = ["client"] if spec.satisfies("+client") else []
        components += ["server"] if spec.satisfies("+server") else []
        # Else SCons looks for MPI among EL's modules alone; without it each process is on its own.
        components += ["test", "MPI_PKG=any"] if spec.satisfies("+client_tests") else []
        return [
            *components,
            # By itself SCons builds on one core, and with one job DAOS gives Go one, too.
            f"-j{make_jobs}",
            f"PREFIX={prefix}",
            f"GO_BIN={spec['go'].prefix.bin.go}",
            "USE_INSTALLED=all",
            # Else SCons forgets the compiler wrapper, and with it where the dependencies are.
            "SCONS_ENV=full",
            "COMPILER=gcc",
            "BUILD_TYPE=release",
            "TARGET_TYPE=release",
            "WARNING_LEVEL=warning",
            "--locale-name=C.UTF-8",
        ]

    def install_args(self, spec, prefix):
        """Install what build_args has built."""
        return ["install", *self.build_args(spec, prefix)]

    @run_after("install")
    def link_spdk(self):
        """Put SPDK's scripts and its benchmark where DAOS and its users look for them."""
        if self.spec.satisfies("+server"):
            spdk = self.spec["spdk"].prefix
            symlink(spdk.share.daos.spdk, self.prefix.share.daos.spdk)
            if self.spec.satisfies("@2.8:"):
                symlink(spdk.bin.spdk_nvme_perf, self.prefix.bin.spdk_nvme_perf)

    @property
    def sanity_check_is_file(self):
        """What the spec promises: SCons leaves out what it lacks a dependency of, and succeeds."""
        promised = ["lib64/libgurt.so", "lib64/libcart.so"]
        if self.spec.satisfies("+client"):
            promised += [f"bin/{name}" for name in ("daos", "dmg", "daos_agent", "dfuse")]
            promised += [
                f"lib64/lib{name}.so" for name in ("daos", "dfs", "duns", "ioil", "pil4dfs")
            ]
            promised += ["include/daos.h", "include/daos_fs.h"]
        if self.spec.satisfies("+server"):
            promised += [
                f"bin/{name}" for name in ("daos_server", "daos_engine", "daos_server_helper")
            ]
        if self.spec.satisfies("@2.8: +server"):
            promised += ["bin/spdk_nvme_perf"]
        if self.spec.satisfies("+client_tests"):
            promised += ["bin/daos_perf", "lib64/libdpar_mpi.so"]
        if self.spec.satisfies("+client_tests+server"):
            promised += ["bin/vos_perf"]
        return promised

    def test_version(self):
        """The programs run, and are of this release."""
        programs = ["daos", "dmg", "daos_agent"] if self.spec.satisfies("+client") else []
        programs += ["daos_server"] if self.spec.satisfies("+server") else []
        for name in programs:
            with test_part(self, f"test_version_{name}", purpose=f"{name} is of this release"):
                said = which(join_path(self.prefix.bin, name))("version", output=str, error=str)
                check_outputs([str(self.spec.version)], said)
