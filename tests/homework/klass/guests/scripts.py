"""Snippets of the third class: momentum, accumulation, detach, no_grad, in place, a Jacobian product, shapes."""

from __future__ import annotations

import numpy as np

from tests.homework.klass.model import Asked, Draw, asked, hidden, script

LEAF = "torch.tensor({}, dtype=torch.float64, requires_grad=True)".format


def momentum(draw: Draw) -> Asked:
    w, t = draw.some(2, 0.6, 2.4)
    lr, mu = 0.1, 0.9
    return Asked(
        "momentum",
        script(
            f"w = {LEAF(w)}\nopt = torch.optim.SGD([w], lr={lr}, momentum={mu})\n"
            f"for _ in range(2):\n    opt.zero_grad()\n    loss = (w**2 - {t})**2\n    loss.backward()\n    opt.step()"
        ),
        {"w": w, "t": t},
        (
            hidden("g", lambda n: 4 * n.w * (n.w**2 - n.t)),
            hidden("w1", lambda n: n.w - lr * n.g),
            asked("loss", lambda n: (n.w1**2 - n.t) ** 2, descent__first=lambda n: (n.w**2 - n.t) ** 2,
                forward_slip__no_square=lambda n: n.w1**2 - n.t, outside__half=lambda n: (n.w1**2 - n.t) ** 2 / 1.6),
            asked("w.grad", lambda n: 4 * n.w1 * (n.w1**2 - n.t), descent__first=lambda n: 1 * n.g,
                stale_grad__both=lambda n: n.g + 4 * n.w1 * (n.w1**2 - n.t),
                inner_dropped__w=lambda n: 2 * (n.w1**2 - n.t), sign__whole=lambda n: -4 * n.w1 * (n.w1**2 - n.t),
                outside__three=lambda n: 3 * n.w1**2 * (n.w1**2 - n.t)),
            asked("w", lambda n: n.w1 - lr * (mu * n.g + n.w_grad), descent__one=lambda n: 1 * n.w1,
                descent__start=lambda n: 1 * n.w,
                descent__plain=lambda n: n.w1 - lr * n.w_grad,
                outside__sum=lambda n: n.w1 - lr * (n.g / 3 + n.w_grad)),
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


def places(draw: Draw) -> Asked:
    w, c = draw.signed(3, high=2.2), draw.some(1, 1.2, 2.4)[0]
    return Asked(
        "inplaces",
        script(
            f"w = torch.tensor({w.tolist()}, dtype=torch.float64, requires_grad=True)\nh = w * {c}\nh[0] = 0.0\n"
            "s = (h ** 2).sum()\ns.backward()"
        ),
        {"w": w, "c": c},
        (
            asked("s", lambda n: np.sum((n.w * n.c)[1:] ** 2), forward_slip__all=lambda n: np.sum((n.w * n.c) ** 2),
                forward_slip__no_square=lambda n: np.sum((n.w * n.c)[1:]),
                outside__last=lambda n: np.sum((n.w * n.c)[:2] ** 2)),
            asked("w.grad", lambda n: np.array([0, *(2 * n.w * n.c**2)[1:]]),
                inner_dropped__c=lambda n: np.array([0, *(2 * n.w * n.c)[1:]]),
                power_rule__dropped=lambda n: np.array([0, *(n.w * n.c**2)[1:]]),
                sign__whole=lambda n: np.array([0, *(-2 * n.w * n.c**2)[1:]]),
                outside__last=lambda n: np.array([*(2 * n.w * n.c**2)[:2], 0]),
                outside__cubed=lambda n: np.array([0, *(2 * n.w * n.c**3)[1:]])),
            asked("h.is_leaf", lambda n: False, word__yes=lambda n: True),
        ),
    )  # fmt: skip


def products(draw: Draw) -> Asked:
    x, v = draw.signed(3, high=1.8), draw.signed(3, high=1.8)
    return Asked(
        "vjp",
        script(
            f"x = torch.tensor({x.tolist()}, dtype=torch.float64, requires_grad=True)\n"
            f"y = torch.exp(x) * x\ny.backward(torch.tensor({v.tolist()}, dtype=torch.float64))"
        ),
        {"x": x, "v": v},
        (
            asked("y", lambda n: np.exp(n.x) * n.x, outside__minus=lambda n: np.exp(-n.x) * n.x * 1.5,
                forward_slip__sum=lambda n: np.exp(n.x) + n.x),
            asked("x.grad", lambda n: n.v * np.exp(n.x) * (n.x + 1), path_missed__x=lambda n: n.v * np.exp(n.x),
                path_missed__exp=lambda n: n.v * np.exp(n.x) * n.x, sign__one=lambda n: n.v * np.exp(n.x) * (n.x - 1),
                outside__summed=lambda n: np.sum(n.v) * np.exp(n.x) * (n.x + 1),
                outside__squared=lambda n: n.v**2 * np.exp(n.x) * (n.x + 1)),
        ),
    )  # fmt: skip
