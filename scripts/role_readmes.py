"""Write the README of each role and of the playbooks from its `argument_specs.yml`, or check it.

`aar-doc` and `ansible-docsmith` do similar work. The first repeats an entry point that is the alias
of another, with broken links, and requires an old typer, which `assay` cannot use. The second
refuses entry points without their own file of defaults.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jinja2
import mdformat
import yaml
from pages import ROOT, STYLE, brought_up_to_date

ROLES = ROOT / "roles"
PLAYBOOKS = ROOT / "playbooks"
TEMPLATE = "role-readme.md.j2"
EMPTY = '""'

_MARKUP = re.compile(r"\b([OVCBI])\(((?:[^()\\]|\\.|\([^()]*\))*)\)")


def markdown(text: str) -> str:
    """Ansible's markup converted to Markdown."""
    sign = {"B": "**", "I": "*"}
    return _MARKUP.sub(
        lambda match: f"{sign.get(match[1], '`')}{match[2]}{sign.get(match[1], '`')}",
        " ".join(text.split()),
    )


def paragraphs(text: str | list[str]) -> list[str]:
    """The paragraphs of a description, which may be a single text."""
    return [text] if isinstance(text, str) else text


def flattened(
    options: dict[str, Any] | None, prefix: str = ""
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each option, and its suboptions with their whole path."""
    for name, option in (options or {}).items():
        yield f"{prefix}{name}", option
        lists = "[]" if option.get("type") == "list" else ""
        yield from flattened(option.get("options"), f"{prefix}{name}{lists}.")


def entry(option: dict[str, Any], name: str) -> str:
    """A line of the list of variables."""
    kind = str(option.get("type", "str"))
    if "elements" in option:
        kind += f" of {option['elements']}"
    facts = [kind]
    if option.get("required"):
        facts.append("required")
    elif "default" in option:
        facts.append(f"default `{json.dumps(option['default'])}`")
    if "choices" in option:
        facts.append("one of " + ", ".join(f"`{choice or EMPTY}`" for choice in option["choices"]))
    text = " ".join(markdown(part) for part in paragraphs(option["description"]))
    return f"- **`{name}`** ({', '.join(facts)}): {text}"


def others(specs: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """The entry points besides `main`, without aliases of it."""
    return [(name, spec) for name, spec in specs.items() if spec != specs["main"]]


def page(role: Path, template: jinja2.Template) -> str:
    """The README of a role."""
    specs = yaml.safe_load((role / "meta/argument_specs.yml").read_text(encoding="utf-8"))
    text = template.render(role=role.name, specs=specs["argument_specs"])
    return mdformat.text(text, options=STYLE, extensions={"gfm", "tables"})


def main(arguments: list[str]) -> int:
    """Write all pages; with `--check`, print how the existing ones differ."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        autoescape=False,  # it is Markdown
    )
    for function in (markdown, paragraphs, flattened, entry, others):
        environment.filters[function.__name__] = function
    template = environment.get_template(TEMPLATE)
    agree = [
        brought_up_to_date(
            each / "README.md", page(each, template), "its argument_specs.yml", arguments
        )
        for each in (*sorted(ROLES.iterdir()), PLAYBOOKS)
    ]
    return 0 if all(agree) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
