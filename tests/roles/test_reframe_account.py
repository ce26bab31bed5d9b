"""The numbers of the account that measures, worked out from what all hosts have."""

from __future__ import annotations

from typing import Any

import pytest
from ansible.parsing.dataloader import DataLoader
from ansible.template import Templar, trust_as_template
from rendering import ROLES

PASSWD = ["root:x:0:0::/root:/bin/sh", "munge:x:998:998::/:/bin/false"]
GROUP = ["root:x:0:", "munge:x:998:", "slurm:x:999:eve,bob"]


def account(*, entries: dict[str, list[str]], user: str = "assay", group: str = "assay") -> Any:
    """What the role's tasks come to on all hosts, from the lines that getent prints on each."""
    tasks = DataLoader().load_from_file(
        str(ROLES / "reframe/tasks/account-validate.yml"), trusted_as_template=True
    )
    facts = {
        name: value
        for task in tasks
        for name, value in task.get("ansible.builtin.set_fact", {}).items()
    }
    common = DataLoader().load_from_file(
        str(ROLES / "reframe/vars/main.yml"), trusted_as_template=True
    )
    common |= {"reframe_user": user, "reframe_group": group, "ansible_play_hosts_all": [*entries]}
    hostvars: dict[str, Any] = {}
    for host, lines in entries.items():
        variables = {"inventory_hostname": host, "__reframe_getent": {"stdout_lines": lines}}
        templar = Templar(loader=DataLoader(), variables=common | variables)
        hostvars[host] = variables | {
            "__reframe_account": templar.template(facts["__reframe_account"])
        }
    here = common | next(iter(hostvars.values())) | {"hostvars": hostvars}
    numbers = Templar(loader=DataLoader(), variables=here).template(facts["__reframe_numbers"])
    templar = Templar(loader=DataLoader(), variables=here | {"__reframe_numbers": numbers})
    return {
        name: templar.template(trust_as_template("{{ __reframe_" + name + " }}"))
        for name in ("uid", "gid", "hosts_by_uid", "hosts_by_gid")
    }


def test_a_new_account_has_a_number_that_is_free_on_all_hosts() -> None:
    taken = ["eve:x:997:100::/home/eve:/bin/sh", "bob:x:996:"]
    numbers = account(entries={"n1": PASSWD + GROUP, "n2": PASSWD + GROUP + taken})
    assert (numbers["uid"], numbers["gid"]) == ("995", "995")
    assert numbers["hosts_by_uid"] == []


def test_where_one_host_has_it_the_others_get_its_number() -> None:
    there = ["assay:x:500:501::/nonexistent:/bin/false", "assay:x:501:"]
    numbers = account(entries={"n1": PASSWD + GROUP, "n2": PASSWD + GROUP + there})
    assert (numbers["uid"], numbers["gid"]) == ("500", "501")
    assert numbers["hosts_by_uid"] == ["n2 500"]


def test_hosts_that_differ_are_named_with_their_numbers() -> None:
    entries = {
        name: [*PASSWD, *GROUP, f"assay:x:{number}:100::/:/bin/false", "assay:x:501:"]
        for name, number in (("n1", 500), ("n2", 502))
    }
    numbers = account(entries=entries)
    assert numbers["hosts_by_uid"] == ["n1 500", "n2 502"]
    assert numbers["hosts_by_gid"] == ["n1 501", "n2 501"]


def test_root_is_root() -> None:
    numbers = account(entries={"n1": PASSWD + GROUP}, user="root", group="slurm")
    assert (numbers["uid"], numbers["gid"]) == ("0", "999")


@pytest.mark.parametrize(
    ("site", "group"),
    [
        ({"groups": {}}, "assay"),
        ({"groups": {}, "reframe_group": "hpc"}, "hpc"),
        ({"groups": {"daos_server": ["s1"]}}, "assay"),
        ({"groups": {"daos_server": ["s1"]}, "reframe_user": "root"}, "root"),
        ({"groups": {}, "reframe_user": "root", "reframe_group": "hpc"}, "root"),
    ],
)
def test_jobs_have_the_group_of_dfuse(site: dict[str, Any], group: str) -> None:
    path = ROLES.parent / "playbooks/vars/campaign.yml"
    variables = DataLoader().load_from_file(str(path), trusted_as_template=True)
    templar = Templar(loader=DataLoader(), variables=variables | site)
    assert f"--regid={group}" in templar.template(variables["__assay_as_user"])
