"""What playbooks/signoff.yml asks of `assay signoff`, by the variables of the site."""

from pathlib import Path
from typing import Any

import pytest
from ansible.parsing.dataloader import DataLoader
from ansible.template import Templar

PLAYBOOKS = Path(__file__).parents[2] / "playbooks"


def _load(name: str) -> Any:
    return DataLoader().load_from_file(str(PLAYBOOKS / name), trusted_as_template=True)


def _command(**site: Any) -> list[str]:
    _guard, play = _load("signoff.yml")
    (task,) = (each for each in play["tasks"] if each["name"] == "Judge the campaign")
    known = _load("vars/campaign.yml") | play["vars"] | task["vars"]
    templar = Templar(loader=DataLoader(), variables=known | {"assay_campaign": "today"} | site)
    return [str(word) for word in templar.template(task["ansible.builtin.command"]["argv"])]


@pytest.mark.parametrize(
    ("variable", "value", "option"),
    [
        ("assay_baseline", "/srv/bundles/accepted", "--baseline=/srv/bundles/accepted"),
        ("assay_approver", "Ada Byron", "--approver=Ada Byron"),
        ("assay_support_logs", "/tmp/logs", "--support-logs=/tmp/logs"),
        ("assay_waivers", "waivers.yml", "--waivers=/etc/assay/waivers.yml"),
    ],
)
def test_a_variable_becomes_one_option(variable: str, value: str, option: str) -> None:
    assert option in _command(**{variable: value})
    assert not [word for word in _command() if word.startswith(option.partition("=")[0] + "=")]


def test_the_last_campaign_with_a_report_is_judged() -> None:
    """Not one that was ended before it had any, nor what lies in other files of a campaign."""
    files = [
        {"path": "/campaigns/first/reports/assay-0.json", "mtime": 1.0},
        {"path": "/campaigns/second/reports/assay-0.json", "mtime": 3.0},
        {"path": "/campaigns/first/reports/assay-1.json", "mtime": 2.0},
        {"path": "/campaigns/third/fingerprints/s1.json", "mtime": 4.0},
    ]
    _guard, play = _load("signoff.yml")
    for found, judged in ((files, "second"), ([], "none")):
        known = play["vars"] | {"__assay_reports_made": {"files": found}}
        templar = Templar(loader=DataLoader(), variables=known)
        assert templar.template(play["vars"]["__assay_judged"]) == judged
