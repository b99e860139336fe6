"""Questions on PyTorch snippets: accumulation, detach, retain_graph, epochs, a module, shapes."""

from __future__ import annotations

import numpy as np

from tests.homework.klass.model import Asked, Draw, asked, hidden, script

LEAF = "torch.tensor({}, dtype=torch.float64, requires_grad=True)".format


def module(draw: Draw) -> Asked:
    X, W, Y = draw.signed(2, 2, high=2.2), draw.signed(2, 2, high=1.9), draw.signed(2, 2, high=1.9)
    b = draw.signed(2, high=0.9)
    leaf = ", dtype=torch.float64)"
    return Asked(
        "module",
        script(
            "import torch.nn.functional as F\n"
            f"X = torch.tensor({X.tolist()}{leaf}\nY = torch.tensor({Y.tolist()}{leaf}\n"
            f"W = {LEAF(W.tolist())}\nb = {LEAF(b.tolist())}\n"
            "h = F.linear(X, W, b)\nh.retain_grad()\nloss = F.mse_loss(torch.relu(h), Y)\nloss.backward()"
        ),
        {"X": X, "W": W, "Y": Y, "b": b},
        (
            asked("h", lambda n: n.X @ n.W.T + n.b, transpose__left_out=lambda n: n.X @ n.W + n.b,
                forward_slip__no_bias=lambda n: n.X @ n.W.T, outside__columns=lambda n: n.X @ n.W.T + n.b[:, None]),
            asked("loss", lambda n: np.mean((np.maximum(n.h, 0) - n.Y) ** 2),
                mean_n__forgotten=lambda n: np.sum((np.maximum(n.h, 0) - n.Y) ** 2),
                forward_slip__no_relu=lambda n: np.mean((n.h - n.Y) ** 2),
                batch_n__rows=lambda n: np.sum((np.maximum(n.h, 0) - n.Y) ** 2) / 2,
                forward_slip__no_square=lambda n: np.mean(np.maximum(n.h, 0) - n.Y)),
            asked("h.grad", lambda n: (np.maximum(n.h, 0) - n.Y) / 2 * (n.h > 0),
                mean_n__forgotten=lambda n: 2 * (np.maximum(n.h, 0) - n.Y) * (n.h > 0),
                batch_n__rows=lambda n: (np.maximum(n.h, 0) - n.Y) * (n.h > 0),
                power_rule__dropped=lambda n: (np.maximum(n.h, 0) - n.Y) / 4 * (n.h > 0),
                relu_gate__open=lambda n: (np.maximum(n.h, 0) - n.Y) / 2,
                sign__whole=lambda n: -(np.maximum(n.h, 0) - n.Y) / 2 * (n.h > 0),
            ),
            asked("W.grad", lambda n: n.h_grad.T @ n.X,
                transpose__whole=lambda n: n.X.T @ n.h_grad,
                transpose__left_out=lambda n: n.h_grad @ n.X,
                sign__whole=lambda n: -n.h_grad.T @ n.X,
                result_for_input__h=lambda n: n.h_grad.T @ n.h,
                outside__weights=lambda n: n.h_grad.T @ n.X @ n.W,
            ),
            asked("b.grad", lambda n: np.sum(n.h_grad, 0),
                broadcast_unsummed__none=lambda n: n.h_grad,
                broadcast_unsummed__mean=lambda n: np.mean(n.h_grad, 0),
                broadcast_unsummed__axis=lambda n: np.sum(n.h_grad, 1),
                outside__weighted=lambda n: np.sum(n.h_grad * n.b, 0),
            ),
        ),
    )  # fmt: skip


def weighted(draw: Draw) -> Asked:
    x, v = draw.signed(3, high=2.2), draw.signed(3, high=1.9)
    k = draw.some(1)[0]
    return Asked(
        "weighted",
        script(
            f"x = {LEAF(x.tolist())}\nv = torch.tensor({v.tolist()}, dtype=torch.float64)\n"
            f"y = x**2 + {k} * x\ny.backward(v)\nm = y.detach().max()"
        ),
        {"x": x, "v": v, "k": k},
        (
            asked("y", lambda n: n.x**2 + n.k * n.x, forward_slip__minus=lambda n: n.x**2 - n.k * n.x,
                forward_slip__no_square=lambda n: n.x + n.k * n.x, outside__bracket=lambda n: (n.x + n.k) ** 2),
            asked("x.grad", lambda n: n.v * (2 * n.x + n.k),
                local_not_total__no_v=lambda n: 2 * n.x + n.k,
                power_rule__dropped=lambda n: n.v * (n.x + n.k),
                path_missed__linear=lambda n: n.v * 2 * n.x,
                path_missed__square=lambda n: n.v * n.k,
                sign__one=lambda n: n.v * (2 * n.x - n.k),
                not_a_gradient__y=lambda n: n.y,
                outside__summed=lambda n: np.sum(n.v) * (2 * n.x + n.k),
            ),
            asked("m.requires_grad", lambda n: False, word__yes=lambda n: True),
        ),
    )  # fmt: skip


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


def twice(draw: Draw) -> Asked:
    a, b, c = draw.some(3, 0.6, 2.6)
    return Asked(
        "passes",
        script(
            f"a = {LEAF(a)}\nb = {LEAF(b)}\np = a * b\np.backward(retain_graph=True)\n"
            f"q = p * {c} + a\nq.backward()"
        ),
        {"a": a, "b": b, "c": c},
        (
            asked("q", lambda n: n.a * n.b * n.c + n.a, forward_slip__no_a=lambda n: n.a * n.b * n.c,
                forward_slip__minus=lambda n: n.a * n.b * n.c - n.a,
                outside__extra=lambda n: n.a * n.b * n.c + n.a + n.b),
            asked("a.grad", lambda n: n.b + n.b * n.c + 1, stale_grad__last=lambda n: n.b * n.c + 1,
                stale_grad__first=lambda n: 1 * n.b,
                path_missed__one=lambda n: n.b + n.b * n.c, chain_added__product=lambda n: n.b * (n.b * n.c + 1),
                outside__c=lambda n: n.b + n.b * n.c**2 + 1),
            asked("b.grad", lambda n: n.a + n.a * n.c, stale_grad__last=lambda n: n.a * n.c,
                stale_grad__first=lambda n: 1 * n.a,
                swapped_variable__a=lambda n: n.b + n.b * n.c + 1, sign__one=lambda n: n.a - n.a * n.c,
                outside__c=lambda n: n.a + n.c),
            asked("p.requires_grad", lambda n: True, word__no=lambda n: False),
        ),
    )  # fmt: skip


def frozen(draw: Draw) -> Asked:
    w, v, x = draw.some(3, 0.6, 2.4)
    return Asked(
        "frozen",
        script(
            f"w = {LEAF(w)}\nv = {LEAF(v)}\nh = w * {x}\nwith torch.no_grad():\n    k = h * v\n"
            "y = h * k + v * h\nz = y.detach() * w + y\nz.backward()"
        ),
        {"w": w, "v": v, "x": x},
        (
            hidden("h", lambda n: n.w * n.x),
            asked("y", lambda n: n.h**2 * n.v + n.v * n.h, forward_slip__minus=lambda n: n.h**2 * n.v - n.v * n.h,
                outside__cut=lambda n: n.h * n.v + 2 * n.v),
            asked("v.grad", lambda n: 1 * n.h, detach__no_grad_ignored=lambda n: n.h + n.h**2,
                outside__w=lambda n: n.h * n.v, swapped_variable__w=lambda n: n.h * n.x * n.v + n.v * n.x + n.y,
                sign__whole=lambda n: -n.h),
            asked("w.grad", lambda n: n.h * n.v * n.x + n.v * n.x + n.y,
                detach__no_grad_ignored=lambda n: 2 * n.h * n.v * n.x + n.v * n.x + n.y,
                path_missed__w=lambda n: n.h * n.v * n.x + n.v * n.x,
                path_missed_or_inner_dropped_or_detach__y=lambda n: 1 * n.y,
                detach__detach_ignored=lambda n: (1 + n.w) * (n.h * n.v * n.x + n.v * n.x) + n.y,
                outside__x=lambda n: n.h * n.v + n.v + n.y * n.x,
                outside__sign_and_factor=lambda n: 2.5 * n.h * n.v * n.x - n.v * n.x + n.y),
            asked("k.requires_grad", lambda n: False, word__yes=lambda n: True),
            asked("y.is_leaf", lambda n: False, word__yes=lambda n: True),
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
