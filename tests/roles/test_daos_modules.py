"""The modules daos_pool and daos_container, on a stand-in of DAOS."""

from __future__ import annotations

import json
import os
import pwd
import runpy
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from ansible.module_utils.basic import AnsibleModule
from ansible.module_utils.testing import patch_module_args
from rendering import ROLES
from stand_in import StandIn

from assay.tools.daos import daos_answer, pools

ROLE = ROLES / "daos_system"
BIN = Path(sys.executable).parent

POOL = {"name": "tank", "size": "2GB", "properties": {"rd_fac": 1, "ec_cell_sz": "64KiB"}}
CONTAINER = {"pool": "tank", "name": "posix", "file_oclass": "RP_2GX", "chunk_size": "1MiB"}

AS_NOBODY = [
    "setpriv",
    "--reuid=nobody",
    f"--regid={pwd.getpwnam('nobody').pw_gid}",
    "--init-groups",
    "--no-new-privs",
]

Run = Callable[..., dict[str, Any]]


@pytest.fixture
def daos(tmp_path: Path) -> StandIn:
    return StandIn(tmp_path)


@pytest.fixture(autouse=True)
def shipped(monkeypatch: pytest.MonkeyPatch) -> None:
    """What Ansible ships along with a module."""
    for module in (daos_answer, pools):
        name = module.__name__.rpartition(".")[2]
        monkeypatch.setitem(sys.modules, f"ansible.module_utils.daos.{name}", module)


@pytest.fixture
def run(daos: StandIn, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run a module in this process, and return its result."""

    def result(name: str, wanted: dict[str, Any], *, check: bool = False) -> dict[str, Any]:
        programs = {"daos_pool": "dmg", "daos_container": "daos"}
        parameters = {programs[name]: str(daos.program(programs[name])), **wanted}
        if name == "daos_pool":
            parameters["config"] = str(daos.config)
        with (
            patch_module_args({**parameters, "_ansible_check_mode": check}),
            pytest.raises(SystemExit),
        ):
            runpy.run_path(str(ROLE / "library" / f"{name}.py"), run_name="__main__")
        return dict(json.loads(capsys.readouterr().out))

    return result


@pytest.fixture
def pool(run: Run) -> Run:
    return lambda check=False, **changes: run("daos_pool", {**POOL, **changes}, check=check)


@pytest.fixture
def container(run: Run, pool: Run) -> Run:
    pool()
    return lambda check=False, **changes: run(
        "daos_container", {**CONTAINER, **changes}, check=check
    )


def test_a_missing_pool_is_made_once(pool: Run, daos: StandIn) -> None:
    made = pool()
    assert made["changed"]
    assert made["uuid"] == daos.pools()["tank"]["uuid"]
    assert made["diff"] == {
        "before": {},
        "after": {"size": "2GB", "properties": POOL["properties"]},
    }
    again = pool()
    assert not again["changed"]
    assert again["uuid"] == made["uuid"]
    assert again["diff"] == {"before": {}, "after": {}}


def test_a_check_says_that_a_pool_would_be_made_and_makes_none(pool: Run, daos: StandIn) -> None:
    assert pool(check=True)["changed"]
    assert daos.pools() == {}


def test_a_check_takes_a_system_that_waits_for_its_format_for_one_without_pools(
    pool: Run, daos: StandIn
) -> None:
    daos.uninitialize()
    assert pool(check=True)["changed"]
    failed = pool()
    assert failed["failed"]
    assert failed["msg"] == (
        "pool tank: dmg does not list the pools: system is uninitialized (storage format required?)"
    )


def test_a_check_takes_a_host_without_dmg_for_one_that_is_yet_to_get_it(pool: Run) -> None:
    assert pool(check=True, dmg="/nowhere/dmg")["changed"]
    assert "/nowhere/dmg" in pool(dmg="/nowhere/dmg")["msg"]


def test_a_property_that_dmg_sets_is_set(pool: Run, daos: StandIn) -> None:
    pool()
    reclaim = {**POOL["properties"], "reclaim": "disabled"}
    would = pool(check=True, properties=reclaim)
    assert would["changed"]
    assert "reclaim" not in daos.pools()["tank"]["properties"]
    did = pool(properties=reclaim)
    assert did["changed"]
    assert (
        did["diff"]
        == would["diff"]
        == {"before": {"reclaim": "lazy"}, "after": {"reclaim": "disabled"}}
    )
    assert daos.pools()["tank"]["properties"]["reclaim"] == "disabled"
    assert not pool(properties=reclaim)["changed"]


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"size": "3GB"}, "its size is 2000003072 bytes, not 3GB"),
        ({"size": "1GB"}, "its size is 2000003072 bytes, not 1GB"),
        ({"properties": {"rd_fac": 2}}, "its property rd_fac is 1, not 2"),
        (
            {"properties": {"ec_cell_sz": "1MiB", "reclaim": "disabled"}},
            "its property ec_cell_sz is 65536, not 1MiB; its property reclaim is lazy, not"
            " disabled",
        ),
    ],
)
@pytest.mark.parametrize("check", [False, True])
def test_what_is_fixed_is_refused_with_both_values_and_nothing_is_changed(
    pool: Run, daos: StandIn, changes: dict[str, Any], why: str, check: bool
) -> None:
    pool()
    before, calls = daos.pools(), len(daos.calls())
    failed = pool(check=check, **changes)
    assert failed["failed"]
    fixed = why.split("; its property reclaim")[0]
    assert failed["msg"].startswith(f"pool tank: {fixed}. It was not changed")
    assert daos.pools() == before
    asked = [call.split(" tank")[0] for call in daos.calls()[calls:]]
    assert asked == ["pool list", "pool query", "pool get-prop"]


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"size": "2"}, "its size is 2; it should be a size such as 2TB, 1.5TiB or 90%"),
        ({"name": "my pool"}, "this is not a label; a label has up to 127 letters, digits and"),
    ],
)
def test_bad_input_is_refused_before_dmg_is_asked(
    pool: Run, daos: StandIn, changes: dict[str, Any], why: str
) -> None:
    assert why in pool(**changes)["msg"]
    assert daos.calls() == []


def test_what_dmg_says_of_a_pool_that_it_does_not_make_is_reported(
    pool: Run, daos: StandIn
) -> None:
    daos.lose_rank()
    assert (
        pool()["msg"]
        == "pool tank: dmg did not create it: pool create failed: ranks are not joined"
    )


def test_a_dmg_that_hangs_is_given_up(pool: Run, daos: StandIn) -> None:
    hanging = daos.root / "hanging"
    hanging.write_text("#!/bin/sh\nexec sleep 60\n")
    hanging.chmod(0o755)
    failed = pool(dmg=str(hanging), answer_limit_s=1)
    assert failed["msg"] == "pool tank: dmg does not list the pools: no answer in time"


def test_a_missing_container_is_made_once(container: Run, daos: StandIn) -> None:
    made = container()
    assert made["changed"]
    assert made["diff"]["after"] == {
        "type": "POSIX",
        "file_oclass": "RP_2GX",
        "chunk_size": "1MiB",
        "properties": {},
    }
    again = container()
    assert not again["changed"]
    assert made["uuid"] == again["uuid"]
    assert list(daos.pools()["tank"]["containers"]) == ["posix"]


def test_a_check_says_that_a_container_would_be_made_and_makes_none(
    container: Run, daos: StandIn
) -> None:
    assert container(check=True)["changed"]
    assert container(check=True, pool="other")["changed"]
    assert daos.pools()["tank"]["containers"] == {}


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"file_oclass": "SX"}, "its file_oclass is RP_2GX, not SX"),
        ({"chunk_size": "2MiB"}, "its chunk_size is 1048576, not 2MiB"),
        ({"properties": {"cksum": "crc32"}}, "its property cksum is off, not crc32"),
    ],
)
def test_a_container_that_differs_is_refused_with_both_values(
    container: Run, daos: StandIn, changes: dict[str, Any], why: str
) -> None:
    container()
    before = daos.pools()
    assert container(**changes)["msg"].startswith(f"container tank/posix: {why}. It was not")
    assert daos.pools() == before


def test_a_pool_without_an_answer_fails_the_container(container: Run) -> None:
    assert container(pool="other")["msg"] == (
        "container other/posix: daos does not list the containers: unable to find pool service:"
        ' pool "other" not found. Does daos_agent run?'
    )


@pytest.mark.parametrize("module", ["daos_pool", "daos_container"])
def test_ansible_documents_the_options_that_a_module_takes(module: str) -> None:
    shown = subprocess.run(
        [BIN / "ansible-doc", "--json", "-t", "module", "-M", ROLE / "library", module],
        check=True,
        capture_output=True,
        text=True,
    )
    page = json.loads(shown.stdout)[module]
    taken = runpy.run_path(str(ROLE / "library" / f"{module}.py"))["ARGUMENTS"]
    documented = {
        name: {key: option[key] for key in ("type", "required", "default") if key in option}
        for name, option in page["doc"]["options"].items()
    }
    assert documented == taken
    assert module in page["examples"]
    assert "uuid" in page["return"]


def play(daos: StandIn, *options: str, **parameters: Any) -> subprocess.CompletedProcess[str]:
    """Let Ansible run the role's own tasks, by a Python that has no `assay`."""
    variables = {
        "ansible_python_interpreter": "/usr/bin/python3",
        "daos_name": "trial",
        "daos_prefix": str(daos.root),
        "__daos_configuration": str(daos.root),
        "__daos_system_agent": "localhost",
        "daos_system_user": "root",
        "daos_system_pools": [{**POOL, "containers": [{"name": "posix"}]}],
        **parameters,
    }
    return subprocess.run(
        [
            *(BIN / "ansible-playbook", "-i", "localhost,", "-c", "local", *options),
            *("-e", json.dumps(variables), ROLES.parent / "tests/roles/pools.yml"),
        ],
        env={**os.environ, "ANSIBLE_CONFIG": str(ROLES.parent / "ansible.cfg")},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_role_makes_what_is_missing_once_and_ships_what_its_modules_import(
    daos: StandIn,
) -> None:
    would = play(daos, "--check", "--diff")
    assert "changed=2" in would.stdout, would.stdout
    assert "+    size: 2GB" in would.stdout
    assert daos.pools() == {}
    assert "changed=2" in play(daos).stdout
    assert list(daos.pools()["tank"]["containers"]) == ["posix"]
    assert "changed=0" in play(daos).stdout


def test_the_account_that_measures_may_use_a_pool_and_is_let_in_once(
    pool: Run, daos: StandIn
) -> None:
    own = daos.pools
    assert pool(user="assay")["changed"]
    assert own()["tank"]["entries"] == ["A::OWNER@:rw", "A:G:GROUP@:rw", "A::assay@:rw"]
    assert not pool(user="assay")["changed"]
    assert pool(user="root")["changed"] is False


def test_the_account_is_let_into_a_pool_that_is_there(pool: Run, daos: StandIn) -> None:
    pool()
    would = pool(check=True, user="assay")
    assert would["diff"]["after"] == {"access of assay": "read and write"}
    assert len(daos.pools()["tank"]["entries"]) == 2
    assert pool(user="assay")["changed"]
    assert daos.pools()["tank"]["entries"][-1] == "A::assay@:rw"


def test_a_container_is_made_by_the_account_that_measures(
    container: Run, daos: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran: list[list[str]] = []
    really = AnsibleModule.run_command

    def noted(self: AnsibleModule, argv: list[str], **parameters: Any) -> Any:
        ran.append(argv)
        return really(self, [word for word in argv if word not in AS_NOBODY], **parameters)

    monkeypatch.setattr(AnsibleModule, "run_command", noted)
    assert container(user="nobody")["changed"]
    assert all(argv[3:8] == AS_NOBODY for argv in ran)
    assert [argv[11:13] for argv in ran] == [["container", "list"], ["container", "create"]]


def test_an_account_that_is_not_there_makes_nothing(container: Run, daos: StandIn) -> None:
    assert "there is no user nemo on this host" in container(user="nemo")["msg"]
    assert container(check=True, user="nemo")["changed"]
    assert daos.pools()["tank"]["containers"] == {}


def test_a_pool_with_excluded_targets_is_told_how_they_come_back(pool: Run, daos: StandIn) -> None:
    pool()
    daos.exclude("tank", [1, 2])
    failed = pool(size="90%")
    assert failed["msg"] == (
        "pool tank: 4 of its 6 targets, those of rank 1,2, are excluded, since an engine was away."
        " When dmg system query says joined, dmg pool reintegrate tank --ranks=1,2 brings them"
        " back; then deploy again"
    )


def test_the_role_makes_no_pool_where_another_differs(pool: Run, daos: StandIn) -> None:
    pool()
    new = {"name": "new", "size": "1GB"}
    refused = play(daos, daos_system_pools=[new, {**POOL, "size": "1GB"}])
    assert refused.returncode != 0
    assert "pool tank: its size is 2000003072 bytes, not 1GB." in refused.stdout + refused.stderr
    assert list(daos.pools()) == ["tank"]


def test_an_unclean_container_is_told_how_to_be_mended(
    container: Run, daos: StandIn, tmp_path: Path
) -> None:
    container()
    recordings = Path(__file__).parents[1] / "recorded/container"
    program = tmp_path / "daos"
    program.write_text(
        '#!/bin/sh\ncase "$*" in\n'
        f'*query*) sed "/^[$#]/d" {recordings}/unclean.txt; exit 1 ;;\n'
        f'*properties=status*) sed "/^[$#]/d" {recordings}/unclean_status.txt ;;\n'
        f'*) exec {daos.program("daos")} "$@" ;;\nesac\n'
    )
    program.chmod(0o755)
    failed = container(daos=str(program))
    assert "It is UNCLEAN: more servers were lost at once" in failed["msg"]
    assert failed["msg"].endswith("daos container set-prop tank posix --properties=status:healthy")
