"""Gradients that are None: values that left the graph, operations without a derivative, passes that never came."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from gradcli.engine.graph import AccumulateGrad, Node
from gradcli.engine.tensor import Tensor
from gradcli.findings.declaration import Cause
from gradcli.findings.finding import Finding
from gradcli.findings.spelling import called, meant, names_in, number, one_line, several, short
from gradcli.findings.witness import (
    Asking,
    Pass,
    Place,
    Witness,
    creation,
    loops_around,
    optimizer_class,
    spelled,
    value_of,
)
from gradcli.language.catalogue import FAMILY_OF
from gradcli.ops.support.surface import OPERATIONS
from gradcli.script.advice import advice
from gradcli.script.failure import message_of
from gradcli.script.timeline.names import Generated, node_of
from gradcli.script.timeline.origins import Cut
from gradcli.script.timeline.reasons import list_names
from gradcli.source import Source

LEFT_GRAPH = Cause(
    "left-graph",
    "warning",
    order=2,
    answers=("detached", "no-grad", "constant", "not-reached", "no-backward", "not-updated"),
)
NO_DERIVATIVE = Cause(
    "no-derivative", "warning", order=2, answers=("detached", "not-reached", "zero-gradient", "constant", "not-updated")
)
LEAF_REBOUND = Cause(
    "leaf-rebound", "warning", order=2, answers=("non-leaf", "no-grad", "not-reached", "not-updated", "constant")
)
NEVER_REACHED = Cause("never-reached", "warning", order=3, answers=("not-reached", "no-backward", "reset"))
NON_LEAF = Cause("non-leaf", "note", order=6, answers=("non-leaf",))
INTEGER_LEAF = Cause("integer-leaf", "error", order=1)
NOT_SCALAR = Cause("not-scalar", "error", order=1, answers=("no-backward", "not-reached"))
NO_LEAF = Cause("no-leaf", "error", order=1, answers=("constant", "no-backward"))
LEAF_IN_PLACE = Cause("leaf-in-place", "error", order=1)
STOPPED = Cause("stopped", "error", order=4)

COPIES = ("torch.tensor()", "torch.as_tensor()", "new_tensor()", "Variable()")


def is_leaving(cut: Cut) -> bool:
    """Return whether a cut is a way out of the graph, and not an operation without a derivative."""
    return cut.how == "no_grad" or (cut.how.endswith(")") and cut.how != "int()") or cut.how.startswith(".")


def of_cut(witness: Witness, cut: Cut, names: list[str], effect: str, severity: str = "") -> Finding:
    """Return the finding about a place where values left the graph, for the leaves with these names."""
    place = witness.at(cut.source, cut.line)
    name, leaves = ", ".join([*names, *place.written.subjects()]), list_names(names)
    if not is_leaving(cut):
        what = step_in_words(place, cut)
        message = f"{what} has no derivative: no gradient goes back to {leaves}."
        return NO_DERIVATIVE.finding(place, name, message, effect, soft(place, cut), severity)
    if cut.how == "no_grad":
        target, mode = place.written.target(), mode_around(place)
        made = f"{target} was computed" if target else "this was computed"
        message = f"{made} inside {mode}(), so it is outside the graph: no gradient goes back to {leaves}."
    elif cut.how in COPIES:
        message = f"{cut.how} copies the numbers and leaves the graph behind: no gradient goes back to {leaves}."
    else:
        what = what_left(place, cut)
        message = f"{what} is a value without a history, outside the graph: no gradient goes back to {leaves}."
    return LEFT_GRAPH.finding(place, name, message, effect, kept_in_graph(place, cut), severity)


def mode_around(place: Place) -> str:
    """Return the mode without gradients that the statement is in."""
    for x in ast.walk(ast.parse(place.source.text)):
        items = x.items if isinstance(x, ast.With) and x.lineno <= place.line <= (x.end_lineno or x.lineno) else []
        if any("inference_mode" in ast.unparse(item.context_expr) for item in items):
            return "inference_mode"
    return "no_grad"


def step_in_words(place: Place, cut: Cut) -> str:
    """Return an operation without a derivative as it is written."""
    written = place.written
    if cut.how.startswith("the comparison"):
        uses = [x for x in written.nodes() if isinstance(x, ast.Compare)]
        return f"the comparison {short(uses[0])}" if len(uses) == 1 and short(uses[0]) else cut.how
    if cut.how.startswith("the cast"):
        casts = written.calls("long", "int", "bool", "to", "type", "byte", "short")
        return short(casts[0]) or cut.how if casts else cut.how
    uses_of = written.calls(cut.how.removesuffix("()"), *(("max", "min") if "arg" in cut.how else ()))
    return short(uses_of[0]) or cut.how if uses_of else cut.how


def soft(place: Place, cut: Cut) -> str | None:
    """Return what is written in place of an operation without a derivative."""
    written = place.written
    if cut.how.startswith("the comparison"):
        uses = [x for x in written.nodes() if isinstance(x, ast.Compare) and len(x.ops) == 1]
        if len(uses) == 1 and isinstance(uses[0].ops[0], ast.Gt | ast.GtE | ast.Lt | ast.LtE):
            left, right = ast.unparse(uses[0].left), ast.unparse(uses[0].comparators[0])
            if isinstance(uses[0].ops[0], ast.Lt | ast.LtE):
                left, right = right, left
            return f"torch.sigmoid({left} - {right})"
        return None
    x = written.operand(cut.how)
    text = short(x) if x is not None else ""
    if cut.how == "multinomial":
        return "weigh the log-probability of the draw by its reward"
    if cut.how == "argmax" and (labels := compared_with(place, text)):
        return f"torch.nn.functional.cross_entropy({text}, {labels})"
    if cut.how == "argmax" and (table := looked_up(place)):
        return f"torch.softmax({text or 'scores'}, dim=-1) @ {table}"
    if cut.how in OPERATIONS and OPERATIONS[cut.how].soft:
        return OPERATIONS[cut.how].soft.format(x=text or "scores")
    if cut.how.startswith("the cast") or cut.how == "int()":
        return "keep the number a float"
    return None


def compared_with(place: Place, scores: str) -> str:
    """Return the labels that the index of the largest score meets in a comparison or a loss, there or later; or ""."""
    names = indices(place)
    for x in ast.walk(ast.parse(place.source.text)) if scores else ():
        is_equal = isinstance(x, ast.Compare) and isinstance(x.ops[0], ast.Eq)
        pair = [x.left, *x.comparators] if is_equal else x.args if isinstance(x, ast.Call) else []  # type: ignore[attr-defined]
        sides = [re.sub(r"\.(float|double)\(\)", "", short(side)) for side in pair]
        if len(sides) == 2 and len(names.intersection(sides)) == 1:
            return next(side for side in sides if side not in names)
    return ""


def indices(place: Place) -> set[str]:
    """Return the words for the index of the largest entry: the call, and the name that it is given."""
    return {place.written.target(), *(short(x) for x in place.written.calls("argmax"))} - {""}


def looked_up(place: Place) -> str:
    """Return the table whose rows the index of the largest entry picks, by brackets or by an embedding; or ""."""
    for x in ast.walk(ast.parse(place.source.text)):
        if isinstance(x, ast.Subscript) and short(x.slice) in indices(place):
            return short(x.value)
        if isinstance(x, ast.Call) and len(x.args) == 1 and short(x.args[0]) in indices(place):
            is_table = type(meant(place.env, x.func)).__name__ == "Embedding"
            return f"{short(x.func)}.weight" if is_table else ""
    return ""


def what_left(place: Place, cut: Cut) -> str:
    """Return the expression that left the graph, as it is written."""
    name = cut.how.rpartition(".")[2].removesuffix("()").removesuffix("_")
    for node in place.written.nodes():
        if isinstance(node, ast.Call) and called(node) == name and short(node):
            return short(node)
        if isinstance(node, ast.Attribute) and node.attr == name and cut.how.startswith(".") and short(node):
            return short(node)
    return cut.how


def kept_in_graph(place: Place, cut: Cut, kept: str = "") -> str | None:
    """Return the statement without the step that left the graph, perhaps of what is `kept` in it now."""
    written = place.written
    if written.node is None:
        return None
    if cut.how == "no_grad":
        for x in ast.walk(ast.parse(place.source.text)):
            is_around = isinstance(x, ast.FunctionDef) and x.lineno <= place.line <= (x.end_lineno or 0)
            for mark in x.decorator_list if is_around and isinstance(x, ast.FunctionDef) else ():
                if re.search("no_grad|inference_mode", ast.unparse(mark)):
                    return f"@torch.enable_grad()  # line {mark.lineno}, in place of @{ast.unparse(mark)}"
        return f"{written.text}  # outside of torch.{mode_around(place)}()" if len(written.text) < 90 else None
    name = cut.how.rpartition(".")[2].removesuffix("()")
    if cut.how in COPIES:
        for call in written.calls("tensor", "as_tensor", "new_tensor", "Variable"):
            if call.args:
                inner = call.args[0]
                value = place.env.get(inner.id) if isinstance(inner, ast.Name) else None
                text = f"torch.stack({ast.unparse(inner)})" if isinstance(value, list) else stacked(inner)
                text = None if text is None else re.sub(r"\.(data\b|(detach|item|numpy|cpu|tolist)\(\))", "", text)
                return None if text is None else written.with_(call, text)
        return None
    arrays = {key for key, value in place.env.items() if isinstance(value, np.ndarray) and key != kept}
    tree = ast.parse(written.text)

    class Out(ast.NodeTransformer):
        def visit_Call(self, node: ast.Call) -> ast.AST:
            before, is_kept = [*map(ast.unparse, node.args)], any(kept in names_in(x) for x in node.args)
            self.generic_visit(node)
            is_tensor = is_kept or before != [*map(ast.unparse, node.args)]
            if ast.unparse(node.func).startswith("math.") and is_tensor:
                node.func = ast.Attribute(ast.Name("torch"), called(node))  # of what is a tensor now
            if is_array_made(node) and is_tensor:
                return node.args[0]
            if ast.unparse(node.func) == f"np.{called(node)}" and is_tensor:
                node.func = ast.Attribute(ast.Name("torch"), called(node).replace("power", "pow"))
            if called(node) in (name, "detach", "cpu", "numpy", "item", "tolist") and isinstance(
                node.func, ast.Attribute
            ):
                return node.func.value
            return node.args[0] if name in ("float", "int") and called(node) == name and node.args else node

        def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
            self.generic_visit(node)
            return node.value if node.attr == name and cut.how.startswith(".") else node

        def visit_Name(self, node: ast.Name) -> ast.AST:
            if node.id == "math" and cut.how.startswith("math."):
                return ast.Name("torch", node.ctx)
            if node.id in arrays and isinstance(node.ctx, ast.Load):
                return ast.parse(f"torch.from_numpy({node.id})", mode="eval").body
            return node

    text = one_line(ast.unparse(ast.fix_missing_locations(Out().visit(tree))))
    return text if text != written.text and text.strip() else None


def is_array_made(node: ast.Call) -> bool:
    """Return whether a call makes a tensor of an array."""
    return bool(node.args) and called(node) in ("from_numpy", "tensor", "as_tensor", "asarray", "Variable")


def stacked(x: ast.expr) -> str | None:
    """Return rows as a stack of tensors; None where a row has numbers in it, which stack() does not take."""
    if isinstance(x, ast.List | ast.Tuple):
        parts = [stacked(row) for row in x.elts]
        return None if None in parts else f"torch.stack([{', '.join(str(part) for part in parts)}])"
    is_number = isinstance(x, ast.Constant) or (isinstance(x, ast.UnaryOp) and isinstance(x.operand, ast.Constant))
    text = ast.unparse(x)
    return None if is_number else f"torch.stack({text})" if isinstance(x, ast.ListComp) else text


@INTEGER_LEAF.on("end")
def whole_numbers(witness: Witness) -> Iterator[Finding]:
    for error, place in witness.errors:
        if re.search(r"[Oo]nly Tensors of floating point", message_of(error)):
            yield of_whole_numbers(witness, place, severity_of(witness, error, place))


def of_whole_numbers(witness: Witness, place: Place, severity: str) -> Finding:
    name, instead, see = place.written.target(), None, 0
    text = place.written.text
    owners = [x.value for x in place.written.nodes() if isinstance(x, ast.Attribute) and "requires_grad" in x.attr]
    tensor = meant({**witness.machine.globals, **place.env}, owners[0]) if owners else None
    if isinstance(tensor, Tensor) and tensor.dtype.kind in "iub":
        known = next((key for key, x in place.env.items() if x is tensor), "") or witness.known(tensor)
        written = short(owners[0])
        name, instead = known or written, f"{written} = {written}.float()"
        maker = creation(witness, name)
        see = maker.line if maker is not None and maker.line < place.line else 0
    if instead is None:
        floats = re.sub(r"(?<![\w.])(\d+)(?![\w.])", r"\1.0", text)
        instead = floats if floats != text else "x.float()"
    message = f"{name or 'the tensor'} holds whole numbers, and only floats can require grad."
    dtype = f"; its dtype is {tensor.dtype}" if isinstance(tensor, Tensor) else ""
    because = f"{text} is refused: a small change of a whole number is none{dtype}."
    return INTEGER_LEAF.finding(place, name, message, because, instead, severity, see=[see])


def handled(witness: Witness, place: Place) -> str:
    """Return what becomes of an error there: `error` where it ends the run, `warning` where it is swallowed."""
    for node in [
        x for statements in witness.trees(place.source) for x in ast.walk(statements) if isinstance(x, ast.Try)
    ]:
        if any(inner.lineno <= place.line <= (inner.end_lineno or inner.lineno) for inner in node.body):
            uses = any(
                h.name and any(isinstance(x, ast.Name) and x.id == h.name for x in ast.walk(h)) for h in node.handlers
            )
            tells = any(
                isinstance(x, ast.Call) and called(x) in ("print", "warning", "error")
                for h in node.handlers
                for x in ast.walk(h)
            )
            trains = any(
                isinstance(x, ast.Call) and called(x) == "step" for inner in node.body for x in ast.walk(inner)
            )
            return "note" if (uses or tells) and not trains else "warning"  # a step that is left out is no lesson
    return "error"


@NOT_SCALAR.on("end")
def several_numbers(witness: Witness) -> Iterator[Finding]:
    for error, place in witness.errors:
        if "implicitly created only for scalar" not in message_of(error):
            continue
        severity = severity_of(witness, error, place)
        calls = place.written.calls("backward", "grad")
        x = place.written.argument(calls[0]) if calls else None
        name = short(x) if x is not None else "the output"
        value = place.env.get(name)
        shape = f" of shape {tuple(value.shape)}" if isinstance(value, Tensor) else ""
        instead = None
        if x is not None and called(calls[0]) == "backward":
            text = f"({name})" if isinstance(x, ast.BinOp | ast.UnaryOp) else name
            instead = f"{text}.sum().backward()"
        swallowed = " The error was swallowed, and no gradient came." if severity == "warning" else ""
        message = f"{name} is no single number: backward() needs one, or a gradient{shape}.{swallowed}"
        because = f"a gradient is that of one number, and {name} has several."
        yield NOT_SCALAR.finding(place, name, message, because, instead, severity)


def severity_of(witness: Witness, error: Exception, place: Place) -> str:
    if error is witness.stopped_by:
        return "error"
    return next((severity for caller in place.calls() if (severity := handled(witness, caller)) != "error"), "note")


@LEFT_GRAPH.on("end")
def outside(witness: Witness) -> Iterator[Finding]:
    """State why an output that is differentiated is outside the graph."""
    for error, place in witness.errors:
        if not re.search(r"does not require grad", message_of(error)):
            continue
        outputs = witness.walked.get(id(error), ())
        output = next((x for x in outputs if isinstance(x, Tensor) and x.node is None), None)
        if output is None:
            continue
        severity = severity_of(witness, error, place)
        yield from of_output(witness, output, place, severity)


def of_numbers(
    witness: Witness, gradient: Tensor | None, at: Place, place: Place, severity: str = ""
) -> Iterator[Finding]:
    """State that a gradient which a statement goes on to differentiate was computed without a graph."""
    calls = at.written.calls("grad", "backward")
    if "create_graph=True" in at.written.text or not calls:
        return  # a constant slope: `flat` says so
    name = (witness.known(gradient) if gradient is not None else "") or at.written.target() or "the gradient"
    message = f"{short(calls[0]) or 'the pass'} without create_graph=True returns numbers: {name} has no graph."
    is_pass = bool(place.written.calls("grad", "backward"))
    because = f"line {place.line} differentiates what was computed from {name}."
    if not is_pass:
        because = f"in {place.written.text.removeprefix('return ')} (line {place.line}) it is a constant, so no weight "
        because += f"gets its share of the gradient through {name}."
    call = one_line(ast.unparse(calls[0]))
    instead = at.written.text.replace(call, f"{call[:-1]}, create_graph=True)".replace("(, ", "("))
    yield LEFT_GRAPH.finding(at, name, message, because, instead, severity, see=[place.line])


@LEFT_GRAPH.on("end")
def of_a_number(witness: Witness) -> Iterator[Finding]:
    """State where what backward() is called on became a plain number."""
    for error, place in witness.errors:
        if not re.search(r"^'(float|int|numpy.\w+)' object has no attribute 'backward'", message_of(error)):
            continue
        x = place.written.operand("backward")
        lines = lines_behind(witness, place, names_in(x))
        taken = next((pair for key, pair in witness.departed.items() if key in lines), None)
        if taken is not None and x is not None:
            cut, leaves = taken
            effect = f"{short(x)} is a plain number at line {place.line}, and backward() is of tensors."
            yield of_cut(
                witness, cut, [witness.name(y) for y in leaves][:3], effect, severity_of(witness, error, place)
            )


@LEFT_GRAPH.on("pass", closely=True)
def in_a_sum(witness: Witness, done: Pass) -> Iterator[Finding]:
    """State that a term of a sum is a number whose history was lost, so that it has no part in the gradient."""
    for node, x in terms_without_graph(done):
        place = witness.place_of(node)
        if place is None:
            continue
        effect = f"what line {place.line} adds is a constant: that term has no part in the gradient of line "
        effect += f"{done.place.line}."
        if isinstance(x, Tensor):
            roots = [x, *(tensor for root in witness.run.origins.roots(x) if (tensor := root()) is not None)]
            lines = lines_behind(witness, place, [witness.known(x)])
            at_lines = [witness.run.gradient_at(tensor) for tensor in roots]
            at_lines += [line for line, source in witness.returned_in.items() if (source.name, line) in lines]
            at = next((witness.at(witness.returned_in.get(line), line) for line in at_lines if line), None)
            if at is not None and x.value.size == 1 and "create_graph" not in at.written.text:
                gradient = next((tensor for tensor in roots if witness.run.gradient_at(tensor)), None)
                yield from of_numbers(witness, gradient, at, done.place)
                continue
            cuts = witness.run.origins.below([x])
            cut_leaves = [
                (cut, leaf) for leaf, cut in cuts.items() if cut is not None and cut.how in (*COPIES, ".data")
            ]
            if not cut_leaves or None in cuts.values():
                continue
            cut, leaves = cut_leaves[0][0], tuple(leaf for _, leaf in cut_leaves)
        else:
            if any(isinstance(y, ast.Constant) and y.value == abs(x) for y in place.written.nodes()):
                continue
            read = {y.id: place.env.get(y.id) for y in place.written.nodes() if isinstance(y, ast.Name)}
            same = [key for key, value in read.items() if isinstance(value, float) and value == x]
            lines = lines_behind(witness, place, same or [key for key, value in read.items() if not is_recorded(value)])
            taken = next((pair for key, pair in witness.departed.items() if key in lines), None)
            if taken is None:
                continue
            cut, leaves = taken
        found_cut = of_cut(witness, cut, [witness.name(leaf) for leaf in leaves][:3], effect)
        message = found_cut.message.replace(": no gradient goes", ": no gradient of that term goes")
        yield replace(found_cut, message=message)


@LEFT_GRAPH.on("pass", closely=True)
def in_an_equation(witness: Witness, done: Pass) -> Iterator[Finding]:
    """State that a sum holds the derivative by data of what is trained, as numbers: an equation needs its graph."""
    from gradcli.findings.order import held

    run, trained = witness.run, set(held(witness)) if witness.differentiated_by else set()
    for node in done.order if trained else ():
        inputs = node.inputs or ()
        is_update = any(isinstance(edge, AccumulateGrad) for edge in node.edges)  # as x + 0.1 * x_grad is one
        terms = [x for x in inputs if isinstance(x, Tensor) and x.node is None and np.any(x.value)]
        if node.primitive.name not in ("add", "sub", "rsub") or is_update or not terms:
            continue
        roots = [terms[0], *(tensor for root in run.origins.roots(terms[0]) if (tensor := root()) is not None)]
        gradient = next((tensor for tensor in roots if run.gradient_at(tensor)), None)
        line = run.gradient_at(gradient) if gradient is not None else 0
        by = witness.differentiated_by.get(line, ())
        is_by_data = by and all(isinstance(node_of(x), AccumulateGrad) and id(x) not in trained for x in by)
        below = [leaf for past in run.passes.values() if past.returns and past.line == line for leaf in past.below]
        if is_by_data and gradient is not None and any(id(leaf) in trained for leaf in below):
            at, place = witness.at(witness.returned_in.get(line), line), witness.place_of(node) or done.place
            yield from of_numbers(witness, gradient, at, place)


def terms_without_graph(done: Pass) -> Iterator[tuple[Node, Tensor | float]]:
    """Yield the sums and differences that an output is linear in, with a term outside the graph: not 0 nor whole."""
    waiting, seen = [x.node for x in done.outputs], set()
    while waiting:
        node = waiting.pop()
        if not isinstance(node, Node) or node in seen or node.inputs is None:
            continue
        seen.add(node)
        name, constants = node.primitive.name, [x for x in node.inputs if not is_recorded(x)]
        is_update = any(isinstance(edge, AccumulateGrad) for edge in node.edges)  # as w - 0.1 * w.grad is one
        if name in ("add", "sub", "rsub") and not is_update:
            yield from ((node, x) for x in constants if isinstance(x, Tensor | float) and np.any(value_of(x)))
        if name in ("add", "sub", "rsub", "neg", "mean", "sum") or (constants and name in ("mul", "div")):
            waiting.extend(node.edges)


def is_recorded(x: object) -> bool:
    return isinstance(x, Tensor) and x.node is not None


def lines_behind(witness: Witness, place: Place, names: Sequence[str]) -> set[tuple[str, int]]:
    """Return the lines of a statement, and those from which variables take their values, through functions too."""
    sources: dict[str, list[tuple[Source, ast.stmt]]] = {}
    for source, x in witness.syntax():
        for name, statement in given_in(x):
            sources.setdefault(name, []).append((source, statement))
    lines = {(place.source.name, line) for line in lines_of(place.node)}
    waiting, known = [pair for name in names for pair in sources.get(name, ())], set[int]()
    while waiting:
        source, statement = waiting.pop()
        if id(statement) in known:
            continue
        known.add(id(statement))
        lines.update((source.name, line) for line in lines_of(statement))
        for x in ast.walk(statement):
            name = x.id if isinstance(x, ast.Name) else x.attr if isinstance(x, ast.Attribute) else ""
            waiting.extend(sources.get(name, ()))
    return lines


def lines_of(node: ast.stmt | None) -> range:
    return range(node.lineno, (node.end_lineno or node.lineno) + 1) if node is not None else range(0)


def given_in(x: ast.AST) -> Iterator[tuple[str, ast.stmt]]:
    """Yield the variables and functions that get a value from a statement."""
    if isinstance(x, ast.Assign | ast.AugAssign | ast.AnnAssign):
        targets = x.targets if isinstance(x, ast.Assign) else [x.target]
        yield from ((y.id, x) for target in targets for y in ast.walk(target) if isinstance(y, ast.Name))
    elif isinstance(x, ast.FunctionDef):
        yield from ((x.name, y) for y in ast.walk(x) if isinstance(y, ast.Return))
    elif isinstance(x, ast.Expr) and isinstance(x.value, ast.Call) and called(x.value) in ("append", "extend"):
        yield from ((y.id, x) for y in ast.walk(x.value.func) if isinstance(y, ast.Name))


def gradient_below(witness: Witness, output: Tensor, place: Place) -> tuple[Tensor, Place] | None:
    """Return the gradient that an output outside the graph was computed from, and the statement that computed it."""
    run = witness.run
    named = [x for name in names_in(place.node) if isinstance(x := place.env.get(name), Tensor)]
    for x in (output, *(root() for root in run.origins.roots(output)), *named):
        line = 0 if x is None else run.gradient_at(x)
        if x is not None and line:
            return x, witness.at(witness.returned_in.get(line), line)
    return None


def of_output(witness: Witness, output: Tensor, place: Place, severity: str) -> Iterator[Finding]:
    """State why an output is outside the graph."""
    origins = witness.run.origins
    source = gradient_below(witness, output, place)
    if source is not None:
        yield from of_numbers(witness, *source, place, severity)
        return
    name = witness.known(output) or place.written.target() or "the output"
    effect = f"{name} at {place.words} has no graph, so backward() has nothing to go back through."
    cuts = {leaf: cut for leaf, cut in origins.below([output]).items() if cut is not None}
    roots = [x for root in origins.roots(output) if (x := root()) is not None]
    rebound = rebound_below(witness, roots, place, {cut.line for cut in cuts.values()})
    if rebound is not None:
        yield from of_rebound(witness, rebound, severity)
    elif cuts:
        cut = next(iter(cuts.values()))
        names = [witness.name(leaf) for leaf, other in cuts.items() if other == cut][:3]
        yield of_cut(witness, cut, names, effect, severity)
    elif origins.taken:
        leaf, cut = list(origins.taken.items())[-1]
        yield of_cut(witness, cut, [witness.name(leaf)], effect, severity)
    else:
        yield of_constants(witness, name, [x for x in roots if x is not output], place, effect, severity)


def rebound_below(witness: Witness, roots: Sequence[Tensor], place: Place, lines: set[int]) -> Tensor | None:
    """Return a tensor that has the name of a former leaf: below an output, or a variable from one of these lines."""
    renamed = witness.run.names.renamed
    variables = (x for x in place.env.values() if isinstance(x, Tensor) and x in renamed and x.node is None)
    below = (x for x in roots if x in renamed)
    return next(below, None) or next((x for x in variables if renamed[x][1] in lines), None)


def of_constants(
    witness: Witness, name: str, roots: Sequence[Tensor], place: Place, effect: str, severity: str
) -> Finding:
    """State that nothing that an output was computed from requires grad."""
    run = witness.run
    names = [known for x in roots if (known := witness.known(x))]
    for root_name in names:
        made = creation(witness, root_name)
        calls = made.written.calls("jacobian", "hessian", "vjp", "jvp", "hvp") if made is not None else []
        if made is not None and calls and "create_graph" not in made.written.text:
            call = one_line(ast.unparse(calls[0]))
            message = f"{call} without create_graph=True returns numbers: {root_name} has no graph."
            because = f"line {place.line} differentiates what was computed from {root_name}."
            instead = made.written.text.replace(call, f"{call[:-1]}, create_graph=True)")
            return LEFT_GRAPH.finding(made, root_name, message, because, instead, severity, see=[place.line])
    switched = [x for x in roots if x in run.switched and witness.known(x)]
    if switched:
        return of_switched(witness, name, switched, place, effect, severity)
    about = list_names(names) or name
    message = f"nothing that {name} was computed from requires grad: {about} {'do' if len(names) > 1 else 'does'} not."
    typed = f"{names[0]}.requires_grad_()  # before line {place.line} uses it" if names else None
    first = creation(witness, names[0]) if names else None
    if first is not None and is_maker(first):
        typed = f"{first.written.text[:-1]}, requires_grad=True)"
    return NO_LEAF.finding(place, about, message, effect, typed, severity, see=[first.line if first else 0])


def of_switched(witness: Witness, name: str, roots: list[Tensor], place: Place, effect: str, severity: str) -> Finding:
    """State that requires_grad was switched off of all that an output depends on, or on when that was computed."""
    line, is_on = witness.run.switched[roots[0]]
    at = next((x for source in witness.statements if "grad" in (x := witness.at(source, line)).written.text), place)
    names = [witness.known(x) for x in roots]
    owner, first, typed = names[0].rpartition(".")[0], creation(witness, names[0]), None
    if is_on:
        message = f"requires_grad of {names[0]} was switched on after {name} had been computed from it."
        typed = f"{at.written.text}  # before it is computed with"
        if first is not None and is_maker(first):
            typed = f"{first.written.text[:-1]}, requires_grad=True)"
    else:
        message = f"requires_grad was switched off of all that {name} was computed from: {list_names(names)}."
        typed = f"for p in {owner}.parameters(): p.requires_grad_()" if owner else f"{names[0]}.requires_grad_()"
        typed += f"  # after line {line}"
    return NO_LEAF.finding(at, ", ".join([*names, name]), message, effect, typed, severity, see=[place.line])


def is_maker(place: Place) -> bool:
    """Return whether a statement makes a tensor by a function that takes requires_grad."""
    value = getattr(place.written.node, "value", None)
    name = called(value) if isinstance(value, ast.Call) else ""
    return name in ("tensor", "rand", "randn") or FAMILY_OF.get(name) == "shaping.creation"


def of_rebound(witness: Witness, tensor: Tensor, severity: str = "") -> Iterator[Finding]:
    """State that a name was given to the result of an operation on the leaf that had it."""
    name, line = witness.run.names.renamed[tensor]
    place = witness.at(witness.renamed_in.get(tensor), line)
    value = getattr(place.written.node, "value", None)
    instead: str | None = f"{name}_new = {short(value)}" if value is not None and short(value) else None
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Sub | ast.Add) and short(value.left) == name:
        sign = "-=" if isinstance(value.op, ast.Sub) else "+="
        instead = updated(witness, place, f"{name} {sign} {short(value.right)}", name)
    message = (
        f"{name} means the result of {short(value) if value is not None else 'an operation'} since line "
        f"{line}, not the leaf any more."
    )
    because = f"the leaf that {name} was before has the gradient; {name}.grad is None."
    yield LEAF_REBOUND.finding(place, name, message, because, instead, severity)


def updated(witness: Witness, place: Place, change: str, name: str) -> str:
    """Return an update outside the graph, which clears the gradient too where a loop would add to it."""
    is_cleared = re.search(r"zero_|zero_grad|\.grad\s*=|autograd\.grad", place.source.text)
    is_again = name.isidentifier() and not is_cleared and loops_around(witness, place)
    return f"with torch.no_grad(): {change}{f'; {name}.grad = None' if is_again else ''}"


def anonymous(witness: Witness, tensor: Tensor) -> Finding | None:
    """Return the finding about a result whose leaf never had a name."""
    node = node_of(tensor)
    place = witness.place_of(node)
    if not isinstance(node, Node) or place is None:
        return None
    leaf = leaf_within(witness, node) if "requires_grad" in place.written.text else of_node(node)
    known = None if leaf is None else witness.run.names.get(leaf)
    name = witness.known(tensor)
    if leaf is None or not name:
        return None
    if spelled(known or "") == name and leaf._grad is not None:  # as [p - lr * p.grad for p in params] makes them
        return of_new(place, name, short(getattr(place.written.node, "value", None) or ast.Pass()))
    if not (known is None or isinstance(known, Generated)):
        return None
    value = getattr(place.written.node, "value", None)
    made = short(value) if value is not None else ""
    message = f"{name} is the result of an operation, {made or place.written.text}, not a leaf."
    because = f"the float{leaf.dtype.itemsize * 8} leaf inside has the gradient, and no name; {name}.grad is None."
    instead = finished_first(place)
    return LEAF_REBOUND.finding(place, name, message, because, instead)


def of_node(node: Node) -> Tensor | None:
    """Return the leaf that a node itself takes."""
    inputs = [x for x in node.inputs or () if isinstance(x, Tensor) and isinstance(node_of(x), AccumulateGrad)]
    return next(iter([*inputs, *(x.variable for x in node.edges if isinstance(x, AccumulateGrad))]), None)


def leaf_within(witness: Witness, node: Node) -> Tensor | None:
    """Return the leaf that the statement of a node computes with."""
    place, waiting, seen = witness.place_of(node), [node], {node}
    while waiting:
        inner = waiting.pop()
        edges: list[Any] = [*inner.edges, *(x.node for x in inner.inputs or () if isinstance(x, Tensor))]
        for edge in edges:
            if isinstance(edge, AccumulateGrad):
                leaf: Tensor = edge.variable
                return leaf
            if isinstance(edge, Node) and edge not in seen and witness.place_of(edge) == place:
                seen.add(edge)
                waiting.append(edge)
    return None


def of_new(place: Place, name: str, made: str) -> Finding:
    """State that an update in a comprehension has put new tensors in the place of leaves."""
    node = getattr(place.written.node, "value", None)
    part, instead = getattr(node, "elt", None), None
    if isinstance(node, ast.ListComp) and isinstance(part, ast.BinOp) and isinstance(part.op, ast.Sub | ast.Add):
        sign = "-=" if isinstance(part.op, ast.Sub) else "+="
        loop = node.generators[0]
        instead = f"for {short(loop.target)} in {short(loop.iter)}: {short(part.left)}.data {sign} {short(part.right)}"
    message = f"{name} is the result of an operation, {made or place.written.text}, not the leaf any more."
    because = f"the leaf that was {name} before has the gradient; {name}.grad is None."
    return LEAF_REBOUND.finding(place, name, message, because, instead)


def finished_first(place: Place) -> str | None:
    """Return the statement with requires_grad asked for last."""
    node = place.written.node
    value = getattr(node, "value", None)
    target = place.written.target()
    if value is None or not target:
        return None
    tree = ast.parse(ast.unparse(value), mode="eval")
    for x in ast.walk(tree):
        if isinstance(x, ast.Call):
            x.keywords = [word for word in x.keywords if word.arg != "requires_grad"]

    class Without(ast.NodeTransformer):
        def visit_Call(self, node: ast.Call) -> ast.AST:
            self.generic_visit(node)
            return (
                node.func.value if called(node) == "requires_grad_" and isinstance(node.func, ast.Attribute) else node
            )

    body = Without().visit(tree).body
    text = one_line(ast.unparse(body))
    text = f"({text})" if isinstance(body, ast.BinOp | ast.UnaryOp) else text
    return f"{target} = {text}.requires_grad_()"


@NEVER_REACHED.on("end")
def asked(witness: Witness) -> Iterator[Finding]:
    """State why a `.grad` that was read is None; of one that was filled later nothing."""
    run = witness.run
    latest: dict[int, Asking] = {id(asking.tensor): asking for asking in witness.calls}
    first = {id(asking.tensor): asking.place for asking in reversed(witness.calls)}
    cuts: dict[Cut, list[Asking]] = {}
    for asking in latest.values():
        tensor, place = asking.tensor, asking.place
        if tensor._grad is not None or tensor in run.filled or witness.read.get(tensor, -1) >= 0:
            continue
        name = witness.name(tensor)
        if asking.code == "non-leaf":
            if tensor in run.names.renamed:
                yield from of_rebound(witness, tensor)
            elif (finding := anonymous(witness, tensor)) is not None:
                yield finding
            elif witness.known(tensor):
                place = first[id(tensor)]
                message = f"{name} is the result of an operation, and keeps no gradient: {name}.grad is None."
                instead = f"{name}.retain_grad()  # before backward()"
                failed = next((error for error, at in witness.errors if at.key == place.key), None)
                if failed is not None and "None" in message_of(failed):
                    because, severity = f"line {place.line} computes with None.", severity_of(witness, failed, place)
                    yield NEVER_REACHED.finding(place, f"{name}, {name}.grad", message, because, instead, severity)
                else:
                    yield NON_LEAF.finding(place, name, message, "", instead)
            continue
        if asking.code == "reset":
            continue
        if not isinstance(tensor.node, AccumulateGrad):
            cut = next((cut for cut in run.origins.below([tensor]).values() if cut is not None), None)
            if tensor in run.names.renamed:
                yield from of_rebound(witness, tensor)
            elif cut is None and run.passed and witness.known(tensor):
                yield from of_plain(witness, place, name)
            continue
        passes = [done for done in run.passes.values() if not done.returns]
        is_cut = any(done.below.get(tensor) for done in passes) or run.origins.way_out(tensor) is not None
        is_cut &= not run.optimizers  # which say who is to learn: a teacher is not
        if ("." in name and passes and not is_cut) or is_held(witness, tensor):
            continue  # as an unused parameter
        cut = cut_above(witness, tensor)
        if cut is not None:
            cuts.setdefault(cut, []).append(asking)
        else:
            yield from of_unreached(witness, asking, name)
    for cut, asks in cuts.items():
        names = [witness.name(asking.tensor) for asking in asks]
        lines = list_names(dict.fromkeys(str(asking.place.line) for asking in asks))
        effect = (
            f"{several(f'{name}.grad' for name in names)} {'is' if len(names) == 1 else 'are'} None at line {lines}."
        )
        yield of_cut(witness, cut, names, effect)


def cut_above(witness: Witness, tensor: Tensor) -> Cut | None:
    """Return where the values that were computed from a leaf left the graph, as far as a pass went."""
    run = witness.run
    if any(tensor in done.stops for done in run.passes.values() if not done.returns):
        return None  # functions says so
    cuts = [done.below[tensor] for done in run.passes.values() if done.below.get(tensor) is not None]
    if cuts and cuts[-1] is not None:
        return cuts[-1]
    passes = [done for done in run.passes.values() if not done.returns]
    is_returned = any(done.returns and tensor in done.below for done in run.passes.values())
    if not passes or (is_returned and not any(tensor in done.below for done in passes)):
        return None
    return run.origins.way_out(tensor)


def of_plain(witness: Witness, place: Place, name: str) -> Iterator[Finding]:
    """State that a tensor does not require grad, where its `.grad` was computed with and that failed."""
    failed = next((error for error, at in witness.errors if at.key == place.key), None)
    if failed is None or "None" not in message_of(failed):
        return
    made = creation(witness, name)
    is_made = made is not None and is_maker(made)
    instead = f"{made.written.text[:-1]}, requires_grad=True)" if made and is_made else f"{name}.requires_grad_()"
    message = f"{name} does not require grad, so no pass gives it a gradient: {name}.grad is None."
    because = f"line {place.line} computes with {name}.grad."
    see = [made.line] if made is not None else []
    yield NO_LEAF.finding(place, name, message, because, instead, severity_of(witness, failed, place), see=see)


def is_result_used(place: Place) -> bool:
    """Return whether the snippet does something with what a statement assigns, and so knows of it."""
    node = place.written.node
    if not isinstance(node, ast.Assign):
        return not isinstance(node, ast.Expr) or not (isinstance(node.value, ast.Call) and called(node.value) == "grad")
    names = {name for target in node.targets for name in names_in(target)}
    tree = ast.walk(ast.parse(place.source.text))
    return any(isinstance(x, ast.Name) and isinstance(x.ctx, ast.Load) and x.id in names for x in tree)


def output_words(witness: Witness, line: int, output: str) -> str:
    """Return the output of a pass by its name, or as the call of backward writes it."""
    if not re.fullmatch(r"v\d+(_\w)?", output):
        return output
    x = witness.at(None, line).written.operand("backward")
    return short(x) or f"the loss of line {line}" if x is not None else f"the loss of line {line}"


def is_held(witness: Witness, tensor: Tensor) -> bool:
    """Return whether an optimizer holds a tensor and others that have a gradient."""
    for _, value in witness.objects(optimizer_class()):
        params = [x for group in value.param_groups for x in group["params"]]
        if any(x is tensor for x in params):
            return not witness.run.passed or any(x in witness.run.filled for x in params)
    return False


def of_unreached(witness: Witness, asking: Asking, name: str) -> Iterator[Finding]:
    run, tensor, place = witness.run, asking.tensor, asking.place
    effect = f"{name}.grad is None at line {place.line}."
    passes = [done for done in run.passes.values() if not done.returns]
    stopped = next((done.stops[tensor] for done in passes if tensor in done.stops), None)
    returned = next((done for done in run.passes.values() if done.returns and tensor in done.below), None)
    if stopped is not None:
        return  # functions says so
    if returned is not None and not any(tensor in done.below for done in passes):
        at = witness.at(witness.returned_in.get(returned.line), returned.line)
        output = next((call.args[0] for call in at.written.calls("grad") if call.args), None)
        words = short(output) if output is not None else returned.output
        text = f"({words})" if isinstance(output, ast.BinOp) else words
        message = f"torch.autograd.grad returns the gradient and leaves {name}.grad alone."
        severity = "note" if is_result_used(at) else ""
        yield NEVER_REACHED.finding(at, name, message, effect, f"{text}.backward()", severity, see=[place.line])
    elif not passes:
        failed = [at for _, at in witness.errors if at.written.calls("backward")]
        if failed:
            return
        returns = [witness.at(witness.returned_in.get(x.line), x.line) for x in run.passes.values()]
        is_meant = any(map(is_result_used, returns)) and all(at.key != place.key for _, at in witness.errors)
        message = f"no backward pass has run, so {name} has no gradient."
        yield NEVER_REACHED.finding(place, name, message, effect, None, "note" if is_meant else "")
    elif tensor in run.origins.used and all(number <= run.origins.since[tensor] for number in run.passes):
        used = run.origins.used[tensor]
        message = f"no backward pass has run since line {used} computed with {name}: the last one ran before."
        target = witness.at(None, used).written.target()
        instead = f"{target}.backward()" if isinstance(place.env.get(target), Tensor) else None
        yield NEVER_REACHED.finding(place, name, message, effect, instead, see=[used, passes[-1].line])
    elif tensor not in run.origins.used:
        message = f"no line has computed anything with {name}, so no gradient comes to it."
        severity = "note" if re.search(rf"inputs=[\[(]?\s*{re.escape(name)}\b", place.source.text) else ""
        yield NEVER_REACHED.finding(place, name, message, effect, None, severity)
    else:
        outputs = list_names(dict.fromkeys(output_words(witness, done.line, done.output) for done in passes))
        message = f"the backward pass started from {outputs}, which does not depend on {name}."
        yield NEVER_REACHED.finding(
            place,
            name,
            message,
            f"{effect} It was used at line {run.origins.used[tensor]}.",
            None,
            see=[run.origins.used[tensor]],
        )


@LEAF_REBOUND.on("end")
def not_a_leaf(witness: Witness) -> Iterator[Finding]:
    for error, place in witness.errors:
        if "can't optimize a non-leaf" in message_of(error):
            yield from of_no_leaf(witness, place, severity_of(witness, error, place))


@LEAF_REBOUND.on("end")
def in_a_loop(witness: Witness) -> Iterator[Finding]:
    """State that an update gives its result to the variable of a loop, so that no leaf ever changes."""
    from gradcli.findings.order import Ledger

    accounts = witness.of(Ledger).accounts
    for source, loop in [(source, x) for source, x in witness.syntax() if isinstance(x, ast.For)]:
        turn = names_in(loop.target)
        for x in loop.body:
            place = Place(source, x.lineno, x, witness.machine.globals)
            name, value = place.written.target(), getattr(x, "value", None)
            if name not in turn or not isinstance(value, ast.BinOp) or f"{name}.grad" not in ast.unparse(value):
                continue
            leaves = [leaf for leaf, readers in witness.readers.items() if place.key in readers and leaf in accounts]
            if not leaves or any(accounts[leaf].ever_moved or accounts[leaf].count < 2 for leaf in leaves):
                continue
            names = list_names(map(witness.name, leaves))
            message = f"{place.written.text} gives a new tensor to {name}, the variable of the loop: {names} stay"
            message += f"{'s' if len(leaves) == 1 else ''} as at the start."
            because = f"{witness.name(leaves[0])} is the same in each of {accounts[leaves[0]].count} passes."
            sign = "-=" if isinstance(value.op, ast.Sub) else "+="
            instead = f"with torch.no_grad(): {name} {sign} {short(value.right)}" if short(value.left) == name else None
            yield LEAF_REBOUND.finding(place, f"{name}, {names}", message, because, instead)


def of_no_leaf(witness: Witness, place: Place, severity: str) -> Iterator[Finding]:
    """State which of the tensors that an optimizer is to hold is the result of an operation."""
    for name, value in place.env.items():
        if (
            isinstance(value, Tensor)
            and isinstance(node_of(value), Node)
            and re.search(rf"\b{re.escape(name)}\b", place.written.text)
        ):
            if value in witness.run.names.renamed:
                yield from of_rebound(witness, value, severity)
            elif (finding := anonymous(witness, value)) is not None:
                yield replace(finding, severity=severity)


@NO_DERIVATIVE.on("arrival")
def steps(witness: Witness, done: Pass) -> None:
    """State that the derivative of rounding and its kin is 0 everywhere."""
    known, zero = witness.of(Zeros).of, done.zeros if done.is_surveyed else []
    for leaf in (
        [leaf for leaf, _, _ in done.arrivals if leaf in known and all(leaf is not x for x in done.zeros)]
        if known
        else ()
    ):
        del known[leaf]
    if not zero:
        return
    for node in done.order:
        if node.primitive.pieces is None:
            continue
        place = witness.place_of(node)
        arrived = done.totals.get(node)
        if place is None or (arrived is not None and not np.any(arrived)):
            continue
        edge = node.edges[0] if node.edges else None
        if edge is None or np.any(done.totals.get(edge, 1)):
            continue
        names = [witness.name(leaf) for leaf in zero][:3]
        words = place.written.of_primitive(node.primitive.name) or node.primitive.name
        x = place.written.operand(node.primitive.name)
        straight = f"{short(x)} + ({words} - {short(x)}).detach()" if x is not None and short(x) else None
        message = f"{words} goes in steps: its derivative is 0 everywhere, so {list_names(names)} gets the gradient 0."
        because = f"{names[0]}.grad is {number(np.zeros(()))} after the pass of line {done.place.line}."
        finding = NO_DERIVATIVE.finding(place, ", ".join(names), message, because, straight, see=[done.place.line])
        witness.of(Zeros).expect(witness, zero[0], finding)


class Zeros:
    """What is known of leaves whose gradient is 0 so far."""

    def __init__(self) -> None:
        self.of: WeakKeyDictionary[Tensor, Finding] = WeakKeyDictionary()

    def expect(self, witness: Witness, leaf: Tensor, finding: Finding) -> None:
        """Keep a finding on a leaf, unless it gets another gradient."""
        self.of.setdefault(leaf, finding)
        witness.is_expecting = True


@NO_DERIVATIVE.on("end")
def never_more(witness: Witness) -> Iterator[Finding]:
    """State it of those that never got another gradient."""
    yield from witness.of(Zeros).of.values()


@LEAF_IN_PLACE.on("end")
def written_over(witness: Witness) -> Iterator[Finding]:
    for error, place in witness.errors:
        if not re.search(r"a (view of a )?leaf Variable that requires grad", message_of(error)):
            continue
        node = place.written.node
        target = node.target if isinstance(node, ast.AugAssign) else getattr(node, "value", None)
        x = target if target is not None and isinstance(node, ast.AugAssign) else None
        known = {**witness.machine.globals, **place.env}
        parts = [y for y in ast.walk(x if x is not None else node or ast.Pass()) if isinstance(y, ast.expr)]
        leaves = (y for y in parts if isinstance(v := meant(known, y), Tensor) and v.requires_grad)
        name = next((short(y) for y in leaves), "the leaf")
        change = place.written.text.removeprefix("return ")
        message = f"{change} changes {name}, a leaf that requires grad, while autograd records."
        instead = updated(witness, place, change, name)
        because = "torch refuses it: its gradient would be that at another value."
        severity = severity_of(witness, error, place)
        yield LEAF_IN_PLACE.finding(place, name, message, because, instead, severity)


@STOPPED.on("stopped")
def otherwise(witness: Witness) -> Iterator[Finding]:
    """State an error that no other cause explains."""
    if witness.stopped_by is None or any(finding.severity == "error" for finding in witness.findings.values()):
        return
    error, place = next((error, place) for error, place in witness.errors if error is witness.stopped_by)
    from gradcli.script.errors import ExitError, LimitError, UnsupportedError, python_class

    if isinstance(error, LimitError | UnsupportedError | ExitError):
        return
    kind = python_class(error).__name__
    message = f"{kind}: {one_line(message_of(error)).rstrip('.')[:300]}."
    related = [finding for finding in witness.findings.values() if finding.severity == "warning"]
    is_gradient = ".grad" in place.written.text  # which a finding at a later line of the loop may have made None
    if "NoneType" in message and any(is_gradient or finding.line <= place.line for finding in related):
        return
    given = [short(x) for call in place.written.nodes() if isinstance(call, ast.Call) for x in call.args]
    names = [x for x in (place.written.target(), *given) if re.fullmatch(r"[A-Za-z_][\w.]*", x)]
    pairs = [x.args for x in place.written.nodes() if isinstance(x, ast.Call) and len(x.args) == 2]
    typed = advice(message_of(error))
    for x, word in zip(
        pairs[0] if len(pairs) == 1 else (), (r"(?<=sigmoid\()x(?=\))", r"\btarget(?=\.)"), strict=False
    ):
        typed = re.sub(word, short(x), typed) if short(x).isidentifier() else typed
    yield STOPPED.finding(place, ", ".join(names), message, typed, None)
