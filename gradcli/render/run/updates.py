"""The step of an optimizer: each parameter before and after it, and the formulas with numbers put in."""

from __future__ import annotations

import re
from collections.abc import Iterator

from gradcli.language.rewrite import substitute
from gradcli.language.tree import Name
from gradcli.language.unparser import unparse
from gradcli.render.lesson.heading import shown
from gradcli.render.lesson.terms import factor
from gradcli.render.text.layout import Row
from gradcli.render.text.looks import Looks
from gradcli.render.text.numbers import grid, number
from gradcli.script.timeline.model import Update, Updated, UpdateLine
from gradcli.source import visible

WORKED = 2  # parameters whose update is worked out, unless all are asked for


def updated(event: Updated, looks: Looks, *, all: bool) -> Iterator[Row]:
    """Yield the rows of a step: the parameters, and for the first of them how they come about."""
    changed = [Row((visible(name), *change(before, after, looks))) for name, before, after in event.parameters]
    if changed:
        yield Row((f"{visible(event.optimizer)} changes",), "aside")
        yield from shown(changed, looks, all=all)
    for update in event.updates if all else event.updates[:WORKED]:
        yield Row((told(update, looks),), "aside")
        yield from (line(one, update, looks) for one in update.lines)


def told(update: Update, looks: Looks) -> str:
    """Return `how w[1] changes, with lr=0.1 momentum=0.9`: of an array one entry, whose numbers the lines have."""
    entry = f"{list(update.entry) or ''}"
    options = " ".join(f"{name}={number(value, looks.precision)}" for name, value in update.options)
    return f"how {visible(update.name)}{entry} changes{f', with {options}' if options else ''}"


def line(one: UpdateLine, update: Update, looks: Looks) -> Row:
    """Return `buf ← momentum·buf + grad`, the same with numbers put in, and the result."""
    times, becomes = looks.times, "<-" if looks.ascii else "←"
    numbers = {name: Name(factor(number(value, looks.precision))) for name, value in one.operands}
    called = {name: own(name, update) for name, _ in one.operands}
    formula = unparse(one.formula, multiply=times, rename=called)
    result = number(one.value, looks.precision)
    put_in = result if isinstance(one.formula, Name) else unparse(substitute(one.formula, numbers), multiply=times)
    put_in = re.sub(r"^\((-[^()]*)\)(?= [+-])", r"\1", put_in)
    sides = dict.fromkeys(text for text in (formula, put_in, result))
    first, *others = sides
    return Row((own(one.target, update), f"{becomes} {first}", *(f"= {side}" for side in others)))


def own(name: str, update: Update) -> str:
    """Return the name that the snippet has for the parameter, and any other name as it is."""
    return visible(update.name) if name == "w" else name


def change(before: object, after: object, looks: Looks) -> Iterator[str]:
    if before is not None:
        yield written(before, looks)
    yield f"{looks.arrow} {written(after, looks)}"


def written(value: object, looks: Looks) -> str:
    """Return a value, a matrix that does not fit on a line in rows; dots for one that is too large to be kept."""
    return looks.ellipsis if value is None else grid(value, looks, 48)
