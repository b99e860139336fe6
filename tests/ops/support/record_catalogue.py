"""Writes where each operation is declared, and its traits: `python -m tests.ops.support.record_catalogue`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module
from inspect import signature
from pkgutil import walk_packages

import numpy as np

import gradcli.ops
from gradcli.engine.primitive import REGISTRY, Primitive
from gradcli.engine.symbolic.formula import as_formula
from gradcli.language.catalogue import FILE
from gradcli.language.tree import Call
from gradcli.ops.support.surface import OPERATIONS

# The traits that are asked for by name where no operation is loaded.
READ = {"elementwise", "linear", "nonnegative", "odd", "partial", "passing", "ranked", "rearranging", "reducing"}
UFUNC = signature(np.exp).parameters
REAL, POSITIVE = np.linspace(-20, 20, 4001), np.linspace(0.005, 5, 1000)


def text() -> str:
    """A line for each family, from what every module of the operations declares; and a line for each trait."""
    for module in walk_packages(gradcli.ops.__path__, "gradcli.ops."):
        import_module(module.name)
    names_of: dict[str, set[str]] = {}
    for name, operation in OPERATIONS._declared.items():
        names_of.setdefault(operation.function.__module__.removeprefix("gradcli.ops."), set()).add(name)
        if name == operation.name:
            primitive = REGISTRY.get(name)
            with np.errstate(all="ignore"):
                traits = {*operation.traits, *((*primitive.traits, *computed(primitive)) if primitive else ())}
            for trait in (traits & READ) | {operation.symbol} - {""}:
                names_of.setdefault(f"is {trait}", set()).add(name)
    return "".join(f"{line}: {' '.join(sorted(names))}\n" for line, names in sorted(names_of.items()))


def computed(primitive: Primitive) -> Iterator[str]:
    """Yield what can be seen of a primitive, or of its values, for those that are written as a call."""
    if primitive.structured or not any(primitive.rules):
        return
    forward = primitive.forward
    keywords = [x for x in signature(forward).parameters.values() if x.kind is x.KEYWORD_ONLY and x.name not in UFUNC]
    options = {x.name: 1.0 for x in keywords if x.default is x.empty}
    for count in range(len(primitive.rules), 4):  # a bound or a mask may have no rule
        with suppress(KeyError, IndexError, TypeError):
            tree = primitive.notation([as_formula(np.float64(0.5))] * count, options)
            nan = forward(*[np.float64(np.nan)] * count, **options)
            break
    else:
        return
    if not isinstance(tree, Call) or tree.function != primitive.name or "layout" in primitive.traits:
        return
    yield "elementwise"
    if np.isnan(nan):
        yield "passing"
    is_finite = np.isfinite([forward(*[np.float64(x)] * count, **options) for x in (0, -1)]).all()
    if not callable(primitive.domain) and primitive.domain.text and (count == 1 or not is_finite):
        yield "partial"
    if count == 1 and not options and not (forward(REAL) < 0).any():
        yield "nonnegative"
    is_alone = count == 1 and not keywords and primitive.pieces is None
    if is_alone and np.array_equal(forward(-POSITIVE), -forward(POSITIVE), equal_nan=True):
        yield "odd"


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
