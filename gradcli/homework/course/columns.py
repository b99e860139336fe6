"""Sheets with a column a question, as forms and learning platforms export them: what each column holds.

A mapping says it, in TOML (`"Response 1" = "diamond: dq/ds"`) or in CSV (`Response 1,diamond: dq/ds`). Without one the
header must leave no doubt. `Sheet.rows` gives the rows; whose they are is seen where the roster is known.
"""

from __future__ import annotations

import csv
import re
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from io import StringIO
from itertools import combinations, islice
from typing import NamedTuple

from gradcli.dialects import delimiter_of
from gradcli.errors import UsageError
from gradcli.facts import dataclass
from gradcli.homework.assignment.places import read_table
from gradcli.homework.course.roster import FIRST, LAST, NOBODY, columns
from gradcli.homework.submission.classes import damage, rows_of
from gradcli.homework.submission.headings import heading_of
from gradcli.homework.submission.labels import POINTS, Labels
from gradcli.homework.submission.lines import text_of
from gradcli.homework.submission.plain.vocabulary import HEADS
from gradcli.homework.submission.submissions import Given, shortened
from gradcli.homework.wording import listed
from gradcli.source import Source, did_you_mean, visible

WHO = ("id", "email", "name", FIRST, LAST)
ROLES = {"student": "id", **{role: role for role in (*WHO, "attempt", "submitted", "question", "answer", "nothing")}}
HEAD = 8  # rows, among which the header is
LONGEST = 400  # characters of a name that are looked at
SERIAL = {"start time", "completion time"}  # beside which `ID` counts the rows of a form
TIMES = ("completed", "completed on", "completion time", "submitted", "submitted at", "submission time",
         "submission date", "submit date",
         "abgegeben am", "abgabedatum", "timestamp",
         "attempt end", "beendet", "abgegeben", "zeitstempel", "horodateur", "marca temporal", "terminé", "finalizado",
         "informazioni cronologiche", "tijdstempel")  # fmt: skip
ATTEMPTS = ("attempt", "attempt #", "attempt number", "versuch", "tentative", "intento")
ANSWERS = (
    "response|(?:student |submitted )?answer|antwort|réponse|respuesta|risposta|resposta|antwoord|odpowiedź|ответ|svar"
    "|回答|答案|解答"
)
QUESTIONS = ("q title", "question title", "item title", "question", "frage", "aufgabe", "q text", "question text",
             "q #")  # fmt: skip
SCORED = re.compile(
    r"(?:points?|pts|score|grade|bewertung|punkte|feedback|comments?|total|auto score|manual score|possible points"
    r"|right answer|correct answer|richtige antwort)\b(?!\s*\().*|.*\[(?:score|feedback|points)\]|.*/\s*\d+(?:[.,]\d+)?"
    r"|\d+[.,]\d+",
    re.IGNORECASE,
)
PAID = re.compile(r".*\(\s*[\d.]+\s*(?:points?|pts)\s*\)", re.IGNORECASE)  # a column of Gradescope's grades
PLACE = r"(?P<number>\d{1,3})(?:[.](?P<part>\d{1,2}))?"
ANSWERED = re.compile(rf"(?:{ANSWERS})[\s_#]*{PLACE}", re.IGNORECASE)
ASKED = re.compile(rf"(?:{HEADS})[\s_#.]*{PLACE}[\s_:-]*(?P<is_answer>{ANSWERS})?", re.IGNORECASE)
ANSWER = re.compile(ANSWERS, re.IGNORECASE)
NUMBERED = re.compile(r"\d{3,}:\s*(?P<text>.+)", re.DOTALL)  # a question of Canvas behind its number
LED = re.compile(r"\(?(?P<number>\d{1,2})\s*(?P<part>[a-z])?(?:[.):]+(?:\s+(?P<text>.+))?)?", re.DOTALL)  # `1a) s`
BREAKS = re.compile(r"\s*[:|/>,;.–—-]\s*|\s*[\[(]\s*|[\s_]+")
TOTALS = re.compile(
    r"(?:overall |class )?(?:average|mean|median|total|maximum|minimum)s?(?: score)?|gesamt(?:durchschnitt)?|summe|"
    r"mittelwert|durchschnitt|moyenne(?: globale)?|media|promedio(?: general)?|standard deviation|std\.? ?dev\.?"
)
CODED = re.compile(r"[A-Za-z]\w*\. (?=\S)")  # before every title of LimeSurvey
REPEATED = '{"ImportId"'  # begins the cells of the last row of a header of Qualtrics
UNNAMED = ("anonymous", "anonym", "anonyme", "anonimo", "anónimo")  # as Microsoft Forms calls everybody
BLANK = re.compile(
    r"(?:[-–—]+|n/a|[\[(<]?(?:(?:no|not|none|un)\s*-?\s*(?:answer(?:ed)?|response|attempt(?:ed)?)(?: given| provided)?"
    r"|unanswered|skipped|nicht beantwortet|unbeantwortet|keine antwort|(?:pas de|sans|aucune) réponse|non répondu"
    r"|sin (?:respuesta|responder|contestar)|nessuna risposta|senza risposta|não respondid[oa]|sem resposta"
    r"|niet beantwoord|geen antwoord|brak odpowiedzi|нет ответа|ej besvarad|nezodpovězeno|未回答|无答案)[\])>]?)?",
    re.IGNORECASE,
)
TAIL = re.compile(rf"[\s:(\[-]*(?:{ANSWERS})[\])]?\s*$", re.IGNORECASE)
MARKUP = re.compile(r"</?(?:p|div|br|span|b|i|em|strong|pre|code|ul|ol|li|table|tr|td|sup|sub)\b[^<>]*>", re.IGNORECASE)
HELP = 'add --map map.toml, with a line a column: "SID" = "student", "Response 1" = "{place}"'


TITLE = re.compile(r"(?P<title>[^.:?]+)[.:?]\s")


class Column(NamedTuple):
    """A column: its place, its name, and the title above it where the header has two rows."""

    place: int
    name: str
    title: str = ""

    @property
    def shown(self) -> str:
        return f"{self.title} / {self.name}" if self.title and self.name else self.name or self.title


class Target(NamedTuple):
    """The quantity of a question; "" where the cell names it, or where there is one alone."""

    question: str
    quantity: str = ""

    def meets(self, other: Target) -> bool:
        """Whether two columns hold answers to one quantity."""
        is_part = "" in (self.quantity, other.quantity) or self.quantity == other.quantity
        return self.question == other.question and is_part


class Row(NamedTuple):
    """A row: its line, the student by the cells of `WHO`, number and time of the attempt as they stand, the answers."""

    line: int
    who: dict[str, str]
    attempt: str
    submitted: str
    given: tuple[Given, ...]


@dataclass(slots=True)
class Sheet:
    """What the columns of a sheet hold; `asked_in` has the column with the question, by that of its answer."""

    file: str
    labels: Labels
    width: int = 0
    roles: dict[str, int] = field(default_factory=dict)
    targets: dict[int, Target] = field(default_factory=dict)
    asked_in: dict[int, int] = field(default_factory=dict)
    questions: tuple[int, ...] = ()  # columns of which the first that can be read names the question of a row
    header: tuple[str, ...] = ()
    texts: dict[int, str] = field(default_factory=dict)  # of questions that are taken in their order

    def refuse(self, why: str, help: str = "") -> UsageError:
        place = next((f"{id}: {ask.written}" for id, asks in self.labels.asked.items() for ask in asks), "")
        return UsageError(
            "E029", f"cannot use the sheet {visible(self.file)}: {why}", help=help or HELP.format(place=place)
        )

    def target(self, text: str) -> Target | None:
        """Return what a text names: `diamond: dq/ds`, `Question 2 [z]`, `diamond`, or a quantity that one asks for."""
        labels, text = self.labels, POINTS.sub("", " ".join(text[:LONGEST].split()))
        text = TAIL.sub("", text) or text
        for separator in reversed([*BREAKS.finditer(text)]):  # of `layer_two: x` and `layer` the longer name
            id, rest = labels.question(text[: separator.start()]), text[separator.end() :].rstrip(" ])?.")
            asks = [labels.ask(id, quantity) for quantity in (rest, rest.rpartition(" ")[2])] if id else []
            ask = next(filter(None, asks), None)  # the last word of `What is dq/ds?`
            last = labels.question(rest)
            if last and (first := labels.ask(last, text[: separator.start()])):  # `s (diamond)`
                return Target(last, first.written)
            if id and (ask or (len(labels.asked[id]) == 1 and ":" in separator[0])):
                return Target(id, ask.written if ask else "")
        if id := labels.question(text):
            return Target(id)
        if (front := heading_of(text)) and front.number and (id := labels.of_heading(front)):
            last = front.rest.rpartition(" ")[2]
            ask = labels.ask(id, front.rest) or labels.ask(id, last) or labels.part(id, front.place)
            return Target(id, ask.written) if ask and (front.rest or front.part) else None
        id = labels.anywhere(text)
        if ask := labels.ask(id, text) if id else None:
            return Target(id or "", ask.written)
        title = TITLE.match(text)  # `Chain. Give s and dq/dx.`
        id = labels.question(title["title"]) if title else None
        return Target(id) if id else None

    def counted(self, numbers: Sequence[tuple[str, str]]) -> list[Target | None]:
        """Return what the numbers of all columns mean, which count the questions, or all quantities."""
        asked = self.labels.asked
        each = [
            (str(place), str(nth) if len(asks) > 1 else "", str(nth), Target(id, ask.written))
            for place, (id, asks) in enumerate(asked.items(), 1)
            for nth, ask in enumerate(asks, 1)
        ]
        for counting in (
            {(str(place), ""): Target(id) for place, id in enumerate(asked, 1)},
            {(str(place), ""): target for place, (*_, target) in enumerate(each, 1)},
            {(question, nth): target for question, _, nth, target in each},
            {(question, several): target for question, several, _, target in each},
        ):
            if sorted(counting) == sorted(numbers):
                return [counting[number] for number in numbers]
        ids = (self.labels.question(number) if not part else None for number, part in numbers)
        return [Target(id) if id else None for id in ids]

    def rows(self, rows: Iterable[tuple[int, list[str]]]) -> Iterator[Row]:
        """Yield the rows of students. Raises UsageError for one with answers that names no student."""
        for line, cells in rows:
            texts = [cell.strip() for cell in cells]
            if len(texts) > self.width and any(texts[self.width :]):
                help = "a text with a comma stands in quotes"
                raise self.refuse(f"line {line} has {len(texts)} cells, and the header {self.width}", help)
            texts += [""] * (self.width - len(texts))
            cell_of = {role: texts[place] for role, place in self.roles.items()}
            who = {role: cell for role, cell in cell_of.items() if role in WHO and cell and key(cell) not in UNNAMED}
            given = tuple(self.answers(line, texts))
            if self.is_nobody(who):
                continue
            if not who:
                if any(answer.text for answer in given):
                    raise self.refuse(f"line {line} has answers and names no student", "name one in it, or remove it")
                continue
            yield Row(line, who, cell_of.get("attempt", ""), cell_of.get("submitted", ""), given)

    def is_nobody(self, who: Mapping[str, str]) -> bool:
        """Whether a row is a header again, or has totals: then it names no student but in words."""
        first = next(iter(who.values()), "")
        is_header = bool(who) and columns(list(who.values())) == list(who)
        is_total = first.lower() in NOBODY or (len(who) == 1 and TOTALS.fullmatch(first.lower()) is not None)
        return is_header or is_total

    def answers(self, line: int, texts: list[str]) -> Iterator[Given]:
        """Yield the answers of a row. Raises UsageError where the question that it names is not known."""
        for place, usual in self.targets.items():
            target, text = usual, texts[place]
            titles = (
                [texts[self.asked_in[place]]]
                if place in self.asked_in
                else [texts[column] for column in self.questions]
            )
            named = next(filter(None, map(self.target, titles)), None)
            if place in self.asked_in and named is None and self.texts.setdefault(place, titles[0]) != titles[0]:
                why = f"line {line}: {shortened(titles[0])} names no question, and another text stands above it"
                raise self.refuse(why)
            target = named or usual
            if not target.question:
                if BLANK.fullmatch(text) and not any(titles):
                    continue
                raise self.refuse(f"line {line}: {shortened(next(filter(None, titles), ''))} names no question")
            text = text_of(text).strip() if MARKUP.search(text) else text
            text = "" if BLANK.fullmatch(text) else re.sub(r"^'(?=[-+=@])", "", text)  # as Moodle guards formulas
            yield Given(*target, text or None, damage(line, [text]), line=line)


def read_mapping(source: Source) -> dict[str, str]:
    """Read what each column holds, from TOML or CSV. Raises UsageError, also for a column that is named twice."""
    if source.name.lower().endswith(".csv"):
        rows = list(csv.reader(StringIO(source.text), delimiter=delimiter_of(source.text)))
        pairs = [(cells[0].strip(), cells[1].strip() if len(cells) > 1 else "") for cells in rows if any(cells)]
        pairs = pairs[1:] if pairs[:1] and key(pairs[0][0]) == "column" else pairs
    else:
        table = read_table(source)
        pairs = [(name, value if isinstance(value, str) else "") for name, value in table.items()]
    seen: dict[str, str] = {}
    for name, value in pairs:
        if key(name) in map(key, seen):
            raise UsageError(
                "E029", f"the mapping names the column {visible(name)} twice", help="remove one of the two"
            )
        if not value:
            message = f"the mapping does not say what the column {visible(name)} holds"
            raise UsageError("E029", message, help='write "Response 1" = "diamond: dq/ds"')
        seen[name] = value
    return seen


def key(text: str) -> str:
    """Return the form that spellings of a column's name share."""
    return " ".join(text.split()).casefold()


def sheet_of(file: str, text: str, labels: Labels, mapping: Mapping[str, str] | None) -> tuple[Sheet, int] | None:
    """Return a sheet and the number of its rows of header, None where no column of it names a student.

    Raises UsageError where a column that is to be there is not, or where it is not plain what the columns hold.
    """
    head = [[cell.strip() for cell in cells] for _, cells in islice(rows_of(text), HEAD)]
    if not mapping:
        head = [[CODED.sub("", cell) for cell in cells] if all(map(CODED.match, cells)) else cells for cells in head]
    names = set(map(key, mapping or ()))
    headers = [names & set(map(key, cells)) if mapping else set(columns(cells)) & set(WHO) for cells in head]
    place = next((place for place, roles in enumerate(headers) if roles and sum(map(bool, head[place])) > 1), None)
    if place is None and not mapping:
        nobodys = Sheet(file, labels)
        if any(nobodys.target(cell) for cell in next(filter(any, head), [])):
            raise nobodys.refuse("no column names the students")
        return None
    place = place or 0
    cells = head[place] if head else []
    header = titled(cells, head[place - 1] if place else [])
    sheet = Sheet(file, labels, width=len(cells), header=tuple(column.shown for column in header))
    mapped(sheet, header, mapping) if mapping else recognised(sheet, header)
    if not set(sheet.roles) & set(WHO):
        raise sheet.refuse("no column names the students")
    if not sheet.targets:
        raise sheet.refuse("no column holds answers")
    repeated = (row for row, cells in enumerate(head) if any(cell.startswith(REPEATED) for cell in cells))
    return sheet, max(place, *repeated, 0) + 1


def titled(cells: Sequence[str], above: Sequence[str]) -> list[Column]:
    """Return the columns; a title in the row above stands over all columns up to the next one."""
    title, header = "", []
    for place, name in enumerate(cells):
        title = above[place] if place < len(above) and above[place] else title
        header.append(Column(place, name, title))
    return header


def mapped(sheet: Sheet, header: Sequence[Column], mapping: Mapping[str, str]) -> None:
    """Fill in what a mapping says."""
    asked: set[Target] = set()
    questions = []
    for name, holds in mapping.items():
        places = [column.place for column in header if key(column.shown) == key(name)]
        places = places or [column.place for column in header if key(name) in (key(column.name), key(column.title))]
        if len(places) != 1:
            close = did_you_mean(name, sheet.header)
            help = f"did you mean {visible(close)}?" if close else f"it has {visible(', '.join(sheet.header))[:200]}"
            raise sheet.refuse(f"it has {'two columns' if places else 'no column'} {visible(name)}", help)
        (place,) = places
        role = ROLES.get(key(holds))
        target = sheet.target(holds) if role is None else Target("")
        if target is None:
            ids = ", ".join(sheet.labels.asked)
            help = f"write {', '.join(ROLES)}, or one of the questions {ids}, perhaps with a quantity"
            raise sheet.refuse(f"the mapping says that {visible(name)} holds {visible(holds)}", help)
        if role == "question":
            questions.append(place)
        elif role is None or role == "answer":
            if any(map(target.meets, asked)):
                raise sheet.refuse(f"the mapping has two columns for {visible(holds)}", "remove one of the two")
            asked.add(target)
            sheet.targets[place] = target
        elif role != "nothing":
            if role in sheet.roles:
                raise sheet.refuse(f"the mapping has two columns for {role}", "remove one of the two")
            sheet.roles[role] = place
    sheet.questions = tuple(questions)
    with_roles(sheet, [column for column in header if column.place not in {*sheet.targets, *questions}])
    left = [] if questions else missing(sheet)
    if left and sheet.targets:
        warnings.warn(f"no column of {visible(sheet.file)} holds {listed(left)}", stacklevel=2)


def with_roles(sheet: Sheet, header: Sequence[Column]) -> list[Column]:
    """Fill in who, which attempt and when, where nothing says that, and return the columns that are none of these."""
    is_serial = {key(column.name) for column in header} >= SERIAL
    named = columns(["" if is_serial and key(column.name) == "id" else column.name for column in header])
    taken = (*sheet.roles, *(WHO if set(sheet.roles) & set(WHO) else ()))
    rest: list[Column] = []
    for column, name in zip(header, named, strict=True):
        role = name if name in WHO else ""
        role = role or ("submitted" if key(column.name) in TIMES else "attempt" if key(column.name) in ATTEMPTS else "")
        if role and role not in taken:
            sheet.roles.setdefault(role, column.place)
        elif not role and (column.name or column.title):
            rest.append(column)
    return rest


def recognised(sheet: Sheet, header: Sequence[Column]) -> None:
    """Fill in what the header shows plainly."""
    rest = with_roles(sheet, header)
    is_graded = any(key(column.name) in ("max points", "total score") for column in rest)
    scored = [column for column in rest if SCORED.fullmatch(column.name) or (is_graded and PAID.fullmatch(column.name))]
    others = [column for column in rest if column not in scored]
    answer = [column for column in others if ANSWER.fullmatch(column.name)]
    if len(answer) == 1 and not answer[0].title:
        by_key = {key(column.name): column.place for column in rest}
        sheet.questions = tuple(by_key[name] for name in QUESTIONS if name in by_key)
    if sheet.questions:
        sheet.targets[answer[0].place] = Target("")
        return
    by_number(sheet, others)
    if not sheet.targets:
        by_name(sheet, others)
    if not sheet.targets and scored:
        raise sheet.refuse(f"it has points and no answers: {visible(scored[-1].shown)}", "export the responses instead")
    refuse_unclear(sheet, others)


def by_number(sheet: Sheet, others: Sequence[Column]) -> None:
    """Fill in the columns that count the answers: `Response 1`, `Question 1.2 Response`, or `Question 1` alone."""
    asked = {column: match for column in others if (match := ASKED.fullmatch(column.name))}
    counted = {column: match for column in others if (match := ANSWERED.fullmatch(column.name))}
    counted |= {column: match for column, match in asked.items() if match["is_answer"]}
    texts = {(match["number"], match["part"]): column.place for column, match in asked.items() if column not in counted}
    counted = counted or asked
    targets = sheet.counted([(match["number"], match["part"] or "") for match in counted.values()])
    for (column, match), target in zip(counted.items(), targets, strict=True):
        if (place := texts.get((match["number"], match["part"]), column.place)) != column.place:
            sheet.asked_in[column.place] = place
        if target or column.place in sheet.asked_in:
            sheet.targets[column.place] = target or Target("")


def by_name(sheet: Sheet, others: Sequence[Column]) -> None:
    """Fill in the columns whose name, or the title above it, names a question; those of Canvas may be in order."""
    texts = {column: match["text"] if (match := NUMBERED.fullmatch(column.name)) else column.name for column in others}
    for column, text in texts.items():
        text = column.title if column.title and ANSWER.fullmatch(column.name) else text
        led = LED.fullmatch(text)
        target = sheet.target(text) if not led or led["part"] else None
        target = target or (sheet.target(led["text"]) if led and led["text"] else None)
        if led and not led["part"] and target is None and (id := sheet.labels.question(f"({led['number']})")):
            only = sheet.labels.part(id, -1)  # `2) Give dy/dx`, of a question that asks for nothing else
            target = Target(id, only.written) if only else None
        if target:
            sheet.targets[column.place] = target
    if not sheet.targets:
        led_by = {column: (match["number"], str(ord(part) - 96) if (part := match["part"]) else "")
                  for column in others if (match := LED.fullmatch(column.name))}  # fmt: skip
        targets = sheet.counted(list(led_by.values()))
        sheet.targets = {column.place: target for column, target in zip(led_by, targets, strict=True) if target}
    numbered = [column for column in others if NUMBERED.fullmatch(column.name)]
    if numbered and not sheet.targets:
        targets = sheet.counted([(str(place), "") for place in range(1, len(numbered) + 1)])
        if all(targets):
            sheet.targets = {column.place: target for column, target in zip(numbered, targets, strict=True) if target}
            message = f"the questions of {visible(sheet.file)} are taken in their order, for their names are not known"
            warnings.warn(message, stacklevel=2)


def refuse_unclear(sheet: Sheet, others: Sequence[Column]) -> None:
    """Refuse columns that are not plain: two for one quantity, or none for a quantity that is asked for."""
    plain = [(place, target) for place, target in sheet.targets.items() if place not in sheet.asked_in]
    for (place, target), (other, same) in combinations(plain, 2):
        if target.meets(same):
            names = listed([visible(sheet.header[place]), visible(sheet.header[other])])
            raise sheet.refuse(f"{names} hold {': '.join(filter(None, max(target, same)))}")
    left = [] if sheet.asked_in else missing(sheet)
    if left:
        unread = [visible(column.shown) for column in others if column.place not in sheet.targets]
        not_read = f"; not read: {', '.join(unread)[:200]}" if unread else ""
        raise sheet.refuse(f"no column plainly holds {listed(left)}{not_read}")


def missing(sheet: Sheet) -> list[str]:
    """Return the quantities for which there is no column."""
    whole = {target.question for target in sheet.targets.values() if not target.quantity}
    return [
        f"{id}: {ask.written}"
        for id, asks in sheet.labels.asked.items()
        for ask in asks
        if id not in whole and Target(id, ask.written) not in sheet.targets.values()
    ]
