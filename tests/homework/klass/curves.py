"""Scalar questions: chains, fan-out, quotients, products, densities, activations, small whole numbers as on paper."""

from __future__ import annotations

from math import cos, exp, log, pi, sin, sqrt

from tests.homework.klass.model import Asked, Draw, asked, program


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
