"""Moodle's importers and the way it grades, as far as questions here use them: a file that Moodle refuses is refused.

The rules are those of question/format/xml/format.php, question/format/gift/format.php, question/format.php and of
the question types numerical, shortanswer, multichoice, multianswer (cloze) and essay, of Moodle 4. Not tried: an import
into a running Moodle, its cleaning of HTML, and how it shows the questions.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html import unescape
from html.parser import HTMLParser
from xml.etree import ElementTree

GRADES = (0, 1, 0.9, 0.8333333, 0.8, 0.75, 0.7, 0.6666667, 0.6, 0.5, 0.4, 0.3333333, 0.3, 0.25, 0.2, 0.1666667)
GRADES += (0.1428571, 0.125, 0.1111111, 0.1, 0.05)
KINDS = ("numerical", "shortanswer", "multichoice", "cloze", "essay")
FORMATS = ("html", "moodle_auto_format", "plain_text", "markdown")
DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n<quiz>\n'
NUMERIC = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]+)?")
PRECISION = 14  # digits of PHP's floats, of which comparisons allow the last


@dataclass(frozen=True)
class Answer:
    """One answer with its share of the mark; `text` is a number, a pattern, or `*`."""

    text: str
    fraction: float
    feedback: str
    tolerance: float = 0.0


@dataclass(frozen=True)
class Imported:
    """One question after its import. A cloze question has the answers of each of its boxes in `boxes`."""

    kind: str
    name: str
    text: str
    answers: list[Answer] = field(default_factory=list)
    boxes: list[list[Answer]] = field(default_factory=list)
    mark: float = 1.0
    notes: str = ""


def checked(question: Imported) -> Imported:
    """Refuse what the importer or the saving of a question type refuses."""
    assert question.kind in KINDS
    assert question.name
    assert len(question.name) <= 255, "the importer would cut it"
    assert question.mark >= 0
    assert question.kind != "multichoice" or len(question.answers) >= 2
    for answers in question.boxes or [question.answers]:
        for answer in answers:
            assert answer.fraction in GRADES, "not one of the grades that an answer may have"
            assert answer.tolerance >= 0
            if question.kind in ("numerical", "cloze"):
                assert answer.text == "*" or NUMERIC.fullmatch(answer.text), answer
        if question.kind != "essay":
            assert [answer.fraction for answer in answers].count(1) >= 1, "no answer with the full mark"
    assert question.boxes or question.kind != "cloze", "a cloze question without a box"
    return question


def graded(answers: list[Answer], response: str) -> Answer | None:
    """Return the first answer that a response matches."""
    for answer in answers:
        if answer.text == "*":
            return answer
        if NUMERIC.fullmatch(answer.text) and NUMERIC.fullmatch(response):
            slack = answer.tolerance + 10.0**-PRECISION * max(1, abs(float(answer.text)))
            if abs(float(response) - float(answer.text)) <= slack:
                return answer
        pattern = ".*".join(re.escape(bit.replace(r"\*", "*")) for bit in re.split(r"(?<!\\)\*+", answer.text))
        if not NUMERIC.fullmatch(answer.text) and re.fullmatch(pattern, response, re.IGNORECASE):
            return answer
    return None


class _Text(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        self.tags: list[str] = []

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert not attrs
        self.tags.append(tag)


def shown(html: str) -> str:
    """Return the text that a reader sees of HTML, which has only the tags that a question needs."""
    reader = _Text()
    reader.feed(html)
    reader.close()
    assert set(reader.tags) <= {"p", "pre", "table", "tr", "td"}
    return "".join(reader.texts)


def read_xml(text: str) -> Iterator[Imported]:
    """Read Moodle XML; a category holds for the questions after it, and an unknown format would be taken for HTML."""
    assert text.startswith(DECLARATION), "no byte-order mark, no empty line before the declaration"
    assert text.isascii(), "in UTF-8, as the importer checks, and in any other encoding"
    root = ElementTree.fromstring(text)
    assert {node.get("format", "html") for node in root.iter()} <= set(FORMATS)
    assert root.tag == "quiz"
    assert root[0].get("type") == "category"
    for question in root:
        if question.get("type") == "category":
            assert str(question.findtext("category/text")).startswith("$course$/top/")
            continue
        kind, html = str(question.get("type")), str(question.findtext("questiontext/text")).strip()
        boxes, html = cloze(html) if kind == "cloze" else ([], html)
        yield checked(
            Imported(
                kind,
                str(question.findtext("name/text")).strip(),
                shown(html),
                [_answer(node) for node in question.findall("answer")],
                boxes,
                float(str(question.findtext("defaultgrade"))),
                question.findtext("graderinfo/text") or "",
            )
        )


def _answer(node: ElementTree.Element) -> Answer:
    text, fraction = str(node.findtext("text")).strip(), float(str(node.get("fraction"))) / 100
    feedback = node.find("feedback")
    assert feedback is not None
    assert feedback.get("format") == "html"
    return Answer(text, fraction, shown(feedback.findtext("text") or ""), float(node.findtext("tolerance") or 0))


ALTERNATIVE = r"(=|%(-?[0-9]+(?:[.,][0-9]*)?)%)?(.+?(?<!\\)(?<!&)(?<!&amp;)(?=[~#}]|$))(#(.*?(?<!\\)(?=[~}]|$)))?"
BOX = re.compile(r"\{([0-9]*):((NUMERICAL|NM)):(" + ALTERNATIVE + "(~" + ALTERNATIVE + r")*)\}", re.DOTALL)
NUMBER = r"-?(([0-9]+[.,]?[0-9]*|[.,][0-9]+)([eE][-+]?[0-9]+)?)"


def cloze(html: str) -> tuple[list[list[Answer]], str]:
    """Take the boxes out of the text of a cloze question."""
    boxes = []
    while found := BOX.search(html):
        boxes.append([_alternative(part) for part in re.finditer("~?" + ALTERNATIVE, found[4], re.DOTALL)])
        html = html[: found.start()] + html[found.end() :]
    assert not re.search(r"\{\d*:", html), "a box that is not read"
    return boxes, html


def _alternative(part: re.Match[str]) -> Answer:
    fraction = 1.0 if part[1] == "=" else float(part[2] or 0) / 100
    number = re.fullmatch(f"({NUMBER})(:({NUMBER}))?", part[3])
    text, tolerance = (number[1], float(number[6] or 0)) if number else (unescape(part[3]), 0.0)
    return Answer(text, fraction, shown(unescape(part[5] or "")), tolerance)


HIDDEN = {f"\\{sign}": f"&&{ord(sign):03};" for sign in ":#={}~"} | {"\\n": "&&010;"}
WEIGHT = re.compile(r"%-*([0-9]{1,2})\.?([0-9]*)%")


def read_gift(text: str) -> Iterator[Imported]:
    """Read GIFT: questions are apart by empty lines, and a line that begins with two slashes is none."""
    items = [part for part in re.split(r"\n\s*\n", text) if part.strip()]
    assert items[0].startswith("$CATEGORY: $course$/top/")
    for item in items:
        if item.startswith("$CATEGORY:"):
            continue
        kept = [line for line in item.splitlines() if not line.strip().startswith("//")]
        yield checked(_gift("\n".join(kept).strip()))


def _gift(text: str) -> Imported:
    text = text.replace("\\\\", "&&092;")
    for written, hidden in HIDDEN.items():
        text = text.replace(written, hidden)
    text = text.replace("&&092;", "\\")
    assert text.startswith("::")
    name, _, text = text[2:].partition("::")
    before, opened, rest = text.strip().partition("{")
    answers, closed, after = rest.partition("}")
    assert opened
    assert closed
    assert not after.strip()
    assert before.startswith("[html]")
    setting, answers = shown(_bare(before.removeprefix("[html]"))), answers.strip()
    if not answers:
        return Imported("essay", _bare(name), setting)
    if not answers.startswith("#") and "~" in answers:
        found = [part for part in answers.replace("=", "~=").split("~") if part.strip()]
        shares = [Answer(shown(_bare(part[1:])), 1.0, "") if part[0] == "=" else _chosen(part) for part in found]
        return Imported("multichoice", _bare(name), setting, shares)
    if not answers.startswith("#"):
        assert "->" not in answers
        return Imported("shortanswer", _bare(name), setting, [_weighed(one) for one in answers.split("=")[1:]])
    numbers, _, other = answers[1:].partition("~")
    found = [_weighed(one) for one in numbers.split("=")[1:]]
    return Imported("numerical", _bare(name), setting, [*map(_measured, found), Answer("*", 0.0, _after(other))])


def _bare(text: str) -> str:
    for written, hidden in HIDDEN.items():
        text = text.replace(hidden, "\n" if written == "\\n" else written[1])
    return text.strip()


def _after(text: str) -> str:
    return shown(_bare(text.partition("#")[2]))


def _weighed(text: str) -> Answer:
    text = text.strip()
    weight = WEIGHT.match(text)
    assert weight, text
    share, text = float(weight[0].strip("%")) / 100, text[weight.end() :]
    return Answer(_bare(text.partition("#")[0]), share, _after(text))


def _chosen(text: str) -> Answer:
    """Read a wrong choice: what stands between two percent signs at its beginning is its weight."""
    weight = WEIGHT.match(text.strip())
    share = float(weight[0].strip("%")) / 100 if weight else 0.0
    return Answer(shown(_bare(text.strip()[weight.end() if weight else 0 :])), share, "")


def _measured(answer: Answer) -> Answer:
    number, _, tolerance = answer.text.partition(":")
    return Answer(number, answer.fraction, answer.feedback, float(tolerance))
