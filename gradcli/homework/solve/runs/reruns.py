"""Numbers of a snippet that follow from a student's own gradients: it runs again with those in place of its own.

So an updated weight is carried whatever the optimizer, and so is all that comes after it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from gradcli.homework.assignment.quantities import Quantity
from gradcli.homework.model import Value
from gradcli.homework.result_cache import Remembered
from gradcli.homework.solve.carried import is_nothing
from gradcli.homework.solve.points import Verdict
from gradcli.homework.solve.recomputing import Earlier
from gradcli.homework.solve.snippets import SnippetSolution
from gradcli.homework.submission.numerals import ENOUGH, Tolerance, Typed

PASSES, TORCH, GIVEN = "_passes", "_torch", "_given"  # names that no snippet has
KEPT = 64  # runs
TEXTS = 2**7  # snippets that read gradients, which are the same whatever the numbers are
NUDGED = (1.07, -1.0)  # times the right gradient: the first step of Adam goes by its sign alone
CLOSE = 1e-5  # a share by which a number in float32 is off


class Reruns:
    """Runs a snippet again with other gradients; `moved` are the quantities that each changes."""

    def __init__(self, solution: SnippetSolution) -> None:
        self.solution = solution
        self.truths: dict[Quantity, Value] = {
            quantity: value for quantity, value in solution.truths.items() if isinstance(value, np.ndarray | np.number)
        }
        self.moved: dict[Quantity, set[Quantity]] = {}
        self.ran: Remembered[Mapping[Quantity, Any]] = Remembered(KEPT)

    def follows(self, quantity: Quantity, typed: Typed, own_answers: Earlier, tolerance: Tolerance) -> Quantity | None:
        """Return the wrong gradient of a student's `own_answers` from which a number follows, or None.

        Nothing follows from a gradient that is 0 or not finite, nor is 0 what follows.
        """
        if quantity not in self.truths or is_nothing(typed.value, tolerance):
            return None
        wrong = {
            of: number for of, (problem, number) in own_answers.items() if problem.kind == "gradient" and of != quantity
        }
        used = {of: number for of, number in wrong.items() if number.is_alive and quantity in self.moved_by(of)}
        for chosen in dict.fromkeys((tuple(used), *((of,) for of in used))):
            if chosen and self.is_met(quantity, typed, {of: used[of] for of in chosen}, tolerance):
                return chosen[-1]
        return None

    def moved_by(self, of: Quantity) -> set[Quantity]:
        """Return the quantities that another gradient changes: none if a run with the right one changes some."""
        if of not in self.moved:
            same, *others = (self.outcomes({of: self.truths[of] * factor}) for factor in (1.0, *NUDGED))
            is_true = bool(same) and all(is_near(same.get(q), value) for q, value in self.truths.items())
            moved = (q for q, value in self.truths.items() for other in others if not is_near(other.get(q), value))
            self.moved[of] = set(moved) if is_true else set()
        return self.moved[of]

    def is_met(self, quantity: Quantity, typed: Typed, used: Mapping[Quantity, Typed], tolerance: Tolerance) -> bool:
        """Whether a number is that of a run, up to digits that were used and not written down."""
        answers = self.outcomes({of: number.value for of, number in used.items()})
        value = answers.get(quantity)
        if value is None or np.shape(value) != np.shape(typed.value) or is_near(value, self.truths[quantity]):
            return False
        if not all(is_near(answers.get(of), number.value) for of, number in used.items()):
            return False  # the snippet changes the gradient before it is asked for
        if np.all(tolerance.judge(typed, value)[0]):
            return True
        rounded = {of: number for of, number in used.items() if np.max(number.digits, initial=0) >= ENOUGH}
        moved = self.outcomes(
            {of: number.value + np.asarray(number.unit) / 2 * (of in rounded) for of, number in used.items()}
        )
        off = moved.get(quantity)
        if not rounded or off is None or np.shape(off) != np.shape(value):
            return False
        looser = replace(tolerance, atol=tolerance.atol + float(np.max(np.abs(np.asarray(off) - value))))
        return bool(np.all(looser.judge(typed, value)[0]))

    def outcomes(self, gradients: Mapping[Quantity, Value]) -> Mapping[Quantity, Any]:
        """Return the answers with other gradients; empty where the snippet cannot run with them."""
        known = tuple((of, np.asarray(value, float).tobytes()) for of, value in gradients.items())

        def run_again() -> Mapping[Quantity, Any]:
            return with_gradients(self.solution, self.solution.question.source.text, gradients)

        return self.ran.once(known, run_again)


def stepped(
    reruns: Reruns, verdicts: Mapping[Quantity, Verdict], own_numbers: Earlier, tolerance: Tolerance
) -> Iterator[tuple[Quantity, Verdict]]:
    """Yield the verdicts on wrong numbers that follow from a student's own gradients through steps made with them."""
    for quantity, verdict in verdicts.items():
        if verdict.verdict == "wrong" and verdict.typed is not None:
            with suppress(Exception), np.errstate(all="ignore"):  # no number that a student may think of stops a class
                source = reruns.follows(quantity, verdict.typed, own_numbers, tolerance)
                if source is not None:
                    remark = f"it follows from your {source}"
                    yield quantity, replace(verdict, verdict="carried", remark=remark, diagnoses=(), ledger=())


def is_near(value: Any, truth: Any) -> bool:
    if value is None or isinstance(value, bool | str) or np.shape(value) != np.shape(truth):
        return False
    return bool(np.allclose(value, truth, rtol=CLOSE, atol=1e-12))


def with_gradients(
    solution: SnippetSolution, text: str, gradients: Mapping[Quantity, Value], passes: int | None = None
) -> Mapping[Quantity, Any]:
    """Return the answers of a snippet, or of a changed one, in which gradients have given values after some passes."""
    changed = reading(text, tuple(of.of for of in gradients), passes or len(solution.ways.passes))
    return solution.outcomes(changed, {GIVEN: [np.asarray(value, float).tolist() for value in gradients.values()]})


@lru_cache(TEXTS)
def reading(text: str, gradients: Sequence[str], passes: int) -> str:
    """Return a snippet that reads gradients from a list: after the last pass, or where their names get one."""
    tree = ast.parse(text)
    named = {of: place for place, of in enumerate(gradients) if not of.endswith(".grad")}
    left = [given(of, place) for place, of in enumerate(gradients) if of.endswith(".grad")]
    counted = [
        *read(f"{PASSES}.append(0)"),
        ast.If(ast.parse(f"len({PASSES}) == {passes}", mode="eval").body, left, []),
    ]
    for node in ast.walk(tree):
        for field in ("body", "orelse", "finalbody"):
            body = getattr(node, field, None)
            if isinstance(body, list):
                setattr(node, field, list(with_more(body, named, counted if left else [])))
    tree.body[:0] = read(f"import torch as {TORCH}\n{PASSES} = []")
    return ast.unparse(ast.fix_missing_locations(tree))


def with_more(body: Iterable[ast.stmt], named: Mapping[str, int], counted: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield statements, and after each pass, and each name that is given, another gradient."""
    for statement in body:
        yield statement
        if isinstance(statement, ast.Expr) and is_pass(statement.value):
            yield from counted
        for target, value in assigned(statement) if isinstance(statement, ast.Assign) else ():
            names = {name.id for name in ast.walk(target) if isinstance(name, ast.Name)}
            for name in sorted(names & named.keys()):
                yield from (given(of, named[name]) for of in (name, *copied(value)))


def assigned(statement: ast.Assign) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Yield the targets of an assignment with their values: two pairs for `a, b = c, d`."""
    for target in statement.targets:
        several = (target, statement.value)
        if all(isinstance(side, ast.Tuple | ast.List) for side in several):
            yield from zip(*(side.elts for side in several), strict=False)  # type: ignore[attr-defined]
        else:
            yield several


def copied(node: ast.expr) -> Iterator[str]:
    """Yield each `.grad` that an expression reads, and none that it calls, as `torch.autograd.grad`."""
    called = {id(part.func) for part in ast.walk(node) if isinstance(part, ast.Call)}
    for part in ast.walk(node):
        if isinstance(part, ast.Attribute) and part.attr == "grad" and id(part) not in called:
            yield ast.unparse(part)


def is_pass(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "backward"


def given(name: str, place: int) -> ast.stmt:
    number = f"{GIVEN}[{place}]"
    tensor = f"{TORCH}.tensor({number})"
    (statement,) = read(f"{name} = {tensor}.to({name}.dtype) if {TORCH}.is_tensor({name}) else {number}")
    return statement


def read(text: str) -> list[ast.stmt]:
    return ast.parse(text).body
