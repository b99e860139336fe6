"""Questions on PyTorch snippets that take steps: optimizers, updates by hand, two backward passes, modules."""

from __future__ import annotations

import numpy as np

from tests.homework.klass.model import Asked, Draw, asked, hidden, script

LEAF = "torch.tensor({}, dtype=torch.float64, requires_grad=True)".format


def descent(draw: Draw) -> Asked:
    w, x, y, b = draw.some(4, 0.4, 2.2)
    lr = 0.1
    return Asked(
        "descent",
        script(
            f"w = {LEAF(w)}\nb = {LEAF(b)}\nopt = torch.optim.SGD([w, b], lr={lr})\n"
            f"for _ in range(2):\n    opt.zero_grad()\n    loss = (w * {x} + b - {y}) ** 2\n"
            "    loss.backward()\n    opt.step()"
        ),
        {"w": w, "x": x, "y": y, "c": b},
        (
            hidden("r", lambda n: n.w * n.x + n.c - n.y),
            hidden("g", lambda n: 2 * n.r * n.x),
            hidden("w1", lambda n: n.w - lr * n.g),
            hidden("c1", lambda n: n.c - lr * 2 * n.r),
            hidden("r1", lambda n: n.w1 * n.x + n.c1 - n.y),
            asked("loss", lambda n: n.r1**2, descent__first=lambda n: n.r**2,
                descent__uphill=lambda n: ((n.w + lr * n.g) * n.x + n.c + lr * 2 * n.r - n.y) ** 2,
                forward_slip__no_square=lambda n: n.r1, forward_slip__minus=lambda n: (n.w1 * n.x - n.c1 - n.y) ** 2,
                outside__third=lambda n: (n.r1 * 0.7) ** 2),
            asked("w.grad", lambda n: 2 * n.r1 * n.x,
                stale_grad__not_zeroed=lambda n: n.g + 2 * n.r1 * n.x,
                descent__first=lambda n: n.g,
                power_rule__dropped=lambda n: n.r1 * n.x,
                inner_dropped__x=lambda n: 2 * n.r1,
                sign__whole=lambda n: -2 * n.r1 * n.x,
                outside__y=lambda n: 2 * n.r1 * n.y,
            ),
            asked("b.grad", lambda n: 2 * n.r1, swapped_variable__w=lambda n: n.w_grad,
                descent__first=lambda n: 2 * n.r, stale_grad__not_zeroed=lambda n: 2 * n.r + 2 * n.r1,
                power_rule__dropped=lambda n: n.r1),
            asked("w", lambda n: n.w1 - lr * n.w_grad,
                descent__one_step=lambda n: n.w1,
                descent__before=lambda n: n.w,
                outside__rate_forgotten=lambda n: n.w1 - n.w_grad,
            ),
        ),
    )  # fmt: skip


def by_hand(draw: Draw) -> Asked:
    w, x, t = draw.some(3, 0.4, 1.6)
    lr = 0.05
    return Asked(
        "byhand",
        script(
            f"w = {LEAF(w)}\nfor x, t in [({x}, {t}), ({t}, {x})]:\n    loss = (x * w**2 - t) ** 2\n"
            f"    loss.backward()\n    with torch.no_grad():\n        w -= {lr} * w.grad"
        ),
        {"w": w, "x": x, "t": t},
        (
            hidden("g", lambda n: 2 * (n.x * n.w**2 - n.t) * 2 * n.x * n.w),
            hidden("w1", lambda n: n.w - lr * n.g),
            asked("loss", lambda n: (n.t * n.w1**2 - n.x) ** 2, descent__old_w=lambda n: (n.t * n.w**2 - n.x) ** 2,
                descent__first=lambda n: (n.x * n.w**2 - n.t) ** 2,
                forward_slip__no_square=lambda n: n.t * n.w1**2 - n.x),
            hidden("h", lambda n: 2 * (n.t * n.w1**2 - n.x) * 2 * n.t * n.w1),
            asked("w.grad", lambda n: n.g + n.h,
                stale_grad__zeroed=lambda n: n.h,
                stale_grad__first=lambda n: n.g,
                descent__old_w=lambda n: n.g + 2 * (n.t * n.w**2 - n.x) * 2 * n.t * n.w,
                power_rule__dropped=lambda n: (n.g + n.h) / 2,
                sign__whole=lambda n: -n.g - n.h,
                outside__difference=lambda n: 1.3 * n.g + n.h,
            ),
            asked("w", lambda n: n.w1 - lr * n.w_grad,
                stale_grad__zeroed=lambda n: n.w1 - lr * n.h,
                descent__one_step=lambda n: n.w1,
                outside__rate_twice=lambda n: n.w1 - 1.7 * lr * n.w_grad,
            ),
        ),
    )  # fmt: skip


def twice(draw: Draw) -> Asked:
    x, y, k = draw.some(3, 0.6, 2.4)
    return Asked(
        "twice",
        script(
            f"x = {LEAF(x)}\ny = {LEAF(y)}\nu = x**2 * y\nv = u + {k} * x\n"
            "v.backward(retain_graph=True)\nu.backward()"
        ),
        {"x": x, "y": y, "k": k},
        (
            asked("v", lambda n: n.x**2 * n.y + n.k * n.x, forward_slip__no_square=lambda n: n.x * n.y + n.k * n.x,
                forward_slip__minus=lambda n: n.x**2 * n.y - n.k * n.x),
            asked("x.grad", lambda n: 4 * n.x * n.y + n.k,
                stale_grad__last=lambda n: 2 * n.x * n.y,
                stale_grad__first=lambda n: 2 * n.x * n.y + n.k,
                power_rule__dropped=lambda n: 2 * n.x * n.y + n.k + n.x * n.y,
                outside__k_twice=lambda n: 4 * n.x * n.y + 2 * n.k * n.x,
            ),
            asked("y.grad", lambda n: 2 * n.x**2,
                stale_grad__once=lambda n: n.x**2,
                swapped_variable__x=lambda n: n.x_grad,
                product_own_factor__y=lambda n: 2 * n.y,
                outside__cubed=lambda n: 2 * n.x**3,
            ),
        ),
    )  # fmt: skip


def higher(draw: Draw) -> Asked:
    x, k = draw.some(2, 0.6, 1.9)
    return Asked(
        "higher",
        script(
            f"x = {LEAF(x)}\ny = x**3 + {k} * x**2\ng, = torch.autograd.grad(y, x, create_graph=True)\n"
            "p = g**2 / 2\np.backward()"
        ),
        {"x": x, "k": k},
        (
            asked("g", lambda n: 3 * n.x**2 + 2 * n.k * n.x,
                power_rule__kept=lambda n: 3 * n.x**3 + 2 * n.k * n.x,
                power_rule__dropped=lambda n: n.x**2 + 2 * n.k * n.x,
                path_missed__square=lambda n: 3 * n.x**2,
                sign__one=lambda n: 3 * n.x**2 - 2 * n.k * n.x,
                not_a_gradient__y=lambda n: n.x**3 + n.k * n.x**2,
                inner_dropped__k=lambda n: 3 * n.x**2 + 2 * n.x,
            ),
            asked("p", lambda n: n.g**2 / 2, forward_slip__no_square=lambda n: n.g / 2,
                forward_slip__no_half=lambda n: n.g**2),
            asked("x.grad", lambda n: n.g * (6 * n.x + 2 * n.k),
                inner_dropped__second=lambda n: n.g,
                local_not_total__second=lambda n: 6 * n.x + 2 * n.k,
                power_rule__dropped=lambda n: n.g * (3 * n.x + 2 * n.k),
                path_missed__k=lambda n: n.g * 6 * n.x,
                outside__sum=lambda n: 1.2 * n.g + 6 * n.x + 2 * n.k,
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
