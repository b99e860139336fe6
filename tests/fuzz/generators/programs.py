"""Programs of the expression language: shapes that fit, examples with other numbers, texts with other tokens."""

from __future__ import annotations

import re
from random import Random

from tests.engine.random_programs import ALONG, BINARY, SAME_SHAPE, UNARY, WHOLE, broadcast
from tests.fuzz import words
from tests.fuzz.generators.mutation import mutated
from tests.fuzz.generators.values import DECIMALS, FILLINGS, Shape, array, decimal, number, shape, value

NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?![\w.])")
NAMES = ["x", "y", "z", "w", "a1", "θ", "x₁", "e", "lam"]


def program(random: Random) -> str:
    """A program that fits half of the time, and one that may not otherwise."""
    return summed(random, unsummed(random))


def unsummed(random: Random) -> str:
    kind = random.random()
    if kind < 0.3:
        return typed(random)
    if kind < 0.55:
        return random.choice(words.programs())
    if kind < 0.8:
        return renumbered(random, random.choice(words.programs()))
    return mutated(random, random.choice([random.choice(words.programs()), typed(random)]), words.programs())


def renumbered(random: Random, text: str) -> str:
    """The program with some of its numbers replaced."""
    rate = random.choice([0.1, 0.3, 1.0])
    hostile = random.choice([0.0, 0.3, 1.0])
    return NUMBER.sub(lambda found: number(random, hostile) if random.random() < rate else found[0], text)


def typed(random: Random) -> str:
    """A program of statements whose shapes fit, with its values in it."""
    shapes: dict[str, Shape] = {}
    lines = []
    filling = random.choice([*FILLINGS, *["reals"] * 10])
    for name in random.sample(NAMES, random.randint(1, 3)):
        shapes[name] = shape(random)
        lines.append(f"{name} = {array(random, shapes[name], filling)}")
    for count in range(random.randint(1, 6)):
        text, found = statement(random, shapes)
        shapes[f"v{count}"] = found
        lines.append(f"v{count} = {text}")
    lines.append(list(shapes)[-1])
    return random.choice(["; ", "\n"]).join(lines)


def statement(random: Random, shapes: dict[str, Shape]) -> tuple[str, Shape]:
    name = random.choice(list(shapes))
    found, kind = shapes[name], random.random()
    if kind < 0.35:
        text = f"{decimal(random)}*{name}" if random.random() < DECIMALS else name
        return random.choice(UNARY).format(f"({text})"), found
    if kind < 0.7:
        fitting = [(other, both) for other in shapes if (both := broadcast(found, shapes[other])) is not None]
        other, both = random.choice(fitting)
        return random.choice(BINARY).format(name, other), both
    if kind < 0.8 and len(found) == 2:
        return random.choice([(f"{name} @ {name}.T", (found[0],) * 2), (f"{name}.T", found[::-1])])
    if found and found[0] and kind < 0.85:
        return random.choice([(f"{name}[0]", found[1:]), (f"cat([{name}, {name}])", (2 * found[0], *found[1:]))])
    if not found or 0 in found:
        return random.choice(WHOLE[:2]).format(name), ()
    dim = random.randrange(len(found))
    if random.random() < 0.5:
        return random.choice(SAME_SHAPE).format(name, dim), found
    text = random.choice(ALONG)
    return text.format(name, dim), (*found[:dim], *(1,) * ("keepdim" in text), *found[dim + 1 :])


ASSIGNED = re.compile(r"(?:^|(?<=[;\n])) *([^\W\d]\w*) *= *([-\d\[][^;\n=]*)")
LETTERS = re.compile(r"[^\W\d]\w*")


def point(random: Random, text: str) -> tuple[str, list[str], list[str]]:
    """The program, values for some of its variables in its place or besides, and the names of its variables."""
    given: list[str] = []
    names: list[str] = []
    for name, written in ASSIGNED.findall(text):
        if not set(LETTERS.findall(written)) <= {"e", "nan", "inf", "True", "False"}:
            continue
        names.append(name)
        kind = random.random()
        if kind < 0.1:
            given.append(f"{name}={value(random)}")
        elif kind < 0.4 and f"{name} = {written};" in text:
            text = text.replace(f"{name} = {written};", "", 1).strip()
            given.append(f"{name}={written}")
    if random.random() < 0.05:
        given.append(random.choice([f"q={value(random)}", value(random), "=", "x", "x==2", "1=2", *given]))
    return text, given, names or ["x"]


def summed(random: Random, text: str) -> str:
    """The program with its last expression summed: most outputs are no numbers, and stop a program there."""
    before, end, last = text.rpartition("; " if "; " in text else "\n")
    if random.random() < 0.15 or "=" in re.sub(r"\([^()]*\)|[=!<>]=", "", last):
        return text
    return f"{before}{end}sum({last.strip()})"
