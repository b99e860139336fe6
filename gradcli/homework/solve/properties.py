"""Properties of the variables of a question, `given = { y = "one_hot" }`: points at which formulas are tried have them.

A formula that holds for such values alone, `p - y` for `p*sum(y) - y`, is then right, and the key is written so.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from gradcli.engine.numerics import lapack
from gradcli.errors import GradcliError
from gradcli.explanation.values import value_of
from gradcli.language.parser import parse_expression
from gradcli.language.rewrite import replaced
from gradcli.language.tree import Binary, Expression, Name, postorder
from gradcli.language.unparser import unparse
from gradcli.source import Source


def one_hot(value: Any) -> Any:
    largest = np.argmax(value, axis=-1)
    return (np.arange(np.shape(value)[-1]) == largest[..., None]).astype(float)


def probability(value: Any) -> Any:
    return np.abs(value) / np.sum(np.abs(value), axis=-1, keepdims=True)


def unit(value: Any) -> Any:
    return value / np.sqrt(np.sum(np.square(value)))


def symmetric(value: Any) -> Any:
    return (value + np.swapaxes(value, -1, -2)) / 2


def orthogonal(value: Any) -> Any:
    left, _, right = lapack.singular(value)
    return left @ right


def positive_definite(value: Any) -> Any:
    sizes, vectors = lapack.symmetric(symmetric(value))
    return vectors @ np.diag(np.abs(sizes)) @ vectors.T


PROPERTIES: Mapping[str, tuple[int, Callable[[Any], Any]]] = {  # the least dimensions, and the nearest such value
    "one_hot": (1, one_hot),
    "probability": (1, probability),
    "unit": (1, unit),
    "symmetric": (2, symmetric),
    "orthogonal": (2, orthogonal),
    "positive_definite": (2, positive_definite),
    "diagonal": (2, lambda value: np.diag(np.diag(value))),
    "positive": (0, np.abs),
    "negative": (0, lambda value: -np.abs(value)),
    "binary": (0, lambda value: np.where(np.asarray(value) > 0, 1.0, 0.0)),
}
SUMMED = ("sum({0})", "sum({0}, dim=-1, keepdim=True)", "sum({0}, dim=1, keepdim=True)", "sum({0}, dim=-1)")
SQUARED = ("sum({0}**2)", "{0} @ {0}", "dot({0}, {0})", "sum({0}*{0})")
SIMPLER = {  # what a formula may have, and what stands there for values with the property
    "one_hot": [(part, "1") for part in SUMMED],
    "probability": [(part, "1") for part in SUMMED],
    "unit": [(part, "1") for part in SQUARED],
    "symmetric": [("{0}.T", "{0}")],
    "diagonal": [("{0}.T", "{0}")],
    "positive_definite": [("{0}.T", "{0}")],
    "positive": [("abs({0})", "{0}")],
}


def has(name: str, value: Any) -> bool:
    """Whether a value has a property."""
    least, nearest = PROPERTIES[name]
    array = np.asarray(value, float)
    if array.ndim < least or (least == 2 and array.shape[-1] != array.shape[-2]):
        return False
    return bool(np.allclose(nearest(array), array, rtol=1e-9, atol=1e-9))


def simpler(text: str, given: Mapping[str, str], values: Mapping[str, Any]) -> str:
    """Return a formula as it may be written where variables have properties; it is to be tried before it is shown."""
    from gradcli.explanation.formulas.checking import simplify_checked

    try:
        tree = parse_expression(Source(text, "formula"))
        for name, property_name in given.items():
            for part, by in SIMPLER.get(property_name, ()):
                old, new = (parse_expression(Source(template.format(name), "formula")) for template in (part, by))
                tree = replaced(tree, old, new)
            if "T" in "".join(part for part, _ in SIMPLER.get(property_name, ())):
                tree = turned(tree, name, values)
        return unparse(simplify_checked(tree, values))
    except GradcliError:
        return text


def turned(tree: Expression, name: str, values: Mapping[str, Any]) -> Expression:
    """Return a formula with `A @ x` for `x @ A`, where the matrix of a name is symmetric."""
    for node in postorder(tree):
        if isinstance(node, Binary) and node.operator == "@" and node.right == Name(name):
            left = value_of(node.left, dict(values), Source(unparse(node.left), "formula"))
            if np.ndim(getattr(left, "value", left)) == 1:
                tree = replaced(tree, node, Binary("@", node.right, node.left))
    return tree
