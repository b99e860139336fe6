"""Exercises as a page: the same questions offline, with fresh values, hints, derivations and a score."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from gradcli.homework.answer_file import answer
from gradcli.homework.assignment.assignments import Assignment, Question
from gradcli.homework.practice.drawing import Prepared, sheet
from gradcli.render.page.document import Html, alive, cut, data, element, trainer
from gradcli.render.practice.turns import hints
from gradcli.render.text.looks import Looks
from gradcli.stream.values import Json, plain

SHEETS = 5  # sets of values on a page


def practice_page(assignment: Assignment, seed: int, looks: Looks) -> str:
    """Return the text of the page; without a script it is the first set of questions, to be answered on paper."""
    sheets = [list(sheet(assignment, seed + number)) for number in range(SHEETS)]
    title = assignment.title or assignment.file
    main = element(
        "main",
        element("header", element("h1", cut(title, 120))),
        stage(),
        element("section", *paper(sheets[0]), class_="paper"),
        data_gradcli="practice",
        data_score="0",
    )
    facts: Json = {
        "title": title,
        "seed": seed,
        "sheets": [[exercise(entry, looks) for entry in prepared] for prepared in sheets],
    }
    return alive(title, main, trainer(), data(facts, id="gradcli-practice"))


def stage() -> Html:
    """Return the place of the question, which is there for the script alone."""
    return element(
        "section",
        element("p", class_="count", data_count=True),
        element("p", data_question=True, data_sentence=True),
        element("pre", data_program=True, class_="code"),
        element(
            "form",
            element("label", element("span", data_quantity=True), " = ", element(
                "input", type="text", autocomplete="off", spellcheck="false", data_answer=True
            )),
            element("button", "Check", type="submit"),
            element("button", "Hint", type="button", data_action="hint", class_="quiet"),
            element("button", "Show me", type="button", data_action="reveal", class_="quiet"),
            element("button", "Next", type="button", data_action="next", hidden=True),
            class_="predict",
        ),
        element("p", data_verdict=True, role="status"),
        element("ul", data_hints=True, class_="hints", aria_live="polite"),
        class_="practice",
        hidden=True,
    )  # fmt: skip


def paper(prepared: list[Prepared]) -> Iterator[Html]:
    """Yield the questions as they are printed."""
    questions: dict[str, list[Prepared]] = {}
    for entry in prepared:
        questions.setdefault(entry.key.question.id, []).append(entry)
    for number, exercises in enumerate(questions.values(), 1):
        question = exercises[0].key.question
        yield element("h2", f"Question {number}")
        yield element("p", " ".join(question.text.split()))
        yield element("pre", program(question), class_="code")
        yield element("ol", *(element("li", f"{entry.ask.written} = ") for entry in exercises))


def program(question: Question) -> str:
    """Return the program of a question with its values."""
    values = [f"{name} = {answer(value)}" for name, value in question.at.items()]
    return "\n".join([question.source.text.strip("\n"), *(["", "at " + ", ".join(values)] if values else [])])


def exercise(prepared: Prepared, looks: Looks) -> Json:
    """Return one exercise as data."""
    question = prepared.key.question
    words, symbols, numbers = hints(prepared.key, prepared.ask, looks)
    return {
        "text": " ".join(question.text.split()),
        "program": program(question),
        "quantity": prepared.ask.written,
        "shape": list(np.shape(prepared.answer)),
        "answer": plain(np.ravel(prepared.answer)),
        "wrong": [[plain(np.ravel(value)), f"{message}."] for value, message in prepared.wrong],
        "hints": [text for text in (words, symbols) if text],
        "derivation": numbers or f"{prepared.ask.written} = {answer(prepared.answer)}",
    }
