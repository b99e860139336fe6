"""Homework: assignments of one question, and changed ones; answers that are right, changed or hostile."""

from __future__ import annotations

import json
import re
from functools import cache
from random import Random

from tests.fuzz import words
from tests.fuzz.case import Case
from tests.fuzz.generators.mutation import HOSTILE, damaged, mutated
from tests.fuzz.generators.options import mixed, options
from tests.fuzz.generators.programs import NUMBER
from tests.fuzz.generators.values import DECIMALS, STRANGE, array, decimal, number, shape
from tests.fuzz.generators.values import HOSTILE as NUMBERS

SMALL = [
    ("s = x**2; q = s + 3*s", "x = 2", ["s", "dq/ds", "dq/dx"]),
    ("q = x*y", "x = 2, y = -3", ["q", "dq/dx", "local dq/dy"]),
    ("q = sin(x)*exp(x)", "x = 0.5", ["q", '{ quantity = "dq/dx", form = "expression", points = 2 }']),
    ("q = relu(w*x + b)", "w = 1, x = 2, b = -3", ["q", "dq/dw", "b.grad"]),
    ("q = mean(x**2)", "x = [1, 2, 3]", ["q", "x.grad"]),
    ("q = sum(A @ x)", "A = [[1, 2], [3, 4]], x = [1, -1]", ["dq/dA", "x.grad"]),
    ("q = log(x/y)", "x = 2, y = 0", ["q", "dq/dy"]),
    ("q = detach(x)*x", "x = 3", ["dq/dx"]),
    ("q = max(x)", "x = [1, 1]", ["q", "dq/dx"]),
]
ANSWERS = [
    "None",
    "True",
    "MulBackward0",
    "0",
    "1",
    "nan",
    "1/3",
    "2*x",
    "x**2 +",
    "[1, 2]",
    "[[1], [2, 3]]",
    "1e400",
    "0.333",
    "1,5",
    "",
    "?",
    "9**9**9",
]
FILES = [
    "ada.txt",
    "ada.json",
    "ada.answers",
    "ada.md",
    "class.csv",
    "answers/ada.txt",
    "answers/b/ada.txt",
    "ada",
    "\u202ea.txt",
    "a\x1b[31m.txt",
]


@cache
def assignments() -> tuple[tuple[str, str, str], ...]:
    """Assignments of one question: the text, the id, and the right answers as a submission has them."""
    from gradcli.homework.answer_file import filled_in
    from gradcli.homework.assignment.assignments import read_assignment
    from gradcli.homework.grading import Grader
    from gradcli.source import Source

    texts = [small(*one) for one in SMALL]
    for path in sorted((words.SAMPLES / "homework").glob("*.toml")):
        head, *questions = re.split(r"(?=^\[\[question\]\])", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
        texts += [head + question for question in questions]
    found = []
    for text in texts:
        assignment = read_assignment(Source(text, "homework.toml"))
        found.append((text, assignment.questions[0].id, "\n".join(filled_in(Grader(assignment)))))
    return tuple(found)


def small(program: str, at: str, asked: list[str]) -> str:
    asks = ", ".join(ask if ask.startswith("{") else f'"{ask}"' for ask in asked)
    return f'[[question]]\nid = "q1"\nprogram = "{program}"\nat = {{ {at} }}\nask = [{asks}]\n'


def case(random: Random) -> Case:
    every = assignments()
    text, question, right = random.choice(every[: len(SMALL)] if random.random() < 0.95 else every)
    if random.random() < 0.2:
        text = mutated(random, text, [one for one, _, _ in every], random.choice([1, 1, 3]))
    elif random.random() < DECIMALS:
        text = NUMBER.sub(lambda found: decimal(random), text)
    assignment = text.encode("utf-8", "surrogatepass")
    if random.random() < 0.03:
        assignment = damaged(random, assignment)
    chosen = options(random, "check", without=["--jobs", "--lint", "--key", "--output", "--report"])
    if random.random() < 0.04:
        alone = random.choice(["--lint", "--key"])
        return Case(
            "check", mixed(random, "check", ["homework.toml"], [alone, *chosen]), (("homework.toml", assignment),)
        )
    if random.random() < 0.3:
        chosen += options(
            random,
            "check",
            {"--output": ["out", "out/", "-", "no/such", "."]},
            without=[o.name for o in words.options("check") if o.name not in ("--report", "--output")],
        )
    if random.random() < 0.004:
        chosen += ["--jobs", "2"]
    handed_in = [submission(random, question, right) for _ in range(random.choice([1, 1, 1, 2]))]
    given = sorted({name.partition("/")[0] if random.random() < 0.7 else name for name, _ in handed_in})
    return Case(
        "check",
        mixed(random, "check", ["homework.toml", *given], chosen),
        (("homework.toml", assignment), *dict(handed_in).items()),
    )


def submission(random: Random, question: str, right: str) -> tuple[str, bytes]:
    """The name of a file and answers in it."""
    answers = [
        changed(random, name, text) for name, text in re.findall(r"^([^\n=#\[]+?) *= *([^\n]*)$", right, re.MULTILINE)
    ]
    name = random.choice(FILES if random.random() < 0.5 else FILES[:1])
    if name.endswith(".json"):
        text = json.dumps(
            {question: {name: plain(random, answer) for name, answer in answers}}, ensure_ascii=random.random() < 0.5
        )
    elif name.endswith(".csv"):
        text = table(random, question, answers)
    else:
        text = f"[{question}]\n" + "\n".join(f"{name} = {answer}" for name, answer in answers)
    if random.random() < 0.25:
        text = mutated(random, text, [right], 3)
    data = text.encode(random.choice(["utf-8"] * 12 + ["utf-16", "utf-8-sig", "cp1252"]), "replace")
    return name, damaged(random, data) if random.random() < 0.08 else data


def changed(random: Random, name: str, answer: str) -> tuple[str, str]:
    """A quantity with its right answer, or with another."""
    kind = random.random()
    if kind < 0.4:
        return name, answer
    if kind < 0.6:
        return name, number(random, 0.5)
    if kind < 0.75:
        return name, array(random, shape(random))
    if kind < 0.85:
        return name, random.choice([*ANSWERS, *STRANGE, *NUMBERS, *HOSTILE])
    if kind < 0.95:
        return name, mutated(random, answer or "0", ANSWERS, 2)
    return random.choice([mutated(random, name, most=1), "dq/dq", "nobody", ""]), answer


def plain(random: Random, answer: str) -> object:
    """An answer as JSON has it: a number or lists where it is one."""
    try:
        return json.loads(answer)
    except (ValueError, RecursionError):
        return random.choice([answer, answer, None, [answer], {"x": answer}])


def table(random: Random, question: str, answers: list[tuple[str, str]]) -> str:
    """The rows of a class."""
    separator = random.choice([",", ",", ";", "\t"])
    rows = [["student", "question", "quantity", "answer"]]
    for student in random.sample(["ada", "bob", "", "\u202eeve", "a,b", "ada ", "..", "con"], random.randint(1, 3)):
        rows += [[student, question, name, answer] for name, answer in answers]
    if random.random() < 0.1:
        rows[0] = rows[0][: random.randint(0, 4)]
    quoted = [[f'"{cell}"' if separator in cell and random.random() < 0.9 else cell for cell in row] for row in rows]
    return random.choice(["\n", "\n", "\r\n", "\r"]).join(separator.join(row) for row in quoted)
