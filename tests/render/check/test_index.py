"""The index of a class counts its mistakes, and names no student as markup."""

from __future__ import annotations

import re

from gradcli.homework.totals import ClassTotals
from gradcli.render.check.index import html_index, markdown_index
from gradcli.render.text.looks import Asked
from tests.render.check.feedback import GRADING, Read, result

NAMES = ("ada", "<img src=x onerror=alert(1)>", "a/../../b", "é" * 300, "javascript:alert(1)")


def totals() -> ClassTotals:
    """Five students: all miss one branch, the last also a second time."""
    found = ClassTotals(GRADING.assignment)
    for name in NAMES:
        own = {"dq/ds": "3.5869"} if name != NAMES[-1] else {"dq/ds": "-2.0231", "dq/dx": "9.828106"}
        found.add(result({"diamond": own}, name))
    return found


def test_mistakes_are_counted_by_students_and_answers() -> None:
    found = totals()
    first = found.mistakes[0]
    assert (first.code, first.students, first.answers) == ("fanout-overwrite", 5, 6)
    read = Read(html_index(found, "../feedback", Asked()))
    row = "fanout-overwritekept one branch where the branches add up5 students6 answersin diamond (6)5 of 5"
    assert row in read.text
    assert dict(read.attributes)["max"] == "5"
    table = markdown_index(found, "../feedback", Asked())
    assert re.search(r"fanout-overwrite.*5 students.*6 answers", table)


def test_names_are_no_markup_and_links_stay_in_the_folder_of_pages() -> None:
    table = markdown_index(totals(), "../my & feedback", Asked())
    linked = re.findall(r"^\| \[`.*`\]\((.*?)\) \|", table, re.MULTILINE)
    assert len(linked) == len(NAMES) - 1
    assert all(re.fullmatch(r"\.\./my%20%26%20feedback/[^/:]+\.md", link) for link in linked)
    whole = html_index(totals(), "../my & feedback", Asked())
    read = Read(whole)
    assert not {"img", "script"} & {*read.tags}
    assert "<img src=x onerror=alert(1)>" in read.text
    links = [value for name, value in read.attributes if name == "href" and value]
    assert len(links) == len(NAMES) - 1  # the page of a name that was cut is not known
    assert all(re.fullmatch(r"\.\./my%20%26%20feedback/[^/:]+\.html", link) for link in links)
