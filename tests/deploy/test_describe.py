"""What Ansible's facts become in cluster.json."""

import importlib.util
from pathlib import Path
from typing import Any

import pytest

PLUGIN = Path(__file__).parents[1] / "roles/cluster/filter_plugins/describe.py"


@pytest.fixture
def describe() -> Any:
    spec = importlib.util.spec_from_file_location("describe", PLUGIN)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.FilterModule().filters()["cluster_describe_host"]


def facts(**interfaces: dict[str, Any]) -> dict[str, Any]:
    return {
        "processor_cores": 16,
        "processor_count": 2,
        "memtotal_mb": 257000,
        "interfaces": [name.replace("_", "-") for name in interfaces],
        **interfaces,
    }


ETHERNET = {"ipv4": {"address": "192.0.2.7"}, "module": "mlx5_core", "speed": 100000}


def test_a_physical_interface_has_a_line_rate(describe: Any) -> None:
    host = describe(facts(ens1f0=ETHERNET), {"address": "192.0.2.7"})
    assert host["interface"] == "ens1f0"
    assert host["interfaces"] == {"ens1f0": {"speed_gbits": 100}}
    assert host["cores"] == 32


@pytest.mark.parametrize(
    "change",
    [{"module": "veth", "speed": 10000}, {"speed": -1}, {"module": "virtio_net", "speed": 25000}],
)
def test_a_virtual_one_has_none(describe: Any, change: dict[str, Any]) -> None:
    host = describe(facts(eth0={**ETHERNET, **change}), {"address": "192.0.2.7"})
    assert host["interfaces"] == {"eth0": {"speed_gbits": None}}


def test_a_hyphen_in_a_name_is_an_underscore_in_facts(describe: Any) -> None:
    host = describe(facts(br_0=ETHERNET), {"address": "192.0.2.7"})
    assert host["interface"] == "br-0"


def test_a_second_address_and_ipv6_are_found(describe: Any) -> None:
    second = {"ipv4_secondaries": [{"address": "192.0.2.8"}], "ipv6": [{"address": "2001:db8::1"}]}
    for address in ("192.0.2.8", "2001:db8::1"):
        host = describe(facts(eth0={**ETHERNET, **second}), {"address": address})
        assert host["interface"] == "eth0"


def test_an_address_of_no_interface_is_left_to_be_refused(describe: Any) -> None:
    host = describe(facts(eth0=ETHERNET), {"address": "198.51.100.1"})
    assert host["interface"] == "198.51.100.1"
