"""Snippets: made up from a grammar, or those of the samples with parts changed; as a file, a notebook, a page."""

from __future__ import annotations

import json
import warnings
from functools import cache
from pathlib import Path
from random import Random

from tests.fuzz.case import Case
from tests.fuzz.generators import grammar, names, trees
from tests.fuzz.generators.mutation import damaged, mutated
from tests.fuzz.generators.options import mixed, options

LIMITS = ["--max-steps=4000", "--max-elements=20000", "--timeout=2"]
GUARDED = 0.9  # of the statements, so that a snippet goes on after an error


@cache
def productions() -> grammar.Grammar:
    return grammar.read(Path(__file__).with_name("snippet.txt"))


def made_up(random: Random) -> str:
    statements: list[str] = []
    while len(statements) < 1 or random.random() < 0.65:
        statement = grammar.Text(productions(), names.vocabulary(), random).of("statement")
        if not parses(statement):
            continue
        if random.random() < GUARDED:
            inner = statement.replace("\n", "\n    ")
            statement = f"try:\n    {inner}\nexcept Exception as e:\n    print(type(e).__name__, e)"
        statements.append(statement)
    return names.whole("\n".join(statements))


def parses(statement: str) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            compile(statement, "", "exec")
        except SyntaxError:
            return False
    return True


def snippet(random: Random) -> str:
    text = made_up(random) if random.random() < 0.7 else trees.snippet(random)
    return mutated(random, text, most=2) if random.random() < 0.05 else text


def notebook(random: Random, text: str) -> str:
    """The lines of a snippet as cells, which may be none."""
    lines = text.splitlines(keepends=True)
    cut = random.randint(0, len(lines))
    cells = [
        {"cell_type": random.choice(["code", "code", "code", "markdown", 1]), "source": source}
        for source in (lines[:cut], lines[cut:])
    ]
    for cell in cells:
        if random.random() < 0.1:
            cell["source"] = random.choice(["%matplotlib inline\n!pip install x", None, 3, ["a", 1], "".join(lines)])
    found = json.dumps({"cells": cells, "metadata": {}, "nbformat": 4})
    return mutated(random, found, most=2) if random.random() < 0.3 else found


def page(random: Random, text: str) -> str:
    """The lines of a snippet as fenced blocks of a Markdown page."""
    lines = text.splitlines()
    cut = random.randint(0, len(lines))
    fence = random.choice(["```python", "```", "~~~py", "```python title", "````"])
    end = random.choice([fence.rstrip("abcdefghijklmnopqrstuvwxyz "), "```", ""])
    return "\n".join(["# page", fence, *lines[:cut], end, "text", fence, *lines[cut:], end])


def case(random: Random) -> Case:
    text, kind = snippet(random), random.random()
    name = "snippet.py" if kind < 0.93 else "snippet.ipynb" if kind < 0.97 else "snippet.md"
    if name != "snippet.py":
        text = (notebook if name.endswith("ipynb") else page)(random, text)
    data = text.encode("utf-8", "replace")
    if random.random() < 0.01:
        data = damaged(random, data)
    chosen = [*LIMITS, *options(random, "run", without=["--max-steps", "--max-elements", "--timeout"])]
    if random.random() < 0.02:
        chosen += options(random, "run")
    if random.random() < 0.05:
        return Case("run", mixed(random, "run", ["-"], chosen), stdin=data)
    return Case("run", mixed(random, "run", [name], chosen), ((name, data),))
