"""Engines and layers in the shapes that courses write, drawn at random: names, what a node keeps, how the walk goes.

`python -m tests.homework.code.shapes engines|layers SEED COUNT` says how many mutants are seen, and named with their
line, and how many right programs are accused. A seed that was looked into for mending is no measure any more.
"""

from __future__ import annotations

import ast
import sys
import time
from collections import Counter
from collections.abc import Iterator
from random import Random
from textwrap import indent
from typing import Any, NamedTuple

import numpy as np

from gradcli.homework.code.cases import USUAL, Code
from gradcli.homework.code.marking import CodeJudge
from tests.homework.code.layers import CLASSES, FUNCTIONS
from tests.homework.code.mutants import mutants


class Operation(NamedTuple):
    """An operation of values `A` and `B` with the result `O`: its value, and its local derivatives in some ways."""

    method: str
    value: str
    slopes: tuple[tuple[str, ...], ...]

    @property
    def inputs(self) -> int:
        return len(self.slopes)


BASIC = (Operation("__add__", "A + B", (("1.0", "1"), ("1.0", "1"))), Operation("__mul__", "A * B", (("B",), ("A",))))
MORE = (
    Operation("__sub__", "A - B", (("1.0", "1"), ("-1.0", "-1"))),
    Operation("__truediv__", "A / B", (("1 / B", "1.0 / B"), ("-A / B**2", "-A / (B * B)", "-O / B"))),
    Operation("__pow__", "A**n", (("n * A ** (n - 1)",),)),
    Operation("__neg__", "-A", (("-1.0",),)),
    Operation("exp", "math.exp(A)", (("O", "math.exp(A)"),)),
    Operation("log", "math.log(A)", (("1 / A",),)),
    Operation("tanh", "math.tanh(A)", (("1 - O**2", "1 - O * O", "1 - math.tanh(A) ** 2"),)),
    Operation("sigmoid", "1 / (1 + math.exp(-A))", (("O * (1 - O)",),)),
    Operation("relu", "max(0.0, A)", (("1.0 if A > 0 else 0.0", "float(A > 0)", "(O > 0)"),)),
    Operation("sin", "math.sin(A)", (("math.cos(A)",),)),
    Operation("cos", "math.cos(A)", (("-math.sin(A)",),)),
    Operation("sqrt", "math.sqrt(A)", (("0.5 / O", "1 / (2 * O)", "0.5 * A**-0.5"),)),
    Operation("square", "A * A", (("2 * A",),)),
    Operation("softplus", "math.log(1 + math.exp(A))", (("1 / (1 + math.exp(-A))",),)),
)
NAMES = {
    "V": ("Value", "Scalar", "Var", "Node", "Tensor", "Variable", "Dual"),
    "D": ("data", "value", "val", "x"),
    "G": ("grad", "gradient", "adjoint", "derivative", "g"),
    "P": ("_prev", "parents", "_children", "inputs", "args", "sources"),
    "L": ("_local_grads", "local", "partials", "derivs", "weights"),
    "BACK": ("backward", "backprop", "backpropagate", "backward"),
    "ORDER": ("topo", "order", "nodes", "sorted_nodes"),
    "SEEN": ("visited", "seen", "done"),
    "VISIT": ("build_topo", "visit", "dfs", "walk"),
    "N": ("v", "node", "t", "n_"),
    "C": ("child", "p", "parent", "inp"),
}


def engine(draw: Random, styles: tuple[str, ...] = ()) -> tuple[str, str]:
    """Return a right engine, and the name of its class."""
    names = {short: draw.choice(some) for short, some in NAMES.items()}
    style = draw.choice(styles or tuple(STYLES))
    operations = [*BASIC, *sorted(draw.sample(MORE, draw.randint(2, 6)))]
    lift = draw.choice(("other if isinstance(other, V) else V(other)", "V.lift(other)", "as_node(other)"))
    text = STYLES[style](draw, operations, lift)
    if "as_node" in lift:
        text += "\n\ndef as_node(x):\n    return x if isinstance(x, V) else V(x)\n"
    if "V.lift" in lift:
        lifted = "\n    @staticmethod\n    def lift(x):\n        return x if isinstance(x, V) else V(x)\n"
        place = text.index("\n    def __add__")
        text = text[:place] + lifted + text[place:]
    return "import math\n\n" + renamed(text, names), names["V"]


def renamed(text: str, names: dict[str, str]) -> str:
    """Put names in the place of the words in capitals."""

    class Renamed(ast.NodeTransformer):
        def visit_Name(self, node: ast.Name) -> ast.Name:
            return ast.Name(names.get(node.id, node.id), node.ctx)

        def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
            self.generic_visit(node)
            node.attr = names.get(node.attr, node.attr)
            return node

        def visit_arg(self, node: ast.arg) -> ast.arg:
            node.arg = names.get(node.arg, node.arg)
            return node

        def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
            node.name = names.get(node.name, node.name)
            return self.generic_visit(node)

        def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
            node.name = names.get(node.name, node.name)
            return self.generic_visit(node)

    return ast.unparse(Renamed().visit(ast.parse(text))) + "\n"


def filled(text: str, first: str, second: str = "", out: str = "") -> str:
    """Write a formula with names of its values."""

    class Filled(ast.NodeTransformer):
        def visit_Name(self, node: ast.Name) -> Any:
            words = {"A": first, "B": second, "O": out}
            return ast.parse(words[node.id], mode="eval").body if node.id in words else node

    return ast.unparse(Filled().visit(ast.parse(text, mode="eval")))


def head(operation: Operation, lift: str) -> str:
    """Return the first lines of a method."""
    if operation.method == "__pow__":
        return "def __pow__(self, n):\n"
    if operation.inputs == 1:
        return f"def {operation.method}(self):\n"
    return f"def {operation.method}(self, other):\n    other = {lift}\n"


def methods(operations: list[Operation], lift: str, body: Any) -> str:
    """Return the methods of a class; `body` writes the lines of each behind its head."""
    texts = [head(one, lift) + indent(body(one), "    ") for one in operations]
    texts.append("def __radd__(self, other):\n    return self + other\n")
    texts.append("def __rmul__(self, other):\n    return self * other\n")
    return indent("\n".join(texts), "    ")


def nodes(operation: Operation) -> list[str]:
    return ["self", "other"][: operation.inputs]


def values(draw: Random, operation: Operation, out: str) -> tuple[str, list[str]]:
    """Return the value of an operation, and its slopes, over the data of nodes; the result may have a name."""
    chosen = [draw.choice(ways) for ways in operation.slopes]
    return filled(operation.value, "self.D", "other.D"), [filled(one, "self.D", "other.D", out) for one in chosen]


def times(draw: Random, slope: str, upstream: str) -> str:
    if slope in ("1", "1.0"):
        return upstream
    if slope in ("-1", "-1.0"):
        return f"-{upstream}"
    return draw.choice((f"({slope}) * {upstream}", f"{upstream} * ({slope})"))


def class_of(fields: str, rest: str) -> str:
    """Return the class: `fields` are the arguments of its constructor, with defaults."""
    named = [one.partition("=")[0] for one in fields.split(", ")] if fields else []
    lines = ["self.D = D", "self.G = 0.0", *(f"self.{one} = {one}" for one in named)]
    start = f"def __init__(self, D{', ' if fields else ''}{fields}):\n" + indent("\n".join(lines), "    ")
    return f"class V:\n{indent(start, '    ')}\n\n{rest}\n"


def walk(draw: Random, step: str, children: str, *, is_numbered: bool = False) -> str:
    """Return the backward method: nodes in an order, the seed, and the step for each."""
    seed = draw.choice(("self.G = 1.0", "self.G = 1"))
    kind = draw.choice(("recursive", "ids", "list", "stack", "nested generator"))
    member = {"ids": "id(N)", "recursive": "N", "list": "N", "stack": "N", "nested generator": "N"}[kind]
    if kind == "stack":
        found = (
            "ORDER, SEEN, stack = [], set(), [(self, False)]\nwhile stack:\n    N, ready = stack.pop()\n"
            "    if ready:\n        ORDER.append(N)\n        continue\n    if N in SEEN:\n        continue\n"
            "    SEEN.add(N)\n    stack.append((N, True))\n"
            f"    for C in {children}:\n        stack.append((C, False))\n"
        )
    elif kind == "list":
        found = (
            f"ORDER = []\n\ndef VISIT(N):\n    if N in ORDER:\n        return\n    for C in {children}:\n"
            "        VISIT(C)\n    ORDER.append(N)\n\nVISIT(self)\n"
        )
    elif kind == "nested generator":
        found = (
            f"ORDER, SEEN = [], set()\n\ndef VISIT(N):\n    if N in SEEN:\n        return\n    SEEN.add(N)\n"
            f"    for C in {children}:\n        VISIT(C)\n    ORDER.append(N)\n\nVISIT(self)\n"
        )
    else:
        found = (
            f"ORDER = []\nSEEN = set()\n\ndef VISIT(N):\n    if {member} not in SEEN:\n        SEEN.add({member})\n"
            f"        for C in {children}:\n            VISIT(C)\n        ORDER.append(N)\n\nVISIT(self)\n"
        )
    loop = draw.choice(("reversed(ORDER)", "ORDER[::-1]"))
    body = f"{found}{seed}\nfor N in {loop}:\n{indent(step, '    ')}\n"
    return indent(f"def BACK(self):\n{indent(body, '    ')}", "    ")


def closures(draw: Random, operations: list[Operation], lift: str) -> str:
    name = draw.choice(("_backward", "_back", "backward_fn", "grad_fn"))

    def body(one: Operation) -> str:
        value, slopes = values(draw, one, "out.D")
        lines = [f"{node}.G += {times(draw, slope, 'out.G')}" for node, slope in zip(nodes(one), slopes, strict=True)]
        inner = indent("\n".join(lines), "    ")
        parents = f"({', '.join(nodes(one))},)"
        return f"out = V({value}, {parents})\n\ndef _pull():\n{inner}\n\nout.{name} = _pull\nreturn out\n"

    step = f"N.{name}()"
    text = class_of("P=()", methods(operations, lift, body) + walk(draw, step, "N.P"))
    return text.replace("self.P = P\n", f"self.P = P\n        self.{name} = lambda: None\n", 1)


def locals_(draw: Random, operations: list[Operation], lift: str) -> str:
    def body(one: Operation) -> str:
        value, slopes = values(draw, one, "out")
        result = (
            f"V({'out' if 'out' in ' '.join(slopes) else value}, ({', '.join(nodes(one))},), ({', '.join(slopes)},))"
        )
        return (f"out = {value}\n" if "V(out" in result else "") + f"return {result}\n"

    product = draw.choice(("d * N.G", "N.G * d"))
    step = f"for C, d in zip(N.P, N.L):\n    C.G += {product}"
    return class_of("P=(), L=()", methods(operations, lift, body) + walk(draw, step, "N.P"))


def pairs(draw: Random, operations: list[Operation], lift: str) -> str:
    pair, written, child, slope = draw.choice(
        (
            ("d, C", "({1}, {0})", "C", "d"),
            ("C, d", "({0}, {1})", "C", "d"),
            ("entry", "{{'node': {0}, 'local': {1}}}", "entry['node']", "entry['local']"),
        )
    )

    def body(one: Operation) -> str:
        value, slopes = values(draw, one, "out")
        parts = [written.format(n, s) for n, s in zip(nodes(one), slopes, strict=True)]
        is_out = "out" in " ".join(slopes)
        return (
            f"out = {value}\n" if is_out else ""
        ) + f"return V({'out' if is_out else value}, [{', '.join(parts)}])\n"

    if draw.random() < 0.35:
        back = (
            "def BACK(self, upstream=1.0):\n    self.G += upstream\n"
            f"    for {pair} in self.P:\n"
            f"        {child}.BACK({draw.choice((f'{slope} * upstream', f'upstream * {slope}'))})\n"
        )
        return class_of("P=()", methods(operations, lift, body) + indent(back, "    "))
    step = f"for {pair} in N.P:\n    {child}.G += {draw.choice((f'{slope} * N.G', f'N.G * {slope}'))}"
    children = f"[{child} for {pair} in N.P]"
    return class_of("P=()", methods(operations, lift, body) + walk(draw, step, children))


def pulls(draw: Random, operations: list[Operation], lift: str) -> str:
    """Nodes that keep a function from the gradient to those of the inputs, or one for each input."""
    is_list = draw.random() < 0.5

    def body(one: Operation) -> str:
        value, slopes = values(draw, one, "out")
        parts = [times(draw, slope, "g") for slope in slopes]
        rule = (
            f"[{', '.join(f'lambda g: {part}' for part in parts)}]" if is_list else f"lambda g: ({', '.join(parts)},)"
        )
        is_out = "out" in " ".join(slopes)
        result = f"V({'out' if is_out else value}, ({', '.join(nodes(one))},), {rule})"
        return (f"out = {value}\n" if is_out else "") + f"return {result}\n"

    if is_list:
        step, default = "for C, rule in zip(N.P, N.L):\n    C.G += rule(N.G)", "()"
    else:
        step = "if N.L is None:\n    continue\nfor C, part in zip(N.P, N.L(N.G)):\n    C.G += part"
        default = "None"
    return class_of(f"P=(), L={default}", methods(operations, lift, body) + walk(draw, step, "N.P"))


def tape(draw: Random, operations: list[Operation], lift: str) -> str:
    name = draw.choice(("TAPE", "tape", "_graph", "records"))

    def body(one: Operation) -> str:
        value, slopes = values(draw, one, "out.D")
        parts = [f"({n}, {s})" for n, s in zip(nodes(one), slopes, strict=True)]
        return f"out = V({value})\n{name}.append((out, [{', '.join(parts)}]))\nreturn out\n"

    product = draw.choice(("out.G * d", "d * out.G"))
    inner = f"for out, edges in reversed({name}):\n    for C, d in edges:\n        C.G += {product}\n{name}.clear()\n"
    if draw.random() < 0.5:
        back = indent(f"def BACK(self):\n    self.G = 1.0\n{indent(inner, '    ')}", "    ")
        return f"{name} = []\n\n{class_of('', methods(operations, lift, body) + back)}"
    back = f"def BACK(y):\n    y.G = 1.0\n{indent(inner, '    ')}"
    return f"{name} = []\n\n{class_of('', methods(operations, lift, body))}\n\n{back}"


def contexts(draw: Random, operations: list[Operation], lift: str) -> str:
    """A class of its own for each operation, with a context."""
    saved = draw.choice(("saved", "saved_tensors", "values"))
    classes = []
    called = {}
    for one in operations:
        name = one.method.strip("_").capitalize()
        slopes = [draw.choice(ways) for ways in one.slopes]
        arguments = ["a", "b"][: one.inputs] + ["n"] * (one.method == "__pow__")
        is_out = any("O" in slope for slope in slopes)
        kept = [*arguments, "out"] if is_out else arguments
        value = filled(one.value, "a", "b")
        forward = (
            f"ctx.{saved} = ({', '.join(kept)},)\nreturn out"
            if is_out
            else f"ctx.{saved} = ({', '.join(kept)},)\nreturn {value}"
        )
        forward = (f"out = {value}\n" if is_out else "") + forward
        parts = [times(draw, filled(slope, "a", "b", "out"), "g") for slope in slopes]
        backward = f"{', '.join(kept)}, = ctx.{saved}\nreturn ({', '.join(parts)},)"
        if not any(word in " ".join(parts) for word in kept):
            backward = f"return ({', '.join(parts)},)"
        classes.append(
            f"class {name}:\n    @staticmethod\n    def forward(ctx, {', '.join(arguments)}):\n"
            f"{indent(forward, ' ' * 8)}\n\n"
            f"    @staticmethod\n    def backward(ctx, g):\n{indent(backward, ' ' * 8)}\n"
        )
        called[one.method] = name

    def body(one: Operation) -> str:
        given = ", ".join([f"{node}.D" for node in nodes(one)] + ["n"] * (one.method == "__pow__"))
        parents = f"({', '.join(nodes(one))},)"
        name = called[one.method]
        return f"ctx = Context()\nreturn V({name}.forward(ctx, {given}), {parents}, {name}, ctx)\n"

    step = "if N.op is not None:\n    for C, part in zip(N.P, N.op.backward(N.ctx, N.G)):\n        C.G += part"
    rest = class_of("P=(), op=None, ctx=None", methods(operations, lift, body) + walk(draw, step, "N.P"))
    return "class Context:\n    pass\n\n\n" + "\n\n".join(classes) + "\n\n" + rest


def named(draw: Random, operations: list[Operation], lift: str) -> str:
    """Nodes that keep the name of their operation, and a chain of ifs, or a table, in the walk."""
    operations = [one for one in operations if one.method != "__pow__"]
    is_table = draw.random() < 0.5

    def body(one: Operation) -> str:
        value, _ = values(draw, one, "out")
        return f"return V({value}, ({', '.join(nodes(one))},), {one.method.strip('_')!r})\n"

    branches, rules = [], []
    for one in operations:
        slopes = [draw.choice(ways) for ways in one.slopes]
        op, names = one.method.strip("_"), ["a", "b"][: one.inputs]
        lines = [f"{', '.join(names)}, = N.P"]
        for name, slope in zip(names, slopes, strict=True):
            lines.append(f"{name}.G += {times(draw, filled(slope, 'a.D', 'b.D', 'N.D'), 'N.G')}")
        branches.append(f"if N.op == {op!r}:\n" + indent("\n".join(lines), "    "))
        parts = [times(draw, filled(slope, "a", "b", "out"), "g") for slope in slopes]
        rules.append(f"    {op!r}: lambda g, out, {', '.join(names)}: ({', '.join(parts)},),\n")
    if not is_table:
        return class_of("P=(), op=''", methods(operations, lift, body) + walk(draw, "\nel".join(branches), "N.P"))
    step = (
        "if N.op:\n    parts = RULES[N.op](N.G, N.D, *[C.D for C in N.P])\n"
        "    for C, part in zip(N.P, parts):\n        C.G += part"
    )
    rest = class_of("P=(), op=''", methods(operations, lift, body) + walk(draw, step, "N.P"))
    return f"RULES = {{\n{''.join(rules)}}}\n\n\n{rest}"


STYLES = {"closures": closures, "locals": locals_, "pairs": pairs, "pulls": pulls, "tape": tape, "contexts": contexts,
          "named": named}  # fmt: skip


# ---- whether a program is wrong, by Python itself


def battery(space: dict[str, Any], name: str) -> Iterator[list[float]]:
    """Yield the gradients of an engine on graphs that try all that it has."""
    made = space[name]
    for method in [one for one in vars(made) if one in {operation.method for operation in (*BASIC, *MORE)}]:

        def use(*given: Any, method: str = method) -> Any:
            function = getattr(given[0], method)
            binary = method in ("__add__", "__mul__", "__sub__", "__truediv__")
            return function(given[1]) if binary else function(3) if method == "__pow__" else function()

        graphs: tuple[Any, ...] = (
            lambda a, b, use=use: use(a * b, a) * a + use(a, b) * use(a, b),
            lambda a, b, use=use: (lambda s: s * use(s, b) + s)(a * b + a),
        )
        for graph in graphs:
            for at in ((1.5, 0.8), (0.6, 1.7), (1.2, 0.4), (-0.7, 1.2), (0.9, -1.4)):
                try:
                    leaves = [made(x) for x in at]
                    y = graph(*leaves)
                except ValueError:
                    yield []
                    continue
                yield run_back(space, y, leaves)


def run_back(space: dict[str, Any], y: Any, leaves: list[Any]) -> list[float]:
    back = next(name for name in (*NAMES["BACK"],) if hasattr(y, name) or name in space)
    space[back](y) if back in space else getattr(y, back)()
    grad = next(name for name in NAMES["G"] if hasattr(y, name))
    return [float(getattr(leaf, grad)) for leaf in leaves]


def differs(text: str, right: str, outcomes: Any) -> bool:
    """Whether a program does something else than the right one, or stops."""
    frames = sys.getrecursionlimit()
    sys.setrecursionlimit(400)
    try:
        space: dict[str, Any] = {}
        exec(right, space)  # a program of our own
        wanted = list(outcomes(space))
        try:
            space = {}
            exec(text, space)
            found = list(outcomes(space))
        except Exception:  # of the mistake
            return True
    finally:
        sys.setrecursionlimit(frames)
    if len(found) != len(wanted):
        return True
    for got, want in zip(found, wanted, strict=True):
        one, other = np.asarray(got, float), np.asarray(want, float)
        if one.shape != other.shape or not np.allclose(one, other, rtol=1e-5, atol=1e-7):
            return True
    return False


class Sample(NamedTuple):
    """A right program with the question, and wrong ones of one line each: the kind of mistake, the text, the line."""

    shape: str
    code: Code
    asked: tuple[str, ...]
    right: str
    wrong: list[tuple[str, str, int]]


def engines(seed: int, count: int, each: int = 2) -> Iterator[Sample]:
    for number in range(count):
        draw = Random(f"{seed} {number}")
        style = tuple(STYLES)[number % len(STYLES)]
        text, name = engine(draw, (style,))
        outcomes = lambda space, name=name: battery(space, name)  # noqa: E731
        wrong = [one for one in mutants(text, draw, 4 * each) if differs(one[1], text, outcomes)][:each]
        yield Sample(f"{style} {number}", Code(name, is_engine=True), USUAL, text, wrong)


def layers(seed: int, count: int, each: int = 2) -> Iterator[Sample]:
    for number in range(count):
        draw = Random(f"{seed} {number}")
        every = [*FUNCTIONS.items(), *CLASSES.items()]
        name, (code, text) = every[number % len(every)]
        right = ast.unparse(ast.parse(text)) + "\n"
        judge = CodeJudge(code, code.returns)
        wrong = list(mutants(right, draw, 3 * each))
        found = [one for one in wrong if any(v.verdict != "correct" for v in judge.verdicts(one[1]).values())][:each]
        yield Sample(name, code, code.returns, right, found)


def judged(sample: Sample, *, is_told: bool = False) -> Counter[str]:
    """Count the verdicts on a sample: right ones accused, wrong ones seen, and named with their line."""
    counts: Counter[str] = Counter()
    judge = CodeJudge(sample.code, sample.asked)
    accused = {q: v.remark for q, v in judge.verdicts(sample.right).items() if v.verdict != "correct"}
    counts.update(right=1, accused=bool(accused))
    if accused and is_told:
        print("ACCUSED", sample.shape, accused, "\n", sample.right)
    for what, text, line in sample.wrong:
        start = time.process_time()
        off = [one for one in judge.verdicts(text).values() if one.verdict != "correct"]
        lines = {one.node for verdict in off for one in verdict.diagnoses[:1]}
        is_named = lines == {f"line {line}"} or {d.code for v in off for d in v.diagnoses[:1]} == {"seed"}
        milliseconds = int(1000 * (time.process_time() - start))
        counts.update(wrong=1, seen=bool(off), named=is_named, milliseconds=milliseconds)
        if is_told and not is_named:
            print("-" * 10, sample.shape, what, line, "" if off else "NOT SEEN")
            print("  ", sample.right.splitlines()[line - 1].strip(), "=>", text.splitlines()[line - 1].strip())
            for verdict in off[:1]:
                print("  ", verdict.remark, [d.message for d in verdict.diagnoses], flush=True)
    return counts


def main() -> None:
    kind, seed, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    samples = engines(seed, count) if kind == "engines" else layers(seed, count)
    print(dict(sum((judged(one, is_told=True) for one in samples), Counter[str]())))


if __name__ == "__main__":
    main()
