"""Options of a command, drawn from its own declarations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random

from tests.fuzz import words

USED = 0.12  # of the options of a command in a case
RATES = {"--json": 0.35, "--symbolic": 0.4, "--upstream": 0.04, "--of": 0.06, "--wrt": 0.06}
NUMBERS = [
    "0",
    "-1",
    "1",
    "2",
    "3",
    "6",
    "17",
    "18",
    "40",
    "1.5",
    "nan",
    "inf",
    "1e9",
    str(2**31),
    str(2**63),
    "9" * 30,
    "x",
    "",
]
SIZES = ["1G", "512M", "64M", "200k", "0", "1.5G", "-1", "9" * 30, "1X"]
TEXTS = ["", "x", "y", "-", "x,y", ",", "nobody", "1", "\u202e", "\x1b[31m", "a\nb", "/", ".", "x" * 300]


def options(
    random: Random,
    command: str,
    texts: Mapping[str, Sequence[str]] = {},
    without: Sequence[str] = (),
    rate: float = USED,
) -> list[str]:
    """Some options of a command; `texts` are values for those that take a text, any word for the others."""
    found: list[str] = []
    for option in words.options(command):
        if option.name in without or random.random() > RATES.get(option.name, rate):
            continue
        if option.is_flag:
            found.append(option.name)
            continue
        given = value(random, option, texts.get(option.name, SIZES if option.metavar == "SIZE" else TEXTS))
        found += [f"{option.name}={given}"] if random.random() < 0.3 else [option.name, given]
    return found


def value(random: Random, option: words.Option, texts: Sequence[str]) -> str:
    if random.random() < 0.05:
        return random.choice([*TEXTS, *NUMBERS])
    if option.choices:
        return random.choice(option.choices)
    if option.kind is str:
        return random.choice(texts)
    return random.choice(NUMBERS) if random.random() < 0.1 else str(random.randint(1, 12))


def mixed(random: Random, command: str, arguments: Sequence[str], given: Sequence[str]) -> tuple[str, ...]:
    """The command line: the options before, after or between the arguments."""
    if random.random() < 0.5:
        return (command, *arguments, *given)
    place = random.randint(0, len(arguments))
    return (command, *arguments[:place], *given, *arguments[place:])
