"""Moodle XML: a question a quantity, with each known mistake as a wrong answer that has its own tolerance and feedback.

A number is a numerical question, a tensor a cloze question with a box an entry, a word a short answer, and where there
are choices it is a multiple choice. A formula is an essay, which teachers grade by hand: Moodle would compare its text.
Of the answers to a number Moodle takes the first that is near enough, so the right one is first and `*`, which stands
for any other, last.

After Moodle's own importer (question/format/xml) and its question types; the tests read reports as those do.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape as html
from xml.sax.saxutils import escape

from gradcli.homework.answer_file import answer as digits
from gradcli.homework.assignment.assignments import Assignment
from gradcli.homework.expected_answers import Foreseen, Number
from gradcli.render.check.marking import exact
from gradcli.render.check.reports.questions import OTHER, categories, feedback, harmless, name, prompt, setting

WRONG, RIGHT = "0", "100"
CLOZE = {"~": "&#126;", "{": "&#123;", "}": "&#125;", "\\": "&#92;"}  # what ends a feedback, and what hides its end


def write(assignment: Assignment, quantities: Iterable[Foreseen]) -> Iterator[str]:
    """Yield the file in parts; all ASCII, so that it is right in any encoding."""
    yield '<?xml version="1.0" encoding="UTF-8"?>\n<quiz>\n'
    for path, group in categories(assignment, quantities):
        category = element("category", element("text", escape(path)))
        yield ascii(f'<question type="category">{category}</question>') + "\n"
        for quantity in group:
            yield ascii(question(quantity)) + "\n"
    yield "</quiz>\n"


def ascii(text: str) -> str:
    """Write a part of the file, in which XML allows every character; line ends are ours."""
    return harmless(text).encode("ascii", "xmlcharrefreplace").decode()


def question(quantity: Foreseen) -> str:
    """Write one question, in the type that its answer needs."""
    if quantity.ask.words.choices:
        return multiple_choice(quantity)
    if quantity.is_formula or not (quantity.entries or quantity.right):
        return essay(quantity)
    if not quantity.entries:
        return short_answer(quantity)
    ((index, numbers), *others) = quantity.entries
    return cloze(quantity) if others or index else numerical(quantity, numbers)


def element(tag: str, content: str, **attributes: str) -> str:
    written = "".join(f' {key}="{value}"' for key, value in attributes.items())
    return f"<{tag}{written}>{content}</{tag}>"


def rich(tag: str, content: str) -> str:
    """Write an element that holds HTML."""
    return element(tag, element("text", escape(content)), format="html")


def whole(quantity: Foreseen, kind: str, text: str, *parts: str) -> str:
    body = [
        element("name", element("text", escape(name(quantity)))),
        rich("questiontext", text),
        rich("generalfeedback", ""),
        element("defaultgrade", exact(quantity.ask.points)),
        element("penalty", "0.3333333"),
        element("hidden", "0"),
        *parts,
    ]
    return element("question", "\n".join(["", *body, ""]), type=kind)


def text_of(quantity: Foreseen) -> str:
    """Write the text of a question as HTML in which nothing is a box of a cloze question."""
    tags = {"text": "p", "code": "pre"}
    parts = [element(tags[kind], unboxed(text)) for kind, text in setting(quantity.question)]
    return "".join([*parts, element("p", unboxed(prompt(quantity)))])


def unboxed(text: str) -> str:
    return html(text).replace("{", "&#123;").replace("}", "&#125;")


def choice(text: str, fraction: str, said: str, *parts: str) -> str:
    """Write one answer with its feedback."""
    content = [element("text", escape(text)), rich("feedback", html(said, quote=False)), *parts]
    return element("answer", "".join(content), fraction=fraction, format="moodle_auto_format")


def numerical(quantity: Foreseen, numbers: Iterable[Number]) -> str:
    answers = [
        choice(digits(n.value), WRONG if place else RIGHT, feedback(n), element("tolerance", digits(n.tolerance)))
        for place, n in enumerate(numbers)
    ]
    other = choice("*", WRONG, OTHER, element("tolerance", "0"))
    no_units = [
        element(tag, value) for tag, value in (("unitgradingtype", "0"), ("showunits", "3"), ("unitsleft", "0"))
    ]
    return whole(quantity, "numerical", text_of(quantity), *answers, other, *no_units)


def short_answer(quantity: Foreseen) -> str:
    """Write a question for a word, in which an asterisk would stand for anything."""
    texts = (text.replace("*", r"\*") for text in quantity.texts)
    answers = [*(choice(text, RIGHT, "") for text in texts), choice("*", WRONG, OTHER)]
    return whole(quantity, "shortanswer", text_of(quantity), element("usecase", "0"), *answers)


def multiple_choice(quantity: Foreseen) -> str:
    """Write a question with the choices that there are, in an order of its own for each student."""
    words = quantity.ask.words
    is_single = len(words.answers) == 1
    wrong = WRONG if is_single else "-100"
    answers = [
        element("answer", element("text", escape(unboxed(text))) + rich("feedback", ""), fraction=share, format="html")
        for number, text in enumerate(words.choices, 1)
        for share in [f"{100 / len(words.answers):.7g}" if number in words.answers else wrong]
    ]
    settings = [
        element(tag, text)
        for tag, text in (("single", str(is_single).lower()), ("shuffleanswers", "true"), ("answernumbering", "abc"))
    ]
    return whole(quantity, "multichoice", text_of(quantity), *settings, *answers)


def essay(quantity: Foreseen) -> str:
    """Write a question that is graded by hand, with the right answer for the grader."""
    return whole(
        quantity, "essay", text_of(quantity), rich("graderinfo", html(quantity.right)), rich("responsetemplate", "")
    )


def cloze(quantity: Foreseen) -> str:
    """Write a question with a box for every entry."""
    rows: dict[tuple[int, ...], list[str]] = {}
    for index, numbers in quantity.entries:
        rows.setdefault(index[:-1], []).append(element("td", box(numbers)))
    table = element("table", "".join(element("tr", "".join(cells)) for cells in rows.values()))
    return whole(quantity, "cloze", text_of(quantity) + table)


def box(numbers: Iterable[Number]) -> str:
    """Write the field of one entry; Moodle reads entities in its feedback, and takes it for HTML."""
    answers = [
        f"{'%0%' if place else '='}{digits(n.value)}:{digits(n.tolerance)}#{quoted(feedback(n))}"
        for place, n in enumerate(numbers)
    ]
    return f"{{1:NUMERICAL:{'~'.join([*answers, f'%0%*#{quoted(OTHER)}'])}}}"


def quoted(text: str) -> str:
    """Write a text as HTML, of which Moodle reads the entities once more before it takes it for HTML."""
    return "".join(CLOZE.get(character, character) for character in html(text, quote=False).replace("&", "&amp;"))
