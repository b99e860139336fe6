"""Verdicts on code that students hand in: it runs behind the walls, and a mistake is found by undoing it."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice
from typing import Any

import numpy as np

from gradcli.errors import GradcliError, ProgramSyntaxError
from gradcli.homework.code.cases import MADE, Case, Code, runs
from gradcli.homework.code.repairs import OPERATORS, Repair, repairs
from gradcli.homework.model import Diagnosis
from gradcli.homework.solve.points import Verdict
from gradcli.homework.solve.runs.scripts import Others, Outcomes, Ran, Script, answered
from gradcli.homework.wording import shown
from gradcli.script.interpreter import parse
from gradcli.source import Source
from gradcli.workers.asking import NONE, LostError, asked

RTOL, ATOL = 1e-5, 1e-7
BATCH = 24  # changes that are tried before it is looked whether one was right
LARGEST = 50_000  # characters of a program


class CodeJudge:
    """Judges what students write in one question; `quantities` are asked for."""

    def __init__(self, code: Code, quantities: Sequence[str]) -> None:
        self.code, self.quantities = code, tuple(quantities)

    @property
    def right_script(self) -> str:
        """The right code with what runs it."""
        return runs(self.code, self.quantities, self.code.reference)[0]

    @cached_property
    def right(self) -> dict[str, Any]:
        """The right numbers of each case."""
        text, cases = runs(self.code, self.quantities, self.code.reference)
        (values,) = self.outcomes(text, [text], cases)
        assert values
        return {case.name: value for case, value in zip(cases, values, strict=False)}

    def outcomes(self, own: str, texts: Sequence[str], cases: Sequence[Case], *, small: bool = True) -> Outcomes:
        """Return the numbers of cases for each of these programs, which all come from one; nothing where it cannot run.

        What comes from another runs in another process. Raises LostError where there are not as many.
        """
        names = (*(case.name for case in cases), "_errors[-1]")
        found: Outcomes = asked(answered, Others(Script(own, "code", names), tuple(texts), {}, small), Outcomes)
        if len(found) != len(texts) or any(len(values) not in (0, len(names)) for values in found):
            raise LostError("crash", NONE)
        return found

    def verdicts(self, text: str) -> Mapping[str, Verdict]:
        """Return the verdict on each quantity."""
        try:
            if len(text) > LARGEST:
                raise ProgramSyntaxError("E101", f"a program of {len(text):,} characters")
            parse(Source(text))
            whole, cases = runs(self.code, self.quantities, text)
        except ProgramSyntaxError as error:
            return self.alike(Verdict("unreadable", placed(error, text)))
        if not self.is_defined(text):
            kind = "class" if self.code.is_engine else "function"
            return self.alike(Verdict("unreadable", f"there is no {kind} {self.code.name} in it"))
        (values,) = self.outcomes(text, [whole], cases, small=False)
        if not values:
            return self.alike(Verdict("unreadable", self.failure(whole)))
        *numbers, raised = values
        wrong = [case for case, value in zip(cases, numbers, strict=True) if not self.is_right(case, value)]
        if not wrong:
            return self.alike(Verdict("correct"))
        repair = self.repaired(text, cases, wrong[0])
        found = {}
        for quantity in self.quantities:
            own = next((case for case in wrong if case.quantity == quantity), None)
            if own is None:
                found[quantity] = Verdict("correct")
                continue
            value = numbers[cases.index(own)]
            found[quantity] = Verdict("wrong", self.told(own, value, str(raised)), self.diagnoses(repair, text))
        return found

    def alike(self, verdict: Verdict) -> dict[str, Verdict]:
        return dict.fromkeys(self.quantities, verdict)

    def is_defined(self, text: str) -> bool:
        kind = ast.ClassDef if self.code.is_engine else ast.FunctionDef
        return any(isinstance(node, kind) and node.name == self.code.name for node in ast.parse(text).body)

    def is_right(self, case: Case, value: Any) -> bool:
        right, given = flat(self.right[case.name]), flat(value)
        if right.shape != given.shape:
            return False
        with np.errstate(all="ignore"):
            return bool(np.all(np.abs(given - right) <= ATOL + RTOL * np.abs(right)))

    def failure(self, whole: str) -> str:
        """Return why a program cannot run."""
        try:
            ran: Ran = asked(answered, Script(whole, "code", ("_errors[-1]",)), Ran)
        except GradcliError as error:
            return placed(error, whole)
        return next((one for one in ran.values if isinstance(one, str)), "") or "it takes too long"

    # ---- the mistake

    def repaired(self, text: str, cases: Sequence[Case], smallest: Case) -> Repair | None:
        """Return the change of one place after which all is right: tried on the smallest case first."""
        used = [name for name, sign in OPERATORS.items() if sign in smallest.says] if self.code.is_engine else ()
        tried = repairs(text, used, is_engine=self.code.is_engine)
        while some := batch(tried):
            texts = [runs(self.code, self.quantities, one.text, only=smallest)[0] for one in some]
            for repair, values in zip(some, self.outcomes(text, texts, [smallest]), strict=True):
                if values and self.is_right(smallest, values[0]):
                    (found,) = self.outcomes(text, [runs(self.code, self.quantities, repair.text)[0]], cases)
                    if found and all(self.is_right(case, value) for case, value in zip(cases, found, strict=False)):
                        return repair
        return None

    def diagnoses(self, repair: Repair | None, text: str) -> tuple[Diagnosis, ...]:
        if repair is None:
            return ()
        line = text.splitlines()[repair.line - 1].strip() if 0 < repair.line <= text.count("\n") + 1 else ""
        message = f"line {repair.line}{'' if line in repair.says else f', `{line}`'}: {repair.says}"
        return (Diagnosis(repair.code, f"line {repair.line}", line, message, message, None, certain=True),)

    def told(self, case: Case, value: Any, error: str) -> str:
        """Say on which graph it fails, with what is got and what is right."""
        right, given = flat(self.right[case.name]), flat(value)
        if not np.all(np.isfinite(given)) and error:
            return f"{case.says}: it stops with {error}"
        if not self.code.is_engine:
            shape, own = shape_of(right), shape_of(given)
            if shape != own:
                return f"with {case.says}: {case.quantity} has the shape {own}, and should have {shape}"
        if given.size != right.size:  # the program puts something else in the place of what runs it
            return f"{case.says}: there are no such numbers"
        if not self.code.is_engine:
            skipped = int(right[0]) + 1
            off = np.abs(given[skipped:] - right[skipped:])
            place = int(np.argmax(off))
            index = ", ".join(map(str, np.unravel_index(place, shape))) if shape else ""
            got, expected = shown(given[skipped + place]), shown(right[skipped + place])
            return f"with {case.says}: {case.quantity}[{index}] is {got}, and should be {expected}"
        off = np.abs(given - right)
        place = int(np.argmax(off))
        return f"{case.says}: {case.labels[place]}.grad is {shown(given[place])}, and should be {shown(right[place])}"


def placed(error: GradcliError, text: str) -> str:
    """Return what is wrong with a program, with the line."""
    line = text.count("\n", 0, error.span.start) + 1 if error.span is not None else 0
    return f"{f'line {line}: ' if line else ''}{error.message}"


def batch(tried: Iterator[Repair]) -> list[Repair]:
    """Return the next changes; none of a program that is read, but is nested too deeply to be written."""
    try:
        return list(islice(tried, BATCH))
    except RecursionError:
        return []


def flat(value: Any) -> Any:
    """Return numbers in a row; none for anything else, which a program may leave in their place."""
    return np.ravel(value) if getattr(value, "dtype", np.dtype(object)).kind in "fiub" else np.empty(0)


def shape_of(entries: Any) -> tuple[int, ...]:
    """Return the shape that stands before the entries of a result."""
    axes = int(entries[0]) if np.all(np.isfinite(entries[:1])) and entries.size else 0
    shape = entries[1 : axes + 1]
    return tuple(map(int, shape)) if np.all(np.isfinite(shape)) else ()


def missed(judge: CodeJudge) -> list[str]:
    """Return the codes of the mistakes that the graphs asked for do not show: each is made in the right engine."""
    text = judge.code.reference
    made = [(code, text.replace(right, wrong)) for code, right, wrong in MADE if judge.code.is_engine]
    found = []
    for code, wrong in made:
        whole, cases = runs(judge.code, judge.quantities, wrong)
        (values,) = judge.outcomes(wrong, [whole], cases)
        if values and all(judge.is_right(case, value) for case, value in zip(cases, values, strict=False)):
            found.append(code)
    return list(dict.fromkeys(found))
