"""Snippets of the second class: accumulation, detach, in place, no_grad, retain_graph, shapes."""

from __future__ import annotations

import numpy as np

from tests.homework.klass.model import Asked, Draw, asked, hidden, script

LEAF = "torch.tensor({}, dtype=torch.float64, requires_grad=True)".format


def batches(draw: Draw) -> Asked:
    w, *x = draw.some(4, 0.4, 2.4)
    return Asked(
        "batches",
        script(
            f"w = {LEAF(w)}\nfor x in [{x[0]}, {x[1]}, {x[2]}]:\n    loss = (w**2 * x + w) / 3\n    loss.backward()"
        ),
        {"w": w, "a": x[0], "b": x[1], "c": x[2]},
        (
            asked("loss", lambda n: (n.w**2 * n.c + n.w) / 3, forward_slip__no_square=lambda n: (n.w * n.c + n.w) / 3,
                mean_n_or_forward_slip__forgotten=lambda n: n.w**2 * n.c + n.w,
                outside__all=lambda n: (n.w**2 * (n.a + n.b + n.c) + 3 * n.w) / 3),
            asked("w.grad", lambda n: (2 * n.w * (n.a + n.b + n.c) + 3) / 3,
                stale_grad__last=lambda n: (2 * n.w * n.c + 1) / 3, stale_grad__first=lambda n: (2 * n.w * n.a + 1) / 3,
                mean_n__forgotten=lambda n: 2 * n.w * (n.a + n.b + n.c) + 3,
                power_rule__dropped=lambda n: (n.w * (n.a + n.b + n.c) + 3) / 3,
                path_missed__w=lambda n: 2 * n.w * (n.a + n.b + n.c) / 3,
                sign__whole=lambda n: -(2 * n.w * (n.a + n.b + n.c) + 3) / 3,
                stale_grad__two=lambda n: (2 * n.w * (n.b + n.c) + 2) / 3,
                outside__ones=lambda n: (2 * n.w * (n.a + n.b + n.c) + 1.4) / 3),
        ),
    )  # fmt: skip


def cut(draw: Draw) -> Asked:
    w, x, c = draw.some(3, 0.6, 2.4)
    return Asked(
        "cut",
        script(f"w = {LEAF(w)}\nx = {LEAF(x)}\nh = w * x\nk = h.detach()\ny = h * k + {c} * w\ny.backward()"),
        {"w": w, "x": x, "c": c},
        (
            asked("y", lambda n: (n.w * n.x) ** 2 + n.c * n.w, forward_slip__no_w=lambda n: (n.w * n.x) ** 2,
                forward_slip__once=lambda n: n.w * n.x + n.c * n.w,
                forward_slip__minus=lambda n: (n.w * n.x) ** 2 - n.c * n.w),
            asked("w.grad", lambda n: n.x * n.w * n.x + n.c, detach__ignored=lambda n: 2 * n.w * n.x**2 + n.c,
                path_missed__c=lambda n: n.w * n.x**2, path_missed_or_detach__h=lambda n: 1 * n.c,
                product_own_factor__w=lambda n: n.w * n.w * n.x + n.c, sign__one=lambda n: n.w * n.x**2 - n.c,
                outside__x_cubed=lambda n: n.w * n.x**3 + n.c),
            asked("x.grad", lambda n: n.w * n.w * n.x, detach__ignored=lambda n: 2 * n.w**2 * n.x,
                swapped_variable__w=lambda n: 1 * n.w_grad, product_own_factor__x=lambda n: n.w * n.x * n.x,
                sign__whole=lambda n: -n.w**2 * n.x),
            asked("k.requires_grad", lambda n: False, word__yes=lambda n: True),
            asked("w.is_leaf", lambda n: True, word__no=lambda n: False),
        ),
    )  # fmt: skip


def in_place(draw: Draw) -> Asked:
    w, x, c = draw.some(3, 0.6, 2.4)
    return Asked(
        "inplace",
        script(f"w = {LEAF(w)}\na = w * 3.0\na.mul_({x})\na += w\ny = a**2 + {c}\ny.backward()"),
        {"w": w, "x": x, "c": c},
        (
            asked("a", lambda n: 3 * n.w * n.x + n.w, forward_slip__no_mul=lambda n: 3 * n.w + n.w,
                forward_slip__no_add=lambda n: 3 * n.w * n.x, forward_slip__untouched=lambda n: 3 * n.w),
            asked("w.grad", lambda n: 2 * n.a * (3 * n.x + 1), path_missed__add=lambda n: 2 * n.a * 3 * n.x,
                path_missed__mul=lambda n: 2 * n.a, power_rule__dropped=lambda n: n.a * (3 * n.x + 1),
                power_rule__kept=lambda n: 2 * n.a**2 * (3 * n.x + 1), inner_dropped__x=lambda n: 2 * n.a * 4,
                sign__whole=lambda n: -2 * n.a * (3 * n.x + 1), outside__c=lambda n: 2 * n.a * (3 * n.x + 1) + n.c,
                local_not_total__a=lambda n: 3 * n.x + 1),
            asked("a.is_leaf", lambda n: False, word__yes=lambda n: True),
        ),
    )  # fmt: skip


def update(draw: Draw) -> Asked:
    w, x, t = draw.some(3, 0.4, 1.5)
    return Asked(
        "update",
        script(
            f"w = {LEAF(w)}\nloss = (w * {x} - {t}) ** 2\nloss.backward()\n"
            "with torch.no_grad():\n    w -= 0.2 * w.grad\nw.grad.zero_()\n"
            f"loss = (w * {x} - {t}) ** 2\nloss.backward()"
        ),
        {"w": w, "x": x, "t": t},
        (
            hidden("g", lambda n: 2 * (n.w * n.x - n.t) * n.x),
            asked("w", lambda n: n.w - 0.2 * n.g, descent__plus=lambda n: n.w + 0.2 * n.g,
                descent__before=lambda n: 1 * n.w,
                outside__rate=lambda n: n.w - 0.33 * n.g),
            asked("w.grad", lambda n: 2 * (n.w * n.x - n.t) * n.x,
                stale_grad__kept=lambda n: 2 * (n.w * n.x - n.t) * n.x + n.g, descent__first=lambda n: 1 * n.g,
                inner_dropped__x=lambda n: 2 * (n.w * n.x - n.t),
                power_rule__dropped=lambda n: (n.w * n.x - n.t) * n.x,
                sign__whole=lambda n: -2 * (n.w * n.x - n.t) * n.x,
                outside__t=lambda n: 2 * (n.w * n.x - n.t) * n.t),
            asked("w.requires_grad", lambda n: True, word__no=lambda n: False),
        ),
    )  # fmt: skip


def retained(draw: Draw) -> Asked:
    a, b = draw.some(2, 0.6, 2.4)
    return Asked(
        "retained",
        script(f"a = {LEAF(a)}\nb = {LEAF(b)}\nm = a * b\nn = m + a**2\nn.backward(retain_graph=True)\nn.backward()"),
        {"a": a, "b": b},
        (
            asked("n", lambda v: v.a * v.b + v.a**2, forward_slip__minus=lambda v: v.a * v.b - v.a**2,
                forward_slip__no_square=lambda v: v.a * v.b + v.a),
            asked("a.grad", lambda v: 2 * (v.b + 2 * v.a), stale_grad__once=lambda v: v.b + 2 * v.a,
                path_missed__product=lambda v: 4 * v.a, path_missed__square=lambda v: 2 * v.b,
                power_rule__dropped=lambda v: 2 * (v.b + v.a), product_own_factor__a=lambda v: 2 * (v.a + 2 * v.a),
                outside__four=lambda v: 3.5 * (v.b + 2 * v.a)),
            asked("b.grad", lambda v: 2 * v.a, stale_grad__once=lambda v: 1 * v.a,
                swapped_variable__a=lambda v: 1 * v.a_grad, product_own_factor__b=lambda v: 2 * v.b,
                sign__whole=lambda v: -2 * v.a),
            asked("m.grad", lambda v: "None", word__number=lambda v: "2.0"),
            asked("m.grad_fn", lambda v: "MulBackward0", word__add=lambda v: "AddBackward0"),
        ),
    )  # fmt: skip


def spread(draw: Draw) -> Asked:
    W, b, x = draw.signed(2, 3, high=1.9), draw.signed(2, high=1.5), draw.signed(3, high=1.9)
    return Asked(
        "spread",
        script(
            f"W = {LEAF(W.tolist())}\nb = {LEAF(b.tolist())}\nx = torch.tensor({x.tolist()}, dtype=torch.float64)\n"
            "z = W @ x + b\ny = z.relu()\nL = (y**2).mean()\nL.backward()"
        ),
        {"W": W, "b": b, "x": x},
        (
            asked("z", lambda n: n.W @ n.x + n.b, forward_slip__no_b=lambda n: n.W @ n.x,
                forward_slip__minus=lambda n: n.W @ n.x - n.b, outside__sums=lambda n: n.W.sum(1) + n.b),
            asked("b.grad", lambda n: np.maximum(n.z, 0), forward_slip_or_another_question__no_relu=lambda n: 1 * n.z,
                mean_n__forgotten=lambda n: 2 * np.maximum(n.z, 0),
                power_rule_or_mean_n__dropped=lambda n: np.maximum(n.z, 0) / 2,
                sign__whole=lambda n: -np.maximum(n.z, 0), outside__third=lambda n: np.maximum(n.z, 0) / 3),
            asked("W.grad", lambda n: np.outer(n.b_grad, n.x), transpose__turned=lambda n: np.outer(n.x, n.b_grad),
                inner_dropped__x=lambda n: np.outer(n.b_grad, np.ones(3)),
                sign__whole=lambda n: -np.outer(n.b_grad, n.x),
                mean_n__forgotten=lambda n: 2 * np.outer(n.b_grad, n.x),
                outside__W=lambda n: n.b_grad[:, None] * n.W),
            asked("y.requires_grad", lambda n: True, word__no=lambda n: False),
        ),
    )  # fmt: skip
