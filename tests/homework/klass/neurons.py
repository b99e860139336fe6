"""Neurons: sigmoid, tanh and relu, with a squared error."""

from __future__ import annotations

from math import exp, tanh

from tests.homework.klass.model import Asked, Draw, asked, program


def sigmoid(z: float) -> float:
    return 1 / (1 + exp(-z))


def neuron(draw: Draw) -> Asked:
    w, x, b, t = draw.some(4, 0.3, 1.9)
    return Asked(
        "neuron",
        program("z = w*x + b\na = sigmoid(z)\nL = (a - t)**2", w=w, x=x, b=-b, t=t),
        {"w": w, "x": x, "b": -b, "t": t},
        (
            asked("z", lambda v: v.w * v.x + v.b,
                forward_slip__no_bias=lambda v: v.w * v.x,
                forward_slip__minus=lambda v: v.w * v.x - v.b,
                outside__bias_inside=lambda v: v.w * (v.x + v.b),
            ),
            asked("a", lambda v: sigmoid(v.z),
                forward_slip__tanh=lambda v: tanh(v.z),
                forward_slip__relu=lambda v: max(v.z, 0.0),
                forward_slip__exp=lambda v: sigmoid(-v.z),
                outside__exp=lambda v: exp(v.z),
            ),
            asked("local da/dz", lambda v: v.a * (1 - v.a),
                pre_post_activation__z=lambda v: v.z * (1 - v.z),
                pre_post_activation__again=lambda v: sigmoid(v.a) * (1 - sigmoid(v.a)),
                activation_rule__no_a=lambda v: 1 - v.a,
                activation_rule__tanh=lambda v: 1 - v.a**2,
                sign__whole=lambda v: -v.a * (1 - v.a),
                outside__a_squared=lambda v: v.a**2,
            ),
            asked("dL/da", lambda v: 2 * (v.a - v.t),
                sign__whole=lambda v: 2 * (v.t - v.a),
                power_rule__dropped=lambda v: v.a - v.t,
                power_rule__kept=lambda v: 2 * (v.a - v.t) ** 2,
                not_a_gradient__L=lambda v: (v.a - v.t) ** 2,
            ),
            asked("dL/dz", lambda v: v.L_a * v.l_a_z,
                local_not_total__da_dz=lambda v: v.l_a_z,
                inner_dropped__activation=lambda v: v.L_a,
                chain_added__sum=lambda v: v.L_a + v.l_a_z,
                activation_rule__no_a=lambda v: v.L_a * (1 - v.a),
            ),
            asked("dL/dw", lambda v: v.L_z * v.x,
                product_own_factor__w=lambda v: v.L_z * v.w,
                swapped_variable__b=lambda v: v.L_z,
                not_a_gradient__update=lambda v: v.w - 0.1 * v.L_z * v.x,
                sign__whole=lambda v: -v.L_z * v.x,
                result_for_input__a=lambda v: v.L_z * v.a,
                result_for_input__z=lambda v: v.L_z * v.z,
            ),
            asked("dL/db", lambda v: v.L_z,
                not_a_gradient__update=lambda v: v.b - 0.5 * v.L_z,
                outside__times_b=lambda v: v.L_z * v.b,
                swapped_variable__w=lambda v: v.L_w,
            ),
        ),
    )  # fmt: skip


def tanh_neuron(draw: Draw) -> Asked:
    w, x, b, u = draw.some(4, 0.3, 1.6)
    return Asked(
        "tanh",
        program("z = w*x - b\nh = tanh(z)\no = u*h\nE = o**2", w=w, x=x, b=b, u=u),
        {"w": w, "x": x, "b": b, "u": u},
        (
            asked("h", lambda v: tanh(v.w * v.x - v.b),
                forward_slip__plus=lambda v: tanh(v.w * v.x + v.b),
                forward_slip__no_bias=lambda v: tanh(v.w * v.x),
                forward_slip__sigmoid=lambda v: sigmoid(v.w * v.x - v.b),
            ),
            asked("local dh/dz", lambda v: 1 - v.h**2,
                pre_post_activation__z=lambda v: 1 - (v.w * v.x - v.b) ** 2,
                pre_post_activation__again=lambda v: 1 - tanh(v.h) ** 2,
                pre_post_activation__not_squared=lambda v: 1 - v.h,
                activation_rule__sigmoid=lambda v: v.h * (1 - v.h),
            ),
            asked("dE/dh", lambda v: 2 * v.u * v.h * v.u,
                inner_dropped__u=lambda v: 2 * v.u * v.h,
                power_rule__dropped=lambda v: v.u * v.h * v.u,
                local_not_total__u=lambda v: v.u,
                outside__u_cubed=lambda v: 2 * v.h * v.u**3,
            ),
            asked("dE/dw", lambda v: v.E_h * v.l_h_z * v.x,
                inner_dropped__activation=lambda v: v.E_h * v.x,
                inner_dropped__x=lambda v: v.E_h * v.l_h_z,
                product_own_factor__w=lambda v: v.E_h * v.l_h_z * v.w,
                swapped_variable__x=lambda v: v.E_h * v.l_h_z * v.w,
                activation_rule__sigmoid=lambda v: v.E_h * v.h * (1 - v.h) * v.x,
                sign__whole=lambda v: -v.E_h * v.l_h_z * v.x,
                outside__cosh=lambda v: v.E_h / v.l_h_z * v.x,
            ),
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
