"""What playbooks/signoff.yml asks of `assay signoff`, by the variables of the site."""

from pathlib import Path
from typing import Any

import pytest
from ansible.parsing.dataloader import DataLoader
from ansible.template import Templar

PLAYBOOKS = Path(__file__).parents[2] / "playbooks"


def _command(**site: Any) -> list[str]:
    def load(name: str) -> Any:
        return DataLoader().load_from_file(str(PLAYBOOKS / name), trusted_as_template=True)

    _guard, play = load("signoff.yml")
    (task,) = (each for each in play["tasks"] if each["name"] == "Judge the campaign")
    known = load("vars/campaign.yml") | play["vars"] | task["vars"]
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
