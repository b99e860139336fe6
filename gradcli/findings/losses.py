"""Losses that compute something else than was meant: broadcast, softmax and sigmoid applied twice, a log left out."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterator
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from gradcli.engine.graph import Node
from gradcli.engine.modes import mode
from gradcli.engine.tensor import Tensor
from gradcli.errors import GradcliError
from gradcli.findings.declaration import Cause
from gradcli.findings.finding import Finding
from gradcli.findings.spelling import Written, meant, number, one_line, short
from gradcli.findings.witness import Operation, Pass, Place, Witness
from gradcli.script.timeline.names import node_of

BROADCAST = Cause("broadcast-loss", "warning", order=1)
SOFTMAX_TWICE = Cause("softmax-twice", "warning", order=2)
SIGMOID_TWICE = Cause("sigmoid-twice", "warning", order=2)
LOG_MISSING = Cause("log-missing", "warning", order=2)
AXIS = Cause("softmax-axis", "warning", order=2)
ELEMENTWISE = 64  # operations between a pair and the loss that are followed


class Pairs:
    """Results of broadcast pairs, by node, until a pass shows what becomes of them."""

    def __init__(self) -> None:
        self.of: WeakKeyDictionary[Node, tuple[Operation, int]] = WeakKeyDictionary()
        self.stated: set[Any] = set()
        self.expanded: WeakKeyDictionary[Tensor, Tensor] = WeakKeyDictionary()  # what losses broadcast themselves


@BROADCAST.on_operation("expand")
def expanded(witness: Witness, operation: Operation) -> None:
    witness.of(Pairs).expanded[operation.application.out] = operation.tensors[0]


def before_expanding(witness: Witness, operation: Operation) -> list[Tensor]:
    """Return the tensors of an operation as they were before a loss gave them one shape."""
    known = witness.of(Pairs).expanded
    return [known.get(x, x) for x in operation.tensors]


@BROADCAST.on_operation("sub", "mul", "add", "div", "mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "rsub")
def paired(witness: Witness, operation: Operation) -> None:
    """Note a column that met a row of the same length."""
    tensors = before_expanding(witness, operation)
    node = node_of(operation.application.out)
    if len(tensors) < 2 or not isinstance(node, Node):
        return
    shapes = [x.shape for x in tensors[:2]]
    column = next(
        (n for n, shape in enumerate(shapes) if len(shape) > 1 and shape[-1] == 1 and shapes[1 - n] == shape[:-1]), None
    )
    if column is None or tensors[column].value.size == 1 or not fits(shapes):
        return
    if root(tensors[0]) is root(tensors[1]):  # each entry of one tensor with each other: meant
        return
    witness.of(Pairs).of[node] = operation, column


def fits(shapes: list[tuple[int, ...]]) -> bool:
    """Return whether two shapes broadcast to a larger one."""
    try:
        return math.prod(np.broadcast_shapes(*shapes)) > max(map(math.prod, shapes))
    except ValueError:
        return False


def root(x: Tensor) -> Any:
    """Return the tensor whose entries another one shows in another shape."""
    while True:
        node = node_of(x)
        if x.base is not None:
            x = x.base
        elif isinstance(node, Node) and "layout" in node.primitive.traits and node.inputs:
            x = node.inputs[0]
        else:
            return x


@BROADCAST.on("pass", closely=True)
def averaged(witness: Witness, done: Pass) -> Iterator[Finding]:
    """State a pair whose every entry goes into one number."""
    pairs = witness.of(Pairs)
    if not pairs.of or not done.is_surveyed or done.output.value.size != 1:
        return
    for node in done.order:
        pair = pairs.of.get(node)
        if pair is None or not is_reduced_alike(done, node):
            continue
        operation, column = pair
        key = operation.place.key
        if key in pairs.stated:
            continue
        pairs.stated.add(key)
        yield of_pair(witness, done, node, operation, column)


def is_reduced_alike(done: Pass, start: Node) -> bool:
    """Return whether only operations entry by entry stand between a pair and a number made of all its entries."""
    size, waiting, seen = np.shape(start.out), [start], 0
    if size == ():
        return True
    while waiting:
        node = waiting.pop()
        seen += 1
        consumers = done.consumers(node)
        if seen > ELEMENTWISE or (not consumers and node is not done.output.node):
            return False
        for other in consumers:
            if np.shape(other.out) == size and (not other.primitive.structured or "layout" in other.primitive.traits):
                waiting.append(other)
            elif np.size(other.out) != 1:
                return False
    return True


def of_pair(witness: Witness, done: Pass, node: Node, operation: Operation, column: int) -> Finding:
    place, tensors = operation.place, before_expanding(witness, operation)
    names = operands(witness, place, operation)
    rows, result = tensors[column].value.size, np.broadcast_shapes(*(x.shape for x in tensors[:2]))
    shapes = [str(tuple(x.shape)) for x in tensors[:2]]
    what = {"sub": "difference", "mul": "product", "add": "sum", "div": "quotient"}.get(node.primitive.name, "loss")
    message = (
        f"{names[0]} is {shapes[0]} and {names[1]} is {shapes[1]}: their {what} is {result}, each "
        "entry with every other."
    )
    because = f"the loss is made of {math.prod(result)} numbers in place of {rows}"
    with witness.aside():
        from gradcli.ops.shaping.shaping import reshape

        flat: Any = reshape(tensors[column], shape=tensors[column].shape[:-1])
        shown = dict(zip(map(id, operation.tensors), tensors, strict=True))
        plain = [shown.get(id(x), x) for x in node.inputs or ()]
        inputs = [flat if x is tensors[column] else x for x in plain]
        try:
            intended: Tensor | None = node.primitive(*inputs, **node.options)
        except (GradcliError, ValueError):  # the other operands do not go with the flat one
            intended = None
    other = witness.instead(done, {node: intended}) if intended is not None else None
    now = witness.gradients(done.output)
    compared = [x for x in now if other is not None and x in other[1] and witness.known(x)]
    leaf = next((x for x in compared if not np.allclose(now[x], other[1][x], rtol=1e-3)), None) if other else None
    if other is not None and leaf is not None:
        because += (
            f"; {witness.name(leaf)}.grad is {number(now[leaf])}, the intended loss gives {number(other[1][leaf])}"
        )
    text, axis = names[column], tensors[column].ndim - 1
    instead = f"{text}.squeeze({axis})" if re.fullmatch(r"[\w.]+(\([^ ]*\))?", text) else f"({text}).squeeze({axis})"
    binary = place.written.operator(node.primitive.name)
    if binary is not None:
        sides = [ast.unparse(binary.left), ast.unparse(binary.right)]
        sides[column] = instead
        sign = {"sub": "-", "mul": "*", "add": "+", "div": "/"}[node.primitive.name]
        instead = f"{sides[0]} {sign} {sides[1]}"
    for x in place.written.nodes() if binary is None else ():
        if isinstance(x, ast.expr) and one_line(ast.unparse(x)) == text:
            instead = place.written.with_(x, instead)
            break
    about = ", ".join(name for name in [*names, place.written.target()] if name)
    return BROADCAST.finding(place, about, message, because + ".", instead, see=[done.place.line])


def operands(witness: Witness, place: Place, operation: Operation) -> list[str]:
    """Return the two operands as they are written."""
    binary = place.written.operator(operation.application.primitive.name)
    if binary is not None and short(binary.left) and short(binary.right):
        return [short(binary.left), short(binary.right)]
    tensors, variables = before_expanding(witness, operation)[:2], {**witness.machine.globals, **place.env}
    for call in place.written.nodes():
        if isinstance(call, ast.Call) and len(call.args) >= 2:
            given = [meant(variables, x) for x in call.args[:2]]
            if any(x is y for x, y in zip(given, tensors, strict=True)) or "loss" in ast.unparse(call.func).lower():
                return [one_line(ast.unparse(x)) for x in call.args[:2]]
    return [witness.name(x) for x in tensors]


class Twice:
    """Losses that got what they compute themselves, by node: the node of the softmax or sigmoid inside."""

    def __init__(self) -> None:
        self.of: WeakKeyDictionary[Node, tuple[Cause, Node, Operation]] = WeakKeyDictionary()


def behind_layout(x: Tensor) -> Node | None:
    """Return the node of a tensor, below what only changes its shape."""
    node = node_of(x)
    while (
        isinstance(node, Node) and "layout" in node.primitive.traits and node.primitive.name != "to_copy" and node.edges
    ):
        edge = node.edges[0]
        node = edge if isinstance(edge, Node) else None
    return node if isinstance(node, Node) else None


@SOFTMAX_TWICE.on_operation("log_softmax")
def of_probabilities(witness: Witness, operation: Operation) -> None:
    inner, node = behind_layout(operation.tensors[0]), node_of(operation.application.out)
    if inner is not None and inner.primitive.name == "softmax" and isinstance(node, Node):
        witness.of(Twice).of[node] = SOFTMAX_TWICE, inner, operation


@SIGMOID_TWICE.on_operation("binary_cross_entropy_with_logits")
def of_sigmoid(witness: Witness, operation: Operation) -> None:
    inner, node = behind_layout(operation.tensors[0]), node_of(operation.application.out)
    if inner is not None and inner.primitive.name == "sigmoid" and isinstance(node, Node):
        witness.of(Twice).of[node] = SIGMOID_TWICE, inner, operation


@LOG_MISSING.on_operation("mul")
def of_no_log(witness: Witness, operation: Operation) -> None:
    """Note probabilities where kl_div(), which multiplies them by the target, wants their logs."""
    if mode.call is None or mode.call.operation.name != "kl_div":
        return
    x, node = mode.call.arguments["input"], node_of(operation.application.out)
    inner = behind_layout(x)
    if inner is not None and inner.primitive.name in ("softmax", "sigmoid") and isinstance(node, Node):
        application = operation.application._replace(inputs=(x,))
        witness.of(Twice).of[node] = LOG_MISSING, inner, Operation(application, operation.place)


@LOG_MISSING.on_operation("nll_loss")
def of_no_logs(witness: Witness, operation: Operation) -> None:
    x, node = operation.tensors[0], node_of(operation.application.out)
    inner = behind_layout(x)
    if inner is None or not isinstance(node, Node) or x.ndim < 1:
        return
    inner = softmax_below(inner) or inner
    with np.errstate(all="ignore"):
        sums = np.exp(x.value.astype(float)).sum(axis=1 if x.ndim > 1 else 0)
    is_log = inner.primitive.name == "log_softmax" or inner is not behind_layout(x)
    if np.allclose(sums, 1, atol=1e-2) or (not is_log and np.all(x.value <= 0)):
        return
    witness.of(Twice).of[node] = AXIS if is_log else LOG_MISSING, inner, operation


def softmax_below(node: Node) -> Node | None:
    """Return the softmax whose log a node is."""
    below = node.edges[0] if node.primitive.name == "log" else None
    return below if isinstance(below, Node) and below.primitive.name == "softmax" else None


@AXIS.on_operation("mm", "bmm", "matmul")
def of_weights(witness: Witness, operation: Operation) -> None:
    """Note weights that a softmax made along another axis than the one that a product sums over."""
    x, node = operation.tensors[0], node_of(operation.application.out)
    inner = node_of(x)
    while isinstance(inner, Node) and inner.primitive.name in ("expand", "reshape", "view") and inner.edges:
        inner = inner.edges[0] if np.shape(inner.out) == x.shape or np.shape(inner.out)[-2:] == x.shape[-2:] else None
    if not isinstance(inner, Node) or inner.primitive.name != "softmax" or not isinstance(node, Node) or x.ndim < 2:
        return
    shape, dim = np.shape(inner.out), inner.options.get("dim")
    if shape[-2:] == x.shape[-2:] and isinstance(dim, int) and dim % len(shape) != len(shape) - 1 and min(shape) > 1:
        witness.of(Twice).of[node] = AXIS, inner, operation


@AXIS.on_operation("index", "gather")
def of_picked(witness: Witness, operation: Operation) -> None:
    """Note probabilities that add up to 1 in each column, where one is picked from each row."""
    (x, *indices), node = operation.tensors, node_of(operation.application.out)
    options, inner = operation.application.options, node_of(x)
    while isinstance(inner, Node) and inner.primitive.name in ("log", "neg"):
        inner = inner.edges[0]
    if not isinstance(inner, Node) or inner.primitive.name not in ("softmax", "log_softmax") or x.ndim != 2:
        return
    is_by_row = options.get("dims") == (0, 1) and np.array_equal(indices[0].value, np.arange(len(x.value)))
    is_by_row |= options.get("dim") == 1 and indices[0].shape == (len(x.value), 1)
    if is_by_row and inner.options.get("dim") in (0, -2) and min(x.shape) > 1 and isinstance(node, Node):
        witness.of(Twice).of[node] = AXIS, inner, operation


@SOFTMAX_TWICE.on("pass", closely=True)
def twice(witness: Witness, done: Pass) -> Iterator[Finding]:
    nodes = witness.of(Twice).of
    if not nodes or not done.is_surveyed:
        return
    for node in done.order:
        if node in nodes:
            cause, inner, operation = nodes[node]
            if cause is AXIS:
                yield of_axis(witness, inner, operation, node)
                continue
            yield of_twice(witness, done, cause, inner, operation, node)


def of_axis(witness: Witness, inner: Node, operation: Operation, node: Node) -> Finding:
    place = witness.place_of(inner) or operation.place
    kind, dim = inner.primitive.name, inner.options.get("dim")
    axis = 1 if node.primitive.name == "nll_loss" else np.ndim(inner.out) - 1
    given = witness.known(operation.tensors[0]) or place.written.target() or "its result"
    calls = place.written.calls(kind)
    words = short(calls[0]) if calls and short(calls[0]) else kind
    numbers = np.exp(inner.out) if kind == "log_softmax" else np.asarray(inner.out)
    does = {"mul": "compares with labels"}.get(node.primitive.name, "picks from")
    does = "sums over" if "matrix" in node.primitive.traits else does
    over = "the classes are" if node.primitive.name == "nll_loss" else f"what line {operation.place.line} {does} is"
    message = f"{words} goes along dim={dim}, and {over} dim={axis}."
    because = f"{given} is {np.shape(inner.out)}, and the first row of probabilities adds up to "
    because += f"{float(np.moveaxis(numbers, axis, -1).reshape(-1, numbers.shape[axis])[0].sum()):.4g} in place of 1."
    layer = "LogSoftmax" if kind == "log_softmax" else "Softmax"
    instead = of_layer(witness, layer, f"nn.{layer}(dim={axis})") or f"nn.{layer}(dim={axis})"
    for call in calls[:1]:
        words_of = [word.value for word in call.keywords if word.arg == "dim"] + call.args[-1:]
        instead = place.written.with_(words_of[0], ast.Constant(axis)) if words_of else instead
    about = [
        given,
        place.written.target(),
        operation.place.written.target(),
        *map(witness.known, operation.tensors[:1]),
    ]
    names = ", ".join(x for x in about if x)
    return AXIS.finding(place, names, message, because, instead, see=[operation.place.line])


def of_twice(witness: Witness, done: Pass, cause: Cause, inner: Node, operation: Operation, node: Node) -> Finding:
    place = operation.place
    made = witness.place_of(inner) or place
    loss = next((x for x in place.written.nodes() if isinstance(x, ast.Call) and x.args and x.func), None)
    loss_name = "cross_entropy" if cause is SOFTMAX_TWICE else "the loss with logits"
    loss_name = {"mul": "kl_div"}.get(node.primitive.name, "nll_loss") if cause is LOG_MISSING else loss_name
    kind = inner.primitive.name
    given = (
        witness.known(operation.tensors[0])
        or (made.written.target() if made.key != place.key else "")
        or (short(loss.args[0]) if loss is not None and short(loss.args[0]) else "its input")
    )
    names = [x for x in (given, made.written.target(), place.written.target()) if x]
    if loss is not None:
        names += [one_line(ast.unparse(x)) for x in loss.args[:1]]
    with witness.aside():
        raw = inner.inputs[0] if inner.inputs else None
    other = None
    if cause is LOG_MISSING:
        from gradcli.ops.support.calling import ops

        with witness.aside():
            x = operation.tensors[0]
            scores = raw if kind == "softmax" and isinstance(raw, Tensor) else x
            logs = ops.log_softmax(scores, dim=1 if x.ndim > 1 else 0)
            other = witness.instead(done, {inner: logs}) if scores.shape == x.shape and inner.out is x.value else None
    elif isinstance(raw, Tensor):
        other = witness.instead(done, {inner: raw})
    now = float(np.ravel(done.output.value)[0])
    because = f"the loss is {now:.4g}" + (
        f", with {'log_softmax' if cause is LOG_MISSING else 'the scores'} it is "
        f"{float(np.ravel(other[0].value)[0]):.4g}."
        if other is not None
        else "."
    )
    if cause is LOG_MISSING:
        what = (
            f"{given} are probabilities, the result of {kind}"
            if kind in ("softmax", "sigmoid")
            else f"{given} are raw scores"
        )
        message = f"{what} (line {made.line}), and {loss_name} wants their logs."
        instead = logged(witness, made) if kind == "softmax" else f"torch.nn.functional.cross_entropy({given}, ...)"
        return cause.finding(place, ", ".join(names), message, because, instead, see=[made.line])
    message = f"{given} is already the result of {kind} (line {made.line}), and {loss_name} applies {kind} itself."
    return cause.finding(place, ", ".join(names), message, because, without(witness, made, kind), see=[made.line])


def without(witness: Witness, place: Place, kind: str) -> str:
    """Return the statement without a call of softmax or sigmoid, or without the layer that does it."""
    calls = place.written.calls(kind)
    x = place.written.argument(calls[0]) if len(calls) == 1 else None
    layer = {"softmax": "Softmax", "sigmoid": "Sigmoid"}[kind]
    statement = place.written.with_(calls[0], x) if x is not None else of_layer(witness, layer, "nn.Identity()")
    return statement or f"leave nn.{layer}() out of the model"


def logged(witness: Witness, place: Place) -> str | None:
    calls = place.written.calls("softmax")
    if len(calls) == 1:
        return place.written.text.replace("softmax(", "log_softmax(")
    return of_layer(witness, "Softmax", "nn.LogSoftmax(dim=1)") or "nn.LogSoftmax(dim=1) in place of nn.Softmax(dim=1)"


def of_layer(witness: Witness, kind: str, other: str) -> str | None:
    """Return the statement that makes the one layer of a class, or the last in a row of layers, with another."""
    made = [(Written(x), call) for _, x in witness.syntax() if isinstance(x, ast.Assign | ast.Return | ast.Expr)
            for call in Written(x).calls(kind)]  # fmt: skip
    ends = [pair for pair in made if any(pair[1] in row.args[-1:] for row in pair[0].calls("Sequential"))]
    if len(made) != 1 and len(ends) != 1:
        return None
    written, call = made[0] if len(made) == 1 else ends[0]
    row = next((row for row in written.calls("Sequential") if call in row.args), None)
    if row is not None and other == "nn.Identity()":
        return written.with_(row, ast.Call(row.func, [x for x in row.args if x is not call], row.keywords))
    return written.with_(call, other)
