"""The account that measures a deployed DAOS, and what it is let in to as that."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from ansible.parsing.dataloader import DataLoader
from ansible.template import Templar
from rendering import ROLES, Rendering

CONTROLLER = {"group_names": ["daos_admin", "daos_system"]}
MOUNT = {"path": "/mnt/posix", "pool": "tank", "container": "posix"}


def admin(**variables: Any) -> Rendering:
    return Rendering("daos_admin", CONTROLLER | variables)


def assert_sudo_reads(rules: str, file: Path) -> None:
    if program := shutil.which("visudo", path="/usr/sbin:/sbin:/usr/bin"):
        file.write_text(rules + "\n")
        checked = [program, "--check", "--strict", f"--file={file}"]
        done = subprocess.run(checked, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr + done.stdout


def test_the_account_may_ask_dmg_some_questions_word_by_word(tmp_path: Path) -> None:
    pools = [{"name": "tank", "size": "90%"}, {"name": "a:b", "size": "1GB"}]
    rules = admin(daos_system_pools=pools, daos_prefix="/opt/da[o]s=2.8").text("sudoers")
    dmg = r"assay ALL=(root) NOPASSWD: /opt/da\[o\]s\=2.8/bin/dmg -j -o /etc/daos/daos_control.yml"
    assert [line for line in rules.splitlines() if line.startswith("assay")] == [
        f"{dmg} system query",
        f"{dmg} pool list",
        f"{dmg} storage query list-devices --health",
        f"{dmg} network scan",
        f"{dmg} pool query tank",
        rf"{dmg} pool query a\:b",
        f"{dmg} pool get-prop tank",
        rf"{dmg} pool get-prop a\:b",
    ]
    assert_sudo_reads(rules, tmp_path / "rules")


def test_those_are_the_questions_of_the_checks() -> None:
    """Sudo compares the words, and the checks give these."""
    from assay.tools.daos import device_health, dmg, network_scan

    rules = admin(daos_system_pools=[{"name": "tank", "size": "90%"}]).text("sudoers")
    questions: tuple[Callable[[str], list[str]], ...] = (
        *(dmg.system_query, dmg.pool_list, device_health.query, network_scan.query),
        lambda config: dmg.pool_query("tank", config),
        lambda config: dmg.pool_properties("tank", config),
    )
    for asked in questions:
        _, *words = asked("/etc/daos/daos_control.yml")
        assert f"/bin/dmg {' '.join(words)}\n" in rules + "\n"


def test_the_account_may_make_and_destroy_pools_on_ranks_where_the_site_allows_it(
    tmp_path: Path,
) -> None:
    from assay.checks.benchmarks.ior_by_rank import pool_of
    from assay.tools.daos import dmg

    servers = {"daos_server": ["s1", "s2"]}
    hosts = {name: {"daos_server_engines": [{}] * count} for name, count in (("s1", 2), ("s2", 1))}
    given = {"groups": servers, "hostvars": hosts, "daos_system_pools": []}
    assert "assay-rank" not in admin(**given).text("sudoers")
    rules = admin(**given, cluster_rank_pool_size="1.5TiB").text("sudoers")
    asked = [
        words
        for rank in range(3)
        for words in (
            dmg.pool_create(pool_of(rank), rank, "1.5TiB", "assay", "/etc/daos/daos_control.yml"),
            dmg.pool_destroy(pool_of(rank), "/etc/daos/daos_control.yml"),
        )
    ]
    for _, *words in asked:
        spelled = " ".join(words).replace(":", r"\:").replace(",", r"\,")
        assert f"/bin/dmg {spelled}\n" in rules + "\n"
    assert rules.count("assay-rank-") == len(asked)
    assert_sudo_reads(rules, tmp_path / "rules")


@pytest.mark.parametrize(
    ("size", "taken"),
    [
        *(("", True), ("1TiB", True), ("1.5tib", True), ("0.5PiB", True), ("24GB", True)),
        *(("90%", False), ("1T", False), ("1TiB ALL", False), ("1TiB\n", False)),
    ],
)
def test_pools_on_ranks_have_sizes_as_other_pools_have_and_nothing_else(
    size: str, taken: bool
) -> None:
    """The size becomes a word of a rule of sudo."""
    tasks = DataLoader().load_from_file(str(ROLES / "daos_admin/tasks/validate.yml"))
    rules = [rule for task in tasks for rule in task.get("refuse", {}).get("rules", ())]
    (rule,) = (rule for rule in rules if rule["key"] == "cluster_rank_pool_size")
    assert admin(cluster_rank_pool_size=size).value(rule["that"]) is taken


@pytest.mark.parametrize(
    ("variables", "wanted"),
    [
        ({}, ["/etc/daos/daos_control.yml", "/etc/sudoers.d/daos-assay"]),
        ({"reframe_user": "root"}, ["/etc/daos/daos_control.yml"]),
        ({"group_names": ["daos_admin"]}, ["/etc/daos/daos_control.yml"]),
    ],
)
def test_rules_are_where_the_account_asks_and_nowhere_else(
    variables: dict[str, Any], wanted: list[str]
) -> None:
    assert admin(**variables).value("__daos_admin_files") == wanted


@pytest.mark.parametrize(
    ("variables", "user", "multi"),
    [({}, "assay", False), ({"reframe_user": "root"}, "root", True)],
)
def test_dfuse_runs_as_who_measures(variables: dict[str, Any], user: str, multi: bool) -> None:
    client = Rendering("daos_client", {"daos_client_mount": MOUNT, **variables})
    unit = client.text("dfuse.service")
    assert f"\nUser={user}\nGroup={user}\n" in unit
    assert ("--multi-user" in unit) is multi
    assert unit.count("None") == 0


@pytest.mark.parametrize(
    ("servers", "user", "of_root"),
    [(["s1"], "assay", True), (["s1"], "root", False), ([], "assay", False)],
)
def test_what_root_measures_lies_in_a_directory_of_root(
    servers: list[str], user: str, of_root: bool
) -> None:
    """In a directory of the account, root would open files where the account can put links."""
    variables = {"groups": {"daos_server": servers}, "reframe_user": user}
    owners = Rendering("reframe", variables).value("__reframe_owners")
    shared = "/var/lib/assay/shared"
    expected = {f"{shared}/{name}": user for name in ("campaigns", "signoffs", "health", "soaks")}
    assert owners == expected | ({f"{shared}/campaigns-of-root": "root"} if of_root else {})


@pytest.mark.parametrize(
    ("user", "phase", "tags"),
    [
        ("assay", "any", []),
        ("assay", "raw", ["raw", "!root"]),
        ("assay", "system", ["system", "!root"]),
        ("root", "raw", ["raw"]),
    ],
)
def test_the_account_leaves_to_root_what_needs_root(user: str, phase: str, tags: list[str]) -> None:
    command = session(user, phase, "Start the checks;")
    assert command[command.index("quick") + 1 :] == tags
    assert f"--reuid={user}" in command
    # sudo, by which the checks ask dmg, cannot work without.
    assert ("--no-new-privs" in command) is (phase != "system")


def test_root_runs_only_what_needs_root() -> None:
    command = session("assay", "scm", "Run the checks as root;")
    assert command[command.index("quick") + 1 :] == ["scm", "root"]
    assert "/campaigns-of-root/" in " ".join(command)
    assert {"--reuid=root", "--no-new-privs"} <= set(command)


def test_what_root_left_is_copied_by_the_account_and_no_link_is_followed(tmp_path: Path) -> None:
    of_root, campaigns = tmp_path / "of-root", tmp_path / "campaigns"
    report = of_root / "c/reports/run-1.json"
    for file in (report, of_root / "c/output/site/SsdFio/raw/s1/out", of_root / "c/reframe.out"):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(file.name)
    (tmp_path / "secret").write_text("secret")
    (of_root / "c/output/link").symlink_to(tmp_path / "secret")
    campaigns.mkdir()
    *_, shell, option, script, name, _, _, _ = session("assay", "raw", "Copy what they left")
    argv = [shell, option, script, name, str(of_root), str(campaigns), "c"]
    for _ in range(2):  # as after an interruption
        subprocess.run(argv, check=True)
    assert (campaigns / "c/reports/run-1.json").read_text() == "run-1.json"
    assert (campaigns / "c/output/site/SsdFio/raw/s1/out").exists()
    assert (campaigns / "c/output/link").is_symlink()
    assert not (campaigns / "c/reframe.out").exists()


def session(user: str, phase: str, name: str) -> list[str]:
    """The command of a task of playbooks/tasks/measure.yml."""
    playbooks = ROLES.parent / "playbooks"
    load = DataLoader().load_from_file
    template = load(str(playbooks / "vars/campaign.yml"), trusted_as_template=True)
    tasks = load(str(playbooks / "tasks/measure.yml"), trusted_as_template=True)
    tasks += [inner for task in tasks for inner in task.get("block", [])]
    (task,) = (task for task in tasks if task["name"].startswith(name))
    variables = {"reframe_user": user, "__assay_phase": phase, "assay_campaign": "c", "groups": {}}
    templar = Templar(loader=DataLoader(), variables=template | task.get("vars", {}) | variables)
    return list(templar.template(task["ansible.builtin.command"]["argv"]))
