"""Activations: sigmoid and tanh have their derivatives in terms of the result, a relu has a mask."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from gradcli.homework.mistakes.declaration import WEAK, EdgeFacts, Mistake, Slip
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


def by_result(op: str, a: Value, name: str) -> tuple[str, Value]:
    """Return the derivative of a sigmoid or a tanh by its result, as it is written and as a number."""
    return (f"{name}*(1 - {name})", a * (1 - a)) if op == "sigmoid" else (f"1 - {name}**2", 1 - a * a)


@PRE_POST_ACTIVATION.rules("sigmoid", "tanh")
def wrong_side(edge: EdgeFacts) -> Iterator[Slip]:
    """The formula for the result filled in with the input, and the one for the input with the result."""
    message = f"you put {edge.input} into the formula that is for {edge.name}, the value after the activation"
    rule, wrong = by_result(edge.op, edge.operands[0], wrapped(edge.input))
    yield edge.with_derivative(rule, message, wrong)
    again = edge.graph.local(edge.edge, [edge.value], edge.vertex.forward([edge.value]))
    message = f"you took the derivative of {edge.op} at {edge.name}, its own result, and not at {edge.input}"
    yield edge.with_derivative(f"{edge.op}'({edge.name})", message, again)
    if edge.op == "tanh":
        yield edge.with_derivative(f"1 - {edge.name}", f"you forgot to square {edge.name}", 1 - edge.value)


@ACTIVATION_RULE.rules("sigmoid", "tanh", "relu")
def other_rule(edge: EdgeFacts) -> Iterator[Slip]:
    """The rule of tanh for a sigmoid and the other way, one factor of a(1 - a) alone, and the derivative twice."""
    a, name = edge.value, wrapped(edge.name)
    if edge.op == "relu":
        message = f"you multiplied by {name} itself; the derivative of a relu is its mask"
        yield edge.with_derivative(name, message, a, rank=WEAK)
        return
    message = f"you multiplied by the derivative of the {edge.op} {name} once too often"
    yield edge.slip("twice", message, slope(edge.problem.local(edge.edge) ** 2), rank=WEAK)
    other = "tanh" if edge.op == "sigmoid" else "sigmoid"
    rule, wrong = by_result(other, a, name)
    yield edge.with_derivative(rule, f"{name} is a {edge.op}, and you used the rule of {other}", wrong)
    if edge.op == "sigmoid":
        message = f"you left out a factor in the derivative of the sigmoid {name}"
        yield edge.with_derivative(f"1 - {name}", message, 1 - a)
        yield edge.with_derivative(name, message, a, rank=1)


@SIGN.rules("sigmoid", "tanh")
def sign_inside(edge: EdgeFacts) -> Iterator[Slip]:
    """`1 + h**2` for `1 - h**2`, and `a*(1 + a)` for `a*(1 - a)`."""
    a, name = edge.value, wrapped(edge.name)
    rule, wrong = (f"{name}*(1 + {name})", a * (1 + a)) if edge.op == "sigmoid" else (f"1 + {name}**2", 1 + a * a)
    message = f"in the derivative of the {edge.op} {name} a sign has slipped"
    yield edge.with_derivative(rule, message, wrong, rank=1)


@RELU_GATE.rules()
def gate(edge: EdgeFacts) -> Iterator[Slip]:
    """The mask ignored, inverted, or taken from the gradient's own sign."""
    if not is_gate(edge.vertex):
        return
    sign = "not positive" if np.any(np.equal(edge.graph.vertices[edge.source].value, 0)) else "negative"
    is_relu = edge.op in ("relu", "leaky_relu")
    closed = f"{edge.input} is {sign}" if is_relu else f"{edge.name} does not follow {edge.input}"
    message = f"you let the gradient through {edge.name}"
    yield edge.slip("the mask is 1 everywhere", f"{message} also where {closed}", _open)
    passes = edge.graph.local(edge.edge) == 1
    for leak in dict.fromkeys((0.0, edge.vertex.options.get("negative_slope", 0.0))):
        yield edge.slip("the mask is inverted", f"{message} where {closed}, and only there", _inverted(passes, leak))
    message = f"you masked by the sign of the gradient at {edge.name}; the mask is the sign of {edge.input}"
    yield edge.slip("the mask is the sign of the gradient", message, lambda g, contribution: np.where(g > 0, g, 0)[()])


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


def _inverted(passes: Value, leak: float) -> Change:
    return lambda g, contribution: (g * np.where(passes, leak, 1.0))[()]
