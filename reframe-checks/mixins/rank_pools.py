"""For checks that measure each rank of a DAOS system in a pool of its own."""

import json
import pwd
import re
import subprocess
import sys
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from os import geteuid
from pathlib import Path

from assay.checks.benchmarks.ior_by_rank import AT_ONCE, LABEL, POOL_S, pool_of
from assay.tools.daos import dmg
from assay.tools.daos.dmg import CONTROL
from assay_check import HERE
from mixins.daos import NeedsDaos

DESTROY_S = 60
"""Seconds for ReFrame to see the end of what destroys the pools, beside the limit of the last pool
and twice the expected time of all (own choice)."""


class MakesRankPools(NeedsDaos):
    """A pool on each rank, which the controller makes before the job and destroys after it.

    Another process, `at_end.py`, destroys the pools. It waits for the end of ReFrame, so that they
    go away even if ReFrame is killed. Pools that it could not destroy, such as after a loss of
    power, are destroyed by the next run, by their labels, which no pool of the inventory may have.
    """

    _destroyer: "subprocess.Popen[str] | None" = None

    def problems_before(self) -> list[str]:
        """Make the pools, if there is no problem; if one cannot be made, none stays."""
        return super().problems_before() or self.make_pools()

    def problems_after(self) -> list[str]:
        """Destroy the pools, and report those that stay."""
        return [*super().problems_after(), *self.destroy_pools()]

    def make_pools(self) -> list[str]:
        """Destroy what an earlier run left, make a pool on each rank, and return the problems."""
        left = _own(dmg.labels(self.answer("pools.before")))
        if left and (problems := self._destroyed(left)):
            return problems
        assert self.daos.rank_pool_size
        user = pwd.getpwuid(geteuid()).pw_name
        size, ranks = self.daos.rank_pool_size, self.ranks_of(self.present)
        self._start([pool_of(rank) for rank in ranks])

        def make(rank: int) -> str:
            asked = dmg.pool_create(pool_of(rank), rank, size, user, CONTROL)
            return dmg.failure(self.change(f"pool.{rank}.made", asked))

        with ThreadPoolExecutor(AT_ONCE) as making:
            failed = [
                f"dmg made no pool of {size} on rank {rank}: {why}{hint(why)}"
                for rank, why in zip(ranks, making.map(make, ranks), strict=True)
                if why
            ]
        return [*failed, *self.destroy_pools()] if failed else []

    def destroy_pools(self) -> list[str]:
        """Destroy the pools of this run, and report those that stay."""
        destroyer, self._destroyer = self._destroyer, None
        if destroyer is None or destroyer.stdin is None:
            return []
        destroyer.stdin.close()
        limit_s = DESTROY_S + dmg.POOL_LIMIT_S + int(2 * POOL_S * self.ranks / AT_ONCE)
        try:
            destroyer.wait(limit_s)
        except subprocess.TimeoutExpired:
            return [f"the pools {LABEL}* were not destroyed within {limit_s} s"]
        listed = self.ask("pools.destroyed", dmg.pool_list(CONTROL))
        if (labels := dmg.known_labels(listed)) is None:
            why = dmg.failure(listed) or "see pools.destroyed"
            return [f"dmg did not list the pools, so {LABEL}* may still be there: {why}"]
        stay = _own(labels)
        return [f"dmg did not destroy {', '.join(stay)}: see pools.destroyed"] if stay else []

    def _destroyed(self, labels: Sequence[str]) -> list[str]:
        """Destroy pools of an earlier run, and return the problems."""
        answers = [
            (label, self.change(f"{label}.destroyed", dmg.pool_destroy(label, CONTROL)))
            for label in labels
        ]
        return [
            f"dmg did not destroy {label}, which an earlier run left: {why}"
            for label, answer in answers
            if (why := dmg.failure(answer))
        ]

    def _start(self, labels: Iterable[str]) -> None:
        """Start what destroys the pools when ReFrame ends, or earlier."""
        with Path(self.stagedir, "pools.out").open("w", encoding="utf-8") as printed:
            self._destroyer = subprocess.Popen(
                [sys.executable, str(HERE / "at_end.py")],
                stdin=subprocess.PIPE,
                stdout=printed,
                stderr=subprocess.STDOUT,
                text=True,
                start_new_session=True,
            )
        assert self._destroyer.stdin
        for label in labels:
            command = self.command(dmg.pool_destroy(label, CONTROL))
            self._destroyer.stdin.write(json.dumps([str(word) for word in command]) + "\n")
        self._destroyer.stdin.flush()


def hint(why: str) -> str:
    """What to do if the account may not make pools."""
    if not why.startswith("sudo: "):
        return ""
    return "; deploy with this cluster_rank_pool_size, so that sudo allows it"


def _own(labels: Iterable[str]) -> list[str]:
    """The labels that only these checks give."""
    return [label for label in labels if re.fullmatch(re.escape(LABEL) + r"\d+", label)]
