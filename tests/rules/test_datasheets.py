"""The figures of hardware.yml, compared with the documents that they are from."""

import pytest

from assay.hardware import pmem_modules, ssds


@pytest.mark.parametrize(
    ("name", "figures"),
    [
        ("128GB", (126.7, 7.45, 2.25, 1.86, 0.56)),
        ("256GB", (253.7, 8.10, 3.15, 2.03, 0.79)),
        ("512GB", (507.7, 7.45, 2.60, 1.86, 0.65)),
    ],
)
def test_modules_of_persistent_memory(name: str, figures: tuple[float, ...]) -> None:
    module = pmem_modules()[f"Intel Optane PMem 200 {name}"]
    assert module.capacity.to("GB").value == figures[0]
    bandwidths = (
        module.read_bandwidth_256b,
        module.write_bandwidth_256b,
        module.read_bandwidth_64b,
        module.write_bandwidth_64b,
    )
    assert tuple(bandwidth.to("GB/s").value for bandwidth in bandwidths) == figures[1:]


def test_every_datasheet_names_its_source() -> None:
    assert all(sheet.source for sheet in (*ssds().values(), *pmem_modules().values()))
