"""What the releases of DAOS judge differently: one row a configuration and a release.

Places are in src/control/server at tags v2.4.0, v2.6.5 and v2.8.0.
"""

# ruff: noqa: E501 rows are compared with each other, one a line
from __future__ import annotations

from daos_rows import (
    DATA,
    DCPM,
    E0,
    ENGINE_1,
    FILE,
    META,
    METADATA,
    RAM,
    STORAGE,
    TWO,
    WAL,
    Row,
    file_tier,
    storage,
)

ENV = E0 + "env_vars"
MD = storage(RAM, file_tier(0, WAL, META, DATA), **METADATA, disable_hugepages=False)
RAM_1 = ENGINE_1["storage"][0]
SWITCH = {**TWO, "engines.1.storage": [{**RAM_1, "scm_hugepages_disabled": False}]}
DCPM_SWITCH = storage({**DCPM, "scm_hugepages_disabled": True})
UCX = {"provider": "ucx+tcp", ENV: ["ABT_THREAD_STACKSIZE=32767"]}
WITHOUT_HUGEPAGES = storage(RAM, FILE)

RELEASES_REFUSE = [
    Row("roles_na_2.4", storage(RAM, file_tier(0, "na")), f"{STORAGE}: OptionBits.fromStrings", version="2.4"),
    *(
        Row(f"{version}_{name}", {key: value}, place, version=version)
        for version, keys in {
            "2.4": {
                "control_iface": "lo", "allow_numa_imbalance": True, "support_config": {},
                "disable_engine_auto_restart": True, "engine_auto_restart_min_delay": 1,
                E0 + "spdk_iobuf": {}, E0 + "bdev_auto_faulty": {"enable": True},
                E0 + "secondary_provider_endpoints": [1],
            },
            "2.6": {
                "recreate_superblocks": True, "control_iface": "lo", "allow_numa_imbalance": True,
                "support_config": {}, "engine_auto_restart_min_delay": 1, E0 + "spdk_iobuf": {},
                E0 + "crt_ctx_share_addr": 1,
            },
            "2.8": {E0 + "crt_ctx_share_addr": 1},
        }.items()
        for key, value in keys.items()
        for name, place in ((key.removeprefix(E0), "yaml.UnmarshalStrict: a key of other releases"),)
    ),
    Row("2.4_dcpm_switch", DCPM_SWITCH, "storage/config.go: ScmConfig.Validate", version="2.4"),
    Row("2.6_dcpm_switch", DCPM_SWITCH, "storage/config.go: ScmConfig.Validate", version="2.6"),
    Row("2.4_emulated_without_hugepages", WITHOUT_HUGEPAGES, "config/server.go: FaultConfigHugepagesDisabled", version="2.4"),
    Row("2.6_emulated_without_hugepages", WITHOUT_HUGEPAGES, "config/server.go: FaultConfigHugepagesDisabledWithBdevs", version="2.6"),
    Row("2.6_two_providers", {"provider": "ofi+tcp,ofi+verbs"}, "config/server.go: Load", version="2.6"),
    Row("2.6_stack_ucx", UCX, "engine/config.go: UpdateABTEnvarsUCX", version="2.6"),
    Row("2.8_stack_ucx", UCX, "engine/config.go: UpdateABTEnvarsUCX"),
    Row("2.6_stack_dcpm", storage(DCPM, **{ENV: ["ABT_THREAD_STACKSIZE=20479"]}), "engine/config.go: UpdatePMDKEnvarsStackSizeDCPM", version="2.6"),
    Row("2.6_sds", {ENV: ["PMEMOBJ_CONF=sds.at_create=1"]}, "engine/config.go: UpdatePMDKEnvarsPMemobjConf", version="2.6"),
    Row("2.8_switch_unset", SWITCH, "config/server.go: validateMultiEngineConfig"),
    Row("2.4_ports", {**TWO, "engines.1.fabric_iface_port": 31416}, "config/server.go: FaultConfigDuplicateFabric", version="2.4"),
    Row("2.4_ram_of_3", storage({**RAM, "scm_size": 3}), "storage/config.go: ScmConfig.Validate", version="2.4"),
]  # fmt: skip
"""Configurations with which a release does not start."""

RELEASES_ACCEPT = [
    Row("2.4_base", {}, "config/server.go: Validate", version="2.4"),
    Row("2.6_base", {}, "config/server.go: Validate", version="2.6"),
    Row("2.4_recreate", {"recreate_superblocks": True}, "config/server.go: Server", version="2.4"),
    Row("2.4_share_addr", {E0 + "crt_ctx_share_addr": 1}, "engine/config.go: FabricConfig", version="2.4"),
    Row("2.6_auto_faulty", {E0 + "bdev_auto_faulty": {"enable": True}}, "storage/config.go: Config", version="2.6"),
    Row("2.8_dcpm_switch", DCPM_SWITCH, "storage/config.go: ScmConfig.Validate", needs="PMem"),
    Row("2.4_switch_unset", SWITCH, "config/server.go: validateMultiEngineConfig", version="2.4"),
    Row("2.6_switch_unset", SWITCH, "config/server.go: validateMultiEngineConfig", version="2.6"),
    Row("2.4_stack", {ENV: ["ABT_THREAD_STACKSIZE=16384"]}, "engine/config.go: none", version="2.4"),
    Row("2.4_sds", {ENV: ["PMEMOBJ_CONF=sds.at_create=1"]}, "engine/config.go: none", version="2.4"),
    Row("2.6_stack_md", {**MD, ENV: ["ABT_THREAD_STACKSIZE=20480"]}, "engine/config.go: of dcpm and UCX alone", version="2.6"),
    Row("2.6_md_on_ssd", MD, "storage/config.go: validateBdevRoles", version="2.6"),
]  # fmt: skip
"""Configurations with which a release starts."""
