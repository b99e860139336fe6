"""Tensors that change their shape: outer sums, centred data, layouts, attention, pooling."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.homework.klass.matrices import softmax
from tests.homework.klass.model import Asked, Draw, asked, program


def outer(draw: Draw) -> Asked:
    c, r, G = draw.signed(3, 1, high=2.0), draw.signed(2, high=2.0), draw.signed(3, 2, high=2.6)
    return Asked(
        "outer",
        program("S = c*r\nT = S + r\nL = sum(G*T**2)", c=c, r=r, G=G),
        {"c": c, "r": r, "G": G},
        (
            asked("T", lambda n: n.c * n.r + n.r, forward_slip__minus=lambda n: n.c * n.r - n.r,
                forward_slip__no_r=lambda n: n.c * n.r, forward_slip__sums=lambda n: n.c + n.r + n.r,
                outside__columns=lambda n: n.c * n.r + n.c),
            asked("dL/dT", lambda n: 2 * n.G * n.T, power_rule__dropped=lambda n: n.G * n.T,
                power_rule__kept=lambda n: 2 * n.G * n.T**2, inner_dropped__G=lambda n: 2 * n.T,
                swapped_variable__G=lambda n: n.T**2, sign__whole=lambda n: -2 * n.G * n.T),
            asked("dL/dc", lambda n: np.sum(n.L_T * n.r, 1, keepdims=True),
                broadcast_unsummed__none=lambda n: n.L_T * n.r,
                broadcast_unsummed__mean=lambda n: np.mean(n.L_T * n.r, 1, keepdims=True),
                broadcast_unsummed__first=lambda n: (n.L_T * n.r)[:, :1],
                inner_dropped__r=lambda n: np.sum(n.L_T, 1, keepdims=True),
                product_own_factor__c=lambda n: np.sum(n.L_T * n.c, 1, keepdims=True),
                broadcast_unsummed__wrong_axis=lambda n: np.sum(n.L_T * n.r, 0),
                outside__max=lambda n: np.max(n.L_T * n.r, 1, keepdims=True),
            ),
            asked("dL/dr", lambda n: np.sum(n.L_T * n.c + n.L_T, 0),
                fanout_overwrite__product=lambda n: np.sum(n.L_T * n.c, 0),
                fanout_overwrite__sum=lambda n: np.sum(n.L_T, 0),
                broadcast_unsummed__none=lambda n: n.L_T * n.c + n.L_T,
                broadcast_unsummed__mean=lambda n: np.mean(n.L_T * n.c + n.L_T, 0),
                product_own_factor__r=lambda n: np.sum(n.L_T * n.r + n.L_T, 0),
                sign__whole=lambda n: -np.sum(n.L_T * n.c + n.L_T, 0),
            ),
        ),
    )  # fmt: skip


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


def layout(draw: Draw) -> Asked:
    A, W, K = draw.signed(2, 3, high=2.2), draw.signed(2, 2, high=2.2), draw.signed(3, 2, high=2.2)
    return Asked(
        "layout",
        program("B = A.T @ W\nC = reshape(B, (2, 3))\nD = C.T*K\nL = sum(D)", A=A, W=W, K=K),
        {"A": A, "W": W, "K": K},
        (
            asked("B", lambda n: n.A.T @ n.W, transpose__W=lambda n: n.A.T @ n.W.T,
                transpose__after=lambda n: np.reshape(n.A, (3, 2)) @ n.W,
                outside__twice=lambda n: n.A.T @ n.W @ n.W),
            asked("C", lambda n: np.reshape(n.B, (2, 3)), transpose__for_reshape=lambda n: n.B.T),
            asked("dL/dC", lambda n: n.K.T, transpose__left_out=lambda n: n.K,
                transpose__reshaped=lambda n: np.reshape(n.K, (2, 3))),
            asked("dL/dB", lambda n: np.reshape(n.L_C, (3, 2)), transpose__for_reshape=lambda n: n.L_C.T),
            asked("dL/dW", lambda n: n.A @ n.L_B,
                transpose__whole=lambda n: (n.A @ n.L_B).T,
                sign__whole=lambda n: -n.A @ n.L_B,
                not_a_gradient__update=lambda n: n.W - 0.1 * n.A @ n.L_B,
                outside__half=lambda n: n.A @ n.L_B / 1.9,
            ),
            asked("dL/dA", lambda n: n.W @ n.L_B.T,
                transpose__whole=lambda n: n.L_B @ n.W.T,
                transpose__W=lambda n: n.W.T @ n.L_B.T,
                sign__whole=lambda n: -n.W @ n.L_B.T,
                outside__added=lambda n: n.W @ n.L_B.T + n.A,
            ),
        ),
    )  # fmt: skip


def back(P: Any, g: Any) -> Any:
    return P * (g - np.sum(g * P, 1, keepdims=True))


def attention(draw: Draw) -> Asked:
    Q, K, V, G = (draw.signed(2, 2, high=1.7) for _ in range(4))
    return Asked(
        "attention",
        program("S = Q @ K.T/sqrt(2)\nP = softmax(S, 1)\nO = P @ V\nL = sum(O*G)", Q=Q, K=K, V=V, G=G),
        {"Q": Q, "K": K, "V": V, "G": G, "r": 2**0.5},
        (
            asked("S", lambda n: n.Q @ n.K.T / n.r, transpose__K=lambda n: n.Q @ n.K / n.r,
                forward_slip__no_scale=lambda n: n.Q @ n.K.T, elementwise__product=lambda n: n.Q * n.K / n.r,
                factors_order__swapped=lambda n: n.K.T @ n.Q / n.r, outside__by_two=lambda n: n.Q @ n.K.T / 2.5),
            asked("P", lambda n: softmax(n.S), softmax__wrong_axis=lambda n: softmax(n.S, 0),
                outside__no_exp=lambda n: n.S / np.sum(n.S, 1, keepdims=True)),
            asked("dL/dP", lambda n: n.G @ n.V.T, transpose__left_out=lambda n: n.G @ n.V,
                factors_order__swapped=lambda n: n.V.T @ n.G, elementwise__product=lambda n: n.G * n.V),
            asked("dL/dV", lambda n: n.P.T @ n.G, transpose__left_out=lambda n: n.P @ n.G,
                result_for_input__S=lambda n: n.S.T @ n.G, factors_order__swapped=lambda n: n.G @ n.P.T,
                transpose__whole=lambda n: (n.P.T @ n.G).T, swapped_variable__P=lambda n: n.L_P),
            asked("dL/dS", lambda n: back(n.P, n.L_P),
                softmax__diagonal=lambda n: n.P * (1 - n.P) * n.L_P,
                softmax__no_sum=lambda n: n.P * n.L_P,
                inner_dropped__softmax=lambda n: n.L_P,
                sign__whole=lambda n: -back(n.P, n.L_P),
                softmax__wrong_axis=lambda n: n.P * (n.L_P - np.sum(n.L_P * n.P, 0)),
            ),
            asked("dL/dQ", lambda n: n.L_S @ n.K / n.r,
                mean_n__no_scale=lambda n: n.L_S @ n.K,
                transpose__K=lambda n: n.L_S @ n.K.T / n.r,
                factors_order__swapped=lambda n: n.K @ n.L_S / n.r,
                outside__squared=lambda n: n.L_S @ n.K @ n.K / n.r,
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
