"""Right backward passes of layers as courses have them, functions and classes, with the questions on them."""

from __future__ import annotations

from gradcli.homework.code.cases import Code


def function(program: str, shapes: str, takes: str, returns: str, text: str) -> tuple[Code, str]:
    """Return a function with its question; shapes are written `x n d, W d k`."""
    sizes = {name: letters for name, *letters in map(str.split, shapes.split(","))}
    first = takes.split()[0]
    upstream = first if first not in program else ""
    name = text.partition("def ")[2].partition("(")[0] if text.count("\ndef ") == 1 else "backward"
    code = Code(name, is_engine=False, program=program, takes=tuple(takes.split()), returns=tuple(returns.split()),
                upstream=upstream, shapes=sizes)  # fmt: skip
    return code, f"import numpy as np\n{text}"


def layer(name: str, arguments: str, shapes: str, text: str) -> tuple[Code, str]:
    sizes = {one: letters for one, *letters in map(str.split, shapes.split(","))}
    code = Code(name, is_engine=False, takes=tuple(sizes), shapes=sizes, returns=("inputs", "parameters"),
                is_layer=True, arguments=tuple(arguments.split()))  # fmt: skip
    return code, f"import numpy as np\n{text}"


FUNCTIONS = {
    "affine": function("y = x @ W + b", "dout n k, x n d, W d k, b k", "dout x W", "dx dW db", """
def affine_backward(dout, x, W):
    dx = np.dot(dout, W.T)
    dW = np.dot(x.T, dout)
    db = np.sum(dout, axis=0)
    return dx, dW, db
"""),
    "neuron": function("a = sigmoid(x @ w + b)\nL = ((a - y)**2).mean()", "x n d, w d, b, y n", "x w b y", "dw db", """
def neuron_gradients(x, w, b, y):
    n = len(y)
    z = x.dot(w) + b
    a = 1 / (1 + np.exp(-z))
    da = 2 * (a - y) / n
    dz = da * a * (1 - a)
    dw = x.T.dot(dz)
    db = dz.sum()
    return dw, db
"""),
    "tanh": function("y = tanh(x @ W)", "dy n k, x n d, W d k", "dy x W", "dx dW", """
def tanh_layer_backward(dy, x, W):
    h = np.tanh(x @ W)
    dz = dy * (1 - h ** 2)
    grads = {'dx': dz @ W.T, 'dW': x.T @ dz}
    return grads
"""),
    "mlp": function("h = relu(x @ W1 + b1)\ny = h @ W2 + b2",
                    "dout n k, x n d, W1 d h, b1 h, W2 h k, b2 k", "dout x W1 b1 W2", "dx dW1 db1 dW2 db2", """
def two_layers(dout, x, W1, b1, W2):
    z1 = x @ W1 + b1
    a1 = np.maximum(0, z1)
    dW2 = a1.T @ dout
    db2 = dout.sum(axis=0)
    da1 = dout @ W2.T
    dz1 = da1.copy()
    dz1[z1 <= 0] = 0
    dW1 = x.T @ dz1
    db1 = dz1.sum(axis=0)
    dx = dz1 @ W1.T
    return dx, dW1, db1, dW2, db2
"""),
    "cross entropy": function("p = softmax(z, 1)\nL = -(y * log(p)).sum() / z.shape[0]",
                              "z n k, y n k", "z y", "dz", """
def softmax(scores):
    shifted = scores - np.max(scores, axis=1, keepdims=True)
    exps = np.exp(shifted)
    return exps / np.sum(exps, axis=1, keepdims=True)

def backward(z, y):
    m = z.shape[0]
    probs = softmax(z)
    total = np.sum(y, axis=1, keepdims=True)
    dz = (probs * total - y) / m
    return dz
"""),
    "batch norm": function("m = x.mean(0)\nv = ((x - m)**2).mean(0)\ny = g * (x - m) / sqrt(v + 0.00001) + b",
                           "dout n d, x n d, g d, b d", "dout x g", "dx dg db", """
def batchnorm_backward(dout, x, g):
    N, D = x.shape
    mu = x.mean(axis=0)
    xmu = x - mu
    var = (xmu ** 2).mean(axis=0)
    ivar = 1 / np.sqrt(var + 1e-05)
    xhat = xmu * ivar
    db = dout.sum(axis=0)
    dg = (dout * xhat).sum(axis=0)
    dxhat = dout * g
    divar = (dxhat * xmu).sum(axis=0)
    dvar = -0.5 * divar * ivar ** 3
    dxmu = dxhat * ivar + 2 * xmu * dvar / N
    dmu = -dxmu.sum(axis=0)
    dx = dxmu + dmu / N
    return dx, dg, db
"""),
    "rnn step": function("h = tanh(x @ Wx + hp @ Wh + b)",
                         "dout n h, x n d, hp n h, Wx d h, Wh h h, b h", "dout x hp Wx Wh b", "dx dhp dWx dWh db", """
def rnn_step_backward(dout, x, hp, Wx, Wh, b):
    next_h = np.tanh(x.dot(Wx) + hp.dot(Wh) + b)
    dtanh = (1 - next_h * next_h) * dout
    dx = dtanh.dot(Wx.T)
    dhp = dtanh.dot(Wh.T)
    dWx = x.T.dot(dtanh)
    dWh = hp.T.dot(dtanh)
    db = dtanh.sum(0)
    return dx, dhp, dWx, dWh, db
"""),
    "attention": function("s = q @ k.T / 2\na = softmax(s, 1)\ny = a @ v",
                          "dout n e, q n d, k m d, v m e", "dout q k v", "dq dk dv", """
def attention_backward(dout, q, k, v):
    scores = q @ k.T / 2
    e = np.exp(scores - scores.max(axis=1, keepdims=True))
    a = e / e.sum(axis=1, keepdims=True)
    dv = a.T @ dout
    da = dout @ v.T
    dscores = a * (da - np.sum(da * a, axis=1, keepdims=True))
    dq = dscores @ k / 2
    dk = dscores.T @ q / 2
    return dq, dk, dv
"""),
    "gate": function("y = sigmoid(a) * tanh(c)", "dout n d, a n d, c n d", "dout a c", "da dc", """
def sigmoid(t):
    return 1.0 / (1.0 + np.exp(-t))

def backward(dout, a, c):
    gate = sigmoid(a)
    cand = np.tanh(c)
    dgate = dout * cand
    dcand = dout * gate
    da = dgate * gate * (1 - gate)
    dc = dcand * (1 - cand ** 2)
    return da, dc
"""),
    "ridge": function("r = x @ w - y\nL = (r**2).sum() / 2 + 0.1 * (w**2).sum() / 2",
                      "x n d, w d, y n", "x w y", "dw", """
def ridge_gradient(x, w, y):
    residual = x @ w - y
    dw = x.T @ residual + 0.1 * w
    return dw
"""),
    "scale": function("y = x * s + t", "dout n d, x n d, s d, t d", "dout x s", "dx ds dt", """
def scale_shift_backward(dout, x, s):
    dx = dout * s
    ds = np.sum(dout * x, axis=0)
    dt = np.sum(dout, axis=0)
    return (dx, ds, dt)
"""),
    "normalised": function("y = x / sqrt((x**2).sum(1, keepdim=True))", "dy n d, x n d", "dy x", "dx", """
def l2norm_backward(dy, x):
    norm = np.sqrt((x ** 2).sum(axis=1, keepdims=True))
    y = x / norm
    inner = (dy * y).sum(axis=1, keepdims=True)
    dx = (dy - y * inner) / norm
    return dx
"""),
}  # fmt: skip
CLASSES = {
    "Linear": layer("Linear", "d k", "x n d", """
class Linear:
    def __init__(self, n_in, n_out):
        rng = np.random.default_rng(0)
        self.W = rng.normal(size=(n_in, n_out))
        self.b = np.zeros(n_out)

    def forward(self, x):
        self.x = x
        return x @ self.W + self.b

    def backward(self, dout):
        self.dW = self.x.T @ dout
        self.db = dout.sum(axis=0)
        return dout @ self.W.T
"""),
    "Dense": layer("Dense", "d k", "x n d", """
class Dense:
    def __init__(self, n_in, n_out):
        self.params = {'weight': np.random.randn(n_out, n_in) * 0.5, 'bias': np.random.randn(n_out)}
        self.grads = {}

    def forward(self, x):
        self.cache = x
        return x.dot(self.params['weight'].T) + self.params['bias']

    def backward(self, grad_out):
        x = self.cache
        self.grads['weight'] = grad_out.T.dot(x)
        self.grads['bias'] = grad_out.sum(axis=0)
        return grad_out.dot(self.params['weight'])
"""),
    "Sigmoid": layer("Sigmoid", "", "x n d", """
class Sigmoid:
    def forward(self, x):
        self.out = 1 / (1 + np.exp(-x))
        return self.out

    def backward(self, dy):
        return dy * self.out * (1 - self.out)
"""),
    "LeakyReLU": layer("LeakyReLU", "", "x n d", """
class LeakyReLU:
    def __init__(self, slope=0.1):
        self.slope = slope

    def forward(self, x):
        self.mask = x > 0
        return np.where(self.mask, x, self.slope * x)

    def backward(self, grad):
        return np.where(self.mask, grad, self.slope * grad)
"""),
    "MLP": layer("MLP", "d h k", "x n d", """
class MLP:
    def __init__(self, d, h, k):
        self.W1 = np.random.randn(d, h)
        self.b1 = np.random.randn(h)
        self.W2 = np.random.randn(h, k)
        self.b2 = np.random.randn(k)
        self.grads = {}

    def forward(self, x):
        self.x = x
        self.h = np.tanh(x @ self.W1 + self.b1)
        return self.h @ self.W2 + self.b2

    def backward(self, dout):
        self.grads['W2'] = self.h.T @ dout
        self.grads['b2'] = np.sum(dout, axis=0)
        dh = dout @ self.W2.T
        dz = dh * (1 - self.h ** 2)
        self.grads['W1'] = self.x.T @ dz
        self.grads['b1'] = np.sum(dz, axis=0)
        return dz @ self.W1.T
"""),
    "MatMul": layer("MatMul", "", "a n d, b d k", """
class MatMul:
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a @ b

    @staticmethod
    def backward(ctx, grad_output):
        a, b = ctx.saved_tensors
        grad_a = grad_output @ b.T
        grad_b = a.T @ grad_output
        return grad_a, grad_b
"""),
    "LayerNorm": layer("LayerNorm", "d", "x n d", """
class LayerNorm:
    def __init__(self, d):
        self.gamma = np.random.randn(d)
        self.beta = np.zeros(d)

    def forward(self, x):
        self.mu = x.mean(axis=1, keepdims=True)
        self.std = np.sqrt(x.var(axis=1, keepdims=True) + 1e-05)
        self.xhat = (x - self.mu) / self.std
        return self.gamma * self.xhat + self.beta

    def backward(self, dout):
        self.dgamma = (dout * self.xhat).sum(axis=0)
        self.dbeta = dout.sum(axis=0)
        dxhat = dout * self.gamma
        mean1 = dxhat.mean(axis=1, keepdims=True)
        mean2 = (dxhat * self.xhat).mean(axis=1, keepdims=True)
        return (dxhat - mean1 - self.xhat * mean2) / self.std
"""),
    "Softmax": layer("Softmax", "", "z n k", """
class Softmax:
    def forward(self, z):
        e = np.exp(z - z.max(axis=-1, keepdims=True))
        self.p = e / e.sum(axis=-1, keepdims=True)
        return self.p

    def backward(self, g):
        s = (g * self.p).sum(axis=-1, keepdims=True)
        return self.p * (g - s)
"""),
}  # fmt: skip
