"""A report.json, read back and held against its schema."""

from __future__ import annotations

import json
from functools import cache
from importlib import resources
from pathlib import Path

import jsonschema_rs
from pydantic import ValidationError

from assay.report.record import Record


class RecordError(ValueError):
    """A report.json that cannot be used: which, where, and why."""


@cache
def _validator() -> jsonschema_rs.Draft202012Validator:
    schema = resources.files("assay.report").joinpath("report.schema.json").read_text("utf-8")
    return jsonschema_rs.Draft202012Validator(json.loads(schema), validate_formats=True)


def read(path: Path) -> Record:
    """Read a report.json.

    Raises:
        RecordError: it cannot be read, is not JSON, or does not match the schema.
    """
    try:
        document = json.loads(path.read_bytes())
    except OSError as error:
        raise RecordError(f"{path} cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise RecordError(f"{path} is not JSON: {error}") from error
    for misfit in _validator().iter_errors(document):
        place = "/".join(map(str, misfit.instance_path)) or "the whole"
        raise RecordError(f"{path} does not match the schema: {place}: {misfit.message[:300]}")
    try:
        return Record.model_validate(document)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = "/".join(map(str, first["loc"]))
        raise RecordError(f"{path} does not match the schema: {place}: {first['msg']}") from error
