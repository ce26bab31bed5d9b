"""What roles refuse: all of it at once, in the words of the preflight's table."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

REPOSITORY = Path(__file__).parents[2]
PLAYBOOKS = REPOSITORY / "playbooks"
VALIDATIONS = sorted(REPOSITORY.glob("roles/*/tasks/*validate.yml"))


def ansible(*options: object) -> str:
    """What a playbook prints that fails."""
    program = Path(sys.executable).parent / "ansible-playbook"
    done = subprocess.run(
        [program, *map(str, options)],
        cwd=REPOSITORY,  # where ansible.cfg is
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2, done.stdout + done.stderr
    return " ".join((done.stdout + done.stderr).split())


RULES = [
    {"that": "n == 3", "key": "fine", "value": "{{ nothing }}", "allowed": "{{ nothing }}"},
    {"that": ["n > 0", "n > 3"], "key": "n", "value": "{{ n }}", "allowed": "should be above 3"},
    {"that": "n == 4", "when": "n == 4", "key": "other", "allowed": "is not asked"},
    {"that": "item < 2", "each": "{{ sizes }}", "key": "sizes[{{ item }}]", "allowed": "below 2"},
    {"that": "nothing == 3", "key": "nothing", "allowed": "hides no other"},
    {"that": False, "key": "last", "value": "x", "allowed": "should be\n  y"},
]


@pytest.fixture(scope="module")
def refused(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What is printed of rules, of which most do not hold, and of arguments of two roles."""
    playbook = tmp_path_factory.mktemp("refuse") / "playbook.yml"
    given = {
        "n": 3,
        "sizes": [1, 2],
        "munge_foreign_key": "adpot",
        "slurm_replace_conf": "perhaps",
        "slurm_settings": "{{ of_another_role }}",
        "slurm_task_plugin": "task/none",
    }
    refuse = {"arguments_of": ["munge", "slurm"], "rules": RULES}
    task = {"name": "Refuse", "refuse": refuse}
    play = {"hosts": "all", "gather_facts": False, "vars": given, "tasks": [task]}
    playbook.write_text(json.dumps([play]))
    return ansible("--inventory=a,", playbook)


@pytest.mark.parametrize(
    "line",
    [
        "a: munge_foreign_key is adpot; should be one of refuse, adopt, replace",
        "a: slurm_replace_conf is perhaps; should be true or false",
        "a: n is 3; should be above 3 ",
        "a: sizes[2]; below 2 ",
        "a: nothing; could not be judged",
        "a: last is x; should be y ",
    ],
)
def test_each_rule_that_does_not_hold_has_a_line(refused: str, line: str) -> None:
    assert line in refused


@pytest.mark.parametrize(
    "key", ["fine", "other", "sizes[1]", "slurm_settings", "slurm_task_plugin"]
)
def test_what_holds_or_is_not_asked_has_none(refused: str, key: str) -> None:
    assert f"a: {key}" not in refused


def test_the_preflight_lists_what_all_roles_refuse(tmp_path: Path) -> None:
    """No role stops it, and of one whose variables are of the wrong kind the others are judged."""
    mistakes = {
        "munge_foreign_key": "adpot",
        "slurm_settings": {"NodeName": "x"},
        "benchmarks_scratch": "relative",
        "benchmarks_ior": "/nope",
        "reframe_user": "No Name",
        "reframe_wheelhouse": "/nope",
        "cluster_datasheets": {"ssd": "none-such"},
    }
    given = tmp_path / "mistakes.json"
    given.write_text(json.dumps(mistakes))
    printed = ansible("--inventory=inventories/local", f"-e@{given}", PLAYBOOKS / "preflight.yml")
    before, _, table = printed.partition("Refuse an impossible cluster")
    assert before.count("TASK") == 1, before
    for cells in (
        "munge_foreign_key = adpot should be one of",
        "slurm_settings = NodeName should be a key of slurm.conf",
        "benchmarks_scratch = relative should be the absolute path",
        "benchmarks_ior = /nope should be the path of an executable file",
        "reframe_user = No Name should be a name of up to 32",
        "reframe_wheelhouse = /nope should be a directory on this host",
        "cluster_datasheets.ssd = none-such should be a data sheet",
    ):
        assert f": {cells}" in table, table


def tasks_of(tasks: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """All tasks, also those in blocks."""
    for task in tasks:
        yield task
        for part in ("block", "rescue", "always"):
            yield from tasks_of(task.get(part, []))


def test_the_preflight_has_the_refusals_of_every_role() -> None:
    plays = yaml.safe_load((PLAYBOOKS / "preflight.yml").read_text())
    imported = {
        (role["name"], role["tasks_from"])
        for play in plays
        for task in tasks_of(play.get("tasks", []))
        if "tasks_from" in (role := task.get("ansible.builtin.import_role", {}))
    }
    assert imported == {(path.parts[-3], path.name) for path in VALIDATIONS}


@pytest.mark.parametrize("path", VALIDATIONS, ids=lambda path: f"{path.parts[-3]}/{path.name}")
def test_a_role_refuses_in_one_task(path: Path) -> None:
    """A second one would not be asked where the first has refused."""
    tasks = list(tasks_of(yaml.safe_load(path.read_text())))
    assert sum("refuse" in task for task in tasks) == 1
    assert not any("ansible.builtin.assert" in task for task in tasks)
    assert "refuse" in tasks[-1]
