"""Engines in the shapes that teaching code has, all right: the class is called Value, and has + and *."""

CLOSURES = """
class Value:
    def __init__(self, data, _children=()):
        self.data = data
        self.grad = 0.0
        self._backward = lambda: None
        self._prev = set(_children)

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
        topo, visited = [], set()

        def build(v):
            if v not in visited:
                visited.add(v)
                for child in v._prev:
                    build(child)
                topo.append(v)

        build(self)
        self.grad = 1.0
        for v in reversed(topo):
            v._backward()
"""
LOCAL_GRADS = """
class Value:
    def __init__(self, data, children=(), local_grads=()):
        self.data = data
        self.grad = 0
        self._children = children
        self._local_grads = local_grads

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data + other.data, (self, other), (1, 1))

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data * other.data, (self, other), (other.data, self.data))

    def __radd__(self, other):
        return self + other

    def __rmul__(self, other):
        return self * other

    def backward(self):
        topo = []
        visited = set()

        def build_topo(v):
            if v not in visited:
                visited.add(v)
                for child in v._children:
                    build_topo(child)
                topo.append(v)

        build_topo(self)
        self.grad = 1
        for v in reversed(topo):
            for child, local_grad in zip(v._children, v._local_grads):
                child.grad += local_grad * v.grad
"""
TAPE = """
tape = []


class Value:
    def __init__(self, value):
        self.value = value
        self.grad = 0.0

    def __add__(self, other):
        other = lift(other)
        out = Value(self.value + other.value)
        tape.append((out, [(self, 1.0), (other, 1.0)]))
        return out

    def __mul__(self, other):
        other = lift(other)
        out = Value(self.value * other.value)
        tape.append((out, [(self, other.value), (other, self.value)]))
        return out

    __radd__ = __add__
    __rmul__ = __mul__


def lift(x):
    return x if isinstance(x, Value) else Value(x)


def backward(y):
    y.grad = 1.0
    for out, inputs in reversed(tape):
        for node, local in inputs:
            node.grad += out.grad * local
    tape.clear()
"""
FUNCTIONS = """
class Add:
    @staticmethod
    def forward(ctx, a, b):
        return a + b

    @staticmethod
    def backward(ctx, g):
        return g, g


class Mul:
    @staticmethod
    def forward(ctx, a, b):
        ctx.append((a, b))
        return a * b

    @staticmethod
    def backward(ctx, g):
        a, b = ctx[0]
        return b * g, a * g


class Value:
    def __init__(self, data, parents=(), ctx=None, op=None):
        self.data, self.grad, self.parents, self.ctx, self.op = data, 0.0, parents, ctx, op

    def apply(self, op, other):
        other = other if isinstance(other, Value) else Value(other)
        ctx = []
        return Value(op.forward(ctx, self.data, other.data), (self, other), ctx, op)

    def __add__(self, other):
        return self.apply(Add, other)

    def __mul__(self, other):
        return self.apply(Mul, other)

    __radd__, __rmul__ = __add__, __mul__

    def backward(self):
        order = []

        def visit(v):
            if v in order:
                return
            for p in v.parents:
                visit(p)
            order.append(v)

        visit(self)
        self.grad = 1.0
        for v in order[::-1]:
            if v.op is not None:
                for p, g in zip(v.parents, v.op.backward(v.ctx, v.grad)):
                    p.grad += g
"""
RETURNED = """
class Value:
    def __init__(self, value, local_gradients=()):
        self.value = value
        self.local_gradients = local_gradients

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.value + other.value, ((self, 1.0), (other, 1.0)))

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.value * other.value, ((self, other.value), (other, self.value)))

    __radd__, __rmul__ = __add__, __mul__


def backward(variable):
    gradients = {}

    def compute(variable, path_value):
        for child, local in variable.local_gradients:
            value = path_value * local
            gradients[child] = gradients.get(child, 0.0) + value
            compute(child, value)

    compute(variable, 1.0)
    return gradients
"""
COUNTED = """
class Value:
    def __init__(self, data, parents=(), fn=None):
        self.data, self.parents, self.fn, self.gradient = data, parents, fn, 0.0

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data + other.data, [self, other], lambda g: [g, g])

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data * other.data, [self, other], lambda g: [g * other.data, g * self.data])

    __radd__, __rmul__ = __add__, __mul__

    def backprop(self):
        uses, stack, seen = {}, [self], {id(self)}
        while stack:
            for p in stack.pop().parents:
                uses[id(p)] = uses.get(id(p), 0) + 1
                if id(p) not in seen:
                    seen.add(id(p))
                    stack.append(p)
        self.gradient = 1.0
        ready = [self]
        while ready:
            node = ready.pop()
            if node.fn is None:
                continue
            for p, g in zip(node.parents, node.fn(node.gradient)):
                p.gradient += g
                uses[id(p)] -= 1
                if uses[id(p)] == 0:
                    ready.append(p)
"""
PATHS = """
class Value:
    def __init__(self, data, parents=()):
        self.data, self.parents, self.grad = data, parents, 0.0

    def __add__(self, other):
        if not isinstance(other, Value):
            other = Value(other)
        return Value(self.data + other.data, ((self, 1.0), (other, 1.0)))

    def __mul__(self, other):
        if not isinstance(other, Value):
            other = Value(other)
        return Value(self.data * other.data, ((self, other.data), (other, self.data)))

    def __radd__(self, other):
        return self.__add__(other)

    def __rmul__(self, other):
        return self.__mul__(other)

    def backward(self, upstream=1.0):
        self.grad += upstream
        for parent, local in self.parents:
            parent.backward(upstream * local)
"""
NUMPY = """
import numpy as np


class Value:
    def __init__(self, data, creators=None, op=""):
        self.data = np.array(data, dtype=float)
        self.grad = np.zeros_like(self.data)
        self.creators, self.op = creators or [], op

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data + other.data, [self, other], "add")

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data * other.data, [self, other], "mul")

    __radd__, __rmul__ = __add__, __mul__

    def sorted(self):
        order, seen = [], set()

        def visit(t):
            if id(t) in seen:
                return
            seen.add(id(t))
            for c in t.creators:
                visit(c)
            order.append(t)

        visit(self)
        return order

    def backward(self):
        order = self.sorted()
        self.grad = np.ones_like(self.data)
        for t in reversed(order):
            if t.op == "add":
                t.creators[0].grad = t.creators[0].grad + t.grad
                t.creators[1].grad = t.creators[1].grad + t.grad
            elif t.op == "mul":
                a, b = t.creators
                a.grad = a.grad + b.data * t.grad
                b.grad = b.grad + a.data * t.grad
"""
SHAPES = {"closures": CLOSURES, "local grads": LOCAL_GRADS, "tape": TAPE, "functions": FUNCTIONS, "returned": RETURNED,
          "counted": COUNTED, "paths": PATHS, "numpy": NUMPY}  # fmt: skip
