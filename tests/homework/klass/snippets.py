"""Questions on PyTorch snippets: accumulation, detach, no_grad, autograd.grad, dictionaries of leaves."""

from __future__ import annotations

from tests.homework.klass.model import Asked, Draw, asked, script


def accumulation(draw: Draw) -> Asked:
    w, x, y, p, q = draw.some(5, 0.4, 2.6)
    return Asked(
        "accumulation",
        script(
            f"w = torch.tensor({w}, dtype=torch.float64, requires_grad=True)\n"
            f"for x, y in [({x}, {y}), ({p}, {q})]:\n    loss = (w * x - y) ** 2\n    loss.backward()"
        ),
        {"w": w, "x": x, "y": y, "p": p, "q": q},
        (
            asked("loss", lambda v: (v.w * v.p - v.q) ** 2,
                forward_slip__plus=lambda v: (v.w * v.p + v.q) ** 2,
                forward_slip__no_square=lambda v: v.w * v.p - v.q,
                outside__both=lambda v: (v.w * v.p - v.q) ** 2 + (v.w * v.x - v.y) ** 2,
            ),
            asked("w.grad", lambda v: 2 * (v.w * v.x - v.y) * v.x + 2 * (v.w * v.p - v.q) * v.p,
                stale_grad__last=lambda v: 2 * (v.w * v.p - v.q) * v.p,
                stale_grad__first=lambda v: 2 * (v.w * v.x - v.y) * v.x,
                power_rule__dropped=lambda v: 2 * (v.w * v.x - v.y) * v.x + (v.w * v.p - v.q) * v.p,
                inner_dropped__x=lambda v: 2 * (v.w * v.x - v.y) * v.x + 2 * (v.w * v.p - v.q),
                sign__whole=lambda v: -2 * (v.w * v.x - v.y) * v.x - 2 * (v.w * v.p - v.q) * v.p,
                outside__residuals=lambda v: 2 * (v.w * v.x - v.y) * v.p + 2 * (v.w * v.p - v.q) * v.x,
            ),
        ),
    )  # fmt: skip


def detached(draw: Draw) -> Asked:
    a, b, c = draw.some(3, 1.1)
    return Asked(
        "detached",
        script(
            f"a = torch.tensor({a}, dtype=torch.float64, requires_grad=True)\n"
            f"b = torch.tensor({b}, dtype=torch.float64, requires_grad=True)\n"
            f"c = a * b\nd = c.detach() * a + {c} * c**2\nd.backward()"
        ),
        {"a": a, "b": b, "k": c},
        (
            asked("d", lambda v: v.a * v.b * v.a + v.k * (v.a * v.b) ** 2,
                forward_slip__no_square=lambda v: v.a * v.b * v.a + v.k * v.a * v.b,
                detach__zero=lambda v: v.k * (v.a * v.b) ** 2,
            ),
            asked("a.grad", lambda v: v.a * v.b + v.k * 2 * v.a * v.b * v.b,
                detach__ignored=lambda v: 2 * v.a * v.b + v.k * 2 * v.a * v.b * v.b,
                detach__of_both=lambda v: v.a * v.b,
                path_missed__direct=lambda v: v.k * 2 * v.a * v.b * v.b,
                power_rule__dropped=lambda v: v.a * v.b + v.k * v.a * v.b * v.b,
                product_own_factor__a=lambda v: v.a * v.b + v.k * 2 * v.a * v.b * v.a,
                outside__half=lambda v: v.a * v.b / 2 + v.k * v.a * v.b * v.b,
            ),
            asked("b.grad", lambda v: v.k * 2 * v.a * v.b * v.a,
                detach__ignored=lambda v: v.a * v.a + v.k * 2 * v.a * v.b * v.a,
                swapped_variable__a=lambda v: v.a_grad,
                power_rule__dropped=lambda v: v.k * v.a * v.b * v.a,
            ),
            asked("c.requires_grad", lambda v: True, word__no=lambda v: False),
        ),
    )  # fmt: skip


def without_grad(draw: Draw) -> Asked:
    x, y, k = draw.some(3, 1.1)
    return Asked(
        "without",
        script(
            f"x = torch.tensor({x}, dtype=torch.float64, requires_grad=True)\n"
            f"y = torch.tensor({y}, dtype=torch.float64, requires_grad=True)\n"
            f"u = x * y\nwith torch.no_grad():\n    s = x**2 + {k}\nz = u * s + y**3\nz.backward()"
        ),
        {"x": x, "y": y, "k": k},
        (
            asked("s.requires_grad", lambda v: False, word__yes=lambda v: True),
            asked("x.grad", lambda v: v.y * (v.x**2 + v.k),
                detach__ignored=lambda v: v.y * (v.x**2 + v.k) + v.x * v.y * 2 * v.x,
                local_not_total__u=lambda v: v.y,
                outside__the_other_part=lambda v: v.x * v.y * 2 * v.x,
                outside__s_alone=lambda v: v.y * v.x**2,
            ),
            asked("y.grad", lambda v: v.x * (v.x**2 + v.k) + 3 * v.y**2,
                path_missed__cube=lambda v: v.x * (v.x**2 + v.k),
                power_rule__dropped=lambda v: v.x * (v.x**2 + v.k) + v.y**2,
                power_rule__kept=lambda v: v.x * (v.x**2 + v.k) + 3 * v.y**3,
                swapped_variable__x=lambda v: v.x_grad,
            ),
        ),
    )  # fmt: skip


def functional(draw: Draw) -> Asked:
    a, b, k = draw.some(3, 1.1)
    return Asked(
        "functional",
        script(
            f"p = dict(a=torch.tensor({a}, dtype=torch.float64, requires_grad=True),\n"
            f"         b=torch.tensor({b}, dtype=torch.float64, requires_grad=True))\n"
            f"f = p['a'] ** 3 + {k} * p['a'] * p['b']\n"
            "ga, gb = torch.autograd.grad(f, [p['a'], p['b']], retain_graph=True)\nf.backward()"
        ),
        {"a": a, "b": b, "k": k},
        (
            asked("f", lambda v: v.a**3 + v.k * v.a * v.b,
                forward_slip__minus=lambda v: v.a**3 - v.k * v.a * v.b),
            asked("ga", lambda v: 3 * v.a**2 + v.k * v.b,
                power_rule__dropped=lambda v: v.a**2 + v.k * v.b,
                path_missed__product=lambda v: 3 * v.a**2,
                product_own_factor__a=lambda v: 3 * v.a**2 + v.k * v.a,
                sign__one=lambda v: 3 * v.a**2 - v.k * v.b,
                outside__squared=lambda v: 3 * v.a**2 + v.k**2 * v.b,
            ),
            asked("p['b'].grad", lambda v: v.k * v.a,
                swapped_variable__a=lambda v: v.ga,
                product_own_factor__b=lambda v: v.k * v.b,
                forward_slip__no_factor=lambda v: v.a,
                stale_grad__twice=lambda v: 2 * v.k * v.a,
            ),
        ),
    )  # fmt: skip
