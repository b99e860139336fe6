"""`gradcli check` without submissions: lint, the key, and sheets to hand out, all computed in a worker."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gradcli.commands.course.options import InCourse, Request
from gradcli.commands.inputs.programs import read_source
from gradcli.errors import UsageError

if TYPE_CHECKING:
    from gradcli.homework.assignment.assignments import Assignment
    from gradcli.homework.course.variants import Sheet, Variants
    from gradcli.render.text.looks import Asked, Looks

HANDOUT = "check --handout"
KEY = "check --key"
RECORD = "variants.json"
Printed = str | dict[str, Any]  # a text, or a document
Drawn = dict[str, Any] | list[str]  # a sheet as the record has it, or warnings
SECRET = "add --secret-file FILE; make one, and keep it for the whole course: openssl rand -hex 16 > secret"


def print_lint(assignment: Assignment, request: Request) -> int:
    """Print the findings in an assignment; 1 where there are some."""
    from gradcli.homework.worker import in_worker

    work = partial(lint_of, assignment, request.page.looks)
    ((printed, count),) = in_worker(work, [request.form], assignment, request.limits.of_item, tuple[Printed, int])
    show(printed)
    return 1 if count else 0


def lint_of(assignment: Assignment, looks: Looks, form: str) -> tuple[Any, int]:
    """Return the findings in an assignment as a document or a text, and their number."""
    from gradcli.homework.course.sheets import example
    from gradcli.homework.lint.lint import findings
    from gradcli.render.check.key import lint_document, lint_text

    faults = list(findings(example(assignment)))
    printed = lint_document(assignment, faults) if form == "json" else lint_text(assignment, faults, looks)
    return printed, len(faults)


def show(printed: Any) -> None:
    """Print a document or a text."""
    from gradcli.render.text.streams import print_document, print_text

    (print_document if isinstance(printed, dict) else print_text)(printed)


def print_key(assignment: Assignment, request: Request, course: InCourse, *, is_raw: bool) -> int:
    """Print the worked solutions, and the answers as a submission; of each sheet, if there are several, to a folder."""
    from gradcli.commands.forms import FORMS, OWN
    from gradcli.commands.forms import renderer as renderer_of
    from gradcli.homework.worker import in_worker
    from gradcli.render.check.reports.cells import file_name
    from gradcli.render.check.reports.writing import write_in
    from gradcli.render.text.looks import asked
    from gradcli.stream.values import dump

    page, form, limits = request.page, request.form, request.limits.of_item
    if FORMS[form].renderers[KEY] != OWN:
        renderer_of(KEY, form)  # imported here and now: a worker may not be able to
    work = partial(key_of, form, asked(page.looks, all=request.all, standalone=request.standalone), is_raw=is_raw)
    if course.variants is None and not assignment.varies:
        (printed,) = in_worker(work, [assignment], assignment, limits, Printed)
        show(printed)
        return 0
    sheets = list(course.sheets(assignment) or ())
    if not page.is_folder:
        raise UsageError("E001", "each sheet has its own key", help="write to a folder: -o keys/")
    keys = in_worker(work, (sheet.of(assignment) for sheet in sheets), assignment, limits, Printed)
    for sheet, printed in zip(sheets, keys, strict=True):
        text = dump(printed) if isinstance(printed, dict) else printed
        name = file_name(sheet.student, FORMS[form].endings[0])
        write_in(Path(page.destination), name, [f"{text}\n"], request.inputs)
    return 0


def key_of(form: str, looks: Asked, assignment: Assignment, *, is_raw: bool) -> Any:
    """Return the key of one sheet as a document or a text."""
    from gradcli.commands.forms import renderer
    from gradcli.homework.answer_file import filled_in
    from gradcli.homework.grading import Grader
    from gradcli.render.check.key import key_document, key_page

    grader = Grader(assignment, is_raw=is_raw)
    if form == "json":
        return key_document(grader)
    if form == "text":
        return key_page(grader, "\n".join(filled_in(grader)), looks, all=looks.all)
    return renderer(KEY, form)(grader, looks)


def hand_out(assignment: Assignment, request: Request, course: InCourse, secret_file: str | None) -> int:
    """Write a blank sheet for each student of the roster to a folder, or print one where all have the same.

    The record of their values is written first, for a sheet without one could never be graded.
    """
    from gradcli.commands.forms import FORMS
    from gradcli.homework.course.variants import Sheet
    from gradcli.homework.worker import in_worker
    from gradcli.render.check.key import variants_text
    from gradcli.render.check.reports.cells import file_name
    from gradcli.render.check.reports.writing import write_in
    from gradcli.render.text.looks import asked

    roster, page, limits = course.students, request.page, request.limits.of_item
    if roster is None and assignment.varies:
        help = "add --roster roster.csv"
        raise UsageError("E024", "the values of this assignment differ from student to student", help=help)
    if roster is None:
        work = partial(sheet_text, assignment, request.form, {}, asked(page.looks, standalone=request.standalone))
        (text,) = in_worker(work, [Sheet("", {})], assignment, limits)
        show(text)
        return 0
    if not page.is_folder:
        raise UsageError("E001", "each student has a sheet", help="write to a folder: -o sheets/")
    folder, names = Path(page.destination), {student.id: student.whose for student in roster}
    sheets = list(draw_sheets(assignment, list(names), request, folder / RECORD, secret_file))
    if assignment.varies:
        write_in(folder, RECORD, [variants_text(assignment, sheets)], request.inputs)
    looks = asked(page.looks, color=False, width=None, standalone=request.standalone)
    of_roster = [sheet for sheet in sheets if sheet.student in names]
    texts = in_worker(partial(sheet_text, assignment, request.form, names, looks), of_roster, assignment, limits)
    for sheet, text in zip(of_roster, texts, strict=True):
        write_in(folder, file_name(sheet.student, FORMS[request.form].endings[0]), [text], request.inputs)
    return 0


def sheet_text(assignment: Assignment, form: str, names: Mapping[str, str], looks: Asked, sheet: Sheet) -> str:
    """Return a sheet as a text."""
    from gradcli.commands.forms import renderer

    return renderer(HANDOUT, form)(sheet.of(assignment), names.get(sheet.student, ""), looks)


class Drawing:
    """Draws the sheet of one student after the other, and then returns warnings about all sheets."""

    def __init__(self, assignment: Assignment, secret: bytes, before: Variants | None) -> None:
        from gradcli.homework.course.sheets import Sheets

        self.assignment, self.secret, self.before = assignment, secret, before
        self.draws, self.count = Sheets(assignment), 0

    def __call__(self, students: Sequence[str]) -> Any:
        """Return the sheet of the only student as the record has it, or without one the warnings."""
        from gradcli.homework.course.sheets import handed_out
        from gradcli.render.check.key import sheet_document

        if not students:
            return list(self.warnings())
        self.count += 1
        (sheet,) = handed_out(self.assignment, students, self.secret, self.before, self.draws)
        return sheet_document(sheet)

    def warnings(self) -> Iterator[str]:
        from gradcli.homework.wording import listed

        for question, faults in self.draws.lasting.items():
            yield f"{question}, on every sheet: {listed(faults)}"
        for question, draw in self.draws.questions.items():
            if self.count > 1 and draw.is_alone:
                yield f"{question}, on every new sheet: the same values, no others of its {draw.count} are fit"


def draw_sheets(
    assignment: Assignment, students: list[str], request: Request, record: Path, secret_file: str | None
) -> Iterator[Sheet]:
    """Yield the sheets of students, unchanged if handed out before, and then the sheets of other students."""
    from gradcli.homework.course.sheets import read_secret
    from gradcli.homework.course.variants import Sheet, read_variants, values
    from gradcli.homework.worker import in_worker
    from gradcli.render.text.progress import after_a_second
    from gradcli.render.text.streams import warn

    if not assignment.varies:
        yield from (Sheet(student, {}) for student in students)
        return
    if secret_file is None:
        raise UsageError("E024", "the values of the sheets are drawn with a secret, and there is none", help=SECRET)
    secret = read_secret(read_source(secret_file, help=SECRET).text, secret_file)
    before: Variants | None = None
    if record.exists():
        before = read_variants(read_source(str(record), help="check the folder"), assignment)
    items: list[list[str]] = [*([student] for student in students), []]
    answers = in_worker(Drawing(assignment, secret, before), items, assignment, request.limits.of_item, Drawn)
    with ExitStack() as stack:
        for sheet in after_a_second(islice(answers, len(students)), len(students), request.page.looks, stack):
            yield Sheet(sheet["student"], values(sheet["values"]))
    for message in next(answers):
        warn(message)
    yield from before.without(students) if before else ()
