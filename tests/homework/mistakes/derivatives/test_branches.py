"""Branches that were left out, at random places of random programs."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.homework.asking import Wrong, assignment, check, marked, question
from tests.homework.drawing import scalar_tape
from tests.homework.tapes import Site, Tape, nothing
from tests.programs import some


def uses_below_output(tape: Tape, name: str) -> list[Site]:
    return [site for site in tape.uses(name) if site.step in tape.right]


def one_branch(tape: Tape) -> Iterator[Wrong]:
    """One use of a value counts, and the others are forgotten: at the value, and for all below it."""
    for name in tape.right:
        uses = uses_below_output(tape, name)
        for kept in uses if len(uses) > 1 else ():
            found = tape.gradients(dict.fromkeys([site for site in uses if site != kept], nothing))
            for by in [name, *tape.below(name)]:
                yield Wrong(by, found[by], name)


@pytest.mark.slow
def test_one_branch_is_kept() -> None:
    check("fanout-overwrite", one_branch, scalars=40, networks=10)


@pytest.mark.slow
@pytest.mark.parametrize("seed", some(range(40), 4))
def test_the_ledger_lists_the_paths(seed: int) -> None:
    """Where an answer is the sum of some paths, the ledger has every path, and those that add up to the answer."""
    tape = scalar_tape(seed)
    for by in tape.leaves:
        paths = list(tape.paths(by))
        if not 2 <= len(paths) <= 6:
            continue
        wrong = tape.along(paths[1:], by)
        quantity = f"d{tape.output}/d{by}"
        answer = marked(assignment(question(tape, [quantity])), {quantity: f"{wrong:.15e}"})[quantity]
        if answer.verdict == "correct":
            continue
        assert len(answer.ledger) == len(paths)
        assert sum(branch.value for branch in answer.ledger) == pytest.approx(tape.right[by])
        assert sum(branch.value for branch in answer.ledger if branch.present) == pytest.approx(wrong, abs=1e-6)
        assert {branch.path[-1] for branch in answer.ledger} == {by}
