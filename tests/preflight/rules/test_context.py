"""A rule registers itself with what it judges."""

from __future__ import annotations

import inspect
import pkgutil
from collections.abc import Iterator
from importlib import import_module

import pytest

from assay.cluster.description import Host
from assay.preflight import rules
from assay.preflight.rules import context, rules_of_host
from assay.preflight.rules.context import OfHost
from assay.problems import Problem
from clusters import description


def test_every_rule_is_registered_once() -> None:
    """A function of a context alone is a rule; without its decorator nothing would ask it."""
    written = {
        function
        for module in pkgutil.walk_packages(rules.__path__, "assay.preflight.rules.")
        for _, function in inspect.getmembers(import_module(module.name), inspect.isfunction)
        if list(inspect.signature(function).parameters) == ["of"]
    }
    registered = [each for of_context in context._RULES.values() for each in of_context]
    assert written == set(registered)
    assert len(registered) == len(written) > 50


def test_a_new_rule_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(context, "_RULES", {**context._RULES, OfHost: []})

    @OfHost.rule
    def few_cores(of: OfHost) -> Iterator[Problem]:
        if of.host.cores < 1000:
            yield Problem(of.name, "cores", of.host.cores, "should be 1000 or more")

    host = Host.model_validate(description()["hosts"]["c1"])
    (problem,) = rules_of_host("c1", host, None, None, None)
    assert str(problem) == f"host c1: cores = {host.cores}: should be 1000 or more"
