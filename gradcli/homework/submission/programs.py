"""Programs that students hand in: a file of Python, or the cells of a notebook."""

from __future__ import annotations

import json
from dataclasses import replace

from gradcli.homework.submission.labels import Labels
from gradcli.homework.submission.lines import read_lines
from gradcli.homework.submission.submissions import Given, Submission

NO_CODE = "it is a program, and no question asks for one: type the answers into a text file"


def read_program(name: str, student: str, text: str, labels: Labels | None) -> Submission:
    """Read a file of Python: the answer to each question that asks for code."""
    if labels is None or not labels.codes:
        return Submission(name, student, unreadable=NO_CODE)
    given = [Given(id, ask.written, text, line=1) for id in labels.codes for ask in labels.asked[id]]
    return Submission(name, student, tuple(given if text.strip() else ()))


def read_notebook(name: str, student: str, text: str, labels: Labels | None) -> Submission:
    """Read a notebook: its code as `read_program` does, what is typed between and printed below as answers."""
    try:
        cells = [(str(cell["cell_type"]), joined(cell["source"]), cell) for cell in json.loads(text)["cells"]]
        printed = [joined(out.get("text", "")) for kind, _, cell in cells if kind == "code" for out in cell["outputs"]]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return Submission(name, student, unreadable="it is no notebook that can be read: save it again, or export it")
    if labels is None:
        return Submission(name, student, unreadable="a notebook is not read by strict rules: hand in a text file")
    code = "\n\n".join(magicless(source) for kind, source, _ in cells if kind == "code")
    typed = "\n\n".join([*(source for kind, source, _ in cells if kind != "code"), *printed])
    answers = read_lines(name, student, typed, labels)
    given = tuple(one for one in answers.given if labels.question(one.question) not in labels.codes)
    programs = read_program(name, student, code, labels).given if labels.codes else ()
    return replace(answers, given=(*given, *programs), remarks=() if labels.codes else answers.remarks)


def joined(source: object) -> str:
    return "".join(map(str, source)) if isinstance(source, list) else str(source)


def magicless(code: str) -> str:
    """Return the code of a cell without the commands of the notebook, `%matplotlib inline` and `!pip install`."""
    return "\n".join("" if line.lstrip().startswith(("%", "!")) else line for line in code.splitlines())
