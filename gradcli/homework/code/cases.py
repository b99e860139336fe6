"""The graphs on which engines are tried and the shapes on which layers are, with the scripts that run them."""

from __future__ import annotations

import ast
import random
from collections.abc import Mapping, Sequence
from textwrap import indent
from typing import Any

import numpy as np

from gradcli.facts import dataclass

VALUES = ((1.5, -2.0, 0.5), (0.7, 1.3, -1.1))  # of the leaves a, b and c
GRAPHS: dict[str, tuple[str, ...]] = {  # of an engine, by what they try; the smallest first
    "chain": ("y = a*b + c", "y = a*b*c"),
    "shared": ("y = a + a", "y = a*a + a"),
    "diamond": ("s = a*b\ny = s + s*a", "s = a + b\nt = s*c\ny = t*s + t"),
    "order": ("s = a*b\nt = s + c\nu = s*t\ny = u*t + s",),
    "loop": ("y = a\nfor _ in range(4):\n    y = y*a + b",),
    "constants": ("y = 2*a + b*3 + 1",),
    "passes": ("y = a*b\n_back(y)\ny = a*b + c",),
    "sub": ("y = a*b - c", "y = 1 - a"),
    "neg": ("y = -(a*b)",),
    "div": ("y = a/b",),
    "pow": ("y = a**3 + b**2",),
    "relu": ("y = (a*b).relu() + (a*c).relu()*a",),
    "tanh": ("y = (a*b + c).tanh()",),
    "exp": ("y = (a*c).exp()",),
    "log": ("y = (a*a).log()",),
    "sigmoid": ("y = (a*b).sigmoid()",),
}
USUAL = ("chain", "shared", "diamond", "order", "loop", "constants")
BACKWARD = ("backward", "backprop", "backpropagate", "back_propagate", "run_backward")
GRADS = ("grad", "gradient", "derivative", "adjoint", "g", "_grad")
SIZES = ((3, 2, 4), (4, 3, 2), (1, 2, 3))  # that letters of shapes stand for
REFERENCE = """
import math


class {name}:
    def __init__(self, data, parents=()):
        self.data, self.grad, self._prev, self._backward = data, 0.0, parents, lambda: None

    def __add__(self, other):
        other = other if isinstance(other, {name}) else {name}(other)
        out = {name}(self.data + other.data, (self, other))

        def _backward():
            self.grad += out.grad
            other.grad += out.grad

        out._backward = _backward
        return out

    def __mul__(self, other):
        other = other if isinstance(other, {name}) else {name}(other)
        out = {name}(self.data * other.data, (self, other))

        def _backward():
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad

        out._backward = _backward
        return out

    def made(self, data, local):
        out = {name}(data, (self,))

        def _backward():
            self.grad += local * out.grad

        out._backward = _backward
        return out

    def __pow__(self, n):
        return self.made(self.data**n, n * self.data ** (n - 1))

    def relu(self):
        return self.made(max(self.data, 0.0), float(self.data > 0))

    def exp(self):
        return self.made(math.exp(self.data), math.exp(self.data))

    def log(self):
        return self.made(math.log(self.data), 1 / self.data)

    def tanh(self):
        return self.made(math.tanh(self.data), 1 - math.tanh(self.data) ** 2)

    def sigmoid(self):
        s = 1 / (1 + math.exp(-self.data))
        return self.made(s, s * (1 - s))

    def __neg__(self):
        return self * -1

    def __sub__(self, other):
        return self + -1 * other

    def __rsub__(self, other):
        return -self + other

    def __truediv__(self, other):
        return self * other**-1

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
    gradients such as `dW`; `shapes` are those of its variables, with letters for sizes that differ from case to case.
    Or it has `cases`, the arguments of calls and what each returns.
    """

    name: str
    is_engine: bool
    program: str = ""
    takes: tuple[str, ...] = ()
    returns: tuple[str, ...] = ()
    upstream: str = ""
    shapes: Mapping[str, Sequence[int | str]] | None = None
    cases: tuple[tuple[tuple[Any, ...], tuple[Any, ...]], ...] = ()

    @property
    def reference(self) -> str:
        """The right code; of a function that has cases one that returns what they say, in their order."""
        if self.cases:
            answers = [list(returned) for _, returned in self.cases]
            return f"_answers = iter({answers!r})\n\ndef {self.name}(*arguments):\n    return next(_answers)\n"
        return REFERENCE.format(name=self.name) if self.is_engine else layer(self)


@dataclass(frozen=True, slots=True)
class Case:
    """One graph or one call: the variable with its result, the quantity it belongs to, how students are shown it."""

    name: str
    quantity: str
    says: str
    labels: tuple[str, ...] = ()


def runs(code: Code, quantities: Sequence[str], text: str, *, only: Case | None = None) -> tuple[str, list[Case]]:
    """Return the text with what runs it behind, so that each case and each quantity has its numbers, and the cases.

    With `only` one case is run.
    """
    run = engine_run if code.is_engine else case_run if code.cases else layer_run
    behind, cases = run(code, quantities, text, only)
    for quantity in quantities if only is None else ():
        own = [f"list({case.name})" for case in cases if case.quantity == quantity]
        behind += f"{quantity} = {' + '.join(own)}\n"
    return f"{text}\n\n{behind}", cases


def engine_run(code: Code, quantities: Sequence[str], text: str, only: Case | None = None) -> tuple[str, list[Case]]:
    lines = [back(code.name, text), RUN.replace("ENGINE", code.name)]
    cases: list[Case] = []
    for quantity in quantities:
        for number, graph in enumerate(GRAPHS[quantity]):
            build = f"_{quantity}_{number}"
            if only is None or only.quantity == quantity:
                lines.append(f"def {build}(a, b, c):\n{indent(graph, '    ')}\n    return y\n")
            for values in VALUES[: 1 + (len(GRAPHS[quantity]) == 1)]:
                name = f"_result_{len(cases)}"
                if only is None or only.name == name:
                    lines.append(f"{name} = _run({build}, {list(values)})\n")
                shown = graph.replace("_back(y)", "y.backward()").replace(":\n    ", ": ").replace("\n", "; ")
                at = ", ".join(
                    f"{leaf} = {value:g}" for leaf, value in zip("abc", values, strict=True) if leaf in graph
                )
                cases.append(Case(name, quantity, f"{shown} at {at}", ("a", "b", "c")))
    return "\n".join(lines), cases


RUN = """
def _grad(leaf):
    for _name in GRADS:
        if hasattr(leaf, _name):
            return getattr(leaf, _name)
    raise AttributeError("a leaf has no grad")

def _number(value):
    for _name in ("data", "value", "item"):
        if hasattr(value, _name):
            value = getattr(value, _name)
            if callable(value):
                value = value()
    return float(value)

def _run(build, values):
    try:
        leaves = [ENGINE(value) for value in values]
        found = _back(build(*leaves))
        if isinstance(found, dict):
            return [_number(found[leaf]) if leaf in found else 0.0 for leaf in leaves]
        return [_number(_grad(leaf)) if _grad(leaf) is not None else 0.0 for leaf in leaves]
    except Exception as error:
        _errors.append(type(error).__name__ + ": " + str(error))
        return [float("nan") for value in values]

_errors = [""]
""".replace("GRADS", repr(GRADS))


def back(name: str, text: str) -> str:
    """Return the function that starts the backward pass of an engine: its method, or a function beside the class."""
    tree = ast.parse(text)
    engines = [node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == name]
    methods = {one.name for node in engines for one in node.body if isinstance(one, ast.FunctionDef)}
    functions = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    own = next((one for one in BACKWARD if one in methods), "")
    beside = next((one for one in BACKWARD if one in functions), "")
    call = f"{beside}(y)" if beside and not own else f"y.{own or BACKWARD[0]}()"
    return f"def _back(y):\n    return {call}\n"


# ---- layers

CALL = """
import numpy as np
_errors = [""]

def _flat(value):
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


def case_run(code: Code, quantities: Sequence[str], text: str, only: Case | None = None) -> tuple[str, list[Case]]:
    lines = [CALL.replace("FUNCTION", code.name).replace("RETURNS", repr(code.returns))]
    cases = []
    for number, (arguments, _) in enumerate(code.cases):
        if only is not None and not only.name.endswith(f"_{number}"):
            continue
        lines.append(f"_all = _call(({''.join(f'{argument(value)}, ' for value in arguments)}))")
        new = [
            Case(f"_{quantity}_{number}", quantity, f"the arguments of case {number + 1}") for quantity in quantities
        ]
        lines += lines_of_results(code, new)
        cases += new
    return "\n".join(lines) + "\n", cases


def lines_of_results(code: Code, cases: Sequence[Case]) -> list[str]:
    """Return the lines that give each case what the call returned for its quantity."""
    return [f"{case.name} = _all[{code.returns.index(case.quantity)}]" for case in cases]


def argument(value: Any) -> str:
    """Write an argument: a list of numbers is an array, one of arrays that differ in shape a tuple."""
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
    variables = [one for one in code.shapes or {} if one != code.upstream]
    given = {one: one if one in code.takes else f"_given[{one!r}]" for one in variables}
    tensor = "    {} = torch.tensor({}, dtype=torch.float64, requires_grad=True)\n"
    moved = "".join(tensor.format(one, value) for one, value in given.items())
    upstream = f"torch.tensor({code.upstream}, dtype=torch.float64)" if code.upstream else ""
    returned = ", ".join(f"{one[1:]}.grad.numpy()" for one in code.returns)
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
    names = sorted({one.id for one in calls if isinstance(one, ast.Name)})
    tried = (
        f"try:\n    from torch import {one}\nexcept ImportError:\n    from torch.nn.functional import {one}"
        for one in names
    )
    return "\n".join(("import torch", *tried))


def layer_run(code: Code, quantities: Sequence[str], text: str, only: Case | None = None) -> tuple[str, list[Case]]:
    lines = [CALL.replace("FUNCTION", code.name).replace("RETURNS", repr(code.returns))]
    computed = [one for one in code.takes if one not in (code.shapes or {})]  # by the forward pass
    if computed:
        variables = [one for one in code.shapes or {} if one != code.upstream]
        moved = "".join(f"    {one} = torch.tensor({one}, dtype=torch.float64)\n" for one in variables)
        found = ", ".join(f"{one!r}: {one}.numpy()" for one in computed)
        body = indent(code.program.strip(), "    ")
        lines.append(
            f"{imports(code)}\n\ndef _forward({', '.join(variables)}):\n{moved}{body}\n    return {{{found}}}\n"
        )
    cases = []
    for number, sizes in enumerate(SIZES):
        if only is not None and not only.name.endswith(f"_{number}"):
            continue
        values = drawn(code, number)
        given = ", ".join(f"{one}=np.array({value!r})" for one, value in values.items() if one != code.upstream)
        lines.append(f"_given = dict({given})")
        if computed:
            lines.append(f"_own = _forward({given})")
        arguments = (f"_own[{one!r}]" if one in computed else f"np.array({values[one]!r})" for one in code.takes)
        lines.append(f"_all = _call(({', '.join(arguments)},))")
        new = [Case(f"_{quantity}_{number}", quantity, shown(code, sizes)) for quantity in quantities]
        lines += lines_of_results(code, new)
        cases += new
    return "\n".join(lines) + "\n", cases


def drawn(code: Code, number: int) -> dict[str, object]:
    """Return values for the variables of a layer, the same each time."""
    draw = random.Random(f"{code.name} {number}")
    sizes = dict(zip(letters(code), SIZES[number], strict=False))

    def entries(shape: Sequence[int | str]) -> object:
        if not shape:
            return round(draw.uniform(0.2, 1.8) * draw.choice((-1, 1)), 2)
        first, *rest = shape
        return [entries(rest) for _ in range(sizes[first] if isinstance(first, str) else first)]

    return {name: entries(shape) for name, shape in sorted((code.shapes or {}).items())}


def letters(code: Code) -> list[str]:
    return list(dict.fromkeys(one for shape in (code.shapes or {}).values() for one in shape if isinstance(one, str)))


def shown(code: Code, sizes: Sequence[int]) -> str:
    by_letter = dict(zip(letters(code), sizes, strict=False))
    parts = []
    for name, shape in (code.shapes or {}).items():
        parts.append(f"{name} of shape ({', '.join(str(by_letter.get(str(one), one)) for one in shape)})")
    return ", ".join(parts)
