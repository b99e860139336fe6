"""Losses over vectors: logistic, a layer of a vector, softmax, regression on a batch, a weighted sum."""

from __future__ import annotations

from math import exp, log, tanh

import numpy as np

from tests.homework.klass.model import Asked, Draw, asked, hidden, program


def softmax(z: np.ndarray) -> np.ndarray:
    raised = np.exp(z - np.max(z))
    return raised / np.sum(raised)


def logistic(draw: Draw) -> Asked:
    a, b, x, y, c = draw.some(5, 0.3, 1.6)
    return Asked(
        "logistic",
        program("z = a*x - b*y + c\np = sigmoid(z)\nL = -log(1 - p)", a=a, b=b, x=x, y=y, c=c),
        {"a": a, "b": b, "x": x, "y": y, "c": c},
        (
            asked("z", lambda n: n.a * n.x - n.b * n.y + n.c,
                forward_slip__plus=lambda n: n.a * n.x + n.b * n.y + n.c,
                forward_slip__no_bias=lambda n: n.a * n.x - n.b * n.y,
                forward_slip__bias_sign=lambda n: n.a * n.x - n.b * n.y - n.c,
                outside__crossed=lambda n: n.a * n.y - n.b * n.x + n.c,
            ),
            asked("p", lambda n: 1 / (1 + exp(-n.z)), forward_slip__sign=lambda n: 1 / (1 + exp(n.z)),
                forward_slip__tanh=lambda n: tanh(n.z)),
            asked("L", lambda n: -log(1 - min(n.p, 0.99)), sign__lost=lambda n: log(1 - min(n.p, 0.99)),
                forward_slip__p=lambda n: -log(abs(n.p)), outside__base=lambda n: -log(1 - min(n.p, 0.99)) / log(10)),
            asked("dL/dp", lambda n: 1 / (1 - n.p), sign__minus=lambda n: -1 / (1 - n.p),
                outer_at_wrong_point__p=lambda n: 1 / n.p, forward_slip__plus=lambda n: 1 / (1 + n.p)),
            asked("dL/dz", lambda n: n.L_p * n.p * (1 - n.p),
                inner_dropped__sigmoid=lambda n: n.L_p,
                activation_rule__tanh=lambda n: n.L_p * (1 - n.p**2),
                pre_post_activation__z=lambda n: n.L_p * n.z * (1 - n.z),
                local_not_total__p=lambda n: n.p * (1 - n.p),
                chain_added__sum=lambda n: n.L_p + n.p * (1 - n.p),
                sign__whole=lambda n: -n.L_p * n.p * (1 - n.p),
                outside__half=lambda n: n.L_p * n.p * (1 - n.p) * 0.65,
            ),
            asked("dL/da", lambda n: n.L_z * n.x, product_own_factor__a=lambda n: n.L_z * n.a,
                swapped_variable__c=lambda n: n.L_z, swapped_variable__b=lambda n: -n.L_z * n.y,
                not_a_gradient__update=lambda n: n.a - 0.1 * n.L_z * n.x, result_for_input__p=lambda n: n.L_z * n.p),
            asked("dL/db", lambda n: -n.L_z * n.y, sign__lost=lambda n: n.L_z * n.y,
                product_own_factor__b=lambda n: -n.L_z * n.b, swapped_variable__a=lambda n: n.L_a),
            asked("dL/dc", lambda n: n.L_z, outside__times_c=lambda n: n.L_z * n.c,
                swapped_variable__p=lambda n: n.L_p),
        ),
    )  # fmt: skip


def vector_layer(draw: Draw) -> Asked:
    W, x, b, v = draw.signed(3, 3, high=2.8), draw.signed(3, high=1.9), draw.signed(3, high=0.9), draw.signed(3)
    t = draw.some(1)[0]
    return Asked(
        "vector",
        program("z = W @ x + b\nh = relu(z)\ny = v @ h\nL = (y - t)**2", W=W, x=x, b=b, v=v, t=t),
        {"W": W, "x": x, "b": b, "v": v, "t": t},
        (
            asked("z", lambda n: n.W @ n.x + n.b,
                transpose__W=lambda n: n.W.T @ n.x + n.b,
                forward_slip__no_bias=lambda n: n.W @ n.x,
                forward_slip__minus=lambda n: n.W @ n.x - n.b,
                outside__diagonal=lambda n: np.diag(n.W) * n.x + n.b,
            ),
            hidden("h", lambda n: np.maximum(n.z, 0)),
            asked("y", lambda n: n.v @ n.h, forward_slip__no_relu=lambda n: n.v @ n.z,
                outside__norm=lambda n: n.v @ n.h / 3.3),
            asked("dL/dy", lambda n: 2 * (n.y - n.t), power_rule__dropped=lambda n: n.y - n.t,
                sign__whole=lambda n: 2 * (n.t - n.y), not_a_gradient__L=lambda n: (n.y - n.t) ** 2),
            asked("dL/dv", lambda n: n.L_y * n.h,
                result_for_input__z=lambda n: n.L_y * n.z,
                product_own_factor__v=lambda n: n.L_y * n.v,
                local_not_total__h=lambda n: n.h,
                not_a_gradient__update=lambda n: n.v - 0.1 * n.L_y * n.h,
            ),
            hidden("L_h", lambda n: n.L_y * n.v, product_own_factor__h=lambda n: n.L_y * n.h),
            asked("dL/dz", lambda n: n.L_h * (n.z > 0),
                relu_gate__open=lambda n: n.L_h,
                relu_gate__inverted=lambda n: n.L_h * (n.z <= 0),
                relu_gate__by_gradient=lambda n: np.maximum(n.L_h, 0),
                outside__times_h=lambda n: n.L_h * n.h,
            ),
            asked("dL/dW", lambda n: np.outer(n.L_z, n.x),
                transpose__turned=lambda n: np.outer(n.x, n.L_z),
                result_for_input__h=lambda n: np.outer(n.L_z, n.h),
                sign__whole=lambda n: -np.outer(n.L_z, n.x),
                inner_dropped__x=lambda n: np.outer(n.L_z, np.ones(3)),
                elementwise__vector=lambda n: n.L_z * n.x,
                not_a_gradient__update=lambda n: n.W - 0.01 * np.outer(n.L_z, n.x),
            ),
            asked("dL/dx", lambda n: n.W.T @ n.L_z,
                transpose__left_out=lambda n: n.W @ n.L_z,
                swapped_variable__b=lambda n: n.L_z,
                sign__whole=lambda n: -n.W.T @ n.L_z,
                outside__row_sums=lambda n: np.sum(n.W, 1) * n.L_z,
            ),
        ),
    )  # fmt: skip


def scores(draw: Draw) -> Asked:
    z = draw.signed(4, high=1.8)
    place = int(draw.random.integers(4))
    y = np.eye(4)[place]
    return Asked(
        "scores",
        program("p = softmax(z, 0)\nL = -sum(y*log(p))", z=z, y=y),
        {"z": z, "y": y},
        (
            asked("p", lambda n: softmax(n.z),
                outside__no_exp=lambda n: np.abs(n.z) / np.sum(np.abs(n.z)),
                forward_slip__unnormalised=lambda n: np.exp(n.z),
                forward_slip__sigmoid=lambda n: 1 / (1 + np.exp(-n.z)),
            ),
            asked("L", lambda n: -np.sum(n.y * np.log(np.abs(n.p))),
                sign__lost=lambda n: np.sum(n.y * np.log(np.abs(n.p))),
                forward_slip__no_log=lambda n: -np.sum(n.y * n.p),
                outside__base=lambda n: -np.sum(n.y * np.log2(np.abs(n.p))),
                forward_slip__no_labels=lambda n: -np.sum(np.log(np.abs(n.p))),
            ),
            asked("dL/dp", lambda n: -n.y / n.p,
                sign__lost=lambda n: n.y / n.p,
                inner_dropped__y=lambda n: -1 / n.p,
                outside__times=lambda n: -n.y * n.p,
            ),
            asked("dL/dz", lambda n: n.p - n.y,
                softmax__no_one_hot=lambda n: n.p,
                sign__whole=lambda n: n.y - n.p,
                softmax__wrong_labels=lambda n: n.p - np.roll(n.y, 1),
                softmax__diagonal=lambda n: -n.y * (1 - n.p),
                outside__squared=lambda n: (n.p - n.y) ** 2,
            ),
        ),
    )  # fmt: skip


def jacobian(draw: Draw) -> Asked:
    z, k = draw.signed(3, high=1.6), draw.some(1)[0]
    return Asked(
        "jacobian",
        program(f"p = softmax(z, 0)\nq = {k}*p[1]", z=z),
        {"z": z, "k": k},
        (
            hidden("p", lambda n: softmax(n.z)),
            asked("q", lambda n: n.k * n.p[1], outside__first=lambda n: n.k * n.p[0],
                forward_slip__no_k=lambda n: n.p[1]),
            asked("dq/dz", lambda n: n.k * n.p[1] * (np.eye(3)[1] - n.p),
                softmax__diagonal=lambda n: n.k * n.p[1] * (1 - n.p[1]) * np.eye(3)[1],
                sign__whole=lambda n: -n.k * n.p[1] * (np.eye(3)[1] - n.p),
                softmax__no_one_hot=lambda n: -n.k * n.p[1] * n.p,
                inner_dropped__k=lambda n: n.p[1] * (np.eye(3)[1] - n.p),
                outside__plus=lambda n: n.k * n.p[1] * (np.eye(3)[1] + n.p),
            ),
        ),
    )  # fmt: skip


def regression(draw: Draw) -> Asked:
    X, w, y = draw.signed(4, 2, high=2.4), draw.signed(2, high=1.8), draw.signed(4, high=2.2)
    b = draw.some(1)[0]
    return Asked(
        "regression",
        program("p = X @ w + b\nr = p - y\nL = sum(r**2)/4", X=X, w=w, b=b, y=y),
        {"X": X, "w": w, "b": b, "y": y},
        (
            asked("r", lambda n: n.X @ n.w + n.b - n.y,
                forward_slip__no_bias=lambda n: n.X @ n.w - n.y,
                sign__whole=lambda n: n.y - n.X @ n.w - n.b,
                forward_slip__plus=lambda n: n.X @ n.w + n.b + n.y,
                forward_slip__no_target=lambda n: n.X @ n.w + n.b,
            ),
            asked("L", lambda n: np.sum(n.r**2) / 4,
                mean_n__forgotten=lambda n: np.sum(n.r**2),
                forward_slip__no_square=lambda n: np.sum(n.r) / 4,
                outside__square_of_sum=lambda n: np.sum(n.r) ** 2 / 4,
                forward_slip__times=lambda n: np.sum(n.r**2) * 4,
            ),
            asked("dL/dr", lambda n: n.r / 2,
                mean_n__forgotten=lambda n: 2 * n.r,
                power_rule__dropped=lambda n: n.r / 4,
                power_rule__kept=lambda n: n.r**2 / 2,
                sign__whole=lambda n: -n.r / 2,
                mean_n__twice=lambda n: n.r / 8,
            ),
            asked("dL/dw", lambda n: n.X.T @ n.L_r,
                inner_dropped__X=lambda n: np.sum(n.L_r) * np.ones(2),
                broadcast_unsummed__all=lambda n: n.X * n.L_r[:, None],
                mean_n__forgotten=lambda n: 4 * n.X.T @ n.L_r,
                mean_n__twice=lambda n: n.X.T @ n.L_r / 4,
                sign__whole=lambda n: -n.X.T @ n.L_r,
                not_a_gradient__update=lambda n: n.w - 0.1 * n.X.T @ n.L_r,
                outside__n_minus_one=lambda n: n.X.T @ n.L_r * 4 / 3,
            ),
            asked("dL/db", lambda n: np.sum(n.L_r),
                broadcast_unsummed__none=lambda n: n.L_r,
                broadcast_unsummed__mean=lambda n: np.mean(n.L_r),
                broadcast_unsummed__first=lambda n: n.L_r[0],
                sign__whole=lambda n: -np.sum(n.L_r),
                mean_n__forgotten=lambda n: 4 * np.sum(n.L_r),
                outside__rows=lambda n: np.sum(n.L_r[:3]),
            ),
        ),
    )  # fmt: skip
