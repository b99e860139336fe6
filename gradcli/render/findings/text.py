"""Findings as text: at most five lines each, and one closing line."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict

from gradcli.findings.declaration import Cause
from gradcli.findings.examination import Examination, counted
from gradcli.findings.finding import Finding
from gradcli.render.documents.explanation import Document
from gradcli.render.text.looks import Looks
from gradcli.source import visible, width


def finding(finding: Finding) -> Document:
    return {**asdict(finding), "see": list(finding.see)}


def findings_document(examined: Examination) -> Document:
    return {
        "schema": "gradcli.findings/1",
        "ok": examined.is_clean,
        "file": examined.file,
        "looked": examined.looked,
        "findings": [*map(finding, examined.findings)],
        "error": None if examined.error is None else examined.error.facts(),
    }


COLUMN = 78  # where the code of a finding ends
STYLES = {"error": "31", "warning": "35", "note": "2"}
LEVELS = {"error": "error", "warning": "warning", "note": "notice"}  # of GitHub


def findings_text(examined: Examination, looks: Looks) -> str:
    """Return the findings, the most suspicious first."""
    lines = [line for finding in examined.findings for line in (*finding_lines(finding, examined, looks), "")]
    return "\n".join([*lines, closing(examined)])


def findings_head(examined: Examination, looks: Looks) -> str:
    """Return the findings as they stand above a timeline."""
    return "\n\n".join("\n".join(finding_lines(finding, examined, looks)) for finding in examined.findings)


def finding_lines(finding: Finding, examined: Examination, looks: Looks) -> Iterable[str]:
    """Yield the lines of a finding."""
    place = f"cell {finding.cell}, line {finding.line}" if finding.cell is not None else f"line {finding.line}"
    place = place if finding.line else finding.name
    head = f"{place}  {visible(examined.texts.get((finding.source, finding.line), ''))}"
    head = head if width(head) <= COLUMN else f"{head[: COLUMN - 4]} {looks.ellipsis}"
    code = f"\x1b[{STYLES[finding.severity]}m{finding.code}\x1b[0m" if looks.color else finding.code
    yield f"{head}{' ' * max(COLUMN - width(head), 0)}  {code}"
    for text in (finding.message, finding.because):
        if text:
            yield f"  {visible(text)}"
    if finding.instead:
        yield f"  instead: {visible(finding.instead)}"


def closing(examined: Examination) -> str:
    """Return the last line: how many findings there are, or what was looked at."""
    if not examined.findings:
        return f"nothing suspicious in {visible(examined.file)}: {examined.looked}"
    count = counted(len(examined.findings), "finding")
    if examined.error is not None and examined.error.code == "E403":
        count += f" before the run was ended: {examined.error.message}"
    if (" cell " not in examined.file) and examined.file.endswith((".py", ".ipynb", ".md")):
        return f"{count}; gradcli run {visible(examined.file)} --explain shows each step"
    return f"{count}; gradcli why --explain {examined.findings[0].code} tells more"


def concise(examined: Examination) -> str:
    """Return a line for each finding, as editors read them."""
    return "\n".join(
        visible(f"{hit.source}:{hit.line}: {hit.severity}[{hit.code}] {hit.message}") for hit in examined.findings
    )


def github(examined: Examination) -> str:
    """Return the commands that annotate the lines of a pull request; that of a cell stands in the text."""

    def escaped(text: str, more: str = "") -> str:
        for character in "%\r\n" + more:
            text = text.replace(character, f"%{ord(character):02X}")
        return text

    lines = []
    for hit in examined.findings:
        cell = f"cell {hit.cell}, line {hit.line}:" if hit.cell is not None else ""
        text = " ".join(filter(None, [cell, hit.message, hit.because, hit.instead and f"instead: {hit.instead}"]))
        file = escaped(visible(examined.file), ":,")
        place = f"file={file}" if cell else f"file={file},line={hit.line}"
        lines.append(f"::{LEVELS[hit.severity]} {place},title={escaped(hit.code)}::{escaped(visible(text))}")
    return "\n".join(lines)


def catalogue_text(causes: Iterable[Cause]) -> str:
    """Return the codes, a line each."""
    return "\n".join(f"{cause.code:24}{cause.severity:9}{cause.page.what}" for cause in causes)


def cause_text(cause: Cause) -> str:
    """Return the page of a cause."""
    page = cause.page
    example = "\n".join(f"    {line}" for line in page.example.splitlines())
    return f"{cause.code} ({cause.severity}): {page.what}\n\n{page.why}\n\n{example}\n\ninstead: {page.remedy}"
