"""Where the recordings of real tools are, and how a test reads them."""

from pathlib import Path

from assay.tools.output import Parsed

ROOT = Path(__file__).parents[1] / "recorded"


def recorded(tool: str, name: str) -> str:
    """The text of one recording."""
    return (ROOT / tool / name).read_text()


def values(parsed: Parsed) -> list[tuple[str, float, str]]:
    """Metric, value and unit of each sample, in order."""
    return [(sample.metric, sample.value, sample.unit) for sample in parsed.samples]
