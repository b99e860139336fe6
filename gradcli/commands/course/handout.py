"""`gradcli check` without submissions: lint, the key, and sheets to hand out."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, redirect_stdout
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING

from gradcli.commands.course.options import InCourse
from gradcli.commands.inputs.programs import read_source
from gradcli.commands.options import Reported
from gradcli.errors import UsageError

if TYPE_CHECKING:
    from gradcli.homework.assignment.assignments import Assignment
    from gradcli.homework.course.roster import Roster
    from gradcli.homework.course.variants import Sheet, Variants

HANDOUT = "check --handout"
KEY = "check --key"
RECORD = "variants.json"
SECRET = "add --secret-file FILE; make one, and keep it for the whole course: openssl rand -hex 16 > secret"


def print_lint(assignment: Assignment, page: Reported, form: str) -> int:
    """Print the findings in an assignment; 1 where there are some."""
    from gradcli.homework.course.sheets import example
    from gradcli.homework.lint.lint import findings
    from gradcli.render.check.lint import lint_document, lint_text
    from gradcli.render.text.streams import print_document, print_text

    found = list(findings(example(assignment)))
    if form == "json":
        print_document(lint_document(assignment, found))
    else:
        print_text(lint_text(assignment, found, page.looks))
    return 1 if found else 0


def print_key(
    assignment: Assignment, page: Reported, form: str, course: InCourse, *, all: bool, is_raw: bool, standalone: bool
) -> int:
    """Print the worked solutions, and the answers as a submission; of each sheet, if there are several, to a folder."""
    if course.variants is None and not assignment.varies:
        key_of(assignment, page, form, all=all, is_raw=is_raw, standalone=standalone)
        return 0
    from gradcli.commands.forms import FORMS
    from gradcli.render.check.reports.naming import file_name
    from gradcli.render.check.reports.writing import write_in

    sheets = course.sheets(assignment)
    if not page.is_folder:
        raise UsageError("E001", "each sheet has its own key", help="write to a folder: -o keys/")
    for sheet in sheets or ():
        written = BytesIO()
        with redirect_stdout(TextIOWrapper(written, "utf-8", newline="")) as stream:  # a StringIO says no encoding
            key_of(sheet.of(assignment), page, form, all=all, is_raw=is_raw, standalone=standalone)
            stream.flush()
        name = file_name(sheet.student, FORMS[form].endings[0])
        write_in(Path(page.destination), name, [written.getvalue().decode()])
    return 0


def key_of(assignment: Assignment, page: Reported, form: str, *, all: bool, is_raw: bool, standalone: bool) -> None:
    """Print the key of one sheet."""
    from gradcli.homework.grading import Grader
    from gradcli.homework.worked import filled_in
    from gradcli.render.check.key import key_document, key_page
    from gradcli.render.text.streams import print_document, print_text

    grader = Grader(assignment, is_raw=is_raw)
    if form == "json":
        print_document(key_document(grader))
    elif form == "text":
        print_text(key_page(grader, "\n".join(filled_in(grader)), page.looks, all=all))
    else:
        page.show(KEY, form, grader, all=all, standalone=standalone)


def hand_out(
    assignment: Assignment, page: Reported, form: str, course: InCourse, secret_file: str | None, *, standalone: bool
) -> int:
    """Write a blank sheet for each student of the roster to a folder, or print one where all have the same."""
    roster = course.students
    if roster is None and assignment.varies:
        raise UsageError(
            "E024", "the values of this assignment differ from student to student", help="add --roster roster.csv"
        )
    if roster is None:
        page.show(HANDOUT, form, assignment, "", standalone=standalone)
        return 0
    if not page.is_folder:
        raise UsageError("E001", "each student has a sheet", help="write to a folder: -o sheets/")
    write_sheets(assignment, roster, page, form, secret_file, standalone=standalone)
    return 0


def write_sheets(
    assignment: Assignment, roster: Roster, page: Reported, form: str, secret_file: str | None, *, standalone: bool
) -> None:
    """Write the sheets, and the record of their values: first, for a sheet without one could never be graded."""
    from gradcli.commands.forms import FORMS, renderer
    from gradcli.render.asked import asked
    from gradcli.render.check.reports.naming import file_name
    from gradcli.render.check.reports.writing import write_in
    from gradcli.render.check.variants import variants_text

    folder = Path(page.destination)
    with ExitStack() as stack:
        sheets = list(drawn(assignment, roster, page, folder / RECORD, secret_file, stack))
    if assignment.varies:
        write_in(folder, RECORD, [variants_text(assignment, sheets)])
    write, looks = renderer(HANDOUT, form), asked(page.looks, color=False, width=None, standalone=standalone)
    names = {student.id: student.whose for student in roster}
    for sheet in sheets:
        if sheet.student in names:
            text = write(sheet.of(assignment), names[sheet.student], looks)
            write_in(folder, file_name(sheet.student, FORMS[form].endings[0]), [text])


def drawn(
    assignment: Assignment, roster: Roster, page: Reported, record: Path, secret_file: str | None, stack: ExitStack
) -> Iterator[Sheet]:
    """Yield the sheets of the roster, those that were handed out before unchanged, and then those of others."""
    from gradcli.homework.course.sheets import Sheets, handed_out, read_secret
    from gradcli.homework.course.variants import Sheet, read_variants
    from gradcli.homework.wording import listed
    from gradcli.render.text.progress import after_a_second
    from gradcli.render.text.streams import warn

    students = [student.id for student in roster]
    if not assignment.varies:
        yield from (Sheet(student, {}) for student in students)
        return
    if secret_file is None:
        raise UsageError("E024", "the values of the sheets are drawn with a secret, and there is none", help=SECRET)
    secret = read_secret(read_source(secret_file, help=SECRET).text, secret_file)
    before: Variants | None = None
    if record.exists():
        before = read_variants(read_source(str(record), help="check the folder"), assignment)
    draws = Sheets(assignment)
    sheets = handed_out(assignment, students, secret, before, draws)
    yield from after_a_second(sheets, len(students), page.looks, stack)
    for question, faults in draws.lasting.items():
        warn(f"{question}, on every sheet: {listed(faults)}")
    for question, one in draws.questions.items():
        if len(students) > 1 and one.is_alone:
            warn(f"{question}, on every new sheet: the same values, no others of its {one.count} are fit")
    yield from before.without(students) if before else ()
