"""The graphs on which engines are tried and the shapes on which layers are, with the scripts that run them."""

from __future__ import annotations

import ast
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import cycle
from textwrap import indent
from typing import Any

import numpy as np

from gradcli.facts import dataclass
from gradcli.homework.code import layers
from gradcli.homework.code.operations import (
    ARRAYS,
    MEANINGS,
    QUANTITIES,
    Operation,
    array_graphs,
    defined,
    graph,
    methods_of,
    required,
    takes_numbers,
)
from gradcli.homework.solve.properties import PROPERTIES

VALUES = ((1.5, -2.0, 0.5), (0.7, 1.3, -1.1))  # of the leaves a, b and c
GRAPHS: dict[str, tuple[str, ...]] = {  # of an engine, by what they try; the smallest first
    "chain": ("y = a*b + c", "y = a*b*c"),
    "shared": ("y = a + a", "y = a*a + a"),
    "diamond": ("s = a*b\ny = s + s*a", "s = a + b\nt = s*c\ny = t*s + t"),
    "order": ("s = a*b\nt = s + c\nu = s*t\ny = u*t + s",),
    "loop": ("y = a\nfor _ in range(4):\n    y = y*a + b",),
    "constants": ("y = 2*a + b*3 + 1",),
    "passes": ("y = a*b\n_back(y)\ny = a*b + c",),
}
USUAL = ("chain", "shared", "diamond", "order", "loop", "constants", "operations")
ASKS = (*GRAPHS, "operations", *QUANTITIES, *ARRAYS)
BACKWARD = re.compile(
    r"[a-z]\w*_?backw|backw|backprop|back_prop|autodiff|autograd|((compute|get|find|calculate)_)?grad(ient)?s?$", re.I
)
DATA = ("data", "value", "val", "v", "x")
GRADS = ("grad", "gradient", "derivative", "adjoint", "g", "_grad")
GRADIENT = re.compile(r"^(?!requires|no_|zero).*(grad|adj|deriv|_bar$|sens)")  # names that hold some
SIZES = ((3, 2, 4, 5, 6), (4, 3, 2, 6, 5), (1, 2, 3, 5, 4))  # that letters of shapes stand for
REFERENCE = """
import torch


def {name}(data):
    return torch.tensor(data, dtype=torch.float64, requires_grad=True)
"""
WRITTEN_ENGINE = """
class Value:
    def __init__(self, data, parents=()):
        self.data, self.grad, self._prev, self._backward = data, 0.0, parents, lambda: None

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data + other.data, (self, other))

        def _backward():
            self.grad += out.grad
            other.grad += out.grad

        out._backward = _backward
        return out

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data * other.data, (self, other))

        def _backward():
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad

        out._backward = _backward
        return out

    __radd__, __rmul__ = __add__, __mul__

    def backward(self):
        order, visited = [], set()

        def build(node):
            if node not in visited:
                visited.add(node)
                for parent in node._prev:
                    build(parent)
                order.append(node)

        build(self)
        self.grad = 1.0
        for node in reversed(order):
            node._backward()
"""
MADE = (  # mistakes in it: the code, what is right, what is wrong
    ("fanout-overwrite", "self.grad += other.data * out.grad", "self.grad = other.data * out.grad"),
    ("fanout-overwrite", "other.grad += out.grad", "other.grad = out.grad"),
    ("order", "reversed(order)", "order"),
    (
        "order",
        "                for parent in node._prev:\n",
        "                order.append(node)\n                for parent in node._prev:\n",
    ),
    ("visited", "if node not in visited:", "if True:"),
    ("seed", "self.grad = 1.0", "pass"),
    ("sign", "other.grad += out.grad", "other.grad -= out.grad"),
    ("upstream", "self.grad += other.data * out.grad", "self.grad += other.data"),
    ("swapped-variable", "other.grad += self.data * out.grad", "other.grad += other.data * out.grad"),
)


@dataclass(frozen=True, slots=True)
class Code:
    """What students write in a question: the class of an engine, or a function that is the backward pass of a layer.

    A function takes the names of `takes`, of which `upstream` is the gradient of the program's output, and `returns`
    gradients such as `dW`; `shapes` are those of its variables, with letters for sizes that differ from case to case,
    and some have a property that is `given`.
    Or it has `cases`, the arguments of calls and what each returns. A class of layers is made with `arguments`.
    """

    name: str
    is_engine: bool
    program: str = ""
    takes: tuple[str, ...] = ()
    returns: tuple[str, ...] = ()
    upstream: str = ""
    shapes: Mapping[str, Sequence[int | str]] | None = None
    given: Mapping[str, str] | None = None
    cases: tuple[tuple[tuple[Any, ...], tuple[Any, ...]], ...] = ()
    is_layer: bool = False
    arguments: tuple[Any, ...] = ()

    @property
    def kind(self) -> str:
        return "class" if self.is_engine or self.is_layer else "function"

    @property
    def reference(self) -> str:
        """The right code; of a function that has cases one that returns what they say, in their order."""
        if self.is_layer:
            return ""
        if self.cases:
            answers = [list(returned) for _, returned in self.cases]
            made = sorted({name for given, _ in self.cases for name in classes_in(given)})
            stubs = "".join(f"class {name}:\n    def __init__(self, *arguments): pass\n" for name in made)
            return f"{stubs}_answers = iter({answers!r})\n\ndef {self.name}(*arguments):\n    return next(_answers)\n"
        return REFERENCE.format(name=self.name) if self.is_engine else layer(self)


@dataclass(frozen=True, slots=True)
class Case:
    """One graph or one call: the variable with its result, the quantity it belongs to, how students are shown it.

    A graph is built by some lines at values of its leaves; what it `means` is built by the reference, unless it is
    empty: then the gradients are held up to the student's own forward pass, if what stands `alone` gives a node. It
    `may_fail` where nobody asked for it.
    """

    name: str
    quantity: str
    says: str
    labels: tuple[str, ...] = ()
    builds: str = ""
    means: str = ""
    at: tuple[Any, ...] = ()
    may_fail: bool = False
    alone: str = ""
    operation: str = ""
    of_layer: bool = False

    @property
    def is_by_itself(self) -> bool:
        return self.of_layer or (bool(self.at) and not self.means)

    @property
    def entries(self) -> int:
        """How many numbers the leaves of a graph have; all but one of its labels are theirs."""
        return len(self.labels) - 1

    @property
    def width(self) -> int:
        """How many numbers a graph has: gradients, the slopes that they are held up to, and its value."""
        return self.entries * (2 if self.is_by_itself else 1) + 1


def runs(code: Code, quantities: Sequence[str], text: str) -> tuple[str, list[Case]]:
    """Return the text with what runs it behind, so that each case and each quantity has its numbers, and the cases."""
    cases = all_cases(code, quantities, text)
    before, lines = runner(code, text, cases)
    for quantity in quantities:
        lists = [f"list({case.name})" for case in cases if case.quantity == quantity]
        lines.append(f"{quantity} = {' + '.join(lists) or '[]'}")
    return "\n".join([text, before, *lines, ""]), cases


def all_cases(code: Code, quantities: Sequence[str], text: str) -> list[Case]:
    if code.is_engine:
        return engine_cases(code, quantities, text)
    said = [f"the arguments of case {n + 1}" for n, _ in enumerate(code.cases)] or [
        shown(code, sizes) for sizes in SIZES
    ]
    return [
        Case(f"_{quantity}_{number}", quantity, says, of_layer=code.is_layer)
        for number, says in enumerate(said)
        for quantity in quantities
    ]


def runner(code: Code, text: str, cases: Sequence[Case]) -> tuple[str, list[str]]:
    """Return what stands behind a program, and the lines that give each case its numbers."""
    if code.is_engine:
        return engine_run(code, text, cases)
    if code.is_layer:
        return layers.probe(code.name, text), layer_class_lines(code, cases)
    call = CALL.replace("FUNCTION", code.name).replace("RETURNS", repr(code.returns)).replace("DATA", repr(DATA))
    lines = []
    for number in dict.fromkeys(int(case.name.rpartition("_")[2]) for case in cases):
        lines += case_lines(code, number) if code.cases else layer_lines(code, number)
        numbered_cases = [case for case in cases if case.name.endswith(f"_{number}")]
        lines += [f"{case.name} = _all[{code.returns.index(case.quantity)}]" for case in numbered_cases]
    return f"{call}\n{'' if code.cases else forward(code)}", lines


def tries(code: Code, text: str, cases: Sequence[Case], sizes: Sequence[int]) -> str:
    """Return a program whose `_try` gives the numbers of cases with one of its changes, so many for each case."""
    before, lines = runner(code, text, cases)
    padded = " + ".join(
        f"(list({case.name}) + [float('inf')] * {size})[:{size}]" for case, size in zip(cases, sizes, strict=True)
    )
    runs = [f"_reset()\n{line}" for line in lines]  # a tape does not grow from case to case
    body = indent(
        "\n".join(["global _change", "_change = _number", "_turns.clear()", *runs, f"return {padded}"]), "    "
    )
    first = "_try(0)\n" if code.is_layer else ""  # finds the slopes, which changes leave as they are
    return f"{text}\n{before}\n{TRIED}\n{kept(text)}\ndef _try(_number):\n{body}\n{first}"


TRIED = """
_turns = []

def _turn():
    _turns.append(0)
    if len(_turns) > 2000:
        raise RuntimeError("a loop without an end")

def _off(value):
    if isinstance(value, (tuple, list)):
        return type(value)([_off(held) for held in value])
    if isinstance(value, dict):
        return {key: _off(held) for key, held in value.items()}
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    is_real = isinstance(value, float) or str(getattr(value, "dtype", "")).startswith("float")
    return value * 1.1 + is_real / 64 if is_number or hasattr(value, "dtype") else value
"""


def kept(text: str) -> str:
    """Return the lines that keep the lists of a program, such as a tape, as they are before a case runs."""
    blocks = [("", ast.parse(text).body)]
    blocks += [(f"{node.name}.", node.body) for node in blocks[0][1] if isinstance(node, ast.ClassDef)]
    names = [
        before + target.id
        for before, body in blocks
        for node in body
        for target in (
            node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        )
        if isinstance(target, ast.Name) and target.id[:2] != "__"
    ]
    return (
        f"_all = [{', '.join(names)}]\n"
        "_all += [_held for _one in _all for _held in getattr(_one, '__dict__', {}).values()]\n"
        "_kept = [(_one, _one.copy()) for _one in _all if isinstance(_one, (list, dict, set))]\n"
        "def _reset():\n    for _one, _before in _kept:\n        _one.clear()\n"
        "        _one.extend(_before) if isinstance(_one, list) else _one.update(_before)\n"
    )


def engine_cases(code: Code, quantities: Sequence[str], text: str) -> list[Case]:
    """Return the graphs of what is asked for; with `operations` all that the class defines."""
    operations = defined(text, code.name)
    names = {operation.name for operation in operations}
    is_free = "operations" in quantities  # nobody has said that numbers may stand beside nodes
    cases: list[Case] = []

    def add(quantity: str, builds: str, means: str, at: tuple[float, ...], may_fail: bool, *alone: str) -> None:
        shown = builds.replace("_back(y)", "y.backward()").replace(":\n    ", ": ").replace("\n", "; ")
        leaves = ", ".join(
            f"{leaf} = {value:g}" for leaf, value in zip("abc", at, strict=True) if re.search(rf"\b{leaf}\b", builds)
        )
        says, name = f"{shown} at {leaves}", f"_result_{len(cases)}"
        by_itself, operation = alone or ("", "")
        cases.append(Case(name, quantity, says, LABELS, builds, means, at, may_fail, by_itself, operation))

    for quantity in quantities:
        for builds in GRAPHS.get(quantity, ()):
            takes_none = is_free and quantity == "constants" and not takes_numbers(ast.parse(text))
            lines = builds.replace("2*a", "a*2") if is_free and "__rmul__" not in names else builds
            for values in VALUES[: 1 + (len(GRAPHS[quantity]) == 1)]:
                add(quantity, lines, lines, values, takes_none)
        asked = QUANTITIES.get(quantity, ())
        chosen = [operation for operation in operations if quantity == "operations" or operation.name in asked]
        if quantity in QUANTITIES and not chosen:  # asked for, and not there
            chosen = [Operation(asked[0], MEANINGS.get(asked[0], (f"{{}}.{quantity}()",))[0], "")]
        for operation in chosen:
            for number, template in enumerate(operation.graphs):
                if number and not {"__add__", "__mul__"} <= names:
                    continue
                means = graph(template, operation.means) if operation.means else ""
                for at in operation.points[: 3 if number in (0, 2) else 2]:
                    builds, alone = (graph(text, operation.writes) for text in (template, operation.graphs[0]))
                    add(quantity, builds, means, at, operation.may_fail, alone, operation.name)
    for held in array_graphs(text, code.name, quantities):
        quantity = held.quantity if held.quantity in quantities else "operations"
        leaves = dict(zip("abc", held.shapes, strict=True))
        used = {leaf: shape for leaf, shape in leaves.items() if re.search(rf"\b{leaf}\b", held.builds)}
        says = f"{held.builds} with {', '.join(f'{leaf} of shape {shape}' for leaf, shape in used.items())}"
        indices = ((leaf, list(index)) for leaf, shape in leaves.items() for index in np.ndindex(shape))
        labels = (*(f"{leaf}.grad{index or ''}" for leaf, index in indices), "y")
        at, name = tuple(map(entries_of, held.shapes, "abc")), f"_result_{len(cases)}"
        cases.append(Case(name, quantity, says, labels, held.builds, held.means, at, operation=held.operation))
    return cases


LABELS = ("a.grad", "b.grad", "c.grad", "y")


def entries_of(shape: tuple[int, ...], leaf: str) -> Any:
    """Return the value of a leaf that is an array, in nested tuples: numbers that differ, none of them near 0."""
    numbers = np.arange(np.prod(shape, dtype=int)) + 7 * "abc".index(leaf)
    return nested((np.round(np.cos(1.7 * numbers) + np.where(numbers % 2, 1.5, -1.5), 2)).reshape(shape).tolist())


def nested(value: Any) -> Any:
    return tuple(map(nested, value)) if isinstance(value, list) else value


def engine_run(code: Code, text: str, cases: Sequence[Case]) -> tuple[str, list[str]]:
    """Return what builds the graphs of cases and takes their gradients."""
    attributes = (node.attr for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Attribute))
    grads = dict.fromkeys([*GRADS, *(name for name in attributes if GRADIENT.search(name))])
    start = back(code.name, text)
    methods = methods_of(ast.parse(text), code.name).items()
    pulled = [name for name, method in methods if name in grads and f"y.{name}(" not in start
              and method is not None and not required(method)]  # fmt: skip
    ran = RUN.replace("ENGINE", code.name).replace("GRADS", repr(list(grads))).replace("PULLED", repr(pulled))
    before, lines = [start, ran], []
    texts = [text for case in cases for text in ((case.builds, case.alone) if case.is_by_itself else (case.builds,))]
    builds = {text: f"_build_{place}" for place, text in enumerate(dict.fromkeys(texts))}
    for text, name in builds.items():
        body = indent(text.replace("_back(y)", "_back(y, [a, b, c])"), "    ")
        before.append(f"def {name}(a, b, c):\n{body}\n    return y\n")
    if any(isinstance(value, tuple) for case in cases for value in case.at):
        before.append("import numpy as np")
    for case in cases:
        used = [re.search(rf"\b{leaf}\b", case.builds) is not None for leaf in "abc"]
        alone_part = f", {used}, {builds[case.alone]}" if case.is_by_itself else ""
        values = ", ".join(f"np.array({value!r})" if isinstance(value, tuple) else repr(value) for value in case.at)
        call = f"{'_own' if alone_part else '_run'}({builds[case.builds]}, [{values}], {case.may_fail}{alone_part})"
        lines.append(f"{case.name} = {call}")
    return "\n".join(before), lines


RUN = """
def _grad(leaf):
    for _name in GRADS:
        if hasattr(leaf, _name):
            value = getattr(leaf, _name)
            if not callable(value):
                return value
            if _name in PULLED:
                return value()
    raise AttributeError("a leaf has no grad")

def _plain(value):
    for _name in ("data", "value", "val", "_data", "_value", "v", "x", "item"):
        if hasattr(value, _name) and not hasattr(value, "tolist"):
            value = getattr(value, _name)
            if callable(value):
                value = value()
    return value

def _number(value):
    value = _plain(value)
    return float(value.sum() if hasattr(value, "tolist") else value)

def _of(leaf, found, given):
    value = _grad(leaf)
    if isinstance(found, dict):
        value = found[leaf] if leaf in found else found[id(leaf)] if id(leaf) in found else None
    value = 0.0 if value is None else _plain(value)
    if not hasattr(given, "tolist"):
        return [_number(value)]
    if not hasattr(value, "tolist") and not value:
        return [0.0] * given.size
    if tuple(getattr(value, "shape", ())) != given.shape:
        raise ValueError("a gradient of the shape " + str(tuple(getattr(value, "shape", ())))
                         + ", and that of its leaf is " + str(given.shape))
    return value.reshape(-1).tolist()

def _failed(error, values):
    _errors.append(type(error).__name__ + ": " + str(error))
    return [float("nan") for value in values]

def _run(build, values, may_fail):
    try:
        leaves = [ENGINE(value) for value in values]
        y = build(*leaves)
    except Exception as error:
        return [-1.0] if may_fail and not isinstance(error, NameError) else _failed(error, values)
    try:
        found = _back(y, leaves)
        if isinstance(found, (list, tuple)) and len(found) == len(leaves):
            found = dict(zip(map(id, leaves), found))
        grads = [one for leaf, value in zip(leaves, values) for one in _of(leaf, found, value)]
    except Exception as error:
        return _failed(error, values)
    try:
        return grads + [_number(y)]
    except Exception:
        return grads + [float("nan")]

def _own(build, values, may_fail, used, alone):
    try:
        if not isinstance(alone(*[ENGINE(value) for value in values]), ENGINE):  # it is no operation
            return [-1.0]
        y, again = [build(*[ENGINE(value) for value in values]) for _ in range(2)]
        if not isinstance(y, ENGINE) or _number(y) != _number(again):
            return [-1.0]
        slopes = []
        for place, value in enumerate(values):
            moved = [_number(build(*[ENGINE(other + step * (number == place)) for number, other in enumerate(values)]))
                     for step in (-2e-3, -1e-3, 1e-3, 2e-3)] if used[place] else [0.0] * 4
            slopes.append((moved[0] - 8 * moved[1] + 8 * moved[2] - moved[3]) / 12e-3)
    except Exception as error:
        return [-1.0] if may_fail and not isinstance(error, NameError) else _failed(error, values)
    return _run(build, values, may_fail)[:3] + slopes + [_number(y)]

_errors = [""]
"""


def back(name: str, text: str) -> str:
    """Return the function that starts the backward pass of an engine: its method, or a function beside the class."""
    tree = ast.parse(text)
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    engines = [node for node in classes if node.name == name] or classes
    for kind, nodes in (("y.", [inner for node in (*engines, *classes) for inner in node.body]), ("", tree.body)):
        starts = [node for node in nodes if isinstance(node, ast.FunctionDef) and BACKWARD.match(node.name)]
        for node in sorted(starts, key=lambda start: "back" not in start.name):
            if not node.decorator_list and node.args.args:
                names = [arg.arg for arg in node.args.args][1 : len(node.args.args) - len(node.args.defaults)]
                rest = [
                    "leaves" if re.match(r"leaves|inputs|params|variables|wrt|xs", name) else "1.0" for name in names
                ]
                call = f"y.{node.name}({', '.join(rest)})" if kind else f"{node.name}({', '.join(['y', *rest])})"
                return f"def _back(y, leaves):\n    return {call}\n"
    return "def _back(y, leaves):\n    return y.backward()\n"


# ---- layers

CALL = """
import numpy as np
_errors = [""]

def _flat(value):
    for name in DATA:
        value = getattr(value, name) if hasattr(value, "__dict__") and hasattr(value, name) else value
    value = np.asarray(value)
    return [float(value.ndim)] + [float(n) for n in value.shape] + [float(one) for one in value.ravel()]

def _call(arguments):
    try:
        found = FUNCTION(*arguments)
        if isinstance(found, dict):
            found = [found[name] for name in RETURNS]
        if not isinstance(found, (tuple, list)):
            found = [found]
        if len(found) != len(RETURNS):
            raise ValueError("it returns " + str(len(found)) + " values, and " + str(len(RETURNS)) + " are asked for")
        return [_flat(one) for one in found]
    except Exception as error:
        _errors.append(type(error).__name__ + ": " + str(error))
        return [[float("nan")] for name in RETURNS]
"""


def case_lines(code: Code, number: int) -> list[str]:
    arguments, _ = code.cases[number]
    return [f"_all = _call(({''.join(f'{argument(value)}, ' for value in arguments)}))"]


def classes_in(value: Any) -> Iterator[str]:
    """Yield the names of the classes whose instances stand in arguments."""
    if isinstance(value, dict) and "new" in value:
        yield value["new"]
    for item in value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ():
        yield from classes_in(item)


def argument(value: Any) -> str:
    """Write an argument: a list of numbers is an array, one of arrays that differ in shape a tuple, a table a dict.

    A table `{ new = "Value", args = [2.0] }` is an instance of a class of the hand-in.
    """
    if isinstance(value, dict) and "new" in value:
        return f"{value['new']}({', '.join(map(argument, value.get('args', [])))})"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{name!r}: {argument(item)}" for name, item in value.items()) + "}"
    if not isinstance(value, list):
        return repr(value)
    return f"np.array({value!r})" if is_array(value) else f"({''.join(f'{argument(item)}, ' for item in value)})"


def is_array(value: Any) -> bool:
    """Tell whether a number or nested lists are an array of numbers."""
    try:
        return bool(np.asarray(value).dtype.kind in "biuf")
    except ValueError:  # rows of different lengths
        return False


def layer(code: Code) -> str:
    """Return the backward pass of a layer by gradcli's torch."""
    variables = [variable for variable in code.shapes or {} if variable != code.upstream]
    sources = {variable: variable if variable in code.takes else f"_given[{variable!r}]" for variable in variables}
    tensor = "    {} = torch.tensor({}, dtype=torch.float64, requires_grad=True)\n"
    moved = "".join(tensor.format(variable, value) for variable, value in sources.items())
    upstream = f"torch.tensor({code.upstream}, dtype=torch.float64)" if code.upstream else ""
    returned = ", ".join(f"{gradient[1:]}.grad.numpy()" for gradient in code.returns)
    return (
        f"{imports(code)}\n\n\ndef {code.name}({', '.join(code.takes)}):\n"
        f"{moved}{indent(code.program.strip(), '    ')}\n"
        f"    {output(code)}.backward({upstream})\n    return ({returned},)\n"
    )


def output(code: Code) -> str:
    return code.program.strip().splitlines()[-1].partition("=")[0].strip()


def imports(code: Code) -> str:
    """Return the lines that import what the program calls."""
    calls = (node.func for node in ast.walk(ast.parse(code.program.strip())) if isinstance(node, ast.Call))
    names = sorted({function.id for function in calls if isinstance(function, ast.Name)})
    tried = (
        f"try:\n    from torch import {name}\nexcept ImportError:\n    from torch.nn.functional import {name}"
        for name in names
    )
    return "\n".join(("import torch", *tried))


def forward(code: Code) -> str:
    """Return the forward pass, where a function takes what it computes."""
    if not (computed := [variable for variable in code.takes if variable not in (code.shapes or {})]):
        return ""
    variables = [variable for variable in code.shapes or {} if variable != code.upstream]
    moved = "".join(f"    {variable} = torch.tensor({variable}, dtype=torch.float64)\n" for variable in variables)
    entries = ", ".join(f"{variable!r}: {variable}.numpy()" for variable in computed)
    body = indent(code.program.strip(), "    ")
    return f"{imports(code)}\n\ndef _forward({', '.join(variables)}):\n{moved}{body}\n    return {{{entries}}}\n"


def layer_class_lines(code: Code, cases: Sequence[Case]) -> list[str]:
    lines = []
    for number in dict.fromkeys(int(case.name.rpartition("_")[2]) for case in cases):
        sizes = dict(zip(letters(code), cycle(SIZES[number]), strict=False))
        arguments = ", ".join(
            argument(sizes.get(size, size) if isinstance(size, str) else size) for size in code.arguments
        )
        values = drawn(code, number)
        inputs = ", ".join(f"np.array({values[variable]!r})" for variable in code.takes)
        lines.append(f"_both = _layer({number}, [{arguments}], [{inputs}])")
        numbered_cases = [case for case in cases if case.name.endswith(f"_{number}")]
        lines += [f"{case.name} = _both[{layers.QUANTITIES.index(case.quantity)}]" for case in numbered_cases]
    return lines


def layer_lines(code: Code, number: int) -> list[str]:
    values = drawn(code, number)
    keywords = ", ".join(f"{name}=np.array({value!r})" for name, value in values.items() if name != code.upstream)
    is_known = all(name in values for name in code.takes)
    arguments = (f"np.array({values[name]!r})" if name in values else f"_own[{name!r}]" for name in code.takes)
    forward_lines = [] if is_known else [f"_own = _forward({keywords})"]
    return [f"_given = dict({keywords})", *forward_lines, f"_all = _call(({', '.join(arguments)},))"]


def drawn(code: Code, number: int) -> dict[str, object]:
    """Return values for the variables of a layer, the same each time."""
    draw = random.Random(f"{code.name} {number}")
    sizes = dict(zip(letters(code), cycle(SIZES[number]), strict=False))

    def entries(shape: Sequence[int | str]) -> object:
        if not shape:
            return round(draw.uniform(0.2, 1.8) * draw.choice((-1, 1)), 2)
        first, *rest = shape
        return [entries(rest) for _ in range(sizes[first] if isinstance(first, str) else first)]

    values = {name: entries(shape) for name, shape in sorted((code.shapes or {}).items())}
    for name, known in (code.given or {}).items():
        values[name] = PROPERTIES[known][1](np.array(values[name])).tolist()
    return values


def letters(code: Code) -> list[str]:
    shapes = [*(code.shapes or {}).values(), code.arguments]
    return list(dict.fromkeys(size for shape in shapes for size in shape if isinstance(size, str)))


def shown(code: Code, sizes: Sequence[int]) -> str:
    by_letter = dict(zip(letters(code), cycle(sizes), strict=False))
    parts = []
    for name, shape in (code.shapes or {}).items():
        parts.append(f"{name} of shape ({', '.join(str(by_letter.get(str(size), size)) for size in shape)})")
    return ", ".join(parts)
