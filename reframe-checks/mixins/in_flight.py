"""For checks that keep several operations in flight."""

from collections.abc import Mapping

import reframe.utility.typecheck as typ
from reframe.core.builtins import run_after, variable

from assay.checks.plan import Metric, Requirement
from mixins.plugin import Mixin


class KeepsInFlight(Mixin):
    """Operations in flight: the catalogue has the number for each metric, unless `-S` sets it."""

    #: Metric to the operations in flight of each process, or of each client.
    in_flight = variable(typ.Dict[str, int], value={})

    @run_after("init")
    def take_in_flight(self) -> None:
        asked = {each.name: each.in_flight for each in self.entry.metrics if each.in_flight}
        self.in_flight = asked | self.in_flight
        for name, count in asked.items():
            self.note(f"in_flight.{name}", count, self.in_flight[name])

    def sizes(self) -> Mapping[str, int]:
        """The sizes, and the operations in flight by metric."""
        in_flight = {f"in_flight.{name}": count for name, count in self.in_flight.items()}
        return {**super().sizes(), **in_flight}

    def problems_before(self) -> list[str]:
        """Refuse to change it for a latency, which is measured with one operation in flight."""
        several = {each.name for each in self.entry.metrics if (each.in_flight or 1) > 1}
        refused = [
            f"in_flight.{name} = {count}: should be 1 or more, for {', '.join(sorted(several))}"
            for name, count in self.in_flight.items()
            if count < 1 or (name not in several and count != self._shipped(name))
        ]
        return refused or super().problems_before()

    def as_run(self, metric: Requirement) -> Requirement:
        """The requirement with the actual number in flight, which the bound must use."""
        return metric.with_in_flight(self.in_flight.get(metric.name))

    def _shipped(self, name: str) -> int | None:
        metric: Metric | None = next((m for m in self.entry.metrics if m.name == name), None)
        return metric.in_flight if metric else None
