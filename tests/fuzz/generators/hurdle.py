"""Snippets that attack: methods called with anything for self, and hostile special methods in everything.

What a hostile method is given, and what a call returns or raises, goes to `see`, which is there in the processes of the
fuzzer: it reports what no snippet may hold (`tests.script.canary`).
"""

from __future__ import annotations

from functools import cache
from keyword import iskeyword
from pathlib import Path
from random import Random

from gradcli.script.interpreter import run
from gradcli.script.limits import Limits
from gradcli.script.machine import Machine
from gradcli.script.python.values.special import DEFINABLE, is_special
from gradcli.source import Source
from tests.fuzz.case import Case
from tests.fuzz.generators.run import LIMITS
from tests.script.canary import LEADING, names_of

# Defined by hand in the text, as Python expects some result of them.
ALONE = """
__init__ __new__ __init_subclass__ __class_getitem__ __set_name__ __hash__ __iter__ __getattr__ __setattr__
__delattr__ __repr__ __str__ __del__ __format__ __bool__ __len__ __float__ __int__ __index__ __next__
__reversed__ __length_hint__ __enter__
""".split()  # noqa: SIM905  a column of twenty lines
SPECIAL = " = ".join(sorted(DEFINABLE.difference(ALONE)))
PARTS = Path(__file__).with_suffix(".txt").read_text("utf-8").replace("SPECIAL", SPECIAL).split("# ---\n")
START, VALUES, OWNERS = PARTS[0], PARTS[1].split(), PARTS[2].split()
PARENTS = [owner for owner in OWNERS if "(" not in owner and owner.rpartition(".")[2][:1].isupper()]
OWN = ("same", "h", "hook", "Text('__class__')", "[h]")  # what a class may set names to


@cache
def names() -> dict[str, list[str]]:
    """The names that each owner may be asked for, those of Python among them."""
    machine = Machine(Limits(), lambda text: None)
    run([Source(f"{START}owners = [{', '.join(OWNERS)}]\n", "owners.py")], machine)
    found = zip(OWNERS, machine.globals["owners"], strict=True)
    known = {owner: sorted(filter(str.isidentifier, names_of(value))) for owner, value in found}
    return {owner: [name for name in every if not iskeyword(name)] for owner, every in known.items()}


def value(random: Random) -> str:
    return f"({random.choice(VALUES)})"


def arguments(random: Random) -> str:
    given = [value(random) for _ in range(random.choice((0, 1, 1, 2, 2, 3, 4)))]
    if random.random() < 0.15:
        given.append(f"**{{{random.choice(('input', 'name', 'self', 'dim', 'reduction', 'out'))!r}: {value(random)}}}")
    return ", ".join(given)


def attribute(random: Random, owner: str) -> str:
    name = random.choice(names()[owner]) if random.random() < 0.93 else random.choice(LEADING)
    return f"{owner}.{name}" if random.random() < 0.9 else f"getattr({owner}, Text({name!r}))"


def called(random: Random) -> str:
    found = attribute(random, random.choice(OWNERS))
    text = f"{found}({arguments(random)})" if random.random() < 0.9 else found
    return f"{text}({arguments(random)})" if random.random() < 0.15 else text


def derived(random: Random) -> str:
    """Write a class whose attributes, own and of its objects, are hostile."""
    above = random.sample(PARENTS, random.choice((1, 1, 1, 2)))
    known = names()[above[0]]
    own = [name for name in random.choices(known, k=3) if not is_special(name) or name in DEFINABLE]
    lines = [f"class New({', '.join(above)}):", *(f"    {name} = {random.choice(OWN)}" for name in own), "    x = 1"]
    lines.append(f"new = New({arguments(random)})")
    for _ in range(3):
        lines.append(f"probe(lambda: setattr(new, {random.choice([*known, 'x'])!r}, {value(random)}))")
        lines.append(f"probe(lambda: new.{random.choice(known)}({arguments(random)}))")
    lines.append("probe(lambda: (repr(new), copy.deepcopy(new)))")
    return "\n    ".join(["def make():", *lines]) + "\nprobe(make)"


def statement(random: Random) -> str:
    kind = random.random()
    if kind < 0.75:
        return f"probe(lambda: {called(random)})"
    if kind < 0.9:
        return derived(random)
    owner = random.choice(OWNERS)
    return f"probe(lambda: setattr({owner}, {random.choice(names()[owner])!r}, {value(random)}))"


def case(random: Random) -> Case:
    body = "\n".join(statement(random) for _ in range(random.choice((4, 12, 30))))
    return Case("hurdle", ("run", "attack.py", *LIMITS), (("attack.py", f"{START}{body}\n".encode()),))
