"""Words that cases are made of, all asked of what declares them: operations, torch's names, options, mistakes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import typer.main

import gradcli.ops
from gradcli.commands.parsing import app
from gradcli.ops.support.surface import OPERATIONS, Operation
from tests.programs import EXAMPLES, listed_programs

TESTS = Path(__file__).parents[1]
SAMPLES = TESTS.parent / "samples"
DEEPEST = 3  # modules in each other; those of pictures go on for ever

gradcli.ops.load()


@cache
def operations() -> Mapping[str, Operation]:
    """The operations by every name that programs have for them."""
    return {name: OPERATIONS[name] for name in sorted(OPERATIONS)}


@cache
def programs() -> tuple[str, ...]:
    """Programs that end well: the examples of the operations, and those whose gradients torch has recorded."""
    samples = [path.read_text(encoding="utf-8") for path in sorted(SAMPLES.glob("*.grad"))]
    return (*EXAMPLES, *listed_programs(), *samples)


@dataclass(frozen=True)
class Option:
    """An option of a command: its longest name, and what it takes, which is nothing for a flag."""

    name: str
    is_flag: bool
    choices: tuple[str, ...] = ()
    kind: type = str
    least: float | None = None
    most: float | None = None
    metavar: str = ""


@cache
def options(command: str) -> tuple[Option, ...]:
    """The options of a command that its help names."""
    group: Any = typer.main.get_command(app)
    found = []
    for parameter in group.get_command(None, command).params:
        if parameter.param_type_name != "option" or parameter.hidden:
            continue
        kind = parameter.type
        found.append(
            Option(
                max(parameter.opts, key=len),
                parameter.is_flag,
                tuple(getattr(kind, "choices", ())),
                int if "int" in kind.name else float if "float" in kind.name else str,
                getattr(kind, "min", None),
                getattr(kind, "max", None),
                parameter.metavar or "",
            )
        )
    return tuple(found)


@cache
def mistakes() -> tuple[str, ...]:
    """The codes of the mistakes that a diagnosis may name."""
    from gradcli.homework.mistakes.catalogue import TITLES

    return tuple(sorted(TITLES))


@cache
def modules() -> Mapping[str, tuple[str, ...]]:
    """The modules that a snippet can import, those of torch included, with the names of their members."""
    from gradcli.script.errors import UnsupportedError
    from gradcli.script.library import MODULES
    from gradcli.script.python.values.attributes import Namespace
    from gradcli.script.torch.module import namespace

    waiting: list[tuple[str, Any]] = [("torch", namespace("torch"))]
    waiting += [(name, import_module(place).namespace(name)) for name, place in MODULES.items() if name != "torch"]
    found: dict[str, tuple[str, ...]] = {}
    while waiting:
        name, module = waiting.pop()
        if name in found:
            continue
        found[name] = tuple(sorted(module.names))
        for member in found[name]:
            with suppress(UnsupportedError):  # what only a submodule has
                inner = module.get(member)
                if isinstance(inner, Namespace) and name.count(".") < DEEPEST:
                    waiting.append((f"{name}.{member}", inner))
    return dict(sorted(found.items()))


@cache
def methods() -> tuple[str, ...]:
    """The methods and attributes of tensors."""
    from gradcli.engine.tensor import Tensor
    from gradcli.script.python.members.tables import TABLES

    table = TABLES[Tensor]
    return tuple(sorted({*table.methods, *table.getters, *table.names()}))


@cache
def builtins() -> tuple[str, ...]:
    from gradcli.script.python.values.builtins import builtins

    return tuple(sorted(builtins()))


def snippets() -> Iterator[Path]:
    """The files of the snippets that samples and tests run."""
    yield from sorted((SAMPLES / "snippets").glob("*.py"))
    yield from sorted((TESTS / "script" / "snippets").glob("*.py"))
