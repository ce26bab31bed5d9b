# Copyright the daos-assay founders.
#
# SPDX-License-Identifier: (Apache-2.0 OR MIT)

"""SPDK as DAOS builds it, with the DPDK that it brings."""

from spack_repo.builtin.packages.spdk.package import Spdk as BuiltinSpdk

from spack.package import *

_PATCHES = "https://raw.githubusercontent.com/daos-stack/daos/v2.8.0/deps/patches/spdk"
_MESON = "dpdk/config/meson.build"
_COMMITS = "https://github.com/spdk/spdk/commit"


def dpdk_only(package):
    """Return the submodules that are built: of SPDK's others, DAOS uses none."""
    return ["dpdk"]


class Spdk(BuiltinSpdk):
    """User-space NVMe driver of the DAOS engine."""

    version(
        "26.01",
        tag="v26.01",
        commit="2ef883ef96e79c3cc16da02f667a7a58c2453f2f",
        submodules=dpdk_only,
    )
    version(
        "22.01.2",
        tag="v22.01.2",
        commit="cbf9b3496b213e07a4840c79daed6e1eea1e9329",
        submodules=dpdk_only,
    )

    conflicts("~shared", when="@22.01.2,26.01", msg="DAOS links SPDK's shared libraries")
    conflicts("+dpdk", when="@22.01.2,26.01", msg="This SPDK brings a DPDK of its own")

    depends_on("ninja", type="build", when="@22.01.2,26.01")
    with when("@26.01"):
        depends_on("isa-l@2.31.1")
        depends_on("isa-l-crypto@2.26")

    patch(
        f"{_PATCHES}/0001_external_isal_v26.01.patch",
        sha256="764739c0bbc8a8274cb0b7d9198c1f8cc13d9c20abcf043a24abe0a1613d212e",
        when="@26.01",
    )
    patch(
        f"{_COMMITS}/b0aba3fcd5aceceea530a702922153bc75664978.patch?full_index=1",
        sha256="04b634ef6c86da6e2ea37cd4c3935af238b83e6d31ae2829593f7c1422015868",
        when="@22.01.2",
    )
    patch(
        f"{_COMMITS}/445a4c808badbad3942696ecf16fa60e8129a747.patch?full_index=1",
        sha256="33945300f05feda85f660c422a5339cb09b5580f9449b0ae0f32b84ff653ef05",
        when="@22.01.2",
    )

    @property
    def is_for_daos(self):
        """Whether this version is one that DAOS builds; the builtin recipe's stay as they are."""
        return self.spec.satisfies("@22.01.2,26.01")

    @run_before("configure")
    def leave_out(self):
        """Leave out Python, and what DPDK takes of the host without being asked.

        For Python, `make install` would run a package installer. DPDK links libarchive, libbsd,
        jansson, OpenSSL, libpcap and libfdt where it finds them, and no driver that is built
        here needs one.
        """
        if not self.is_for_daos:
            return
        filter_file(r"^DIRS-y \+= python$", "", "Makefile")
        if self.spec.satisfies("@26.01"):
            # Without their run paths the programs would not find SPDK's own libraries.
            filter_file("patchelf --remove-rpath", ":", "mk/spdk.common.mk", string=True)
        optional = r"(libarchive|libbsd|jansson|openssl|libpcap)"
        absent = "dependency('', required: false)"
        filter_file(rf"dependency\('{optional}',.*\)", absent, _MESON)
        filter_file(r"cc\.find_library\((pcap_lib|'fdt'|'libfdt'),.*\)", absent, _MESON)

    def configure_args(self):
        """Build what DAOS's engine needs and nothing else."""
        if not self.is_for_daos:
            return super().configure_args()
        # What AVX2 came with: DAOS's own choice. `native` would tie the build to its host.
        instructions = "haswell" if self.spec.satisfies("target=x86_64:") else "native"
        args = [
            f"--target-arch={instructions}",
            "--disable-tests",
            "--disable-unit-tests",
            "--with-shared",
            "--without-crypto",
            "--without-iscsi-initiator",
            "--without-rbd",
            "--without-vhost",
            "--without-vtune",
        ]
        if self.spec.satisfies("@26.01"):
            args += [
                "--without-nvme-cuse",
                f"--with-isal={self.spec['isa-l'].prefix}",
                f"--with-isal-crypto={self.spec['isa-l-crypto'].prefix}",
            ]
        else:
            args += ["--disable-apps", "--without-isal", "--without-pmdk"]
        return args

    @run_after("install")
    def install_for_daos(self):
        """Install DPDK, the scripts, and the file of pkg-config that DAOS asks for."""
        if not self.is_for_daos:
            return
        pkgconfig = self.prefix.lib.pkgconfig
        if self.spec.satisfies("@22.01.2"):
            # Since 26.01 `make install` does it, as it should be.
            install_tree("dpdk/build/lib", self.prefix.lib)
            install_tree("dpdk/build/include", self.prefix.include.dpdk)
            for file in find(pkgconfig, "libdpdk*.pc"):
                filter_file(r"^prefix=.*", f"prefix={self.prefix}", file)
                filter_file(r"^includedir=.*", "includedir=${prefix}/include/dpdk", file)
        share = self.prefix.share.daos.spdk
        install_tree("scripts", share.scripts)
        install_tree("include", share.include)
        mkdirp(pkgconfig)
        with open(join_path(pkgconfig, "daos_spdk.pc"), "w") as file:
            file.write(
                f"Name: daos_spdk\n"
                f"Description: SPDK as DAOS builds it\n"
                f"Version: {self.version}\n"
                f"Cflags: -I{self.prefix.include} -I{self.prefix.include.dpdk}\n"
                f"Libs: -L{self.prefix.lib} -Wl,-rpath={self.prefix.lib}\n"
            )

    @property
    def sanity_check_is_file(self):
        """What DAOS looks for."""
        if not self.is_for_daos:
            return []
        promised = ["lib/libspdk_nvme.so", "lib/librte_eal.so", "lib/pkgconfig/daos_spdk.pc"]
        return promised + (["bin/spdk_nvme_perf"] if self.spec.satisfies("@26.01") else [])
