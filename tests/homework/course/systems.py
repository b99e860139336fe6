# ruff: noqa: E501 (rows of tables)
"""Exports at random, in the layouts of learning systems: what stands above, beside and below the answers is drawn.

The answers are those of the assignment of `test_exports`: `diamond: s`, `diamond: dq/ds` and `chain: dy/dx`.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Sequence
from io import StringIO
from random import Random

ASKED = ("diamond: s", "diamond: dq/ds", "chain: dy/dx")
STUDENTS = (
    ("17", "Ada", "Lovelace", "ada@x.org"),
    ("18", "Alan", "Turing", "alan@x.org"),
    ("19", "Zoë", "Núñez", "zoe@x.org"),
)
Person = tuple[str, str, str, str]
Table = list[list[str]]


class Export:
    """An export: its table, and the answers of each student, "" for none."""

    def __init__(self, draw: Random) -> None:
        self.draw = draw
        self.attempts: list[tuple[Person, int, list[str]]] = []
        self.expected: dict[str, list[str]] = {}
        for student in STUDENTS:
            for attempt in range(1, draw.choice([2, 2, 3])):
                answers = [draw.choice(["4", "8", "0.5", "-1,5", ""]) for _ in ASKED]
                self.attempts.append((student, attempt, answers))
                if any(answers) or student[0] not in self.expected:
                    self.expected[student[0]] = answers
        self.is_html, self.blank = draw.random() < 0.3, ""

    def cell(self, answer: str) -> str:
        return f"<p>{answer}</p>" if self.is_html and answer else answer or self.blank

    def time(self, attempt: int) -> str:
        return f"2026-11-{15 + attempt} 09:40:12"


def moodle(export: Export) -> Table:
    heads, response = export.draw.choice([
        (["Last name", "First name", "ID number", "Email address", "Status", "Started", "Completed", "Duration", "Grade/3.00"], "Response"),
        (["Nachname", "Vorname", "ID-Nummer", "E-Mail-Adresse", "Status", "Begonnen", "Beendet", "Verbrauchte Zeit", "Bewertung/3,00"], "Antwort"),
        (["Nom de famille", "Prénom", "Numéro d'identification", "Adresse de courriel", "État", "Commencé le", "Terminé", "Temps utilisé", "Note/3,00"], "Réponse"),
        (["Apellido(s)", "Nombre", "Número de ID", "Dirección de correo", "Estado", "Comenzado el", "Finalizado", "Tiempo requerido", "Calificación/3,00"], "Respuesta"),
    ])  # fmt: skip
    export.blank = "-"
    table = [[*heads, *(f"{response} {place}" for place in (1, 2, 3))]]
    for (id, first, last, mail), attempt, answers in export.attempts:
        table.append(
            [
                last,
                first,
                id,
                mail,
                "Finished",
                export.time(attempt),
                export.time(attempt),
                "40 mins",
                "2.00",
                *map(export.cell, answers),
            ]
        )
    return [*table, *([["Overall average", *[""] * 7, "1.50", "", "", ""]] * export.draw.randrange(2))]


def canvas(export: Export) -> Table:
    table = [["name", "id", "sis_id", "section", "section_id", "section_sis_id", "submitted", "attempt"]]
    for number, ask in enumerate(ASKED):
        table[0] += [f"{4711001 + number}: {ask}", "1.0"]
    table[0] += ["n correct", "n incorrect", "score"]
    for (id, first, last, _), attempt, answers in export.attempts:
        row = [f"{first} {last}", f"90{id}", id, "M-01", "3301", "", export.time(attempt) + " UTC", str(attempt)]
        table.append([*row, *(part for answer in answers for part in (export.cell(answer), "0.0")), "1", "2", "1.0"])
    return table


def gradescope(export: Export) -> Table:
    table = [["First Name", "Last Name", "SID", "Email", "Sections", "Total Score", "Max Points", "Status", "Submission ID", "Submission Time", "Lateness (H:M:S)", "View Count", "Submission Count"]]  # fmt: skip
    form = export.draw.choice(["{}: {} Response", "Question {} Response", "{}: {}"])
    places = ("1.1", "1.2", "2" if "Question" in form else "2.1")
    table[0] += [form.format(place, ask) for place, ask in zip(places, ("s", "dq/ds", "dy/dx"), strict=True)]
    for (id, first, last, mail), attempt, answers in export.attempts:
        row = [
            first,
            last,
            id,
            mail,
            "",
            "",
            "3.0",
            "Ungraded",
            f"31{id}{attempt}",
            export.time(attempt) + " +0000",
            "00:00:00",
            "0",
            str(attempt),
        ]
        table.append([*row, *map(export.cell, answers)])
    return table


def google(export: Export) -> Table:
    table = [["Timestamp", "Email Address", "Score", "Your name", "Matriculation number", *ASKED]]
    for (id, first, last, mail), attempt, answers in export.attempts:
        table.append([export.time(attempt), mail, "2.00 / 3", f"{first} {last}", id, *map(export.cell, answers)])
    return table


def microsoft(export: Export) -> Table:
    table = [
        ["Id", "Start time", "Completion time", "Email", "Name", "Student number", "Total points", "Quiz feedback"]
    ]
    for number, ask in enumerate(ASKED, 1):
        table[0] += [f"{number}. {ask}", f"Points - {number}. {ask}", f"Feedback - {number}. {ask}"]
    for number, ((id, first, last, mail), attempt, answers) in enumerate(export.attempts, 1):
        row = [str(number), export.time(attempt), export.time(attempt), mail, f"{last}, {first}", id, "2", ""]
        table.append([*row, *(part for answer in answers for part in (export.cell(answer), "1", ""))])
    return table


def blackboard(export: Export) -> Table:
    export.blank = export.draw.choice(["<Unanswered>", ""])
    table = [["Username", "Last Name", "First Name"]]
    for number in (1, 2, 3):
        table[0] += [
            f"{kind} {number}"
            for kind in ("Question ID", "Question", "Answer", "Possible Points", "Auto Score", "Manual Score")
        ]
    for (id, first, last, _), _, answers in export.attempts:
        parts = (
            (f"Question ID {number}", f"<p>{ask}</p>", export.cell(answer), "1", "0.5", "")
            for number, (ask, answer) in enumerate(zip(ASKED, answers, strict=True), 1)
        )
        table.append([id, last, first, *(part for each in parts for part in each)])
    return table


def ilias(export: Export) -> Table:
    table = [["Name", "Benutzername", "Matrikelnummer", "Ergebnis in Punkten", "Maximal erreichbare Punkte", "Prozent", "Durchlauf", "Startzeit", "Bearbeitungsdauer", *(ask.replace(":", "") for ask in ASKED)]]  # fmt: skip
    for (id, first, last, mail), attempt, answers in export.attempts:
        row = [
            f"{last}, {first}",
            mail.partition("@")[0],
            id,
            "2",
            "3",
            "66,67 %",
            str(attempt),
            export.time(attempt),
            "00:40",
        ]
        table.append([*row, *map(export.cell, answers)])
    return [*table, *([[], ["Teilnehmer", "3"], ["Bestanden", "2"], ["Mittelwert", "1,5"]] * export.draw.randrange(2))]


def olat(export: Export) -> Table:
    heads = ["Laufende Nummer", "Nachname", "Vorname", "Benutzername", "Matrikelnummer", "Versuch", "Datum"]
    above, names = [""] * len(heads), list(heads)
    for ask in ASKED:
        above, names = [*above, ask.replace(":", " /"), ""], [*names, "Antwort", "Punkte"]
    table = [above, names]
    for number, ((id, first, last, mail), attempt, answers) in enumerate(export.attempts, 1):
        row = [str(number), last, first, mail.partition("@")[0], id, str(attempt), export.time(attempt)]
        table.append([*row, *(part for answer in answers for part in (export.cell(answer), "0,5"))])
    return table


def brightspace(export: Export) -> Table:
    table = [["Org Defined ID", "Username", "FirstName", "LastName", "Attempt #", "Attempt Start", "Attempt End", "Section #", "Q #", "Q Type", "Q Title", "Q Text", "Bonus?", "Difficulty", "Answer", "Answer Match", "Score", "Out Of"]]  # fmt: skip
    for (id, first, last, mail), attempt, answers in export.attempts:
        for number, (ask, answer) in enumerate(zip(ASKED, answers, strict=True), 1):
            row = [
                id,
                mail.partition("@")[0],
                first,
                last,
                str(attempt),
                export.time(attempt),
                export.time(attempt),
                "",
            ]
            table.append([*row, str(number), "SA", ask, "Find it.", "FALSE", "1", export.cell(answer), "", "0", "1"])
    return table


def sakai(export: Export) -> Table:
    export.blank = export.draw.choice(["No Answer", ""])
    table = [["Last Name", "First Name", "User ID", "Submission Date", "Part 1, Question 1, Score"[:0] + "Total Score"]]
    table[0] += [f"{ask} Response" for ask in ASKED]
    for (id, first, last, _), attempt, answers in export.attempts:
        table.append([last, first, id, export.time(attempt), "2.0", *map(export.cell, answers)])
    return table


def studip(export: Export) -> Table:
    table = [
        ["Vorname", "Nachname", "Matrikelnummer", "E-Mail", "Abgegeben", *(f"Aufgabe {ask}" for ask in ASKED), "Summe"]
    ]
    for (id, first, last, mail), attempt, answers in export.attempts:
        table.append([first, last, id, mail, export.time(attempt), *map(export.cell, answers), "2"])
    return table


SYSTEMS: Sequence[Callable[[Export], Table]] = (
    moodle, canvas, gradescope, google, microsoft, blackboard, ilias, olat, brightspace, sakai, studip,
)  # fmt: skip


def exports(seed: int) -> Iterator[tuple[str, bytes, dict[str, list[str]]]]:
    """Yield the export of each system: its name, its bytes, and the answers of each student."""
    for system in SYSTEMS:
        draw = Random(f"{system.__name__} {seed}")
        export = Export(draw)
        table = system(export)
        if draw.random() < 0.3:
            table = [["Week 3: backpropagation"], ["Exported on", "2026-11-20"], [], *table]
        text = StringIO(newline="")
        delimiter = draw.choice([",", ";", "\t"])
        csv.writer(text, delimiter=delimiter, quoting=draw.choice([csv.QUOTE_MINIMAL, csv.QUOTE_ALL])).writerows(table)
        codec = draw.choice(["utf-8", "utf-8-sig", "utf-16", "cp1252"])
        yield system.__name__, text.getvalue().encode(codec), export.expected
