"""Scalar questions of the third class: small whole numbers and halves among the given ones, as on paper."""

from __future__ import annotations

from math import cos, exp, log, pi, sin, sqrt, tanh

import numpy as np

from tests.homework.klass.model import Asked, Draw, asked, program


def paper(draw: Draw, count: int) -> list[float]:
    """Numbers that a teacher takes for work by hand: 2, 3, 1.5, 2.5 ..."""
    return [float(one) for one in draw.random.choice([1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 5.0], count, replace=False)]


def sig(z: float) -> float:
    return 1 / (1 + exp(-z))


def tower(draw: Draw) -> Asked:
    t, k = draw.some(2, 0.4, 1.4)
    return Asked(
        "tower",
        program("u = t**2 + k\nv = sin(u)\ny = exp(v)", t=t, k=k),
        {"t": t, "k": k},
        (
            asked("v", lambda n: sin(n.t**2 + n.k), degrees__all=lambda n: sin((n.t**2 + n.k) * pi / 180),
                forward_slip__no_k=lambda n: sin(n.t**2), forward_slip__cos=lambda n: cos(n.t**2 + n.k),
                forward_slip__no_square=lambda n: sin(n.t + n.k), forward_slip__double=lambda n: sin(2 * n.t + n.k), outside__cube=lambda n: sin(n.t**3 + n.k) + n.k / 3),
            asked("y", lambda n: exp(n.v), outside__power=lambda n: 3**n.v, forward_slip__minus=lambda n: exp(-n.v),
                forward_slip__no_exp=lambda n: 1 * n.v),
            asked("dy/dv", lambda n: n.y, power_rule__x_minus_one=lambda n: n.v * exp(n.v - 1),
                sign__whole=lambda n: -n.y, not_a_gradient__v=lambda n: 1 * n.v,
                outer_at_derivative__v=lambda n: exp(cos(n.t**2 + n.k)), outside__one_more=lambda n: exp(n.v + 1)),
            asked("dy/du", lambda n: n.y_v * cos(n.t**2 + n.k), inner_dropped__cos=lambda n: 1 * n.y_v,
                local_not_total__cos=lambda n: cos(n.t**2 + n.k), sign__cos=lambda n: -n.y_v * cos(n.t**2 + n.k),
                chain_added__sum=lambda n: n.y_v + cos(n.t**2 + n.k),
                outside__sin_too=lambda n: n.y_v * n.v * cos(n.t**2 + n.k),
                outer_at_wrong_point__t=lambda n: n.y_v * cos(n.t), outside__tan=lambda n: n.y_v * n.v / 0.77),
            asked("dy/dt", lambda n: n.y_u * 2 * n.t, inner_dropped__t=lambda n: 1 * n.y_u,
                power_rule__dropped=lambda n: n.y_u * n.t, power_rule__kept=lambda n: n.y_u * 2 * n.t**2,
                chain_added__sum=lambda n: n.y_u + 2 * n.t, sign__whole=lambda n: -n.y_u * 2 * n.t,
                local_not_total_or_forward_slip__two=lambda n: 2 * n.t, outside__cube=lambda n: n.y_u * 3 * n.t**2,
                swapped_variable_or_inner_dropped__k=lambda n: 1 * n.y_u),
        ),
    )  # fmt: skip


def fraction(draw: Draw) -> Asked:
    a, b, c = draw.some(3, 1.1, 4.0)
    return Asked(
        "fraction",
        program("top = a*b\nbottom = a + c\nf = top/bottom", a=a, b=b, c=c),
        {"a": a, "b": b, "c": c},
        (
            asked("f", lambda n: n.a * n.b / (n.a + n.c), forward_slip__minus=lambda n: n.a * n.b / (n.a - n.c),
                forward_slip__turned=lambda n: (n.a + n.c) / (n.a * n.b),
                forward_slip__cut=lambda n: n.b / n.c, outside__swapped=lambda n: (n.a + n.b) / (n.a * n.c)),
            asked("df/dtop", lambda n: 1 / (n.a + n.c), outside__root=lambda n: 1 / sqrt(n.a + n.c),
                quotient_or_forward_slip__turned=lambda n: n.a + n.c,
                sign__whole=lambda n: -1 / (n.a + n.c)),
            asked("df/dbottom", lambda n: -n.a * n.b / (n.a + n.c) ** 2,
                sign__lost=lambda n: n.a * n.b / (n.a + n.c) ** 2,
                quotient__not_squared=lambda n: -n.a * n.b / (n.a + n.c),
                outside__cubed=lambda n: -n.a * n.b / (n.a + n.c) ** 3,
                outside__twice=lambda n: -2 * n.a * n.b / (n.a + n.c) ** 3,
                inner_dropped_or_quotient__numerator=lambda n: -1 / (n.a + n.c) ** 2),
            asked("df/da", lambda n: n.f_top * n.b + n.f_bottom, path_missed__bottom=lambda n: n.f_top * n.b,
                path_missed__top=lambda n: 1 * n.f_bottom, sign__bottom=lambda n: n.f_top * n.b - n.f_bottom,
                inner_dropped__b=lambda n: n.f_top + n.f_bottom, outside__times=lambda n: n.f_top * n.b * n.f_bottom * 3,
                product_own_factor__a=lambda n: n.f_top * n.a + n.f_bottom,
                outside__sign_and_factor=lambda n: 1.5 * n.f_top * n.b - n.f_bottom / 4),
            asked("df/dc", lambda n: 1 * n.f_bottom, sign__whole=lambda n: -n.f_bottom,
                swapped_variable__a=lambda n: n.f_top * n.b + n.f_bottom, outside__c=lambda n: n.f_bottom / n.c,
                outside__c_squared=lambda n: n.f_bottom * n.c**2),
            asked("df/db", lambda n: n.f_top * n.a, product_own_factor__b=lambda n: n.f_top * n.b,
                inner_dropped__a=lambda n: 1 * n.f_top, outside__a_root=lambda n: n.f_top * sqrt(n.a)),
        ),
    )  # fmt: skip


def whole_numbers(draw: Draw) -> Asked:
    x, y, z = paper(draw, 3)
    return Asked(
        "whole",
        program("p = x*y\nq = p + z\nr = p*q", x=x, y=y, z=z),
        {"x": x, "y": y, "z": z},
        (
            asked("r", lambda n: n.x * n.y * (n.x * n.y + n.z), forward_slip__minus=lambda n: n.x * n.y * (n.x * n.y - n.z),
                outside__cut=lambda n: n.x * n.y + n.z + 3.25),
            asked("dr/dp", lambda n: 2 * n.x * n.y + n.z, path_missed__q=lambda n: n.x * n.y + n.z,
                fanout_overwrite__p=lambda n: n.x * n.y, sign__second=lambda n: n.z * 1.0,
                chain_added__product=lambda n: n.x * n.y * (n.x * n.y + n.z), outside__three=lambda n: 3 * n.x * n.y + n.z),
            asked("dr/dq", lambda n: n.x * n.y, product_own_factor__q=lambda n: n.x * n.y + n.z,
                sign__whole=lambda n: -n.x * n.y, outside__half=lambda n: n.x * n.y + 0.125),
            asked("dr/dx", lambda n: n.r_p * n.y, product_own_factor__x=lambda n: n.r_p * n.x,
                inner_dropped__y=lambda n: 1 * n.r_p, local_not_total__y=lambda n: 1 * n.y,
                sign__whole=lambda n: -n.r_p * n.y, chain_added__sum=lambda n: n.r_p + n.y,
                outside__z_too=lambda n: n.r_p * n.y + 7.5 * n.z),
            asked("dr/dz", lambda n: 1 * n.r_q, swapped_variable__p=lambda n: 1 * n.r_p,
                outside__z=lambda n: n.r_q / (n.z + 0.25)),
        ),
    )  # fmt: skip


def hinge(draw: Draw) -> Asked:
    w, x, y, c = draw.some(4, 0.6, 1.9)
    return Asked(
        "hinge",
        program("s = w*x - c\nm = 3 - y*s\nl = relu(m)\nL = l**2 + w**2", w=w, x=x, y=y, c=c),
        {"w": w, "x": x, "y": y, "c": c},
        (
            asked("s", lambda n: n.w * n.x - n.c, forward_slip__plus=lambda n: n.w * n.x + n.c,
                forward_slip__no_c=lambda n: n.w * n.x, outside__quotient=lambda n: n.w / n.x - n.c / 2),
            asked("L", lambda n: max(3 - n.y * n.s, 0) ** 2 + n.w**2,
                forward_slip__no_square=lambda n: max(3 - n.y * n.s, 0) + n.w**2,
                forward_slip__no_w=lambda n: max(3 - n.y * n.s, 0) ** 2,
                forward_slip__minus=lambda n: max(3 - n.y * n.s, 0) ** 2 - n.w**2,
                forward_slip__plus_y=lambda n: max(3 + n.y * n.s, 0) ** 2 + n.w**2,
                outside__four=lambda n: max(4 - n.y * n.s, 0) ** 2 + n.w**2),
            asked("dL/dm", lambda n: 2 * max(3 - n.y * n.s, 0), power_rule__dropped=lambda n: max(3 - n.y * n.s, 0),
                power_rule__kept=lambda n: 2 * max(3 - n.y * n.s, 0) ** 2, sign__whole=lambda n: -2 * (3 - n.y * n.s),
                outside__three=lambda n: 3 * max(3 - n.y * n.s, 0)),
            asked("dL/ds", lambda n: -n.y * n.L_m, sign__lost=lambda n: n.y * n.L_m, inner_dropped__y=lambda n: -n.L_m,
                product_own_factor__s=lambda n: -n.s * n.L_m, local_not_total__y=lambda n: -n.y,
                chain_added__sum=lambda n: n.L_m - n.y, outside__y_squared=lambda n: -n.y * n.y * n.L_m),
            asked("dL/dw", lambda n: n.L_s * n.x + 2 * n.w, path_missed__w=lambda n: n.L_s * n.x,
                path_missed__s=lambda n: 2 * n.w, sign__one=lambda n: n.L_s * n.x - 2 * n.w,
                sign__other=lambda n: 2 * n.w - n.L_s * n.x, power_rule__one=lambda n: n.L_s * n.x + n.w,
                product_own_factor__w=lambda n: n.L_s * n.w + 2 * n.w, inner_dropped__x=lambda n: n.L_s + 2 * n.w,
                outside__sign_and_factor=lambda n: 3 * n.L_s * n.x - 2 * n.w, outside__product=lambda n: n.L_s * n.w**2,
                not_a_gradient__update=lambda n: n.w - 0.1 * (n.L_s * n.x + 2 * n.w)),
            asked("dL/dc", lambda n: -n.L_s, sign__lost=lambda n: 1 * n.L_s, outside__c=lambda n: -n.L_s * n.c,
                outside__two=lambda n: -2.5 * n.L_s),
        ),
    )  # fmt: skip


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
                forward_slip__no_half=lambda n: n.q**2 + log(n.s), forward_slip__no_square=lambda n: n.q / 2 + log(n.s),
                forward_slip__minus=lambda n: n.q**2 / 2 - log(n.s), outside__pi=lambda n: n.q**2 / 2 + log(n.s) + log(2 * pi) / 2,
                outside__decimal_logarithm=lambda n: n.q**2 / 2 + log(n.s) / log(10)),
            asked("dl/dq", lambda n: 1 * n.q, power_rule_or_mean_n_or_local_not_total__twice=lambda n: 2 * n.q, power_rule__half=lambda n: n.q / 2,
                not_a_gradient_or_power_rule__square=lambda n: n.q**2, sign__whole=lambda n: -n.q,
                outside__third=lambda n: n.q**3 / 3),
            asked("dl/dx", lambda n: n.l_q / n.s, inner_dropped__s=lambda n: 1 * n.l_q, sign__whole=lambda n: -n.l_q / n.s,
                outside__squared=lambda n: -n.l_q / n.s**2, outside__s=lambda n: n.l_q * n.s**2,
                local_not_total__s=lambda n: 1 / n.s, outside__root=lambda n: n.l_q / sqrt(n.s)),
            asked("dl/dmu", lambda n: -n.l_q / n.s, sign__lost=lambda n: n.l_q / n.s, inner_dropped__s=lambda n: -n.l_q,
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
                forward_slip__no_memory=lambda n: tanh(n.u * n.b), forward_slip__minus=lambda n: tanh(n.w * n.h1 - n.u * n.b),
                outside__other=lambda n: tanh(n.w * n.h1 + n.u * n.a * 0.8)),
            asked("dL/dh2", lambda n: 2 * n.h2, power_rule__dropped=lambda n: 1 * n.h2, power_rule__kept=lambda n: 2 * n.h2**2,
                not_a_gradient__L=lambda n: n.h2**2, outside__tanh=lambda n: tanh(2 * n.h2)),
            asked("dL/dh1", lambda n: n.L_h2 * (1 - n.h2**2) * n.w, inner_dropped__tanh=lambda n: n.L_h2 * n.w,
                inner_dropped__w=lambda n: n.L_h2 * (1 - n.h2**2), product_own_factor__h=lambda n: n.L_h2 * (1 - n.h2**2) * n.h1,
                pre_post_activation__z=lambda n: n.L_h2 * (1 - (n.w * n.h1 + n.u * n.b) ** 2) * n.w,
                activation_rule__sigmoid=lambda n: n.L_h2 * n.h2 * (1 - n.h2) * n.w,
                pre_post_activation__not_squared=lambda n: n.L_h2 * (1 - n.h2) * n.w,
                sign__inside=lambda n: n.L_h2 * (1 + n.h2**2) * n.w, outside__cube=lambda n: n.L_h2 * (1 - n.h2**3) * n.w,
                outside__other_time=lambda n: n.L_h2 * (1 - n.h1**2) * n.w * n.h2),
            asked("dL/dw", lambda n: n.L_h2 * (1 - n.h2**2) * n.h1, inner_dropped__tanh=lambda n: n.L_h2 * n.h1,
                product_own_factor__w=lambda n: n.L_h2 * (1 - n.h2**2) * n.w, sign__whole=lambda n: -n.L_h2 * (1 - n.h2**2) * n.h1,
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
            asked("L", lambda n: -log(n.p if n.y else 1 - n.p), sign_or_forward_slip__lost=lambda n: log(n.p if n.y else 1 - n.p),
                outside__square=lambda n: (n.p - n.y) ** 2 + 0.01, outside__decimal=lambda n: -log(n.p if n.y else 1 - n.p) / log(10)),
            asked("dL/dz", lambda n: n.p - n.y, sign__whole=lambda n: n.y - n.p,
                local_not_total__activation=lambda n: n.p * (1 - n.p), outside__doubled=lambda n: 2 * (n.p - n.y) * n.p * (1 - n.p)),
            asked("dL/dw", lambda n: n.L_z * n.x, product_own_factor__w=lambda n: n.L_z * n.w, inner_dropped__x=lambda n: 1 * n.L_z,
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
            asked("r", lambda n: abs(n.a - n.b), forward_slip__no_abs=lambda n: n.a - n.b, forward_slip__plus=lambda n: n.a + n.b,
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
