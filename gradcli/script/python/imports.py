"""`import`: a table of modules as snippets see them."""

from __future__ import annotations

import ast
from typing import Any

from gradcli.script.errors import UnsupportedError
from gradcli.script.python.attributes import Namespace, missing
from gradcli.script.python.compiler import Closure, Unit, compiles, refusal
from gradcli.script.python.names import store_name
from gradcli.script.python.places import Place, placed
from gradcli.script.python.scopes import Env, Scope


def imported(modules: Namespace, dotted: str) -> Any:
    """The module of a dotted name, found from the table of all modules."""
    first, *rest = dotted.split(".")
    try:
        found: Any = modules.get(first)
    except UnsupportedError as error:
        close = error.help if error.help.startswith("did you mean") else ""
        known = ", ".join(sorted(modules.known))
        raise UnsupportedError(
            f"No module named {first!r} in snippets", python=ModuleNotFoundError, help=close or f"there are {known}"
        ) from None
    for name in rest:
        if not isinstance(found, Namespace):
            raise UnsupportedError(f"No module named {dotted!r}", python=ModuleNotFoundError, help=f"import {first}")
        found = found.get(name)
    return found


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
    if any(alias.name == "*" for alias in node.names):
        raise refusal(node, unit, "import * is not supported", f"name what you use: from {module} import ...")
    stores = [(alias.name, store_name(alias.asname or alias.name, scope, unit)) for alias in node.names]

    def run(env: Env) -> None:
        try:
            owner = imported(modules, module)
            for name, store in stores:
                if not isinstance(owner, Namespace):
                    raise missing(f"{module} is no module", name, ())
                store(env, owner.get(name))
        except Exception as error:
            placed(error, place)
            raise

    return run
