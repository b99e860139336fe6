"""The options of `gradcli check` about a course: roster, sheets, layouts, attempts, corrections, grading again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

from gradcli.commands.declared import Option
from gradcli.commands.inputs.programs import read_bytes, read_source
from gradcli.commands.options import ItemLimited, Reported
from gradcli.errors import UsageError
from gradcli.facts import dataclass
from gradcli.render.check.reports.registry import REPORTS

if TYPE_CHECKING:
    from gradcli.homework.assignment.assignments import Assignment
    from gradcli.homework.course.overrides import Overrides
    from gradcli.homework.course.roster import Roster
    from gradcli.homework.course.variants import Variants
    from gradcli.homework.model import Result
    from gradcli.homework.submission.files import File
    from gradcli.homework.submission.hand_ins import HandIn


Reveal = StrEnum("Reveal", ["verdict", "node", "rule", "value"])
Layout = StrEnum("Layout", ["plain", "folders", "moodle", "canvas", "gradescope", "github", "blackboard"])
Attempts = StrEnum("Attempts", ["best", "last"])


@dataclass(frozen=True)
class InCourse:
    """Who is graded, with which numbers and by which rules, beside the assignment."""

    roster: Annotated[
        list[str] | None,
        Option("--roster", metavar="FILE", help="The students, a CSV file: id,name,email; may be repeated."),
    ] = None
    variants: Annotated[
        str | None, Option("--variants", metavar="FILE", help="The sheets handed out: variants.json.")
    ] = None
    layout: Annotated[
        Layout | None,
        Option("--layout", help="How folders say whose a file is. [default: as the names in them plainly do]"),
    ] = None
    attempts: Annotated[
        Attempts | None, Option("--attempts", help="Which of several attempts counts: ada_attempt2.txt.")
    ] = None
    overrides: Annotated[str | None, Option("--overrides", metavar="FILE", help="Points set by hand, a TOML file.")] = (
        None
    )
    against: Annotated[
        str | None, Option("--against", metavar="FILE", help="Tell what changes since this document of --json.")
    ] = None
    map: Annotated[
        str | None, Option("--map", metavar="FILE", help="What each column of a sheet holds, a TOML or CSV file.")
    ] = None
    export_mistakes: Annotated[
        str | None,
        Option("--export-mistakes", metavar="FILE", help="Write how often each mistake is made, without names."),
    ] = None
    allow_lower: Annotated[bool, Option("--allow-lower", help="Let --against lower a score.")] = False

    @property
    def is_empty(self) -> bool:
        """Whether nothing is asked about a course."""
        return self == InCourse()

    @property
    def files(self) -> list[str]:
        """The files that are read."""
        return [*(self.roster or ()), *filter(None, (self.variants, self.overrides, self.against, self.map))]

    @property
    def students(self) -> Roster | None:
        """The students of the course. Raises UsageError for a roster that cannot be used."""
        if not self.roster:
            return None
        from gradcli.homework.course.roster import joined, read_roster

        rosters = [
            read_roster(read_bytes(file, help="give the path of a roster, a .csv file")[1], file)
            for file in self.roster
        ]
        return rosters[0] if len(rosters) == 1 else joined(rosters)

    def sheets(self, assignment: Assignment) -> Variants | None:
        """Return the sheets of the students. Raises UsageError where they have some and none are given."""
        if self.variants is None:
            if assignment.varies:
                raise UsageError(
                    "E024", "the values of this assignment differ from student to student, and no sheets are given",
                    help="add --variants sheets/variants.json, which --handout writes",
                )  # fmt: skip
            return None
        from gradcli.homework.course.variants import read_variants

        return read_variants(read_source(self.variants, help="give variants.json of the sheets"), assignment)

    def results(
        self, assignment: Assignment, variants: Variants | None, submissions: Sequence[str], request: Request
    ) -> tuple[Iterator[Result], int]:
        """Return the results of all students, and how many there are."""
        from gradcli.homework.course.layouts import with_others, with_sheets
        from gradcli.homework.grading import graded
        from gradcli.homework.submission.files import files_to_grade

        roster = self.students
        other_files: list[File] = []
        files = files_to_grade(submissions, request.page.destination, other_files)
        layout = self.layout.value if self.layout else None
        files = with_others(files, other_files, roster or with_sheets(variants), layout)
        work = list(self.work(assignment, files, roster, variants))
        overrides = self.set_by_hand(assignment, work, roster)
        results = graded(assignment, work, request.jobs, request.limits.of_item, request.bugs, variants=variants)
        results = self.in_course(assignment, work, results, roster)
        if overrides:
            from gradcli.homework.course.overrides import overridden

            results = overridden(results, overrides)
        return results, len(work)

    def work(
        self, assignment: Assignment, files: Sequence[File], roster: Roster | None, variants: Variants | None
    ) -> Iterator[HandIn]:
        """Yield the work to grade. Raises UsageError for an unclear sheet with a column a question."""
        from gradcli.homework.course.columns import read_mapping
        from gradcli.homework.course.exports import rows_by_sheet
        from gradcli.homework.course.layouts import collected, to_grade
        from gradcli.homework.grading import labels_of

        source = read_source(self.map, help="give the path of a mapping, a .toml file") if self.map else None
        sheets = rows_by_sheet(labels_of(assignment), read_mapping(source) if source else None, files)
        layout = self.layout.value if self.layout else None
        hand_ins = collected(
            files, roster, layout, has_attempts=self.attempts is not None, variants=variants, sheets=sheets
        )
        return to_grade(hand_ins, self.attempts.value) if self.attempts else hand_ins

    def in_course(
        self, assignment: Assignment, work: Sequence[HandIn], results: Iterator[Result], roster: Roster | None
    ) -> Iterator[Result]:
        """Yield one result a student, with the name and the email that the roster has."""
        from gradcli.homework.course.layouts import counted, introduced

        with_names: Iterator[Result] = (introduced(result, roster) for result in results)
        if assignment.deadline:
            from gradcli.homework.course.lateness import on_time

            times = (item.submitted for item in work)
            with_names = on_time(zip(times, with_names, strict=True), assignment.deadline, assignment.late_penalty)
        if self.attempts is None:
            return with_names
        return counted(zip(work, with_names, strict=True), assignment.attempt_penalty)

    def set_by_hand(self, assignment: Assignment, work: Iterable[HandIn], roster: Roster | None) -> Overrides | None:
        """Return the points that are set by hand. Raises UsageError for points of an unknown student."""
        if self.overrides is None:
            return None
        from gradcli.homework.course.overrides import read_overrides
        from gradcli.homework.submission.names import identity

        by_identity = {identity(item.student): item.student for item in work}

        def student_of(name: str) -> str | None:
            student = roster.find([name]) if roster else None
            return by_identity.get(identity(student.id if student else name))

        source = read_source(self.overrides, help="give the path of overrides, a .toml file")
        students = {*by_identity.values(), *(name for student in roster or () for name in (student.id, student.name))}
        return read_overrides(source, assignment, student_of, sorted(students))

    def compared(self, assignment: Assignment, results: Iterator[Result], request: Request) -> Iterator[Result]:
        """Print what changes, and return the results. Raises UsageError where a score gets lower and may not."""
        from gradcli.homework.course.overrides import differences, read_graded, refuse_lower
        from gradcli.render.check.regrade import regrade_text
        from gradcli.render.text.streams import print_aside, print_text

        assert self.against is not None
        source = read_source(self.against, help="give the path of a document of gradcli check --json")
        graded_before = read_graded(source, assignment)
        graded_now = list(results)
        changes = differences(graded_before, graded_now)
        is_page = not request.report and not request.is_folder and request.form == "text"
        (print_text if is_page else print_aside)(regrade_text(changes, len(graded_now), request.page.looks))
        if not self.allow_lower:
            refuse_lower(changes)
        return iter(graded_now)


@dataclass
class Request:
    """Everything asked about a class: a report or a form, the level of disclosure, the limits; bugs are collected."""

    report: str | None
    reveal: str | None
    page: Reported
    limits: ItemLimited
    form: str
    all: bool
    jobs: int
    inputs: list[str]  # files that are not to be written
    bugs: list[str] = field(default_factory=list)
    standalone: bool = False

    @property
    def is_folder(self) -> bool:
        """Whether a page a student is written."""
        return self.page.is_folder and not self.report

    @property
    def is_private(self) -> bool:
        """Whether students get to read the results, each their own."""
        if self.report is None:
            return self.is_folder
        return REPORTS[self.report].per_student

    @property
    def level(self) -> str:
        """The level of disclosure: lower where students read the output."""
        if self.report is None:
            return self.reveal or ("rule" if self.is_folder else "value")
        return self.reveal or REPORTS[self.report].reveal
