"""The figures of hardware.yml, compared with the documents that they are from."""

import pytest

from assay.cluster.description import Cluster
from assay.cluster.hardware import shipped
from assay.preflight.examine import examine
from clusters import described, description


@pytest.mark.parametrize(
    ("name", "figures"),
    [
        ("128GB", (126.7, 7.45, 2.25, 1.86, 0.56)),
        ("256GB", (253.7, 8.10, 3.15, 2.03, 0.79)),
        ("512GB", (507.7, 7.45, 2.60, 1.86, 0.65)),
    ],
)
def test_modules_of_persistent_memory(name: str, figures: tuple[float, ...]) -> None:
    module = shipped().pmem[f"Intel Optane PMem 200 {name}"]
    assert module.capacity is not None
    assert module.capacity.to("GB").value == figures[0]
    bandwidths = (
        module.read_bandwidth_256b,
        module.write_bandwidth_256b,
        module.read_bandwidth_64b,
        module.write_bandwidth_64b,
    )
    assert tuple(b and b.to("GB/s").value for b in bandwidths) == figures[1:]


def test_every_sheet_names_its_source() -> None:
    known = shipped()
    kinds = (known.ssd, known.pmem, known.fabric, known.pcie, known.memory)
    assert all(len(kind) >= 3 for kind in kinds)
    assert all(sheet.source for kind in kinds for sheet in kind.values())


def test_what_is_not_a_datasheet_says_so() -> None:
    known = shipped().ssd
    assert known["Micron 9400 PRO"].word.endswith("; announced, no datasheet")
    assert known["Intel D7-P5500 3.84TB"].word == known["Intel D7-P5500 3.84TB"].source


def test_every_ssd_has_a_link_that_it_does_not_exceed() -> None:
    known = shipped()
    for name, ssd in known.ssd.items():
        assert ssd.pcie is not None, name
        generation, _, width = ssd.pcie.partition(" x")
        link = known.pcie[generation].bandwidth.to("MB/s").value * int(width)
        for bandwidth in (ssd.read_bandwidth, ssd.write_bandwidth):
            assert bandwidth is None or bandwidth.to("MB/s").value < link, name


def test_a_site_names_its_own_devices() -> None:
    document = description()
    sheet = {"read_bandwidth": "9 GB/s", "source": "the vendor's offer of 2026-03-02"}
    document["hardware"] = {"ssd": {"Acme 9": sheet}}
    document["hosts"]["s1"]["datasheets"] = {"ssd": "Acme 9"}
    assert described(document).sheets.ssd["Acme 9"].source == sheet["source"]


@pytest.mark.parametrize("name", ["6800 MB/s", "13.372 GB/s", "0.1 GB/s"])
def test_a_site_s_sheet_survives_its_own_json(name: str) -> None:
    document = description()
    document["hardware"] = {"ssd": {"Acme 9": {"read_bandwidth": name, "source": "x"}}}
    cluster = described(document)
    again = Cluster.model_validate_json(cluster.model_dump_json(by_alias=True))
    assert again.hardware == cluster.hardware


def test_a_site_may_know_better_than_what_is_shipped() -> None:
    document = description()
    name = "Intel D7-P5500 3.84TB"
    document["hardware"] = {
        "ssd": {name: {"read_rate": "800000 IO/s", "source": "a newer edition"}}
    }
    assert described(document).sheets.ssd[name].source == "a newer edition"


@pytest.mark.parametrize(
    ("key", "name", "message"),
    [
        ("ssd", "Acme 9", "should be a data sheet: Intel D7-P5500 3.84TB"),
        ("pmem", "Acme PMem", "Intel Optane PMem 100 256GB"),
        ("memory", "DDR2-400", "DDR4-3200"),
        ("fabric", "Token Ring", "Ethernet 25"),
    ],
)
def test_a_device_without_a_sheet_is_refused(key: str, name: str, message: str) -> None:
    document = description()
    document["hosts"]["s1"]["datasheets"] = {key: name}
    cluster, problems = examine(document)
    assert cluster is None
    assert [problem.key for problem in problems] == [f"datasheets.{key}"]
    assert message in problems[0].allowed


@pytest.mark.parametrize(
    ("sheet", "message"),
    [
        ({"source": "x", "read_bandwidth": "fast"}, "is not a quantity"),
        ({"source": "x", "read_bandwidth": "7 IO/s"}, "they measure different things"),
        ({"source": "x", "read_bandwidth": "-7 GB/s"}, "should be above zero"),
        ({"source": "x", "read_bandwidth": "inf GB/s"}, "above zero, and not infinite: inf GB/s"),
        ({"source": "x", "read_bandwidth": "7 GB/(s"}, "'GB/(s' is not a unit"),
        ({"read_bandwidth": "7 GB/s"}, "is missing"),
        (
            {"source": "x", "pcie": "four lanes"},
            "should be a generation of PCIe and its lanes, such as 4.0 x4",
        ),
        ({"source": "x", "pcie": "9.0 x4"}, "should be a generation of 3.0, 4.0, 5.0"),
    ],
)
def test_a_bad_sheet_is_refused(sheet: dict[str, str], message: str) -> None:
    document = description()
    document["hardware"] = {"ssd": {"Acme 9": sheet}}
    cluster, problems = examine(document)
    assert cluster is None
    assert message in str(problems[0])
    assert "hardware.ssd.Acme 9" in str(problems[0])


def test_a_floor_that_no_metric_has_is_refused() -> None:
    document = description()
    document["floors"] = {"SsdFio.read_1k": 0.9}
    cluster, problems = examine(document)
    assert cluster is None
    assert "(did you mean SsdFio.read_1m?)" in str(problems[0])
