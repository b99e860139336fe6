"""The value of an expression, without a graph: constants on the command line, printed formulas at a point."""

from __future__ import annotations

import math
from collections.abc import Container, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from gradcli.engine.modes import switched
from gradcli.engine.numerics.draws import Draws
from gradcli.engine.tensor import Tensor
from gradcli.errors import EvaluationError, UsageError
from gradcli.explanation.calls import apply
from gradcli.explanation.lines import FAILURES, no_numbers, refused
from gradcli.facts import dataclass
from gradcli.language.simplify.facts.functions import ELEMENTWISE
from gradcli.language.tree import (
    Binary,
    Call,
    Compare,
    Expression,
    List,
    Literal,
    Name,
    Number,
    Program,
    Statement,
    Unary,
    fold,
    postorder,
)
from gradcli.ops.support.arguments import as_tensor
from gradcli.source import Source, Span, did_you_mean

DRAWS = 4  # of the directions in which results are rounded
MARGIN = 4  # times what is measured, for the draws are few
CONSTANTS = {"pi": math.pi, "inf": math.inf, "nan": math.nan}


def value_of(tree: Expression, names: Mapping[str, Any], source: Source | None = None) -> Any:
    """A number or an array; `names` gives the values of names that are no constants of the language."""

    def step(node: Expression, parts: Sequence[Any]) -> Any:
        try:
            return _named(node, names) if isinstance(node, Name) else apply(node, parts)
        except FAILURES as error:
            raise refused(error, node, parts, source) from None

    with switched(grad_enabled=False, tape=None), np.errstate(all="ignore"):
        return plain_value(fold(tree, step))


def rounding(point: Mapping[str, Any], dtype: np.dtype[Any]) -> float:
    """Return how much of a difference is rounding, where values are as large as these."""
    largest = (float(np.max(np.abs(x), initial=1)) for x in point.values() if np.asarray(x).dtype.kind == "f")
    return float(np.finfo(dtype).eps) * max(filter(math.isfinite, largest), default=1.0)


def rounding_of(names: Mapping[str, Any], *trees: Expression | None) -> float:
    """Return how much of the values of expressions is rounding: by how much they move if each result does by one digit.

    Differences of almost equal numbers have few digits; `sin(x)/x**2 - cos(x)/x` near 0 is one.
    """
    return float(np.max(rounding_at(names, *trees), initial=0.0))


def rounding_at(names: Mapping[str, Any], *trees: Expression | None, count: int = DRAWS, bound: Any = math.inf) -> Any:
    """Return the same for each entry of the values, which have one shape; 0 where they are not finite.

    Comparisons come out as they do without rounding: what is equal stays equal. Drawing ends
    where each entry has reached `bound`.
    """
    draws = Draws()
    outcomes: Iterator[Any] = iter(())

    def step(node: Expression, parts: Sequence[Any]) -> Any:
        if isinstance(node, Compare):
            return next(outcomes)
        value = _named(node, names) if isinstance(node, Name) else apply(node, parts)
        if not isinstance(value, Tensor) or value.dtype.kind != "f":
            return value
        sign, kind = draws.signs(value.shape), np.finfo(value.dtype)
        smallest = np.where(value.value == 0, 0, kind.smallest_subnormal)  # which is a digit of what underflows
        digit = kind.eps * (1 + math.log2(summed(node, parts)))
        return Tensor((value.value * (1 + digit * sign) + smallest * sign).astype(value.dtype)[()])

    spread: Any = 0.0
    with switched(grad_enabled=False, tape=None), np.errstate(all="ignore"), suppress(*FAILURES):
        for tree in filter(None, trees):
            exact, largest, before = value_of(tree, names), 0.0, spread
            compared = [as_tensor(value_of(node, names)) for node in postorder(tree) if isinstance(node, Compare)]
            for _ in range(count):
                outcomes = iter(compared)
                change = np.abs(np.subtract(plain_value(fold(tree, step)), exact, dtype=np.float64))
                largest = np.fmax(largest, change)
                spread = before + MARGIN * np.nan_to_num(largest, posinf=0.0)
                if np.all(bound <= spread):
                    return spread
    return spread


def summed(node: Expression, parts: Sequence[Any]) -> int:
    """Return how many terms each entry of a result may be the sum of: the digits lost grow with their logarithm."""
    is_entry_by_entry = (
        node.function in ELEMENTWISE if isinstance(node, Call) else isinstance(node, Binary) and node.operator != "@"
    )
    sizes = (part.value.size for part in parts if isinstance(part, Tensor))
    return 1 if is_entry_by_entry else max(1, max(sizes, default=1))


def out_of_range(names: Mapping[str, Any], tree: Expression, shape: tuple[int, ...]) -> Any:
    """Return the mask of columns of this shape, or one for all, where results on the way to the value leave the floats.

    These are infinite, or products, quotients and powers that are 0 though nothing in them is.
    """
    met: Any = np.zeros(shape, bool)

    def step(node: Expression, parts: Sequence[Any]) -> Any:
        nonlocal met
        value = _named(node, names) if isinstance(node, Name) else apply(node, parts)
        if isinstance(value, Tensor) and value.dtype.kind == "f":
            lost = np.isinf(value.value)
            if isinstance(node, Binary) and node.operator in ("*", "/", "**"):
                left, right = (np.not_equal(plain_value(x), 0) for x in parts)
                lost = lost | (value.value == 0) & left & (right | (node.operator == "**"))
            met = met | (lost if shape else lost.any())
        return value

    with switched(grad_enabled=False, tape=None), np.errstate(all="ignore"), suppress(*FAILURES):
        fold(tree, step)
    return met


def apart(a: Any, b: Any) -> float:
    """Return the largest distance of two entries; no distance where one is nan."""
    with np.errstate(all="ignore"):
        distance = np.where(np.equal(a, b), 0.0, np.abs(np.subtract(a, b, dtype=np.float64)))
    return float(np.max(distance, initial=0.0, where=~np.isnan(distance)))


def _named(node: Name, names: Mapping[str, Any]) -> Any:
    if node.id in names:
        value = names[node.id]
        return value if isinstance(value, int | float) and not isinstance(value, np.generic) else as_tensor(value)
    if node.id in CONSTANTS:
        return CONSTANTS[node.id]
    raise EvaluationError(
        "E207",
        f"{node.id} is a name, and a value must be a number or a list",
        label="not a number",
        help="for Euler's number write exp(1)" if node.id == "e" else f"constants are {', '.join(CONSTANTS)}",
    )


def constant(tree: Expression, source: Source) -> Any:
    """The value of an expression without variables."""
    try:
        return value_of(tree, {}, source)
    except (TypeError, ValueError):
        raise no_numbers("this").at(tree.span, source) from None


def plain_value(value: Any) -> Any:
    """Numbers and arrays out of tensors, through nested lists."""
    if isinstance(value, Tensor):
        return value.value
    return as_tensor(value).value if isinstance(value, list) else value


# The variables of a program and where their values come from: `NAME=VALUE`, a literal in the program, a file.


def is_plain(tree: Expression) -> bool:
    """Return whether an expression is a plain number or nested lists of numbers, so that its name is a variable."""
    return all(
        isinstance(node, Number | List)
        or (isinstance(node, Literal) and isinstance(node.value, bool))
        or (isinstance(node, Unary) and isinstance(node.operand, Number))
        for node in postorder(tree)
    )


@dataclass(frozen=True, slots=True)
class Variables:
    """The variables of a program: the names that take a value from outside or from a literal.

    `places` are the names in order of appearance, each with its first place; `literals` the statements that give a
    name a plain number or list, which is then its value unless another is given.
    """

    program: Program
    places: dict[str, Span]
    literals: dict[str, Statement]

    @classmethod
    def of(cls, program: Program) -> Variables:
        """Read them off a program: a name is a variable if it is not assigned, or first assigned a literal."""
        first: dict[str, Statement] = {}
        for statement in program.statements:
            if statement.target is not None:
                first.setdefault(statement.target, statement)
        literals = {name: statement for name, statement in first.items() if is_plain(statement.value)}
        places: dict[str, Span] = {}
        for statement in program.statements:
            if statement.target in literals:
                places.setdefault(statement.target, statement.target_span)
            for node in postorder(statement.value):
                if isinstance(node, Name) and node.id not in first:
                    places.setdefault(node.id, node.span)
        return cls(program, places, literals)

    def missing(self, values_given: Container[str]) -> list[str]:
        """The names that still need a value."""
        defaults = (*self.literals, *CONSTANTS)
        return [name for name in self.places if name not in values_given and name not in defaults]


def check_bindings(needed: Variables, values_given: Mapping[str, Any]) -> list[str]:
    """Refuse missing and computed names, all at once; returns the bindings that the program does not use."""
    missing = needed.missing(values_given)
    unused = [name for name in values_given if name not in needed.places]
    computed = [s for s in needed.program.statements if s.target in unused]
    if computed:
        target = computed[0]
        raise UsageError(
            "E006",
            f"{target.target} is computed by the program, so it cannot be given a value",
            span=target.target_span,
            label="computed here",
            help=f"remove {target.target}=... or rename one of the two",
            source=needed.program.source,
        )
    if missing:
        raise EvaluationError(
            "E201",
            f"{'no value' if len(missing) == 1 else 'no values'} for {', '.join(missing)}",
            span=needed.places[missing[0]],
            label="needs a value",
            help=_help_missing(needed.program, missing, unused),
            source=needed.program.source,
        )
    return unused


def _help_missing(program: Program, missing: Sequence[str], unused: Sequence[str]) -> str:
    from gradcli.language.applications import called, is_function

    lines = [f"add {' '.join(f'{name}=1' for name in missing)}"]
    lines.extend(f"for the function {name} type '{called(program, name)}'" for name in missing if is_function(name))
    if "e" in missing:
        lines.append("for Euler's number write exp(1)")
    products = {name: product for name in missing if (product := _product(name, unused))}
    lines.extend(f"for a product type {product}" for product in products.values())
    likely_names = {name: close for name in missing if name not in products and (close := did_you_mean(name, unused))}
    lines.extend(f"you gave {close}: did you mean {name}?" for name, close in likely_names.items())
    explained = {*likely_names.values(), *(name for product in products.values() for name in product.split("*"))}
    strange = [name for name in unused if name not in explained]
    if strange:
        lines.append(f"the program does not use {', '.join(strange)}")
    return "; ".join(lines)


def _product(name: str, names_given: Sequence[str]) -> str:
    """Return `x*y` for a name `xy` that is those of two values written together; empty for another name."""
    pairs = ((name[:end], name[end:]) for end in range(1, len(name)))
    return next((f"{first}*{second}" for first, second in pairs if first in names_given and second in names_given), "")


def literal_values(program: Program) -> dict[str, Any]:
    """Return the values that a program itself gives to variables."""
    literals = Variables.of(program).literals
    return {name: np.asarray(value_of(statement.value, {}), np.float64)[()] for name, statement in literals.items()}


def placeholders(program: Program, values_given: Mapping[str, Any]) -> dict[str, float]:
    """Return a scalar for every variable without a value: different ones, where every function is smooth."""
    from gradcli.language.applications import is_applied

    missing = [name for name in Variables.of(program).missing(values_given) if not is_applied(program, name)]
    return {name: 0.9 / (position + 2) for position, name in enumerate(missing)}
