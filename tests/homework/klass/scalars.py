"""Scalar questions: fan-out, products, quotients, powers, functions of functions."""

from __future__ import annotations

from math import cos, exp, log, radians, sin, sqrt

from tests.homework.klass.model import Asked, Draw, asked, program


def diamond(draw: Draw) -> Asked:
    x, c, k = draw.some(3, 1.1)
    return Asked(
        "diamond",
        program(f"s = x**2\np = s + {c}\nm = s - {k}\nq = p*m", x=x),
        {"x": x, "c": c, "k": k},
        (
            asked("s", lambda v: v.x**2,
                forward_slip__no_square=lambda v: v.x, forward_slip__doubled=lambda v: 2 * v.x),
            asked("q", lambda v: (v.s + v.c) * (v.s - v.k),
                forward_slip__plus_for_minus=lambda v: (v.s + v.c) * (v.s + v.k),
                forward_slip__plus_for_times=lambda v: (v.s + v.c) + (v.s - v.k),
                outside__first_terms_only=lambda v: v.s * v.s - v.c * v.k,
            ),
            asked("local ds/dx", lambda v: 2 * v.x,
                power_rule__exponent_kept=lambda v: 2 * v.x**2,
                power_rule__factor_dropped=lambda v: v.x,
                outside__three_x=lambda v: 3 * v.x**2,
            ),
            asked("dq/ds", lambda v: (v.s - v.k) + (v.s + v.c),
                fanout_overwrite__last=lambda v: v.s + v.c,
                fanout_overwrite__first=lambda v: v.s - v.k,
                product_own_factor__one=lambda v: 2 * (v.s + v.c),
                chain_added__product=lambda v: (v.s - v.k) * (v.s + v.c),
                sign__one_branch=lambda v: (v.s - v.k) - (v.s + v.c),
                sign__whole=lambda v: -((v.s - v.k) + (v.s + v.c)),
            ),
            asked("dq/dx", lambda v: v.q_s * v.l_s_x,
                local_not_total__dq_ds=lambda v: v.l_s_x,
                chain_added__sum=lambda v: v.q_s + v.l_s_x,
                sign__whole=lambda v: -v.q_s * v.l_s_x,
                swapped_variable__dq_ds=lambda v: v.q_s,
                not_a_gradient__update=lambda v: v.x - 0.1 * v.q_s * v.l_s_x,
                outside__divided=lambda v: v.q_s / v.l_s_x,
            ),
        ),
    )  # fmt: skip


def product(draw: Draw) -> Asked:
    x, a, b = draw.some(3, 1.1)
    return Asked(
        "product",
        program(f"u = {a}*x + {b}\nv = x**3\nq = u*v", x=x),
        {"x": x, "a": a, "b": b},
        (
            asked("u", lambda v: v.a * v.x + v.b,
                forward_slip__minus=lambda v: v.a * v.x - v.b,
                forward_slip__no_bias=lambda v: v.a * v.x,
                forward_slip__added=lambda v: v.a + v.x + v.b,
            ),
            asked("dq/du", lambda v: v.x**3, product_own_factor__u=lambda v: v.u,
                not_a_gradient__q=lambda v: v.u * v.x**3),
            asked("dq/dv", lambda v: v.u,
                product_own_factor__v=lambda v: v.x**3,
                swapped_variable__du=lambda v: v.q_u,
                sign__whole=lambda v: -v.u,
            ),
            asked("dq/dx", lambda v: v.q_u * v.a + v.q_v * 3 * v.x**2,
                product_own_factor__derivatives_multiplied=lambda v: v.a * 3 * v.x**2,
                path_missed__through_u=lambda v: v.q_v * 3 * v.x**2,
                path_missed__through_v=lambda v: v.q_u * v.a,
                power_rule__kept=lambda v: v.q_u * v.a + v.q_v * 3 * v.x**3,
                power_rule__dropped=lambda v: v.q_u * v.a + v.q_v * v.x**2,
                sign__one=lambda v: v.q_u * v.a - v.q_v * 3 * v.x**2,
                inner_dropped__a=lambda v: v.q_u + v.q_v * 3 * v.x**2,
                outside__a_squared=lambda v: v.q_u * v.a**2 + v.q_v * 3 * v.x**2,
            ),
        ),
    )  # fmt: skip


def quotient(draw: Draw) -> Asked:
    x, a, b, c = draw.some(4, 1.1)
    return Asked(
        "quotient",
        program(f"u = x**2 + {a}\nv = {b}*x + {c}\nq = u/v", x=x),
        {"x": x, "a": a, "b": b, "c": c},
        (
            asked("q", lambda v: (v.x**2 + v.a) / (v.b * v.x + v.c),
                forward_slip__upside_down=lambda v: (v.b * v.x + v.c) / (v.x**2 + v.a),
                forward_slip__minus=lambda v: (v.x**2 - v.a) / (v.b * v.x + v.c),
                forward_slip__no_bias=lambda v: (v.x**2 + v.a) / (v.b * v.x),
            ),
            asked("dq/du", lambda v: 1 / (v.b * v.x + v.c),
                forward_slip__upside_down=lambda v: v.b * v.x + v.c,
                quotient__squared=lambda v: 1 / (v.b * v.x + v.c) ** 2,
                sign__whole=lambda v: -1 / (v.b * v.x + v.c),
            ),
            asked("dq/dv", lambda v: -(v.x**2 + v.a) / (v.b * v.x + v.c) ** 2,
                quotient__sign=lambda v: (v.x**2 + v.a) / (v.b * v.x + v.c) ** 2,
                quotient__not_squared=lambda v: -(v.x**2 + v.a) / (v.b * v.x + v.c),
                swapped_variable__u=lambda v: v.q_u,
            ),
            asked("dq/dx", lambda v: v.q_u * 2 * v.x + v.q_v * v.b,
                quotient__derivatives_divided=lambda v: 2 * v.x / v.b,
                quotient__parts_swapped=lambda v: -(v.q_u * 2 * v.x + v.q_v * v.b),
                quotient__plus=lambda v: v.q_u * 2 * v.x - v.q_v * v.b,
                path_missed__v=lambda v: v.q_u * 2 * v.x,
                path_missed__u=lambda v: v.q_v * v.b,
                quotient__never_squared=lambda v: (v.q_u * 2 * v.x + v.q_v * v.b) * (v.b * v.x + v.c),
                power_rule__dropped=lambda v: v.q_u * v.x + v.q_v * v.b,
                outside__cubed=lambda v: (v.q_u * 2 * v.x + v.q_v * v.b) / (v.b * v.x + v.c),
            ),
        ),
    )  # fmt: skip


def powers(draw: Draw) -> Asked:
    x, a, b = draw.some(3, 0.6, 2.4)
    return Asked(
        "powers",
        program(f"u = {a}*x + {b}\ny = u**4\nq = log(y + 1)", x=x),
        {"x": x, "a": a, "b": b},
        (
            asked("y", lambda v: (v.a * v.x + v.b) ** 4,
                forward_slip__minus=lambda v: (v.a * v.x - v.b) ** 4,
                forward_slip__no_bias=lambda v: (v.a * v.x) ** 4,
                forward_slip__no_power=lambda v: v.a * v.x + v.b,
                forward_slip__times_four=lambda v: 4 * (v.a * v.x + v.b),
            ),
            asked("local dy/du", lambda v: 4 * (v.a * v.x + v.b) ** 3,
                power_rule__kept=lambda v: 4 * (v.a * v.x + v.b) ** 4,
                power_rule__dropped=lambda v: (v.a * v.x + v.b) ** 3,
                outer_at_wrong_point__x=lambda v: 4 * v.x**3,
                sign__whole=lambda v: -4 * (v.a * v.x + v.b) ** 3,
            ),
            asked("dq/dy", lambda v: 1 / (v.y + 1),
                forward_slip__plus_one=lambda v: 1 / v.y,
                not_a_gradient__q=lambda v: log(abs(v.y + 1)),
                outside__squared=lambda v: -1 / (v.y + 1) ** 2,
            ),
            asked("dq/dx", lambda v: v.q_y * v.l_y_u * v.a,
                inner_dropped__a=lambda v: v.q_y * v.l_y_u,
                local_not_total__dy_dx=lambda v: v.l_y_u * v.a,
                chain_added__sum=lambda v: v.q_y + v.l_y_u + v.a,
                chain_added__at_a_link=lambda v: v.q_y * v.l_y_u + v.a,
                outer_at_wrong_point__x=lambda v: v.q_y * 4 * v.x**3 * v.a,
                outer_at_derivative__a=lambda v: v.q_y * 4 * v.a**3,
                swapped_variable__y=lambda v: v.q_y,
                outside__b=lambda v: v.q_y * v.l_y_u * (v.a + v.b),
            ),
        ),
    )  # fmt: skip


def wave(draw: Draw) -> Asked:
    x, k = draw.some(2, 0.3, 1.4)
    return Asked(
        "wave",
        program(f"u = x**3\nw = sin(u)\nr = exp({k}*x)\nq = w*r", x=x),
        {"x": x, "k": k},
        (
            asked("w", lambda v: sin(v.x**3),
                degrees__sin=lambda v: sin(radians(v.x**3)),
                forward_slip__cos=lambda v: cos(v.x**3),
                forward_slip__no_power=lambda v: sin(v.x),
            ),
            asked("r", lambda v: exp(v.k * v.x), forward_slip__no_factor=lambda v: exp(v.x),
                forward_slip__minus=lambda v: exp(-v.k * v.x), outside__power_of_two=lambda v: 2 ** (v.k * v.x)),
            asked("local dw/du", lambda v: cos(v.x**3),
                sign__minus_cos=lambda v: -cos(v.x**3),
                degrees__cos=lambda v: cos(radians(v.x**3)),
                outer_at_wrong_point__x=lambda v: cos(v.x),
                not_a_gradient__sin=lambda v: v.w,
                outer_at_derivative__inner=lambda v: cos(3 * v.x**2),
            ),
            asked("dr/dx", lambda v: v.k * v.r,
                inner_dropped__k=lambda v: v.r,
                power_rule__exponential=lambda v: v.k * v.k * v.x * exp(v.k * v.x - 1),
                outer_at_derivative__k=lambda v: exp(v.k),
            ),
            asked("dq/dx", lambda v: v.r * v.l_w_u * 3 * v.x**2 + v.w * v.r_x,
                inner_dropped__u=lambda v: v.r * v.l_w_u + v.w * v.r_x,
                product_own_factor__derivatives_multiplied=lambda v: v.l_w_u * 3 * v.x**2 * v.r_x,
                path_missed__r=lambda v: v.r * v.l_w_u * 3 * v.x**2,
                path_missed__w=lambda v: v.w * v.r_x,
                power_rule__dropped=lambda v: v.r * v.l_w_u * v.x**2 + v.w * v.r_x,
                product_own_factor__swapped=lambda v: v.w * v.l_w_u * 3 * v.x**2 + v.r * v.r_x,
                sign__one=lambda v: -v.r * v.l_w_u * 3 * v.x**2 + v.w * v.r_x,
                forward_slip__divided=lambda v: (v.l_w_u * 3 * v.x**2 * v.r - v.w * v.r_x) / v.r**2,
            ),
        ),
    )  # fmt: skip


def root(draw: Draw) -> Asked:
    x, y, a = draw.some(3, 1.1)
    return Asked(
        "root",
        program(f"t = x**2 + {a}*y\nd = sqrt(t)\nq = x/d", x=x, y=y),
        {"x": x, "y": y, "a": a},
        (
            asked("d", lambda v: sqrt(v.x**2 + v.a * v.y),
                forward_slip__no_root=lambda v: v.x**2 + v.a * v.y,
                forward_slip__no_square=lambda v: sqrt(v.x + v.a * v.y),
            ),
            asked("local dd/dt", lambda v: 0.5 / v.d,
                power_rule__kept=lambda v: 0.5 * v.d,
                power_rule__dropped=lambda v: 1 / v.d,
                sign__whole=lambda v: -0.5 / v.d,
            ),
            asked("dq/dy", lambda v: -v.x / v.d**2 * v.l_d_t * v.a,
                sign__denominator=lambda v: v.x / v.d**2 * v.l_d_t * v.a,
                quotient__not_squared=lambda v: -v.x / v.d * v.l_d_t * v.a,
                inner_dropped__a=lambda v: -v.x / v.d**2 * v.l_d_t,
                swapped_variable__x=lambda v: 1 / v.d - v.x / v.d**2 * v.l_d_t * 2 * v.x,
            ),
            asked("dq/dx", lambda v: 1 / v.d - v.x / v.d**2 * v.l_d_t * 2 * v.x,
                path_missed__denominator=lambda v: 1 / v.d,
                path_missed__numerator=lambda v: -v.x / v.d**2 * v.l_d_t * 2 * v.x,
                quotient__sign=lambda v: 1 / v.d + v.x / v.d**2 * v.l_d_t * 2 * v.x,
                power_rule__dropped=lambda v: 1 / v.d - v.x / v.d**2 * v.l_d_t * v.x,
                swapped_variable__y=lambda v: v.q_y,
                outside__root_of_derivative=lambda v: 1 / v.d - v.x / v.d**2 * sqrt(2 * v.x),
            ),
        ),
    )  # fmt: skip
