"""Grading for `gradcli check`: whose work, with which numbers, and where the results go."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING

from gradcli.commands.course.options import Request

if TYPE_CHECKING:
    from gradcli.commands.course.options import InCourse
    from gradcli.homework.assignment.assignments import Assignment
    from gradcli.homework.course.variants import Variants
    from gradcli.homework.model import Result
    from gradcli.homework.statistics.mistake_counts import MistakeCounts
    from gradcli.homework.totals import ClassTotals
    from gradcli.render.text.looks import Looks


def grade(assignment: Assignment, submissions: list[str], request: Request, course: InCourse) -> ClassTotals:
    """Grade the submissions, write the requested output, and return the totals of the class."""
    from gradcli.homework.diagnose.ordering import in_class_order
    from gradcli.homework.statistics.mistake_counts import MistakeCounts
    from gradcli.homework.totals import ClassTotals
    from gradcli.render.text.progress import after_a_second

    totals = ClassTotals(assignment)
    with ExitStack() as stack:
        variants = course.sheets(assignment)
        graded, count = course.results(assignment, variants, submissions, request)
        results = in_class_order(after_a_second(graded, count, request.page.looks, stack))
        if course.against is not None:
            results = course.compared(assignment, results, request)
        counts = MistakeCounts(assignment)
        results = counted(results, counts) if course.export_mistakes else results
        write(results, totals, request, stack, variants, is_told=course.against is not None)
        if course.export_mistakes:
            from gradcli.render.check.reports.gradebook import mistake_counts
            from gradcli.render.check.reports.writing import write_parts

            write_parts(course.export_mistakes, mistake_counts(counts))
    return totals


def write(
    results: Iterator[Result],
    totals: ClassTotals,
    request: Request,
    stack: ExitStack,
    variants: Variants | None,
    *,
    is_told: bool,
) -> None:
    """Write the results as a report, a folder, a document or a page; `is_told` leaves out the page."""
    from gradcli.homework.disclosure import for_student, revealed

    of_class = counted(results, totals) if request.is_folder else results  # an index is for teachers, and counts all
    for_readers = map(for_student, of_class) if request.is_private else of_class
    disclosed = (revealed(result, request.level) for result in for_readers)
    if request.report:
        from gradcli.render.check.reports.writing import write_report

        report = (request.report, request.page.destination, totals.assignment, counted(disclosed, totals))
        write_report(*report, request.inputs)
    elif request.is_folder:
        write_feedback(request, disclosed, totals, variants)
    elif request.form == "json":
        from gradcli.render.check.document import check_document
        from gradcli.render.text.looks import is_unicode

        lines = check_document(totals.assignment, disclosed, totals, ascii=not is_unicode(sys.stdout))
        sys.stdout.writelines(lines)
    elif is_told:
        for _ in counted(disclosed, totals):
            pass
    else:
        print_results(counted(disclosed, totals), totals, request.page.looks, stack, all=request.all)


def write_feedback(request: Request, results: Iterable[Result], totals: ClassTotals, variants: Variants | None) -> None:
    """Write the feedback of each student to a folder, and an index of the class to another one beside it."""
    from gradcli.commands.forms import FOLDER, FORMS, INDEX, forms, renderer
    from gradcli.homework.grading import Grading
    from gradcli.homework.worker import in_worker
    from gradcli.render.check.feedback import of_student
    from gradcli.render.check.reports.writing import beside_folder, write_folder, write_in
    from gradcli.render.text.looks import asked

    page, form = request.page, request.form
    looks = asked(page.looks, color=False, width=None, ascii=page.ascii, all=request.all)
    grading, folder, ending = Grading(totals.assignment, variants), Path(page.destination), FORMS[form].endings[0]
    write = partial(of_student, renderer(FOLDER, form), grading, looks)
    parts = in_worker(write, results, totals.assignment, request.limits.of_item, tuple[str, list[str]])
    write_folder(folder, parts, ending, request.inputs)
    if form in forms(INDEX):
        pages = f"../{folder.resolve().name}"
        index = renderer(INDEX, form)(totals, pages, looks)
        write_in(beside_folder(folder), f"index{ending}", [index], request.inputs)


def counted(results: Iterable[Result], totals: ClassTotals | MistakeCounts) -> Iterator[Result]:
    for result in results:
        totals.add(result)
        yield result


def print_results(results: Iterator[Result], totals: ClassTotals, looks: Looks, stack: ExitStack, *, all: bool) -> None:
    """Print the page of one student, or the table of a class; the stack holds a progress bar."""
    from gradcli.render.check.page import check_page
    from gradcli.render.check.table import check_table
    from gradcli.render.text.streams import print_text

    first = list(islice(results, 2))
    if len(first) == 1:
        return print_text(check_page(first[0], looks, assignment=totals.assignment, all=all))
    for result in chain(first, results):
        if all:
            print_text(check_page(result, looks, assignment=totals.assignment, all=True) + "\n")
    stack.close()
    return print_text(check_table(totals, looks))
