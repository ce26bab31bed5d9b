"""What Ansible prints, in a screenful: a line for each stage and each change, failures in full.

With `-v` it prints what the callback `default` does, of which this is a thinner one. (None in
community.general does it: `dense` overwrites its own lines, so that a log has them all, and `unixy`
prints a line for each task that changes nothing.)
"""

from __future__ import annotations

from typing import Any

from ansible.constants import COLOR_CHANGED
from ansible.plugins.callback.default import CallbackModule as Default

DOCUMENTATION = """
name: stages
type: stdout
short_description: a line for each stage and each change, failures in full
description: As the callback default, without what changed nothing; with C(-v) all of it.
extends_documentation_fragment: [default_callback, result_format_callback]
"""


class CallbackModule(Default):
    """The callback `default` without what changed nothing."""

    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "stdout"
    CALLBACK_NAME = "stages"

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
        if not self._thin:
            super().v2_playbook_on_play_start(play)
            return
        self._play = play
        self._stage: str | None = play.get_name().strip()

    def v2_playbook_on_no_hosts_matched(self) -> None:
        """A group without hosts leaves its part out, by design."""
        if not self._thin:
            super().v2_playbook_on_no_hosts_matched()

    def v2_playbook_on_task_start(self, task: Any, is_conditional: bool) -> None:
        """Print the name of the stage with its first task."""
        if self._thin and self._stage:
            check = " (check mode)" if self._play.check_mode else ""
            self._display.display(f"{self._stage}{check}")
            self._stage = None
        super().v2_playbook_on_task_start(task, is_conditional)

    def v2_playbook_on_include(self, included_file: Any) -> None:
        """Included files are of interest to whoever writes them."""
        if not self._thin:
            super().v2_playbook_on_include(included_file)

    def v2_runner_on_ok(self, result: Any) -> None:
        """A line for each change; messages, and what has warnings, as always."""
        if not self._thin or self._speaks(result):
            super().v2_runner_on_ok(result)
            return
        self._handle_warnings_and_exception(result)
        if result.result.get("changed"):
            line = f"  changed: [{self.host_label(result)}] {result.task.get_name().strip()}"
            self._display.display(line, color=COLOR_CHANGED)

    def v2_runner_item_on_ok(self, result: Any) -> None:
        """The line of the task stands for its items."""
        if not self._thin:
            super().v2_runner_item_on_ok(result)

    def _speaks(self, result: Any) -> bool:
        """Print the message of a task that was written to be read."""
        if "_ansible_verbose_always" not in result.result:
            return False
        message = result.result.get("msg")
        lines = message if isinstance(message, list) else [message]
        if not all(isinstance(line, str) for line in lines):
            return True
        for line in lines:
            self._display.display(f"  {line}")
        return False
