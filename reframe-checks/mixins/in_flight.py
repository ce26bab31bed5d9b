"""What the checks that keep several operations in flight need."""

from collections.abc import Mapping

import reframe.utility.typecheck as typ
from reframe.core.builtins import run_after, variable

from assay.checks.plan import Metric, Requirement
from mixins.plugin import Mixin


class KeepsInFlight(Mixin):
    """Operations in flight: as many as the catalogue says of each metric, unless `-S` says more."""

    #: Metric to the operations that each process, or each client, has in flight at once.
    in_flight = variable(typ.Dict[str, int], value={})

    @run_after("init")
    def take_in_flight(self) -> None:
        asked = {each.name: each.in_flight for each in self.entry.metrics if each.in_flight}
        self.in_flight = asked | self.in_flight
        for name, count in asked.items():
            self.note(f"in_flight.{name}", count, self.in_flight[name])

    def sizes(self) -> Mapping[str, int]:
        """With the operations in flight, by metric."""
        in_flight = {f"in_flight.{name}": count for name, count in self.in_flight.items()}
        return {**super().sizes(), **in_flight}

    def wrong_before(self) -> list[str]:
        """Refuse it for a latency, which is that of one operation at a time."""
        several = {each.name for each in self.entry.metrics if (each.in_flight or 1) > 1}
        refused = [
            f"in_flight.{name} = {count}: allowed is 1 or more, for {', '.join(sorted(several))}"
            for name, count in self.in_flight.items()
            if count < 1 or (name not in several and count != self._shipped(name))
        ]
        return refused or super().wrong_before()

    def as_run(self, metric: Requirement) -> Requirement:
        """With as many in flight as there were: a bound is of what was run."""
        return metric.with_in_flight(self.in_flight.get(metric.name))

    def _shipped(self, name: str) -> int | None:
        metric: Metric | None = next((m for m in self.entry.metrics if m.name == name), None)
        return metric.in_flight if metric else None
