"""Verdicts on code that students hand in: it runs behind the walls, and a mistake is found by undoing it."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from gradcli.errors import GradcliError, ProgramSyntaxError
from gradcli.guard import guarded
from gradcli.homework.code.cases import GRADIENT, GRADS, GRAPHS, MADE, WRITTEN_ENGINE, Case, Code, engine_run, runs
from gradcli.homework.code.numbers import flat, rows, shape_of
from gradcli.homework.code.schemata import Change
from gradcli.homework.code.search import Search
from gradcli.homework.model import Diagnosis
from gradcli.homework.solve.points import Verdict
from gradcli.homework.solve.runs.scripts import Others, Outcomes, Ran, Script, answered
from gradcli.homework.wording import shown
from gradcli.script.interpreter import parse
from gradcli.source import Source
from gradcli.workers.asking import NONE, LostError, ask_process

RTOL, ATOL = 1e-5, 1e-7
NOT_ASKED = [-1.0]  # of what a class does not do, and nobody has asked for
NO_BACKWARD = "object has no attribute 'backward'"
LARGEST = 50_000  # characters of a program


class CodeJudge:
    """Judges what students write in one question; `quantities` are asked for."""

    def __init__(self, code: Code, quantities: Sequence[str]) -> None:
        self.code, self.quantities = code, tuple(quantities)
        self.right: dict[tuple[object, ...], Any] = {}  # the numbers of the reference, by what is built and where

    @property
    def right_script(self) -> str:
        """The right code with what runs it."""
        return runs(self.code, self.quantities, self.code.reference)[0]

    def learn(self, cases: Sequence[Case]) -> None:
        """Find the right numbers of cases that are not known yet, by the reference."""
        new = {key(case): case for case in cases if key(case) not in self.right and not case.is_by_itself}
        if not new:
            return
        text = self.code.reference
        if self.code.is_engine:
            asked_for = [replace(case, builds=case.means, may_fail=False) for case in new.values()]
            before, lines = engine_run(self.code, text, asked_for)
            whole = "\n".join([text, before, *lines])
        else:
            whole, asked_for = runs(self.code, self.quantities, text)
        values = self.outcomes(whole, whole, asked_for, small=False)
        assert values
        self.right.update(zip(map(key, asked_for if not self.code.is_engine else new.values()), values, strict=False))

    def outcomes(self, original: str, text: str, cases: Sequence[Case], *, small: bool = True) -> tuple[Any, ...]:
        """Return the numbers of cases for a program, and the last error; nothing where it cannot run."""
        if not self.code.is_engine:
            return self.ran(original, text, [*(case.name for case in cases), "_errors[-1]"], small=small)
        names = ", ".join(case.name for case in cases)
        width = max(case.width for case in cases)
        table = f"_table = [(list(_one) + [float('inf')] * {width})[:{width}] for _one in [{names}]]"
        values = self.ran(original, f"{text}\n{table}\n", ["_table", "_errors[-1]"], small=small)
        return (*rows(values[0], len(cases), width), values[1]) if values else ()

    def ran(self, original: str, text: str, names: Sequence[str], *, small: bool = True) -> tuple[Any, ...]:
        """Return what is asked for by its names of a program, which is another's own with a change.

        What comes from another runs in another process. Raises LostError where there are not as many.
        """
        values = ask_process(answered, Others(Script(original, "code", tuple(names)), (text,), {}, small), Outcomes)
        if len(values) != 1 or len(values[0]) not in (0, len(names)):
            raise LostError("crash", NONE)
        outcomes: tuple[Any, ...] = values[0]
        return outcomes

    def verdicts(self, text: str) -> Mapping[str, Verdict]:
        """Return the verdict on each quantity."""
        try:
            if len(text) > LARGEST:
                raise ProgramSyntaxError("E101", f"a program of {len(text):,} characters")
            parse(Source(text))
            own_name = gradient_name(text) if self.code.is_engine else ""
            text = re.sub(rf"\.{own_name}\b", ".grad", text) if own_name else text
            whole, cases = runs(self.code, self.quantities, text)
        except ProgramSyntaxError as error:
            return self.alike(Verdict("unreadable", placed(error, text)))
        if not self.is_defined(text):
            return self.alike(Verdict("unreadable", f"there is no {self.code.kind} {self.code.name} in it"))
        values = self.outcomes(text, whole, cases, small=False)
        if not values:
            return self.alike(Verdict("unreadable", self.failure(whole)))
        *numbers, raised = values
        if self.code.is_engine and str(raised).endswith(NO_BACKWARD):
            says = f"there is no backward() in it, neither a method of {self.code.name} nor a function"
            return self.alike(Verdict("unreadable", says))
        self.learn(cases)
        wrong = [case for case, value in zip(cases, numbers, strict=True) if not self.is_right(case, value)]
        if not wrong:
            return self.alike(Verdict("correct"))
        before = {case.name: flat(value) for case, value in zip(cases, numbers, strict=True)}
        repairs = guarded("diagnosis", Search(self, text, cases, wrong, before).repair, ())
        verdicts = {}
        for quantity in self.quantities:
            wrong_case = next((case for case in wrong if case.quantity == quantity), None)
            if wrong_case is None:
                verdicts[quantity] = Verdict("correct")
                continue
            value = numbers[cases.index(wrong_case)]
            verdicts[quantity] = Verdict(
                "wrong", self.describe(wrong_case, value, str(raised)), self.diagnoses(repairs, text, own_name)
            )
        return verdicts

    def alike(self, verdict: Verdict) -> dict[str, Verdict]:
        return dict.fromkeys(self.quantities, verdict)

    def is_defined(self, text: str) -> bool:
        kind = ast.ClassDef if self.code.kind == "class" else ast.FunctionDef
        return any(isinstance(node, kind) and node.name == self.code.name for node in ast.parse(text).body)

    def is_right(self, case: Case, value: Any) -> bool:
        numbers = flat(value)
        if case.may_fail and numbers.tolist() == NOT_ASKED:
            return True
        if case.of_layer:
            return bool(numbers.size == 4 and numbers[0] <= 1)
        right, numbers = self.beside(case, numbers)
        if right.shape != numbers.shape or not numbers.size:
            return False
        rtol, atol = (1e-3, 1e-4) if case.is_by_itself else (RTOL, ATOL)
        with np.errstate(all="ignore"):
            return bool(np.all(np.abs(numbers - right) <= atol + rtol * np.abs(right)))

    def beside(self, case: Case, value: Any) -> tuple[Any, Any]:
        """Return what is right, and what of the numbers is held up to it."""
        if case.is_by_itself:
            size = case.entries
            return (value[2:3], value[1:2]) if case.of_layer else (value[size : 2 * size], value[:size])
        right = flat(self.right[key(case)])
        if self.code.is_engine and value.size == right.size and np.isnan(value[-1]):  # nobody sees what a node holds
            return right[:-1], value[:-1]
        return right, value

    def failure(self, whole: str) -> str:
        """Return why a program cannot run."""
        try:
            ran: Ran = ask_process(answered, Script(whole, "code", ("_errors[-1]",)), Ran)
        except GradcliError as error:
            return placed(error, whole)
        return next((message for message in ran.values if isinstance(message, str)), "") or "it takes too long"

    def size(self, case: Case) -> int:
        """Return how many numbers a case has."""
        return 4 if case.of_layer else case.width if self.code.is_engine else flat(self.right[key(case)]).size

    def diagnoses(self, repairs: Sequence[Change], text: str, own_name: str) -> tuple[Diagnosis, ...]:
        if not repairs:
            return ()
        (code, says, number, *_), *others = repairs
        if others:  # each alone makes all right
            says += f"; or line {others[0][2]}: {others[0][1]}"
        if own_name:
            says, text = (string.replace(".grad", f".{own_name}") for string in (says, text))
        line = text.splitlines()[number - 1].strip() if 0 < number <= text.count("\n") + 1 else ""
        message = f"line {number}{'' if line in says else f', `{line}`'}: {says}"
        return (Diagnosis(code, f"line {number}", line, message, message, None, certain=not others),)

    def describe(self, case: Case, value: Any, error: str) -> str:
        """Say on which graph it fails, with what is got and what is right."""
        right, given = self.beside(case, flat(value))
        if not np.all(np.isfinite(given)) and error:
            return f"{case.says}: it stops with {error}"
        if case.of_layer:
            name = "an input" if case.quantity == "inputs" else "a parameter"
            numbers = f"{shown(given[0])}, and should be {shown(right[0])}"
            return f"with {case.says}: a gradient of {name} is {numbers}, by the differences of its own forward pass"
        if not self.code.is_engine:
            shape, given_shape = shape_of(right), shape_of(given)
            if shape != given_shape:
                return f"with {case.says}: {case.quantity} has the shape {given_shape}, and should have {shape}"
        if given.size != right.size:  # the program puts something else in the place of what runs it
            return f"{case.says}: there are no such numbers"
        place = int(np.argmax(np.abs(given - right)))
        numbers = f"{shown(given[place])}, and should be {shown(right[place])}"
        if not self.code.is_engine:  # the shape stands first
            index = ", ".join(map(str, np.unravel_index(place - len(shape) - 1, shape))) if shape else ""
            return f"with {case.says}: {case.quantity}[{index}] is {numbers}"
        held = ", by the differences of its own values" if case.is_by_itself else ""
        return f"{case.says}: {case.labels[place]} is {numbers}{held}"


def key(case: Case) -> tuple[object, ...]:
    return (case.means, case.at) if case.at else (case.name,)


def gradient_name(text: str) -> str:
    """Return the attribute in which an engine gathers gradients, where it has a name that is not known: `self.bar`."""
    started, gathered = set(), set()
    for node in ast.walk(ast.parse(text)):
        target = node.target if isinstance(node, ast.AugAssign) else None
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant) and node.value.value in (0, None):
            started |= {target.attr for target in node.targets if isinstance(target, ast.Attribute)}
        gathered |= {target.attr} if isinstance(target, ast.Attribute) else set()
    names = {node.attr for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Attribute)}
    is_known = any(name in GRADS or GRADIENT.search(name) for name in names)
    return "" if is_known else min(started & gathered, default="")


def placed(error: GradcliError, text: str) -> str:
    """Return what is wrong with a program, with the line."""
    line = text.count("\n", 0, error.span.start) + 1 if error.span is not None else 0
    return f"{f'line {line}: ' if line else ''}{error.message}"


def missed(judge: CodeJudge) -> list[str]:
    """Return the codes of the mistakes that the graphs asked for do not show: each is made in a right engine."""
    quantities = [quantity for quantity in judge.quantities if quantity in GRAPHS]
    codes = []
    for code, right, wrong in MADE if judge.code.is_engine else ():
        text = WRITTEN_ENGINE.replace("Value", judge.code.name).replace(right, wrong)
        whole, cases = runs(judge.code, quantities, text)
        judge.learn(cases)
        values = judge.outcomes(text, whole, cases)
        if values and all(judge.is_right(case, value) for case, value in zip(cases, values, strict=False)):
            codes.append(code)
    return list(dict.fromkeys(codes))
