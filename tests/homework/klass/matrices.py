"""Questions on matrices: products, two layers, softmax with cross entropy, broadcasting, means."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.homework.klass.model import Asked, Draw, asked, hidden, program


def summed(x: Any, axis: int) -> Any:
    return np.sum(x, axis)


def matrices(draw: Draw) -> Asked:
    A, B, C = draw.signed(2, 2), draw.signed(2, 2), draw.signed(2, 2)
    return Asked(
        "matrices",
        program("M = A @ B\nL = sum(M**2*C)", A=A, B=B, C=C),
        {"A": A, "B": B, "C": C},
        (
            asked("M", lambda v: v.A @ v.B,
                elementwise__product=lambda v: v.A * v.B,
                factors_order__BA=lambda v: v.B @ v.A,
                transpose__B=lambda v: v.A @ v.B.T,
                outside__one_row=lambda v: np.vstack([(v.A @ v.B)[0], (v.A * v.B)[1]]),
            ),
            asked("dL/dM", lambda v: 2 * v.M * v.C,
                power_rule__dropped=lambda v: v.M * v.C,
                swapped_variable__C=lambda v: v.M**2,
                transpose__whole=lambda v: (2 * v.M * v.C).T,
                sign__whole=lambda v: -2 * v.M * v.C,
                outside__matmul=lambda v: 2 * v.M @ v.C,
            ),
            asked("dL/dA", lambda v: v.L_M @ v.B.T,
                transpose__left_out=lambda v: v.L_M @ v.B,
                transpose__whole=lambda v: (v.L_M @ v.B.T).T,
                factors_order__swapped=lambda v: v.B.T @ v.L_M,
                elementwise__product=lambda v: v.L_M * v.B,
                result_for_input__M=lambda v: v.L_M @ v.M.T,
                outside__inverse=lambda v: v.L_M @ np.linalg.inv(v.B),
            ),
            asked("dL/dB", lambda v: v.A.T @ v.L_M,
                transpose__left_out=lambda v: v.A @ v.L_M,
                swapped_variable__A=lambda v: v.L_A,
                factors_order__swapped=lambda v: v.L_M @ v.A.T,
                elementwise__product=lambda v: v.A * v.L_M,
                not_a_gradient__update=lambda v: v.B - 0.01 * v.A.T @ v.L_M,
            ),
        ),
    )  # fmt: skip


def layers(draw: Draw) -> Asked:
    X, W, b = draw.signed(3, 2, high=2.2), draw.signed(2, 2, high=1.5), draw.signed(2, high=0.9)
    U, Y = draw.signed(2, 2, high=1.5), draw.signed(3, 2, high=1.5)
    return Asked(
        "layers",
        program("Z = X @ W + b\nA = tanh(Z)\nO = A @ U\nL = mean((O - Y)**2)", X=X, W=W, b=b, U=U, Y=Y),
        {"X": X, "W": W, "b": b, "U": U, "Y": Y},
        (
            asked("Z", lambda v: v.X @ v.W + v.b,
                forward_slip__no_bias=lambda v: v.X @ v.W,
                forward_slip__minus=lambda v: v.X @ v.W - v.b,
                transpose__W=lambda v: v.X @ v.W.T + v.b,
            ),
            hidden("A", lambda v: np.tanh(v.Z)),
            asked("O", lambda v: v.A @ v.U,
                forward_slip__no_activation=lambda v: v.Z @ v.U,
                forward_slip__sigmoid=lambda v: 1 / (1 + np.exp(-v.Z)) @ v.U,
                transpose__U=lambda v: v.A @ v.U.T,
            ),
            asked("dL/dO", lambda v: 2 * (v.O - v.Y) / 6,
                mean_n__forgotten=lambda v: 2 * (v.O - v.Y),
                batch_n__rows=lambda v: 2 * (v.O - v.Y) / 3,
                sign__whole=lambda v: 2 * (v.Y - v.O) / 6,
                power_rule__dropped=lambda v: (v.O - v.Y) / 6,
                forward_slip__no_target=lambda v: 2 * v.O / 6,
                outside__root=lambda v: (v.O - v.Y) / np.sqrt(np.mean((v.O - v.Y) ** 2)),
            ),
            asked("dL/dU", lambda v: v.A.T @ v.L_O,
                result_for_input__Z=lambda v: v.Z.T @ v.L_O,
                transpose__whole=lambda v: (v.A.T @ v.L_O).T,
                result_for_input__O=lambda v: v.O.T @ v.L_O,
                not_a_gradient__update=lambda v: v.U - 0.1 * v.A.T @ v.L_O,
            ),
            hidden("L_A", lambda v: v.L_O @ v.U.T,
                transpose__U_left_out=lambda v: v.L_O @ v.U,
            ),
            asked("dL/dZ", lambda v: v.L_A * (1 - v.A**2),
                inner_dropped__activation=lambda v: v.L_A,
                activation_rule__sigmoid=lambda v: v.L_A * v.A * (1 - v.A),
                pre_post_activation__Z=lambda v: v.L_A * (1 - v.Z**2),
                pre_post_activation__not_squared=lambda v: v.L_A * (1 - v.A),
                outside__square_outside=lambda v: v.L_A * (1 - v.A) ** 2,
            ),
            asked("dL/dW", lambda v: v.X.T @ v.L_Z,
                result_for_input__A=lambda v: v.A.T @ v.L_Z,
                transpose__whole=lambda v: (v.X.T @ v.L_Z).T,
                swapped_variable__U=lambda v: v.L_U,
                sign__whole=lambda v: -v.X.T @ v.L_Z,
                outside__divided=lambda v: v.X.T @ v.L_Z / 2.5,
            ),
            asked("dL/db", lambda v: summed(v.L_Z, 0),
                broadcast_unsummed__none=lambda v: v.L_Z,
                broadcast_unsummed__mean=lambda v: summed(v.L_Z, 0) / 3,
                broadcast_unsummed__axis=lambda v: summed(v.L_Z, 1),
                broadcast_unsummed__first=lambda v: v.L_Z[0],
            ),
        ),
    )  # fmt: skip


def relu_layer(draw: Draw) -> Asked:
    X, W, b, u = draw.signed(2, 2, high=2.2), draw.signed(2, 2, high=2.2), draw.signed(2, high=0.9), draw.signed(2)
    return Asked(
        "relu",
        program("Z = X @ W + b\nH = relu(Z)\nS = sum(H*u)\nL = S**2", X=X, W=W, b=b, u=u),
        {"X": X, "W": W, "b": b, "u": u},
        (
            hidden("Z", lambda v: v.X @ v.W + v.b),
            asked("H", lambda v: np.maximum(v.Z, 0),
                forward_slip__no_relu=lambda v: v.Z,
                forward_slip__no_bias=lambda v: np.maximum(v.X @ v.W, 0),
                forward_slip__tanh=lambda v: np.tanh(v.Z),
                outside__abs=lambda v: np.abs(v.Z),
            ),
            asked("dL/dH", lambda v: 2 * np.sum(v.H * v.u) * np.ones((2, 2)) * v.u,
                power_rule__dropped=lambda v: np.sum(v.H * v.u) * np.ones((2, 2)) * v.u,
                broadcast_unsummed__row=lambda v: 2 * np.sum(v.H * v.u) * v.u,
                local_not_total__u=lambda v: np.ones((2, 2)) * v.u,
                outside__masked_twice=lambda v: 2 * np.sum(v.H * v.u) * v.H * v.u,
            ),
            asked("dL/dZ", lambda v: v.L_H * (v.H > 0),
                relu_gate__open=lambda v: v.L_H,
                relu_gate__inverted=lambda v: v.L_H * (v.H <= 0),
                relu_gate__by_gradient=lambda v: np.maximum(v.L_H, 0),
                outside__times_H=lambda v: v.L_H * v.H,
            ),
            asked("dL/db", lambda v: summed(v.L_Z, 0),
                broadcast_unsummed__none=lambda v: v.L_Z,
                broadcast_unsummed__axis=lambda v: summed(v.L_Z, 1),
                broadcast_unsummed__mean=lambda v: summed(v.L_Z, 0) / 2,
                broadcast_unsummed__last=lambda v: v.L_Z[-1],
            ),
        ),
    )  # fmt: skip


def softmax(Z: Any, axis: int = 1) -> Any:
    raised = np.exp(Z - np.max(Z, axis, keepdims=True))
    return raised / np.sum(raised, axis, keepdims=True)


def classes(draw: Draw) -> Asked:
    X, W = draw.signed(2, 2, high=1.8), draw.signed(2, 3, high=1.8)
    labels = [int(one) for one in draw.random.choice(3, 2, replace=False)]
    hot = np.eye(3)[labels]
    return Asked(
        "classes",
        program(f"Z = X @ W\nP = softmax(Z, 1)\nL = cross_entropy(Z, {labels})", X=X, W=W),
        {"X": X, "W": W, "hot": hot},
        (
            hidden("Z", lambda v: v.X @ v.W),
            asked("P", lambda v: softmax(v.Z),
                softmax__wrong_axis=lambda v: softmax(v.Z, 0),
                outside__no_exp=lambda v: v.Z / np.sum(v.Z, 1, keepdims=True),
            ),
            asked("L", lambda v: -np.sum(v.hot * np.log(np.abs(v.P))) / 2,
                mean_n__forgotten=lambda v: -np.sum(v.hot * np.log(np.abs(v.P))),
                sign__whole=lambda v: np.sum(v.hot * np.log(np.abs(v.P))) / 2,
                softmax__wrong_labels=lambda v: -np.sum(np.roll(v.hot, 1, 1) * np.log(np.abs(v.P))) / 2,
            ),
            asked("dL/dZ", lambda v: (v.P - v.hot) / 2,
                softmax__no_one_hot=lambda v: v.P / 2,
                mean_n__forgotten=lambda v: v.P - v.hot,
                softmax__wrong_labels=lambda v: (v.P - np.roll(v.hot, 1, 1)) / 2,
                sign__whole=lambda v: (v.hot - v.P) / 2,
                softmax__wrong_axis=lambda v: (softmax(v.Z, 0) - v.hot) / 2,
                forward_slip__sigmoid=lambda v: (1 / (1 + np.exp(-v.Z)) - v.hot) / 2,
            ),
            asked("dL/dW", lambda v: v.X.T @ v.L_Z,
                transpose__left_out=lambda v: v.X @ v.L_Z,
                transpose__whole=lambda v: (v.X.T @ v.L_Z).T,
                softmax__no_one_hot=lambda v: v.X.T @ v.P / 2,
                mean_n__forgotten=lambda v: 2 * v.X.T @ v.L_Z,
                not_a_gradient__update=lambda v: v.W - 0.5 * v.X.T @ v.L_Z,
            ),
        ),
    )  # fmt: skip


def broadcasting(draw: Draw) -> Asked:
    M, r, c = draw.signed(2, 3, high=2.0), draw.signed(3, high=1.6), draw.signed(2, 1, high=1.6)
    return Asked(
        "broadcasting",
        program("T = M*r + c\nL = sum(T**2)", M=M, r=r, c=c),
        {"M": M, "r": r, "c": c},
        (
            asked("T", lambda v: v.M * v.r + v.c,
                forward_slip__minus=lambda v: v.M * v.r - v.c,
                forward_slip__plus=lambda v: v.M + v.r + v.c,
                outside__by_column=lambda v: v.M * v.c + v.r,
            ),
            asked("dL/dT", lambda v: 2 * v.T,
                power_rule__dropped=lambda v: v.T,
                power_rule__kept=lambda v: 2 * v.T**2,
                not_a_gradient__L=lambda v: np.sum(v.T**2),
            ),
            asked("dL/dr", lambda v: summed(v.L_T * v.M, 0),
                broadcast_unsummed__none=lambda v: v.L_T * v.M,
                broadcast_unsummed__mean=lambda v: summed(v.L_T * v.M, 0) / 2,
                broadcast_unsummed__all=lambda v: np.sum(v.L_T * v.M),
                product_own_factor__r=lambda v: summed(v.L_T * v.r, 0),
                inner_dropped__M=lambda v: summed(v.L_T, 0),
                outside__max=lambda v: np.max(v.L_T * v.M, 0),
            ),
            asked("dL/dc", lambda v: np.sum(v.L_T, 1, keepdims=True),
                broadcast_unsummed__none=lambda v: v.L_T,
                broadcast_unsummed__mean=lambda v: np.mean(v.L_T, 1, keepdims=True),
                broadcast_unsummed__first=lambda v: v.L_T[:, :1],
                sign__whole=lambda v: -np.sum(v.L_T, 1, keepdims=True),
            ),
        ),
    )  # fmt: skip


def means(draw: Draw) -> Asked:
    x, y = draw.signed(4, high=2.4), draw.signed(4, high=2.4)
    w, b = draw.some(2, 0.3, 1.9)
    return Asked(
        "means",
        program("e = w*x + b - y\nL = mean(e**2)", w=w, b=b, x=x, y=y),
        {"w": w, "b": b, "x": x, "y": y},
        (
            asked("e", lambda v: v.w * v.x + v.b - v.y,
                forward_slip__no_bias=lambda v: v.w * v.x - v.y,
                forward_slip__sign_of_y=lambda v: v.w * v.x + v.b + v.y,
                sign__whole=lambda v: v.y - v.w * v.x - v.b,
            ),
            asked("L", lambda v: np.mean(v.e**2),
                mean_n__forgotten=lambda v: np.sum(v.e**2),
                forward_slip__no_square=lambda v: np.mean(v.e),
                outside__root=lambda v: np.sqrt(np.mean(v.e**2)),
            ),
            asked("dL/dw", lambda v: np.mean(2 * v.e * v.x),
                mean_n__forgotten=lambda v: np.sum(2 * v.e * v.x),
                mean_n__twice=lambda v: np.sum(2 * v.e * v.x) / 16,
                power_rule__dropped=lambda v: np.mean(v.e * v.x),
                inner_dropped__x=lambda v: np.mean(2 * v.e),
                broadcast_unsummed__none=lambda v: 2 * v.e * v.x / 4,
                outside__n_minus_one=lambda v: np.sum(2 * v.e * v.x) / 3,
            ),
            asked("dL/db", lambda v: np.mean(2 * v.e),
                mean_n__forgotten=lambda v: np.sum(2 * v.e),
                swapped_variable__w=lambda v: v.L_w,
                broadcast_unsummed__none=lambda v: v.e / 2,
                sign__whole=lambda v: -np.mean(2 * v.e),
            ),
        ),
    )  # fmt: skip
