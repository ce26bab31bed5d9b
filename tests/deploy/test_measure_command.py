"""What playbooks/tasks/measure.yml asks of campaign.sh, by the variables of the site."""

from pathlib import Path
from typing import Any

import pytest
from ansible.parsing.dataloader import DataLoader
from ansible.template import Templar

PLAYBOOKS = Path(__file__).parents[2] / "playbooks"


def _commands(**site: Any) -> list[list[str]]:
    """The command of each task that starts checks."""

    def load(name: str) -> Any:
        return DataLoader().load_from_file(str(PLAYBOOKS / name), trusted_as_template=True)

    tasks = [
        task
        for each in load("tasks/measure.yml")
        for task in each.get("block", [each])
        if "__assay_measure" in str(task.get("ansible.builtin.command", ""))
    ]
    named = {"assay_campaign": "today", "__assay_phase": "raw"}
    commands = []
    for task in tasks:
        known = load("vars/campaign.yml") | task.get("vars", {}) | named | site
        templar = Templar(loader=DataLoader(), variables=known)
        words = templar.template(task["ansible.builtin.command"]["argv"])
        commands.append([str(word) for word in words])
    return commands


@pytest.mark.parametrize("until_decided", [True, "true", "yes"])
def test_a_campaign_may_stop_when_decided(until_decided: bool | str) -> None:
    asked = _commands(assay_until_decided=until_decided)
    assert len(asked) == 2
    for command in asked:
        place = command.index("--until-decided")
        assert Path(command[place - 1]).name == "campaign.sh"
        assert command[place + 1].endswith("/today")


def _hours(**site: Any) -> set[tuple[str, ...]]:
    """The budget that each command has for further rounds; empty if it has none."""
    commands = _commands(**site)
    assert commands
    return {tuple(w for w in words if w.startswith("--more-hours")) for words in commands}


@pytest.mark.parametrize(
    ("site", "asked"),
    [
        ({}, ()),
        ({"assay_scale": "acceptance"}, ("--more-hours=2",)),
        ({"assay_scale": "acceptance", "assay_more_hours": 0}, ()),
        ({"assay_scale": "acceptance", "assay_more_hours": "0.5"}, ("--more-hours=0.5",)),
        ({"assay_more_hours": 3}, ("--more-hours=3",)),
    ],
)
def test_an_acceptance_goes_on_for_two_hours_unless_the_site_says_otherwise(
    site: dict[str, Any], asked: tuple[str, ...]
) -> None:
    assert _hours(**site) == {asked}


@pytest.mark.parametrize("site", [{}, {"assay_until_decided": False}])
def test_a_campaign_takes_all_samples_otherwise(site: dict[str, bool]) -> None:
    for command in _commands(**site):
        assert "--until-decided" not in command
