"""Questions on tapes, graded as students' files are: assignment and submission are texts."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from gradcli.homework.assignment.assignments import read_assignment
from gradcli.homework.grading import Grader
from gradcli.homework.model import Marked
from gradcli.homework.submission.files import File, places_of
from gradcli.homework.submission.submissions import read_text
from gradcli.source import Source
from tests.homework.drawing import network_tape, scalar_tape
from tests.homework.tapes import Tape
from tests.programs import some

Value = Any  # a numpy array or scalar


class Wrong(NamedTuple):
    """The number that a mistake gives for the gradient by a value, and the node where the mistake is."""

    by: str
    number: Value
    node: str = ""  # not looked at where it is empty, or where it has no name


def assignment(body: str, grading: str = "") -> Grader:
    """A grader for an assignment of one question, `q`."""
    return Grader(read_assignment(Source(f"[grading]\n{grading}\n[[question]]\nid = 'q'\n{body}", "test.toml")))


def question(tape: Tape, asks: Iterable[Any]) -> str:
    at = ", ".join(f"{name} = {np.asarray(value).tolist()!r}" for name, value in tape.leaves.items())
    return f"program = '''\n{tape.text}\n'''\nat = {{ {at} }}\nask = {list(asks)!r}\n"


def marked(grader: Grader, answers: dict[str, str]) -> dict[str, Marked]:
    text = "[q]\n" + "".join(f"{quantity} = {answer}\n" for quantity, answer in answers.items())
    result = grader.grade(read_text("student.txt", "student", text))
    return {answer.quantity: answer for answer in result.answers}


def typed(number: Value) -> str:
    """A number with twelve digits after its first, an array as nested lists."""
    if np.ndim(number):
        return f"[{', '.join(map(typed, number))}]"
    return f"{float(number):.12e}"


@cache
def exam(tape_of: Callable[[int], Tape], seed: int) -> tuple[Tape, Grader]:
    """A random program, with a question about every gradient and every value in it."""
    tape = tape_of(seed)
    asks = [f"d{tape.output}/d{name}" for name in tape.named if name in tape.right]
    return tape, assignment(question(tape, [*asks, *tape.named]), "carry_forward = false")


def apart(number: Value, truth: Value) -> bool:
    """Whether a number is wrong beyond doubt, and one that can be typed."""
    if not np.all(np.isfinite(number)) or np.max(np.abs(number)) > 1e9 or np.all(np.abs(number) < 1e-6):
        return False
    if np.shape(number) != np.shape(truth):
        return True
    return bool(np.any(np.abs(number - truth) > 1e-3 * np.abs(truth) + 1e-4))


def explains(code: str, grader: Grader, tape: Tape, wrong: Wrong, quantity: str = "") -> None:
    """A wrong number is marked wrong, and the code is among its diagnoses, at its node."""
    quantity = quantity or f"d{tape.output}/d{wrong.by}"
    answer = marked(grader, {quantity: typed(wrong.number)})[quantity]
    told = f"{tape.text}\n{dict(tape.leaves)}\n{quantity} = {wrong.number}\n{wrong.node}\n{answer}"
    assert answer.verdict in ("wrong", "shape"), told
    assert answer.points == 0.0, told
    found = [one for one in answer.diagnoses if one.code == code]
    assert found, told
    if wrong.node in tape.named:
        assert wrong.node in {one.node for one in found}, told
    number = np.ravel(wrong.number)  # ones in the shape do not count
    assert all(np.allclose(np.ravel(one.value), number, rtol=1e-6, atol=1e-8) for one in found), told


Mistake = Callable[[Tape], Iterable[Wrong]]
SCALARS, NETWORKS = range(80), range(1000, 1050)


def check(code: str, mistake: Mistake, *, scalars: int = 0, networks: int = 0, each: int = 2) -> None:
    """A row of the catalogue on random programs: of all, at least so many numbers of scalar ones, and of networks."""
    for tape_of, seeds, least in ((scalar_tape, SCALARS, scalars), (network_tape, NETWORKS, networks)):
        seen = 0
        for seed in some(seeds, 6) if least else ():
            tape, grader = exam(tape_of, seed)
            wrongs = [w for w in mistake(tape) if w.by in tape.named and apart(w.number, tape.right[w.by])]
            for wrong in random.Random(seed).sample(wrongs, min(each, len(wrongs))):
                explains(code, grader, tape, wrong)
                seen += 1
        assert seen >= least // 8, f"{seen} of {tape_of.__name__}"


def files_of(paths: Iterable[str]) -> list[File]:
    """Return the submissions at the paths."""
    return list(places_of(paths, []).values())


LEAF = "torch.tensor({}, dtype=torch.float64, requires_grad=True)".format


def of_program(program: str, at: str, *quantities: str) -> str:
    return f"program = '{program}'\nat = {{ {at} }}\nask = {list(quantities)}\n"


def of_script(script: str, *quantities: str) -> str:
    return f'script = """\nimport torch\n{script}\n"""\nask = {list(quantities)}\n'


def graded_answer(body: str, answers: dict[str, Any], quantity: str) -> Marked:
    """Grade answers to one question, and return the one about a quantity."""
    return marked(assignment(body), {name: typed(value) for name, value in answers.items()})[quantity]


def names_mistake(body: str, answers: dict[str, Any], quantity: str, code: str) -> None:
    """Check that a wrong answer is told to be a mistake, perhaps one of several."""
    answer = graded_answer(body, answers, quantity)
    assert answer.verdict in ("wrong", "shape")
    assert code in [diagnosis.code for diagnosis in answer.diagnoses], answer
