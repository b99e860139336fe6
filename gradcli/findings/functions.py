"""Functions of the snippet whose backward is wrong: the mistake is found by making it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from gradcli.engine.backward import Contribution, trace
from gradcli.engine.modes import switched
from gradcli.engine.tensor import Tensor
from gradcli.findings.declaration import Cause
from gradcli.findings.finding import Finding
from gradcli.findings.graphs import severity_of
from gradcli.findings.spelling import names_in, number, one_line
from gradcli.findings.witness import Aside, Pass, Place, Witness, creation, custom_node, value_of
from gradcli.script.failure import message_of

CUBE = """
import torch
class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x ** 3
    @staticmethod
    def backward(ctx, g):
        x, = ctx.saved_tensors
        return {}
x = torch.tensor([1.0, 2.0], requires_grad=True)
(Cube.apply(x) * torch.tensor([3.0, 4.0])).sum().backward()
"""
DROPS = Cause("function-drops-upstream", "warning", order=2)
FACTOR = Cause("function-wrong-factor", "warning", order=3)
MISSES_SUM = Cause("function-misses-sum", "warning", order=2)
TRANSPOSED = Cause("function-transposed", "warning", order=2)
WRONG_INPUT = Cause("function-wrong-input", "warning", order=2)
RETURNS_NONE = Cause("function-returns-none", "warning", order=2)
NOT_CHECKED = Cause("function-not-checked", "warning", order=1)
MOST = 64  # entries of an input whose derivative is computed


class Answers:
    """What the backward of each function returned in the pass that runs: by node and position."""

    def __init__(self) -> None:
        self.of: dict[Any, dict[int, tuple[Any, Any]]] = {}
        self.stated: set[str] = set()


@DROPS.on("pass")
def begun(witness: Witness, done: Pass) -> None:
    witness.of(Answers).of.clear()


@DROPS.on("answer")
def answered(witness: Witness, done: Pass, event: Contribution) -> None:
    assert isinstance(event.node, custom_node())
    answers = witness.of(Answers).of.setdefault(event.node, {})
    answers[event.position] = np.array(value_of(event.upstream)), np.array(value_of(event.contribution))


@DROPS.on("arrival")
def judged(witness: Witness, done: Pass) -> Iterator[Finding]:
    """Compare the answers of each function with difference quotients of its forward."""
    answers = witness.of(Answers)
    for node in done.order if custom_node() else ():
        if (
            isinstance(node, custom_node())
            and done.totals.get(node, None if node is not done.output.node else 1) is not None
        ):
            for position, edge in enumerate(node.edges):
                if edge is not None and position not in answers.of.get(node, {}):
                    yield from of_none(witness, done, node, position)
    for node, answer in list(answers.of.items()):
        name = node.call.function.__name__
        if node not in done.outs or name in answers.stated or len(node.call.results) != 1 or done.times > 8:
            continue
        finding = mistake(witness, node, answer, done.outs[node])
        if finding is not None:
            answers.stated.add(name)
            yield finding


def class_of(witness: Witness, node: Any) -> tuple[ast.ClassDef, Place] | None:
    name = node.call.function.__name__
    for source, kind in witness.syntax():
        if isinstance(kind, ast.ClassDef) and kind.name == name and (method := backward_of(kind)) is not None:
            last = next((x for x in reversed([*ast.walk(method)]) if isinstance(x, ast.Return)), method)
            return kind, Place(source, last.lineno, last, witness.machine.globals)
    return None


def of_none(witness: Witness, done: Pass, node: Any, position: int) -> Iterator[Finding]:
    class_and_place = class_of(witness, node)
    if class_and_place is None:
        return
    kind, place = class_and_place
    tensors = [node.call.arguments[i] for i in node.call.places]
    tensor = tensors[position]
    if tensor.node is None or not tensor.is_leaf or tensor._grad is not None:
        return
    name = witness.name(tensor)
    argument = node.call.places[position]
    parameter = parameter_name(kind, argument)
    message = f"backward of {kind.name} returns None for {parameter}, argument {argument}, which needs a gradient."
    yield RETURNS_NONE.finding(
        place,
        f"{name}, {kind.name}, backward, {parameter}",
        message,
        f"{name}.grad is None after the pass of line {done.place.line}.",
        see=[done.place.line],
    )


def parameter_name(kind: ast.ClassDef, argument: int) -> str:
    for method in kind.body:
        if isinstance(method, ast.FunctionDef) and method.name == "forward" and len(method.args.args) > argument + 1:
            return method.args.args[argument + 1].arg
    return f"input {argument}"


def forward_of(witness: Witness, node: Any, values: list[Any]) -> Any:
    """Return the result of a function for other values of its tensors."""
    arguments = list(node.call.arguments)
    for place, value in zip(node.call.places, values, strict=True):
        arguments[place] = Tensor(value)
    with witness.aside(), switched(grad_enabled=False):
        return np.asarray(value_of(node.call.function.apply(*arguments)), float)


def jacobian(witness: Witness, node: Any, values: list[Any], position: int) -> Any:
    """Return the derivatives of each entry of the result by each of an input, by difference quotients."""
    columns = []
    base = np.asarray(values[position])
    step = 1e-6 if base.dtype == np.float64 else 1e-2
    for entry in np.ndindex(base.shape):
        shift = step * max(1.0, abs(float(base[entry])))
        ends = []
        for sign in (1, -1):
            moved = np.array(base)
            moved[entry] += sign * shift
            ends.append(forward_of(witness, node, [moved if i == position else x for i, x in enumerate(values)]))
        columns.append((ends[0] - ends[1]).ravel() / (2 * shift))
    return np.stack(columns, axis=-1)


def close(a: Any, b: Any) -> bool:
    scale = max(float(np.max(np.abs(b), initial=0.0)), 1e-6)
    return np.shape(a) == np.shape(b) and bool(np.allclose(a, b, rtol=2e-2, atol=1e-2 * scale))


class Answer(NamedTuple):
    """What a backward returned for one input, the gradient by difference quotients, and how that came about."""

    returned: Any
    true: Any
    upstream: Any
    jacobian: Any
    swapped: Any  # the gradient with two like inputs exchanged, None where there are no such
    others: list[Any]  # the gradients of the other inputs
    out: Any


class Mistake(NamedTuple):
    """What explains a wrong answer: the cause, in words, and whether the text of the backward can be mended for it."""

    cause: Cause
    words: str
    can_be_mended: bool = True
    severity: str = ""


def mistake(witness: Witness, node: Any, answer: dict[int, tuple[Any, Any]], out: Any) -> Finding | None:
    """Return the mistake that explains the answers of a backward; None where nothing does, or they are right."""
    values = [np.asarray(x.value) for x in (node.call.arguments[i] for i in node.call.places)]
    if np.size(out) > MOST and all(value.shape == np.shape(out) for value in values):
        # perhaps entry by entry, which the comparison with `out` shows
        values, out = [value.ravel()[:MOST] for value in values], np.ravel(out)[:MOST]
        answer = {at: (np.ravel(g)[:MOST], np.ravel(returned)[:MOST]) for at, (g, returned) in answer.items()}
    if any(value.size > MOST for value in values) or np.size(out) > MOST or any(v.dtype.kind != "f" for v in values):
        return None
    pair = jacobians_of(witness, node, values, answer, out)
    if pair is None:
        return None
    jacobians, swapped = pair
    right = {p: (np.ravel(g) @ jacobians[p]).reshape(values[p].shape) for p, (g, _) in answer.items()}
    for position, (g, returned) in answer.items():
        true, value = right[position], values[position]
        if np.shape(out) == value.shape and np.allclose(out, value):
            continue  # the identity: the gradient is changed on purpose
        if close(returned, true) or not np.any(true) or not np.isfinite(true).all() or not np.isfinite(returned).all():
            continue
        exchanged = (np.ravel(g) @ swapped[position]).reshape(true.shape) if position in swapped else None
        others = [right[p] for p in answer if p != position]
        given = Answer(returned, true, np.ravel(g), jacobians[position], exchanged, others, out)
        made = next(mistakes(given), None)
        if made is not None:
            finding = stated(witness, node, position, made.cause, returned, true, made.words)
            kept = finding is None or made.can_be_mended
            finding = finding if kept or finding is None else replace(finding, instead=None)
            return replace(finding, severity=made.severity) if finding and made.severity else finding
    return None


def jacobians_of(
    witness: Witness, node: Any, values: list[Any], answer: dict[int, Any], out: Any
) -> tuple[dict[int, Any], dict[int, Any]] | None:
    """Return the Jacobians by input, and those at the exchanged point; None where forward cannot be called again."""
    for kind in (np.float64, None):
        try:
            used = [value.astype(kind) if kind else value for value in values]
            base = forward_of(witness, node, used)
            if base.shape != np.shape(out) or not np.allclose(base, out, rtol=1e-3, atol=1e-4):
                return None
            jacobians = {position: jacobian(witness, node, used, position) for position in answer}
            return jacobians, swapped_jacobians(witness, node, used, answer)
        except Exception:  # a constant of another dtype, or a value outside of the domain
            continue
    return None


def mistakes(given: Answer) -> Iterator[Mistake]:
    """Yield the mistakes that give just this wrong answer, the likeliest first."""
    returned, true = given.returned, given.true
    plain = (np.ones_like(given.upstream) @ given.jacobian).reshape(true.shape)
    if close(returned, plain) and not close(plain, true):
        yield Mistake(DROPS, "it does not multiply by g, the upstream gradient: the chain rule is missing")
    if any(close(returned, other) and not close(other, true) for other in given.others):
        yield Mistake(WRONG_INPUT, "it is the gradient of the other input: the two are exchanged")
    if given.swapped is not None and close(returned, given.swapped):
        yield Mistake(WRONG_INPUT, "it has the two inputs exchanged, each in the place of the other")
    if returned.ndim == 2 and returned.shape[0] == returned.shape[1] > 1 and close(returned.T, true):
        yield Mistake(TRANSPOSED, "it is the transpose of the gradient")
    rows, columns = given.jacobian.shape
    if rows == columns > 1 and close(np.ravel(returned), given.jacobian @ given.upstream):
        yield Mistake(TRANSPOSED, "it uses the matrix where the transpose belongs")
    if returned.shape == true.shape and np.any(returned) and np.array_equal(returned == 0, true != 0):
        words = "it is 0 just where the derivative is not, and passes where it is 0: the mask is the wrong way round"
        yield Mistake(WRONG_INPUT, words, can_be_mended=False)
    yield from missing_sums(given)
    yield from wrong_factors(given)
    if np.all(np.abs(true) > 1e-6) and returned.shape == np.shape(given.out):
        yield Mistake(WRONG_INPUT, "it uses another input or power than the derivative of forward does")


def missing_sums(given: Answer) -> Iterator[Mistake]:
    """Yield the ways through a sum over all entries that an answer leaves out."""
    if not is_averaging(given.jacobian):
        return
    if close(np.ravel(given.returned), np.diag(given.jacobian) * given.upstream):
        words = "it takes each entry for itself: the ways through the sum that all entries share are missing"
        yield Mistake(MISSES_SUM, words, can_be_mended=False)
    missing = given.true - given.returned
    shares = [missing] if missing.size > 1 else []
    if shares and np.shape(given.out) == missing.shape and np.all(np.abs(given.out) > 1e-9):
        shares.append(missing / given.out)
    for share, way in zip(
        shares, ("the sum or the mean of all entries", "the sum that all entries share"), strict=False
    ):
        if is_alike(share):
            is_of_all = close(share, np.full_like(share, share.mean()))  # not of each row or column
            yield Mistake(MISSES_SUM, f"the way through {way} is missing", is_of_all)


def wrong_factors(given: Answer) -> Iterator[Mistake]:
    """Yield the one factor by which all entries differ; an unusual one may be on purpose."""
    entries = np.ravel(np.abs(given.true)) > 1e-6
    with np.errstate(all="ignore"):
        ratio = np.ravel(given.returned)[entries] / np.ravel(given.true)[entries]
    if ratio.size > 1 and np.ptp(ratio) < 2e-2 * abs(ratio[0]) and abs(ratio[0]) > 1e-6:
        words = "the sign is wrong" if abs(ratio[0] + 1) < 2e-2 else f"it is {ratio.mean():.3g} times the gradient"
        sizes = {1, 2, 3, 4, given.true.size, *given.true.shape, *np.shape(given.out)}  # the n of a mean
        is_usual = any(abs(abs(ratio[0]) / x - 1) < 2e-2 or abs(abs(ratio[0]) * x - 1) < 2e-2 for x in sizes if x)
        yield Mistake(FACTOR, words, severity="" if is_usual else "note")


def is_alike(missing: Any) -> bool:
    """Return whether all entries are the same, or all along one axis, as in a sum over rows or columns."""
    axes = (None, *range(missing.ndim)) if missing.ndim > 1 else (None,)
    return any(close(missing, np.broadcast_to(missing.mean(axis, keepdims=True), missing.shape)) for axis in axes)


def is_averaging(j: Any) -> bool:
    """Return whether entries of a result depend on other entries of the input, as many for each."""
    counts = np.count_nonzero(np.abs(j) > 1e-9, axis=1)
    return j.shape[0] == j.shape[1] and counts.size > 0 and counts[0] > 1 and bool(np.all(counts == counts[0]))


def swapped_jacobians(witness: Witness, node: Any, values: list[Any], answer: dict[int, Any]) -> dict[int, Any]:
    """Return the Jacobians of a function of two like inputs at the exchanged point."""
    if len(values) != 2 or values[0].shape != values[1].shape:
        return {}
    return {position: jacobian(witness, node, values[::-1], position) for position in answer}


def stated(
    witness: Witness, node: Any, position: int, cause: Cause, returned: Any, true: Any, words: str
) -> Finding | None:
    class_and_place = class_of(witness, node)
    if class_and_place is None:
        return None
    kind, place = class_and_place
    place = answer_of(kind, place, position)
    tensor = node.call.arguments[node.call.places[position]]
    parameter = parameter_name(kind, node.call.places[position])
    name = witness.name(tensor)
    words = words.replace(" by g,", f" by {upstream_name(kind)},")
    message = f"backward of {kind.name} returns a wrong gradient for {parameter}: {words}."
    because = f"for {name} it returns {entries(returned)}, difference quotients of forward give {entries(true)}."
    about = ", ".join([kind.name, "backward", name, parameter])
    return cause.finding(place, about, message, because, mended(cause, place, position, kind, words), see=[place.line])


def answer_of(kind: ast.ClassDef, place: Place, position: int) -> Place:
    """Return the statement of backward that computes what it returns for an input, perhaps the return itself."""
    parts = answers_in(place.node)
    expr, made = parts[position] if position < len(parts) else None, place
    for x in ast.walk(kind) if expr is not None else ():
        if not isinstance(x, ast.Assign) or x.lineno >= place.line or isinstance(x.value, ast.Constant):
            continue  # g_x = g_w = None at the start is no answer
        if [ast.unparse(target) for target in x.targets] == [ast.unparse(expr or x)]:
            made = Place(place.source, x.lineno, x, place.env)
    return made


def answers_in(node: ast.stmt | None) -> list[ast.expr]:
    """Return the expressions of a return statement, or of one that assigns."""
    value = node.value if isinstance(node, ast.Return | ast.Assign) else None
    return [] if value is None else list(value.elts) if isinstance(value, ast.Tuple) else [value]


def backward_of(kind: ast.ClassDef) -> ast.FunctionDef | None:
    return next((x for x in kind.body if isinstance(x, ast.FunctionDef) and x.name == "backward"), None)


def upstream_name(kind: ast.ClassDef) -> str:
    """Return what a backward calls the gradient that it is given."""
    method = backward_of(kind)
    return method.args.args[1].arg if method is not None and len(method.args.args) > 1 else "g"


def entries(value: Any) -> str:
    value = np.asarray(value)
    if value.ndim == 2 and value.size <= 6:
        return "[" + ", ".join(number(row) if row.size > 1 else f"[{number(row)}]" for row in value) + "]"
    text = number(value)
    return f"one {text}" if text.startswith("of") else text


def mended(cause: Cause, place: Place, position: int, kind: ast.ClassDef, words: str = "") -> str | None:
    """Return the statement of backward with the mistake mended, where that is a matter of its text."""
    is_shared, is_product = "the sum that" in words, "transpose of the gradient" in words
    method, parts, g = backward_of(kind), answers_in(place.node), upstream_name(kind)
    position = 0 if isinstance(place.node, ast.Assign) else position
    if position >= len(parts):
        return None
    expr = parts[position]
    if isinstance(expr, ast.Call) and isinstance(expr.func, ast.Attribute) and expr.func.attr in ("mm", "matmul"):
        expr = ast.BinOp(expr.func.value, ast.MatMult(), expr.args[0])
    text = one_line(ast.unparse(expr))
    if cause is DROPS:
        new = (
            f"{g} * ({text})"
            if isinstance(expr, ast.BinOp) and isinstance(expr.op, ast.Add | ast.Sub)
            else f"{g} * {text}"
        )
    elif cause is FACTOR:
        times = re.search(r"it is (\S+) times", words)
        new = f"{1 / float(times[1]):.4g} * ({text})" if times else f"-({text})"
    elif cause is MISSES_SUM and is_shared:
        if all(not isinstance(x, ast.Name) or x.id != "out" for x in ast.walk(method or expr)):
            return None  # the result has no name there
        new = f"{text} - out * ({text}).sum()"
    elif cause is MISSES_SUM:
        new = f"{text} - {text}.mean()" if text == g else f"{text} - ({text}).mean()"
    elif cause is TRANSPOSED and isinstance(expr, ast.BinOp) and isinstance(expr.op, ast.MatMult):
        left, right = ast.unparse(expr.left), ast.unparse(expr.right)
        plain = re.compile(r"\.(t\(\)|T)$")
        if is_product:
            new = f"{transposed(right)} @ {transposed(left)}"
        elif left == g or right == g:
            new = f"{turned(left, g)} @ {turned(right, g)}"
        else:
            new = f"{plain.sub('', right)}.t() @ {plain.sub('', left)}"
    elif cause is WRONG_INPUT and len(parts) == 2 and "@" not in text:
        names = [
            x.arg
            for x in next(m for m in kind.body if isinstance(m, ast.FunctionDef) and m.name == "forward").args.args[1:]
        ]
        if len(names) != 2:
            return None
        swap = {names[0]: names[1], names[1]: names[0]}
        tree = ast.parse(text, mode="eval")
        for x in ast.walk(tree):
            if isinstance(x, ast.Name):
                x.id = swap.get(x.id, x.id)
        new = one_line(ast.unparse(tree))
        if new == ast.unparse(parts[1 - position]):
            parts[1 - position] = expr  # the two are exchanged
    else:
        return None
    parts[position] = ast.parse(new, mode="eval").body
    start = f"{place.written.target()} =" if isinstance(place.node, ast.Assign) else "return"
    return f"{start} {', '.join(one_line(ast.unparse(part)) for part in parts)}"


def turned(text: str, g: str) -> str:
    """Return the transpose of an operand, of g itself nothing but g."""
    return text if text == g else transposed(text)


def transposed(text: str) -> str:
    return re.sub(r"\.(t\(\)|T)$", "", text) if re.search(r"\.(t\(\)|T)$", text) else f"{text}.t()"


def checked(witness: Witness, call: ast.Call, place: Place, severity: str) -> Iterator[Finding]:
    """State the mistake in a function that gradcheck has found wrong."""
    kind = next((place.env.get(x.id) for x in ast.walk(call.args[0]) if isinstance(x, ast.Name)), None)
    given = call.args[1] if len(call.args) > 1 else None
    values = [place.env.get(name) for name in names_in(given)]
    inputs = [x for value in values for x in (value if isinstance(value, list | tuple) else [value])]
    if kind is None or not hasattr(kind, "apply") or not inputs or not all(isinstance(x, Tensor) for x in inputs):
        return
    try:
        with witness.aside():
            out = kind.apply(*inputs)
            upstream = np.linspace(1.5, 3.0, out.value.size, dtype=out.dtype).reshape(out.shape)
            events = list(trace([out], [Tensor(upstream)], Aside()))
    except Exception:  # the snippet's own function: gradcheck has said what is wrong
        return
    node = out.node
    if not isinstance(node, custom_node()):
        return
    steps = [event for event in events if isinstance(event, Contribution) and event.node is node]
    answer = {
        event.position: (np.array(value_of(event.upstream)), np.array(value_of(event.contribution))) for event in steps
    }
    finding = mistake(witness, node, answer, out.value)
    if finding is not None:
        yield replace(finding, severity=severity)


@NOT_CHECKED.on("end")
def unchecked(witness: Witness) -> Iterator[Finding]:
    """State why gradcheck fails though the derivative may be right."""
    for error, place in witness.errors:
        calls = place.written.calls("gradcheck", "gradgradcheck")
        if not calls:
            continue
        severity = severity_of(witness, error, place)
        if "Jacobian mismatch" in message_of(error):
            yield from checked(witness, calls[0], place, severity)
        given = calls[0].args[1] if len(calls[0].args) > 1 else None
        names = names_in(given)
        for name in names:
            value = place.env.get(name)
            if not isinstance(value, Tensor):
                continue
            if any(step == 0 and size > 1 for step, size in zip(value.array.strides, value.shape, strict=True)):
                at = creation(witness, name) or place
                statement = at.node if isinstance(at.node, ast.Assign) else None
                message = (
                    f"{name} was expanded: its entries overlap in memory, so gradcheck, which shifts one "
                    "entry, shifts several."
                )
                text = one_line(ast.unparse(statement.value)) if statement is not None else f"{name}.detach()"
                clone = text.replace(".requires_grad_()", "")
                yield NOT_CHECKED.finding(
                    at,
                    f"{name}, gradcheck",
                    message,
                    "the difference quotient is larger than autograd's gradient for it.",
                    f"{name} = {clone}.clone().requires_grad_()",
                    severity,
                    see=[place.line],
                )
                return
            if value.dtype == np.float32 and value.requires_grad and "Jacobian mismatch" in message_of(error):
                message = f"{name} is float32, which has too few digits for the difference quotients of gradcheck."
                yield NOT_CHECKED.finding(
                    place,
                    f"{name}, gradcheck",
                    message,
                    "a step of 1e-6 is lost in rounding.",
                    f"{name} = {name}.detach().double().requires_grad_()",
                    severity,
                )
                return
