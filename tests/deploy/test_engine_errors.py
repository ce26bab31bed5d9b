"""What playbooks/tasks/engine-errors.yml keeps of what the servers returned."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

from ansible.parsing.dataloader import DataLoader
from ansible.template import Templar

PLAYBOOKS = Path(__file__).parents[2] / "playbooks"
FOUND = {"changed": False, "engines": [{"errors": [], "cut": False, "unread": ""}]}


def load(name: str) -> Any:
    return DataLoader().load_from_file(str(PLAYBOOKS / name), trusted_as_template=True)


def test_the_errors_of_the_servers_that_answered_are_kept_with_the_campaign(tmp_path: Path) -> None:
    task = load("tasks/engine-errors.yml")[-1]
    hosts = {
        "s1": {"inventory_hostname": "s1", "daos_server_errors": FOUND},
        "s2": {"inventory_hostname": "s2"},  # it is lost
    }
    known = load("vars/campaign.yml") | task["vars"]
    known |= {"groups": {"daos_server": ["s1", "s2"]}, "hostvars": hosts, "assay_campaign": "today"}
    templar = Templar(loader=DataLoader(), variables=known | {"reframe_prefix": str(tmp_path)})
    command = task["ansible.builtin.command"]
    answers, argv = templar.template(command["stdin"]), templar.template(command["argv"])
    start = argv.index("bash")
    assert "--reuid=assay" in argv[:start]
    text = answers if isinstance(answers, str) else json.dumps(answers)
    subprocess.run(argv[start:], input=text, text=True, check=True)
    (kept,) = (tmp_path / "campaigns" / "today" / "engine-errors").iterdir()
    assert json.loads(kept.read_text()) == {"s1": FOUND}
