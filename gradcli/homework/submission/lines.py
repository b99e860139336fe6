"""Hand-ins as students type them: which line is a heading, which an answer, and where an answer ends.

Nothing is a heading or a label by its looks alone: it must name what was asked. Only `[text]` and `name = answer` are
taken for one by their form, so that a slip in a name can be told with the nearest name.
"""

from __future__ import annotations

import re
from dataclasses import field
from html.parser import HTMLParser

from gradcli.facts import dataclass
from gradcli.homework.submission.answers import UnreadableError
from gradcli.homework.submission.headings import WORD, Heading, heading_of
from gradcli.homework.submission.labels import (
    OPENS,
    Labels,
    bulleted,
    closing_mark,
    enumerated,
    open_brackets,
    unmarked,
    untexed,
)
from gradcli.homework.submission.plain.prose import STRUCK, Words, bare_text
from gradcli.homework.submission.plain.tokens import plain_characters, tokens_of
from gradcli.homework.submission.plain.vocabulary import UNDEFINED, says_undefined
from gradcli.homework.submission.submissions import Given, Submission, limited, named, shortened

BLOCKS = frozenset(("p", "br", "div", "li", "tr", "pre", "h1", "h2", "h3", "h4", "h5", "h6"))
OPENED = {"sup": "^{", "sub": "_{", **dict.fromkeys(("s", "del", "strike"), "~~")}
CLOSED = {tag: "}" if mark != "~~" else mark for tag, mark in OPENED.items()}
UNSEEN = frozenset(("script", "style", "head", "title"))


def text_of(markup: str) -> str:
    """Return the text of HTML, a line a paragraph; a text without any tag stays as it is."""
    reader = _Reader()
    reader.feed(markup.replace("<![", "<! ["))  # a comment to browsers, at some of which the parser fails
    reader.close()
    return "".join(reader.found).replace("\xa0", " ") if reader.has_tags else markup


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[str] = []
        self.has_tags = False
        self.unseen = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.has_tags = True
        self.unseen += tag in UNSEEN
        self.found.append(OPENED.get(tag, "\n" * (tag in BLOCKS)))

    def handle_endtag(self, tag: str) -> None:
        self.unseen -= tag in UNSEEN and self.unseen > 0
        self.found.append(CLOSED.get(tag, "\n" * (tag in BLOCKS)))

    def handle_data(self, data: str) -> None:
        if not self.unseen:
            self.found.append(data)


SEPARATOR = re.compile(
    r":=|==?>?|≈|≃|≅|~|:|->|→|⇒|\t|\b(?:is|equals|ist|gleich|est|vaut|vale|es|è|é|jest|är|er|je|равно|равна|wynosi|dà|daje)\b|[为為]\s*(?=[-+−\d\[(])"
)
PLACE = re.compile(r"(?:\||@|\b(?:at|bei|en|für|for|pour|para|per|bij|при)\b)\s*_?[{(]?\s*\w+\s*$")
TURNED_ROUND = re.compile(r"(?P<answer>[-+−]?[\d.,]+(?:e[-+]?\d+)?)\s*=\s*(?P<label>[^=]+)")  # 5 = dL/dw
TRIED = 6  # separators of a line
SPACED = re.compile(
    r"(?P<label>\S*[/._]\S*)\s+(?P<answer>[-+−–≈~\[({\d.].*)|(?P<name>\S+|local \S+)\s{2,}(?P<apart>\S.*)"
    r"|\((?P<inner>[^()]+)\)\s+(?P<behind>\S.*)"
)
CELLS = re.compile(r"(?P<cell>[^,;\s]+)\s*[,;]\s*(?P<number>[-+−]?\d[\d.]*(?:[eE][-+]?\d+)?)")  # a line of CSV
COPIED = re.compile(  # from a terminal or a notebook: the answer is in the next line
    r"(?:>>>|In\s*\[\d*\]\s*:)\s*(?:print\((?P<printed>.+)\)|(?P<shown>.+))|print\((?P<alone>.+)\)"
)
ALIAS = re.compile(r"\$*(?P<name>\\?[^\W\d][\w^{}()\[\]]*)\s*(?::=|=|≡)\s*(?P<rest>[^=]+=.*)")
UNKNOWN = re.compile(r"(?P<label>[^\s=#\[][^=#]*?)\s*=(?P<answer>.*)", re.DOTALL)
QUOTIENT = re.compile(r"(?:local\s+)?[d∂]\s*\w+\s*/\s*[d∂]\s*\w+|[\w.\[\]]+\.grad", re.IGNORECASE)
NUMERIC = re.compile(r"[-+−–\s\d.,eE\[\](){};&|\\·×*^naif]*\d[-+−–\s\d.,eE\[\](){};&|\\·×*^naif]*")
AGAIN = re.compile(
    r"[;,、]\s*|\s+\|\s+|\s{2,}|\t\s*|\s+(?:and|und|et|y|e|en|i|och|og|a|и|ve|ja)\s+|\s(?=\()"
)  # between two answers on a line
OPERATOR = re.compile(r"(?:[-+/^=·×≈]|(?<!\*)\*)\s*$")  # before a product that goes on


class Finder:
    """Finds the answers in the lines of hand-ins to one assignment."""

    labels: Labels

    def known(self, line: str, heading: str) -> tuple[str, str, str] | None:
        """Return question, label and answer of a line whose label was asked for; `heading` is the question above."""
        for text in bulleted(line):
            if text.startswith("|") or (("|" in text or "│" in text) and self.split(text, heading) is None):
                row = self.row([cell.strip() for cell in text.strip("|").split("|")], heading)
                if row is not None:
                    return row
            for mark in ";,":
                cells = [cell.strip() for cell in text.split(mark, 2)]
                if len(cells) == 3 and self.labels.question(cells[0]) is not None:
                    row = self.row(cells, heading)
                    if row is not None:
                        return row
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
        ask = self.labels.ask(id, text) if id in self.labels.asked and id else None
        return ask.written if ask else text if id and self.labels.several(id, text) else ""

    def split(self, text: str, question: str) -> tuple[str, str] | None:
        """Return the label that a text begins with, and the rest."""
        at_point: tuple[str, str] | None = None
        for number, separator in enumerate(SEPARATOR.finditer(text)):
            if number == TRIED:
                break
            if open_brackets(text[: separator.start()]) > 0 and not text.startswith("["):
                continue  # `q|_{x=2} = 4`
            head = unmarked(text[: separator.start()])
            label = self.label(head, question)
            if label:
                answer = text[separator.end() :].partition("#")[0]
                if self.labels.is_indexed(question or self.labels.anywhere(head) or "", head):
                    return label, f"{head} = {answer}"  # the order of its indices is that of the axes
                is_bold = text.startswith("**") and "**" not in text[2 : separator.start()]
                split = label, answer.removeprefix("**") if is_bold else closing_mark(text, separator.start(), answer)
                if not PLACE.search(text, 0, separator.start()):
                    return split
                at_point = at_point or split  # `dq/ds at x = 2: 4`
        if at_point:
            return at_point
        turned = TURNED_ROUND.fullmatch(text)
        if turned and (label := self.label(unmarked(turned["label"]), question)):
            return label, turned["answer"]
        undefined = UNDEFINED.search(text)
        if undefined and undefined.start() and says_undefined(text[undefined.start() :]):
            label = self.label(unmarked(text[: undefined.start()]), question)
            return (label, undefined[0]) if label else None
        for pattern in (SPACED, COPIED, CELLS):
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
        for separator in AGAIN.finditer(text) if SEPARATOR.search(text) else ():
            depth, start = depth + open_brackets(text[start : separator.start()]), separator.start()
            if depth == 0 and not (separator[0].isspace() and OPERATOR.search(text, max(start - 5, 0), start)):
                for rest in bulleted(text[separator.end() :]):
                    other = self.split(rest, question)
                    if other:
                        return text[:start].strip(), other
        return text, None

    def unknown(self, line: str, question: str) -> tuple[str, str, str] | None:
        """Return an answer whose label names nothing that was asked."""
        match = UNKNOWN.fullmatch(line)
        label, mark, answer = (match["label"], "=", match["answer"]) if match else line.partition(":")
        is_label = match is not None or (mark and QUOTIENT.fullmatch(label.strip()))
        return (question, label.strip().rstrip(": "), answer.partition("#")[0]) if is_label else None


TURNED = re.compile(r"(?:ᵀ|\^\{?(?:T|⊤|\\top|\\intercal)\}?|'|\.T)$|\\(?:left|right)(?=\s*\\?[(\[{})\]])")
ENTRY_END = re.compile(r"\\\\|&")
COLUMN = re.compile(r"\\begin\{(?P<kind>[pbv]?matrix)\}(?P<inner>.*?)(?:\\\\)?\s*\\end\{(?P=kind)\}")


def entries_of(text: str) -> list[str]:
    """Return the entries of `(2x + y, x + 3)`; none of a text that is no list in brackets."""
    inner = TURNED.sub("", text.strip().strip("$").strip())
    if matrix := COLUMN.fullmatch(inner):
        inner = f"[{ENTRY_END.sub(';', matrix['inner'])}]"
    if inner[:1] not in ("(", "[", "{", "⟨", "<") or inner[-1:] not in (")", "]", "}", "⟩", ">"):
        return []
    mark, depth, entries = ";" if ";" in inner else ",", 0, [""]
    for letter in inner[1:-1]:
        depth += (letter in "([{") - (letter in ")]}")
        entries = [*entries, ""] if letter == mark and depth == 0 else [*entries[:-1], entries[-1] + letter]
    return [entry.strip() for entry in entries]


ENDS = re.compile(r"\r\n|\r|\n")
BRACKET = re.compile(r"\[(?P<inner>[^\[\]]*)\](?P<rest>.*)")
AHEAD = re.compile(r"(?P<question>\[[^\[\]]+\]|[^\s:.)\-]+)\s*[:.)\-]?\s*(?P<rest>\S.*)")
NAME = re.compile(r"[^\W\d_]\w[^=]*")
DECORATION = re.compile(r"[\W_]+")
ROW = re.compile(
    r"(?P<opens>[\[(|⎡⎢⎣])?\s*[-+−–]?[\d.,]+(?:[eE][-+]?\d+)?(?:[ \t]+[-+−–]?[\d.,]+(?:[eE][-+]?\d+)?)*"
    r"(?(opens)\s*[\])|⎤⎥⎦],?)"
)
QUOTED = re.compile(r"^> ?", re.MULTILINE)
KEYWORD = re.compile(r"\s*(?:dtype|device|requires_grad|grad_fn|shape|size)\s*=")
OUT = re.compile(r"^Out\s*\[\d*\]\s*:\s*")
FOLLOWS = re.compile(r"(?:=|≈)\s*[^=\s].*")  # a line that goes on with the one above
MARKUP = re.compile(r"</(?:p|div|h[1-6]|li|td|body)>", re.IGNORECASE)
WIDE = str.maketrans("＝：／【】［］\xa0", "=:/[][] ")
HEADER = re.compile(  # the cells at the head of a table
    r"\|(?:[\s|*_#`]|your|my|questions?|quantity|quantities|answers?|values?|results?|names?|symbol|id|no\.|label|term"
    r"|solution|variable|expression|aufgabe|frage|größe|antwort|wert|ergebnis)+\|",
    re.IGNORECASE,
)
FARTHEST = 1000  # lines of one answer


@dataclass(slots=True)
class Reader(Finder):
    """Reads the lines of one hand-in; `question` is the heading above."""

    labels: Labels
    lines: list[str]
    question: str = ""
    place: int = 0
    given: list[Given] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    is_open: bool = False  # whether the last answer may go on in the next line
    is_above: bool = False  # whether the line above is an answer
    level: int = -1  # of the heading above
    part: int = -1  # the place of the part of the question that a line names, -1 for none

    def read(self) -> None:
        while self.place < len(self.lines):
            line = self.lines[self.place].strip()
            self.place += 1
            if line and not self.is_decoration(line) and not self.is_struck(line):
                self.line(line)

    def is_struck(self, line: str) -> bool:
        """Whether a whole line is struck out, and say so."""
        is_struck = "~" in line and not STRUCK.sub("", line).strip()
        if is_struck:
            self.remarks.append(f"line {self.place} is struck out: {shortened(line)}")
        return is_struck

    def is_decoration(self, line: str) -> bool:
        """Whether a line is a comment, a rule or a fence; a heading such as `## Q1` is none."""
        if line.startswith("#"):
            id = self.labels.question(line.lstrip("#")) or self.labels.question(line) or self.misspelt(line.lstrip("#"))
            if id is not None:
                self.head(id)
            return True
        if HEADER.fullmatch(line):
            return True
        if line.startswith("%"):
            return True
        return DECORATION.fullmatch(line) is not None and not OPENS.search(line) and line not in ("∞", "-∞")

    def line(self, line: str) -> None:
        bracket = BRACKET.match(unmarked(line) if line.startswith(("*", "_", "`")) else line)
        if bracket and not self.is_row(line) and self.headed(bracket["inner"], bracket["rest"]):
            return
        if self.fronted(line) or self.labelled(line):
            return
        id = None if self.is_row(line) else (self.labels.question(line) or self.labels.question(line.partition("#")[0]))
        if id is None and not self.asked_alone(line) and not self.continued(line):
            id = self.misspelt(line)
            if id is None and not self.unlabelled(line):
                self.stray(line)
        if id is not None:
            self.head(id)

    def head(self, question: str, level: int = 2, part: int = -1) -> None:
        self.question, self.is_open, self.is_above = question, False, False
        self.level, self.part = level, part

    def fronted(self, line: str) -> bool:
        """Take the beginning of a line for a heading or a part of one, and what stands behind for its answer."""
        front = heading_of(line)
        if front is None or self.is_row(line) or front.rest.startswith(("=", "≈")):
            return False
        if self.split(line, self.question) is not None or (front.rest and self.labels.question(line)):
            return False
        if front.level == 0 and any(self.label(label, self.question) for label in (front.part, front.part.upper())):
            return False  # `v: 3` is a quantity and its value
        if front.is_in_words and any(self.is_quantity(text) for text in bulleted(line)):
            return False  # `1. q: 3` is, too
        if front.level >= self.level and self.headed_by(front):
            return True
        is_deeper = not front.is_in_words or not front.number
        return is_deeper and self.parted_by(front)

    def is_quantity(self, text: str) -> bool:
        """Whether a text begins with a quantity that is called as questions are, `q`, and its answer follows."""
        split = self.split(text, self.question) if WORD.match(text) else None
        return split is not None and self.known(split[1].strip(), self.question) is None

    def headed_by(self, front: Heading) -> bool:
        id = self.labels.of_heading(front)
        if id is None or (front.level == 0 and len(self.labels.asked) == 1):
            return False
        place = -1 if front.level == 0 else front.place
        text = front.rest.partition("#")[0].strip()
        is_labelled = bool(text) and self.known(text, id) is not None
        if is_labelled and front.level == 0 and not self.question and self.known(text, ""):
            return False  # letters that go on from question to question: the label tells
        is_answer = is_labelled or (bool(text) and self.is_answer(id, place, text))
        inner = heading_of(text) if front.number and text else None
        has_part = inner is not None and inner.level == 0 and self.labels.part(id, inner.place) is not None
        if not (is_answer or (front.number and (front.is_in_words or not text or has_part))):
            return False
        self.head(id, front.level, place)
        if is_answer and (says_undefined(text) or not self.labelled(front.rest)):
            self.unlabelled(text)
        elif text and not is_answer and not self.fronted(text) and not self.labelled(front.rest):
            self.stray(text)
        return True

    def parted_by(self, front: Heading) -> bool:
        """Take a letter or a number under a heading for the part of the question that it counts."""
        id = self.question or (next(iter(self.labels.asked)) if len(self.labels.asked) == 1 else "")
        place = int(front.number) - 1 if front.number and not front.part else front.place
        if self.labels.part(id, place) is None or self.known(front.rest, id) is not None:
            return False
        text = front.rest.partition("#")[0].strip()
        if text and not self.is_answer(id, place, text):
            return False
        if not text and front.level:
            return False
        self.question, self.part = id, place
        if text:
            self.unlabelled(text)
        return True

    def is_row(self, line: str) -> bool:
        """Whether a line of numbers can go on with the answer above, which is blank or a row of as many."""
        if not self.is_open or not NUMERIC.fullmatch(line):
            return False
        above = (self.given[-1].text or "").rpartition("\n")[2] if self.given else ""
        return heading_of(line) is None or not above or len(above.split()) == len(line.split())

    def is_answer(self, id: str, place: int, text: str) -> bool:
        """Whether a text without a label can be the answer of a part of a question, or of one that has no others."""
        ask = self.labels.part(id, place)
        if ask is None or ask.quantity.kind in ("printed", "raises", "choice", "snippet"):
            return False
        if says_undefined(text) or (place >= 0 and re.search(r"\d", text)):
            return True
        names = self.labels.names.get(id, ())
        try:
            plain = bare_text(plain_characters(text))
            words = Words(plain, tokens_of(plain, "separator"), names)
            members = words.sentence()
            in_words = any(words.is_word(member, place) for member in members for place in range(len(member)))
            return bool(members) and not in_words
        except UnreadableError:
            return False

    def unlabelled(self, line: str) -> bool:
        """Take a line without a label for the answer to the one quantity that it can answer."""
        text = line.partition("#")[0].strip()
        ask = self.labels.part(self.question, self.part)
        if ask is None or not self.is_answer(self.question, self.part, text):
            return False
        self.add(self.question, ask.written, self.whole(text))
        self.part = -1
        return True

    def misspelt(self, text: str) -> str | None:
        """Return the question that a heading means in spite of a slip in its name, and say so."""
        id = self.labels.misspelt(text)
        if id is not None:
            self.remarks.append(f"line {self.place}, {shortened(text)}: read as [{id}]")
        return id

    def headed(self, inner: str, rest: str) -> bool:
        """Take a line that begins with a bracket for a heading, if it is one."""
        id, rest = self.labels.question(inner), rest.partition("#")[0].strip().removeprefix(":").strip()
        if id is None and self.label(inner, self.question):
            return False
        rest = "" if DECORATION.fullmatch(rest) else rest
        if id is None:
            if NUMERIC.fullmatch(inner) or not inner.strip() or (rest and len(inner.strip()) <= 2):
                return False
            if rest and not UNKNOWN.match(rest):
                return False
            id = self.misspelt(f"[{inner}]")
        if id is None:
            self.remarks.append(f"line {self.place}, [{shortened(inner)}]: {self.labels.no_question(inner)}")
        self.head(named(inner) if id is None else id)
        if rest and not self.labelled(rest):
            self.stray(rest)
        return True

    def labelled(self, line: str) -> bool:
        """Take a line for an answer, if a label stands in it."""
        answer_parts = self.known(line, self.question)
        if answer_parts is not None and self.is_heading(line, answer_parts[2]):
            return False
        if answer_parts is None and any(self.ahead(text) for text in bulleted(line)):
            return True
        alias = ALIAS.fullmatch(line) if answer_parts is None else None
        inner = self.known(alias["rest"], self.question) if alias else None
        if alias and inner and self.labels.ask(inner[0], alias["name"]) is None:  # δ := ∂L/∂b = a - t
            self.given.append(Given(inner[0], alias["name"], inner[2].strip() or None, line=self.place))
            answer_parts = inner
        answer_parts = answer_parts or self.unknown(line, self.question)
        if answer_parts is None:
            return False
        question, label, answer = answer_parts
        self.add(question, label, self.whole(answer))
        return True

    def is_heading(self, line: str, answer: str) -> bool:
        """Whether a line such as `Q: diamond` names a question, though there is a quantity `q`, too."""
        if NAME.fullmatch(answer.strip()) is None:
            return False
        of_answer = self.labels.meant(answer)
        return of_answer is not None and of_answer == self.labels.meant(line)

    def asked_alone(self, line: str) -> bool:
        """Take a line that is a label and nothing else for one whose answer stands below it."""
        is_waiting = bool(self.given) and self.is_above and self.given[-1].text is None
        label = "" if is_waiting else self.label(unmarked(line).removesuffix("=").strip(), self.question)
        if label:
            self.add(self.question, label, "")
        return bool(label)

    def add(self, question: str, label: str, text: str) -> None:
        """Keep an answer, and others that stand behind it on the line."""
        text = text.strip()
        first, other = self.parted(text, question)
        several = self.labels.several(question, label)
        entries = entries_of(first) if several else []
        if several and len(entries) == len(several):
            self.given += (
                Given(question, ask.written, part, line=self.place) for ask, part in zip(several, entries, strict=True)
            )
            self.is_above = self.is_open = False
            return
        follows = None if other else self.next_front(text)
        if follows:
            first = text[: follows[0]].strip()
        self.given.append(Given(question, label, first or None, line=self.place))
        self.is_above = True
        self.is_open = not first or (ROW.fullmatch(first) is not None and len(first.split()) > 1)
        if other:
            self.add(question, *other)
        elif follows:
            self.line(text[follows[1] :])

    def next_front(self, text: str) -> tuple[int, int] | None:
        """Return where an answer ends and where the next heading or part begins behind it: `7, b) 6`, `7; Q2: 5`."""
        depth = start = 0
        for separator in AGAIN.finditer(text):
            depth, start = depth + open_brackets(text[start : separator.start()]), separator.start()
            front = heading_of(text[separator.end() :]) if depth == 0 else None
            is_next = front is not None and front.rest and (
                front.place == self.part + 1 if not front.number else self.labels.of_heading(front) is not None
                and (front.is_in_words or bool(front.part))
            )  # fmt: skip
            if is_next and start and not OPERATOR.search(text, max(start - 5, 0), start):
                return start, separator.end()
        return None

    def ahead(self, line: str) -> bool:
        """Take the start of a line for a heading, where an answer to that question follows: `Q1: dp/dx = 3`."""
        match = AHEAD.fullmatch(line)
        words = line.split(None, 2)
        starts = [(match["question"], match["rest"])] if match else []
        if len(words) == 3:
            starts.append((f"{words[0]} {words[1].rstrip(':.)')}", words[2]))
        for start, rest in starts:
            id = self.labels.question(start)
            split = self.split(rest, id) if id is not None else None
            if id is not None and split is not None:
                self.head(id)
                self.add(id, split[0], self.whole(split[1]))
                return True
        return False

    def whole(self, answer: str) -> str:
        """Return an answer with the lines below it that belong to it because a bracket is open."""
        depth = open_brackets(answer)
        if depth <= 0:
            return answer
        taken = [answer]
        for place in range(self.place, min(self.place + FARTHEST, len(self.lines))):
            line = self.lines[place].partition("#")[0]
            if self.begins_another(line):
                break
            taken.append(line)
            depth += open_brackets(line)
            if depth <= 0:
                self.place = place + 1
                return "\n".join(taken)
        rows = [answer]  # it is never closed: only what can be a row goes with it
        while self.place < len(self.lines) and NUMERIC.fullmatch(self.lines[self.place].strip()):
            inner = BRACKET.fullmatch(self.lines[self.place].strip())
            if inner and self.labels.question(inner["inner"]) is not None:
                break
            rows.append(self.lines[self.place])
            self.place += 1
        return "\n".join(rows)

    def begins_another(self, line: str) -> bool:
        """Whether a line below an open bracket is another answer, so that the bracket was never closed."""
        if "=" not in line and ":" not in line:
            return False
        if KEYWORD.match(line):
            return False
        return (
            self.known(line.strip(), self.question) is not None
            or re.match(r"\s*[^\s=#\[\](){},;<>&\\]+(?: [^\s=#\[\](){},;<>&\\]+)?\s*=(?!=)", line) is not None
        )

    def continued(self, line: str) -> bool:
        """Add a line to the answer above, where that is blank, or a row of numbers and this is the next row."""
        if not self.is_above or not self.given:
            return False
        last, text = self.given[-1], OUT.sub("", line.partition("#")[0].strip())
        if last.text is None or FOLLOWS.fullmatch(text):
            text = self.whole(text)
        elif not self.is_open or not ROW.fullmatch(text) or len(text.split()) != len(last.text.split("\n")[-1].split()):
            return False
        whole = text.strip() if last.text is None else f"{last.text}\n{text.strip()}"
        self.given[-1] = Given(last.question, last.quantity, whole or None, line=last.line)
        self.is_open = ROW.fullmatch(text.strip()) is not None
        return True

    def stray(self, line: str) -> None:
        text = line.partition("#")[0]
        if text.strip():
            self.remarks.append(f"line {self.place} is no [question], and no quantity = answer: {shortened(text)}")
        self.is_open = self.is_above = False


def read_lines(name: str, student: str, text: str, labels: Labels) -> Submission:
    """Read a hand-in with the labels of its assignment."""
    if MARKUP.search(text):
        text = text_of(text)
    if text.startswith(">") and all(line[:2] in ("> ", ">", "") for line in text.splitlines()):
        text = QUOTED.sub("", text)
    lines = ENDS.split(text.translate(WIDE) if not text.isascii() else text)
    reader = Reader(labels, list(map(untexed, enumerated(lines))))
    reader.read()
    return Submission(name, student, tuple(reader.given), remarks=limited(reader.remarks))
