"""Changes of one place in a program: the one after which all is right names the mistake, and its line."""

from __future__ import annotations

import ast
import builtins
import copy
import itertools
import keyword
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from gradcli.facts import dataclass
from gradcli.homework.code.cases import BACKWARD, DATA, GRADIENT, GRADS, Code
from gradcli.homework.code.schemata import Change, holders, is_class, test
from gradcli.language.catalogue import operations_that_are

MOST = 900  # changes that are tried
MOST_NAMES = 24  # that are put in the place of another
MODULES = frozenset(("np", "numpy", "torch", "math"))


def repairs(
    tree: ast.Module, text: str, reached: Collection[int], shared: Collection[int], code: Code, *, has_axes: bool
) -> list[Change]:
    """Return changes of what is `reached` where a program fails, what is not `shared` with where it does not first.

    No mistake is one of axes where all values are single numbers. Some changes for each mistake come in turn, so that
    none waits until all of another are tried.
    """
    graded, numbers = lines_behind(tree, code) or lines_of_gradients(tree, is_engine=code.is_engine), holders(tree)
    numbers |= {id(node): numbers[id(node.body[0])] for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    unlikely = UNLIKELY | FORWARD if code.is_layer else UNLIKELY  # gradients are held up to the forward pass
    possible = [
        change
        for change in changes(tree, unlikely, is_engine=code.is_engine)
        if (has_axes or change[0] not in OF_AXES) and numbers[id(change[3])] in reached
    ]
    possible.sort(
        key=lambda change: (
            change[2] not in graded and change[0] in PLACED,
            not is_renaming(change),
            min(strange(change, text), 1),
        )
    )
    seen: Counter[str] = Counter()
    keys = {}
    for change in possible:
        number = numbers[id(change[3])]
        is_late = number in shared or (not code.is_engine and change[2] not in graded)
        words = change[1] if change[0] == "swapped-variable" else QUOTED.sub("", change[1])
        kind = f"{change[2]} {change[0]} {' '.join(words.split()[:5])}"
        turn = seen[kind] // TURNS.get(change[0], TURN)
        keys[id(change)] = (is_late, turn, ORDER[change[0]], seen[kind])
        seen[kind] += 1
    return sorted(possible, key=lambda change: keys[id(change)])[:MOST]


def strange(change: Change, text: str) -> int:
    """Return how many names a change brings into its line that are not there: who left one out may have others."""
    *_, number, node, field, other = change
    words = set(re.findall(r"\w+", text.splitlines()[number - 1]))
    if isinstance(other, str):
        return len({*NAME.findall(TEXT.sub("", other))} - words)
    old = set(map(id, getattr(node, field))) if isinstance(other, list) else ()
    new = [statement for statement in other if id(statement) not in old] if isinstance(other, list) else [other]
    return len({node.id for part in new for node in ast.walk(part) if isinstance(node, ast.Name)} - words)


TEXT = re.compile(r"'[^']*'")
QUOTED = re.compile(r"`[^`]*`")
NAME = re.compile(rf"(?<![\w.])(?!(?:{'|'.join(keyword.kwlist)})\b)[^\W\d]\w*\b(?!=[^=])")  # in a formula


def line_at_fault(tree: ast.Module, reached: Collection[int], code: Code) -> Change | None:
    """Return the line that some statements are in: of several the one that computes most, and the others beside it."""
    numbers = holders(tree)
    if code.is_layer:
        forward = (
            node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name in FORWARD | UNLIKELY
        )
        reached = {*reached} - {numbers[id(node)] for body in forward for node in ast.walk(body) if node is not body}
    loops = {numbers[id(node)] for node in ast.walk(tree) if isinstance(node, ast.For | ast.While)}
    reached = {*reached} - loops or reached
    sizes: Counter[int] = Counter()
    for node in ast.walk(tree):
        if numbers[id(node)] in reached and isinstance(node, ast.BinOp | ast.Call | ast.IfExp | ast.Compare):
            sizes[node.lineno] += 1
        if numbers[id(node)] in reached and isinstance(node, ACTS) and getattr(node, "value", node) is not None:
            sizes[node.lineno] += 0
    graded = lines_behind(tree, code)
    sizes = Counter({line: size for line, size in sizes.items() if line in graded}) or sizes
    if not sizes or len(sizes) > MOST_LINES:
        return None
    line, *others = sorted(sizes, key=lambda line: (-sizes[line], -line))
    says = f"what is wrong comes from this line{' alone' if not others else ''}"
    says += f", or from line {' or '.join(map(str, sorted(others)))}, on which it depends" if others else ""
    return "rule", says, line, tree, "body", tree.body


ACTS = ast.Assign | ast.AugAssign | ast.Return | ast.Expr | ast.Lambda
MOST_LINES = 5  # of which one is named first


def is_renaming(change: Change) -> bool:
    """Tell whether a name alone is assigned where the change is made: something may be missing there."""
    *_, node, field, _ = change
    return isinstance(node, ast.Assign) and isinstance(getattr(node, field), ast.Name)


TURN = 2  # changes of one kind on one line
TURNS = {"term": 32}  # more of some: few bring in what is computed and not used
OF_AXES = frozenset(("transpose", "broadcast-unsummed", "mean-n"))
PLACED = frozenset(("swapped-variable", "constant", "operand", "upstream", "relu-gate", "operator", "local", "mean-n"))
FORWARD = frozenset(("forward", "__call__"))
UNLIKELY = frozenset(("__init__", "__repr__", "__str__"))
TITLES = {  # of mistakes in programs, the commonest first
    "fanout-overwrite": "kept one branch where the branches add up",
    "order": "took a node before all that use it",
    "visited": "took a node twice that is reached by two ways",
    "unrecorded": "left an operation out of the backward pass",
    "seed": "began the walk without a gradient of 1 at the output",
    "sign": "slipped a sign",
    "transpose": "left out a transpose, or put one too many",
    "broadcast-unsummed": "did not sum over the axis that was broadcast, or over another",
    "mean-n": "forgot the 1/n of a mean, or used it twice",
    "upstream": "did not multiply by the gradient that arrives",
    "relu-gate": "let the wrong entries through a mask",
    "swapped-variable": "used another value than the one that belongs there",
    "power-rule": "slipped in the power rule",
    "term": "left out a term",
    "operand": "left out a factor, or put one too many",
    "operator": "took another operation",
    "constant": "wrote another number",
    "local": "slipped in a local derivative",
    "rule": "slipped somewhere in a rule",
}
ORDER = {code: place for place, code in enumerate(TITLES)}


def lines_behind(tree: ast.Module, code: Code) -> set[int]:
    """Return the lines of a layer's backward pass that compute with the gradient that arrives, in any number of steps.

    A mistake is likelier there than in what is computed again of the forward pass.
    """
    lines: set[int] = set()
    for function in (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and not code.is_engine):
        arguments = {argument.arg for argument in function.args.args} - {"self", "ctx"}
        if code.is_layer:
            reaching = arguments if function.name == "backward" else set()
        else:
            student_args = function.args.args if function.name == code.name else ()
            places = zip(student_args, code.takes, strict=False)  # students have names of their own
            reaching = {code.upstream} & arguments | {arg.arg for arg, given in places if given == code.upstream}
        for node in sorted(
            (step for step in ast.walk(function) if isinstance(step, ast.stmt)), key=lambda step: step.lineno
        ):
            value = getattr(node, "value", None)
            read = {node.id for node in ast.walk(value) if isinstance(node, ast.Name)} if value is not None else set()
            if read & reaching:
                lines.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
                targets = getattr(node, "targets", [getattr(node, "target", None)])
                reaching |= {
                    node.id for part in targets if part for node in ast.walk(part) if isinstance(node, ast.Name)
                }
    return from_the_first(lines, tree)


def lines_of_gradients(tree: ast.Module, *, is_engine: bool) -> set[int]:
    """Return the lines on which gradients are assigned or returned; of a function all from the first on."""
    lines: set[int] = set()
    for node in ast.walk(tree):
        targets = (
            node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AugAssign) else []
        )
        is_named = any(is_grad(node) or (isinstance(node, ast.Name) and node.id.startswith("d")) for node in targets)
        parts = node.elts if isinstance(node, ast.Tuple) and isinstance(node.ctx, ast.Load) else []
        parts = [value for value in node.values if value] if isinstance(node, ast.Dict) else parts
        is_local = any(isinstance(part, ast.Attribute | ast.BinOp | ast.Constant) for part in parts)
        if is_named or is_local:  # `(self, other.data)`, a node and its local derivative
            start = getattr(node, "lineno", 0)
            lines.update(range(start, (getattr(node, "end_lineno", 0) or start) + 1))
    return lines if is_engine else from_the_first(lines, tree)


def from_the_first(lines: Collection[int], tree: ast.Module) -> set[int]:
    """Return some lines with all that stand behind the first of them in a function: what they need is there, too."""
    all_lines = set(lines)
    for function in (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)):
        if inside := [line for line in lines if function.lineno <= line <= (function.end_lineno or 0)]:
            all_lines.update(range(min(inside), (function.end_lineno or 0) + 1))
    return all_lines


def changes(tree: ast.Module, unlikely: Collection[str], *, is_engine: bool) -> Iterator[Change]:
    kinds = ast.Lambda | ast.FunctionDef
    functions = [
        node for node in ast.walk(tree) if isinstance(node, kinds) and getattr(node, "name", "") not in unlikely
    ]
    for function in functions:
        yield from of_function(function)
    yield from left_out(functions if is_engine else ())
    seen: set[int] = set()
    entries = [node for node in ast.walk(tree) if is_entry(node)]
    if not is_engine:  # `self.x`, which a layer keeps
        kept = {ast.unparse(node): node for node in ast.walk(tree) if isinstance(node, ast.Attribute)
                and isinstance(node.ctx, ast.Store)}  # fmt: skip
        entries += [test(name) for name in kept]
    if is_engine:  # `entry["local"]`
        inner = list(ast.walk(tree))
        tables = [key for node in inner if isinstance(node, ast.Dict) for key in node.keys]
        keys = {key.value for key in tables if isinstance(key, ast.Constant) and isinstance(key.value, str)}
        loops = {ast.unparse(node.target) for node in inner if isinstance(node, ast.For)}
        entries += [test(f"{loop}[{key!r}]") for loop in sorted(loops) for key in sorted(keys) if loop.isidentifier()]
    powers = (node for node in ast.walk(tree) if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow))
    squares = {ast.unparse(node.left) for node in powers if ast.unparse(node.right) == "2"}
    wrappers = fitting(tree)
    for function in functions:
        names = operands(function, entries, squares, wrappers, is_engine=is_engine)
        for parent in ast.walk(function):
            if id(parent) in seen:
                continue
            seen.add(id(parent))
            for name, node in fields(parent):
                yield from of_place(parent, name, node, names)
            yield from of_statement(parent)


def fitting(tree: ast.Module) -> dict[str, tuple[str, ...]]:
    """Return functions that are called with gradients and something else, as a shape, with what that is."""
    functions = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    rest_of: dict[str, dict[str, None]] = {}
    counts: Counter[str] = Counter()
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and len(node.args) > 1 and not node.keywords:
            called = ast.unparse(node.func)
            if called.rpartition(".")[2] in functions:
                counts[called] += 1
                rest_of.setdefault(called, {})[", ".join(map(ast.unparse, node.args[1:]))] = None
    return {called: tuple(rest)[:MOST_FITS] for called, rest in rest_of.items() if counts[called] > 2}


MOST_FITS = 6


def left_out(functions: Sequence[ast.FunctionDef | ast.Lambda]) -> Iterator[Change]:
    """Yield changes that bring in a statement which other functions have beside such a closure: `out._f = _f`."""
    bodies = {
        node: {ast.unparse(part): part for part in node.body} for node in functions if isinstance(node, ast.FunctionDef)
    }
    counts = Counter(text for body in bodies.values() for text, part in body.items() if isinstance(part, ACTS))
    for function, body in bodies.items():
        *before, last = function.body
        bound = {node.id for node in ast.walk(function) if isinstance(node, ast.Name)}
        bound |= {part.name for part in before if isinstance(part, ast.FunctionDef)}
        for text, count in counts.items() if isinstance(last, ast.Return) else ():
            names = {node.id for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)}
            inner = [part.name for part in before if isinstance(part, ast.FunctionDef) and part.name in names]
            if count > 1 and text not in body and inner and names - bound <= {text.partition(".")[0]}:
                new = [*before, *ast.parse(text).body, last]
                yield (
                    "unrecorded",
                    f"`{text}` is missing, which other operations have",
                    last.lineno,
                    function,
                    "body",
                    new,
                )


def fields(parent: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    for name, value in ast.iter_fields(parent):
        if isinstance(value, ast.AST):
            yield name, value
        elif isinstance(value, list):
            for place, element in enumerate(value):
                if isinstance(element, ast.expr):
                    yield f"{name}[{place}]", element


def of_statement(node: ast.AST) -> Iterator[Change]:
    """Yield changes of statements: `=` for `+=`, a sign, a condition."""
    bodies = [(name, some) for name, some in ast.iter_fields(node) if isinstance(some, list)]
    for name, place, statement in ((name, place, step) for name, some in bodies for place, step in enumerate(some)):
        body = getattr(node, name)

        def instead(code: str, says: str, *others: ast.stmt) -> Change:
            return code, says, statement.lineno, node, name, [*body[:place], *others, *body[place + 1 :]]  # noqa: B023

        targets = statement.targets if isinstance(statement, ast.Assign) else []
        target = targets[0] if len(targets) == 1 else statement
        if isinstance(statement, ast.Assign) and (isinstance(target, ast.Subscript) or is_grad(target)):
            says = f"`{ast.unparse(statement)}` overwrites what another use of the same variable may have added"
            added = ast.AugAssign(target, ast.Add(), statement.value, lineno=statement.lineno)  # type: ignore[arg-type]
            yield instead("fanout-overwrite", says, added)
            if (
                isinstance(statement.value, ast.Constant)
                and statement.value.value == 0
                and STARTS.match(getattr(node, "name", ""))
            ):
                yield instead("seed", SEED, ast.Assign(statement.targets, test("1.0"), lineno=statement.lineno))
            if isinstance(target, ast.Subscript):
                got = f"{ast.unparse(target.value)}.get({ast.unparse(target.slice)}, 0.0)"
                text = f"{ast.unparse(target)} = {got} + ({ast.unparse(statement.value)})"
                yield instead("fanout-overwrite", says, *ast.parse(text).body)
        for name_of_list, element in gathered(statement) if isinstance(statement, ast.If) else ():
            test_ = test(f"not any(_one is {element} for _one in {name_of_list})")
            yield instead("visited", VISITED, ast.If(test_, statement.body, statement.orelse))
        if isinstance(statement, ast.If) and not statement.orelse:
            says = f"what is done if `{ast.unparse(statement.test)}` has to be done always"
            yield instead("operand", says, *statement.body)
        before = body[place - 1] if place else None
        if isinstance(before, ast.AugAssign) and isinstance(before.op, ast.Sub):  # the uses that are left
            last = ast.If(test(f"{ast.unparse(before.target)} == 0"), [statement], [])
            yield instead("order", ORDERED, last)
        if before is not None and (swapped := swapped_values(before, statement)):
            says = f"`{ast.unparse(before)}` and `{ast.unparse(statement)}` have each what belongs to the other"
            new = [*body[: place - 1], *swapped, *body[place + 1 :]]
            yield "swapped-variable", says, before.lineno, node, name, new
        if isinstance(statement, ast.AugAssign) and isinstance(statement.op, ast.Add | ast.Sub):
            sign = ast.Sub() if isinstance(statement.op, ast.Add) else ast.Add()
            changed = ast.AugAssign(statement.target, sign, statement.value, lineno=statement.lineno)
            yield instead("sign", f"the sign of `{ast.unparse(statement.value)}` is not right", changed)


def swapped_values(first: ast.stmt, second: ast.stmt) -> list[ast.stmt]:
    """Return two statements each with the value of the other, or what a call gets; nothing where they are not alike."""
    values = [getattr(statement, "value", None) for statement in (first, second)]
    texts = [ast.unparse(value) for value in values if isinstance(value, ast.expr)]
    if type(first) is not type(second) or len(set(texts)) < 2 or not isinstance(first, ACTS):
        return []
    if isinstance(first, ast.Expr):
        calls = [value for value in values if isinstance(value, ast.Call) and len(value.args) == 1]
        if len(calls) < 2:
            return []
        values = [ast.Call(call.func, other.args, call.keywords) for call, other in (calls, calls[::-1])]
    else:
        values.reverse()
    made: list[ast.stmt] = []
    for statement, value in zip((first, second), values, strict=True):
        made.append(copy.copy(statement))
        made[-1].value = value  # type: ignore[attr-defined]
    return made


def gathered(statement: ast.If) -> Iterator[tuple[str, str]]:
    """Yield what a statement adds to lists and sets: their names, with the elements."""
    for part in statement.body:
        call = part.value if isinstance(part, ast.Expr) else None
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr in ("append", "add"):
            yield ast.unparse(call.func.value), ast.unparse(call.args[0]) if call.args else ""


def of_function(node: ast.FunctionDef | ast.Lambda) -> Iterator[Change]:
    """Yield changes of the walk: a seed, the order, nodes that are visited twice."""
    if isinstance(node, ast.Lambda):
        return
    inner = list(ast.walk(node))
    first = node.args.args[0].arg if node.args.args else ""
    if STARTS.match(node.name) and first:
        seeded = [part.attr for part in inner if isinstance(part, ast.Attribute) and GRADIENT.search(part.attr)]
        for grad in dict.fromkeys([*seeded, *GRADS[:2]]):
            yield "seed", SEED, node.lineno, node, "body", [*ast.parse(f"{first}.{grad} = 1.0").body, *node.body]
    for loop in (part for part in inner if isinstance(part, ast.For)):
        if isinstance(loop.iter, ast.Call) and ast.unparse(loop.iter.func) == "reversed":
            yield "order", ORDERED, loop.lineno, loop, "iter", loop.iter.args[0]
        elif not isinstance(loop.iter, ast.Subscript):
            yield "order", ORDERED, loop.lineno, loop, "iter", test(f"list({ast.unparse(loop.iter)})[::-1]")
    calls = [part.func for part in inner if isinstance(part, ast.Call)]
    is_recursive = any(ast.unparse(call).split(".")[-1] == node.name for call in calls)
    lists = {
        ast.unparse(call.value) for call in calls if isinstance(call, ast.Attribute) and call.attr in ("append", "add")
    }
    if is_recursive and lists and first:
        visited = node.args.args[-1].arg if first == "self" else first
        line = next((part.lineno for part in node.body if isinstance(part, ast.If)), node.lineno)
        for name in sorted(lists):
            stop = ast.parse(f"if any(_one is {visited} for _one in {name}):\n    return").body
            yield "visited", VISITED, line, node, "body", [*stop, *node.body]
        blocks: list[ast.FunctionDef | ast.If] = [node, *(part for part in node.body if isinstance(part, ast.If))]
        for block in blocks:
            for place, statement in enumerate(block.body[:-1]):
                if isinstance(statement, ast.Expr):  # `topo.append(v)` before its children
                    later = [*block.body[:place], *block.body[place + 1 :], statement]
                    yield "order", ORDERED, statement.lineno, block, "body", later


STARTS = re.compile(r"(run_)?back_?(ward|prop|propagate)$")
SEED = "the gradient of the output itself has to be 1 before the walk starts"
VISITED = "a node that is reached by two ways is taken twice: nothing remembers that it was visited"
ORDERED = "the nodes are not taken in an order in which each comes after all that use it"


def of_place(parent: ast.AST, name: str, node: ast.AST, names: Names) -> Iterator[Change]:
    """Yield changes of one expression."""
    if not isinstance(node, ast.expr) or isinstance(getattr(node, "ctx", None), ast.Store | ast.Del):
        return

    def change(code: str, says: str, text: str) -> Change:
        return code, says, node.lineno, parent, name, text

    expr = ast.unparse(node)
    if isinstance(node, ast.BinOp):
        left, right = ast.unparse(node.left), ast.unparse(node.right)
        yield from of_operation(node, left, right, change)
    yield from of_layout(parent, node, expr, names, change)
    if isinstance(node, ast.Name | ast.Attribute | ast.Subscript) and getattr(parent, "attr", "T") == "T":
        yield from of_name(parent, node, expr, names, change)
    if isinstance(node, ast.Call):
        yield from of_call(node, expr, change)
        for first, second in itertools.pairwise(map(ast.unparse, node.args)):
            swapped = expr.replace(f"{first}, {second}", f"{second}, {first}")
            yield change("swapped-variable", f"`{expr}` has two arguments in the wrong order", swapped)
    if isinstance(node, ast.Tuple | ast.List):
        yield from of_tuple(parent, node, expr, change)
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float) and not isinstance(node.value, bool):
        for number in (node.value + 1, node.value - 1, -node.value, 2 * node.value, node.value / 2):
            yield change("constant", f"the number {expr} is not right here", f"({number!r})")
        for gradient in filter(is_gradient_name, names.numbers) if isinstance(parent, ast.Call) else ():
            yield change("upstream", f"{expr} is not the gradient that arrives", gradient)
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and not isinstance(parent, ast.While):
        left, right = ast.unparse(node.left), ast.unparse(node.comparators[0])
        for sign in (">", "<", ">=", "<=", "=="):
            yield change("relu-gate", f"the mask `{expr}` lets the wrong entries through", f"{left} {sign} {right}")
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        yield change("sign", f"the sign of `{expr}` is not right", ast.unparse(node.operand))
    if is_number(node, names):
        yield from of_number(parent, node, expr, names, change)


def of_layout(parent: ast.AST, node: ast.expr, expr: str, names: Names, change: Changer) -> Iterator[Change]:
    """Yield lists turned round, and transposes."""
    if isinstance(node, ast.Subscript) and ast.unparse(node.slice) == "::-1":
        yield change("order", f"`{expr}` is turned round, and should not be", ast.unparse(node.value))
    if expr in names.lists and not isinstance(parent, ast.Attribute | ast.Subscript):
        yield change("order", f"`{expr}` has to be turned round", f"{expr}[::-1]")
    if isinstance(node, ast.Attribute) and node.attr == "T":
        yield change("transpose", f"`{expr}` is transposed, and should not be here", ast.unparse(node.value))


def of_name(parent: ast.AST, node: ast.expr, expr: str, names: Names, change: Changer) -> Iterator[Change]:
    """Yield the transpose of a name in a product, and the names that may belong in its place, those alike first."""
    if isinstance(parent, ast.BinOp) and isinstance(parent.op, ast.MatMult):
        yield change("transpose", f"`{expr}` should be transposed here", f"{expr}.T")
    if isinstance(parent, ast.Call) and parent.func is node:
        return
    kin = next((kin for kin in (names.numbers, names.nodes) if expr in kin), ())
    for other in sorted(kin, key=lambda name: looks(name) != looks(expr)):
        if other != expr:
            is_unread = names.unread.get(other, node.lineno) < node.lineno
            says = f"`{expr}` stands where `{other}` belongs, which nothing uses"
            says = says if is_unread else f"`{expr}` is not the value that belongs here"
            yield change("swapped-variable", says, other)


def of_tuple(parent: ast.AST, node: ast.Tuple | ast.List, expr: str, change: Changer) -> Iterator[Change]:
    """Yield a tuple or a list of gradients with neighbours swapped."""
    is_pair = isinstance(parent, ast.Call) and not all(isinstance(part, ast.Name) for part in node.elts)
    parts = [ast.unparse(part) for part in node.elts]
    for place in range(len(parts) - 1) if is_pair or isinstance(parent, ast.Return | ast.Lambda) else ():
        order = [*parts[:place], parts[place + 1], parts[place], *parts[place + 2 :]]
        yield change("swapped-variable", f"`{expr}` has two gradients in the wrong order", f"[{', '.join(order)}]")


def of_number(parent: ast.AST, node: ast.expr, expr: str, names: Names, change: Changer) -> Iterator[Change]:
    """Yield changes of an expression that is a number or an array: a factor, a sign, a sum that is missing."""
    is_root = is_whole(parent, node)
    if not isinstance(parent, ast.Compare | ast.Subscript | ast.Slice) and not isinstance(node, ast.Compare):
        yield change("local", f"`{expr}` has to be squared", f"({expr}) ** 2")
        yield change("operand", f"`{expr}` has to be subtracted from 1", f"1 - ({expr})")
        yield change("operator", f"`{expr}` belongs into the denominator", f"1 / ({expr})")
    is_formula = is_root and not isinstance(node, ast.Constant)
    if is_formula:
        whole = f"({expr}) / ({expr}).sum(axis=-1, keepdims=True)"
        yield change("sign", f"the sign of `{expr}` is not right", f"-({expr})")
        yield change("operand", f"`{expr}` is not divided by its sum", whole)
    if isinstance(node, ast.BinOp) or is_formula:
        yield from of_sum(node, expr, names, change)
    if is_root:
        yield from of_fitting(node, expr, names, change)
    yield from of_missing(node, expr, names, change, is_root=is_root)


def is_whole(parent: ast.AST, node: ast.expr) -> bool:
    """Whether an expression is a formula as a whole: what is assigned, returned or given to a node or a pass."""
    if not isinstance(parent, ast.Call) or parent.func is node:
        return isinstance(parent, ROOTS)
    is_argument_of_class = is_class(parent.func) and [*parent.args, node][0] is not node
    return is_argument_of_class or BACKWARD.match(ast.unparse(parent.func).rpartition(".")[2]) is not None


def of_sum(node: ast.expr, expr: str, names: Names, change: Changer) -> Iterator[Change]:
    """Yield sums over axes, and the factors of powers and means."""
    for axis in (f"{axis}{kept}" for axis in (0, 1, -1) for kept in ("", ", keepdims=True")):
        says = f"`{expr}` has to be summed over the axis that was broadcast"
        yield change("broadcast-unsummed", says, f"({expr}).sum(axis={axis})")
    for base in [factor for factor in factors(node) if factor in names.squares][:1]:
        says = f"`{expr}` lacks the factor 2, as the derivative of `{base} ** 2` has it"
        yield change("power-rule", says, f"2 * ({expr})")
    for factor in ("2", "0.5"):
        yield change("constant", f"`{expr}` lacks the factor {factor}", f"{factor} * ({expr})")


def of_fitting(node: ast.expr, expr: str, names: Names, change: Changer) -> Iterator[Change]:
    """Yield the formula fitted to a shape by a function of the program that does this elsewhere."""
    for called, rests in names.wrappers.items():
        is_fitted = isinstance(node, ast.Call) and ast.unparse(node.func) == called
        inner = ast.unparse(node.args[0]) if is_fitted and isinstance(node, ast.Call) else expr
        says = f"`{expr}` is not fitted to the shape that belongs here, as `{called}` does it"
        for text in (f"{called}({inner}, {rest})" for rest in rests):
            if text != expr:
                yield change("broadcast-unsummed", says, text)


def of_missing(node: ast.expr, expr: str, names: Names, change: Changer, *, is_root: bool) -> Iterator[Change]:
    """Yield the formula with a factor or a term more."""
    for name in dict.fromkeys((*names.missing, *names.numbers)):
        is_gradient = is_gradient_name(name)
        if name != expr and (is_root or isinstance(node, FACTORS)):
            says = "is not multiplied by the gradient that arrives" if is_gradient else f"lacks the factor `{name}`"
            yield change("upstream" if is_gradient else "operand", f"`{expr}` {says}", f"({expr}) * {name}")
        for code, says, text in MISSING if is_root else ():
            yield change(code, f"`{expr}` {says.format(name)}", text.format(name, own=expr))
    before = [name for name, line in names.unread.items() if line < node.lineno]
    for term in before if is_root or isinstance(node, ast.BinOp) else ():
        others = [f"{term} {sign} {number}" for sign in "*/" for number in names.numbers if number != term]
        for text in (f"{sign} {added}" for added in (term, *others) for sign in "+-"):
            yield change("term", f"`{expr}` lacks a term: `{term}` is not used anywhere", f"({expr}) {text}")


def looks(name: str) -> str:
    """Return what names that are taken for each other have in common: `K` and `Q`, `z1` and `a1`."""
    return re.sub(r"[a-z]\w*?(?=\d*$|\.)", "a", re.sub(r"[A-Z]", "A", name))


FACTORS = ast.BinOp | ast.Name | ast.Attribute | ast.Subscript | ast.Call
ROOTS = ast.AugAssign | ast.Assign | ast.Return | ast.Tuple | ast.Lambda | ast.Dict | ast.IfExp
MISSING = (  # of a formula, with a name
    ("operand", "is not divided by `{0}`", "({own}) / {0}"),
    ("operand", "is not divided by the square of `{0}`", "({own}) / {0} ** 2"),
    ("operand", "lacks a term", "({own}) + {0}"),
    ("operand", "lacks the factor 1 - {0}", "({own}) * (1 - {0})"),
    ("operand", "lacks the factor 1 - {0} ** 2", "({own}) * (1 - {0} ** 2)"),
    ("mean-n", "has to be divided by the number of rows", "({own}) / {0}.shape[0]"),
    ("mean-n", "has to be divided by the number of entries", "({own}) / {0}.size"),
    ("relu-gate", "lacks the mask of `{0}`: its gradient passes where that is positive", "({own}) * ({0} > 0)"),
)


def is_number(node: ast.expr, names: Names) -> bool:
    """Whether an expression may be a number or an array, and is no node of a graph, function, text or list."""
    if isinstance(node, ast.Name | ast.Attribute | ast.Subscript):
        base = ast.unparse(node.value) if isinstance(node, ast.Subscript) else ""
        return ast.unparse(node) in names.numbers or base in names.numbers
    if isinstance(node, ast.Call):
        called = ast.unparse(node.func).rpartition(".")[2]
        return called[:1].islower() and called in NUMERIC
    if isinstance(node, ast.BinOp):
        return any(is_number(side, names) for side in (node.left, node.right))
    if isinstance(node, ast.UnaryOp):
        return is_number(node.operand, names)
    if isinstance(node, ast.Compare):
        return isinstance(node.ops[0], ast.Gt | ast.Lt | ast.GtE | ast.LtE)
    return isinstance(node, ast.Constant) and type(node.value) in (int, float)


FUNCTIONS = ("exp", "log", "sin", "cos", "tanh", "sqrt", "sinh", "cosh")  # that are taken for each other
NUMERIC = operations_that_are("elementwise") | operations_that_are("reducing") | operations_that_are("rearranging")
NUMERIC |= {"float", "copy", "astype", "ravel"}
Changer = Callable[[str, str, str], Change]


def of_operation(node: ast.BinOp, left: str, right: str, change: Changer) -> Iterator[Change]:
    expr = ast.unparse(node)
    for kind, code, says, text in OPERATIONS:
        if isinstance(node.op, kind):
            words = {"own": expr, "left": left, "right": right}
            yield change(code, f"`{expr}` {says.format_map(words)}", text.format_map(words))
    if isinstance(node.op, ast.Mult) and (taken := COMPLEMENT.fullmatch(right)):
        rest = factors(node.left)[::-1]
        if taken[1] in rest:
            rest.remove(taken[1])
            text = " * ".join([*(f"({factor})" for factor in rest), f"(1 - {taken[1]} ** 2)"])
            yield change("local", f"`{expr}` has the rule of a sigmoid, and `{taken[1]}` is a tanh", text)
    if squared := SQUARED.fullmatch(expr):
        says = f"`{expr}` is the rule of a tanh, and `{squared[1]}` is a sigmoid"
        yield change("local", says, f"{squared[1]} * (1 - {squared[1]})")


COMPLEMENT = re.compile(r"1(?:\.0)? - ([\w.]+)")
SQUARED = re.compile(r"1(?:\.0)? - ([\w.]+)(?: \*\* 2| \* \1)")
TOO_MANY = "has a factor that does not belong there: "
OPERATIONS: tuple[tuple[Any, str, str, str], ...] = (  # operator, mistake, what is said of it, what belongs there
    (ast.MatMult, "transpose", "has its factors in the wrong order", "({right}) @ ({left})"),
    (ast.MatMult, "transpose", "has its factors in the wrong order, and lacks a transpose", "({left}).T @ ({right})"),
    (ast.MatMult, "transpose", "has its factors in the wrong order, and lacks a transpose", "({left}) @ ({right}).T"),
    (ast.MatMult, "transpose", "should be transposed", "(({left}) @ ({right})).T"),
    (ast.Div, "mean-n", "is divided by `{right}`, and should not be", "{left}"),
    (ast.Div, "operator", "divides where it has to multiply", "({left}) * ({right})"),
    (ast.Mult, "operand", TOO_MANY + "`{right}`", "{left}"),
    (ast.Mult, "operand", TOO_MANY + "`{left}`", "{right}"),
    (ast.Mult, "operator", "multiplies where it has to divide", "({left}) / ({right})"),
    (ast.Mult, "operator", "is entry by entry where a product of matrices belongs", "({left}) @ ({right})"),
    (ast.Add, "sign", "has the wrong sign at `{right}`", "({left}) - ({right})"),
    (ast.Sub, "sign", "has the wrong sign at `{right}`", "({left}) + ({right})"),
    (ast.Add | ast.Sub, "operand", "has a term too many: `{right}`", "{left}"),
    (ast.Add | ast.Sub, "operator", "adds where it has to multiply", "({left}) * ({right})"),
    (ast.Sub, "sign", "is the wrong way round", "({right}) - ({left})"),
    (ast.Sub, "sign", "is the wrong way round", "type({left})({right}) - {left}"),  # of a number, a node
    (ast.Div, "operator", "is the wrong way round", "({right}) / ({left})"),
    (ast.Div, "operator", "is the wrong way round", "type({left})({right}) / {left}"),
    (ast.Pow, "power-rule", "has the wrong exponent", "({left}) ** (({right}) - 1)"),
    (ast.Pow, "power-rule", "lacks the factor of the power rule", "({right}) * ({left}) ** ({right})"),
)


def of_call(node: ast.Call, expr: str, change: Changer) -> Iterator[Change]:
    before, _, name = ast.unparse(node.func).rpartition(".")
    if name in FUNCTIONS and len(node.args) == 1:
        yield change("operand", f"`{expr}` is not what belongs here", ast.unparse(node.args[0]))
    for other in FUNCTIONS if name in FUNCTIONS and before in MODULES else ():
        if other != name:
            says = f"`{expr}` is not the function that belongs here"
            yield change("operator", says, expr.replace(f"{before}.{name}(", f"{before}.{other}(", 1))
    if name == "dot" and node.args:
        other, says = ast.unparse(node.args[0]), f"`{expr}` lacks a transpose, or has its factors in the wrong order"
        for text in (f"({before}).T.dot({other})", f"({before}).dot(({other}).T)", f"({other}).dot({before})"):
            yield change("transpose", says, text)
    for other, last in ORDERS.get((name, len(node.args)), ()):
        called = f"{before}.{other}" if before else other
        yield change(
            "order",
            f"`{expr}` takes the wrong one: {ORDERED}",
            f"{called}({last.format(*map(ast.unparse, node.args))})",
        )
    if name in ("sum", "mean") and not any(left.arg in ("axis", "dim") for left in node.keywords):
        parts = ", ".join(map(ast.unparse, (*node.args, *node.keywords)))
        for over in ("0", "1", "0, keepdims=True", "1, keepdims=True"):
            text = f"{ast.unparse(node.func)}({parts}{', ' if parts else ''}axis={over})"
            yield change("broadcast-unsummed", f"`{expr}` lacks the axis that is summed over", text)
    if name in ("sum", "mean"):
        other = "mean" if name == "sum" else "sum"
        renamed = expr.replace(f".{name}(", f".{other}(", 1) if f".{name}(" in expr else expr
        yield change("mean-n", f"`{expr}` takes the {name} where the {other} belongs", renamed)
        for axis in (0, 1, -1):
            for keyword in node.keywords:
                if keyword.arg in ("axis", "dim"):
                    changed = expr.replace(ast.unparse(keyword), f"{keyword.arg}={axis}")
                    yield change("broadcast-unsummed", f"`{expr}` is taken over the wrong axis", changed)
        if isinstance(node.func, ast.Attribute) and not isinstance(node.func.value, ast.Name):
            yield change("broadcast-unsummed", f"`{expr}` should not be reduced", ast.unparse(node.func.value))


ORDERS = {  # calls that take one of several nodes, by the number of their arguments, with those that take another
    ("min", 1): [("max", "{0}")],
    ("max", 1): [("min", "{0}")],
    ("min", 2): [("max", "{0}, {1}")],
    ("max", 2): [("min", "{0}, {1}")],
    ("pop", 0): [("pop", "0")],
    ("pop", 1): [("pop", "")],
    ("popleft", 0): [("pop", "")],
}


@dataclass(frozen=True, slots=True)
class Names:
    """What may stand in the formulas of a function: numbers or arrays, and nodes of a graph, which hold such."""

    numbers: tuple[str, ...]
    nodes: tuple[str, ...]
    unread: Mapping[str, int]  # those that nothing reads, with the line on which each is assigned
    squares: Collection[str]  # what the program squares
    missing: Collection[str]  # what a layer keeps, and this function does not read
    lists: Collection[str]  # to which something is appended
    wrappers: Mapping[str, tuple[str, ...]]  # functions that fit gradients to shapes, with what they get beside these


def operands(
    function: ast.AST,
    entries: Sequence[ast.AST],
    squares: Collection[str],
    wrappers: Mapping[str, tuple[str, ...]],
    *,
    is_engine: bool,
) -> Names:
    """Return the names of a function that may stand for each other: data, gradients and plain numbers; nodes."""
    inner = list(ast.walk(function))
    fields = [node for node in inner if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)]
    called = {id(node.func) for node in inner if isinstance(node, ast.Call)}
    nodes, structure = node_names(inner, fields), structure_names(inner, fields, called)
    if not is_engine:
        structure |= {*nodes, *map(base_of, entries)}
        nodes = {}
    arguments = [node.arg for node in inner if isinstance(node, ast.arg)]
    plain = dict.fromkeys([*arguments, *(node.id for node in inner if isinstance(node, ast.Name))])
    numbers = [name for name in plain if name not in nodes and is_number_name(name, structure)]
    holders = holders_of(inner, fields, nodes, arguments) if nodes else {}
    of_nodes = fields_of_nodes(inner, fields, holders) if nodes else []
    of_modules = {id(node) for node in fields if ast.unparse(node.value) in MODULES}
    kept = [node for node in fields if id(node) not in called | of_modules and node.attr != "shape"]
    of_others = [] if nodes else list(map(ast.unparse, kept))
    capitals = [name for name in plain if len(name) == 1 and name.isupper()]  # X and W are arrays
    inside = set(map(id, inner))
    near = sorted(
        (node for node in entries if base_of(node).partition(".")[0] in plain), key=lambda node: id(node) not in inside
    )
    tables = {base_of(node) for node in entries if isinstance(node, ast.Subscript)}  # which are no numbers themselves
    calls = [node for node in inner if isinstance(node, ast.Call) and len(node.args) == 1]
    results = [ast.unparse(node) for node in calls if ast.unparse(node.func).rpartition(".")[2] in FUNCTIONS]
    possible = (*of_nodes, *numbers, *results, *capitals, *of_others, *map(ast.unparse, near))
    names = dict.fromkeys(name for name in possible if name not in tables)
    here = {ast.unparse(node) for node in inner if isinstance(node, ast.Attribute | ast.Subscript)}
    missing = [text for text in map(ast.unparse, () if is_engine else near) if text in names and text not in here]
    unread = unread_names(inner, numbers)
    return Names(tuple(names)[:MOST_NAMES], tuple(holders), unread, squares, missing, appended_lists(inner), wrappers)


def holders_of(
    inner: Sequence[ast.AST], fields: Sequence[ast.Attribute], nodes: Iterable[str], arguments: Sequence[str]
) -> dict[str, None]:
    """Return the names of what holds data and gradients, or may: nodes, and whatever has fields that are read."""
    loops = [loop.target for loop in inner if isinstance(loop, ast.For)]
    walked = [node.id for target in loops for node in ast.walk(target) if isinstance(node, ast.Name)]
    read_from = [node.value.id for node in fields if isinstance(node.value, ast.Name) and node.value.id not in MODULES]
    return dict.fromkeys([*nodes, *(name for name in arguments if name in ("self", "other")), *walked, *read_from])


def fields_of_nodes(inner: Sequence[ast.AST], fields: Sequence[ast.Attribute], holders: Iterable[str]) -> list[str]:
    """Return the data and gradients of all that holds such, and of what lies deeper."""
    attributes = dict.fromkeys(node.attr for node in fields if is_data_or_gradient(node.attr))
    held = [f"{holder}.{attribute}" for attribute in attributes for holder in holders]
    deep = [node for node in inner if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Attribute)]
    return [*held, *(ast.unparse(node) for node in deep if is_data_or_gradient(node.attr))]


def unread_names(inner: Sequence[ast.AST], numbers: Iterable[str]) -> dict[str, int]:
    """Return the names of numbers that nothing reads, with the line on which each is first assigned."""
    names = [node for node in inner if isinstance(node, ast.Name)]
    read = {node.id for node in names if isinstance(node.ctx, ast.Load)}
    stored = sorted(((node.lineno, node.id) for node in names if isinstance(node.ctx, ast.Store)), reverse=True)
    lines = {name: line for line, name in stored}
    return {name: lines[name] for name in numbers if name not in read and name in lines}


def appended_lists(inner: Sequence[ast.AST]) -> set[str]:
    """Return the lists to which something is appended."""
    calls = [node.func for node in inner if isinstance(node, ast.Call)]
    return {ast.unparse(node.value) for node in calls if isinstance(node, ast.Attribute) and node.attr == "append"}


def node_names(inner: Sequence[ast.AST], fields: Sequence[ast.Attribute]) -> dict[str, None]:
    """Return the names of nodes of an engine: what has data and gradients, what a class made, what a loop walks."""
    assigned = [(node.targets[0], node.value) for node in inner if isinstance(node, ast.Assign)]
    tuples = [pair for pair in assigned if all(isinstance(side, ast.Tuple) for side in pair)]
    for target, value in tuples:
        assigned += zip(target.elts, value.elts, strict=False)  # type: ignore[attr-defined]
    made = (target for target, value in assigned if isinstance(value, ast.Call) and is_class(value.func))
    walked = {node.target.id for node in inner if isinstance(node, ast.For) and isinstance(node.target, ast.Name)}
    with_data = (field.value for field in fields if is_data_or_gradient(field.attr))
    in_loops = (field.value for field in fields if ast.unparse(field.value) in walked)
    return dict.fromkeys(map(ast.unparse, (*with_data, *made, *in_loops)))


def structure_names(inner: Sequence[ast.AST], fields: Sequence[ast.Attribute], called: Collection[int]) -> set[str]:
    """Return what is no number: functions, what loops go through, and what something is looked for in."""
    parts = [node.func for node in inner if isinstance(node, ast.Call)]
    parts += [field.value for field in fields if id(field) in called and field.attr not in NUMERIC]
    parts += [node.iter for node in inner if isinstance(node, ast.For)]
    for node in inner:
        if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.In | ast.NotIn | ast.Is | ast.IsNot):
            parts += node.comparators
    return {*map(ast.unparse, parts), *(node.name for node in inner if isinstance(node, ast.FunctionDef))}


def is_number_name(name: str, structure: Collection[str]) -> bool:
    """Tell whether a name may be that of a number or an array, neither a module's nor a class's."""
    others = (*structure, *MODULES, *vars(builtins), "self")
    return name not in others and not name[:1].isupper()


def is_data_or_gradient(attribute: str) -> bool:
    return attribute in (*DATA, *GRADS) or GRADIENT.search(attribute) is not None


def is_gradient_name(name: str) -> bool:
    return bool(name.rpartition(".")[2] in GRADS or GRADIENT.search(name) or re.match(r"d\w|up", name))


def factors(node: ast.expr) -> list[str]:
    """Return the factors of a product, the last first."""
    texts = []
    while isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult | ast.Div):
        texts += [ast.unparse(node.right)] if isinstance(node.op, ast.Mult) else []
        node = node.left
    return [*texts, ast.unparse(node)]


def is_entry(node: ast.AST) -> bool:
    """Tell whether it is an entry with a name: `cache["x"]`."""
    return (
        isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str)
    )


def base_of(entry: ast.AST) -> str:
    return ast.unparse(entry.value) if isinstance(entry, ast.Subscript | ast.Attribute) else ""


def is_grad(target: ast.expr) -> bool:
    """Whether a target is a gradient: `self.grad`, `grads[v]`."""
    if isinstance(target, ast.Attribute):
        return target.attr in GRADS or GRADIENT.search(target.attr) is not None
    return isinstance(target, ast.Subscript) and "grad" in ast.unparse(target.value).lower()
