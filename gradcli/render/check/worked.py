"""The worked solution of a script: a process that has nothing else runs it once more, and says it in rows of texts.

Scripts are strangers', so the run never comes to a process that has the assignment or writes its key.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from gradcli.facts import dataclass
from gradcli.homework.solve.runs import scripts
from gradcli.homework.solve.runs.scripts import Others, Outcomes, Ran, Script, own_events
from gradcli.homework.solve.snippets import SnippetSolution
from gradcli.render.documents.explanation import Document
from gradcli.render.run.snippet_document import snippet_document
from gradcli.render.run.timeline import timeline_sections
from gradcli.render.text.layout import Row, Section
from gradcli.render.text.looks import Asked
from gradcli.script.timeline.passes import with_short_formulas
from gradcli.workers.asking import Work, ask_process

Rows = tuple[tuple[str, tuple[Row, ...], tuple[str, ...]], ...]  # of each section: title, rows, columns


@dataclass(frozen=True)
class Shown:
    """A script whose run is to be shown, with formulas as the rules give them if `is_raw`; a document if no `looks`."""

    script: Script
    is_raw: bool
    looks: Asked | None


def answered(work: Script | Others | Shown) -> Ran | Outcomes | Rows | Document:
    """Run what is to run. Raises the error of a script that stops."""
    if not isinstance(work, Shown):
        return scripts.answered(work)
    run = own_events(work.script)
    if not work.is_raw:
        run = replace(run, events=tuple(map(with_short_formulas, run.events)))
    looks = work.looks
    if looks is None:
        return snippet_document("", "", run, None)
    sections = timeline_sections(run, looks, all=looks.all, failed=False, why=looks.why)
    return tuple((section.title, tuple(section.rows), section.columns) for section in sections)


def worked_sections(solution: SnippetSolution, looks: Asked) -> list[Section]:
    """Return the sections of the run of a script."""
    return [Section(*row) for row in shown(solution, looks, Rows)]


def worked_document(id: str, solution: SnippetSolution) -> Document:
    """Return the document of the run of a script, by the question's id."""
    return {**shown(solution, None, Document), "file": id}


def shown(solution: SnippetSolution, looks: Asked | None, kind: Any) -> Any:
    solution.question.computing()  # in a process of its own
    return ask_process(answered, Shown(solution.script, solution.is_raw, looks), kind)


def text_of(work: Script | Others | Shown) -> str:
    return scripts.text_of(work.script if isinstance(work, Shown) else work)


WORK = Work(answered, Script | Others | Shown, Ran | Outcomes | Rows | Document, scripts.prepare, text_of)
