"""Slips in the rules themselves: signs, powers, products, quotients."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from tests.homework.asking import Wrong, check
from tests.homework.tapes import Change, Site, Step, Tape, slope


def everywhere(tape: Tape, changes: dict[Site, Change], node: str) -> Iterator[Wrong]:
    """What changes lead to for the inputs of a step and all below them."""
    found = tape.gradients(changes)
    for by in tape.below(node):
        yield Wrong(by, found[by], node)


def steps(tape: Tape, *ops: str) -> Iterator[Step]:
    yield from (step for step in tape.steps if step.op in ops and step.name in tape.right)


def one_sign(tape: Tape) -> Iterator[Wrong]:
    for site in tape.sites:
        if site.step in tape.right and tape.by_name[site.step].op != "average":
            yield from everywhere(tape, {site: lambda g, contribution: -contribution}, site.step)


def every_sign(tape: Tape) -> Iterator[Wrong]:
    yield from (Wrong(by, -tape.right[by], by) for by in tape.named if by in tape.right)


def power(tape: Tape) -> Iterator[Wrong]:
    for step in steps(tape, "pow"):
        if isinstance(step.args[0], str):
            x, n = tape.inputs(step)
            for slipped in (n * x**n, x ** (n - 1)):
                yield from everywhere(tape, {Site(step.name, 0): slope(slipped)}, step.name)


def power_of_a_root(tape: Tape) -> Iterator[Wrong]:
    for step in steps(tape, "sqrt"):
        (x,) = tape.inputs(step)
        for slipped in (np.sqrt(x) / 2, 1 / np.sqrt(x)):
            yield from everywhere(tape, {Site(step.name, 0): slope(slipped)}, step.name)


def power_rule_on_an_exponential(tape: Tape) -> Iterator[Wrong]:
    for step in steps(tape, "exp", "pow"):
        base, exponent = (np.e, *tape.inputs(step)) if step.op == "exp" else tape.inputs(step)
        if isinstance(step.args[-1], str):
            site = Site(step.name, len(step.args) - 1)
            yield from everywhere(tape, {site: slope(exponent * base ** (exponent - 1))}, step.name)


def own_factor(tape: Tape) -> Iterator[Wrong]:
    for step in steps(tape, "mul"):
        slips = {
            Site(step.name, n): slope(own)
            for n, own in enumerate(tape.inputs(step))
            if isinstance(step.args[n], str) and np.shape(own) == np.shape(tape.values[step.name])
        }
        for site, change in slips.items():
            yield from everywhere(tape, {site: change}, step.name)
        yield from everywhere(tape, slips, step.name)


def of_the_parts(tape: Tape, step: Step) -> Iterator[tuple[str, float, float, float]]:
    """A value below, the derivatives of the two operands by it, and the upstream gradient; operands differ."""
    below = [{**tape.gradients(of=name), name: 1.0} if isinstance(name, str) else {} for name in step.args]
    for by in tape.named:
        if by in below[0] and by in below[1] and by != step.name:
            yield by, below[0][by], below[1][by], tape.right[step.name]


def product_of_derivatives(tape: Tape) -> Iterator[Wrong]:
    for step in steps(tape, "mul"):
        u, v = tape.inputs(step)
        for by, du, dv, g in of_the_parts(tape, step):
            yield Wrong(by, tape.right[by] + g * (du * dv - (du * v + u * dv)), step.name)


def quotient_of_derivatives(tape: Tape) -> Iterator[Wrong]:
    for step in steps(tape, "div"):
        u, v = tape.inputs(step)
        for by, du, dv, g in of_the_parts(tape, step):
            if dv != 0:
                yield Wrong(by, tape.right[by] + g * (du / dv - (du * v - u * dv) / v**2), step.name)


def denominator_not_squared(tape: Tape) -> Iterator[Wrong]:
    """-u v'/v in the part of the denominator, or the whole numerator over v."""
    for step in steps(tape, "div"):
        u, v = tape.inputs(step)
        if isinstance(step.args[1], str):
            below = Site(step.name, 1)
            yield from everywhere(tape, {below: slope(-u / v)}, step.name)
            if isinstance(step.args[0], str):
                whole = {Site(step.name, 0): slope(1.0), below: slope(-u / v)}
                yield from everywhere(tape, whole, step.name)


def signs_of_the_quotient(tape: Tape) -> Iterator[Wrong]:
    for step in steps(tape, "div"):
        u, v = tape.inputs(step)
        if isinstance(step.args[1], str):
            below = Site(step.name, 1)
            yield from everywhere(tape, {below: slope(u / v**2)}, step.name)
            if isinstance(step.args[0], str):
                both = {Site(step.name, 0): slope(-1 / v), below: slope(u / v**2)}
                yield from everywhere(tape, both, step.name)


@pytest.mark.slow
def test_one_sign() -> None:
    check("sign", one_sign, scalars=60, networks=20)


@pytest.mark.slow
def test_every_sign() -> None:
    check("sign", every_sign, scalars=60, networks=40)


def test_the_exponent_is_kept_or_the_factor_dropped() -> None:
    check("power-rule", power, scalars=30, networks=15)


def test_the_power_rule_of_a_root() -> None:
    check("power-rule", power_of_a_root, scalars=4)


def test_the_power_rule_on_an_exponential() -> None:
    check("power-rule", power_rule_on_an_exponential, scalars=15)


def test_a_factor_for_the_other() -> None:
    check("product-own-factor", own_factor, scalars=40, networks=4)


def test_the_derivatives_are_multiplied() -> None:
    check("product-own-factor", product_of_derivatives, scalars=15)


def test_the_derivatives_are_divided() -> None:
    check("quotient", quotient_of_derivatives, scalars=4)


def test_the_denominator_is_not_squared() -> None:
    check("quotient", denominator_not_squared, scalars=15)


def test_the_signs_of_a_quotient() -> None:
    check("quotient", signs_of_the_quotient, scalars=15)
