"""Reading an answer as what its question asks for, and judging it by the right one."""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping
from dataclasses import replace
from math import prod

import numpy as np

from gradcli.homework.assignment.assignments import Ask, Assignment, Question
from gradcli.homework.assignment.quantities import Quantity, read_quantity
from gradcli.homework.model import Value
from gradcli.homework.solve.points import Points, Truths, Verdict, judged_formula, judged_number
from gradcli.homework.solve.words import is_accepted, judged_choice, judged_error, judged_printed, judged_word
from gradcli.homework.submission.answers import KEPT as SHORT
from gradcli.homework.submission.answers import Formula, Read, UnreadableError, read_answer, read_number
from gradcli.homework.submission.labels import LONGEST as LONGEST_LABEL
from gradcli.homework.submission.labels import plain_label, unindexed
from gradcli.homework.submission.numerals import Tolerance, Typed
from gradcli.homework.submission.plain.numbers import Comma
from gradcli.homework.submission.plain.reading import SIZED, Definition, Plain, Wanted, read_plain
from gradcli.homework.submission.plain.shapes import computed_shape
from gradcli.homework.submission.plain.tokens import plain_characters
from gradcli.homework.submission.plain.vocabulary import INFINITE, says_undefined
from gradcli.language.catalogue import FAMILY_OF
from gradcli.language.parser import parse_program
from gradcli.language.tree import Call, postorder
from gradcli.language.unparser import unparse
from gradcli.source import Source

NUMBER = re.compile(r"\d+(?:[.,]\d+)?")
VALUE = re.compile(r"\s*(?P<name>[^\W\d]\w*)\s*\([-\w.,= ]+\)\s*")  # f(2)
DIVISOR = re.compile(r"/\s*(\d+)\b(?![.*])")
CALLED = re.compile(r"(\w+)\s*\(")
BLANK = re.compile(
    r"[\s?_.…–—=-]+|\(?(?:n\.?/?a\.?|tbd|todo|idk|(?:i\s+)?(?:don['’]?t|do not)\s+know|no\s+(?:idea|answer|clue)"
    r"|skip(?:ped)?|blank|not\s+done|unknown|weiß\s+nicht|keine\s+ahnung)\)?[.!]?",
    re.IGNORECASE,
)


class Judge:
    """Judges the answers to one question; `points` are asked for where an answer is a formula."""

    def __init__(self, question: Question, assignment: Assignment, expected: Mapping[Quantity, Value]) -> None:
        self.question, self.assignment, self.expected = question, assignment, expected
        self.kinds: dict[Quantity, Wanted] = {}

    def judged(
        self, ask: Ask, text: str, comma: Comma, points: Points | None, definitions: tuple[Definition, ...] = ()
    ) -> Verdict:
        """Return the verdict on an answer, without diagnoses; a mark that stands for none is as good as none."""
        verdict = self.as_typed(ask, text, comma, points, definitions)
        is_blank = verdict.verdict in ("wrong", "unreadable") and not self.assignment.strict and BLANK.fullmatch(text)
        return Verdict("missing", known=("missing",)) if is_blank else verdict

    def as_typed(
        self, ask: Ask, text: str, comma: Comma, points: Points | None, definitions: tuple[Definition, ...]
    ) -> Verdict:
        if is_accepted(text, ask.words):
            return Verdict("correct", known=("accepted",))
        if ask.words.undefined or (not self.assignment.strict and says_undefined(text)):
            is_right = says_undefined(text) and (ask.words.undefined or not is_finite(self.expected[ask.quantity]))
            if len(NUMBER.findall(text)) > 1 and not says_undefined(text) and re.search(r"[^\W\d]{3}", text):
                return Verdict(
                    "unreadable", "several numbers among words: write the answer alone", known=("unreadable",)
                )
            return Verdict("correct" if is_right else "wrong", known=("undefined", is_right))
        infinite, expected = INFINITE.fullmatch(text.strip("$ ")), self.expected[ask.quantity]
        if infinite and np.ndim(expected) == 0 and not is_finite(expected):
            is_right = float(f"{infinite['sign'].replace('−', '-')}inf") == expected
            return Verdict("correct" if is_right else "wrong", known=("infinite", is_right))
        try:
            self.check_label(ask, text)
            wanted = replace(self.wanted(ask, points), definitions=definitions)
            plain = self.plain(text, wanted, comma) if points is None else Plain(text, None)
            if points is not None:
                plain, verdict = self.of_formula(text, wanted, comma, points.truths(ask))
            elif self.wanted(ask, points).kind == "word":
                verdict = self.in_words(ask, plain.text)
            elif self.wanted(ask, points).kind == "nothing":
                verdict = Verdict("correct" if plain.read is None else "wrong")
            else:
                assert not isinstance(plain.read, Formula)
                is_script = self.question.is_script
                verdict = judged_number(plain.read, expected, self.tolerance(ask), is_script=is_script)
        except UnreadableError as error:
            return Verdict("unreadable", str(error), known=("unreadable",))
        read_as = plain.text if plain.differs_from(text) else ""
        known = known_of(plain.read)
        known = known and (verdict.verdict, verdict.remark, *known)
        return replace(verdict, read=plain.read, read_as=read_as, known=known)

    def of_formula(self, text: str, wanted: Wanted, comma: Comma, truths: Truths) -> tuple[Plain, Verdict]:
        """Return a formula as it was read, and the verdict; `𝟙` and `I` may have any size that the question has.

        Raises UnreadableError.
        """
        try:
            plain = self.plain(text, wanted, comma)
            return plain, judged_formula(plain, truths)
        except UnreadableError as error:
            reason, judged = error, list[tuple[Plain, Verdict]]()
        if SIZED.isdisjoint(plain_characters(text)) and "mathbf{1}" not in text:
            raise reason
        for size in sorted({n for shape in wanted.shapes.values() for n in shape if n > 1}):
            try:
                plain = self.plain(text, replace(wanted, size=size), comma)
                judged.append((plain, judged_formula(plain, truths)))
            except UnreadableError:
                continue
        if not judged:
            raise reason
        return next((reading for reading in judged if reading[1].verdict == "correct"), judged[0])

    def tolerance(self, ask: Ask) -> Tolerance:
        """Return the tolerance of a quantity, which may have one of its own."""
        return replace(self.assignment.tolerance, **ask.tolerance)

    def in_words(self, ask: Ask, text: str) -> Verdict:
        expected = self.expected[ask.quantity]
        if ask.words.choices:
            return judged_choice(text, ask.words)
        by_kind = {"printed": judged_printed, "raises": judged_error}
        return by_kind.get(ask.quantity.kind, judged_word)(text, expected)

    def check_label(self, ask: Ask, text: str) -> None:
        """Raise UnreadableError for `dz/dy = 7` where another derivative is asked for that is not as large."""
        head, sign, _ = text.partition("=")
        if not sign or len(head) > LONGEST_LABEL or not ask.quantity.by or self.assignment.strict:
            return
        call = VALUE.fullmatch(head)  # f(2) = 10 is no derivative
        kinds = ("gradient", "higher", "value") if call else ("gradient", "higher")
        named = read_quantity(call["name"] if call else unindexed(plain_label(head)), self.question.output)
        if named is None or named.kind not in kinds or named[1:] == ask.quantity[1:]:
            return
        expected, other = self.expected[ask.quantity], self.expected.get(named)
        if call and other is None:
            return  # `grad(f) = 10`
        if other is None or not np.array_equal(np.asarray(expected), np.asarray(other)):
            raise UnreadableError(f"it is labelled {head.strip()}, and {ask.written} was asked for")

    def plain(self, text: str, wanted: Wanted, comma: Comma) -> Plain:
        """Return an answer in the plain notation, read. Raises UnreadableError."""
        if not self.assignment.strict:
            return read_plain(text, wanted, comma)
        if wanted.kind == "word":
            return Plain(text, None)
        return Plain(text, read_answer(text) if wanted.kind == "formula" else read_number(text))

    def wanted(self, ask: Ask, points: Points | None) -> Wanted:
        """Return the kind of answer that a quantity has."""
        if ask.quantity not in self.kinds:
            self.kinds[ask.quantity] = self.kind(ask, points)
        return self.kinds[ask.quantity]

    def kind(self, ask: Ask, points: Points | None) -> Wanted:
        expected = self.expected[ask.quantity]
        if points is not None:
            scope = {name: np.shape(value) for name, value in points.solution.evaluation.scope.items()}
            result = {"gradient": ask.quantity.by, "value": ask.quantity.of}.get(ask.quantity.kind, "")
            shape = scope[result] if result in scope else np.shape(points.truths(ask).points[0][1])
            if ask.quantity.kind == "value":
                scope.pop(result, None)
            shapes = scope if any(scope.values()) else {}
            called = frozenset(CALLED.findall(self.question.source.text))
            activations = tuple(sorted(x for x in called if x == "tanh" or FAMILY_OF.get(x) == "nn.activations"))
            counts = averaged(self.question.source, tuple(shapes.items()))
            count = counts.pop() if len(counts) == 1 else 0
            return Wanted("formula", shape, frozenset(scope), shapes=shapes, activations=activations, count=count)
        if expected is None:
            return Wanted("nothing")
        if isinstance(expected, bool | str):
            return Wanted("word")
        return Wanted("number", np.shape(expected), self.question.names, self.question.at, question=self.question.text)


def averaged(source: Source, shapes: tuple[tuple[str, tuple[int, ...]], ...]) -> set[int]:
    """Return the numbers of entries of which a program takes means; its whole divisors where it takes none."""
    calls = [
        node for line in parse_program(source).statements for node in postorder(line.value) if isinstance(node, Call)
    ]
    inner = [node.arguments[0].value for node in calls if node.function == "mean" and len(node.arguments) == 1]
    counts = {prod(computed_shape(unparse(entries), shapes) or (0,)) for entries in inner} - {0}
    dimensions = {n for _, shape in shapes for n in shape if n > 2}
    return counts or (set(map(int, DIVISOR.findall(source.text))) & dimensions)


def is_finite(value: Value) -> bool:
    return np.asarray(value).dtype.kind not in "fc" or bool(np.all(np.isfinite(value)))


def known_of(read: Read) -> tuple[Hashable, ...] | None:
    """Return the key under which an answer is remembered, or None for one that is too large."""
    if isinstance(read, Formula):
        return (read.text,) if len(read.text) <= SHORT else None
    if not isinstance(read, Typed):
        return (read,)
    if isinstance(read.value, float):  # as most are
        return np.float64(read.value).tobytes(), float(read.unit), int(read.digits), int(read.zeros)
    if np.size(read.value) > SHORT:
        return None
    parts = (read.value, read.unit, read.digits, read.zeros)
    return np.shape(read.value), *(np.asarray(part, np.float64).tobytes() for part in parts)
