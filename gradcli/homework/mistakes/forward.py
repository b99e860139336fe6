"""The forward pass: one operation replaced by another, and the derivatives go on from there."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np

from gradcli.engine.primitive import REGISTRY, Primitive
from gradcli.facts import Table
from gradcli.homework.mistakes.declaration import VERTICES, Guess, Mistake, StepFacts, Turn, fitting
from gradcli.homework.solve.graph import Graph
from gradcli.homework.solve.problem import Problem
from gradcli.homework.solve.vertices import Vertex
from gradcli.language.catalogue import BASICS, FAMILY_OF, operations_that_are

FORWARD_SLIP = Mistake(
    "forward-slip",
    "made a slip in the forward pass",
    order=22,
    is_late=True,
    hint="look again at {node} in the forward pass",
)

LAST = 5  # the rank: where a slip in a derivative gives the number too, that is likelier
SELDOM = LAST + 1  # the rank of slips so rare that a number alone does not show them
VERSION = re.compile(r"(?P<name>\w+?)_(?P<number>\d+)")  # of a value that was changed in place
ACTIVATIONS = [op for op in BASICS["activations"] if op in operations_that_are("elementwise")]
FUNCTIONS = (*BASICS["functions"], *ACTIVATIONS)
MAKERS = Table()  # the ways in which an operation goes wrong


def operated(
    vertex: Vertex, op: str, positions: tuple[int | float, ...], options: Mapping[str, Any] | None = None
) -> Vertex:
    """Return a vertex with another operation; a position is one of its operands, a float is a number."""
    primitive = declared(op)
    operands = tuple(vertex.operands[p] if isinstance(p, int) else np.float64(p) for p in positions)
    sources = tuple(vertex.sources[p] if isinstance(p, int) else -1 for p in positions)
    rules = {
        place: rule
        for place, (position, rule) in enumerate(zip(positions, primitive.rules, strict=False))
        if rule is not None and isinstance(position, int) and position in vertex.rules
    }
    with np.errstate(all="ignore"):
        value = primitive.forward(*operands, **(options or {}))
    return Vertex(vertex.line, value, operands, sources, rules, primitive, options or {})


def declared(op: str) -> Primitive:
    """Return a primitive by its name; the program may use none of its family, which is then still to be imported."""
    if op not in REGISTRY:
        import_module(f"gradcli.ops.{FAMILY_OF[op]}")
    return REGISTRY[op]


def itself(vertex: Vertex, position: int) -> Vertex:
    """Return a vertex that is one of its operands."""
    return operated(vertex, "mul", (position, 1.0))


@FORWARD_SLIP.turns
def replaced(graph: Graph) -> Iterator[Turn]:
    """Each step in each way in which its operation goes wrong."""
    for index, vertex in graph.new() if len(graph.vertices) <= VERTICES else ():
        for make in MAKERS.get(vertex.op, ()) if vertex.primitive else ():
            rank = SELDOM if make in RARE else LAST
            turns = fitting(graph, partial(make, StepFacts(graph, index, vertex)))
            yield from (turn._replace(rank=rank) for turn in turns)


@FORWARD_SLIP.guesses
def unchanged(problem: Problem) -> Iterator[Guess]:
    """A value as it was before it was changed in place."""
    name = problem.label(problem.by)
    match = VERSION.fullmatch(name)
    for known, vertex in problem.graph.names.items() if match and problem.kind == "value" else ():
        assert match
        other = VERSION.fullmatch(known)
        if vertex < problem.by and (known == match["name"] or (other and other["name"] == match["name"])):
            message = f"{match['name']} was changed in place after it had this value"
            yield Guess(problem.by, f"{known} for {name}", message, problem.graph.vertices[vertex].value, rank=LAST)


@MAKERS.of("add")
def of_sum(step: StepFacts) -> Iterator[Turn]:
    out, a, b = step.names
    yield step.turn("- for +", f"in {out} you subtracted {b}; it is added", operated(step.vertex, "sub", (0, 1)))
    yield step.turn("+ left out", f"in {out} you forgot {b}", itself(step.vertex, 0))
    yield step.turn("+ left out", f"in {out} you forgot {a}", itself(step.vertex, 1))
    yield step.turn("* for +", f"in {out} you multiplied; it is a sum", operated(step.vertex, "mul", (0, 1)))


@MAKERS.of("sub", "rsub")
def of_difference(step: StepFacts) -> Iterator[Turn]:
    out, *operands = step.names
    first, second = (0, 1) if step.op == "sub" else (1, 0)
    rest, taken = operands[first], operands[second]
    added = operated(step.vertex, "add", (0, 1))
    yield step.turn("+ for -", f"in {out} you added {taken}; it is subtracted", added)
    yield step.turn("- left out", f"in {out} you forgot {taken}", itself(step.vertex, first))
    yield step.turn("- left out", f"in {out} you forgot {rest}", operated(step.vertex, "mul", (second, -1.0)))
    yield step.turn("- left out", f"in {out} you forgot {rest}, and the minus sign", itself(step.vertex, second))
    message = f"you took the difference {out} the other way round"
    yield step.turn("turned round", message, operated(step.vertex, "sub", (1, 0)))


@MAKERS.of("mul")
def of_product(step: StepFacts) -> Iterator[Turn]:
    out, a, b = step.names
    yield step.turn("* left out", f"in {out} you forgot the factor {b}", itself(step.vertex, 0))
    yield step.turn("* left out", f"in {out} you forgot the factor {a}", itself(step.vertex, 1))
    yield step.turn("+ for *", f"in {out} you added; it is a product", operated(step.vertex, "add", (0, 1)))
    for place, source in enumerate(step.vertex.sources):
        if source < 0 and np.ndim(step.operands[place]) == 0 and step.operands[place] < 0:
            value = operated(step.vertex, "mul", (1 - place, float(-step.operands[place])))
            yield step.turn("- left out", f"in {out} you lost the minus sign", value)
    yield step.turn("/ for *", f"in {out} you divided by {b}; it is a product", operated(step.vertex, "div", (0, 1)))


@MAKERS.of("mul")
def of_square(step: StepFacts) -> Iterator[Turn]:
    """A product in which one factor stands for both."""
    out, a, b = step.names
    yield step.turn(f"{a} twice", f"in {out} you used {a} for {b}", operated(step.vertex, "mul", (0, 0)))
    yield step.turn(f"{b} twice", f"in {out} you used {b} for {a}", operated(step.vertex, "mul", (1, 1)))


@MAKERS.of("div")
def of_quotient(step: StepFacts) -> Iterator[Turn]:
    out, _, b = step.names
    yield step.turn("upside down", f"the quotient {out} is upside down", operated(step.vertex, "div", (1, 0)))
    yield step.turn("* for /", f"in {out} you multiplied by {b}; it divides", operated(step.vertex, "mul", (0, 1)))
    yield step.turn("/ left out", f"in {out} you forgot to divide by {b}", itself(step.vertex, 0))
    below = step.unnamed(1)
    if below is not None and below.op == "mul":
        for first, second in (below.operands, below.operands[::-1]):
            yield step.turn("/a*b for /(a*b)", f"in {out} all of {b} divides", step.operands[0] / first * second)


@MAKERS.of("pow", "pow_tensor")
def of_power(step: StepFacts) -> Iterator[Turn]:
    out, x, *_ = step.names
    n = step.vertex.options["exponent"] if step.op == "pow" else step.operands[1]
    yield step.turn("the power left out", f"you forgot the exponent of {out}", itself(step.vertex, 0))
    if np.size(n) == 1:
        message = f"you multiplied {x} by the exponent of {out}"
        yield step.turn("n*x for x**n", message, operated(step.vertex, "mul", (0, float(n))))


@MAKERS.of("pow")
def of_exponent(step: StepFacts) -> Iterator[Turn]:
    """A power with the exponent beside its own."""
    n, message = step.vertex.options.get("exponent", 0.5), f"you took another exponent for {step.name}"
    for other in (n + 1, n - 1) if n == round(n) and n >= 2 else ():
        if other > 1:
            changed = operated(step.vertex, "pow", (0,), {"exponent": other})
            yield step.turn(f"x**(n {'+' if other > n else '-'} 1) for x**n", message, changed)


@MAKERS.of(*FUNCTIONS)
def of_function(step: StepFacts) -> Iterator[Turn]:
    out, op = step.name, step.op
    yield step.turn(f"{op} left out", f"in {out} you forgot the {op}", itself(step.vertex, 0))
    swaps = {"sin": ["cos"], "cos": ["sin"], "exp": ["log"], "log": ["exp"]}
    for other in swaps.get(op, [activation for activation in ACTIVATIONS if activation != op and op in ACTIVATIONS]):
        yield step.turn(f"{other} for {op}", f"you took the {other} for {out}", operated(step.vertex, other, (0,)))
    if op in ("exp", "sigmoid"):
        rules = {place: partial(_mirrored, rule) for place, rule in step.vertex.rules.items()}
        changed = replace(step.vertex, value=step.vertex.forward([-step.operands[0]]), rules=rules)
        yield step.turn("-", f"in {out} the exponent has the other sign", changed)


def _mirrored(rule: Any, g: Any, out: Any, x: Any) -> Any:
    return -rule(g, out, -x)


@MAKERS.of("where")
def of_choice(step: StepFacts) -> Iterator[Turn]:
    message = f"in {step.name} you took each value where the other belongs"
    yield step.turn("turned round", message, operated(step.vertex, "where", (0, 2, 1)))


@MAKERS.of("maximum", "minimum")
def of_extreme(step: StepFacts) -> Iterator[Turn]:
    other = "minimum" if step.op == "maximum" else "maximum"
    changed = operated(step.vertex, other, (0, 1))
    yield step.turn(f"{other} for {step.op}", f"you took the {other} for {step.name}", changed)
    yield step.turn(f"+ for {step.op}", f"you took the sum for {step.name}", operated(step.vertex, "add", (0, 1)))


@MAKERS.of("neg")
def of_negation(step: StepFacts) -> Iterator[Turn]:
    yield step.turn("- left out", f"in {step.name} you lost the minus sign", itself(step.vertex, 0))


@MAKERS.of("addmm")
def of_addmm(step: StepFacts) -> Iterator[Turn]:
    out, bias, *_ = step.names
    c, a, b = step.operands
    yield step.turn("+ left out", f"in {out} you forgot {bias}", a @ b)
    yield step.turn("- for +", f"in {out} you subtracted {bias}; it is added", a @ b - c)


RARE = (of_square, of_exponent)
