"""Where `campaign.sh` begins no campaign."""

import os
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "reframe-checks/campaign.sh"
NOBODY = 65534


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give a directory away")
def test_root_opens_nothing_where_another_user_could_put_a_link(tmp_path: Path) -> None:
    victim, campaigns = tmp_path / "victim", tmp_path / "campaigns"
    victim.write_text("precious\n")
    campaigns.mkdir()
    (campaigns / ".lock").symlink_to(victim)
    os.lchown(campaigns / ".lock", NOBODY, NOBODY)
    os.chown(campaigns, NOBODY, NOBODY)
    ran = subprocess.run(
        ["bash", SCRIPT, campaigns / "monday", "quick"],
        env={**os.environ, "ASSAY_ENVIRONMENT": "/dev/null"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 77
    assert f"{campaigns} belongs to nobody" in ran.stderr
    assert victim.read_text() == "precious\n"
    assert not (campaigns / "monday").exists()
