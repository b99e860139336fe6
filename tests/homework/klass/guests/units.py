"""Scalar questions of the third class: a density, a recurrence, a binary classifier, kinks."""

from __future__ import annotations

from math import exp, log, pi, sqrt, tanh

import numpy as np

from tests.homework.klass.model import Asked, Draw, asked, program


def sig(z: float) -> float:
    return 1 / (1 + exp(-z))


def gaussian(draw: Draw) -> Asked:
    x, mu, s = draw.some(3, 0.7, 2.2)
    return Asked(
        "density",
        program("d = x - mu\nq = d/s\ne = q**2\nl = e/2 + log(s)", x=x, mu=mu, s=s),
        {"x": x, "mu": mu, "s": s},
        (
            asked("q", lambda n: (n.x - n.mu) / n.s, sign_or_forward_slip__turned=lambda n: (n.mu - n.x) / n.s,
                forward_slip__plus=lambda n: (n.x + n.mu) / n.s, forward_slip__times=lambda n: (n.x - n.mu) * n.s,
                forward_slip__turned_quotient=lambda n: n.s / (n.x - n.mu),
                outside__squared=lambda n: (n.x - n.mu) / n.s**2, outside__root=lambda n: (n.x - n.mu) / sqrt(n.s)),
            asked("l", lambda n: n.q**2 / 2 + log(n.s), forward_slip__no_log=lambda n: n.q**2 / 2,
                forward_slip__no_half=lambda n: n.q**2 + log(n.s),
                forward_slip__no_square=lambda n: n.q / 2 + log(n.s),
                forward_slip__minus=lambda n: n.q**2 / 2 - log(n.s),
                outside__pi=lambda n: n.q**2 / 2 + log(n.s) + log(2 * pi) / 2,
                outside__decimal_logarithm=lambda n: n.q**2 / 2 + log(n.s) / log(10)),
            asked("dl/dq", lambda n: 1 * n.q, power_rule_or_mean_n_or_local_not_total__twice=lambda n: 2 * n.q,
                power_rule__half=lambda n: n.q / 2,
                not_a_gradient_or_power_rule__square=lambda n: n.q**2, sign__whole=lambda n: -n.q,
                outside__third=lambda n: n.q**3 / 3),
            asked("dl/dx", lambda n: n.l_q / n.s, inner_dropped__s=lambda n: 1 * n.l_q,
                sign__whole=lambda n: -n.l_q / n.s,
                outside__squared=lambda n: -n.l_q / n.s**2, outside__s=lambda n: n.l_q * n.s**2,
                local_not_total__s=lambda n: 1 / n.s, outside__root=lambda n: n.l_q / sqrt(n.s)),
            asked("dl/dmu", lambda n: -n.l_x, sign__lost=lambda n: 1 * n.l_x,
                inner_dropped__s=lambda n: -n.l_q,
                outside__mu=lambda n: -n.l_q * n.mu / 3),
            asked("dl/ds", lambda n: -n.l_q * (n.x - n.mu) / n.s**2 + 1 / n.s,
                path_missed__log=lambda n: -n.l_q * (n.x - n.mu) / n.s**2, path_missed__q=lambda n: 1 / n.s,
                sign__first=lambda n: n.l_q * (n.x - n.mu) / n.s**2 + 1 / n.s,
                sign__log=lambda n: -n.l_q * (n.x - n.mu) / n.s**2 - 1 / n.s,
                quotient__not_squared=lambda n: -n.l_q * (n.x - n.mu) / n.s + 1 / n.s,
                outside__cubed=lambda n: -n.l_q * (n.x - n.mu) / n.s**3 + 1 / n.s,
                outside__log=lambda n: -n.l_q * (n.x - n.mu) / n.s**2 + log(n.s)),
        ),
    )  # fmt: skip


def recurrence(draw: Draw) -> Asked:
    w, u, a, b = draw.some(4, 0.3, 1.3)
    return Asked(
        "recurrence",
        program("h1 = tanh(u*a)\nh2 = tanh(w*h1 + u*b)\nL = h2**2", w=w, u=u, a=a, b=b),
        {"w": w, "u": u, "a": a, "b": b},
        (
            asked("h1", lambda n: tanh(n.u * n.a), forward_slip__no_tanh=lambda n: n.u * n.a,
                forward_slip__sigmoid=lambda n: sig(n.u * n.a), outside__double=lambda n: tanh(2.4 * n.u * n.a)),
            asked("h2", lambda n: tanh(n.w * n.h1 + n.u * n.b), forward_slip__no_input=lambda n: tanh(n.w * n.h1),
                forward_slip__no_memory=lambda n: tanh(n.u * n.b),
                forward_slip__minus=lambda n: tanh(n.w * n.h1 - n.u * n.b),
                outside__other=lambda n: tanh(n.w * n.h1 + n.u * n.a * 0.8)),
            asked("dL/dh2", lambda n: 2 * n.h2, power_rule__dropped=lambda n: 1 * n.h2,
                power_rule__kept=lambda n: 2 * n.h2**2,
                not_a_gradient__L=lambda n: n.h2**2, outside__tanh=lambda n: tanh(2 * n.h2)),
            asked("dL/dh1", lambda n: n.L_h2 * (1 - n.h2**2) * n.w, inner_dropped__tanh=lambda n: n.L_h2 * n.w,
                inner_dropped__w=lambda n: n.L_h2 * (1 - n.h2**2),
                product_own_factor__h=lambda n: n.L_h2 * (1 - n.h2**2) * n.h1,
                pre_post_activation__z=lambda n: n.L_h2 * (1 - (n.w * n.h1 + n.u * n.b) ** 2) * n.w,
                activation_rule__sigmoid=lambda n: n.L_h2 * n.h2 * (1 - n.h2) * n.w,
                pre_post_activation__not_squared=lambda n: n.L_h2 * (1 - n.h2) * n.w,
                sign__inside=lambda n: n.L_h2 * (1 + n.h2**2) * n.w,
                outside__cube=lambda n: n.L_h2 * (1 - n.h2**3) * n.w,
                outside__other_time=lambda n: n.L_h2 * (1 - n.h1**2) * n.w * n.h2),
            asked("dL/dw", lambda n: n.L_h2 * (1 - n.h2**2) * n.h1, inner_dropped__tanh=lambda n: n.L_h2 * n.h1,
                product_own_factor__w=lambda n: n.L_h2 * (1 - n.h2**2) * n.w,
                sign__whole=lambda n: -n.L_h2 * (1 - n.h2**2) * n.h1,
                activation_rule__sigmoid=lambda n: n.L_h2 * n.h2 * (1 - n.h2) * n.h1,
                outside__h2=lambda n: n.L_h2 * (1 - n.h2**2) * n.h1**3),
            asked("dL/du", lambda n: n.L_h2 * (1 - n.h2**2) * n.b + n.L_h1 * (1 - n.h1**2) * n.a,
                path_missed__first=lambda n: n.L_h2 * (1 - n.h2**2) * n.b,
                path_missed__second=lambda n: n.L_h1 * (1 - n.h1**2) * n.a,
                inner_dropped__tanh=lambda n: n.L_h2 * (1 - n.h2**2) * n.b + n.L_h1 * n.a,
                sign__first=lambda n: n.L_h2 * (1 - n.h2**2) * n.b - n.L_h1 * (1 - n.h1**2) * n.a,
                outside__wrong_input=lambda n: n.L_h2 * (1 - n.h2**2) * n.a + n.L_h1 * (1 - n.h1**2) * n.b,
                outside__halves=lambda n: 0.4 * n.L_h2 * (1 - n.h2**2) * n.b + n.L_h1 * (1 - n.h1**2) * n.a),
        ),
    )  # fmt: skip


def binary(draw: Draw) -> Asked:
    w, x, b = draw.some(3, 0.4, 1.7)
    y = float(draw.random.choice([0.0, 1.0]))
    return Asked(
        "binary",
        program("z = w*x - b\np = sigmoid(z)\nL = -(y*log(p) + (1 - y)*log(1 - p))", w=w, x=x, b=b, y=y),
        {"w": w, "x": x, "b": b, "y": y},
        (
            asked("p", lambda n: sig(n.w * n.x - n.b), forward_slip__no_b=lambda n: sig(n.w * n.x),
                forward_slip__plus=lambda n: sig(n.w * n.x + n.b), forward_slip__tanh=lambda n: tanh(n.w * n.x - n.b),
                outside__two=lambda n: 1 / (2 + exp(-(n.w * n.x - n.b)))),
            asked("L", lambda n: -log(n.p if n.y else 1 - n.p),
                sign_or_forward_slip__lost=lambda n: log(n.p if n.y else 1 - n.p),
                outside__square=lambda n: (n.p - n.y) ** 2 + 0.01,
                outside__decimal=lambda n: -log(n.p if n.y else 1 - n.p) / log(10)),
            asked("dL/dz", lambda n: n.p - n.y, sign__whole=lambda n: n.y - n.p,
                local_not_total__activation=lambda n: n.p * (1 - n.p),
                outside__doubled=lambda n: 2 * (n.p - n.y) * n.p * (1 - n.p)),
            asked("dL/dw", lambda n: n.L_z * n.x, product_own_factor__w=lambda n: n.L_z * n.w,
                inner_dropped__x=lambda n: 1 * n.L_z,
                sign__whole=lambda n: -n.L_z * n.x, not_a_gradient__update=lambda n: n.w - 0.5 * n.L_z * n.x,
                outside__p_too=lambda n: n.L_z * n.x * n.p * 0.3, outside__x_squared=lambda n: n.L_z * n.x**2),
            asked("dL/db", lambda n: -n.L_z, sign__lost=lambda n: 1 * n.L_z, outside__b=lambda n: -n.L_z * n.b,
                swapped_variable__w=lambda n: n.L_z * n.x),
        ),
    )  # fmt: skip


def kinked(draw: Draw) -> Asked:
    a, b, c = draw.some(3, 0.6, 2.4)
    return Asked(
        "kinked",
        program("r = abs(a - b)\nm = maximum(a*c, b)\ns = r*m", a=a, b=b, c=c),
        {"a": a, "b": b, "c": c},
        (
            asked("r", lambda n: abs(n.a - n.b), forward_slip__no_abs=lambda n: n.a - n.b,
                forward_slip__plus=lambda n: n.a + n.b,
                outside__root=lambda n: sqrt(n.a**2 + n.b**2)),
            asked("s", lambda n: n.r * max(n.a * n.c, n.b), forward_slip__smaller=lambda n: n.r * min(n.a * n.c, n.b),
                forward_slip__sum=lambda n: n.r + max(n.a * n.c, n.b)),
            asked("ds/da", lambda n: np.sign(n.a - n.b) * max(n.a * n.c, n.b) + n.r * n.c * (n.a * n.c > n.b),
                path_missed__m=lambda n: np.sign(n.a - n.b) * max(n.a * n.c, n.b),
                sign__abs=lambda n: -np.sign(n.a - n.b) * max(n.a * n.c, n.b) + n.r * n.c * (n.a * n.c > n.b),
                outside__slope=lambda n: 2 * (n.a - n.b) * max(n.a * n.c, n.b) + n.r * n.c),
            asked("ds/db", lambda n: -np.sign(n.a - n.b) * max(n.a * n.c, n.b) + n.r * (n.a * n.c < n.b),
                sign__abs=lambda n: np.sign(n.a - n.b) * max(n.a * n.c, n.b) + n.r * (n.a * n.c < n.b),
                outside__other=lambda n: -np.sign(n.a - n.b) * n.a * 1.3),
        ),
    )  # fmt: skip
