"""Engines that students write: a class of numbers with `data`, `grad` and the numbers that each was computed from."""

from __future__ import annotations

import ast
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from gradcli.engine.tensor import Tensor
from gradcli.findings.declaration import Cause
from gradcli.findings.finding import Finding
from gradcli.findings.functions import DROPS, FACTOR, WRONG_INPUT
from gradcli.findings.graphs import LEFT_GRAPH
from gradcli.findings.order import ACCUMULATED
from gradcli.findings.spelling import Written, backward_call, called, meant, number, one_line, several
from gradcli.findings.witness import SURVEYED, Place, Witness
from gradcli.script.python.functions.parameters import VARIABLES_AROUND
from gradcli.script.python.values.attributes import Facade

OVERWRITTEN = Cause("overwritten", "warning", order=2)
ORDER = Cause("engine-order", "warning", order=2)
MOST, MANY, FEW = 100_000, 20_000, 200  # numbers of a graph that is looked at, whose order is, whose derivatives are
Setting = ast.Assign | ast.AugAssign


class Engines:
    """The passes of engines, by place, and the leaves at the latest one: their data and gradients."""

    def __init__(self) -> None:
        self.passes: Counter[tuple[str, int]] = Counter()
        self.leaves: dict[int, tuple[Any, Any, Any]] = {}
        self.roots: dict[tuple[str, int], Any] = {}  # on which passes run, by their places, while they do
        self.methods: dict[tuple[type, str], tuple[Any, ast.FunctionDef, list[tuple[Setting, str]]] | None] = {}


def parents_in(x: Any) -> str:
    """Return the attribute with the numbers that one was computed from; "" of what is no number of an engine."""
    if not isinstance(x, Facade) or isinstance(x, Tensor) or "grad" not in vars(x) or not data_in(x):
        return ""
    attributes = (key for key, y in vars(x).items() if isinstance(y, tuple | list | set) and y)
    return next((key for key in attributes if all(type(y) is type(x) for y in vars(x)[key])), "")


def data_in(x: Any) -> str:
    """Return the attribute with the value of a number: `data`, or whatever it is called."""
    numbers = (key for key, y in vars(x).items() if key != "grad" and isinstance(y, int | float | np.ndarray))
    return "data" if "data" in vars(x) else next(numbers, "")


def value_in(x: Any) -> Any:
    return vars(x).get(data_in(x))


@ACCUMULATED.on("statement")
def passed(witness: Witness, env: dict[str, Any]) -> Iterator[Finding] | None:
    """Look at the graph of an engine once its backward has run."""
    place, roots = witness.place, witness.of(Engines).roots
    outer = place.outer
    if outer is not None and backward_call(outer.node) is not None:
        root = next((x for x in env.values() if parents_in(x)), None)
        roots.update({} if root is None else {outer.key: root})  # what it runs on, last of all, if that has no name
    call = backward_call(place.node)
    if call is None or (outer is not None and outer.key in roots):
        return None
    return looked_at(witness, env, place, call)


def looked_at(witness: Witness, env: dict[str, Any], place: Place, call: ast.Call) -> Iterator[Finding]:
    engines, variables = witness.of(Engines), {**witness.machine.globals, **env}
    written = [*([call.func.value] if isinstance(call.func, ast.Attribute) else []), *call.args]
    named = [x for x in (meant(variables, y) for y in written) if parents_in(x)]
    root = next(iter(named), engines.roots.get(place.key))
    engines.roots.pop(place.key, None)
    attribute = parents_in(root)
    if not attribute or any(type(outer.env.get("self")) is type(root) for outer in place.calls()):
        return
    engines.passes[place.key] += 1
    if engines.passes[place.key] > SURVEYED:
        return
    nodes = below(root, attribute)
    names = {id(x): name for name, x in witness.objects(type(root))}
    leaves = [x for x in nodes if not getattr(x, attribute) and id(x) in names]
    if engines.passes[place.key] == 1:
        users = defaultdict[int, list[Any]](list)
        for node in nodes:
            for x in parents_of(node, attribute):
                users[id(x)].append(node)
        wrong = [finding for node in nodes for finding in wrong_edges(witness, node, attribute, users)]
        if not wrong and len(nodes) <= FEW:
            wrong = [finding for node in nodes for finding in wrong_factors(witness, node, attribute)][:1]
        if not wrong and len(nodes) <= MANY and not engines.leaves:
            wrong = list(wrong_order(witness, root, nodes, attribute, names, called(call)))
        yield from wrong
    function = partial(meant(variables, call.func), root) if call.args else getattr(root, called(call))
    yield from added(witness, place, function, nodes, {names[id(x)]: x for x in leaves})
    engines.leaves = {id(x): (x, value_in(x), x.grad) for x in leaves}


def below(root: Any, attribute: str) -> list[Any]:
    """Return the numbers that one was computed from, itself too."""
    waiting, seen = [root], {id(root): root}
    while waiting and len(seen) < MOST:
        for x in getattr(waiting.pop(), attribute, ()):
            if id(x) not in seen:
                seen[id(x)] = x
                waiting.append(x)
    return list(seen.values())


def added(
    witness: Witness, place: Place, again: Callable[[], Any], nodes: list[Any], leaves: dict[str, Any]
) -> Iterator[Finding]:
    """State that a pass added to gradients of one before, from before a step: proved by running the pass `again`."""
    before = witness.of(Engines).leaves
    stepped = {name: x for name, x in leaves.items() if id(x) in before and differ(before[id(x)][1], value_in(x))}
    if not stepped:
        return
    kept, alone = [x.grad for x in nodes], dict[str, Any]()
    try:
        for x in nodes:
            x.grad = x.grad * 0
        with witness.aside():
            again()
        alone = {name: x.grad for name, x in stepped.items()}
    except Exception:  # the snippet's own code, which may not run twice
        return
    finally:
        for x, grad in zip(nodes, kept, strict=True):
            x.grad = grad
    wrong = [
        name
        for name, x in sorted(stepped.items())
        if differ(alone[name], x.grad) and not differ(x.grad, alone[name] + before[id(x)][2])
    ]
    if wrong:
        first, names = wrong[0], several(f"{name}.grad" for name in wrong)
        message = f"{names} still held the gradient of an earlier pass, from before the step: nothing set it to 0."
        because = f"{first}.grad is {number(stepped[first].grad)}, where this pass alone gives {number(alone[first])}."
        instead = f"{'; '.join(f'{name}.grad = 0.0' for name in wrong[:3])}  # before {place.written.text}"
        yield ACCUMULATED.finding(place, ", ".join(wrong), message, because, instead)


def wrong_edges(witness: Witness, node: Any, attribute: str, users: Mapping[int, Sequence[Any]]) -> Iterator[Finding]:
    """State what the backward of a number forgets: a parent that is not among its parents, or a sum."""
    methods = witness.of(Engines).methods
    for _, back in closures(node):
        variables, key = back._facts(VARIABLES_AROUND), (type(node), back.__qualname__)
        if key not in methods:
            known = method_around(witness, *key)
            methods[key] = known and (known[0], known[1], list(settings(known[2])))
        if (method := methods[key]) is None:
            continue
        for x, name in method[2]:
            parent = variables.get(name)
            if parent is node or type(parent) is not type(node):
                continue
            source, function, _ = method
            at = Place(source, x.lineno, x, witness.machine.globals)
            if all(y is not parent for y in getattr(node, attribute)):
                yield from of_missing(witness, function, at, variables, node, name, attribute)
            elif isinstance(x, ast.Assign):
                uses = users[id(parent)]
                total = shares(witness, parent, uses, attribute) if len(uses) > 1 else None
                if total is not None and differ(total, parent.grad):
                    yield of_overwritten(witness, at, name, parent, len(uses), total)


def shares(witness: Witness, parent: Any, users: Sequence[Any], attribute: str) -> Any:
    """Return the sum of what each use of a number gives to its gradient; None where a use cannot be run again."""
    total = parent.grad * 0
    try:
        with witness.aside():
            for user in users:
                parents = parents_of(user, attribute)
                contributions = sent(user, user.grad, parents, attribute)
                total = total + next(g for x, g in zip(parents, contributions, strict=True) if x is parent)
    except Exception:  # the snippet's own code
        return None
    return total


def closures(node: Any) -> list[tuple[str, Any]]:
    """Return the functions of the snippet that a number holds: its own part of backward."""
    return [(key, x) for key, x in vars(node).items() if hasattr(x, "_facts")]


def slopes_kept(node: Any, attribute: str) -> Sequence[Any]:
    """Return the local derivatives that a number keeps beside its parents; none where a function has them."""
    parents = getattr(node, attribute)
    kept = (y for key, y in vars(node).items() if key != attribute and isinstance(y, tuple | list))
    numbers = (y for y in kept if len(y) == len(parents) and all(isinstance(g, int | float) for g in y))
    return next(numbers, ()) if parents and not closures(node) else ()


def sent(node: Any, upstream: Any, parents: Sequence[Any], attribute: str) -> list[Any]:
    """Return what the backward of a number gives each parent for a gradient, and leave all as it is."""
    if kept_slopes := slopes_kept(node, attribute):
        uses = list(zip(getattr(node, attribute), kept_slopes, strict=True))
        return [sum(upstream * slope for y, slope in uses if y is x) for x in parents]
    touched = [node, *parents]
    kept = [x.grad for x in touched]
    try:
        for x in parents:
            x.grad = x.grad * 0
        node.grad = upstream
        for _, back in closures(node):
            back()
        return [x.grad for x in parents]
    finally:
        for x, grad in zip(touched, kept, strict=True):
            x.grad = grad


def wrong_factors(witness: Witness, node: Any, attribute: str) -> Iterator[Finding]:
    """State a derivative in the backward of a number that differs from the difference quotient of its method."""
    parents = parents_of(node, attribute)
    data, value = data_in(node), value_in(node)
    for _, back in closures(node) if parents and isinstance(value, int | float) else ():
        variables, method = back._facts(VARIABLES_AROUND), method_around(witness, type(node), back.__qualname__)
        arguments = [variables.get(x.arg) for x in method[1].args.args] if method is not None else []
        if method is None or not arguments or type(arguments[0]) is not type(node):
            continue
        try:
            with witness.aside():
                alone, contributions = ([x / up for x in sent(node, up, parents, attribute)] for up in (1.0, 2.0))
                slopes = [slope(arguments, method[1].name, x, data) for x in parents]
        except Exception:  # the snippet's own code, which may not take these numbers
            continue
        for parent, first, part, true in zip(parents, alone, contributions, slopes, strict=True):
            names = [key for key, x in variables.items() if x is parent]
            at = next((x for x, name in settings(method[2]) if name in names), None)
            if true is None or at is None or np.allclose(part, true, rtol=1e-3, atol=1e-5):
                continue
            others = [x for x in slopes if x is not None and x is not true]
            is_alone = np.allclose(2 * part, first, rtol=1e-3, atol=1e-5)  # whatever out.grad is
            part = first if is_alone else part
            cause = WRONG_INPUT if any(np.allclose(part, x, rtol=1e-3) for x in others) else FACTOR
            cause = DROPS if is_alone else cause
            place, name = Place(method[0], at.lineno, at, witness.machine.globals), method[1].name
            message = f"the derivative of {type(node).__name__}.{name} by {names[0]} is wrong: {place.written.text}."
            because = f"for {names[0]} = {number(value_in(parent))} it gives {number(part)} times out.grad, the "
            if is_alone:
                message = f"{place.written.text} leaves out the gradient of the result: the chain rule is missing."
                because = f"for {names[0]} = {number(value_in(parent))} it gives {number(part)} whatever that is; the "
            because += f"difference quotient of {name} is {number(true)}."
            about = ", ".join(x for x in (names[0], name, type(node).__name__, witness.path(parent)) if x)
            out = next((key for key, x in variables.items() if x is node), "out")
            chained = ast.BinOp(at.value, ast.Mult(), ast.parse(f"{out}.grad", mode="eval").body)
            instead = f"{names[0]}.grad += {ast.unparse(chained)}" if is_alone else None
            yield cause.finding(place, about, message, because, instead)
            return


def settings(function: ast.FunctionDef) -> Iterator[tuple[Setting, str]]:
    """Yield the statements that give variables their gradients, each with its variable."""
    for x in ast.walk(function):
        if not isinstance(x, Setting):
            continue
        for target in x.targets if isinstance(x, ast.Assign) else [x.target]:
            if isinstance(target, ast.Attribute) and target.attr == "grad" and isinstance(target.value, ast.Name):
                yield x, target.value.id


def slope(arguments: Sequence[Any], method: str, parent: Any, data: str) -> float | None:
    """Return the difference quotient of a method by one of its numbers; None at a kink."""
    before, ends = vars(parent)[data], []
    step = 1e-5 * max(1.0, abs(before))
    try:
        for shift in (-step, 0, step):
            setattr(parent, data, before + shift)
            ends.append(vars(getattr(arguments[0], method)(*arguments[1:]))[data])
    finally:
        setattr(parent, data, before)
    left, right = (ends[1] - ends[0]) / step, (ends[2] - ends[1]) / step
    return (left + right) / 2 if np.isclose(left, right, rtol=1e-2, atol=1e-3) else None


def totals_in_order(witness: Witness, root: Any, nodes: Sequence[Any], attribute: str) -> dict[int, Any]:
    """Return the gradients, by id, that numbers have if each is taken once, after all its uses; {} where that fails."""
    totals, uses = {id(root): root.grad * 0 + 1}, Counter(id(x) for node in nodes for x in parents_of(node, attribute))
    waiting = [root]
    for node in waiting:
        parents = parents_of(node, attribute)
        try:
            with witness.aside():
                contributions = sent(node, totals[id(node)], parents, attribute)
        except Exception:  # the snippet's own code
            return {}
        for x, share in zip(parents, contributions, strict=True):
            totals[id(x)] = totals.get(id(x), 0) + share
            uses[id(x)] -= 1
            if not uses[id(x)]:
                waiting.append(x)
    return totals if len(waiting) == len(nodes) else {}


def wrong_order(
    witness: Witness, root: Any, nodes: Sequence[Any], attribute: str, names: Mapping[int, str], name_of_pass: str
) -> Iterator[Finding]:
    """State that backward() takes a number too early or twice: what its uses pass on, once and in order, is another."""
    totals = totals_in_order(witness, root, nodes, attribute)
    wrong = [x for x in nodes if id(x) in names and id(x) in totals and differ(x.grad, totals[id(x)])]
    bodies = [(source, x) for source in witness.statements for tree in witness.trees(source) for x in tree.body]
    kinds = [(y, x) for y, x in bodies if isinstance(x, ast.ClassDef) and x.name == type(root).__name__]
    bodies += [(y, inner) for y, x in kinds for inner in x.body]
    methods = [(source, x) for source, x in bodies if isinstance(x, ast.FunctionDef) and x.name == name_of_pass]
    keys = {key for node in nodes for key, _ in closures(node)}
    is_readable = bool(keys) or any(slopes_kept(node, attribute) for node in nodes)
    if not wrong or not methods or not is_readable:
        return
    source, method = methods[-1]
    loops = [x for x in ast.walk(method) if isinstance(x, ast.For | ast.While)]
    calls = [
        x
        for x in ast.walk(method)
        if (isinstance(x, ast.Call) and called(x) in keys)
        or (isinstance(x, ast.AugAssign) and ast.unparse(x.target).endswith(".grad"))
    ]
    around = [x for x in loops if any(y in ast.walk(x) for y in calls)]
    at = around[-1] if around and isinstance(around[-1], ast.For) else calls[0] if calls else method
    leaf = next((x for x in wrong if not getattr(x, attribute)), wrong[0])
    name = names[id(leaf)]
    place = Place(source, at.lineno, at if isinstance(at, ast.For) else None, witness.machine.globals)
    message = f"{name_of_pass}() of {type(root).__name__} takes numbers before all of their uses, or more than once."
    because = (
        f"{name}.grad is {number(leaf.grad)}; each number once, after all its uses, gives {number(totals[id(leaf)])}."
    )
    instead = None
    if isinstance(at, ast.For) and isinstance(at.iter, ast.Name):
        instead = f"for {ast.unparse(at.target)} in reversed({at.iter.id}):"
    elif (again := passed_again(method)) is not None:
        place, message, instead = Place(source, again[0].lineno, again[0], witness.machine.globals), *again[1:]
    elif not around or any(isinstance(x, ast.Call) and called(x) == method.name for x in ast.walk(around[-1])):
        instead = "first list all numbers, each once and after its parents; then go through that list reversed"
    about = ", ".join([name, type(root).__name__, method.name])
    yield ORDER.finding(place, about, message, because, instead, see=[method.lineno])


def passed_again(method: ast.FunctionDef) -> tuple[ast.stmt, str, str] | None:
    """Return the call by which a backward of its own gradient passes on the sum so far, words, and what to write."""
    parameters = [x.arg for x in method.args.args[1:2]]
    calls = [(x, x.value) for x in ast.walk(method) if isinstance(x, ast.Expr) and isinstance(x.value, ast.Call)]
    for x, call in calls if parameters else ():
        if called(call) != method.name:
            continue
        sums = [y for y in ast.walk(call) if isinstance(y, ast.Attribute) and ast.unparse(y) == "self.grad"]
        if len(sums) == 1:
            message = f"each call of {method.name}() passes on self.grad, the sum so far, and with it once more what "
            return x, f"{message}earlier calls have passed on.", Written(x).with_(sums[0], parameters[0])
    return None


def parents_of(node: Any, attribute: str) -> list[Any]:
    return list({id(x): x for x in getattr(node, attribute)}.values())


def method_around(witness: Witness, kind: type, qualified: str) -> tuple[Any, ast.FunctionDef, ast.FunctionDef] | None:
    """Return the source of a class, its method and the function in that, by the qualified name of the function."""
    names = qualified.replace(".<locals>", "").split(".")
    for source in witness.statements:
        for tree in witness.trees(source):
            nodes: list[Any] = [tree]
            for name in names:
                body = getattr(nodes[-1], "body", [])
                nodes += [x for x in body if isinstance(x, ast.ClassDef | ast.FunctionDef) and x.name == name][:1]
            if len(nodes) == 4 == len(names) + 1 and isinstance(nodes[2], ast.FunctionDef):
                return source, nodes[2], nodes[3]
    return None


def of_missing(
    witness: Witness, function: ast.FunctionDef, at: Place, variables: Any, node: Any, name: str, attribute: str
) -> Iterator[Finding]:
    """State that a method leaves an operand out of the parents of its result."""
    kind = type(node).__name__
    for x in ast.walk(function):
        call = x.value if isinstance(x, ast.Assign) else None
        if not isinstance(x, ast.Assign) or not isinstance(call, ast.Call) or called(call) != kind:
            continue
        out = ast.unparse(x.targets[0])
        if variables.get(out) is not node:
            continue
        place = Place(at.source, x.lineno, x, witness.machine.globals)
        call_text = one_line(ast.unparse(call))
        message = (
            f"{call_text} in {function.name}() leaves {name} out of {attribute}: backward() does not go on to {name}."
        )
        because = f"line {at.line} gives {name} its gradient, and nothing passes that on to what {name} was made of."
        instead = f"{out} = {call_text[:-1]}, ({name},))" if len(call.args) == 1 and not call.keywords else None
        yield LEFT_GRAPH.finding(place, f"{out}, {function.name}, {name}", message, because, instead, see=[at.line])


def of_overwritten(witness: Witness, at: Place, name: str, parent: Any, uses: int, total: Any) -> Finding:
    """State that a method sets a gradient of a number that has other uses."""
    subject = witness.path(parent) or f"a number of {number(value_in(parent))}"
    message = f"{at.written.text} sets {name}.grad, and what another use of the number gave is lost: write +=."
    because = f"{subject} has {uses} uses: its gradient is {number(parent.grad)}, what they give is {number(total)}."
    instead = at.written.text.replace(" = ", " += ", 1)
    return OVERWRITTEN.finding(at, ", ".join(x for x in (name, witness.path(parent)) if x), message, because, instead)


def differ(a: Any, b: Any) -> bool:
    return not np.allclose(a, b, rtol=1e-6, atol=1e-12, equal_nan=True)
