"""Activations: sigmoid and tanh have their derivatives in terms of the result, a relu has a mask."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from gradcli.homework.mistakes.declaration import WEAK, Mistake, Slip
from gradcli.homework.mistakes.derivatives.rules import SIGN
from gradcli.homework.model import Value
from gradcli.homework.solve.graph import Change
from gradcli.homework.solve.problem import Problem, slope
from gradcli.homework.solve.vertices import Vertex
from gradcli.homework.wording import wrapped

PRE_POST_ACTIVATION = Mistake(
    "pre-post-activation", "used an activation's derivative at the wrong value", order=11, of_rule=True
)
ACTIVATION_RULE = Mistake("activation-rule", "used the derivative rule of another activation", order=11.5, of_rule=True)
RELU_GATE = Mistake("relu-gate", "ignored or inverted the mask of a relu", order=12, of_rule=True)


def is_gate(vertex: Vertex) -> bool:
    """Whether a vertex lets the gradient through where a mask says so."""
    is_mask = "choice" in vertex.traits and len(vertex.rules) == 1  # only one of the two depends on anything
    return is_mask or "gate" in vertex.traits


@PRE_POST_ACTIVATION.slips
def wrong_side(problem: Problem) -> Iterator[Slip]:
    """The formula for the result filled in with the input, and the one for the input with the result."""
    for edge in problem.edges:
        vertex = problem.graph.vertices[edge.vertex]
        if vertex.op not in ("sigmoid", "tanh"):
            continue
        source = problem.graph.source(edge)
        z, name, result = vertex.operands[0], problem.label(source), problem.label(edge.vertex)
        ratio = problem.ratio(edge.vertex, source)
        again = problem.graph.local(edge, [vertex.value], vertex.forward([vertex.value]))
        written = wrapped(name)
        rule = f"{written}*(1 - {written})" if vertex.op == "sigmoid" else f"1 - {written}**2"
        yield Slip(
            edge.vertex,
            f"{ratio} = {rule}",
            f"you put {name} into the formula that is for {result}, the value after the activation",
            {edge: slope(z * (1 - z) if vertex.op == "sigmoid" else 1 - z * z)},
        )
        yield Slip(
            edge.vertex,
            f"{ratio} = {vertex.op}'({result})",
            f"you took the derivative of {vertex.op} at {result}, its own result, and not at {name}",
            {edge: slope(again)},
        )
        if vertex.op == "tanh":
            yield Slip(
                edge.vertex,
                f"{ratio} = 1 - {result}",
                f"you forgot to square {result}",
                {edge: slope(1 - vertex.value)},
            )


@ACTIVATION_RULE.slips
def other_rule(problem: Problem) -> Iterator[Slip]:
    """The rule of tanh for a sigmoid and the other way, one factor of a(1 - a) alone, and the derivative twice."""
    for edge in problem.edges:
        vertex = problem.graph.vertices[edge.vertex]
        if vertex.op not in ("sigmoid", "tanh", "relu"):
            continue
        a, name = vertex.value, wrapped(problem.label(edge.vertex))
        ratio = problem.ratio(edge.vertex, problem.graph.source(edge))
        if vertex.op == "relu":
            message = f"you multiplied by {name} itself; the derivative of a relu is its mask"
            yield Slip(edge.vertex, f"{ratio} = {name}", message, {edge: slope(a)}, rank=WEAK)
            continue
        message = f"you multiplied by the derivative of the {vertex.op} {name} once too often"
        yield Slip(edge.vertex, "twice", message, {edge: slope(problem.local(edge) ** 2)}, rank=WEAK)
        own, other = ("sigmoid", "tanh") if vertex.op == "sigmoid" else ("tanh", "sigmoid")
        rule = f"1 - {name}**2" if own == "sigmoid" else f"{name}*(1 - {name})"
        message = f"{name} is a {own}, and you used the rule of {other}"
        yield Slip(
            edge.vertex, f"{ratio} = {rule}", message, {edge: slope(1 - a * a if own == "sigmoid" else a * (1 - a))}
        )
        if own == "sigmoid":
            message = f"you left out a factor in the derivative of the sigmoid {name}"
            yield Slip(edge.vertex, f"{ratio} = 1 - {name}", message, {edge: slope(1 - a)})
            yield Slip(edge.vertex, f"{ratio} = {name}", message, {edge: slope(a)}, rank=1)


@SIGN.slips
def sign_inside(problem: Problem) -> Iterator[Slip]:
    """`1 + h**2` for `1 - h**2`, and `a*(1 + a)` for `a*(1 - a)`."""
    for edge in problem.edges:
        vertex = problem.graph.vertices[edge.vertex]
        a, name = vertex.value, wrapped(problem.label(edge.vertex))
        if vertex.op not in ("sigmoid", "tanh"):
            continue
        rule, wrong = (f"{name}*(1 + {name})", a * (1 + a)) if vertex.op == "sigmoid" else (f"1 + {name}**2", 1 + a * a)
        ratio = problem.ratio(edge.vertex, problem.graph.source(edge))
        message = f"in the derivative of the {vertex.op} {name} a sign has slipped"
        yield Slip(edge.vertex, f"{ratio} = {rule}", message, {edge: slope(wrong)}, rank=1)


@RELU_GATE.slips
def gate(problem: Problem) -> Iterator[Slip]:
    """The mask ignored, inverted, or taken from the gradient's own sign."""
    for edge in problem.edges:
        vertex = problem.graph.vertices[edge.vertex]
        if not is_gate(vertex):
            continue
        name, result = problem.label(problem.graph.source(edge)), problem.label(edge.vertex)
        at = problem.graph.vertices[problem.graph.source(edge)].value
        sign = "not positive" if np.any(np.equal(at, 0)) else "negative"
        closed = f"{name} is {sign}" if vertex.op in ("relu", "leaky_relu") else f"{result} does not follow {name}"
        passes = problem.graph.local(edge) == 1
        leaks = dict.fromkeys((0.0, vertex.options.get("negative_slope", 0.0)))
        for rule, message, change in (
            ("the mask is 1 everywhere", f"you let the gradient through {result} also where {closed}", _open),
            *(("the mask is inverted", f"you let the gradient through {result} where {closed}, and only there",
               _inverted(passes, leak)) for leak in leaks),
            ("the mask is the sign of the gradient", f"you masked by the sign of the gradient at {result}; "
             f"the mask is the sign of {name}", _by_gradient),
        ):  # fmt: skip
            yield Slip(edge.vertex, rule, message, {edge: change})


@RELU_GATE.slips
def all_gates(problem: Problem) -> Iterator[Slip]:
    """Every mask ignored, or every one inverted."""
    gates = [edge for edge in problem.edges if is_gate(problem.graph.vertices[edge.vertex])]
    if len(gates) > 1:
        where = " and ".join(dict.fromkeys(problem.label(edge.vertex) for edge in gates))
        opened = dict.fromkeys(gates, _open)
        turned = {edge: _inverted(problem.graph.local(edge) == 1, 0.0) for edge in gates}
        yield Slip(gates[0].vertex, "every mask is 1", f"you ignored the masks of {where}", opened, rank=1)
        yield Slip(gates[0].vertex, "every mask inverted", f"you inverted the masks of {where}", turned, rank=1)


def _open(g: Value, contribution: Value) -> Value:
    return g


def _by_gradient(g: Value, contribution: Value) -> Value:
    return np.where(g > 0, g, 0)[()]


def _inverted(passes: Value, leak: float) -> Change:
    return lambda g, contribution: (g * np.where(passes, leak, 1.0))[()]
