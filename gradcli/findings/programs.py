"""Causes in an expression at a point: what its notes know, as findings."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from gradcli.explanation.model import NAMELESS, Explanation, Note
from gradcli.findings.declaration import Cause
from gradcli.findings.finding import Finding
from gradcli.findings.nonfinite import AT_EDGE, KINK, LOST, OVERFLOW
from gradcli.findings.training import DEAD, EXPLODING, FLAT, SATURATED, VANISHING
from gradcli.language.rewrite import substitute
from gradcli.language.tree import names
from gradcli.language.unparser import unparse
from gradcli.source import Source

LEVELS = 6  # of results that are put in


class Spot(NamedTuple):
    """The place of a node in a program."""

    source: Source
    line: int
    cell: int | None = None


CAUSES_OF = {
    "not-finite": AT_EDGE,
    "gradient-not-finite": AT_EDGE,
    "unstable": LOST,
    "kink": KINK,
    "tie": KINK,
    "vanished": VANISHING,
    "exploded": EXPLODING,
    "dead": DEAD,
    "saturated": SATURATED,
    "flat": FLAT,
}


@AT_EDGE.on("program")
def noted(explanation: Explanation) -> Iterator[Finding]:
    """State what the notes of an explanation say, the first about numbers that are not finite with what follows."""
    kept: list[tuple[Cause, Note]] = []
    for note in explanation.notes:
        cause = CAUSES_OF.get(note.code)
        if cause is None:
            continue
        if "overflows" in note.message:
            cause = OVERFLOW
        kept.append((cause, note))
    better = next((note for cause, note in kept if note.code == "unstable"), None)
    stated: set[str] = set()
    for cause, note in kept:
        if note.code in ("not-finite", "gradient-not-finite"):
            if "not-finite" in stated:
                continue
            stated.add("not-finite")
        if note.code == "unstable" and "not-finite" in stated:
            continue
        follows = (
            [x.message for _, x in kept if x.code in ("not-finite", "gradient-not-finite") and x is not note]
            if "finite" in note.code
            else []
        )
        spot = place_of(explanation, note)
        severity = "note" if cause in (KINK, FLAT, DEAD, SATURATED) else "warning"
        message, _, better_form = note.message.partition(": write ")
        form = better_form.partition(", which is exact")[0] or None
        if "finite" in note.code and better is not None:
            form = better.message.partition(": write ")[2].partition(", which is exact")[0] or None
        because = "; ".join(follows[:1])
        if cause is AT_EDGE and form is not None:
            cause = LOST
        name, evidence = in_words(explanation, note.node), in_words(explanation, f"{because}." if because else "")
        instead = None if form is None else in_words(explanation, form)
        yield cause.finding(spot, name, in_words(explanation, f"{message}."), evidence, instead, severity)


def in_words(explanation: Explanation, text: str) -> str:
    """Return a text with the expressions of results in place of names that they were given."""
    trees = {node.id: node.expression for node in explanation.nodes if NAMELESS.fullmatch(node.id)}

    def whole(name: str) -> str:
        tree = trees[name]
        for _ in range(LEVELS):
            inner = {inner_name: trees[inner_name] for inner_name in names(tree) & trees.keys()}
            if not inner:
                break
            tree = substitute(tree, inner)
        return unparse(tree)

    return re.sub(r"\b\w+\b", lambda word: whole(word[0]) if word[0] in trees else word[0], text)


def place_of(explanation: Explanation, note: Note) -> Spot:
    node = next((x for x in explanation.nodes if x.id == note.node or x.name == note.node), None)
    line = explanation.parsed.source.position(node.span.start).line if node is not None else 1
    return Spot(explanation.parsed.source, line)
