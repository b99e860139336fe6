"""Right numbers that were not asked for: old gradients, other variables, values and updates, degrees."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from gradcli.homework.mistakes.declaration import WEAK, Guess, Mistake
from gradcli.homework.mistakes.forward import LAST
from gradcli.homework.model import Value
from gradcli.homework.solve.graph import Change, Edge
from gradcli.homework.solve.problem import Problem, slope
from gradcli.homework.solve.vertices import at_values

TIMES = (2, 3, 4)
DEGREE = np.pi / 180

STALE_GRAD = Mistake(
    "stale-grad",
    "left old gradients in place",
    order=15,
    hint="look again at what .grad holds before and after each pass",
)
SWAPPED_VARIABLE = Mistake("swapped-variable", "gave the gradient of another variable", order=17, tier=1)
NOT_A_GRADIENT = Mistake("not-a-gradient", "gave a value or an updated weight, not a gradient", order=18, tier=2)
DEGREES = Mistake("degrees", "worked in degrees", order=19)
ANOTHER_QUESTION = Mistake(
    "another-question", "gave the answer to something else that was asked", order=23, is_late=True
)


STALE_GRAD.ends(
    "2 times",
    "it is added up twice, as without zero_grad",
    lambda problem, value: 2 * value if problem.accumulates and problem.by in problem.graph.leaves else None,
)


@STALE_GRAD.guesses
def left_over(problem: Problem) -> Iterator[Guess]:
    """No zero_grad between passes: k times the gradient; earlier gradients, missing or added once more."""
    if not problem.accumulates or problem.by not in problem.graph.leaves:
        return
    name, gradient = problem.label(problem.by), problem.totals[problem.by]
    seldom = 0 if problem.before is not None else LAST  # where one pass alone has run
    for k in TIMES:
        message = f"this is the gradient of {name} added up more than once, as without zero_grad"
        yield Guess(problem.by, f"{k} times the gradient", message, k * gradient, rank=k + 1 + seldom)
    if problem.before is not None:
        yield last_pass(problem, gradient)
        again = f"you added what {name}.grad held before the last pass once more"
        yield Guess(problem.by, "the passes before twice", again, problem.before + problem.truth, rank=2)
        message = f"{name}.grad also has the last pass"
        yield Guess(problem.by, "the passes before alone", message, problem.before, rank=-1)
        message = f"{name}.grad has what every pass has added once, and yours has it twice"
        yield Guess(problem.by, "twice all passes", message, 2 * problem.truth, rank=2)
    passes = [earlier_pass.truth for earlier_pass in problem.earlier[::-1]]
    for number, value in enumerate(passes if len(passes) > 1 else ()):
        message = f"{name}.grad has what every pass has added, and yours has that of some"
        yield Guess(problem.by, f"pass {number + 1} alone", message, value, rank=-1)
        yield Guess(problem.by, f"without the first {number + 1}", message, sum(passes[number + 1 :], gradient), rank=0)
    for value in problem.unreset:
        message = f"{name}.grad was reset before the last pass; you added what earlier passes had left there"
        yield Guess(problem.by, "the passes before, too", message, value)


def last_pass(problem: Problem, gradient: Value) -> Guess:
    """Return the answer that forgets what a `.grad` held before the last pass."""
    message = f"{problem.label(problem.by)}.grad held a gradient already, and a backward pass adds to it"
    return Guess(problem.by, "the last pass alone", message, gradient, rank=-1)


@SWAPPED_VARIABLE.gradients
def another_variable(problem: Problem) -> Iterator[Guess]:
    if problem.stop:
        return
    asked, leaves = problem.ratio(problem.of, problem.by), problem.graph.leaves
    for other in [*leaves, *(v for v in sorted(problem.graph.named) if v not in leaves)]:
        if other in problem.totals and other not in (problem.by, problem.of):
            gradient = problem.at(other).swept()[other] if other in problem.given else problem.totals[other]
            message = f"this is the gradient of {problem.label(other)}, not of {problem.label(problem.by)}"
            rank = int(np.array_equal(gradient, -problem.truth)) if other in leaves else 3
            yield Guess(problem.by, f"{asked} = {problem.ratio(problem.of, other)}", message, gradient, rank=rank)


@SWAPPED_VARIABLE.gradients
def sum_of_partials(problem: Problem) -> Iterator[Guess]:
    """The derivatives by all variables added up."""
    gradients = [problem.totals[leaf] for leaf in problem.graph.leaves if leaf in problem.totals]
    is_alike = len({np.shape(gradient) for gradient in gradients}) == 1 < len(gradients)
    if is_alike and problem.by in problem.graph.leaves and not problem.stop:
        message = "this is the sum of the derivatives by all variables; each variable has one of its own"
        yield Guess(problem.of, "the sum over all variables", message, sum(gradients), rank=1)


@NOT_A_GRADIENT.gradients
def value_given(problem: Problem) -> Iterator[Guess]:
    what = problem.ratio(problem.of, problem.by)
    for vertex in (problem.by, problem.of):
        name = problem.label(vertex)
        message = f"this is the value of {name}, not a gradient"
        rank = int(vertex == problem.by)
        yield Guess(problem.by, f"{what} = {name}", message, problem.graph.vertices[vertex].value, rank=rank)


def is_among(problem: Problem, other: Problem) -> bool:
    """Whether a habit gives the answer to another problem by itself: another gradient, or a value on either end."""
    if problem.kind != "gradient" or other.graph is not problem.graph or problem.stop or other.stop:
        return False
    if other.kind == "gradient":
        return other.of == problem.of and other.before is None
    return other.by in (problem.by, problem.of)


@NOT_A_GRADIENT.gradients
def value_on_the_way(problem: Problem) -> Iterator[Guess]:
    """The value of a step without a name between the variable and the output, such as a square."""
    graph, what = problem.graph, problem.ratio(problem.of, problem.by)
    for vertex in sorted(problem.above - {problem.by, problem.of}):
        if vertex not in graph.named and np.shape(graph.vertices[vertex].value) == np.shape(problem.truth):
            message = f"this is the value of {graph.label(vertex)}, not a gradient"
            yield Guess(problem.by, f"{what} = {graph.label(vertex)}", message, graph.vertices[vertex].value, rank=WEAK)


@NOT_A_GRADIENT.gradients
def updated(problem: Problem) -> Iterator[Guess]:
    value, what = problem.graph.vertices[problem.by].value, problem.ratio(problem.of, problem.by)
    name, is_leaf = problem.label(problem.by), not problem.graph.below(problem.by)
    message = f"this is {name} after a step of gradient descent; the gradient itself was asked for"
    rank = 1 if is_leaf else 3  # only weights are updated
    for rate in problem.rates:
        step = value - rate * problem.truth
        yield Guess(problem.by, f"{what} = {name} - lr*{what}", message, step, f"lr is {rate:g}", rank)


@DEGREES.guesses
def in_degrees(problem: Problem) -> Iterator[Guess]:
    """Forward and backward with angles in degrees, as a calculator may be set to."""
    places = [i for i, v in enumerate(problem.graph.vertices) if {"angle", "arc"} & {*v.traits}]
    if not places:
        return
    node, message = places[0], "the angles are in radians, and you worked in degrees"
    values = problem.once("values in degrees", partial(forward_in_degrees, problem))
    if problem.kind == "value":
        yield Guess(node, "degrees for radians", message, values[problem.by])
        return
    for factor, rule in ((1.0, "degrees for radians"), (DEGREE, "degrees for radians, with the factor pi/180")):
        totals = problem.once(("degrees", factor), partial(backward_in_degrees, problem, values, factor))
        if problem.by in totals:
            yield Guess(node, rule, message, totals[problem.by])


def forward_in_degrees(problem: Problem) -> list[Value]:
    values: list[Value] = []
    for vertex in problem.graph.vertices:
        operands = at_values(vertex, values)
        is_same = all(x is y for x, y in zip(operands, vertex.operands, strict=True))
        if vertex.primitive is None or (is_same and not {"angle", "arc"} & {*vertex.traits}):
            values.append(vertex.value)  # on a student's own numbers it need not follow from others
            continue
        if "angle" in vertex.traits:
            operands[0] = operands[0] * DEGREE
        out = vertex.forward(operands)
        values.append(out / DEGREE if "arc" in vertex.traits else out)
    return values


def backward_in_degrees(problem: Problem, values: list[Value], factor: float) -> dict[int, Value]:
    graph = problem.graph
    changes: dict[Edge, Change] = {}
    for edge in problem.edges:
        vertex = graph.vertices[edge.vertex]
        takes_angle = "angle" in vertex.traits
        if not takes_angle and "arc" not in vertex.traits:
            continue
        x = at_values(vertex, values)[0]
        inside = x * DEGREE if takes_angle else x
        local = graph.local(edge, [inside], vertex.forward([inside]))
        changes[edge] = slope(local * (factor if takes_angle else 1 / factor))
    return problem.swept(changes, values=values)
