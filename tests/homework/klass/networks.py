"""Tensor questions: layers, classes, a broadcast bias, means, normalisation, gates, a Jacobian."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.homework.klass.model import Asked, Draw, asked, hidden, program


def share(Z: Any, axis: int = 1) -> Any:
    return np.exp(Z) / np.exp(Z).sum(axis=axis, keepdims=True)


def centred(draw: Draw) -> Asked:
    x, g = draw.signed(4, high=2.6), draw.signed(4, high=1.9)
    return Asked(
        "centred",
        program("m = mean(x)\nc = x - m\nv = mean(c**2)\ny = c/sqrt(v)\nL = sum(g*y)", x=x, g=g),
        {"x": x, "g": g},
        (
            asked("c", lambda n: n.x - np.mean(n.x), forward_slip__plus=lambda n: n.x + np.mean(n.x),
                sign__turned=lambda n: np.mean(n.x) - n.x, mean_n__sum=lambda n: n.x - np.sum(n.x),
                outside__median=lambda n: n.x - np.median(n.x) + 0.1),
            asked("v", lambda n: np.mean(n.c**2), mean_n__forgotten=lambda n: np.sum(n.c**2),
                outside__n_minus_one=lambda n: np.sum(n.c**2) / 3, forward_slip__no_square=lambda n: np.mean(n.c)),
            asked("dL/dy", lambda n: n.g, sign__turned=lambda n: -n.g),
            asked("dL/dv", lambda n: -0.5 * np.sum(n.L_y * n.c) * n.v**-1.5,
                sign__lost=lambda n: 0.5 * np.sum(n.L_y * n.c) * n.v**-1.5,
                power_rule__dropped=lambda n: -np.sum(n.L_y * n.c) * n.v**-1.5,
                quotient__not_squared=lambda n: -0.5 * np.sum(n.L_y * n.c) / n.v,
                broadcast_unsummed__none=lambda n: -0.5 * n.L_y * n.c * n.v**-1.5,
                broadcast_unsummed__mean=lambda n: -0.5 * np.mean(n.L_y * n.c) * n.v**-1.5,
                outside__exponent=lambda n: -0.5 * np.sum(n.L_y * n.c) * n.v**-2.5,
            ),
            asked("dL/dc", lambda n: n.L_y / np.sqrt(n.v) + n.L_v * 2 * n.c / 4,
                path_missed__v=lambda n: n.L_y / np.sqrt(n.v),
                path_missed__direct=lambda n: n.L_v * 2 * n.c / 4,
                mean_n__forgotten=lambda n: n.L_y / np.sqrt(n.v) + n.L_v * 2 * n.c,
                power_rule__dropped=lambda n: n.L_y / np.sqrt(n.v) + n.L_v * n.c / 4,
                sign__one=lambda n: n.L_y / np.sqrt(n.v) - n.L_v * 2 * n.c / 4,
            ),
            asked("dL/dx", lambda n: n.L_c - np.mean(n.L_c),
                path_missed__mean=lambda n: n.L_c,
                sign__plus=lambda n: n.L_c + np.mean(n.L_c),
                mean_n__sum=lambda n: n.L_c - np.sum(n.L_c),
                outside__maximum=lambda n: n.L_c - np.max(n.L_c) / 3,
            ),
        ),
    )  # fmt: skip


def gated(draw: Draw) -> Asked:
    X, w, b = draw.signed(3, 2, high=2.0), draw.signed(2, high=1.9), draw.signed(3, high=1.1)
    return Asked(
        "gated",
        program("u = X @ w\nz = u + b\ns = sigmoid(z)\ny = s*u\nL = mean(y**2)", X=X, w=w, b=b),
        {"X": X, "w": w, "b": b},
        (
            asked("u", lambda n: n.X @ n.w, outside__column=lambda n: n.X[:, 0] * n.w[0]),
            asked("s", lambda n: 1 / (1 + np.exp(-n.u - n.b)),
                forward_slip__no_bias=lambda n: 1 / (1 + np.exp(-n.u)),
                forward_slip__minus=lambda n: 1 / (1 + np.exp(-n.u + n.b)),
                forward_slip__tanh=lambda n: np.tanh(n.u + n.b)),
            asked("dL/dy", lambda n: 2 * n.s * n.u / 3, mean_n__forgotten=lambda n: 2 * n.s * n.u,
                power_rule__dropped=lambda n: n.s * n.u / 3, power_rule__kept=lambda n: 2 * (n.s * n.u) ** 2 / 3,
                sign__whole=lambda n: -2 * n.s * n.u / 3, outside__over_two=lambda n: 2 * n.s * n.u / 2.4),
            asked("dL/ds", lambda n: n.L_y * n.u, product_own_factor__s=lambda n: n.L_y * n.s,
                local_not_total__u=lambda n: n.u, inner_dropped__u=lambda n: n.L_y),
            asked("dL/dz", lambda n: n.L_s * n.s * (1 - n.s),
                inner_dropped__sigmoid=lambda n: n.L_s,
                activation_rule__tanh=lambda n: n.L_s * (1 - n.s**2),
                activation_rule__one_factor=lambda n: n.L_s * (1 - n.s),
                pre_post_activation__u=lambda n: n.L_s * (n.u + n.b) * (1 - n.u - n.b),
                sign__whole=lambda n: -n.L_s * n.s * (1 - n.s)),
            asked("dL/du", lambda n: n.L_y * n.s + n.L_z,
                fanout_overwrite__product=lambda n: n.L_y * n.s, fanout_overwrite__gate=lambda n: n.L_z,
                sign__one=lambda n: n.L_y * n.s - n.L_z, chain_added__product=lambda n: n.L_y * n.s * n.L_z,
                product_own_factor__u=lambda n: n.L_y * n.u + n.L_z),
            asked("dL/dw", lambda n: n.X.T @ n.L_u, sign__whole=lambda n: -n.X.T @ n.L_u,
                not_a_gradient__update=lambda n: n.w - 0.5 * n.X.T @ n.L_u,
                mean_n__forgotten=lambda n: 3 * n.X.T @ n.L_u,
                outside__mean=lambda n: n.X.T @ n.L_u / 2.6),
        ),
    )  # fmt: skip


def logistic_batch(draw: Draw) -> Asked:
    X, w, y = draw.signed(3, 2, high=1.9), draw.signed(2, high=1.4), np.array([1.0, 0.0, 1.0])
    b = draw.some(1, 0.3, 0.9)[0]
    return Asked(
        "batch",
        program("z = X @ w + b\np = sigmoid(z)\nL = -mean(y*log(p) + (1 - y)*log(1 - p))", X=X, w=w, b=b, y=y),
        {"X": X, "w": w, "b": b, "y": y},
        (
            asked("z", lambda n: n.X @ n.w + n.b, forward_slip__no_b=lambda n: n.X @ n.w,
                forward_slip__minus=lambda n: n.X @ n.w - n.b,
                outside__first_column=lambda n: n.X[:, 0] * n.w[0] + n.b),
            asked("p", lambda n: 1 / (1 + np.exp(-n.z)), forward_slip__sign=lambda n: 1 / (1 + np.exp(n.z)),
                forward_slip__tanh=lambda n: np.tanh(n.z), outside__exp=lambda n: np.exp(-np.abs(n.z))),
            asked("dL/dz", lambda n: (n.p - n.y) / 3, mean_n__forgotten=lambda n: n.p - n.y,
                sign__whole=lambda n: (n.y - n.p) / 3, mean_n__twice=lambda n: (n.p - n.y) / 9,
                outside__over_two=lambda n: (n.p - n.y) / 2, outside__squared=lambda n: (n.p - n.y) ** 2 / 3),
            asked("dL/dw", lambda n: n.X.T @ n.L_z, mean_n__forgotten=lambda n: 3 * n.X.T @ n.L_z,
                sign__whole=lambda n: -n.X.T @ n.L_z, broadcast_unsummed__rows=lambda n: n.X * n.L_z[:, None],
                not_a_gradient__update=lambda n: n.w - 0.1 * n.X.T @ n.L_z,
                result_for_input_or_inner_dropped__ones=lambda n: np.sum(n.L_z) * np.ones(2),
                outside__absolute=lambda n: np.abs(n.X).T @ n.L_z),
            asked("dL/db", lambda n: np.sum(n.L_z), broadcast_unsummed__none=lambda n: n.L_z,
                broadcast_unsummed__mean=lambda n: np.mean(n.L_z), sign__whole=lambda n: -np.sum(n.L_z),
                mean_n__forgotten=lambda n: 3 * np.sum(n.L_z), broadcast_unsummed__first=lambda n: n.L_z[0],
                outside__squares=lambda n: np.sum(n.L_z**2)),
        ),
    )  # fmt: skip


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


def bias(draw: Draw) -> Asked:
    A, b, c = draw.signed(3, 2, high=1.8), draw.signed(2, high=1.8), draw.signed(3, 1, high=1.8)
    return Asked(
        "bias",
        program("Z = A + b\nS = Z*c\nL = sum(S**3)", A=A, b=b, c=c),
        {"A": A, "b": b, "c": c},
        (
            asked("S", lambda n: (n.A + n.b) * n.c, forward_slip__minus=lambda n: (n.A - n.b) * n.c,
                forward_slip__no_b=lambda n: n.A * n.c, forward_slip__plus_c=lambda n: n.A + n.b + n.c,
                outside__order=lambda n: n.A + n.b * n.c),
            asked("dL/dS", lambda n: 3 * n.S**2, power_rule__dropped=lambda n: n.S**2,
                power_rule__kept=lambda n: 3 * n.S**3, power_rule__two=lambda n: 2 * n.S**2,
                sign__whole=lambda n: -3 * n.S**2, outside__linear=lambda n: 3 * n.S),
            asked("dL/dc", lambda n: (n.L_S * (n.A + n.b)).sum(axis=1)[:, None],
                broadcast_unsummed__none=lambda n: n.L_S * (n.A + n.b),
                broadcast_unsummed__mean=lambda n: (n.L_S * (n.A + n.b)).mean(axis=1)[:, None],
                broadcast_unsummed__axis=lambda n: (n.L_S * (n.A + n.b)).sum(axis=0),
                inner_dropped__Z=lambda n: n.L_S.sum(axis=1)[:, None],
                product_own_factor__c=lambda n: (n.L_S * n.c).sum(axis=1)[:, None],
                result_for_input__S=lambda n: (n.L_S * n.S).sum(axis=1)[:, None],
                result_for_input_or_forward_slip__A=lambda n: (n.L_S * n.A).sum(axis=1)[:, None],
                outside__all=lambda n: np.ones((3, 1)) * (n.L_S * (n.A + n.b)).sum()),
            asked("dL/dA", lambda n: n.L_S * n.c, inner_dropped__c=lambda n: 1 * n.L_S,
                product_own_factor__Z=lambda n: n.L_S * (n.A + n.b), sign__whole=lambda n: -n.L_S * n.c,
                local_not_total__c=lambda n: n.c * np.ones((3, 2)), outside__sum=lambda n: n.L_S + n.c * 0.9,
                not_a_gradient__update=lambda n: n.A - 0.01 * n.L_S * n.c),
            asked("dL/db", lambda n: n.L_A.sum(axis=0), broadcast_unsummed__none=lambda n: 1 * n.L_A,
                broadcast_unsummed__mean=lambda n: n.L_A.mean(axis=0),
                broadcast_unsummed__axis=lambda n: n.L_A.sum(axis=1),
                broadcast_unsummed__first=lambda n: n.L_A[0], sign__whole=lambda n: -n.L_A.sum(axis=0),
                inner_dropped__c=lambda n: n.L_S.sum(axis=0), outside__squares=lambda n: (n.L_A**2).sum(axis=0)),
        ),
    )  # fmt: skip


def mse(draw: Draw) -> Asked:
    A, B, C = draw.signed(2, 2, high=2.2), draw.signed(2, 3, high=2.2), draw.signed(2, 3, high=2.2)
    return Asked(
        "mse",
        program("R = A @ B - C\nL = mean(R**2)", A=A, B=B, C=C),
        {"A": A, "B": B, "C": C},
        (
            asked("R", lambda n: n.A @ n.B - n.C, transpose__A=lambda n: n.A.T @ n.B - n.C,
                forward_slip__plus=lambda n: n.A @ n.B + n.C, sign__turned=lambda n: n.C - n.A @ n.B,
                forward_slip__no_C=lambda n: n.A @ n.B),
            asked("L", lambda n: (n.R**2).sum() / 6, mean_n__forgotten=lambda n: (n.R**2).sum(),
                mean_n_or_batch_n__rows=lambda n: (n.R**2).sum() / 2, forward_slip__no_square=lambda n: n.R.sum() / 6,
                outside__root=lambda n: np.sqrt((n.R**2).sum() / 6), outside__max=lambda n: (n.R**2).max()),
            asked("dL/dR", lambda n: n.R / 3, mean_n__forgotten=lambda n: 2 * n.R,
                power_rule__dropped=lambda n: n.R / 6,
                batch_n__rows=lambda n: 1 * n.R, mean_n__twice=lambda n: n.R / 18, sign__whole=lambda n: -n.R / 3,
                power_rule__kept=lambda n: n.R**2 / 3, batch_n_or_mean_n__columns=lambda n: 2 * n.R / 3,
                power_rule_and_sign__both=lambda n: -n.R / 6, outside__five=lambda n: 2 * n.R / 5),
            asked("dL/dA", lambda n: n.L_R @ n.B.T, transpose__whole=lambda n: n.B @ n.L_R.T,
                sign__whole=lambda n: -n.L_R @ n.B.T, power_rule__dropped=lambda n: n.L_R @ n.B.T / 2,
                mean_n__forgotten=lambda n: 6 * n.L_R @ n.B.T,
                result_for_input__R=lambda n: n.L_R @ n.R.T, not_a_gradient__update=lambda n: n.A - 0.1 * n.L_R @ n.B.T,
                outside__C=lambda n: n.L_R @ n.C.T),
            asked("dL/dB", lambda n: n.A.T @ n.L_R, transpose__left_out=lambda n: n.A @ n.L_R,
                sign__whole=lambda n: -n.A.T @ n.L_R, swapped_variable__C=lambda n: -n.L_R,
                inner_dropped__A=lambda n: np.ones((2, 2)) @ n.L_R, outside__squares=lambda n: (n.A**2).T @ n.L_R),
        ),
    )  # fmt: skip


def norm(draw: Draw) -> Asked:
    x, g, b, t = draw.signed(3, high=2.6), draw.signed(3, high=1.6), draw.signed(3, high=1.6), draw.signed(3, high=1.9)
    return Asked(
        "layernorm",
        program("m = mean(x)\ns = sqrt(mean((x - m)**2) + 0.1)\nh = (x - m)/s\ny = g*h + b\nL = sum(t*y**2)",
                x=x, g=g, b=b, t=t),
        {"x": x, "g": g, "b": b, "t": t},
        (
            hidden("m", lambda n: n.x.mean()),
            asked("s", lambda n: np.sqrt(((n.x - n.m) ** 2).mean() + 0.1),
                mean_n__forgotten=lambda n: np.sqrt(((n.x - n.m) ** 2).sum() + 0.1),
                forward_slip__no_root=lambda n: ((n.x - n.m) ** 2).mean() + 0.1,
                forward_slip__no_epsilon=lambda n: np.sqrt(((n.x - n.m) ** 2).mean()),
                outside__two=lambda n: np.sqrt(((n.x - n.m) ** 2).sum() / 2 + 0.1)),
            asked("h", lambda n: (n.x - n.m) / n.s, forward_slip__no_mean=lambda n: n.x / n.s,
                forward_slip__times=lambda n: (n.x - n.m) * n.s, outside__square=lambda n: (n.x - n.m) / n.s**2),
            asked("dL/dy", lambda n: 2 * n.t * (n.g * n.h + n.b), power_rule__dropped=lambda n: n.t * (n.g * n.h + n.b),
                forward_slip_or_outer_at_wrong_point__no_b=lambda n: 2 * n.t * n.g * n.h,
                inner_dropped__t=lambda n: 2 * (n.g * n.h + n.b),
                sign__whole=lambda n: -2 * n.t * (n.g * n.h + n.b),
                power_rule__kept=lambda n: 2 * n.t * (n.g * n.h + n.b) ** 2, outside__t_only=lambda n: 2 * n.t),
            asked("dL/dg", lambda n: n.L_y * n.h, product_own_factor__g=lambda n: n.L_y * n.g,
                inner_dropped__h=lambda n: 1 * n.L_y, result_for_input__y=lambda n: n.L_y * (n.g * n.h + n.b),
                result_for_input__x=lambda n: n.L_y * n.x, sign__whole=lambda n: -n.L_y * n.h),
            asked("dL/db", lambda n: 1 * n.L_y, broadcast_unsummed__summed=lambda n: n.L_y.sum(),
                outside__times_b=lambda n: n.L_y * n.b, swapped_variable__g=lambda n: n.L_g),
            asked("dL/dh", lambda n: n.L_y * n.g, inner_dropped_or_swapped_variable__g=lambda n: 1 * n.L_y,
                product_own_factor_or_swapped_variable__h=lambda n: n.L_y * n.h, local_not_total__g=lambda n: 1 * n.g,
                sign__whole=lambda n: -n.L_y * n.g, outside__added=lambda n: n.L_y + n.g + 0.1),
            asked("dL/dx",  # link by link, for a compact formula would need an h that belongs to s
                lambda n: (n.L_h - n.L_h.mean() - (n.x - n.m) / n.s**2 * (n.L_h * (n.x - n.m)).mean()) / n.s,
                path_missed__statistics=lambda n: n.L_h / n.s,
                path_missed__deviation=lambda n: (n.L_h - n.L_h.mean()) / n.s,
                path_missed__mean=lambda n: (n.L_h - n.h * (n.L_h * n.h).mean()) / n.s,
                sign_or_quotient__deviation=lambda n: (n.L_h - n.L_h.mean() + n.h * (n.L_h * n.h).mean()) / n.s,
                sign__whole=lambda n: -(n.L_h - n.L_h.mean() - n.h * (n.L_h * n.h).mean()) / n.s,
                mean_n__sums=lambda n: (n.L_h - n.L_h.sum() - n.h * (n.L_h * n.h).sum()) / n.s,
                outside__no_s=lambda n: n.L_h - n.L_h.mean() - n.h * (n.L_h * n.h).mean() + 0.2,
            ),
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
