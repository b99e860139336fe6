"""The operations that a class of an engine defines, each tried alone, on shared variables, with numbers."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator

import numpy as np

from gradcli.facts import dataclass

EVERYWHERE = ((1.3, 0.7, 1.9), (-0.8, 1.2, -1.6), (0.6, -1.7, 0.9))  # of a, b and c: each side of a kink
POSITIVE = ((1.3, 0.7, 1.9), (0.6, 1.7, 0.9))
UNARY = ("y = F(a)", "y = F(a)*b + c", "s = a*b\ny = F(s)*a + s", "t = F(a)\ny = t*t + t*a")
BINARY = ("y = F(a, b)", "y = F(a, b)*c", "s = a*b\ny = F(s, a)*b + F(c, s)", "y = F(a, a)*b + a")
NUMBERED = ("y = F(a)", "y = F(a)*a + F(b)")
MEANINGS = {  # of methods, as Python writes it with numbers of the reference; `of` has other names for some
    "__add__": ("({} + {})", "({} + 3)"),
    "__radd__": ("(3 + {})",),
    "__sub__": ("({} - {})", "({} - 3)"),
    "__rsub__": ("(3 - {})",),
    "__mul__": ("({} * {})", "({} * 3)"),
    "__rmul__": ("(3 * {})",),
    "__truediv__": ("({} / {})", "({} / 3)"),
    "__rtruediv__": ("(3 / {})",),
    "__pow__": ("({}**3)", "({}**2)", "({}**-1)", "({}**-2)", "({}**0.5)", "({}**{})"),
    "__rpow__": ("(3**{})",),
    "__neg__": ("(-{})",),
    "__abs__": ("abs({})",),
}
OTHERS = {  # names of methods and functions that mean another
    "ln": "log", "logistic": "sigmoid", "sigm": "sigmoid", "squared": "square", "inverse": "reciprocal",
    "subtract": "sub", "multiply": "mul", "divide": "truediv", "div": "truediv",
}  # fmt: skip
QUANTITIES = {  # that an assignment may ask for, with the methods that each is
    "sub": ("__sub__", "__rsub__"),
    "neg": ("__neg__",),
    "div": ("__truediv__",),
    "pow": ("__pow__",),
    "abs": ("__abs__",),
    **{
        name: (name,)
        for name in ["relu", "tanh", "exp", "log", "sigmoid", "sin", "cos", "sqrt", "square", "softplus", "reciprocal"]
    },
}
KNOWN = [name for name, methods in QUANTITIES.items() if methods == (name,)]
NUMBERS = ("__sub__", "__truediv__")  # some take none beside a node
WRAPS = re.compile(r"isinstance|hasattr|\btype\(|lift|wrap|ensure|as_|to_|float\(|array\(")  # numbers beside nodes
NO_OPERATION = re.compile(
    r"_|.*(backw|backprop|grad|detach|copy|clone|stop|reset|update|step|topo|sort|item|numpy|param|draw|print|show|str)"
)


@dataclass(frozen=True, slots=True)
class Operation:
    """One way to write an operation: with the student's names, and as the reference has it, empty where nobody knows.

    `name` is that of the method; an operation may be refused where it `may_fail`.
    """

    name: str
    writes: str
    means: str
    may_fail: bool = False

    @property
    def graphs(self) -> tuple[str, ...]:
        if "3" in self.writes and self.name not in ("__pow__", "pow"):
            return NUMBERED
        return BINARY if self.writes.count("{}") == 2 else UNARY

    @property
    def points(self) -> tuple[tuple[float, float, float], ...]:
        is_positive = self.means in ("{}.log()", "{}.sqrt()", "({}**0.5)", "({}**{})")
        return POSITIVE if is_positive else EVERYWHERE


def graph(template: str, writes: str) -> str:
    """Write an operation in the place of F in a graph."""
    return re.sub(r"F\((\w)(?:, (\w))?\)", lambda match: writes.format(*filter(None, match.groups())), template)


def defined(text: str, name: str) -> list[Operation]:
    """Return the operations that a class, and what stands beside it, defines."""
    tree = ast.parse(text)
    methods = methods_of(tree, name)
    beside = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    wraps = takes_numbers(tree)
    operations = [
        op for method, function in methods.items() for op in of_method(method, function, "{}.", "", wraps=wraps)
    ]
    named = (name for name in beside if name not in methods and meaning(name) in KNOWN)
    operations += [op for other in named for op in of_method(other, beside[other], "", "{}")]
    return sorted(operations, key=lambda op: (not op.means, op.may_fail))


def takes_numbers(tree: ast.Module) -> bool:
    """Tell whether numbers may stand beside nodes: something is made of them, but by what makes a node of its data."""
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name != "__init__"]
    return any(WRAPS.search(ast.unparse(function)) for function in functions)


def methods_of(tree: ast.Module, name: str) -> dict[str, ast.FunctionDef | None]:
    """Return the methods of a class, and of those that it is made of."""
    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    waiting, methods = [name], dict[str, ast.FunctionDef | None]()
    while waiting:
        if (node := classes.pop(waiting.pop(), None)) is not None:
            methods = dict(members(node)) | methods
            waiting += [base.id for base in node.bases if isinstance(base, ast.Name)]
    return methods


@dataclass(frozen=True, slots=True)
class ArrayGraph:
    """A graph of arrays of some shapes: what it tries, how students write it, and how the reference does."""

    quantity: str
    operation: str
    builds: str
    means: str
    shapes: tuple[tuple[int, ...], ...]


REDUCTIONS = ("sum", "mean")
ARRAYS = ("elements", "broadcast", "matmul", *REDUCTIONS)  # what is tried of arrays
PRODUCTS = {"__matmul__": "({} @ {})", "matmul": "{}.matmul({})", "mm": "{}.mm({})", "dot": "{}.dot({})"}
SHAPES = ((2, 3), (3,)), ((3,), (2, 3)), ((2, 3), (2, 1)), ((1, 3), (2, 1)), ((2, 3), ())  # that broadcast
BROADCASTS = re.compile(r"broadcast|\.ndim\b")  # a program that says so has to do it


def array_graphs(text: str, name: str, quantities: Collection[str]) -> list[ArrayGraph]:
    """Return the graphs of arrays for what is asked of a class; with `operations` all that it says that it can do."""
    methods = methods_of(ast.parse(text), name)
    products = [method for method in PRODUCTS if method in methods]
    asked = set(quantities) & set(ARRAYS)
    if "operations" in quantities and "numpy" in text:
        asked |= {method for method in REDUCTIONS if method in methods} | ({"matmul"} if products else set())
        asked |= {"elements"} if asked else set()
        asked |= {"broadcast"} if asked and BROADCASTS.search(text) else set()
    reduced = next((f"({{}}).{method}()" for method in REDUCTIONS if method in methods), "")
    weighted = "({}*c)" if "__mul__" in methods else "{}"
    graphs: list[ArrayGraph] = []

    def add(quantity: str, operation: str, writes: str, means: str, *shapes: tuple[int, ...]) -> None:
        weights = np.broadcast_shapes(*shapes) if quantity in ("elements", "broadcast") else shapes[-1]
        builds = f"y = {reduced.format(writes) or writes}"  # else the walk begins with ones
        right = f"y = {(reduced or '({}).sum()').format(means)}"
        graphs.append(ArrayGraph(quantity, operation, builds, right, (*shapes, weights, ())[:3]))

    elementwise = [
        (method, MEANINGS[method][0])
        for method in ("__add__", "__mul__", "__sub__", "__truediv__")
        if method in methods
    ]
    for operation, writes in elementwise:
        both = weighted.format(writes.format("a", "b"))
        if "elements" in asked:
            add("elements", operation, both, both, (2, 3), (2, 3))
        for shapes in SHAPES if "broadcast" in asked else ():
            add("broadcast", operation, both, both, *shapes)
    for product in products if "matmul" in asked else ():
        both = PRODUCTS[product].format("a", "b")
        add("matmul", product, weighted.format(both), weighted.format("(a @ b)"), (2, 3), (3, 2), (2, 2))
        if "__mul__" in methods:
            add("matmul", product, f"({both}*{both})", "((a @ b)*(a @ b))", (2, 3), (3, 2), ())
    for reduction in sorted(asked.intersection(REDUCTIONS)):
        function = methods.get(reduction)
        names = [arg.arg for arg in (*function.args.args, *function.args.kwonlyargs)] if function else []
        both = weighted.format(f"(a*b).{reduction}()") if "__mul__" in methods else f"a.{reduction}()"
        add(reduction, reduction, both, both, (2, 3), (2, 3), ())
        axis = next((name for name in names if name in ("axis", "dim")), "")
        kept = next((name for name in names if name.startswith("keepdim")), "")
        for place, shape in ((0, (3,)), (1, (2,))) if axis and "__mul__" in methods else ():
            writes, means = (f"a.{reduction}({keyword}={place})*b" for keyword in (axis, "dim"))
            add(reduction, reduction, writes, means, (2, 3), shape, ())
        if axis and kept and "__mul__" in methods:
            writes = f"a.{reduction}({axis}=1, {kept}=True)*b"
            add(reduction, reduction, writes, f"a.{reduction}(dim=1, keepdim=True)*b", (2, 3), (2, 1), ())
    return graphs


def members(node: ast.ClassDef) -> Iterator[tuple[str, ast.FunctionDef | None]]:
    """Yield the methods of a class; `__radd__, __rmul__ = __add__, __mul__` are some, too."""
    for statement in node.body:
        if isinstance(statement, ast.FunctionDef) and not statement.decorator_list:
            yield statement.name, statement
        elif isinstance(statement, ast.Assign):
            names = (inner for target in statement.targets for inner in ast.walk(target) if isinstance(inner, ast.Name))
            yield from ((inner.id, None) for inner in names if inner.id in MEANINGS or meaning(inner.id) in KNOWN)


def meaning(name: str) -> str:
    plain = name.strip("_").lower().replace("_", "")
    return OTHERS.get(plain, plain)


def of_method(
    name: str, function: ast.FunctionDef | None, before: str, inside: str, *, wraps: bool = True
) -> Iterator[Operation]:
    """Yield the ways to write the operation of one method, or of a function beside the class."""
    if name in MEANINGS:
        for means in MEANINGS[name]:
            is_power = means == "({}**{})"
            if not is_power or (function is not None and takes_values(function)):
                is_number = "3" in means and name != "__pow__"
                may_fail = (is_number and (name in NUMBERS or not wraps)) or ("pow" in name and means != "({}**3)")
                yield Operation(name, means, means, may_fail)
        return
    known, arguments = meaning(name), () if function is None else required(function)
    if known in KNOWN:
        means = "(1 + {}.exp()).log()" if known == "softplus" else f"{{}}.{known}()"  # torch has it as a function
        yield Operation(name, f"{before}{name}({inside})", means)
    elif f"__{known}__" in MEANINGS and before:
        number = {"neg": "", "abs": "", "pow": "3"}.get(known, "{}")
        means = MEANINGS[f"__{known}__"][0]
        yield Operation(name, f"{{}}.{name}({number})", means)
    elif before and len(arguments) < 2 and not NO_OPERATION.match(name):
        for argument in ("2", "{}") if arguments else ("",):
            yield Operation(name, f"{{}}.{name}({argument})", "", may_fail=True)


def required(function: ast.FunctionDef) -> tuple[str, ...]:
    """Return the arguments, behind the first, that have no default."""
    names = [argument.arg for argument in (*function.args.posonlyargs, *function.args.args)]
    return tuple(names[1 : len(names) - len(function.args.defaults)])


def takes_values(function: ast.FunctionDef) -> bool:
    """Whether an exponent may be a node: something of it is read."""
    names = required(function)
    return any(
        isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in names
        for node in ast.walk(function)
    )
