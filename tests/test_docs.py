"""The pages are true to the code: links resolve, and commands, targets and checks exist."""

from __future__ import annotations

import re
import subprocess
import tomllib
from collections import Counter
from pathlib import Path

import pytest
from typer.main import get_command

from assay.checks.plan import CHECKS
from assay.checks.references import entries
from assay.cli import app
from assay.judge.verdict import Verdict

REPOSITORY = Path(__file__).parents[1]
LISTED = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"]
PAGES = sorted(
    page
    for name in subprocess.run(
        LISTED, cwd=REPOSITORY, capture_output=True, text=True, check=True
    ).stdout.splitlines()
    if (page := REPOSITORY / name).is_file()
)

FENCED = re.compile(r"^ *```\w*\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)
INLINE = re.compile(r"`([^`]+)`")
LINK = re.compile(r"\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


EXAMPLE = re.compile(r"TOOL|NAME|LAYER|YourCheck")
"""Words that stand for a name in a path."""

each_page = pytest.mark.parametrize(
    "page", [pytest.param(page, id=str(page.relative_to(REPOSITORY))) for page in PAGES]
)


def code(page: Path) -> str:
    """What stands in a page as code."""
    text = page.read_text(encoding="utf-8")
    return "\n".join([*FENCED.findall(text), *INLINE.findall(FENCED.sub("", text))])


def anchors(page: Path) -> set[str]:
    """The names under which headings can be linked, as code hosts make them."""
    prose = FENCED.sub("", page.read_text(encoding="utf-8"))
    return {
        re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        for heading in HEADING.findall(prose)
    }


@each_page
def test_links_within_the_project_resolve(page: Path) -> None:
    broken = []
    for link in LINK.findall(FENCED.sub("", page.read_text(encoding="utf-8"))):
        path, _, anchor = link.partition("#")
        if "://" in link:
            continue
        target = (page.parent / path) if path else page
        if not target.exists() or (anchor and anchor not in anchors(target)):
            broken.append(link)
    assert not broken


@each_page
def test_what_is_made_is_a_target(page: Path) -> None:
    makefile = (REPOSITORY / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z0-9-]+):", makefile, re.MULTILINE))
    assert set(re.findall(r"\bmake ([a-z0-9-]+)", code(page))) <= targets


@each_page
def test_what_assay_is_asked_is_a_subcommand(page: Path) -> None:
    subcommands = set(get_command(app).commands)  # type: ignore[attr-defined]
    assert set(re.findall(r"(?<![-\w])assay ([a-z]+)", code(page))) <= subcommands


@each_page
def test_an_option_of_assay_is_one_of_its_subcommand(page: Path) -> None:
    subcommands = get_command(app).commands  # type: ignore[attr-defined]
    for name, rest in re.findall(r"(?<![-\w])assay ([a-z]+)(.*)$", code(page), re.MULTILINE):
        known = {option for each in subcommands[name].params for option in each.opts}
        assert set(re.findall(r"--[a-z-]+", rest)) <= known | {"--help"}, name


@each_page
def test_a_path_of_the_project_is_there(page: Path) -> None:
    named = re.findall(
        r"(?<![\w/.])(?:docs|molecule|playbooks|roles|src|tests)/[\w./-]+(?![\w./*-])", code(page)
    )
    absent = [name for name in named if not (REPOSITORY / name).exists()]
    assert [name for name in absent if not EXAMPLE.search(name)] == []


def test_every_check_has_a_page_and_every_page_a_check() -> None:
    assert {page.stem for page in (REPOSITORY / "docs/checks").glob("*.md")} == set(CHECKS)


def test_a_page_names_the_layer_and_every_metric_of_its_check() -> None:
    for check in CHECKS.values():
        text = (REPOSITORY / "docs/checks" / f"{check.name}.md").read_text(encoding="utf-8")
        assert f"Layer {check.layer}," in text, check.name
        for metric in check.metrics:
            assert f"`{metric.name}`" in text, check.name


@pytest.mark.parametrize("name", ["README.md", "docs/accept.md"])
def test_a_page_on_verdicts_explains_each_of_them(name: str) -> None:
    text = (REPOSITORY / name).read_text(encoding="utf-8")
    explained = re.findall(r"^(?:\| `([a-z]+)` \||\*\*`([a-z]+)`\*\*:)", text, re.MULTILINE)
    assert {"".join(word) for word in explained} == set(Verdict)


def test_the_floors_of_the_page_are_those_of_the_contract() -> None:
    page = (REPOSITORY / "docs/architecture.md").read_text(encoding="utf-8")
    _, _, table = page.partition("| floor |")
    table, _, _ = table.partition("\n\n")
    drawn = [re.findall(r"`(\w+)`", row.split("|")[1]) for row in table.splitlines()[2:]]
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = project["tool"]["importlinter"]["contracts"]
    (floors,) = (contract for contract in contracts if contract["id"] == "floors")
    assert drawn == [re.findall(r"\w+", layer) for layer in floors["layers"]]


def test_the_tests_mirror_the_packages_and_contributing_lists_their_folders() -> None:
    tests, packages = REPOSITORY / "tests", REPOSITORY / "src" / "assay"
    listed = {
        name
        for row in re.findall(r"^\| (`.*?) \|", (REPOSITORY / "CONTRIBUTING.md").read_text(), re.M)
        for name in INLINE.findall(row)
    }
    modules = {path.name for path in tests.glob("test_*.py")}
    folders = {f"{path.parent.name}/" for path in tests.glob("[!._]*/[!._]*")}
    assert listed == modules | folders
    assert {f"{path.parent.name}/" for path in packages.glob("*/__init__.py")} <= folders


def test_no_two_files_of_tests_have_one_name() -> None:
    # pytest would import one in the place of the other.
    names = Counter(path.name for path in (REPOSITORY / "tests").rglob("test_*.py"))
    assert [name for name, times in names.items() if times > 1] == []


STATED = re.compile(
    r"(?:at least|nor below|[Ff]loors? (?:is|of)) (\d+(?:\.\d+)?) %(?: and (\d+(?:\.\d+)?) %)?"
)


@pytest.mark.parametrize("check", sorted(CHECKS))
def test_the_page_of_a_check_states_the_floors_that_it_is_judged_by(check: str) -> None:
    text = " ".join((REPOSITORY / "docs/checks" / f"{check}.md").read_text().split())
    good = text[text.find("What a good figure is") :].partition("**What usually")[0]
    stated = {float(each) for found in STATED.findall(good) for each in found if each}
    floors = {
        round(percent * entry.kept, 1)
        for entry in entries()
        if check in {figure.partition(".")[0] for figure in entry.figures}
        for percent in (
            100 * (entry.fraction or 0),
            entry.least.value if entry.least and entry.least.unit == "%" else 0,
        )
    }
    assert stated <= floors


BEGUN = re.compile(r"(?:^(?:- |[0-9]+\. )?|(?<=[.!?] ))(?:What|Of)\b.{0,60}", re.MULTILINE)


@each_page
def test_no_sentence_begins_with_what_or_of(page: Path) -> None:
    # The pages of recordings say what a command printed, in tables and titles.
    if page.is_relative_to(REPOSITORY / "tests"):
        return
    assert BEGUN.findall(FENCED.sub("", page.read_text(encoding="utf-8"))) == []
