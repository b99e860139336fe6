"""Each gradient three ways: the printed formula, the engine's backward pass, difference quotients."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from gradcli.engine.primitive import REGISTRY, TORCH
from gradcli.errors import GradcliError
from gradcli.explanation.build import explain
from gradcli.explanation.causes.infinities import behind, is_finite, kind_of
from gradcli.explanation.formulas.simplified import simplified
from gradcli.explanation.model import Explanation, Leaf, Note, Value
from gradcli.explanation.numeric.function import Function
from gradcli.explanation.numeric.judge import MOST_DOUBTS, Entries, Opinion, Outcome
from gradcli.explanation.values import Variables, apart, rounding, rounding_of, value_of
from gradcli.facts import dataclass
from gradcli.language.tree import Program, names
from gradcli.language.unparser import unparse

# Reasons why a gradient cannot be judged, as the graph shows them.


SMALL, LARGE = 2.0**-340, 2.0**340  # between these a product of three is a number, and neither 0 nor infinite


def not_finite(explanation: Explanation, gradient: Value) -> str:
    """Return where the first value that is not finite stands, if it spoilt the output or a gradient; else empty."""
    if is_finite(explanation.value) and is_finite(gradient):
        return ""
    codes = ("gradient-not-finite",) if is_finite(explanation.value) else ("not-finite", "gradient-not-finite")
    message = next((note.message for note in explanation.notes if note.code in codes), "")
    return message or f"the gradient is {kind_of(gradient)}"


def cut(explanation: Explanation, name: str) -> str:
    """Return which result on the way from a variable passes no gradient on to it; empty if all do."""
    on_the_way = behind(explanation.nodes, explanation.output)
    below = {name}
    for node in explanation.nodes:
        inputs = node.inputs or tuple(names(node.expression))
        sources = below.intersection(inputs) if node.id in on_the_way and node.id != name else set()
        if not sources or not node.dtype.startswith("float"):
            continue
        below.add(node.id)
        passes = Counter(local.input for local in node.locals)
        if any(passes[x] < inputs.count(x) for x in sources):
            return f"{unparse(node.expression)} changes with {name}, but passes no gradient on to it"
    return ""


def convention(explanation: Explanation, name: str) -> str:
    """Return that torch's convention decided about a result behind which the variable stands; else empty."""
    below = {name}
    for node in explanation.nodes:
        if not below.isdisjoint(node.inputs):
            below.add(node.id)
    for note in explanation.notes:
        if note.code in ("kink", "tie") and note.node in below:
            convention = REGISTRY[explanation.node(note.node).op or ""].convention
            return f"{note.message.partition(';')[0]}, where the convention of {TORCH} decides: {convention}"
    return ""


def extreme(explanation: Explanation) -> str:
    """Return that numbers on the way are so small or large that products of them are lost; else empty."""
    for node in explanation.nodes:
        for value in (node.value, node.grad):
            sizes = np.abs(np.zeros(1) if value is None else value)
            if np.any((sizes > 0) & (sizes < SMALL) | (sizes > LARGE)):
                return f"numbers at {node.name} are so small or so large that products of them under- or overflow"
    return ""


TOLERANCE = {"float64": 1e-6, "float32": 1e-4}  # relative to the largest entry
EXACT = "float64"  # the precision in which gradients are judged
MOST_ENTRIES = 500  # entries of all variables together that are differenced; beyond, a seeded sample
MOST_WORK = 30_000  # nodes that are evaluated for the differences, some ten times each: what takes seconds
MOST_IN_VAIN = 400  # nodes times variables for which all tables are tried though none tells anything

Finding = tuple[Outcome, str]  # with the reason


@dataclass(frozen=True, slots=True)
class Row:
    """One variable: its gradient three ways, and the outcome, with the reason where it cannot be judged.

    `differences` is nan for entries left out of a large array, `errors` bounds how far off each of them is.
    """

    name: str
    chain_rule: Value
    engine: Value
    differences: Value
    errors: Value
    relative_error: float
    outcome: Outcome
    reason: str

    @property
    def agrees(self) -> bool:
        return self.outcome is Outcome.AGREES


@dataclass(frozen=True, slots=True)
class Verification:
    program: str
    tolerance: float
    rows: tuple[Row, ...]
    notes: tuple[Note, ...]

    @property
    def outcome(self) -> Outcome:
        """The outcome of all rows: a disagreement counts before a row that cannot be judged."""
        return worst(row.outcome for row in self.rows)

    @property
    def agrees(self) -> bool:
        return self.outcome is Outcome.AGREES


def worst(outcomes: Iterable[Outcome]) -> Outcome:
    outcomes_met = set(outcomes)
    return next((x for x in (Outcome.DISAGREES, Outcome.UNJUDGED) if x in outcomes_met), Outcome.AGREES)


def verify(
    program: Program,
    values: Mapping[str, Any],
    *,
    wrt: Sequence[str] | None = None,
    of: str | None = None,
    upstream: Any = None,
    dtype: str = EXACT,
) -> Verification:
    """Verify the gradients of a program; raises as `explain` does."""
    explanation = simplified(explain(program, values, wrt=wrt, of=of, upstream=upstream, dtype=dtype))
    names_given = {*values, *Variables.of(program).literals}
    point = {node.name: node.value for node in explanation.nodes if node.name in names_given}
    exact = explanation
    if dtype != EXACT:  # single precision is measured against double, and double against the slopes
        exact = simplified(explain(program, point, wrt=wrt, of=of, upstream=explanation.upstream))
    function = Function(program, of, explanation.upstream, point)
    rows = tuple(_Comparison(function, explanation, exact, dtype).rows())
    return Verification(program.source.text, TOLERANCE[dtype], rows, explanation.notes)


class _Comparison:
    """The gradients of one program at one point; whatever the rows share is computed once."""

    def __init__(self, function: Function, explanation: Explanation, exact: Explanation, dtype: str) -> None:
        self.function, self.explanation, self.exact = function, explanation, exact
        self.tolerance = TOLERANCE[dtype]
        self.leaves = [leaf for leaf in explanation.leaves if leaf.gradient is not None]
        wrt = tuple(leaf.name for leaf in self.leaves)
        self.engine = function.gradients(wrt, dtype)
        self.precise = self.engine if exact is explanation else function.gradients(wrt)

    def rows(self) -> Iterator[Row]:
        limit = min(MOST_ENTRIES, max(1, MOST_WORK // len(self.explanation.nodes)))
        share = max(1, limit // max(1, len(self.leaves)))
        doubts, most_doubts = 0, max(MOST_DOUBTS, MOST_IN_VAIN // len(self.explanation.nodes))
        for position, leaf in enumerate(self.leaves):
            row = self.row(leaf, share if position < limit else 0, is_brief=doubts >= most_doubts)
            doubts += row.outcome is Outcome.UNJUDGED
            yield row

    def row(self, leaf: Leaf, limit: int, *, is_brief: bool = False) -> Row:
        """Return the row of one variable, from the slopes by at most so many entries."""
        engine, precise = self.engine[leaf.name], self.precise[leaf.name]
        chain_rule = chain_rule_of(self.explanation, leaf)
        entries = Entries(self.function, leaf.name, precise, self.exact.nodes, TOLERANCE[EXACT])
        slopes, errors = np.full((2, np.size(precise)), np.nan)
        findings, error = list(self.reasons_unjudged(leaf, engine, precise, limit)), np.nan
        if not findings:
            scale = entries.scale
            for entry, opinion in entries.opinions(limit, is_brief=is_brief):
                findings.append(self.finding_of_entry(leaf.name, opinion))
                if entry is not None:
                    slopes[entry], errors[entry] = opinion.slope.value, opinion.slope.error
            findings.extend(self.of_formula(leaf, precise, scale))
            findings.extend(self.of_digits([engine, chain_rule], precise, scale))
            largest = max(scale, float(np.max(np.abs(slopes), initial=0.0, where=~np.isnan(slopes))))
            error = max(apart(x, engine) for x in (chain_rule, slopes.reshape(np.shape(engine)))) / largest
        outcome = worst(kind for kind, _ in findings)
        reason = next((reason for kind, reason in findings if kind is outcome), "")
        differences, bounds = (x.reshape(np.shape(precise))[()] for x in (slopes, errors))
        return Row(leaf.name, chain_rule, engine, differences, bounds, error, outcome, reason)

    def reasons_unjudged(self, leaf: Leaf, engine: Value, precise: Value, limit: int) -> Iterator[Finding]:
        """Yield why no slope need be computed."""
        if not is_finite(point := self.function.point[leaf.name]):
            yield Outcome.UNJUDGED, f"{leaf.name} is {kind_of(point)} from the start"
        for explanation, gradient in ((self.explanation, engine), (self.exact, precise)):
            if reason := not_finite(explanation, gradient):
                yield Outcome.UNJUDGED, reason
        if not limit:
            yield Outcome.UNJUDGED, "the program is too long to change every variable"

    def finding_of_entry(self, name: str, opinion: Opinion) -> Finding:
        """Return the outcome for an entry; a gradient that is not meant to be the slope cannot be judged by it."""
        if opinion.outcome is Outcome.AGREES:
            return opinion.outcome, ""
        is_wrong = opinion.outcome is Outcome.DISAGREES
        reason = cut(self.exact, name) or convention(self.exact, name)
        if is_wrong:
            reason = reason or extreme(self.exact)
        return (Outcome.UNJUDGED, reason) if reason else (opinion.outcome, opinion.reason)

    def of_formula(self, leaf: Leaf, precise: Value, scale: float) -> Iterator[Finding]:
        """Yield that the printed formula has another value than the engine, both in double precision."""
        (leaf,) = (x for x in self.exact.leaves if x.name == leaf.name)
        value = chain_rule_of(self.exact, leaf)
        if not np.isfinite(value).all():
            yield Outcome.UNJUDGED, f"the printed formula is {kind_of(value)}"
            return
        distance = apart(value, precise)
        if distance <= max(TOLERANCE[EXACT] * scale, rounding(self.exact.point, precise.dtype)):
            return
        if leaf.formula is not None and distance <= rounding_of(self.exact.point, leaf.formula, leaf.formula_raw):
            yield Outcome.UNJUDGED, "rounding decides the digits: almost equal numbers are subtracted"
        else:
            yield Outcome.DISAGREES, "the printed formula has another value than the engine's gradient"

    def of_digits(self, gradients: Sequence[Value], precise: Value, scale: float) -> Iterator[Finding]:
        """Yield that single precision is far from double."""
        if not all(apart(gradient, precise) <= self.tolerance * scale for gradient in gradients):
            yield Outcome.UNJUDGED, "float32 has too few digits: in float64 the gradient is another"


def chain_rule_of(explanation: Explanation, leaf: Leaf) -> Value:
    """Return the printed formula at the point, nan if it has no value; where it is too long to print, the gradient."""
    if leaf.formula is None:
        return leaf.gradient
    try:
        value = value_of(leaf.formula, explanation.point)
    except GradcliError:
        return np.full_like(leaf.gradient, np.nan)
    return np.asarray(value, dtype=np.asarray(leaf.gradient).dtype)[()]
