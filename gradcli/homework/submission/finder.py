"""Answers in a line: the label that names what was asked, and where another answer begins."""

from __future__ import annotations

import re

from gradcli.facts import dataclass
from gradcli.homework.submission.labels import Labels
from gradcli.homework.submission.marks import bulleted, closing_mark, open_brackets, unmarked

SEPARATOR = re.compile(r":=|==?>?|≈|≃|≅|~|:|->|→|⇒|\t|\bis\b|\bequals\b")
PLACE = re.compile(r"(?:\||@|\b(?:at|bei|en|für|for|pour|para|per|bij|при)\b)\s*_?[{(]?\s*\w+\s*$")
TRIED = 6  # separators of a line
SPACED = re.compile(
    r"(?P<label>\S*[/._]\S*)\s+(?P<answer>[-+−–≈~\[({\d.].*)|(?P<name>\S+|local \S+)\s{2,}(?P<apart>\S.*)"
    r"|\((?P<inner>[^()]+)\)\s+(?P<behind>\S.*)"
)
COPIED = re.compile(  # from a terminal or a notebook: the answer is in the next line
    r"(?:>>>|In\s*\[\d*\]\s*:)\s*(?:print\((?P<printed>.+)\)|(?P<shown>.+))|print\((?P<alone>.+)\)"
)
UNKNOWN = re.compile(r"(?P<label>[^\s=#\[][^=#]*?)\s*=(?P<answer>.*)", re.DOTALL)
QUOTIENT = re.compile(r"(?:local\s+)?[d∂]\s*\w+\s*/\s*[d∂]\s*\w+|[\w.\[\]]+\.grad", re.IGNORECASE)
NUMERIC = re.compile(r"[-+−–\s\d.,eE\[\](){};&|\\·×*^naif]*\d[-+−–\s\d.,eE\[\](){};&|\\·×*^naif]*")
AGAIN = re.compile(r"[;,]\s*|\s+(?:and|und)\s+|\s{2,}|\t\s*")  # between two answers on a line
OPERATOR = re.compile(r"(?:[-+/^=·×≈]|(?<!\*)\*)\s*$")  # before a product that goes on


@dataclass(frozen=True, slots=True)
class Finder:
    """Finds the answers in the lines of hand-ins to one assignment."""

    labels: Labels

    def known(self, line: str, heading: str) -> tuple[str, str, str] | None:
        """Return question, label and answer of a line whose label was asked for; `heading` is the question above."""
        for text in bulleted(line):
            if text.startswith("|") or text.count("|") > 1:
                found = self.row([cell.strip() for cell in text.strip("|").split("|")], heading)
                if found is not None:
                    return found
            for mark in ";,":
                cells = [cell.strip() for cell in text.split(mark, 2)]
                if len(cells) == 3 and self.labels.question(cells[0]) is not None:
                    found = self.row(cells, heading)
                    if found is not None:
                        return found
            for question in [heading] if heading in self.labels.asked else [] if heading else [""]:
                split = self.split(text, question)
                if split is not None:
                    label, answer = split
                    return question or self.labels.anywhere(label) or "", label, answer
        return None

    def row(self, cells: list[str], question: str) -> tuple[str, str, str] | None:
        """Return the answer in a row of a table."""
        for place, cell in enumerate(cells[:-1]):
            if self.labels.question(cell) is not None:
                question = self.labels.question(cell) or ""
            label = self.label(cell, question)
            if label:
                return question or self.labels.anywhere(cell) or "", label, cells[place + 1]
        return None

    def label(self, text: str, question: str) -> str:
        """Return the quantity that a text names, as the assignment writes it; "" for any other text."""
        id = question or self.labels.anywhere(text)
        found = self.labels.ask(id, text) if id in self.labels.asked and id else None
        return found.written if found else ""

    def split(self, text: str, question: str) -> tuple[str, str] | None:
        """Return the label that a text begins with, and the rest."""
        at_point: tuple[str, str] | None = None
        for number, found in enumerate(SEPARATOR.finditer(text)):
            if number == TRIED:
                break
            if open_brackets(text[: found.start()]) > 0 and not text.startswith("["):
                continue  # `q|_{x=2} = 4`
            label = self.label(unmarked(text[: found.start()]), question)
            if label:
                answer = text[found.end() :].partition("#")[0]
                is_bold = text.startswith("**") and "**" not in text[2 : found.start()]
                split = label, answer.removeprefix("**") if is_bold else closing_mark(text, found.start(), answer)
                if not PLACE.search(text, 0, found.start()):
                    return split
                at_point = at_point or split  # `dq/ds at x = 2: 4`
        if at_point:
            return at_point
        for pattern in (SPACED, COPIED):
            whole = pattern.fullmatch(text.partition("#")[0].strip())
            name, *rest = (part for part in whole.groups() if part is not None) if whole else ("",)
            label = self.label(unmarked(name), question) if name else ""
            is_bullet = bool(rest) and text.startswith("(") and self.split(rest[0], question) is not None
            if label and not is_bullet:
                return label, rest[0] if rest else ""
        return None

    def parted(self, text: str, question: str) -> tuple[str, tuple[str, str] | None]:
        """Return an answer, and the label and the text of another that stands behind it on the line."""
        depth = start = 0
        for found in AGAIN.finditer(text) if SEPARATOR.search(text) else ():
            depth, start = depth + open_brackets(text[start : found.start()]), found.start()
            if depth == 0 and not (found[0].isspace() and OPERATOR.search(text, max(start - 5, 0), start)):
                for rest in bulleted(text[found.end() :]):
                    other = self.split(rest, question)
                    if other:
                        return text[:start].strip(), other
        return text, None

    def unknown(self, line: str, question: str, *, is_row: bool) -> tuple[str, str, str] | None:
        """Return an answer whose label names nothing that was asked."""
        text = next(iter(bulleted(line)))
        found = UNKNOWN.fullmatch(text)
        if found is None:
            label, mark, answer = text.partition(":")
            if not mark or not QUOTIENT.fullmatch(label.strip()):
                return None
            return question, label.strip(), answer.partition("#")[0]
        if is_row and NUMERIC.fullmatch(text):
            return None
        return question, found["label"].strip(), found["answer"].partition("#")[0]
