"""Questions on PyTorch snippets: detach, retain_graph, shapes, epochs."""

from __future__ import annotations

import numpy as np

from tests.homework.klass.model import Asked, Draw, asked, hidden, script

LEAF = "torch.tensor({}, dtype=torch.float64, requires_grad=True)".format


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


def epochs(draw: Draw) -> Asked:
    w, b, x1, x2 = draw.some(4, 0.4, 1.4)
    lr = 0.2
    return Asked(
        "epochs",
        script(
            f"w = {LEAF(w)}\nb = {LEAF(b)}\nfor x in [{x1}, {x2}]:\n    y = torch.tanh(w * x + b)\n    y.backward()\n"
            f"with torch.no_grad():\n    w -= {lr} * w.grad\n    b -= {lr} * b.grad"
        ),
        {"w": w, "b": b, "x": x1, "u": x2},
        (
            hidden("s1", lambda n: 1 - np.tanh(n.w * n.x + n.b) ** 2),
            hidden("s2", lambda n: 1 - np.tanh(n.w * n.u + n.b) ** 2),
            asked("y", lambda n: np.tanh(n.w * n.u + n.b), forward_slip__no_b=lambda n: np.tanh(n.w * n.u),
                forward_slip__no_tanh=lambda n: n.w * n.u + n.b, outside__x=lambda n: np.tanh(n.w * n.u * n.x + n.b)),
            asked("w.grad", lambda n: n.s1 * n.x + n.s2 * n.u, stale_grad__last=lambda n: n.s2 * n.u,
                stale_grad__first=lambda n: n.s1 * n.x,
                inner_dropped_or_local_not_total__tanh=lambda n: n.x + n.u,
                sign__whole=lambda n: -n.s1 * n.x - n.s2 * n.u,
                product_own_factor__w=lambda n: (n.s1 + n.s2) * n.w,
                outside__crossed=lambda n: n.s1 * n.u + n.s2 * n.x,
                outside__mean=lambda n: (n.s1 * n.x + n.s2 * n.u) / 2.2),
            asked("b.grad", lambda n: n.s1 + n.s2, stale_grad__last=lambda n: 1 * n.s2,
                stale_grad__first=lambda n: 1 * n.s1,
                swapped_variable__w=lambda n: n.s1 * n.x + n.s2 * n.u, outside__b=lambda n: (n.s1 + n.s2) * n.b,
                outside__squares=lambda n: n.s1**2 + n.s2),
            asked("w", lambda n: n.w - lr * n.w_grad, descent__uphill=lambda n: n.w + lr * n.w_grad,
                descent__before=lambda n: 1 * n.w,
                outside__no_rate=lambda n: n.w - n.w_grad * 0.7, outside__b_for_w=lambda n: n.b - lr * n.w_grad),
        ),
    )  # fmt: skip
