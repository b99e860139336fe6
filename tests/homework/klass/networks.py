"""Tensor questions: layers, classes, a Jacobian."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.homework.klass.model import Asked, Draw, asked, hidden, program


def share(Z: Any, axis: int = 1) -> Any:
    return np.exp(Z) / np.exp(Z).sum(axis=axis, keepdims=True)


def tanh_net(draw: Draw) -> Asked:
    X, W1, b1 = draw.signed(2, 3, high=1.4), draw.signed(3, 2, high=1.2), draw.signed(2, high=0.8)
    W2, Y = draw.signed(2, 2, high=1.6), draw.signed(2, 2, high=1.8)
    return Asked(
        "tanhnet",
        program("A1 = X @ W1 + b1\nH = tanh(A1)\nQ = H @ W2\nE = Q - Y\nL = sum(E**2)/2", X=X, W1=W1, b1=b1, W2=W2,
        Y=Y),
        {"X": X, "W1": W1, "b1": b1, "W2": W2, "Y": Y},
        (
            hidden("A1", lambda n: n.X @ n.W1 + n.b1),
            asked("H", lambda n: np.tanh(n.A1), forward_slip__no_tanh=lambda n: n.A1,
                forward_slip__no_bias=lambda n: np.tanh(n.X @ n.W1),
                forward_slip__sigmoid=lambda n: 1 / (1 + np.exp(-n.A1)), outside__sine=lambda n: np.sin(n.A1)),
            asked("E", lambda n: n.H @ n.W2 - n.Y, transpose__W2=lambda n: n.H @ n.W2.T - n.Y,
                sign__turned=lambda n: n.Y - n.H @ n.W2, forward_slip__plus=lambda n: n.H @ n.W2 + n.Y,
                forward_slip__no_target=lambda n: n.H @ n.W2, elementwise__product=lambda n: n.H * n.W2 - n.Y,
                factors_order__swapped=lambda n: n.W2 @ n.H - n.Y),
            asked("dL/dW2", lambda n: n.H.T @ n.E, transpose__H=lambda n: n.H @ n.E,
                result_for_input__A1=lambda n: n.A1.T @ n.E, sign__whole=lambda n: -n.H.T @ n.E,
                transpose__whole=lambda n: n.E.T @ n.H,
                power_rule_or_mean_n_or_forward_slip__two=lambda n: 2 * n.H.T @ n.E,
                elementwise__product=lambda n: n.H * n.E, factors_order__swapped=lambda n: n.E @ n.H.T,
                outside__half=lambda n: n.H.T @ n.E / 2.7,
                not_a_gradient__update=lambda n: n.W2 - 0.1 * n.H.T @ n.E),
            asked("dL/dH", lambda n: n.E @ n.W2.T, transpose__W2=lambda n: n.E @ n.W2,
                local_not_total_or_inner_dropped__W2=lambda n: np.ones((2, 2)) @ n.W2.T,
                elementwise__product=lambda n: n.E * n.W2, factors_order__swapped=lambda n: n.W2.T @ n.E,
                sign__whole=lambda n: -n.E @ n.W2.T, outside__inverse=lambda n: n.E @ np.linalg.inv(n.W2)),
            asked("dL/dA1", lambda n: n.L_H * (1 - n.H**2), inner_dropped__tanh=lambda n: 1 * n.L_H,
                activation_rule__sigmoid=lambda n: n.L_H * n.H * (1 - n.H),
                pre_post_activation__A1=lambda n: n.L_H * (1 - n.A1**2),
                pre_post_activation__again=lambda n: n.L_H * (1 - np.tanh(n.H) ** 2),
                pre_post_activation__not_squared=lambda n: n.L_H * (1 - n.H),
                sign__inside=lambda n: n.L_H * (1 + n.H**2), local_not_total__tanh=lambda n: 1 - n.H**2,
                outside__plus=lambda n: n.L_H + 1 - n.H**3),
            asked("dL/db1", lambda n: n.L_A1[0] + n.L_A1[1], broadcast_unsummed__none=lambda n: 1 * n.L_A1,
                broadcast_unsummed__mean=lambda n: (n.L_A1[0] + n.L_A1[1]) / 2,
                broadcast_unsummed__first=lambda n: n.L_A1[0],
                broadcast_unsummed__axis=lambda n: n.L_A1[:, 0] + n.L_A1[:, 1],
                sign__whole=lambda n: -n.L_A1[0] - n.L_A1[1]),
            asked("dL/dW1", lambda n: n.X.T @ n.L_A1, transpose__whole=lambda n: n.L_A1.T @ n.X,
                sign__whole=lambda n: -n.X.T @ n.L_A1, inner_dropped__tanh=lambda n: n.X.T @ n.L_H,
                not_a_gradient__update=lambda n: n.W1 - 0.01 * n.X.T @ n.L_A1,
                mean_n_or_batch_n__two=lambda n: n.X.T @ n.L_A1 / 2, outside__cubes=lambda n: n.X.T @ n.L_A1**3),
        ),
    )  # fmt: skip


def relu_net(draw: Draw) -> Asked:
    X, W, b = draw.signed(2, 3, high=1.9), draw.signed(2, 2, high=1.9), draw.signed(2, 1, high=0.8)
    v, t = draw.signed(2, high=1.7), draw.signed(3, high=1.7)
    return Asked(
        "relunet",
        program("Z = W @ X + b\nH = relu(Z)\ns = v @ H\nL = mean((s - t)**2)", X=X, W=W, b=b, v=v, t=t),
        {"X": X, "W": W, "b": b, "v": v, "t": t},
        (
            asked("Z", lambda n: n.W @ n.X + n.b, forward_slip__no_b=lambda n: n.W @ n.X,
                transpose__W=lambda n: n.W.T @ n.X + n.b, forward_slip__minus_b=lambda n: n.W @ n.X - n.b,
                outside__rows=lambda n: n.W[::-1] @ n.X + n.b),
            asked("H", lambda n: np.maximum(n.Z, 0), forward_slip__no_relu=lambda n: 1 * n.Z,
                forward_slip__tanh=lambda n: np.tanh(n.Z), outside__absolute=lambda n: np.abs(n.Z),
                outside__negative_part=lambda n: np.minimum(n.Z, 0)),
            asked("dL/ds", lambda n: 2 * (n.v @ n.H - n.t) / 3, mean_n__forgotten=lambda n: 2 * (n.v @ n.H - n.t),
                power_rule__dropped=lambda n: (n.v @ n.H - n.t) / 3, sign__whole=lambda n: 2 * (n.t - n.v @ n.H) / 3,
                power_rule__kept=lambda n: 2 * (n.v @ n.H - n.t) ** 2 / 3,
                sign_and_mean_n__both=lambda n: 2 * (n.t - n.v @ n.H),
                forward_slip_or_outer_at_wrong_point__no_t=lambda n: 2 * (n.v @ n.H) / 3,
                outside__six=lambda n: 2 * (n.v @ n.H - n.t) / 7),
            asked("dL/dv", lambda n: n.H @ n.L_s, result_for_input__Z=lambda n: n.Z @ n.L_s,
                sign__whole=lambda n: -n.H @ n.L_s, mean_n__forgotten=lambda n: 3 * n.H @ n.L_s,
                broadcast_unsummed_or_elementwise__none=lambda n: n.H * n.L_s,
                outside__first=lambda n: n.H[:, :2] @ n.L_s[:2]),
            asked("dL/dH", lambda n: np.outer(n.v, n.L_s), transpose__turned=lambda n: np.outer(n.L_s, n.v),
                inner_dropped__v=lambda n: np.outer(np.ones(2), n.L_s), sign__whole=lambda n: -np.outer(n.v, n.L_s),
                local_not_total_or_inner_dropped__v=lambda n: np.outer(n.v, np.ones(3)),
                outside__added=lambda n: n.v[:, None] + n.L_s),
            asked("dL/dZ", lambda n: n.L_H * (n.H > 0), relu_gate__open=lambda n: 1 * n.L_H,
                relu_gate__turned=lambda n: n.L_H * (n.Z < 0), relu_gate__of_gradient=lambda n: np.maximum(n.L_H, 0),
                relu_gate_or_local_not_total__mask=lambda n: 1.0 * (n.H > 0), outside__times_Z=lambda n: n.L_H * n.H),
            asked("dL/db", lambda n: np.sum(n.L_Z, 1, keepdims=True), broadcast_unsummed__none=lambda n: 1 * n.L_Z,
                broadcast_unsummed__mean=lambda n: np.mean(n.L_Z, 1, keepdims=True),
                broadcast_unsummed__axis=lambda n: np.sum(n.L_Z, 0), broadcast_unsummed__last=lambda n: n.L_Z[:, -1:],
                sign__whole=lambda n: -np.sum(n.L_Z, 1, keepdims=True)),
            asked("dL/dW", lambda n: n.L_Z @ n.X.T, transpose__whole=lambda n: n.X @ n.L_Z.T,
                result_for_input__H=lambda n: n.L_Z @ n.H.T, sign__whole=lambda n: -n.L_Z @ n.X.T,
                relu_gate__open=lambda n: n.L_H @ n.X.T, mean_n__forgotten=lambda n: 3 * n.L_Z @ n.X.T,
                outside__sorted=lambda n: np.sort(n.L_Z) @ n.X.T),
            asked("dL/dX", lambda n: n.W.T @ n.L_Z, transpose__left_out=lambda n: n.W @ n.L_Z,
                sign__whole=lambda n: -n.W.T @ n.L_Z, outside__diagonal=lambda n: np.diag(np.diag(n.W)) @ n.L_Z,
                not_a_gradient__update=lambda n: n.X - 0.1 * n.W.T @ n.L_Z),
        ),
    )  # fmt: skip


def nll(draw: Draw) -> Asked:
    X, W = draw.signed(2, 2, high=1.5), draw.signed(2, 3, high=1.5)
    Y = np.eye(3)[draw.random.choice(3, 2, replace=False)]
    return Asked(
        "nll",
        program("Z = X @ W\nP = softmax(Z, 1)\nL = -sum(Y*log(P))/2", X=X, W=W, Y=Y),
        {"X": X, "W": W, "Y": Y},
        (
            asked("Z", lambda n: n.X @ n.W, transpose__X=lambda n: n.X.T @ n.W,
                outside__sum=lambda n: n.X @ n.W + n.W),
            asked("P", lambda n: share(n.Z), softmax__axis=lambda n: share(n.Z, 0),
                forward_slip__unnormalised=lambda n: np.exp(n.Z),
                forward_slip__sigmoid=lambda n: 1 / (1 + np.exp(-n.Z)),
                softmax__over_all=lambda n: np.exp(n.Z) / np.exp(n.Z).sum()),
            asked("L", lambda n: -np.log(np.sum(np.abs(n.P) * n.Y, 1)).sum() / 2,
                mean_n_or_forward_slip__forgotten=lambda n: -np.log(np.sum(np.abs(n.P) * n.Y, 1)).sum(),
                sign__lost=lambda n: np.log(np.sum(np.abs(n.P) * n.Y, 1)).sum() / 2,
                softmax_or_forward_slip__all=lambda n: -np.log(np.abs(n.P)).sum() / 2,
                forward_slip__no_log=lambda n: -np.sum(n.P * n.Y) / 2,
                outside__log2=lambda n: -np.log2(np.sum(np.abs(n.P) * n.Y, 1)).sum() / 2),
            asked("dL/dZ", lambda n: (n.P - n.Y) / 2, mean_n__forgotten=lambda n: n.P - n.Y,
                sign__whole=lambda n: (n.Y - n.P) / 2, softmax__no_labels=lambda n: n.P / 2,
                softmax__diagonal_only=lambda n: -n.Y * (1 - n.P) / 2,
                softmax__labels_rolled=lambda n: (n.P - n.Y[:, [2, 0, 1]]) / 2, mean_n__twice=lambda n: (n.P - n.Y) / 4,
                mean_n_or_batch_n__entries=lambda n: (n.P - n.Y) / 6,
                softmax_and_mean_n_or_another_question__both=lambda n: n.P, sign_and_mean_n__both=lambda n: n.Y - n.P,
                outside__square=lambda n: (n.P - n.Y) ** 2 / 2, outside__local=lambda n: n.P * (1 - n.P) / 2.5),
            asked("dL/dW", lambda n: n.X.T @ n.L_Z, transpose__left_out=lambda n: n.X @ n.L_Z,
                transpose__whole=lambda n: n.L_Z.T @ n.X, sign__whole=lambda n: -n.X.T @ n.L_Z,
                not_a_gradient__update=lambda n: n.W - 0.1 * n.X.T @ n.L_Z,
                mean_n__forgotten=lambda n: 2 * n.X.T @ n.L_Z, outside__Z=lambda n: np.ones((2, 2)) @ n.L_Z + n.Z),
            asked("dL/dX", lambda n: n.L_Z @ n.W.T, transpose__whole=lambda n: n.W @ n.L_Z.T,
                sign__whole=lambda n: -n.L_Z @ n.W.T, swapped_variable__W=lambda n: 1 * n.L_W,
                outside__two_thirds=lambda n: n.L_Z @ n.W.T * 2 / 3),
        ),
    )  # fmt: skip


def jacobian(draw: Draw) -> Asked:
    x = draw.signed(3, high=1.9)
    return Asked(
        "cubic",
        program("y = x**3 + x\nL = sum(y*y)", x=x),
        {"x": x},
        (
            asked("y", lambda n: n.x**3 + n.x, forward_slip__minus=lambda n: n.x**3 - n.x,
                forward_slip__no_x=lambda n: n.x**3,
                outside__fourth=lambda n: n.x**4 + n.x, outside__three=lambda n: 3 * n.x + n.x**2),
            asked("dL/dy", lambda n: 2 * n.y, fanout_overwrite__one=lambda n: 1 * n.y,
                power_rule__kept=lambda n: 2 * n.y**2,
                not_a_gradient_or_chain_added__squares=lambda n: n.y**2, outside__sum=lambda n: 2 * np.cumsum(n.y)),
            asked("dL/dx", lambda n: n.L_y * (3 * n.x**2 + 1), path_missed__one=lambda n: n.L_y * 3 * n.x**2,
                power_rule__dropped=lambda n: n.L_y * (n.x**2 + 1), inner_dropped__y=lambda n: 1 * n.L_y,
                power_rule__kept=lambda n: n.L_y * (3 * n.x**3 + 1), sign__inside=lambda n: n.L_y * (3 * n.x**2 - 1),
                local_not_total__y=lambda n: 3 * n.x**2 + 1, power_rule__two=lambda n: n.L_y * (2 * n.x**2 + 1),
                outside__constant=lambda n: n.L_y * (3 * n.x**2 + 3), path_missed__cube=lambda n: 1.0 * n.L_y),
        ),
    )  # fmt: skip
