"""What the scenarios measure twice: only what other work disturbed, and only once more."""

import subprocess
from pathlib import Path

import pytest

MEASURED = Path(__file__).parents[1] / "molecule" / "hosts" / "measured.sh"

DISTURBED = """echo '  3241 MiB/s is above the bound of 1185 MiB/s: a cache, unless other'
echo '      work slowed what it is compared with: SsdFio.read on n1'
"""


@pytest.mark.parametrize(
    ("first", "second", "runs", "succeeds"),
    [
        ("true", "false", 1, True),
        (f"{DISTURBED} false", "true", 2, True),
        (f"{DISTURBED} false", f"{DISTURBED} false", 2, False),
        ("echo 'PosixFio.read is missing'; false", "true", 1, False),
    ],
    ids=["passes", "disturbed once", "disturbed twice", "fails by itself"],
)
def test_a_campaign_is_measured_again_only_if_other_work_disturbed_it(
    first: str, second: str, runs: int, succeeds: bool, tmp_path: Path
) -> None:
    count = tmp_path / "count"
    command = f"echo >> {count}; if [ $(wc -l < {count}) = 1 ]; then {first}; else {second}; fi"
    ran = subprocess.run([MEASURED, "bash", "-c", command], capture_output=True, check=False)
    assert (ran.returncode == 0, len(count.read_text().splitlines())) == (succeeds, runs)
