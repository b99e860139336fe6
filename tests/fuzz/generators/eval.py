"""Programs under every command on programs, with any of their options; half of the programs fit."""

from __future__ import annotations

from random import Random

from tests.fuzz.case import Case
from tests.fuzz.generators.options import mixed, options
from tests.fuzz.generators.programs import point, program
from tests.fuzz.generators.values import value

COMMANDS = ("eval", "grad", "trace", "graph", "verify")


def case(random: Random) -> Case:
    command = random.choice(COMMANDS)
    text, given, names = point(random, program(random))
    texts = {
        "--wrt": [*names, ",".join(names[:2])],
        "--of": names,
        "--to": names,
        "--upstream": [value(random), "1", "[1, 2]"],
    }
    chosen = options(random, command, texts, without=["--file"])
    place = random.random()
    if place < 0.1:
        return Case(
            "eval", mixed(random, command, given, ["-f", "program.grad", *chosen]), (("program.grad", text.encode()),)
        )
    if place < 0.15:
        return Case("eval", mixed(random, command, given, ["-f", "-", *chosen]), stdin=text.encode())
    return Case("eval", mixed(random, command, [text, *given], chosen))
