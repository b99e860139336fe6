"""Programs with arrays: an engine that broadcasts, a network of layers in a list, the loss of a softmax."""

ENGINE = """import numpy as np


class Value:
    def __init__(self, data, parents=(), vjps=()):
        self.data = np.asarray(data, float)
        self.parents = parents
        self.vjps = vjps
        self.grad = None

    @staticmethod
    def of(x):
        return x if isinstance(x, Value) else Value(x)

    @staticmethod
    def fit(g, like):
        extra = g.ndim - like.ndim
        g = g.sum(axis=tuple(range(extra)))
        axes = tuple(i for i, n in enumerate(like.shape) if n == 1 and g.shape[i] != 1)
        if axes:
            g = g.sum(axis=axes, keepdims=True)
        return g

    def __add__(self, other):
        a, b = self, Value.of(other)
        return Value(a.data + b.data, (a, b),
                      (lambda g: Value.fit(g, a.data),
                       lambda g: Value.fit(g, b.data)))

    def __sub__(self, other):
        a, b = self, Value.of(other)
        return Value(a.data - b.data, (a, b),
                      (lambda g: Value.fit(g, a.data),
                       lambda g: Value.fit(-g, b.data)))

    def __mul__(self, other):
        a, b = self, Value.of(other)
        return Value(a.data * b.data, (a, b),
                      (lambda g: Value.fit(g * b.data, a.data),
                       lambda g: Value.fit(g * a.data, b.data)))

    def __truediv__(self, other):
        a, b = self, Value.of(other)
        return Value(a.data / b.data, (a, b),
                      (lambda g: Value.fit(g / b.data, a.data),
                       lambda g: Value.fit(-g * a.data / b.data ** 2, b.data)))

    __radd__ = __add__
    __rmul__ = __mul__

    def __matmul__(self, other):
        a, b = self, other
        return Value(a.data @ b.data, (a, b),
                      (lambda g: g @ b.data.T, lambda g: a.data.T @ g))

    def tanh(self):
        t = np.tanh(self.data)
        return Value(t, (self,), (lambda g: g * (1 - t ** 2),))

    def sum(self):
        return Value(self.data.sum(), (self,), (lambda g: np.full(self.data.shape, g),))

    def backward(self):
        order = []
        marked = set()
        stack = [(self, False)]
        while stack:
            node, expanded = stack.pop()
            if expanded:
                order.append(node)
                continue
            if id(node) in marked:
                continue
            marked.add(id(node))
            stack.append((node, True))
            for p in node.parents:
                stack.append((p, False))
        grads = {id(self): np.ones_like(self.data)}
        for node in reversed(order):
            g = grads.pop(id(node))
            node.grad = g
            for p, vjp in zip(node.parents, node.vjps):
                grads[id(p)] = grads.get(id(p), 0) + vjp(g)
"""

NETWORK = """import numpy as np

class Linear:
    def __init__(self, n_in, n_out, rng):
        self.p = {"W": rng.normal(size=(n_in, n_out)), "b": rng.normal(size=n_out)}
        self.g = {}

    def forward(self, x):
        self.x = x
        return x @ self.p["W"] + self.p["b"]

    def backward(self, dy):
        self.g["W"] = self.x.T @ dy
        self.g["b"] = dy.sum(axis=0)
        return dy @ self.p["W"].T

class Tanh:
    def forward(self, x):
        self.y = np.tanh(x)
        return self.y

    def backward(self, dy):
        return dy * (1 - self.y ** 2)

class Net:
    def __init__(self, d, h, k):
        rng = np.random.default_rng(3)
        self.layers = [Linear(d, h, rng), Tanh(), Linear(h, k, rng)]

    def forward(self, x):
        for layer in self.layers:
            x = layer.forward(x)
        return x

    def backward(self, dy):
        for layer in self.layers[::-1]:
            dy = layer.backward(dy)
        return dy
"""

SOFTMAX = """import numpy as np

def softmax_loss_backward(X, W, b, T):
    N = len(X)
    Z = X @ W + b
    E = np.exp(Z - Z.max())
    S = E / E.sum(1, keepdims=True)
    dL_dS = -T / S / N
    dL_dZ = np.zeros_like(Z)
    for n in range(N):
        s = S[n].reshape(-1, 1)
        J = np.diagflat(s) - s @ s.T
        dL_dZ[n] = J @ dL_dS[n]
    return dL_dZ @ W.T, X.T @ dL_dZ, dL_dZ.sum(0)
"""
