"""The code and the tables of a run, and its network: a connection is as thick as its gradient is large."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from textwrap import wrap

import numpy as np

from gradcli.explanation.model import Node, Value
from gradcli.explanation.steps.walk import Contributed
from gradcli.facts import dataclass
from gradcli.language.tree import Binary, Call, Name
from gradcli.render.page.document import Html, cut, element
from gradcli.render.page.picture import Tracks, tensor_table
from gradcli.render.page.snippet.page_steps import Pass, Stops, written
from gradcli.render.text.numbers import number
from gradcli.script.moments.model import TensorState
from gradcli.source import Source

# The code, what it printed, and the tensors of a run, each as of the step.


NAME = 40
COLUMNS = ("name", "value", "requires_grad", "is_leaf", "grad_fn", "version", ".grad")


def code(stops: Stops, tracks: Tracks) -> Html:
    """Return the cells of the snippet, the current line marked."""
    at: dict[tuple[Source, int], list[int]] = {}
    for place, stop in enumerate(stops.stops):
        at.setdefault((stop.source, stop.line), []).append(place)
    cells = stops.ran.snippet.cells
    parts = []
    for place, cell in enumerate(cells, 1):
        if len(cells) > 1:
            parts.append(element("h2", f"Cell {place}"))
        parts.append(element("ol", *lines(cell, at, tracks), class_="lines"))
    return element("section", *parts, class_="code", tabindex=0, aria_label="The code")


def lines(cell: Source, at: dict[tuple[Source, int], list[int]], tracks: Tracks) -> Iterator[Html]:
    """Yield the lines of a cell."""
    for place, text in enumerate(cell.text.rstrip().split("\n"), 1):
        changes = [(0, "idle")]
        for step in at.get((cell, place), ()):
            changes += [(step, "active"), (step + 1, "done")]
        line = element("code", text.rstrip("\r") or " ", class_="comment" if text.lstrip().startswith("#") else None)
        yield element("li", line, data_line=place, data_state=changes[-1][1], data_look=tracks.add(changes))


def printed(stops: Stops, tracks: Tracks) -> Html:
    """Return what the snippet has printed so far."""
    texts = [element("span", text, data_shown=tracks.add([(0, False), (step, True)])) for step, text in stops.printed]
    out = element("pre", *texts, tabindex=0, role="region", aria_label="What it has printed")
    return element("section", element("h2", "Printed so far"), out, class_="printed")


def tensors(stops: Stops, tracks: Tracks) -> Html:
    """Return the table of the tensors that have a name."""
    states: dict[str, dict[int, TensorState | None]] = {}
    for step, moment in stops.changes:
        for state in moment.changed:
            states.setdefault(state.name, {})[step] = state
        for name in moment.gone:
            states[name][step] = None
    tensors = {name: by_step for name, by_step in states.items() if any(by_step.values())}  # others are numbers by then
    rows = (row(name, [*by_step.items()], stops, tracks) for name, by_step in tensors.items())
    return tensor_table(COLUMNS, element("tbody", *rows))


def row(name: str, states: list[tuple[int, TensorState | None]], stops: Stops, tracks: Tracks) -> Html:
    """Return the row of a name: hidden while it means no tensor."""
    looks = stops.looks
    known = [(step, state) for step, state in states if state is not None]
    texts = [
        [(step, written(state.value, looks)) for step, state in known],
        [(step, str(state.requires_grad)) for step, state in known],
        [(step, str(state.is_leaf)) for step, state in known],
        [(step, state.grad_fn or "None") for step, state in known],
        [(step, str(state.version)) for step, state in known],
    ]
    cells = [
        element("td", now[-1][1], data_text=tracks.add([(0, now[0][1]), *now]), class_="word" if place else None)
        for place, now in enumerate(texts)
    ]
    is_there = [(0, False), *((step, state is not None) for step, state in states)]
    active = [(0, "idle")]
    for step, _ in states:
        active += [(step, "active"), (step + 1, "idle")]
    return element(
        "tr",
        element("th", cut(name, NAME), scope="row"),
        *cells,
        grad(name, known, stops, tracks),
        data_shown=tracks.add(is_there),
        data_look=tracks.add(active),
    )


def grad(name: str, known: list[tuple[int, TensorState]], stops: Stops, tracks: Tracks) -> Html:
    """Return the cell of the gradient: beside each None stands why."""
    arrived = dict(arrivals(name, stops))
    values = {step: written(state.grad, stops.looks) if state.has_grad else "None" for step, state in known}
    changes = sorted({**values, **arrived}.items())
    reasons = [(step, missing_reason(state)) for step, state in known]
    missing = [(0, False), *((step, text == "None") for step, text in changes)]
    return element(
        "td",
        element("span", changes[-1][1], data_text=tracks.add([(0, "None"), *changes])),
        element(
            "details",
            element("summary", "why?", aria_label=f"Why is {cut(name, NAME)}.grad None?"),
            element("p", reasons[-1][1], data_text=tracks.add([(0, ""), *reasons])),
            data_shown=tracks.add(missing),
        ),
        class_="grad",
    )


def missing_reason(state: TensorState) -> str:
    """Return why there is no gradient, in a sentence."""
    return "" if state.has_grad else f"{cut(state.name, NAME)}.grad is None: {state.reason}."


def arrivals(name: str, stops: Stops) -> Iterator[tuple[int, str]]:
    """Yield the steps within backward passes at which a gradient arrives, before the statement is over."""
    for done in stops.passes:
        for place, move in enumerate(done.walk.moves, 1):
            if move.phase == "accumulate" and getattr(move, "node", "") == name:
                yield done.numbers[place], written(getattr(move, "after", None), stops.looks)


FEWEST = 2  # layers of a network
MOST = 8  # layers of a picture
UNITS = 8  # of a column
LEFT, ACROSS, DOWN, TOP, FOOT = 40.0, 180.0, 34.0, 30.0, 116.0  # pixels
THICK, THIN = 9.0, 0.6  # of a connection
LETTERS = 20  # of a line below a layer


@dataclass(frozen=True, slots=True)
class Layer:
    """A layer: its weight, its gradient by output and input, the step at which that arrives, and what comes after."""

    weight: str
    gradient: Value
    step: int
    then: tuple[str, ...]


def layers(done: Pass) -> list[Layer]:
    """Return the layers of a pass in the order in which they compute."""
    nodes = done.walk.explanation.nodes
    arrived = {
        move.edge.source: done.numbers[number]
        for number, move in enumerate(done.walk.moves, 1)
        if isinstance(move, Contributed)
    }
    weights = {node.id: node for node in nodes if node.kind == "leaf" and node.grad is not None and len(node.shape) > 1}
    operations = [node for node in nodes if node.kind == "op"]
    made: list[tuple[int, Layer]] = []
    for place, node in enumerate(operations):
        weight = next((weights.pop(id) for id in node.inputs if id in weights), None)
        gradient = None if weight is None else by_units(node, weight)
        if weight is not None and gradient is not None:
            made.append((place, Layer(weight.name, gradient, arrived[weight.id], ())))
    ends = [*(place for place, _ in made), len(operations)]
    return [
        replace(layer, then=tuple(called(node) for node in operations[place + 1 : end]))
        for (place, layer), end in zip(made, ends[1:], strict=True)
    ]


def by_units(node: Node, weight: Node) -> Value | None:
    """Return how large the gradient of a weight is, a row an output and a column an input; of a filter its norm."""
    gradient = np.asarray(weight.grad, dtype=float)
    match node.expression:
        case Call("linear" | "conv1d" | "conv2d" | "conv3d"):
            return np.sqrt((gradient.reshape(*gradient.shape[:2], -1) ** 2).sum(axis=2))
        case Binary("@", _, Name(id)) if id == weight.id and gradient.ndim == 2:
            return np.abs(gradient.T)
        case Binary("@", Name(id), _) if id == weight.id and gradient.ndim == 2:
            return np.abs(gradient)
    return None


def called(node: Node) -> str:
    """Return the name of an operation, as somebody typed it where that is a call."""
    return node.expression.function if isinstance(node.expression, Call) else node.op or ""


def layers_picture(layers: Sequence[Layer], shown: int) -> Html | None:
    """Return the picture of a network, shown by a track; None of a single layer, and of more than anybody can see."""
    if not FEWEST <= len(layers) <= MOST:
        return None
    columns: list[int] = [layers[0].gradient.shape[1]]
    parts: list[Html] = []
    high = max(min(max(layer.gradient.shape), UNITS) for layer in layers) * DOWN
    for layer in layers:
        outputs, inputs = layer.gradient.shape
        if inputs != columns[-1]:  # flattened, or cut in pieces
            columns.append(inputs)
        x = LEFT + ACROSS * (len(columns) - 1)
        parts += connections(layer, x, high)
        parts += words(layer, x + ACROSS / 2, TOP + high)
        columns.append(outputs)
    for place, count in enumerate(columns):
        parts += units(count, LEFT + ACROSS * place, high)
    wide, tall = 2 * LEFT + ACROSS * (len(columns) - 1), TOP + high + FOOT
    drawn = element("svg", *parts, viewBox=f"0 0 {wide:.0f} {tall:.0f}", role="group", aria_label="The layers")
    caption = (
        "The layers with the gradients of the first backward pass: the thicker a line, the larger. "
        "The number below a layer is the length of its gradient, all entries together. Click on a layer."
    )
    return element("div", element("p", caption, class_="part"), drawn, class_="layers", data_shown=shown)


def connections(layer: Layer, x: float, high: float) -> Iterator[Html]:
    """Yield the lines of a layer; the thickest is that of its largest gradient."""
    outputs, inputs = layer.gradient.shape
    finite = np.where(np.isfinite(layer.gradient), layer.gradient, 0)
    largest = float(finite.max(initial=0)) or 1.0
    lines = [
        element(
            "path",
            element("title", f"{layer.weight}: output {i}, input {j}, gradient {number(layer.gradient[i, j], 4)}"),
            d=f"M{x:g} {height(j, inputs, high):g}L{x + ACROSS:g} {height(i, outputs, high):g}",
            stroke_width=f"{THIN + THICK * finite[i, j] / largest:.1f}",
            class_=None if finite[i, j] else "zero",
        )
        for i in range(min(outputs, UNITS))
        for j in range(min(inputs, UNITS))
    ]
    label = f"{layer.weight}: go to its gradient, step {layer.step}"
    yield element("a", *lines, href=f"#step={layer.step}", aria_label=label)


def words(layer: Layer, x: float, y: float) -> Iterator[Html]:
    """Yield the name of a layer, the size of its gradient, and the operations after it."""
    norm = number(float(np.sqrt((layer.gradient**2).sum())), 4)
    outputs, inputs = layer.gradient.shape
    name, after = layer.weight.removesuffix(".weight"), ", ".join(layer.then)
    lines = [cut(name, LETTERS), f"{inputs} to {outputs}", f"gradient {norm}", *wrap(after, LETTERS, max_lines=3)]
    for line, text in enumerate(lines):
        yield element("text", text, x=f"{x:g}", y=f"{y + 18 * (line + 1):g}", class_="name" if not line else None)


def units(count: int, x: float, high: float) -> Iterator[Html]:
    """Yield the units of a column, the first ones of many."""
    for place in range(min(count, UNITS)):
        yield element("circle", cx=f"{x:g}", cy=f"{height(place, count, high):g}", r=8)
    if count > UNITS:
        yield element("text", f"{count - UNITS} more", x=f"{x:g}", y=f"{TOP - 12:g}")


def height(place: int, count: int, high: float) -> float:
    """Return where a unit stands in its column."""
    return TOP + high / 2 + (place - (min(count, UNITS) - 1) / 2) * DOWN
