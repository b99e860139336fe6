"""Scalar questions of the third class: small whole numbers and halves among the given ones, as on paper."""

from __future__ import annotations

from math import cos, exp, pi, sin, sqrt

from tests.homework.klass.model import Asked, Draw, asked, program


def paper(draw: Draw, count: int) -> list[float]:
    """Numbers that a teacher takes for work by hand: 2, 3, 1.5, 2.5 ..."""
    return [float(one) for one in draw.random.choice([1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 5.0], count, replace=False)]


def tower(draw: Draw) -> Asked:
    t, k = draw.some(2, 0.4, 1.4)
    return Asked(
        "tower",
        program("u = t**2 + k\nv = sin(u)\ny = exp(v)", t=t, k=k),
        {"t": t, "k": k},
        (
            asked("v", lambda n: sin(n.t**2 + n.k), degrees__all=lambda n: sin((n.t**2 + n.k) * pi / 180),
                forward_slip__no_k=lambda n: sin(n.t**2), forward_slip__cos=lambda n: cos(n.t**2 + n.k),
                forward_slip__no_square=lambda n: sin(n.t + n.k), forward_slip__double=lambda n: sin(2 * n.t + n.k),
                outside__cube=lambda n: sin(n.t**3 + n.k) + n.k / 3),
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
                inner_dropped__b=lambda n: n.f_top + n.f_bottom,
                outside__times=lambda n: n.f_top * n.b * n.f_bottom * 3,
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
            asked("r", lambda n: n.x * n.y * (n.x * n.y + n.z),
                forward_slip__minus=lambda n: n.x * n.y * (n.x * n.y - n.z),
                outside__cut=lambda n: n.x * n.y + n.z + 3.25),
            asked("dr/dq", lambda n: n.x * n.y, product_own_factor__q=lambda n: n.x * n.y + n.z,
                sign__whole=lambda n: -n.x * n.y, outside__half=lambda n: n.x * n.y + 0.125),
            asked("dr/dp", lambda n: n.x * n.y + n.z + n.r_q, path_missed__q=lambda n: n.x * n.y + n.z,
                fanout_overwrite__p=lambda n: n.x * n.y, sign__second=lambda n: n.z * 1.0,
                chain_added__product=lambda n: n.x * n.y * (n.x * n.y + n.z),
                outside__three=lambda n: 3 * n.x * n.y + n.z),
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
            asked("dL/ds", lambda n: -n.y * n.L_m, sign__lost=lambda n: n.y * n.L_m,
                inner_dropped__y=lambda n: -n.L_m,
                product_own_factor__s=lambda n: -n.s * n.L_m, local_not_total__y=lambda n: -n.y,
                chain_added__sum=lambda n: n.L_m - n.y, outside__y_squared=lambda n: -n.y * n.y * n.L_m),
            asked("dL/dw", lambda n: n.L_s * n.x + 2 * n.w, path_missed__w=lambda n: n.L_s * n.x,
                path_missed__s=lambda n: 2 * n.w, sign__one=lambda n: n.L_s * n.x - 2 * n.w,
                sign__other=lambda n: 2 * n.w - n.L_s * n.x, power_rule__one=lambda n: n.L_s * n.x + n.w,
                product_own_factor__w=lambda n: n.L_s * n.w + 2 * n.w, inner_dropped__x=lambda n: n.L_s + 2 * n.w,
                outside__sign_and_factor=lambda n: 3 * n.L_s * n.x - 2 * n.w,
                outside__product=lambda n: n.L_s * n.w**2,
                not_a_gradient__update=lambda n: n.w - 0.1 * (n.L_s * n.x + 2 * n.w)),
            asked("dL/dc", lambda n: -n.L_s, sign__lost=lambda n: 1 * n.L_s, outside__c=lambda n: -n.L_s * n.c,
                outside__two=lambda n: -2.5 * n.L_s),
        ),
    )  # fmt: skip
