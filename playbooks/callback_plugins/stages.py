"""What Ansible prints, in a screenful: a line for each stage and each change, failures in full.

Where a role changes much on the same hosts, one line counts the tasks; in check mode each change
has its own. What fails alike on many hosts is printed once, with their range, and so is what
happened to each host in the end.

With `-v` it prints what the callback `default` does, of which this is a thinner one. (None in
community.general does it: `dense` overwrites its own lines, so that a log has them all, and `unixy`
prints a line for each task that changes nothing.)
"""

from __future__ import annotations

import atexit
import re
import sys
from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from ansible.constants import (
    COLOR_CHANGED,
    COLOR_ERROR,
    COLOR_OK,
    COLOR_SKIP,
    COLOR_UNREACHABLE,
    COLOR_WARN,
)
from ansible.errors import AnsibleParserError
from ansible.plugins.callback.default import CallbackModule as Default
from ansible.vars.plugins import get_vars_from_inventory_sources

from assay.subject import folded

DOCUMENTATION = """
name: stages
type: stdout
short_description: a line for each stage and what it changes, failures in full
description: >-
  As the callback default, without what changed nothing, and with one line for the many changes
  of a role; with C(-v) all of it.
extends_documentation_fragment: [default_callback, result_format_callback]
"""


HOST = "HOST"
"""Stands for the name and the address of each host in a message that many hosts have."""

NAMED = 3
"""So many changes of a role have a line each; of more a line has their number."""

ABSENT = re.compile(r"^Skipped '.*' path due to this access issue: .* is not a directory")
"""What the module `find` says of a directory that is not there."""

MEASURES = "validate"
"""The tag of plays that start a campaign, which runs on when Ansible is interrupted."""

NOTHING_DONE = 1
"""Exit status of a run without a task, as of ansible-playbook for what it cannot use."""

OUTCOMES = {
    "changed": COLOR_CHANGED,
    "unreachable": COLOR_UNREACHABLE,
    "failures": COLOR_ERROR,
    "rescued": COLOR_WARN,
    "ignored": COLOR_WARN,
}
"""What the recap counts; how many tasks changed nothing does not matter."""


class CallbackModule(Default):
    """The callback `default` without what changed nothing."""

    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "stdout"
    CALLBACK_NAME = "stages"

    def __init__(self) -> None:
        super().__init__()
        # By task, and by what was said: the hosts, and the first of their results.
        self._failed: dict[tuple[str, bool, str], list[Any]] = defaultdict(list)
        self._lost: dict[str, list[str]] = defaultdict(list)
        # Of a role: what its tasks changed, and where.
        self._role: str | None = None
        self._changed: dict[str, list[str]] = defaultdict(list)
        self._measures = False
        self._read_variables = False
        # What a task of many attempts has said so far.
        self._news: set[str] = set()
        atexit.register(self._say_what_goes_on)

    def _say_what_goes_on(self) -> None:
        """Ansible ends nothing that a task has started on a host, and tells no callback of ^C."""
        if self._measures:
            self._display.display(
                "The campaign has not ended with this: playbooks/stop.yml ends it and its jobs,"
                " brings the system up, and says how to resume (make validate runs it after ^C).",
                color=COLOR_WARN,
            )

    @property
    def _thin(self) -> bool:
        return not self._display.verbosity

    def get_option(self, name: str, hostvars: Any = None) -> Any:
        """As set; what changed nothing is shown with `-v` alone."""
        if name in ("display_ok_hosts", "display_skipped_hosts") and self._thin:
            return False
        return super().get_option(name, hostvars)

    def v2_playbook_on_play_start(self, play: Any) -> None:
        """Keep the stage's name for its first task: a stage without hosts has none."""
        self._print_results()
        if not self._read_variables:
            self._read_variables = True
            self._refuse_unreadable(play)
        self._measures = MEASURES in play.tags
        if not self._thin:
            super().v2_playbook_on_play_start(play)
            return
        self._play = play
        self._stage: str | None = play.get_name().strip()

    def _refuse_unreadable(self, play: Any) -> None:
        """Read all files of variables: of one that is no YAML, Ansible forgets the name."""
        inventory = play.get_variable_manager()._inventory
        entries = [*inventory.groups.values(), *inventory.hosts.values()]
        try:
            get_vars_from_inventory_sources(play.get_loader(), inventory._sources, entries, "task")
        except AnsibleParserError as error:
            self._display.error(error.__context__ or error)
            sys.exit(error._exit_code)

    def v2_playbook_on_no_hosts_matched(self) -> None:
        """A group without hosts leaves its part out, by design."""
        if not self._thin:
            super().v2_playbook_on_no_hosts_matched()

    def v2_playbook_on_task_start(self, task: Any, is_conditional: bool) -> None:
        """Print the name of the stage with its first task."""
        self._print_failures()
        role = task._role.get_name() if task._role else None
        if role is None or role != self._role or self._play.check_mode:
            self._print_changes()
        self._role = role
        if self._thin and self._stage and not task.vars.get("stages_quiet"):
            check = " (check mode)" if self._play.check_mode else ""
            self._display.display(f"{self._stage}{check}")
            self._stage = None
        super().v2_playbook_on_task_start(task, is_conditional)

    def v2_playbook_on_include(self, included_file: Any) -> None:
        """Included files are of interest to whoever writes them."""
        if not self._thin:
            super().v2_playbook_on_include(included_file)

    def v2_playbook_on_handler_task_start(self, task: Any) -> None:
        """As of any other task."""
        self._print_results()
        super().v2_playbook_on_handler_task_start(task)

    def v2_playbook_on_no_hosts_remaining(self) -> None:
        """Print why none is left."""
        self._print_results()
        super().v2_playbook_on_no_hosts_remaining()

    def v2_runner_on_failed(self, result: Any, ignore_errors: bool = False) -> None:
        """Keep it until the task has ended everywhere; what items have said is printed already."""
        if not self._thin or (result.task.loop and "results" in result.result):
            super().v2_runner_on_failed(result, ignore_errors)
            return
        if "refusals" in result.result and _is_rescued(result.task):
            return  # the preflight has one table of them
        self._handle_warnings(result.result)
        # What was raised says once more what the message says, with the lines of the playbook.
        result.result.pop("exception", None)
        # Nor do refusals have to be said once more in parts.
        for part in ("refusals", "misfits"):
            result.result.pop(part, None)
        self._clean_results(result.result, result.task.action)
        shown = _refusal(result.result) or self._dump_results(result.result)
        key = (result.task._uuid, ignore_errors, _unnamed(shown, _names(result.host)))
        self._failed[key].append((result, shown))

    def v2_runner_on_unreachable(self, result: Any) -> None:
        """Keep it until the task has ended everywhere."""
        if not self._thin:
            super().v2_runner_on_unreachable(result)
            return
        message = " ".join(str(result.result.get("msg", "no reason was given")).split())
        message = message.removeprefix("Task failed: ")
        self._lost[_unnamed(message, _names(result.host))].append(result.host.get_name())

    def _print_results(self) -> None:
        self._print_changes()
        self._print_failures()

    def _print_changes(self) -> None:
        """What was changed on the same hosts, in full or as a number."""
        by_hosts: dict[str, list[str]] = defaultdict(list)
        for task, labels in self._changed.items():
            by_hosts[folded(labels)].append(task)
        self._changed.clear()
        for hosts, tasks in by_hosts.items():
            many = [f"{self._role}: {len(tasks)} tasks"] if len(tasks) > NAMED else tasks
            for what in many:
                self._display.display(f"  changed: [{hosts}] {what}", color=COLOR_CHANGED)

    def _print_failures(self) -> None:
        """A message of several hosts once, with their range; that of one as it said it."""
        if self._lost or self._failed:
            self._print_changes()
        for message, names in self._lost.items():
            line = f"unreachable: [{folded(names)}] {message}"
            self._display.display(line, color=COLOR_UNREACHABLE)
        self._lost.clear()
        for (_, ignored, unnamed), results in self._failed.items():
            result, shown = results[0]
            if self._last_task_banner != result.task._uuid:
                self._print_task_banner(result.task)
            alone = len(results) == 1
            label = (
                self.host_label(result) if alone else folded(r.host.get_name() for r, _ in results)
            )
            line = f"fatal: [{label}]: FAILED! => {shown if alone else unnamed}"
            self._display.display(line, color=COLOR_ERROR)
            if ignored:
                self._display.display("...ignoring", color=COLOR_SKIP)
        self._failed.clear()

    def v2_playbook_on_stats(self, stats: Any) -> None:
        """A line for all hosts to which the same happened."""
        self._measures = False
        self._print_results()
        if not stats.processed:
            # Ansible ends with 0 here, where `--start-at-task` names no task, say.
            self._display.error("nothing was done: no task ran on any host")
            sys.exit(NOTHING_DONE)
        if not self._thin:
            super().v2_playbook_on_stats(stats)
            return
        alike: dict[tuple[int, ...], list[str]] = defaultdict(list)
        for name in sorted(stats.processed, key=_by_number):
            summary = stats.summarize(name)
            alike[tuple(summary[outcome] for outcome in OUTCOMES)].append(name)
        self._display.banner("PLAY RECAP")
        for counts, names in alike.items():
            happened = dict(zip(OUTCOMES, counts, strict=True))
            words = [
                f"{'failed' if outcome == 'failures' else outcome}={count}"
                for outcome, count in happened.items()
                if count or outcome in ("changed", "failures")
            ]
            worst = next((o for o in ("failures", "unreachable", "changed") if happened[o]), None)
            color = OUTCOMES[worst] if worst else COLOR_OK
            self._display.display(f"{folded(names)} : {' '.join(words)}", color=color)
        self._display.display("", screen_only=True)

    def v2_runner_on_ok(self, result: Any) -> None:
        """A line for each change; messages, and what has warnings, as always."""
        if not self._thin or self._speaks(result):
            self._print_changes()
            super().v2_runner_on_ok(result)
            return
        self._handle_warnings_and_exception(result)
        self._print_news(result)
        if result.result.get("changed"):
            self._changed[result.task.get_name().strip()].append(self.host_label(result))

    def v2_runner_retry(self, result: Any) -> None:
        """What an attempt says that none before it said, of a task that says how something goes."""
        if not self._thin or not self._print_news(result):
            super().v2_runner_retry(result)

    def _print_news(self, result: Any) -> bool:
        if not result.task.vars.get("stages_retries"):
            return False
        for line in result.result.get("stdout_lines", ()):
            # What is behind a semicolon, such as the time left, makes no news of a line.
            news, _, _ = line.partition(";")
            if news and news not in self._news:
                self._news.add(news)
                self._display.display(f"  {line}")
        _show()
        return True

    def v2_runner_item_on_ok(self, result: Any) -> None:
        """The line of the task stands for its items, unless the task says that each takes long."""
        if not self._thin:
            super().v2_runner_item_on_ok(result)
        elif result.task.vars.get("stages_items"):
            self._print_changes()
            item = self._get_item_label(result.result)
            self._display.display(f"    [{self.host_label(result)}] {item}", color=COLOR_CHANGED)
            _show()

    def _handle_warnings(self, res: Any) -> None:
        """Not that there is nothing to find: tasks look for what may be absent."""
        warnings = res.get("warnings") or ()
        if self._thin and all(ABSENT.search(str(warning)) for warning in warnings):
            res.pop("warnings", None)
        super()._handle_warnings(res)

    def _speaks(self, result: Any) -> bool:
        """Print the message of a task that was written to be read."""
        if "_ansible_verbose_always" not in result.result:
            return False
        message = result.result.get("msg")
        lines = message if isinstance(message, list) else [message]
        if not all(isinstance(line, str) for line in lines):
            return True
        self._print_changes()
        for line in lines:
            self._display.display(f"  {line}")
        return False


def _show() -> None:
    """Let a pipe have what was printed before the task has ended, as a terminal does."""
    sys.stdout.flush()


def _refusal(result: Any) -> str:
    """A message alone, line by line, since YAML would fold a table; empty if there is more."""
    lines = result.get("msg")
    lines = lines if isinstance(lines, list) else str(lines or "").splitlines()
    more = {key for key in result if not key.startswith("_")} - {"changed", "failed", "msg"}
    if more or not lines or not all(isinstance(line, str) for line in lines):
        return ""
    return "".join(f"\n    {line}" for line in lines)


def _is_rescued(task: Any) -> bool:
    """Whether a block around a task goes on after its failure."""
    parent = task._parent
    while parent is not None and not getattr(parent, "rescue", None):
        parent = parent._parent
    return parent is not None


def _names(host: Any) -> Iterable[str]:
    """What a host is called in messages, the longest first."""
    names = {host.get_name(), str(host.vars.get("ansible_host") or host.get_name())}
    return sorted(names, key=len, reverse=True)


def _unnamed(message: str, names: Iterable[str]) -> str:
    for name in names:
        message = re.sub(rf"(?<![\w.-]){re.escape(name)}(?![\w-])", HOST, message)
    return message


def _by_number(name: str) -> tuple[str, int]:
    """Host 10 after host 9."""
    digits = re.search(r"\d+$", name)
    return (name[: digits.start()], int(digits.group())) if digits else (name, -1)
