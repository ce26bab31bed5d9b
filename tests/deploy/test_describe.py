"""What Ansible's facts become in cluster.json."""

import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest

PLUGIN = Path(__file__).parents[2] / "roles/cluster/filter_plugins/describe.py"


def module() -> Any:
    spec = importlib.util.spec_from_file_location("describe", PLUGIN)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def filters() -> dict[str, Any]:
    names: dict[str, Any] = module().FilterModule().filters()
    return names


@pytest.fixture
def describe() -> Any:
    describe_hosts = filters()["cluster_describe_hosts"]

    def describe_host(facts: Any, hardware: Any, inventory: Any) -> Any:
        examined = {"hardware": hardware, "inventory": inventory}
        hostvars = {"n1": {"ansible_facts": facts, "__cluster_found": examined}}
        return describe_hosts(hostvars, ["n1"])["n1"]

    return describe_host


def test_what_is_stored_at_the_moment_is_not_a_part_of_what_lasts() -> None:
    lasting = filters()["cluster_lasting"]
    before = {"cores": 4, "blocks": {}, "directories": {}}
    deployed = {
        "cores": 4,
        "blocks": {"/dev/pmem0": {"mounts": ["/mnt/daos0"]}},
        "directories": {"/mnt/daos0": {"mounted": True}},
        "superblocks": {"/mnt/daos0/superblock": "daos_server"},
        "backing_files": {},
        "setup": {"numa_balancing": 0},
        "fingerprint": {"traits": {"kernel": "6.1"}},
    }
    first = lasting({"name": "c", "hosts": {"n1": before}})
    assert first == lasting({"name": "c", "hosts": {"n1": deployed}})
    assert first == {"name": "c", "hosts": {"n1": {"cores": 4}}}


@pytest.mark.parametrize("identity", [None, {}, {"smartctl": 1}, "forged"])
def test_a_host_that_answers_with_nonsense_has_no_fingerprint(identity: object) -> None:
    examined = {"hardware": HARDWARE, "inventory": inventory("192.0.2.7"), "identity": identity}
    hostvars = {"n1": {"ansible_facts": facts(), "__cluster_found": examined}}
    host = filters()["cluster_describe_hosts"](hostvars, ["n1"])["n1"]
    assert "fingerprint" not in host


def test_fingerprints_are_of_the_hosts_that_answered() -> None:
    identity = {
        **{key: [] for key in ("nvme", "rdma")},
        **{key: {} for key in ("cpu", "drivers", "tuning", "ethtool", "smart_log", "smartctl")},
        **dict.fromkeys(("command_line", "dmidecode", "smt", "turbo_off"), ""),
        "dmi": dict.fromkeys(("sys_vendor", "product_name", "product_serial"), "")
        | {"bios_vendor": "Example", "bios_version": "1.2", "bios_date": ""},
        "kernel": "6.1",
    }
    hostvars = {
        "s1": {"__cluster_identity": {"identity": identity}},
        "s2": {"__cluster_identity": {"unreachable": True}},
        "s3": {},
    }
    assert filters()["cluster_fingerprints"](hostvars) == {
        "s1": {
            "traits": {"BIOS": "Example 1.2", "kernel": "6.1"},
            "identities": {},
            "readings": {},
        }
    }
    # What dmg has listed, by address here, of an SSD that the kernel does not see.
    ssd = {"model": "P5500", "serial": "PHAX1", "fw_rev": "2CV1", "pci_addr": "0000:65:00.0"}
    entry = {"hosts": "192.0.2.1:10001", "storage": {"nvme_devices": [ssd]}}
    scanned = {"stdout": json.dumps({"response": {"HostStorage": {"1": entry}}})}
    facts = {"default_ipv4": {"address": "192.0.2.1"}}
    hostvars["s1"] |= {"__cluster_scanned": scanned, "ansible_facts": facts}
    fingerprint = filters()["cluster_fingerprints"](hostvars)["s1"]
    assert fingerprint["traits"]["firmware of P5500 in user space"] == "1 x 2CV1"
    assert fingerprint["traits"]["SSDs in user space"] == "1 x P5500"
    assert fingerprint["identities"] == {"SSD at 0000:65:00.0": "P5500 PHAX1"}


FACTS = {
    "s1": {"ansible_facts": {"all_ipv4_addresses": ["192.0.2.1", "198.51.100.1"]}},
    "s2": {},
}


def test_names_of_servers_and_replicas_should_lead_to_addresses_that_the_servers_have() -> None:
    meant = filters()["cluster_meant_addresses"]
    replicas = ["s1", "s1.example.org:10001", "192.0.2.7", "[2001:db8::1]:10001", "other.site"]
    assert meant(FACTS, ["s1", "s2"], replicas) == {
        "s1": ["192.0.2.1", "198.51.100.1"],
        "s2": [],
        "s1.example.org": ["192.0.2.1", "198.51.100.1"],
        "other.site": [],
    }


def test_what_came_of_connections_is_described() -> None:
    connections = module().connections
    failed = [{"to": "s1", "service": "engine0", "ports": [31316], "why": "no answer"}]
    assert connections({"__cluster_connected": {"failed_connections": failed}}) == {
        "failed": failed
    }
    assert connections({"__cluster_untried": "cluster_try_ports is false"}) == {
        "untried": "cluster_try_ports is false"
    }
    # With --check nothing is connected, and for hosts that are not there nothing is registered.
    assert connections({"__cluster_connected": {"skipped": True}}) is None
    assert connections({}) is None


HARDWARE: dict[str, Any] = {
    "numa_nodes": 2,
    "interfaces": {"ens1f0": {"up": True, "numa_node": 1}},
    "memory": {"hugepage_kib": 2048, "transparent_hugepages": "madvise"},
    "scratch": {"directory": "/scratch", "filesystem": "xfs", "device": "/dev/sda1"},
}


def inventory(address: str, **others: Any) -> dict[str, Any]:
    rest = {"ssd": None, "engines": [], "server": {}, "agent": {}, "datasheets": {}}
    return {"address": address, **rest, **others}


def facts(**interfaces: dict[str, Any]) -> dict[str, Any]:
    return {
        "processor_cores": 16,
        "processor_count": 2,
        "memtotal_mb": 257000,
        "interfaces": [name.replace("_", "-") for name in interfaces],
        **interfaces,
    }


ETHERNET = {
    "ipv4": {"address": "192.0.2.7", "netmask": "255.255.255.0"},
    "module": "mlx5_core",
    "speed": 100000,
}


def test_a_physical_interface_has_a_line_rate(describe: Any) -> None:
    host = describe(facts(ens1f0=ETHERNET), HARDWARE, inventory("192.0.2.7"))
    assert host["interface"] == "ens1f0"
    assert host["interfaces"] == {
        "ens1f0": {
            "speed_gbits": 100,
            "address": "192.0.2.7",
            "network": "192.0.2.0/24",
            "up": True,
            "numa_node": 1,
            "has_address": True,
            "mtu": None,
        }
    }
    assert host["cores"] == 32
    assert host["memory"]["total_mib"] == 257000


@pytest.mark.parametrize(
    "change",
    [{"module": "veth", "speed": 10000}, {"speed": -1}, {"module": "virtio_net", "speed": 25000}],
)
def test_a_virtual_one_has_none(describe: Any, change: dict[str, Any]) -> None:
    host = describe(facts(eth0={**ETHERNET, **change}), HARDWARE, inventory("192.0.2.7"))
    assert host["interfaces"]["eth0"]["speed_gbits"] is None


def test_an_interface_of_a_container_that_comes_and_goes_is_left_out(describe: Any) -> None:
    veth = {"type": "ether", "speed": 10000, "ipv6": [{"address": "fe80::1", "scope": "link"}]}
    routed = {**veth, "ipv6": [{"address": "2001:db8::1", "scope": "global"}]}
    spare = {"type": "ether", "module": "mlx5_core", "pciid": "0000:81:00.0"}
    all_of_them = facts(eth0=ETHERNET, veth1=veth, routed=routed, ens2=spare)
    host = describe(all_of_them, HARDWARE, inventory("192.0.2.7"))
    assert set(host["interfaces"]) == {"eth0", "routed", "ens2"}


def test_a_hyphen_in_a_name_is_an_underscore_in_facts(describe: Any) -> None:
    host = describe(facts(br_0=ETHERNET), HARDWARE, inventory("192.0.2.7"))
    assert host["interface"] == "br-0"


def test_a_second_address_and_ipv6_are_found(describe: Any) -> None:
    second = {"ipv4_secondaries": [{"address": "192.0.2.8"}], "ipv6": [{"address": "2001:db8::1"}]}
    for address in ("192.0.2.8", "2001:db8::1"):
        host = describe(facts(eth0={**ETHERNET, **second}), HARDWARE, inventory(address))
        assert host["interface"] == "eth0"


def test_an_address_of_no_interface_is_left_to_be_refused(describe: Any) -> None:
    host = describe(facts(eth0=ETHERNET), HARDWARE, inventory("198.51.100.1"))
    assert host["interface"] == "198.51.100.1"


def test_the_tags_of_each_engine_are_written_down(describe: Any) -> None:
    engine = {"targets": 16, "nr_xs_helpers": 4}
    tags = describe(facts(), HARDWARE, inventory("", engines=[engine]))["engines"][0]["tags"]
    assert (tags["metadata"], tags["swim"]) == (0, 1)
    assert (tags["targets"][0], tags["targets"][-1]) == (2, 17)
    assert tags["helpers"] == (18, 19, 20, 21)


def test_an_engine_without_counts_is_left_to_be_refused(describe: Any) -> None:
    engine = {"targets": "sixteen"}
    assert describe(facts(), HARDWARE, inventory("", engines=[engine]))["engines"] == [engine]


def test_what_the_inventory_leaves_empty_is_left_to_daos(describe: Any) -> None:
    server = {"nr_hugepages": 0, "control_metadata": {}, "telemetry_port": "", "eadr": False}
    host = describe(facts(), HARDWARE, inventory("", server=server))
    assert host["server"] == {"nr_hugepages": 0, "eadr": False}


def test_a_host_that_only_builds_is_heard_and_missed_like_those_of_the_cluster() -> None:
    refusal = {"key": "spack_environment", "value": "alll", "allowed": "should be all"}
    hostvars: dict[str, Any] = {
        "n1": {"__cluster_found": {"hardware": {}}},
        "n2": {},
        "builder": {"ansible_facts": {"os_family": "Debian"}, "__preflight_refusals": [refusal]},
        "sound": {"ansible_facts": {"os_family": "Debian"}},
        "gone": {},
    }
    builders = ["builder", "sound", "gone"]
    assert filters()["cluster_not_seen"](hostvars, ["n1", "n2"], builders) == ["n2", "gone"]
    heard = filters()["cluster_refusals"](hostvars, ["n1", "n2", *builders, "planned"])
    assert heard == {"builder": [refusal]}


def test_what_is_asked_of_a_host_includes_the_directories_of_files_for_ssds() -> None:
    storage = [
        {"class": "ram", "scm_mount": "/mnt/daos0"},
        {"class": "file", "bdev_list": ["/var/daos/bdev0"]},
        {"class": "nvme", "bdev_list": ["0000:81:00.0"]},
    ]
    given = filters()["cluster_given_to_daos"]([{"storage": storage}], {"path": "/var/config"})
    assert given["directories"] == ["/mnt/daos0", "/var/config", "/var/daos"]
    assert given["devices"] == ["/var/daos/bdev0"]
