"""The pages that are computed from the program: commands, errors, findings, operations, and the names of torch."""

from __future__ import annotations

import ast
import bisect
import collections
import collections.abc
import functools
import html
import re
import sys
import tomllib
import typing
from collections.abc import Iterable, Mapping
from functools import cache
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import Any

from gradcli.engine.tensor import tensor
from gradcli.errors import CODES
from gradcli.explanation.reference import operations
from gradcli.findings.catalogue import CATALOGUE
from gradcli.language.catalogue import FAMILY_OF
from gradcli.script.errors import UnsupportedError
from gradcli.script.library import modules
from gradcli.script.originals import GENERAL, missing_error, torch_names
from gradcli.script.python.values.attributes import attribute
from gradcli.script.torch.tensor import attributes  # noqa: F401  those of tensors
from tests.commands.served import ROOT
from tests.docs.manual import manuals, markdown

SITE = ROOT / "samples" / "site"
SOURCE = re.compile(r"^```source\n(?P<module>[\w.]+):(?P<name>\w+)\n```$", re.MULTILINE)
KINDS = {
    "E0": "Options, files and bindings",
    "E1": "The text cannot be read",
    "E2": "The program cannot be evaluated",
    "E3": "PyTorch refuses it, in its own words",
    "E4": "Outside of what gradcli does, or of its limits",
    "E9": "A bug",
}
SHOWN = 12  # names for which one thing is to be written; of more a reader sees the first
LEVELS = {"error": "The result is wrong, or the run ended.", "warning": "Probably not meant.", "note": "A convention."}


def with_sources(text: str) -> str:
    """Return a page with the code in place of each name of it: a function, a class or an assignment of a module."""
    return SOURCE.sub(lambda block: f"```python\n{code(block['module'], block['name'])}\n```", text)


def code(module: str, name: str) -> str:
    """Return the text of what a module declares by a name."""
    file = import_module(module).__file__
    assert file is not None
    text = Path(file).read_text(encoding="utf-8")
    for statement in ast.parse(text).body:
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement]
        if name in {getattr(target, "name", getattr(target, "id", None)) for target in targets}:
            decorators = [x.lineno for x in getattr(statement, "decorator_list", ())]
            start = min([statement.lineno, *decorators])
            return "\n".join(text.splitlines()[start - 1 : statement.end_lineno])
    raise LookupError(f"{module} declares no {name}")


def pages() -> dict[str, str]:
    """Return the text of every computed page by its path."""
    return {**command_pages(), **error_pages(), **finding_pages(), "operations.md": operations_page(), **torch_page()}


def command_pages() -> dict[str, str]:
    first, *others = manuals()
    rows = [f"| [`{x.name}`]({x.name.split()[1]}.md) | {x.summary} |" for x in others]
    index = ["# Commands", "\n".join(["| command | what it gives |", "|---|---|", *rows])]
    index.append("What stands here is what `gradcli COMMAND --help` and `man gradcli-COMMAND` say.")
    index.append(f"## Options before a command\n{markdown(first).partition('## Options')[2]}")
    pages = {f"commands/{page.name.split()[1]}.md": markdown(page) for page in others}
    return {"commands/index.md": "\n\n".join(index), **pages}


@cache
def told_of_errors() -> tuple[Mapping[str, str], Mapping[str, str]]:
    """Return for some codes a command line that ends with an error of it, and for the others what to do."""
    tables: dict[str, dict[str, str]] = tomllib.loads((SITE / "errors.toml").read_text(encoding="utf-8"))
    return tables["example"], tables["advice"]


def error_pages() -> dict[str, str]:
    index = ["# Errors", "An error has a code, in brackets: `error[E301]`. `gradcli help E301` says what it is about."]
    examples, advice = told_of_errors()
    pages = {}
    for start, title in KINDS.items():
        codes = {code: about for code, about in CODES.items() if code.startswith(start)}
        rows = [f"| [{code}]({code}.md) | {about} |" for code, about in codes.items()]
        index += [f"## {title}", "\n".join(["| code | what it is about |", "|---|---|", *rows])]
        for code, about in codes.items():
            parts = [f"# {code}", f"**{about[0].upper()}{about[1:]}.**", f"{title}. [All errors](index.md)"]
            if code in advice:
                parts += ["## Instead", advice[code]]
            else:
                commands = examples[code].replace(" && ", "\n$ ")
                parts += ["## An example", f"```console\n$ {commands}\n```"]
            pages[f"errors/{code}.md"] = "\n\n".join(parts) + "\n"
    return {"errors/index.md": "\n\n".join(index) + "\n", **pages}


def finding_pages() -> dict[str, str]:
    index = ["# Findings", "What `gradcli why` knows of: each cause is told only where its evidence holds in this run."]
    pages = {}
    for severity, meaning in LEVELS.items():
        causes = {code: cause for code, cause in sorted(CATALOGUE.items()) if cause.severity == severity}
        rows = [f"| [{code}]({code}.md) | {plain(cause.page.what)} |" for code, cause in causes.items()]
        title = f"{severity.capitalize()}s"
        index += [f"## {title}", meaning, "\n".join(["| code | cause |", "|---|---|", *rows])]
        for code, cause in causes.items():
            page = cause.page
            what = page.what if re.match(r"\w*[_(]", page.what) else page.what[0].upper() + page.what[1:]
            parts = [f"# {code}", f"**{plain(what)}.**", plain(page.why)]
            example = page.example.strip()
            if example.startswith("gradcli why "):
                parts += ["## An example", f"```console\n$ {example}\n```"]
            else:
                parts += [
                    "## An example",
                    f"```python lesson.py\n{example}\n```",
                    "```console\n$ gradcli why lesson.py\n```",
                ]
            parts += ["## Instead", plain(page.remedy)]
            parts.append(f"{severity.capitalize()}: {meaning.lower()} [All findings](index.md)")
            pages[f"findings/{code}.md"] = "\n\n".join(parts) + "\n"
    return {"findings/index.md": "\n\n".join(index) + "\n", **pages}


def plain(text: str) -> str:
    """Return a text that Markdown shows as it is."""
    return re.sub(r"([*_<`\\|])", r"\\\1", text)


def operations_page() -> str:
    parts = [
        "# Operations",
        "`gradcli ops NAME` shows one of them with its derivative rules, its domain and its kinks.",
    ]
    families: dict[str, list[str]] = {}
    for name in operations():
        families.setdefault(FAMILY_OF[name], []).append(name)
    for family, names in sorted(families.items()):
        parts += [f"## {family}", ", ".join(f"`{name}`" for name in sorted(names))]
    return "\n\n".join(parts) + "\n"


def torch_page() -> dict[str, str]:
    """Return the page about the names of torch: those that are here, and the others by what to write instead."""
    there, absent, instead = list[str](), list[str](), dict[str, list[str]]()
    for owner, names in names_of_torch().items():
        here = {name for name in names if is_there(owner, name)}
        there += [f"### {owner}", listed(here)]
        rest = set[str]()
        for name in names - here:
            help = missing_error(owner, name, ()).help
            if help == GENERAL:
                rest.add(name)
            else:
                instead.setdefault(help, []).append(f"{owner}.{name}".removeprefix("torch."))
        if rest:
            absent.append(folded(f"{owner}: {len(rest)} names", rest))
    ordered = sorted((min(names, key=str.lower).lower(), help, names) for help, names in instead.items())
    few = [f"- {listed(names)}: {plain(help)}" for _, help, names in ordered if len(names) <= SHOWN]
    many = [
        folded(f"{len(names)} names, such as {first}: {help}", names)
        for first, help, names in ordered
        if len(names) > SHOWN
    ]
    advice = ["\n".join(few), *many]
    text = (SITE / "torch.md").read_text(encoding="utf-8")
    text = text.replace("<!-- names -->", "\n\n".join(there)).replace("<!-- absent -->", "\n\n".join(absent))
    return {"torch.md": text.replace("<!-- instead -->", "\n\n".join(advice))}


def folded(summary: str, names: Iterable[str]) -> str:
    """Return names that a reader opens."""
    return f"<details markdown><summary>{html.escape(summary)}</summary>\n\n{listed(names)}\n\n</details>"


def names_of_torch() -> dict[str, set[str]]:
    """Return the public names of torch's modules and of `Tensor`, without what these modules themselves import."""
    others = (collections.abc, collections, functools, bisect)
    imported = {*typing.__all__, *sys.stdlib_module_names, *chain.from_iterable(map(dir, others)), "torch", "Tensor"}
    owners = {owner: set(names) for owner, names in torch_names().items() if owner.rpartition(".")[2].islower()}
    owners["torch.Tensor"] = set(torch_names()["torch.Tensor"])
    owners["torch"] = {name for name in owners["torch"] if name[0].islower()}
    return {owner: {name for name in names - imported if not name.isupper()} for owner, names in owners.items()}


@cache
def owner_of(name: str) -> Any:
    """Return the module of torch, or a tensor, as snippets see it."""
    if name == "torch.Tensor":
        return tensor([[1.0, 2.0], [3.0, 4.0]])
    found: Any = modules(None)
    for part in name.split("."):
        found = attribute(found, part)
    return found


def is_there(owner: str, name: str) -> bool:
    try:
        attribute(owner_of(owner), name)
    except (UnsupportedError, AttributeError):
        return False
    return True


def listed(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in sorted(names, key=str.lower))
