"""Engines with many operations, each in a shape that courses have; mistakes are made in them at random.

`python -m tests.homework.code.bank` says how many are seen, named with their line, and how many right ones accused.
"""

from __future__ import annotations

import ast
import math
import sys
import time
from random import Random
from typing import Any

from tests.homework.code.engines import CLOSURES, FUNCTIONS, LOCAL_GRADS, TAPE
from tests.homework.code.mutants import DICTS, NUMBERED, mutants

MORE_CLOSURES = """
    def __pow__(self, other):
        assert isinstance(other, (int, float))
        out = Value(self.data**other, (self,))

        def _backward():
            self.grad += other * self.data ** (other - 1) * out.grad

        out._backward = _backward
        return out

    def relu(self):
        out = Value(0 if self.data < 0 else self.data, (self,))

        def _backward():
            self.grad += (out.data > 0) * out.grad

        out._backward = _backward
        return out

    def tanh(self):
        x = self.data
        t = (math.exp(2 * x) - 1) / (math.exp(2 * x) + 1)
        out = Value(t, (self,))

        def _backward():
            self.grad += (1 - t**2) * out.grad

        out._backward = _backward
        return out

    def exp(self):
        out = Value(math.exp(self.data), (self,))

        def _backward():
            self.grad += out.data * out.grad

        out._backward = _backward
        return out

    def log(self):
        out = Value(math.log(self.data), (self,))

        def _backward():
            self.grad += out.grad / self.data

        out._backward = _backward
        return out

    def sigmoid(self):
        s = 1 / (1 + math.exp(-self.data))
        out = Value(s, (self,))

        def _backward():
            self.grad += s * (1 - s) * out.grad

        out._backward = _backward
        return out

    def __neg__(self):
        return self * -1

    def __sub__(self, other):
        return self + (-other)

    def __rsub__(self, other):
        return other + (-self)

    def __truediv__(self, other):
        return self * other**-1

    def __rtruediv__(self, other):
        return other * self**-1
"""
MORE_LOCAL = """
    def __pow__(self, p):
        return Value(self.data**p, (self,), (p * self.data ** (p - 1),))

    def log(self):
        return Value(math.log(self.data), (self,), (1 / self.data,))

    def exp(self):
        return Value(math.exp(self.data), (self,), (math.exp(self.data),))

    def relu(self):
        return Value(max(0, self.data), (self,), (float(self.data > 0),))

    def sin(self):
        return Value(math.sin(self.data), (self,), (math.cos(self.data),))

    def cos(self):
        return Value(math.cos(self.data), (self,), (-math.sin(self.data),))

    def __sub__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data - other.data, (self, other), (1, -1))

    def __truediv__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data / other.data, (self, other), (1 / other.data, -self.data / other.data**2))
"""
MORE_TAPE = """
    def __sub__(self, other):
        other = lift(other)
        out = Value(self.value - other.value)
        tape.append((out, [(self, 1.0), (other, -1.0)]))
        return out

    def __rsub__(self, other):
        return lift(other) - self

    def __neg__(self):
        out = Value(-self.value)
        tape.append((out, [(self, -1.0)]))
        return out

    def __truediv__(self, other):
        other = lift(other)
        out = Value(self.value / other.value)
        tape.append((out, [(self, 1.0 / other.value), (other, -self.value / (other.value * other.value))]))
        return out

    def sqrt(self):
        r = math.sqrt(self.value)
        out = Value(r)
        tape.append((out, [(self, 0.5 / r)]))
        return out

    def softplus(self):
        out = Value(math.log(1 + math.exp(self.value)))
        tape.append((out, [(self, 1.0 / (1.0 + math.exp(-self.value)))]))
        return out

    def leaky_relu(self, slope=0.1):
        out = Value(self.value if self.value > 0 else slope * self.value)
        tape.append((out, [(self, 1.0 if self.value > 0 else slope)]))
        return out
"""
MORE_FUNCTIONS = """
class Div:
    @staticmethod
    def forward(ctx, a, b):
        ctx.append((a, b))
        return a / b

    @staticmethod
    def backward(ctx, g):
        a, b = ctx[0]
        return g / b, -g * a / b**2


class Sub:
    @staticmethod
    def forward(ctx, a, b):
        return a - b

    @staticmethod
    def backward(ctx, g):
        return g, -g


class Tanh:
    @staticmethod
    def forward(ctx, a):
        t = math.tanh(a)
        ctx.append(t)
        return t

    @staticmethod
    def backward(ctx, g):
        (t,) = ctx
        return (g * (1 - t * t),)


class ELU:
    @staticmethod
    def forward(ctx, a):
        out = a if a > 0 else math.exp(a) - 1
        ctx.append((a, out))
        return out

    @staticmethod
    def backward(ctx, g):
        a, out = ctx[0]
        return (g if a > 0 else g * (out + 1),)


class Pow:
    @staticmethod
    def forward(ctx, a, n):
        ctx.append((a, n))
        return a**n

    @staticmethod
    def backward(ctx, g):
        a, n = ctx[0]
        return (g * n * a ** (n - 1),)


"""
MORE_APPLIED = """
    def __sub__(self, other):
        return self.apply(Sub, other)

    def __truediv__(self, other):
        return self.apply(Div, other)

    def tanh(self):
        ctx = []
        return Value(Tanh.forward(ctx, self.data), (self,), ctx, Tanh)

    def elu(self):
        ctx = []
        return Value(ELU.forward(ctx, self.data), (self,), ctx, ELU)

    def __pow__(self, n):
        ctx = []
        return Value(Pow.forward(ctx, self.data, n), (self,), ctx, Pow)
"""
MORE_NUMBERED = """
    def __sub__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data - other.data, (self, other), "sub")

    def __truediv__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data / other.data, (self, other), "div")

    def __rtruediv__(self, other):
        return Value(other) / self

    def abs(self):
        return Value(abs(self.data), (self, Value(0)), "abs")

    def swish(self):
        return Value(self.data / (1 + math.exp(-self.data)), (self, Value(0)), "swish")

    def cube(self):
        return Value(self.data**3, (self, Value(0)), "cube")
"""
MORE_RULES = """    "sub": lambda g, a, b: (g, -g),
    "div": lambda g, a, b: (g / b, -g * a / (b * b)),
    "abs": lambda g, a, b: (g if a > 0 else -g, 0),
    "swish": lambda g, a, b: (g * swished(a), 0),
    "cube": lambda g, a, b: (3 * a**2 * g, 0),
}


def swished(a):
    s = 1 / (1 + math.exp(-a))
    return s + a * s * (1 - s)
"""
MORE_DICTS = """
    def __pow__(self, n):
        out = Value(self.data**n)
        out.parents = [{"node": self, "local": n * self.data ** (n - 1)}]
        return out

    def __neg__(self):
        out = Value(-self.data)
        out.parents = [{"node": self, "local": -1.0}]
        return out

    def __sub__(self, other):
        return self + (-Value.lift(other))

    def log(self):
        out = Value(math.log(self.data))
        out.parents = [{"node": self, "local": 1.0 / self.data}]
        return out

    def sigmoid(self):
        out = Value(1.0 / (1.0 + math.exp(-self.data)))
        out.parents = [{"node": self, "local": out.data * (1.0 - out.data)}]
        return out

    def max(self, other):
        other = Value.lift(other)
        out = Value(max(self.data, other.data))
        first = self.data >= other.data
        out.parents = [{"node": self, "local": float(first)}, {"node": other, "local": float(not first)}]
        return out
"""


def behind(text: str, method: str, more: str) -> str:
    """Put methods before one of a class."""
    return "import math\n" + text.replace(
        f"    def {method}(self", f"{more.strip(chr(10))}\n\n    def {method}(self", 1
    )


HEAP = """
import heapq
import math


class Value:
    made = 0

    def __init__(self, data, args=(), pull=None):
        Value.made += 1
        self.id, self.data, self.grad, self.args, self.pull = Value.made, data, 0.0, args, pull

    def __lt__(self, other):
        return self.id > other.id

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data + other.data, (self, other), lambda g: (g, g))

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        a, b = self.data, other.data
        return Value(a * b, (self, other), lambda g: (g * b, g * a))

    def __radd__(self, other):
        return self + other

    def __rmul__(self, other):
        return self * other

    def __sub__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data - other.data, (self, other), lambda g: (g, -g))

    def exp(self):
        e = math.exp(self.data)
        return Value(e, (self,), lambda g: (g * e,))

    def square(self):
        x = self.data
        return Value(x * x, (self,), lambda g: (2 * x * g,))

    def backward(self):
        self.grad = 1.0
        heap, queued = [self], {self.id}
        while heap:
            node = heapq.heappop(heap)
            if node.pull is None:
                continue
            for arg, g in zip(node.args, node.pull(node.grad)):
                arg.grad += g
                if arg.id not in queued:
                    queued.add(arg.id)
                    heapq.heappush(heap, arg)
"""
RULE = '"mul": lambda g, a, b: (g * b, g * a),\n}'
SHAPES = {
    "closures": behind(CLOSURES, "backward", MORE_CLOSURES),
    "local": behind(LOCAL_GRADS, "backward", MORE_LOCAL),
    "tape": behind(TAPE.replace("__radd__ = __add__", f"{MORE_TAPE.strip()}\n\n    __radd__ = __add__"), "none", ""),
    "functions": behind(FUNCTIONS.replace("class Value:", f"{MORE_FUNCTIONS}class Value:"), "backward", MORE_APPLIED),
    "numbered": behind(NUMBERED, "backward", MORE_NUMBERED).replace(RULE, f"{RULE[:-1]}{MORE_RULES.strip()}"),
    "dicts": behind(DICTS, "order", MORE_DICTS),
    "heap": HEAP,
}  # fmt: skip


def graphs(engine: Any) -> list[tuple[Any, tuple[float, ...]]]:
    """Return functions of nodes that try what a class has, with points."""
    has = [name for name in dir(engine) if callable(getattr(engine, name))]
    found: list[Any] = [lambda a, b: a * b + a * a + 3 * a + b * 2, lambda a, b: (a + b) * (a * b) + a]

    def looped(a: Any, b: Any) -> Any:
        y = a
        for _ in range(4):
            y = y * a + b
        return y

    found += [looped, lambda a, b: (lambda s: (lambda t: (lambda u: u * t + s)(s * t))(s + b))(a * b)]
    for name in ("relu", "tanh", "exp", "log", "sigmoid", "sin", "cos", "sqrt", "softplus", "leaky_relu", "elu", "abs",
                 "swish", "cube", "square"):  # fmt: skip
        if name in has:
            found.append(lambda a, b, n=name: getattr(a * b, n)() * a + getattr(a, n)() * getattr(a, n)())
    if "__sub__" in has:
        found += [lambda a, b: (a - b) * (a * b - a), lambda a, b: (a - 2) * b]
    if "__rsub__" in has:
        found.append(lambda a, b: (2 - a) * b)
    if "__neg__" in has:
        found.append(lambda a, b: (-(a * b)) * a)
    if "__truediv__" in has:
        found += [lambda a, b: (a / b) * a, lambda a, b: ((a * b) / a) / b]
    if "__rtruediv__" in has:
        found.append(lambda a, b: (2 / a) * b)
    if "__pow__" in has:
        found += [lambda a, b: a**3 * b + (a * b) ** 2]
    if "max" in has:
        found.append(lambda a, b: a.max(b) * a)
    points = ((1.5, 0.8), (0.6, 1.7), (-0.7, 1.2), (0.9, -1.4))
    return [(one, at) for one in found for at in points]


def number(node: Any) -> float:
    return float(getattr(node, "data", getattr(node, "value", math.nan)))


def is_wrong(text: str) -> bool:
    """Whether some gradient of an engine is not the difference quotient of a right one."""
    right: dict[str, Any] = {}
    exec(RIGHT[text][1], right)  # a program of our own
    own: dict[str, Any] = {}
    frames = sys.getrecursionlimit()
    sys.setrecursionlimit(300)
    try:
        wanted = [gradients_of(right, graph, at) for graph, at in graphs(right["Value"])]
        try:
            exec(text, own)
            found = [
                run(own, graph, at) for (graph, at), want in zip(graphs(own["Value"]), wanted, strict=True) if want
            ]
        except Exception:  # of the mistake
            return True
    finally:
        sys.setrecursionlimit(frames)
    pairs = zip(found, filter(None, wanted), strict=True)
    return any(abs(x - y) > 1e-6 + 1e-5 * abs(y) for got, want in pairs for x, y in zip(got, want, strict=True))


def gradients_of(program: dict[str, Any], graph: Any, at: Any) -> Any:
    """Run a right engine; None where the graph has no value."""
    try:
        return run(program, graph, at)
    except ValueError:
        return None


def run(space: dict[str, Any], graph: Any, at: tuple[float, ...]) -> list[float]:
    leaves = [space["Value"](one) for one in at]
    y = graph(*leaves)
    if "backward" in space:
        space["backward"](y)
    else:
        y.backward()
    return [float(leaf.grad) for leaf in leaves] + [number(y)]


RIGHT: dict[str, tuple[str, str]] = {}


def bank(seed: int, count: int) -> list[tuple[str, str, str, int]]:
    """Return mutants that are wrong: the shape, the kind, the program, the line."""
    found = []
    for shape, text in SHAPES.items():
        for kind, mutant, line in mutants(text, Random(f"{seed} {shape}"), count):
            plain = ast.unparse(ast.parse(text))
            RIGHT[mutant] = (shape, plain)
            if is_wrong(mutant):
                found.append((shape, kind, mutant, line))
    return found


def is_named(off: Any, line: int) -> bool:
    """Whether a line is named, and no other; of what is left out, the place where it belongs."""
    codes = {one.code for verdict in off for one in verdict.diagnoses[:1]}
    return codes == {"seed"} or {one.node for v in off for one in v.diagnoses[:1]} == {f"line {line}"}


def main() -> None:
    import gc

    from gradcli.homework.code.cases import USUAL, Code
    from gradcli.homework.code.marking import CodeJudge

    judge = CodeJudge(Code("Value", is_engine=True), USUAL)
    for shape, text in SHAPES.items():
        RIGHT[text] = (shape, text)
        accused = {q: v.remark for q, v in judge.verdicts(text).items() if v.verdict != "correct"}
        print(shape, "accused" if accused else "right", accused, is_wrong(text))
    gc.collect()
    gc.freeze()
    wrong = bank(int(sys.argv[1]), int(sys.argv[2]))
    seen = 0
    named = 0
    times = []
    for shape, kind, text, line in wrong:
        start = time.process_time()
        verdicts = judge.verdicts(text)
        times.append(time.process_time() - start)
        off = [one for one in verdicts.values() if one.verdict != "correct"]
        seen += bool(off)
        named += is_named(off, line)
        if not off or not is_named(off, line):
            print("-" * 20, shape, kind, line, text.splitlines()[line - 1].strip(), "| NOT SEEN" if not off else "")
            for one in off[:1]:
                print("      ", one.remark, [d.message for d in one.diagnoses])
    print(f"{len(wrong)} wrong, {seen} seen, {named} named with line")
    times.sort()
    print(f"cpu mean {sum(times) / len(times):.2f} median {times[len(times) // 2]:.2f} max {times[-1]:.2f}")


if __name__ == "__main__":
    main()
