"""When a load ran, by the time stamps that its benchmark printed."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime


@dataclass(frozen=True, slots=True)
class Period:
    """The time of a load that its figure is of."""

    start: datetime
    """In whole seconds, by the clock of the host of the first rank."""
    seconds: float

    def shared(self, other: Period) -> float:
        """The part of the longer of two periods in which both loads ran, from 0 to 1.

        Both must be by one clock. It is uncertain by a second of the period.
        """
        later = (other.start - self.start).total_seconds()
        together = min(self.seconds, later + other.seconds) - max(0.0, later)
        return max(0.0, together) / max(self.seconds, other.seconds)


def period(printed: str, form: str, seconds: float) -> Period | None:
    """A period from the time stamp of its start; None if that cannot be read.

    Args:
        printed: the time stamp, in the time zone of the host.
        form: its format, as `strptime` takes it.
        seconds: the length.
    """
    try:
        # Only differences count, so any time zone will do.
        start = datetime.strptime(printed, form).replace(tzinfo=UTC)
    except ValueError:
        return None
    return Period(start, seconds) if seconds > 0 else None
