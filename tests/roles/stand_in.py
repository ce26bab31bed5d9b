"""dmg and daos of molecule's stand-in, with the whole system in one file and no network."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

LIBRARY = Path(__file__).parents[2] / "molecule/daos/stand-in/lib"
RANK = {"rank": 0, "state": "joined", "uuid": "1", "addr": "192.0.2.1:10001", "fault_domain": "/s1"}

PROGRAM = """#!{python}
import sys
sys.dont_write_bytecode = True
sys.path.insert(0, {library!r})
from pathlib import Path
import {program}, daos_agent, speaking
from system import RefusedError, System

def answer(request):
    with open({calls!r}, "a") as calls:
        print(request["command"], *request["labels"], file=calls)
    try:
        _, command = System(Path({state!r})).commands[request["command"]]
        return {{"response": command(request)}}
    except RefusedError as error:
        return {{"error": str(error)}}

daos_agent.ask = answer
speaking.ask = lambda config, host, request: answer(request)
{program}.main(sys.argv[1:])
"""


class StandIn:
    """A DAOS system of one rank; its programs are in `bin` and its configuration beside them."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.config = root / "daos_control.yml"
        self._calls = root / "calls"
        self._state = root / "state.json"
        self.config.write_text("hostlist: [s1]\n")
        self._calls.touch()
        self._keep({"members": [RANK], "pools": {}})
        (root / "bin").mkdir()
        for program in ("dmg", "daos"):
            self.program(program).write_text(
                PROGRAM.format(
                    python=sys.executable,
                    library=str(LIBRARY),
                    program=program,
                    calls=str(self._calls),
                    state=str(self._state),
                )
            )
            self.program(program).chmod(0o755)

    def program(self, name: str) -> Path:
        """The path of dmg or daos."""
        return self.root / "bin" / name

    def pools(self) -> dict[str, Any]:
        """What the system has, by label."""
        return dict(json.loads(self._state.read_text())["pools"])

    def calls(self) -> list[str]:
        """The commands that were given so far, with their labels."""
        return self._calls.read_text().splitlines()

    def uninitialize(self) -> None:
        """Become a system that waits for its first format."""
        self._state.unlink()

    def exclude(self, label: str, ranks: list[int]) -> None:
        """Let a pool exclude ranks of two targets each."""
        state = json.loads(self._state.read_text())
        state["pools"][label]["excluded"] = ranks
        self._keep(state)

    def lose_rank(self) -> None:
        """Become a system that makes no pools."""
        state = json.loads(self._state.read_text())
        self._keep({**state, "members": [{**RANK, "state": "errored"}]})

    def _keep(self, state: dict[str, Any]) -> None:
        self._state.write_text(json.dumps(state))
