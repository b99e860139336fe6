"""Scalar chains: bells, branches that meet, kinks, tied weights, deep neurons, logarithms."""

from __future__ import annotations

from math import cos, exp, log, log1p, log10, radians, sin, sqrt, tanh

from tests.homework.klass.model import Asked, Draw, asked, hidden, program


def bell(draw: Draw) -> Asked:
    x, m, v = draw.some(3, 0.6, 2.4)
    return Asked(
        "bell",
        program("d = x - m\nz = d**2/(2*v)\np = exp(-z)", x=x, m=m, v=v),
        {"x": x, "m": m, "v": v},
        (
            hidden("d", lambda n: n.x - n.m),
            asked("z", lambda n: n.d**2 / (2 * n.v),
                forward_slip__no_square=lambda n: n.d / (2 * n.v),
                forward_slip__plus=lambda n: (n.x + n.m) ** 2 / (2 * n.v),
                forward_slip__times_v=lambda n: n.d**2 / 2 * n.v,
                forward_slip__no_two=lambda n: n.d**2 / n.v,
                outside__v_squared=lambda n: n.d**2 / (2 * n.v**2),
            ),
            asked("p", lambda n: exp(-n.z), forward_slip__no_minus=lambda n: exp(n.z),
                outside__power_of_ten=lambda n: 10**-n.z),
            asked("dp/dz", lambda n: -n.p, sign__lost=lambda n: n.p,
                power_rule__exponential=lambda n: n.z * exp(-n.z - 1),
                not_a_gradient__z=lambda n: n.z),
            asked("dp/dx", lambda n: n.p_z * 2 * n.d / (2 * n.v),
                inner_dropped__d=lambda n: n.p_z,
                power_rule__dropped=lambda n: n.p_z * n.d / (2 * n.v),
                power_rule__kept=lambda n: n.p_z * 2 * n.d**2 / (2 * n.v),
                sign__whole=lambda n: -n.p_z * n.d / n.v,
                local_not_total__z=lambda n: n.d / n.v,
                chain_added__sum=lambda n: n.p_z + n.d / n.v,
                not_a_gradient__update=lambda n: n.x - 0.1 * n.p_z * n.d / n.v,
            ),
            asked("dp/dm", lambda n: -n.p_x,
                sign__lost=lambda n: n.p_x,
                swapped_variable__v=lambda n: -n.p_z * n.d**2 / (2 * n.v**2),
                outside__squared=lambda n: n.p_x**2),
            asked("dp/dv", lambda n: -n.p_z * n.d**2 / (2 * n.v**2),
                quotient__sign=lambda n: n.p_z * n.d**2 / (2 * n.v**2),
                quotient__not_squared=lambda n: -n.p_z * n.d**2 / (2 * n.v),
                local_not_total__z=lambda n: -n.d**2 / (2 * n.v**2),
                swapped_variable__x=lambda n: n.p_x,
            ),
        ),
    )  # fmt: skip


def meeting(draw: Draw) -> Asked:
    x, y, k = draw.some(3, 0.4, 1.9)
    return Asked(
        "meeting",
        program(f"a = x*y\nb = x + {k}*y\nc = a*b\nf = c + sin(x)", x=x, y=y),
        {"x": x, "y": y, "k": k},
        (
            asked("f", lambda n: n.x * n.y * (n.x + n.k * n.y) + sin(n.x),
                degrees__sin=lambda n: n.x * n.y * (n.x + n.k * n.y) + sin(radians(n.x)),
                forward_slip__minus=lambda n: n.x * n.y * (n.x + n.k * n.y) - sin(n.x),
                forward_slip__cos=lambda n: n.x * n.y * (n.x + n.k * n.y) + cos(n.x),
                forward_slip__c_alone=lambda n: n.x * n.y * (n.x + n.k * n.y),
            ),
            asked("df/da", lambda n: n.x + n.k * n.y, product_own_factor__a=lambda n: n.x * n.y,
                forward_slip__no_y=lambda n: 1.0 * n.x, outside__twice=lambda n: 2 * (n.x + n.k * n.y) - n.y),
            asked("df/db", lambda n: n.x * n.y, product_own_factor__b=lambda n: n.x + n.k * n.y,
                sign__whole=lambda n: -n.x * n.y, swapped_variable__a=lambda n: n.f_a),
            asked("df/dx", lambda n: n.f_a * n.y + n.f_b + cos(n.x),
                path_missed__sine=lambda n: n.f_a * n.y + n.f_b,
                path_missed__b=lambda n: n.f_a * n.y + cos(n.x),
                path_missed__a=lambda n: n.f_b + cos(n.x),
                fanout_overwrite__sine_alone=lambda n: cos(n.x),
                sign__sine=lambda n: n.f_a * n.y + n.f_b - cos(n.x),
                degrees__sine=lambda n: n.f_a * n.y + n.f_b + cos(radians(n.x)),
                product_own_factor__x=lambda n: n.f_a * n.x + n.f_b + cos(n.x),
                not_a_gradient__value_of_f=lambda n: n.f,
                outside__product_of_two=lambda n: n.f_a * n.y * n.f_b + cos(n.x),
            ),
            asked("df/dy", lambda n: n.f_a * n.x + n.f_b * n.k,
                inner_dropped__k=lambda n: n.f_a * n.x + n.f_b,
                path_missed__b=lambda n: n.f_a * n.x,
                path_missed__a=lambda n: n.f_b * n.k,
                swapped_variable__x=lambda n: n.f_x,
                product_own_factor__y=lambda n: n.f_a * n.y + n.f_b * n.k,
                sign__one=lambda n: n.f_a * n.x - n.f_b * n.k,
                chain_added__product=lambda n: n.f_a * n.x * n.f_b * n.k,
            ),
        ),
    )  # fmt: skip


def kinks(draw: Draw) -> Asked:
    x, y, w, t = sorted(draw.some(4, 1.1, 3.0))
    return Asked(
        "kinks",
        program("r = relu(t*x - w)\nm = maximum(x, y)\ne = abs(x - y)\nL = r*m + e**2", x=x, y=y, w=w, t=t),
        {"x": x, "y": y, "w": w, "t": t},
        (
            asked("r", lambda n: max(n.t * n.x - n.w, 0), forward_slip__plus=lambda n: n.t * n.x + n.w,
                forward_slip__no_bias=lambda n: n.t * n.x,
                outside__bias_inside=lambda n: n.t * (n.x - n.w) + 2 * n.w),
            asked("L", lambda n: n.r * max(n.x, n.y) + (n.x - n.y) ** 2,
                forward_slip__minimum=lambda n: n.r * min(n.x, n.y) + (n.x - n.y) ** 2,
                forward_slip__no_square=lambda n: n.r * max(n.x, n.y) + abs(n.x - n.y),
                forward_slip__minus=lambda n: n.r * max(n.x, n.y) - (n.x - n.y) ** 2,
            ),
            asked("dL/dr", lambda n: max(n.x, n.y), product_own_factor__r=lambda n: n.r),
            asked("dL/dm", lambda n: n.r, product_own_factor__m=lambda n: max(n.x, n.y),
                swapped_variable__r=lambda n: n.L_r, outside__product=lambda n: n.r * max(n.x, n.y) / 2),
            asked("dL/dx", lambda n: n.L_r * n.t + 2 * (n.x - n.y),
                path_missed__abs=lambda n: n.L_r * n.t,
                path_missed__relu=lambda n: 2 * (n.x - n.y),
                sign__abs=lambda n: n.L_r * n.t - 2 * (n.x - n.y),
                power_rule__dropped=lambda n: n.L_r * n.t + (n.x - n.y),
                relu_gate__maximum_open=lambda n: n.L_r * n.t + 2 * (n.x - n.y) + n.r,
                inner_dropped__t=lambda n: n.L_r + 2 * (n.x - n.y),
            ),
            asked("dL/dy", lambda n: n.L_m - 2 * (n.x - n.y),
                sign__abs=lambda n: n.L_m + 2 * (n.x - n.y),
                path_missed__maximum=lambda n: -2 * (n.x - n.y),
                path_missed__abs=lambda n: n.L_m,
                swapped_variable__x=lambda n: n.L_x,
                power_rule__dropped=lambda n: n.L_m - (n.x - n.y),
            ),
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


def deep(draw: Draw) -> Asked:
    x, u, v, w, t = draw.some(5, 0.3, 1.7)
    return Asked(
        "deep",
        program("p = sigmoid(u*x)\nq = sigmoid(v*p)\ny = w*q\nE = (t - y)**2", x=x, u=u, v=v, w=w, t=t),
        {"x": x, "u": u, "v": v, "w": w, "t": t},
        (
            asked("p", lambda n: 1 / (1 + exp(-n.u * n.x)), forward_slip__tanh=lambda n: tanh(n.u * n.x),
                forward_slip__sign=lambda n: 1 / (1 + exp(n.u * n.x)),
                forward_slip__sum=lambda n: 1 / (1 + exp(-n.u - n.x)),
                outside__no_one=lambda n: 1 / (2 + exp(-n.u * n.x))),
            asked("q", lambda n: 1 / (1 + exp(-n.v * n.p)), forward_slip__no_sigmoid=lambda n: n.v * n.p,
                forward_slip__no_v=lambda n: 1 / (1 + exp(-n.p))),
            hidden("y", lambda n: n.w * n.q),
            asked("dE/dy", lambda n: -2 * (n.t - n.y),
                sign__minus=lambda n: 2 * (n.t - n.y), power_rule__dropped=lambda n: -(n.t - n.y),
                power_rule__kept=lambda n: -2 * (n.t - n.y) ** 2),
            asked("dE/dq", lambda n: n.E_y * n.w, product_own_factor__q=lambda n: n.E_y * n.q,
                local_not_total__w=lambda n: n.w, chain_added__w=lambda n: n.E_y + n.w),
            asked("dE/dp", lambda n: n.E_q * n.q * (1 - n.q) * n.v,
                inner_dropped__v=lambda n: n.E_q * n.q * (1 - n.q),
                inner_dropped__sigmoid=lambda n: n.E_q * n.v,
                pre_post_activation__again=lambda n: n.E_q * lean(n.q) * n.v,
                activation_rule__tanh=lambda n: n.E_q * (1 - n.q**2) * n.v,
                activation_rule__no_q=lambda n: n.E_q * (1 - n.q) * n.v,
                product_own_factor__p=lambda n: n.E_q * n.q * (1 - n.q) * n.p,
                local_not_total__q=lambda n: n.v * n.q * (1 - n.q),
            ),
            asked("dE/dv", lambda n: n.E_q * n.q * (1 - n.q) * n.p,
                product_own_factor__v=lambda n: n.E_q * n.q * (1 - n.q) * n.v,
                result_for_input__x=lambda n: n.E_q * n.q * (1 - n.q) * n.x,
                sign__whole=lambda n: -n.E_q * n.q * (1 - n.q) * n.p,
                not_a_gradient__update=lambda n: n.v - 0.5 * n.E_q * n.q * (1 - n.q) * n.p,
                inner_dropped__p=lambda n: n.E_q * n.q * (1 - n.q),
                outside__plus_w=lambda n: n.E_q * n.q * (1 - n.q) * n.p + n.w * n.u,
            ),
            asked("dE/du", lambda n: n.E_p * n.p * (1 - n.p) * n.x,
                inner_dropped__x=lambda n: n.E_p * n.p * (1 - n.p),
                inner_dropped__sigmoid=lambda n: n.E_p * n.x,
                pre_post_activation__input=lambda n: n.E_p * n.u * n.x * (1 - n.u * n.x) * n.x,
                activation_rule__tanh=lambda n: n.E_p * (1 - n.p**2) * n.x,
                product_own_factor__u=lambda n: n.E_p * n.p * (1 - n.p) * n.u,
                swapped_variable__v=lambda n: n.E_v,
                outside__two_activations=lambda n: n.E_p * (n.p * (1 - n.p)) ** 2 * n.x,
            ),
        ),
    )  # fmt: skip


def lean(a: float) -> float:
    s = 1 / (1 + exp(-a))
    return s * (1 - s)


def logs(draw: Draw) -> Asked:
    x, a, b = draw.some(3, 1.1)
    return Asked(
        "logs",
        program(f"u = sqrt(x + {a})\nv = log({b}*x**2)\ny = u/v + u", x=x),
        {"x": x, "a": a, "b": b},
        (
            asked("u", lambda n: sqrt(n.x + n.a), forward_slip__no_root=lambda n: n.x + n.a,
                forward_slip__minus=lambda n: sqrt(n.x - n.a), outside__roots=lambda n: sqrt(n.x) + sqrt(n.a)),
            asked("v", lambda n: log(n.b * n.x**2), outside__base_ten=lambda n: log10(n.b * n.x**2),
                forward_slip__no_square=lambda n: log(n.b * n.x), forward_slip__no_factor=lambda n: log(n.x**2),
                outside__log1p=lambda n: log1p(n.b * n.x**2)),
            asked("local du/dx", lambda n: 0.5 / n.u, power_rule__factor=lambda n: 1 / n.u,
                power_rule__kept=lambda n: 0.5 * n.u, sign__minus=lambda n: -0.5 / n.u,
                outer_at_wrong_point__x=lambda n: 0.5 / sqrt(n.x)),
            asked("dv/dx", lambda n: 2 / n.x, power_rule__dropped=lambda n: 1 / n.x,
                inner_dropped__all=lambda n: 1 / (n.b * n.x**2), sign__minus=lambda n: -2 / n.x,
                outer_at_derivative__inner=lambda n: 1 / (2 * n.b * n.x),
                outside__no_square=lambda n: 2 * n.b / n.x + 0.3),
            asked("dy/du", lambda n: 1 / n.v + 1, path_missed__sum=lambda n: 1 / n.v,
                quotient__squared=lambda n: 1 / n.v**2 + 1, sign__minus=lambda n: -1 / n.v + 1),
            asked("dy/dv", lambda n: -n.u / n.v**2, quotient__sign=lambda n: n.u / n.v**2,
                quotient__not_squared=lambda n: -n.u / n.v, swapped_variable__u=lambda n: n.y_u),
            asked("dy/dx", lambda n: n.y_u * n.l_u_x + n.y_v * n.v_x,
                path_missed__v=lambda n: n.y_u * n.l_u_x,
                path_missed__u=lambda n: n.y_v * n.v_x,
                path_missed__direct=lambda n: n.l_u_x / n.v + n.y_v * n.v_x,
                quotient__sign=lambda n: n.y_u * n.l_u_x - n.y_v * n.v_x,
                quotient__derivatives=lambda n: n.l_u_x / n.v_x + n.l_u_x,
                inner_dropped__u=lambda n: n.y_u + n.y_v * n.v_x,
                inner_dropped__v=lambda n: n.y_u * n.l_u_x + n.y_v,
                outside__product=lambda n: n.y_u * n.v_x + n.y_v * n.l_u_x,
            ),
        ),
    )  # fmt: skip
