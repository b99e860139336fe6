"""Every renderer with any of its options, in terminals of any width, with names of any script."""

from __future__ import annotations

import json
import re
from random import Random

from tests.fuzz import words
from tests.fuzz.case import Case
from tests.fuzz.generators import batch, check, run
from tests.fuzz.generators import eval as programs
from tests.fuzz.generators.options import options
from tests.fuzz.generators.values import decimal

WIDTHS = [0, 0, 0, 1, 2, 5, 10, 20, 40, 60, 80, 80, 100, 120, 200, 1000]
SPELLINGS = [
    "θ",
    "é",
    "e\u0301",
    "梯度",
    "x₁",
    "x₁₂₃₄₅₆₇₈₉",
    "ﬁ",
    "a" * 60,
    "_",
    "ℵ",
    "𝔵",
    "ı",
    "ª",
    "क्षि",
    "node",
    "end",
    "graph",
    "v1",
]
NAME = re.compile(r"\b[xyzwuvab]\b")
RATE = 0.3  # of the options of a command in a case
ELSEWHERE = [
    "--max-steps",
    "--max-elements",
    "--timeout",
    "--lint",
    "--key",
    "--each",
    "--fail-fast",
]  # said by the source, or not


def respelled(random: Random, case: Case) -> Case:
    """The case with one of its names written in other letters."""
    old, new = random.choice("xyzwuvab"), random.choice(SPELLINGS)

    def spell(text: str) -> str:
        return NAME.sub(lambda found: new if found[0] == old else found[0], text)

    files = tuple(
        (name, spell(content.decode(errors="replace")).encode())
        for name, content in case.files
        if not name.endswith(".gz")
    )
    if len(files) < len(case.files):
        return case
    return Case(
        case.area,
        (case.argv[0], *map(spell, case.argv[1:])),
        files,
        spell(case.stdin.decode(errors="replace")).encode(),
        case.columns,
    )


def of_names(random: Random) -> Case:
    """The commands that take a name or nothing."""
    command = random.choice(["ops", "ops", "schema"])
    known = list(words.operations()) if command == "ops" else ["explanation", "check", "batch", "nothing"]
    return Case("render", (command, *([random.choice(known)] if random.random() < 0.97 else [])))


def of_mistakes(random: Random) -> Case:
    """Answers that a diagnosis explains, on one of the larger assignments."""
    others = ["0", "1", "-1", "2", "8", "50", decimal(random)]
    text, question, right = random.choice(check.assignments())
    answers = re.sub(
        r"-?\d+(\.\d+)?",
        lambda found: found[0] if random.random() < 0.5 else random.choice(others),
        right,
    )
    name, data = random.choice([("ada.txt", answers), ("ada.json", json.dumps({question: {"q": answers}}))])
    return Case("render", ("check", "homework.toml", name), (("homework.toml", text.encode()), (name, data.encode())))


SOURCES = [programs.case] * 6 + [run.case] * 3 + [check.case, of_mistakes, batch.case, batch.case, of_names]


def case(random: Random) -> Case:
    found = random.choice(SOURCES)(random)
    command, *arguments = found.argv
    if random.random() < 0.3:
        found = respelled(random, found)
        command, *arguments = found.argv
    without = [
        option.name
        for option in words.options(command)
        if option.kind is str and not (option.is_flag or option.choices)
    ]
    chosen = options(random, command, without=[*without, *ELSEWHERE], rate=RATE)
    return Case("render", (command, *arguments, *chosen), found.files, found.stdin, random.choice(WIDTHS))
