"""Scalar questions of the second class: polynomials, chains, a quotient, shared values, a logistic loss."""

from __future__ import annotations

from math import cos, exp, log, radians, sin, tanh

from tests.homework.klass.model import Asked, Draw, asked, program


def polynomial(draw: Draw) -> Asked:
    x, a, b = draw.some(3, 0.6, 2.6)
    return Asked(
        "polynomial",
        program(f"r = x**3\nt = r + {a}*x\nu = t - {b}\nf = r*u", x=x),
        {"x": x, "a": a, "b": b},
        (
            asked("r", lambda n: n.x**3, forward_slip__three_x=lambda n: 3 * n.x, forward_slip__square=lambda n: n.x**2,
                forward_slip__fourth=lambda n: n.x**4),
            asked("u", lambda n: n.r + n.a * n.x - n.b,
                forward_slip__plus_b=lambda n: n.r + n.a * n.x + n.b,
                forward_slip__minus_ax=lambda n: n.r - n.a * n.x - n.b,
                forward_slip__no_b=lambda n: n.r + n.a * n.x,
                outside__a_for_b=lambda n: n.r + n.b * n.x - n.a,
            ),
            asked("f", lambda n: n.r * n.u, forward_slip__sum=lambda n: n.r + n.u, forward_slip__r_r=lambda n: n.r**2,
                outside__half=lambda n: n.r * n.u / 2),
            asked("local dr/dx", lambda n: 3 * n.x**2, power_rule__kept=lambda n: 3 * n.x**3,
                power_rule__dropped=lambda n: n.x**2, outside__six_x=lambda n: 6 * n.x,
                outside__cubed_exponent=lambda n: 2 * n.x**3),
            asked("df/du", lambda n: n.r, product_own_factor_or_not_a_gradient__u=lambda n: n.u,
                not_a_gradient__f=lambda n: n.r * n.u,
                outside__derivative=lambda n: 3 * n.x**2 + n.a),
            asked("df/dr", lambda n: n.u + n.r,
                path_missed__through_u=lambda n: n.u,
                path_missed__direct=lambda n: n.r,
                chain_added__product=lambda n: n.u * n.r,
                sign__between=lambda n: n.u - n.r,
                product_own_factor__r_twice=lambda n: 2 * n.r,
                sign__whole=lambda n: -n.u - n.r,
            ),
            asked("df/dx", lambda n: n.f_r * n.l_r_x + n.f_u * n.a,
                path_missed__ax=lambda n: n.f_r * n.l_r_x,
                path_missed__cube=lambda n: n.f_u * n.a,
                path_missed__r_through_u=lambda n: n.u * n.l_r_x + n.f_u * n.a,
                inner_dropped__a=lambda n: n.f_r * n.l_r_x + n.f_u,
                inner_dropped__cube=lambda n: n.f_r + n.f_u * n.a,
                power_rule__kept=lambda n: n.f_r * 3 * n.x**3 + n.f_u * n.a,
                sign__ax=lambda n: n.f_r * n.l_r_x - n.f_u * n.a,
                local_not_total__r=lambda n: n.l_r_x,
                product_own_factor__derivatives=lambda n: 3 * n.x**2 * (3 * n.x**2 + n.a),
                not_a_gradient__f=lambda n: n.f,
                outside__ax=lambda n: n.f_r * n.l_r_x + n.f_u * n.a * n.x,
                sign_and_power_rule__both=lambda n: -(n.f_r * n.x**2 + n.f_u * n.a),
                outside__divided=lambda n: (n.f_r * n.l_r_x + n.f_u * n.a) / 4,
            ),
        ),
    )  # fmt: skip


def relay(draw: Draw) -> Asked:
    x, k = draw.some(2, 0.4, 1.5)
    return Asked(
        "relay",
        program(f"u = {k}*x**2\nv = sin(u)\nw = exp(v)\ny = log(1 + w)", x=x),
        {"x": x, "k": k},
        (
            asked("v", lambda n: sin(n.k * n.x**2), degrees__sin=lambda n: sin(radians(n.k * n.x**2)),
                forward_slip__cos=lambda n: cos(n.k * n.x**2), forward_slip__no_square=lambda n: sin(n.k * n.x),
                forward_slip__no_k=lambda n: sin(n.x**2), outside__square_of_all=lambda n: sin((n.k * n.x) ** 2)),
            asked("w", lambda n: exp(n.v), forward_slip__minus=lambda n: exp(-n.v),
                outside__power_of_ten=lambda n: 10**n.v),
            asked("y", lambda n: log(1 + n.w), forward_slip_or_another_question__no_one=lambda n: log(n.w),
                outside__base=lambda n: log(1 + n.w) / log(10)),
            asked("local dv/du", lambda n: cos(n.k * n.x**2), sign__minus=lambda n: -cos(n.k * n.x**2),
                degrees__cos=lambda n: cos(radians(n.k * n.x**2)), outer_at_wrong_point__x=lambda n: cos(n.x),
                not_a_gradient__v=lambda n: n.v, outer_at_derivative__kx=lambda n: cos(2 * n.k * n.x),
                outside__half_angle=lambda n: cos(n.k * n.x**2 / 3)),
            asked("dy/dw", lambda n: 1 / (1 + n.w), forward_slip_or_outer_at_wrong_point__no_one=lambda n: 1 / n.w,
                sign__minus=lambda n: -1 / (1 + n.w), not_a_gradient__y=lambda n: n.y,
                outside__squared=lambda n: 1 / (1 + n.w) ** 2, outside__upside_down=lambda n: 1 + n.w),
            asked("dy/dv", lambda n: n.y_w * n.w, inner_dropped_or_swapped_variable__exp=lambda n: n.y_w,
                local_not_total__w=lambda n: 1 * n.w, chain_added__sum=lambda n: n.y_w + n.w,
                power_rule__exp=lambda n: n.y_w * n.v * exp(n.v - 1),
                outside__twice=lambda n: 2 * n.y_w * n.w / 3),
            asked("dy/du", lambda n: n.y_v * n.l_v_u, inner_dropped__sin=lambda n: n.y_v,
                chain_added__sum=lambda n: n.y_v + n.l_v_u, local_not_total__v=lambda n: n.l_v_u,
                sign__whole=lambda n: -n.y_v * n.l_v_u, outside__sine=lambda n: n.y_v * n.v),
            asked("dy/dx", lambda n: n.y_u * 2 * n.k * n.x,
                inner_dropped__u=lambda n: n.y_u, power_rule__dropped=lambda n: n.y_u * n.k * n.x,
                power_rule__kept=lambda n: n.y_u * 2 * n.k * n.x**2, forward_slip__no_k=lambda n: n.y_u * 2 * n.x,
                local_not_total__u=lambda n: 2 * n.k * n.x, sign__whole=lambda n: -n.y_u * 2 * n.k * n.x,
                not_a_gradient__update=lambda n: n.x - 0.1 * n.y_u * 2 * n.k * n.x,
                outer_at_wrong_point__cos=lambda n: n.y_v * cos(n.x) * 2 * n.k * n.x,
                inner_dropped__sine_and_exp=lambda n: n.y_w * n.l_v_u * 2 * n.k * n.x,
                outside__k_squared=lambda n: n.y_u * 2 * n.k**2 * n.x,
            ),
        ),
    )  # fmt: skip


def ratio(draw: Draw) -> Asked:
    x, a, b, c = draw.some(4, 0.6, 2.8)
    return Asked(
        "ratio",
        program(f"n = {a}*x + b\nd = x**2 + {c}\nf = n/d", x=x, b=b),
        {"x": x, "a": a, "b": b, "c": c},
        (
            asked("f", lambda m: (m.a * m.x + m.b) / (m.x**2 + m.c),
                forward_slip__turned=lambda m: (m.x**2 + m.c) / (m.a * m.x + m.b),
                forward_slip__no_square=lambda m: (m.a * m.x + m.b) / (m.x + m.c),
                forward_slip__minus_b=lambda m: (m.a * m.x - m.b) / (m.x**2 + m.c),
                forward_slip__product=lambda m: (m.a * m.x + m.b) * (m.x**2 + m.c),
            ),
            asked("local df/dn", lambda m: 1 / (m.x**2 + m.c), quotient__squared=lambda m: 1 / (m.x**2 + m.c) ** 2,
                quotient_or_forward_slip__d=lambda m: m.x**2 + m.c, outside__no_c=lambda m: 1 / (m.x**2 + m.c + m.a)),
            asked("local df/dd", lambda m: -(m.a * m.x + m.b) / (m.x**2 + m.c) ** 2,
                quotient__sign=lambda m: (m.a * m.x + m.b) / (m.x**2 + m.c) ** 2,
                quotient__not_squared=lambda m: -(m.a * m.x + m.b) / (m.x**2 + m.c),
                quotient__no_numerator=lambda m: -1 / (m.x**2 + m.c) ** 2),
            asked("df/dx", lambda m: m.l_f_n * m.a + m.l_f_d * 2 * m.x,
                quotient__derivatives=lambda m: m.a / (2 * m.x),
                quotient__plus=lambda m: m.l_f_n * m.a - m.l_f_d * 2 * m.x,
                quotient__turned=lambda m: -m.l_f_n * m.a - m.l_f_d * 2 * m.x,
                quotient__not_squared=lambda m: (m.l_f_n * m.a + m.l_f_d * 2 * m.x) * (m.x**2 + m.c),
                path_missed__denominator=lambda m: m.l_f_n * m.a,
                path_missed__numerator=lambda m: m.l_f_d * 2 * m.x,
                power_rule__dropped=lambda m: m.l_f_n * m.a + m.l_f_d * m.x,
                inner_dropped__a=lambda m: m.l_f_n + m.l_f_d * 2 * m.x,
                outside__b=lambda m: m.l_f_n * m.b + m.l_f_d * 2 * m.x,
            ),
            asked("df/db", lambda m: m.l_f_n, swapped_variable__x=lambda m: m.f_x,
                outside__times_b=lambda m: m.l_f_n * m.b, sign__whole=lambda m: -m.l_f_n),
        ),
    )  # fmt: skip


def shared(draw: Draw) -> Asked:
    x, y = draw.some(2, 0.6, 2.6)
    return Asked(
        "shared",
        program("a = x*y\nb = a + x\nc = a*x\nf = b*c + y", x=x, y=y),
        {"x": x, "y": y},
        (
            asked("f", lambda n: (n.x * n.y + n.x) * n.x * n.y * n.x + n.y,
                forward_slip__no_y=lambda n: (n.x * n.y + n.x) * n.x * n.y * n.x,
                forward_slip__minus_y=lambda n: (n.x * n.y + n.x) * n.x * n.y * n.x - n.y,
                forward_slip__b_minus=lambda n: (n.x * n.y - n.x) * n.x * n.y * n.x + n.y),
            asked("df/db", lambda n: n.x**2 * n.y,
                product_own_factor_or_not_a_gradient_or_swapped_variable__b=lambda n: n.x * n.y + n.x,
                outside__x_once=lambda n: n.x * n.y**2),
            asked("df/dc", lambda n: n.x * n.y + n.x,
                product_own_factor_or_not_a_gradient_or_swapped_variable__c=lambda n: n.x**2 * n.y,
                sign__whole=lambda n: -n.x * n.y - n.x),
            asked("df/da", lambda n: n.f_b + n.f_c * n.x,
                path_missed__c=lambda n: n.f_b, path_missed__b=lambda n: n.f_c * n.x,
                inner_dropped__x=lambda n: n.f_b + n.f_c, sign__one=lambda n: n.f_b - n.f_c * n.x,
                chain_added__product=lambda n: n.f_b * n.f_c * n.x, outside__y=lambda n: n.f_b + n.f_c * n.y),
            asked("df/dx", lambda n: n.f_a * n.y + n.f_b + n.f_c * n.x * n.y,
                path_missed__a=lambda n: n.f_b + n.f_c * n.x * n.y,
                path_missed__b=lambda n: n.f_a * n.y + n.f_c * n.x * n.y,
                path_missed__c=lambda n: n.f_a * n.y + n.f_b,
                path_missed__all_but_a=lambda n: n.f_a * n.y,
                product_own_factor__x=lambda n: n.f_a * n.x + n.f_b + n.f_c * n.x * n.y,
                sign__one=lambda n: n.f_a * n.y - n.f_b + n.f_c * n.x * n.y,
                chain_added__all=lambda n: n.f_a + n.y + n.f_b + n.f_c * n.x * n.y,
                outside__c=lambda n: n.f_a * n.y + n.f_b + n.f_c * n.x**2 * n.y,
            ),
            asked("df/dy", lambda n: n.f_a * n.x + 1,
                path_missed__direct=lambda n: n.f_a * n.x, swapped_variable__x=lambda n: n.f_x,
                product_own_factor__y=lambda n: n.f_a * n.y + 1, sign__a=lambda n: 1 - n.f_a * n.x,
                outside__plus_y=lambda n: n.f_a * n.x + n.y),
        ),
    )  # fmt: skip


def entropy(draw: Draw) -> Asked:
    w, v, x, t, b = draw.some(5, 0.3, 1.7)
    y = float(draw.random.integers(2))
    return Asked(
        "entropy",
        program("z = w*x - v*t + b\np = sigmoid(z)\nL = -(y*log(p) + (1 - y)*log(1 - p))",
                w=w, v=v, x=x, t=t, b=b, y=y),
        {"w": w, "v": v, "x": x, "t": t, "b": b, "y": y},
        (
            asked("z", lambda n: n.w * n.x - n.v * n.t + n.b, forward_slip__plus=lambda n: n.w * n.x + n.v * n.t + n.b,
                forward_slip__no_b=lambda n: n.w * n.x - n.v * n.t,
                forward_slip__minus_b=lambda n: n.w * n.x - n.v * n.t - n.b,
                outside__sum_first=lambda n: (n.w - n.v) * n.x + n.b),
            asked("p", lambda n: 1 / (1 + exp(-n.z)), forward_slip__tanh=lambda n: tanh(n.z),
                forward_slip__sign=lambda n: 1 / (1 + exp(n.z)), outside__no_one=lambda n: 1 / (1.5 + exp(-n.z))),
            asked("L", lambda n: -log(within(n.p if n.y else 1 - n.p)),
                sign__lost=lambda n: log(within(n.p if n.y else 1 - n.p)),
                softmax_or_forward_slip__other_label=lambda n: -log(within(1 - n.p if n.y else n.p)),
                forward_slip__no_log=lambda n: -(n.p if n.y else 1 - n.p),
                outside__base_two=lambda n: -log(within(n.p if n.y else 1 - n.p)) / log(2)),
            asked("dL/dp", lambda n: -1 / n.p if n.y else 1 / (1 - n.p),
                sign__lost=lambda n: 1 / n.p if n.y else -1 / (1 - n.p),
                outside__log=lambda n: log(within(n.p)) - 0.7),
            asked("local dp/dz", lambda n: n.p * (1 - n.p), activation_rule__one_factor=lambda n: 1 - n.p,
                activation_rule__tanh=lambda n: 1 - n.p**2, pre_post_activation__z=lambda n: n.z * (1 - n.z),
                sign__plus=lambda n: n.p * (1 + n.p), outside__square=lambda n: n.p**2 * (1 - n.p)),
            asked("dL/dz", lambda n: n.L_p * n.l_p_z,
                sign__whole=lambda n: n.y - n.p, inner_dropped__sigmoid=lambda n: n.L_p,
                local_not_total__p=lambda n: n.l_p_z, chain_added__sum=lambda n: n.L_p + n.l_p_z,
                outside__plus=lambda n: n.p + n.y + 0.3, outside__halved=lambda n: (n.p - n.y) / 3),
            asked("dL/dw", lambda n: n.L_z * n.x, product_own_factor__w=lambda n: n.L_z * n.w,
                swapped_variable__v=lambda n: -n.L_z * n.t, swapped_variable_or_inner_dropped__b=lambda n: n.L_z,
                result_for_input__p=lambda n: n.L_z * n.p, not_a_gradient__update=lambda n: n.w - 0.1 * n.L_z * n.x,
                sign__whole=lambda n: -n.L_z * n.x),
            asked("dL/dv", lambda n: -n.L_z * n.t, sign__lost=lambda n: n.L_z * n.t,
                product_own_factor__v=lambda n: -n.L_z * n.v, swapped_variable__w=lambda n: n.L_w),
            asked("dL/db", lambda n: n.L_z, not_a_gradient__update=lambda n: n.b - 0.1 * n.L_z,
                outside__times_b=lambda n: n.L_z * n.b),
        ),
    )  # fmt: skip


def within(p: float) -> float:
    return min(max(p, 0.01), 50.0)
