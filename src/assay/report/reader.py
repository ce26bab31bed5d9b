"""Reads a report.json and validates it against its schema."""

from __future__ import annotations

import json
from functools import cache
from importlib import resources
from pathlib import Path

import jsonschema_rs
from pydantic import ValidationError

from assay.foreign import limits
from assay.foreign.documents import first_error, from_json
from assay.foreign.files import ForeignError, Tree
from assay.foreign.text import one_line, quoted
from assay.report.record import Record
from assay.tools.output import ALLOWED, is_measurement


class RecordError(ValueError):
    """The report.json cannot be used; the message says which file, where and why."""


@cache
def _validator() -> jsonschema_rs.Draft202012Validator:
    schema = resources.files("assay.report").joinpath("report.schema.json").read_text("utf-8")
    return jsonschema_rs.Draft202012Validator(json.loads(schema), validate_formats=True)


def read(path: Path) -> Record:
    """Read a report.json.

    Raises:
        RecordError: it cannot be read, is not JSON, or does not match the schema.
    """
    shown = one_line(str(path))
    try:
        # Through its directory: in a bundle of others, the file may have been replaced by a link.
        document = from_json(Tree(path.parent).read(path.name, limits.RECORD_BYTES))
    except OSError as error:
        raise RecordError(f"{shown} cannot be read: {error.strerror}") from error
    except ForeignError as error:
        problem = str(error)
        raise RecordError(
            f"{shown} {problem}" if problem.startswith("is not") else problem
        ) from error
    for misfit in _validator().iter_errors(document):
        place = "/".join(map(str, misfit.instance_path)) or "the whole"
        raise RecordError(
            f"{shown} does not match the schema: {quoted(place)}: {quoted(misfit.message)}"
        )
    try:
        record = Record.model_validate(document)
    except ValidationError as error:
        raise RecordError(f"{shown} does not match the schema: {first_error(error)}") from error
    for metric in record.metrics:
        if len(metric.samples) > limits.SAMPLES:
            raise RecordError(
                f"{shown}: {quoted(metric.key)} has {len(metric.samples):,} samples, and"
                f" {limits.SAMPLES:,} is the limit"
            )
        for sample in metric.samples:
            if not is_measurement(sample):
                raise RecordError(
                    f"{shown}: {quoted(metric.key)} has a sample of {sample:g}, and {ALLOWED}"
                )
    return record
