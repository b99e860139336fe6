"""Scalar questions: chains, fan-out, quotients, products, densities, activations, small whole numbers as on paper."""

from __future__ import annotations

from math import cos, exp, log, pi, radians, sin, sqrt, tanh

from tests.homework.klass.model import Asked, Draw, asked, hidden, program


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


def tied(draw: Draw) -> Asked:
    w, x, b, t = draw.some(4, 0.3, 1.4)
    return Asked(
        "tied",
        program("z = w*x + b\nh = tanh(z)\no = w*h\nL = (o - t)**2/2", w=w, x=x, b=b, t=t),
        {"w": w, "x": x, "b": b, "t": t},
        (
            asked("z", lambda n: n.w * n.x + n.b, forward_slip__no_bias=lambda n: n.w * n.x,
                forward_slip__minus=lambda n: n.w * n.x - n.b, forward_slip__sum=lambda n: n.w + n.x + n.b),
            hidden("h", lambda n: tanh(n.z)),
            asked("o", lambda n: n.w * n.h, forward_slip__no_tanh=lambda n: n.w * n.z,
                forward_slip__plus=lambda n: n.w + n.h, forward_slip__sigmoid=lambda n: n.w / (1 + exp(-n.z))),
            asked("dL/do", lambda n: n.o - n.t,
                sign__whole=lambda n: n.t - n.o,
                mean_n__no_half=lambda n: 2 * (n.o - n.t),
                power_rule__dropped=lambda n: (n.o - n.t) / 2,
                outside__plus=lambda n: n.o + n.t / 2,
            ),
            asked("dL/dz", lambda n: n.L_o * n.w * (1 - n.h**2),
                inner_dropped__activation=lambda n: n.L_o * n.w,
                pre_post_activation__z=lambda n: n.L_o * n.w * (1 - n.z**2),
                pre_post_activation__not_squared=lambda n: n.L_o * n.w * (1 - n.h),
                activation_rule__sigmoid=lambda n: n.L_o * n.w * n.h * (1 - n.h),
                inner_dropped__w=lambda n: n.L_o * (1 - n.h**2),
                product_own_factor__h=lambda n: n.L_o * n.h * (1 - n.h**2),
                sign__whole=lambda n: -n.L_o * n.w * (1 - n.h**2),
            ),
            asked("dL/dw", lambda n: n.L_o * n.h + n.L_z * n.x,
                fanout_overwrite__outer=lambda n: n.L_o * n.h,
                fanout_overwrite__inner=lambda n: n.L_z * n.x,
                sign__one=lambda n: n.L_o * n.h - n.L_z * n.x,
                swapped_variable__b=lambda n: n.L_z,
                inner_dropped__x=lambda n: n.L_o * n.h + n.L_z,
                chain_added__product=lambda n: n.L_o * n.h * n.L_z * n.x,
                not_a_gradient__update=lambda n: n.w - 0.1 * (n.L_o * n.h + n.L_z * n.x),
                product_own_factor__w=lambda n: n.L_o * n.h + n.L_z * n.w,
                result_for_input__h=lambda n: n.L_o * n.h + n.L_z * n.h,
                outside__mean_of_both=lambda n: (n.L_o * n.h + n.L_z * n.x) / 1.7,
            ),
            asked("dL/db", lambda n: n.L_z, swapped_variable__w=lambda n: n.L_w,
                not_a_gradient__update=lambda n: n.b - 0.1 * n.L_z),
        ),
    )  # fmt: skip


def units(draw: Draw) -> Asked:
    x, a, b, c = draw.some(4, 1.1)
    return Asked(
        "units",
        program(f"p = relu({a}*x)\nm = relu(-{b}*x)\nq = p*x + {c}*m", x=x),
        {"x": x, "a": a, "b": b, "c": c},
        (
            asked("q", lambda v: v.a * v.x * v.x, forward_slip__no_relu=lambda v: v.a * v.x * v.x - v.c * v.b * v.x,
                forward_slip__no_x=lambda v: v.a * v.x),
            asked("dq/dp", lambda v: v.x, product_own_factor__p=lambda v: v.a * v.x,
                outside__with_c=lambda v: v.x + v.c),
            asked("dq/dx", lambda v: v.q_p * v.a + v.a * v.x,
                relu_gate__open=lambda v: v.q_p * v.a + v.a * v.x - v.b * v.c,
                path_missed__p=lambda v: v.a * v.x,
                inner_dropped__a=lambda v: v.q_p + v.a * v.x,
                swapped_variable__p=lambda v: v.q_p,
            ),
        ),
    )  # fmt: skip


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
                power_rule__kept=lambda n: n.y_u * 2 * n.k * n.x**2,
                forward_slip_or_inner_dropped__no_k=lambda n: n.y_u * 2 * n.x,  # k is an inner derivative, too
                local_not_total__u=lambda n: 2 * n.k * n.x, sign__whole=lambda n: -n.y_u * 2 * n.k * n.x,
                not_a_gradient__update=lambda n: n.x - 0.1 * n.y_u * 2 * n.k * n.x,
                outer_at_wrong_point__cos=lambda n: n.y_v * cos(n.x) * 2 * n.k * n.x,
                inner_dropped__sine_and_exp=lambda n: n.y_w * n.l_v_u * 2 * n.k * n.x,
                outside__k_squared=lambda n: n.y_u * 2 * n.k**2 * n.x,
            ),
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


def within(p: float) -> float:
    return min(max(p, 0.01), 50.0)


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
