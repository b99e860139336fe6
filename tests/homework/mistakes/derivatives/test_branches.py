"""Branches that were left out, at random places of random programs."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np
import pytest

from gradcli.homework.mistakes.forward import MAKERS, declared
from tests.homework.asking import Wrong, assignment, check, marked, question
from tests.homework.drawing import scalar_tape
from tests.homework.tapes import Site, Step, Tape, nothing
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


def some_paths(tape: Tape) -> Iterator[Wrong]:
    for by in tape.named:
        paths = list(tape.paths(by))
        if 2 <= len(paths) <= 6:
            for size in range(1, len(paths)):
                for kept in combinations(paths, size):
                    yield Wrong(by, tape.along(kept, by), by)


@pytest.mark.slow
def test_one_branch_is_kept() -> None:
    check("fanout-overwrite", one_branch, scalars=50, networks=10)


@pytest.mark.slow
def test_some_paths_are_left_out() -> None:
    check("path-missed", some_paths, scalars=50, networks=10)


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


def test_a_factor_that_stands_twice() -> None:
    tape = Tape({"x": 1.7}, (Step("p", "sin", ("x",)), Step("z", "mul", ("p", "p"))))
    answer = marked(assignment(question(tape, ["dz/dp"])), {"dz/dp": f"{np.sin(1.7):.12f}"})["dz/dp"]
    assert "p stands there twice" in {d.message.split("; ")[-1] for d in answer.diagnoses}


def test_a_branch_that_enters_a_product_twice_is_one_term_of_the_sum() -> None:
    grader = assignment("program = 's = x*y; q = s*s + s'\nat = { x = 3.5, y = 1.2 }\nask = ['dq/ds']")
    found = marked(grader, {"dq/ds": "8.40"})["dq/ds"].diagnoses
    assert [one.code for one in found][:2] == ["fanout-overwrite", "path-missed"]
    assert {one.code for one in found} == {
        "fanout-overwrite",
        "local-not-total",
        "path-missed",
        "digit-slip",
        "forward-slip",
    }
    assert found[0].message == "you kept the branch through s*s; s also feeds q"
    found = marked(grader, {"dq/ds": "4.20"})["dq/ds"].diagnoses
    assert found[0].message == "you kept the branch through s*s; s stands there twice and also feeds q"


def test_a_power_of_several_exponents_has_slips_of_its_own() -> None:
    grader = assignment("program = 'q = x**n; z = sum(q)'\nat = { x = [1.5, 2.5], n = [2.0, 3.0] }\nask = ['q', 'z']")
    found = marked(grader, {"z": "4.0"})["z"].diagnoses
    assert [one.code for one in found] == ["forward-slip"]


def test_each_operation_that_is_put_for_another_one_exists() -> None:
    assert {op: declared(op).name for op in ("sub", *MAKERS)} == {op: op for op in ("sub", *MAKERS)}
