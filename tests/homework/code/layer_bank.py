"""Backward passes of layers with NumPy, as courses have them; mistakes are made in them at random.

`python -m tests.homework.code.layer_bank` says how many are seen and named with their line.
"""

from __future__ import annotations

import ast
import sys
import time
from random import Random
from typing import Any

from gradcli.homework.code.cases import Code
from gradcli.homework.code.marking import CodeJudge
from tests.homework.code.mutants import mutants

AFFINE = ("y = x @ W + b",
          {"dout": ["n", "k"], "x": ["n", "d"], "W": ["d", "k"], "b": ["k"]},
          ("dout", "x", "W"), ("dx", "dW", "db"), """
import numpy as np

def f(dout, x, W):
    dx = dout @ W.T
    dW = x.T @ dout
    db = dout.sum(axis=0)
    return dx, dW, db
""")  # fmt: skip
MLP = ("h = relu(x @ W1 + b1)\ny = h @ W2 + b2",
          {"dout": ["n", "k"], "x": ["n", "d"], "W1": ["d", "h"], "b1": ["h"], "W2": ["h", "k"], "b2": ["k"]},
       ("dout", "x", "W1", "b1", "W2"), ("dx", "dW1", "db1", "dW2", "db2"), """
import numpy as np

def f(dout, x, W1, b1, W2):
    z = x.dot(W1) + b1
    h = np.maximum(z, 0)
    grads = {}
    grads["dW2"] = h.T.dot(dout)
    grads["db2"] = np.sum(dout, axis=0)
    dh = dout.dot(W2.T)
    dz = dh * (z > 0)
    grads["dW1"] = x.T.dot(dz)
    grads["db1"] = np.sum(dz, axis=0)
    grads["dx"] = dz.dot(W1.T)
    return grads
""")  # fmt: skip
SOFTMAX = ("p = softmax(z, 1)\nL = -(y * log(p)).sum() / z.shape[0]",
          {"z": ["n", "k"], "y": ["n", "k"]},
          ("z", "y"), ("dz",), """
import numpy as np

def f(z, y):
    e = np.exp(z - z.max(axis=1, keepdims=True))
    p = e / e.sum(axis=1, keepdims=True)
    n = z.shape[0]
    dz = (p * y.sum(axis=1, keepdims=True) - y) / n
    return dz
""")  # fmt: skip
LAYERNORM = ("m = x.mean(1, keepdim=True)\nv = ((x - m)**2).mean(1, keepdim=True)\n"
             "y = g * (x - m) / sqrt(v + 0.00001) + b",
             {"dout": ["n", "d"], "x": ["n", "d"], "g": ["d"], "b": ["d"]}, ("dout", "x", "g"), ("dx", "dg", "db"), """
import numpy as np

def f(dout, x, g):
    n, d = x.shape
    mu = x.mean(axis=1, keepdims=True)
    var = x.var(axis=1, keepdims=True)
    std = np.sqrt(var + 1e-5)
    xhat = (x - mu) / std
    dg = (dout * xhat).sum(axis=0)
    db = dout.sum(axis=0)
    dxhat = dout * g
    dx = (dxhat - dxhat.mean(axis=1, keepdims=True) - xhat * (dxhat * xhat).mean(axis=1, keepdims=True)) / std
    return dx, dg, db
""")  # fmt: skip
RNN = ("h = tanh(x @ Wx + hp @ Wh + b)",
          {"dout": ["n", "h"], "x": ["n", "d"], "hp": ["n", "h"], "Wx": ["d", "h"], "Wh": ["h", "h"], "b": ["h"]},
       ("dout", "x", "hp", "Wx", "Wh", "b"), ("dx", "dhp", "dWx", "dWh", "db"), """
import numpy as np

def f(dout, x, hp, Wx, Wh, b):
    h = np.tanh(x @ Wx + hp @ Wh + b)
    da = dout * (1 - h**2)
    dx = da @ Wx.T
    dhp = da @ Wh.T
    dWx = x.T @ da
    dWh = hp.T @ da
    db = da.sum(axis=0)
    return dx, dhp, dWx, dWh, db
""")  # fmt: skip
ATTENTION = ("s = q @ k.T / 2\na = softmax(s, 1)\ny = a @ v",
          {"dout": ["n", "e"], "q": ["n", "d"], "k": ["m", "d"], "v": ["m", "e"]},
             ("dout", "q", "k", "v"), ("dq", "dk", "dv"), """
import numpy as np

def softmax(s):
    e = np.exp(s - s.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)

def f(dout, q, k, v):
    a = softmax(q @ k.T / 2)
    dv = a.T @ dout
    da = dout @ v.T
    ds = a * (da - (da * a).sum(axis=1, keepdims=True))
    ds = ds / 2
    dq = ds @ k
    dk = ds.T @ q
    return dq, dk, dv
""")  # fmt: skip
LAYERS = {"affine": AFFINE, "mlp": MLP, "softmax": SOFTMAX, "layer norm": LAYERNORM, "rnn": RNN, "attention": ATTENTION}


def main() -> None:
    seed, count = int(sys.argv[1]), int(sys.argv[2])
    total = seen = named = 0
    times = []
    for name, (program, shapes, takes, returns, text) in LAYERS.items():
        upstream = "dout" if "dout" in takes else ""
        code: Any = Code(
            "f", is_engine=False, program=program, takes=takes, returns=returns, upstream=upstream, shapes=shapes
        )
        judge = CodeJudge(code, returns)
        print(name, [(q, one.remark) for q, one in judge.verdicts(text).items() if one.verdict != "correct"])
        for kind, mutant, line in mutants(text, Random(f"{seed} {name}"), count):
            start = time.process_time()
            off = {q: one for q, one in judge.verdicts(mutant).items() if one.verdict != "correct"}
            times.append(time.process_time() - start)
            total += 1
            seen += bool(off)
            lines = {one.node for verdict in off.values() for one in verdict.diagnoses[:1]}
            named += lines == {f"line {line}"}
            if lines != {f"line {line}"}:
                print(
                    "-" * 10,
                    name,
                    kind,
                    line,
                    ast.unparse(ast.parse(mutant)).splitlines()[line - 1].strip(),
                    "" if off else "NOT SEEN",
                )
                for q, one in list(off.items())[:1]:
                    print("     ", q, one.remark, [d.message for d in one.diagnoses])
    print(f"{total} changed, {seen} seen, {named} named; cpu mean {sum(times) / len(times):.2f} max {max(times):.2f}")


if __name__ == "__main__":
    main()
