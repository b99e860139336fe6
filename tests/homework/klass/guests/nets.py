"""Tensor questions of the third class: two layers, cross entropy, a bias that broadcasts, attention, a Jacobian."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.homework.klass.model import Asked, Draw, asked, hidden, program


def softmax(Z: Any) -> Any:
    grown = np.exp(Z - Z.max(axis=-1, keepdims=True))
    return grown / grown.sum(axis=-1, keepdims=True)


def two_layers(draw: Draw) -> Asked:
    X, U, c = draw.signed(3, 2, high=1.6), draw.signed(2, 2, high=1.5), draw.signed(2, high=0.9)
    v, t = draw.signed(2, high=1.8), draw.signed(3, high=1.9)
    return Asked(
        "twolayers",
        program("P = X @ U + c\nR = sigmoid(P)\no = R @ v\nL = sum((o - t)**2)", X=X, U=U, c=c, v=v, t=t),
        {"X": X, "U": U, "c": c, "v": v, "t": t},
        (
            hidden("P", lambda n: n.X @ n.U + n.c),
            asked("R", lambda n: 1 / (1 + np.exp(-n.P)), forward_slip__tanh=lambda n: np.tanh(n.P),
                forward_slip__relu=lambda n: np.maximum(n.P, 0),
                forward_slip__no_bias=lambda n: 1 / (1 + np.exp(-n.X @ n.U)),
                outside__base_two=lambda n: 1 / (1 + 2.0 ** -n.P),
                outside__positive=lambda n: 1 / (1 + np.exp(-np.abs(n.P)))),
            asked("o", lambda n: n.R @ n.v, outside__mean=lambda n: n.R @ n.v / 2.5,
                outside__turned=lambda n: n.R @ n.v[::-1],
                forward_slip__no_activation=lambda n: n.P @ n.v),
            asked("dL/do", lambda n: 2 * (n.o - n.t), sign__whole=lambda n: 2 * (n.t - n.o),
                power_rule__dropped=lambda n: n.o - n.t,
                power_rule__kept=lambda n: 2 * (n.o - n.t) ** 2, not_a_gradient__squares=lambda n: (n.o - n.t) ** 2,
                mean_n__divided=lambda n: 2 * (n.o - n.t) / 3, outside__reversed=lambda n: 2 * (n.o - n.t[::-1]),
                outside__absolute=lambda n: 2 * np.abs(n.o - n.t)),
            asked("dL/dv", lambda n: n.R.T @ n.L_o, result_for_input__P=lambda n: n.P.T @ n.L_o,
                sign__whole=lambda n: -n.R.T @ n.L_o,
                mean_n__divided=lambda n: n.R.T @ n.L_o / 3,
                not_a_gradient__update=lambda n: n.v - 0.1 * n.R.T @ n.L_o,
                outside__row=lambda n: n.R[::-1].T @ n.L_o, outside__squares=lambda n: (n.R**2).T @ n.L_o),
            asked("dL/dR", lambda n: np.outer(n.L_o, n.v), transpose__whole=lambda n: np.outer(n.v, n.L_o),
                sign__whole=lambda n: -np.outer(n.L_o, n.v), outside__sum=lambda n: n.L_o[:, None] + n.v + 0.2,
                local_not_total_or_inner_dropped__o=lambda n: np.outer(np.ones(3), n.v)),
            asked("dL/dP", lambda n: n.L_R * n.R * (1 - n.R), inner_dropped__sigmoid=lambda n: 1 * n.L_R,
                activation_rule__no_a=lambda n: n.L_R * (1 - n.R),
                activation_rule__tanh=lambda n: n.L_R * (1 - n.R**2),
                pre_post_activation__P=lambda n: n.L_R * n.P * (1 - n.P),
                sign__whole=lambda n: -n.L_R * n.R * (1 - n.R),
                local_not_total__sigmoid=lambda n: n.R * (1 - n.R),
                outside__squared=lambda n: n.L_R * (n.R * (1 - n.R)) ** 2,
                outside__first_row=lambda n: n.L_R * n.R[0] * (1 - n.R[0])),
            asked("dL/dc", lambda n: n.L_P.sum(0), broadcast_unsummed__none=lambda n: 1 * n.L_P,
                broadcast_unsummed__mean=lambda n: n.L_P.mean(0), broadcast_unsummed__first=lambda n: 1 * n.L_P[0],
                broadcast_unsummed__axis=lambda n: n.L_P.sum(1), sign__whole=lambda n: -n.L_P.sum(0),
                outside__largest=lambda n: n.L_P.max(0) * 1.2, outside__twice=lambda n: n.L_P[:2].sum(0) * 1.5),
            asked("dL/dU", lambda n: n.X.T @ n.L_P, sign__whole=lambda n: -n.X.T @ n.L_P,
                transpose__whole=lambda n: n.L_P.T @ n.X,
                mean_n__divided=lambda n: n.X.T @ n.L_P / 3,
                not_a_gradient__update=lambda n: n.U - 0.1 * n.X.T @ n.L_P,
                inner_dropped__sigmoid=lambda n: n.X.T @ n.L_R, outside__rows=lambda n: np.roll(n.X, 1, 0).T @ n.L_P,
                outside__cut=lambda n: n.X[:2].T @ n.L_P[:2] * 1.5),
        ),
    )  # fmt: skip


def crossed(draw: Draw) -> Asked:
    X, W = draw.signed(2, 2, high=1.6), draw.signed(2, 3, high=1.5)
    Y = np.eye(3)[draw.random.integers(0, 3, 2)]
    return Asked(
        "crossed",
        program("S = X @ W\nP = softmax(S, 1)\nL = -sum(Y*log(P))/2", X=X, W=W, Y=Y),
        {"X": X, "W": W, "Y": Y},
        (
            asked("S", lambda n: n.X @ n.W, transpose__X=lambda n: n.X.T @ n.W,
                outside__row=lambda n: n.X[::-1] @ n.W,
                outside__absolute=lambda n: np.abs(n.X) @ n.W),
            asked("P", lambda n: softmax(n.S), softmax__axis=lambda n: softmax(n.S.T).T,
                outside__no_exp=lambda n: n.S / n.S.sum(1, keepdims=True),
                outside__sigmoid=lambda n: 1 / (1.5 + np.exp(-n.S)),
                softmax__whole=lambda n: np.exp(n.S) / np.exp(n.S).sum()),
            asked("dL/dS", lambda n: (n.P - n.Y) / 2, mean_n__forgotten=lambda n: n.P - n.Y,
                sign__whole=lambda n: (n.Y - n.P) / 2,
                softmax__no_one_hot=lambda n: n.P / 2, mean_n__twice=lambda n: (n.P - n.Y) / 4,
                outside__over_three=lambda n: (n.P - n.Y) / 3.5,
                softmax__labels=lambda n: (n.P - n.Y[::-1]) / 2, outside__squared=lambda n: (n.P - n.Y) ** 2 / 2),
            asked("dL/dW", lambda n: n.X.T @ n.L_S, transpose__X=lambda n: n.X @ n.L_S,
                sign__whole=lambda n: -n.X.T @ n.L_S,
                mean_n__forgotten=lambda n: 2 * n.X.T @ n.L_S, outside__rows=lambda n: n.X[::-1].T @ n.L_S,
                not_a_gradient__update=lambda n: n.W - 0.5 * n.X.T @ n.L_S, transpose__whole=lambda n: n.L_S.T @ n.X,
                outside__quarter=lambda n: n.X.T @ n.L_S / 2.25),
            asked("dL/dX", lambda n: n.L_S @ n.W.T, sign__whole=lambda n: -n.L_S @ n.W.T,
                transpose__whole=lambda n: n.W @ n.L_S.T,
                mean_n__forgotten=lambda n: 2 * n.L_S @ n.W.T,
                outside__softmax_again=lambda n: (n.L_S * n.P) @ n.W.T),
        ),
    )  # fmt: skip


def shifted(draw: Draw) -> Asked:
    A, b, k = draw.signed(2, 3, high=2.2), draw.signed(3, high=1.5), draw.signed(2, 1, high=1.9)
    return Asked(
        "shifted",
        program("H = A*k + b\nQ = H**2\nL = mean(Q)", A=A, b=b, k=k),
        {"A": A, "b": b, "k": k},
        (
            asked("H", lambda n: n.A * n.k + n.b, forward_slip__minus=lambda n: n.A * n.k - n.b,
                forward_slip__no_b=lambda n: n.A * n.k,
                outside__turned=lambda n: n.A * n.k[::-1] + n.b, outside__b_turned=lambda n: n.A * n.k + n.b[::-1]),
            asked("L", lambda n: np.mean(n.H**2), mean_n_or_forward_slip__sum=lambda n: np.sum(n.H**2),
                outside__root=lambda n: np.sqrt(np.mean(n.H**2)),
                outside__five=lambda n: np.sum(n.H**2) / 5, forward_slip__no_square=lambda n: np.mean(n.H),
                outside__squared=lambda n: np.mean(n.H) ** 2 + 1),
            asked("dL/dH", lambda n: 2 * n.H / 6, mean_n__forgotten=lambda n: 2 * n.H,
                power_rule__dropped=lambda n: n.H / 6,
                batch_n__rows=lambda n: 2 * n.H / 2.0, batch_n__columns=lambda n: 2 * n.H / 3,
                sign__whole=lambda n: -2 * n.H / 6,
                power_rule__kept=lambda n: 2 * n.H**2 / 6, outside__five=lambda n: 2 * n.H / 5),
            asked("dL/db", lambda n: n.L_H.sum(0), broadcast_unsummed__none=lambda n: 1 * n.L_H,
                broadcast_unsummed__mean=lambda n: n.L_H.mean(0),
                broadcast_unsummed__first=lambda n: 1 * n.L_H[0], mean_n__forgotten=lambda n: 6 * n.L_H.sum(0),
                broadcast_unsummed__axis=lambda n: n.L_H.sum(1), outside__scaled_axis=lambda n: n.L_H.mean(1) * 4,
                outside__product=lambda n: n.L_H.prod(0) + 0.1),
            asked("dL/dk", lambda n: (n.L_H * n.A).sum(1, keepdims=True),
                broadcast_unsummed__none=lambda n: n.L_H * n.A,
                broadcast_unsummed__mean=lambda n: (n.L_H * n.A).mean(1, keepdims=True),
                sign__whole=lambda n: -(n.L_H * n.A).sum(1, keepdims=True),
                inner_dropped__A=lambda n: n.L_H.sum(1, keepdims=True),
                outside__rows=lambda n: (n.L_H * n.A[::-1]).sum(1, keepdims=True),
                outside__largest=lambda n: (n.L_H * n.A).max(1, keepdims=True) * 1.2),
            asked("dL/dA", lambda n: n.L_H * n.k, product_own_factor__A=lambda n: n.L_H * n.A,
                inner_dropped__k=lambda n: 1 * n.L_H,
                sign__whole=lambda n: -n.L_H * n.k, outside__turned=lambda n: n.L_H * n.k[::-1],
                outside__k_squared=lambda n: n.L_H * n.k**3),
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
