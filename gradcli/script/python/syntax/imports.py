"""`import`: a table of modules as snippets see them."""

from __future__ import annotations

import ast
import sys
from contextlib import suppress
from typing import Any

from gradcli.script.errors import UnsupportedError
from gradcli.script.originals import missing
from gradcli.script.python.syntax.compiler import Closure, Unit, compiles, refusal
from gradcli.script.python.syntax.names import store_name
from gradcli.script.python.syntax.scopes import Env, Scope
from gradcli.script.python.values.attributes import Namespace
from gradcli.script.python.values.places import Place, placed


def imported(modules: Namespace, dotted: str) -> Any:
    """Return the module of a dotted name from the table of all modules."""
    first, *rest = dotted.split(".")
    if first not in modules.names:
        raise _no_module(first, modules)
    found: Any = modules.get(first)
    known = first
    for name in rest:
        if not isinstance(found, Namespace):
            raise ModuleNotFoundError(f"No module named {dotted!r}; {known!r} is not a package", name=dotted)
        known = f"{known}.{name}"
        try:
            found = found.get(name, imported=True)
        except AttributeError as error:
            if first == "torch" and known.count(".") > 1:  # torch may have it, and not import it by itself
                raise UnsupportedError(
                    f"the module {known} is not supported in snippets", python=ModuleNotFoundError
                ) from error
            raise ModuleNotFoundError(f"No module named {known!r}", name=known) from error
    return found


def _no_module(name: str, modules: Namespace) -> Exception:
    """Return Python's error for an unknown module, or ours for one of Python's own that is not supported."""
    if name not in sys.stdlib_module_names:
        return ModuleNotFoundError(f"No module named {name!r}", name=name)
    known = ", ".join(sorted(modules.names))
    message = f"the module {name} is not supported in snippets"
    return UnsupportedError(message, python=ModuleNotFoundError, help=f"there are {known}")


def member(owner: Any, module: str, name: str) -> Any:
    """Return the value of `from module import name`."""
    if not isinstance(owner, Namespace):
        raise missing(module, name, (), "{} is no module")
    try:
        return owner.get(name)
    except AttributeError as error:
        raise ImportError(f"cannot import name {name!r} from {module!r}", name=name) from error


@compiles(ast.Import)
def import_(node: ast.Import, scope: Scope, unit: Unit) -> Closure:
    place, modules = Place(node, unit.source), unit.machine.modules
    stores = [
        (alias.name, alias.asname, store_name(alias.asname or alias.name.partition(".")[0], scope, unit))
        for alias in node.names
    ]

    def run(env: Env) -> None:
        try:
            for dotted, renamed, store in stores:
                found = imported(modules, dotted)
                store(env, found if renamed else imported(modules, dotted.partition(".")[0]))
        except Exception as error:
            placed(error, place)
            raise

    return run


@compiles(ast.ImportFrom)
def import_from(node: ast.ImportFrom, scope: Scope, unit: Unit) -> Closure:
    place, modules, module = Place(node, unit.source), unit.machine.modules, node.module or ""
    if node.level or not module:
        raise refusal(node, unit, "relative imports are not supported", "put everything into one file")
    if module == "__future__":
        return lambda env: None
    if node.names[0].name == "*":
        return _everything(module, place, unit)
    stores = [(alias.name, store_name(alias.asname or alias.name, scope, unit)) for alias in node.names]

    def run(env: Env) -> None:
        try:
            owner = imported(modules, module)
            for name, store in stores:
                store(env, member(owner, module, name))
        except Exception as error:
            placed(error, place)
            raise

    return run


def _everything(module: str, place: Place, unit: Unit) -> Closure:
    """`from module import *`, which Python allows only where names are global."""
    variables, modules = unit.machine.globals, unit.machine.modules

    def run(env: Env) -> None:
        try:
            owner = imported(modules, module)
            for name in sorted(owner.names):
                with suppress(AttributeError, UnsupportedError):
                    variables.update({} if name.startswith("_") else {name: owner.get(name)})
        except Exception as error:
            placed(error, place)
            raise

    return run
