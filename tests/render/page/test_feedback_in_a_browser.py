"""Pages of homework as a browser shows them: without JavaScript, light and dark, on narrow screens, and to axe."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gradcli.homework.totals import ClassTotals
from gradcli.render.check.handout import key_page
from gradcli.render.check.index import html_index
from gradcli.render.text.looks import Asked
from tests.render.check.feedback import GRADING, page, result
from tests.render.page.test_in_a_browser import opened, serious

pytestmark = pytest.mark.slow
HOSTILE = "<img src=x onerror=alert(1)>"


def pages() -> dict[str, str]:
    """The page of a student at two levels, the index of the class, and the key."""
    totals = ClassTotals(GRADING.assignment)
    totals.add(result(student=HOSTILE))
    return {
        "rule": page(result(student=HOSTILE), "rule"),
        "value": page(result(), "value"),
        "index": html_index(totals, "../feedback", Asked()),
        "key": key_page(GRADING.grader, Asked()),
    }


@pytest.mark.parametrize("name", pages())
def test_pages_of_homework_are_for_everyone(browser: Any, tmp_path: Path, axe: str, name: str) -> None:
    """By day and by night, on a narrow screen, and with marks that are seen; the pages have no scripts."""
    colors = set()
    with opened(browser, tmp_path, pages()[name], bypass_csp=True) as shown:
        assert shown.locator("script").count() == 0
        shown.evaluate(axe)
        for scheme in ("light", "dark"):
            shown.emulate_media(color_scheme=scheme)
            colors.add(shown.evaluate("getComputedStyle(document.documentElement).backgroundColor"))
            assert serious(shown) == []
        if name == "rule":
            marked = shown.locator("figure svg g", has_text="s enters p, marked ").last
            assert marked.locator("path").first.get_attribute("stroke-width") == "3"
            assert marked.locator("text").is_visible()
        shown.set_viewport_size({"width": 360, "height": 700})
        assert shown.locator("main").bounding_box()["width"] <= 360
        assert shown.locator("table").first.is_visible()
    assert len(colors) == 2


def test_a_long_answer_does_not_push_its_verdict_out_of_sight(browser: Any, tmp_path: Path) -> None:
    long = result({"diamond": {"s": "7" * 400, "p": "[" + "0.123456, " * 40 + "1]"}})
    with opened(browser, tmp_path, page(long, "rule")) as shown:
        shown.set_viewport_size({"width": 1000, "height": 700})
        table = shown.locator("table").first.bounding_box()
        assert table["x"] + table["width"] <= 1000
        assert "7" * 60 in shown.locator("td").first.inner_text()
