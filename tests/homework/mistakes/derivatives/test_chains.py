"""Links of a chain that were left out, or added."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from tests.homework.asking import Wrong, check
from tests.homework.tapes import Tape, slope


def local_alone(tape: Tape) -> Iterator[Wrong]:
    for by in tape.named:
        for site in tape.uses(by):
            if site.step != tape.output and tape.is_elementwise(site.step) and site.step in tape.right:
                inputs = tape.inputs(tape.by_name[site.step])
                yield Wrong(by, tape.local(site, *inputs) * np.ones_like(tape.values[site.step]), by)


def local_of_a_name(tape: Tape) -> Iterator[Wrong]:
    """The derivative of a named step, on the way to which other steps have no names."""
    for name in tape.named[len(tape.leaves) : -1]:
        if np.ndim(tape.values[name]) or name not in tape.right:
            continue
        steps: set[str] = {name}
        for step in reversed(tape.steps):
            if step.name in steps:
                steps |= {a for a in step.args if a in tape.inlined}  # type: ignore[misc]
        if len(steps) > 1:
            kept = {s: slope(0.0) for s in tape.sites if s.step not in steps}
            found = tape.gradients(kept, of=name)
            for by in {tape.source(s) for s in tape.sites if s.step in steps} - steps:
                yield Wrong(by, found[by], by)


def added_at_a_link(tape: Tape) -> Iterator[Wrong]:
    for site in tape.sites:
        if site.step != tape.output and site.step in tape.right and tape.is_elementwise(site.step):
            d = tape.local(site)
            by = tape.source(site)
            found = tape.gradients({site: lambda g, contribution, d=d: g + d})
            for below in {by, *tape.below(by)}:
                yield Wrong(below, found[below], site.step)


def sums_along_chains(tape: Tape) -> Iterator[Wrong]:
    """All local derivatives of a chain added up."""
    for by in tape.named:
        paths = list(tape.paths(by))
        if len(paths) == 1 and len(paths[0]) > 1:
            yield Wrong(by, sum(tape.local(site) for site in paths[0]), by)


def product_of_paths(tape: Tape) -> Iterator[Wrong]:
    for by in tape.named:
        paths = list(tape.paths(by))
        if 2 <= len(paths) <= 6:
            yield Wrong(by, np.prod([tape.along([path], by) for path in paths]), by)


@pytest.mark.slow
def test_the_local_derivative_is_given() -> None:
    check("local-not-total", local_alone, scalars=50, networks=10)


def test_the_local_derivative_of_a_name_is_given() -> None:
    check("local-not-total", local_of_a_name, scalars=15)


@pytest.mark.slow
def test_a_link_is_added() -> None:
    check("chain-added", added_at_a_link, scalars=50, networks=10)


def test_a_chain_is_added() -> None:
    check("chain-added", sums_along_chains, scalars=40)


def test_paths_are_multiplied() -> None:
    check("chain-added", product_of_paths, scalars=25)
