"""Pages of homework as a browser shows them: without JavaScript, light and dark, on narrow screens, and to axe."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gradcli.homework.totals import ClassTotals
from gradcli.render.asked import Asked
from gradcli.render.check.handout import key_page
from gradcli.render.check.index import html_index
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
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious_in_feedback(browser: Any, tmp_path: Path, axe: str, scheme: str, name: str) -> None:
    with opened(browser, tmp_path, pages()[name], color_scheme=scheme, bypass_csp=True) as shown:
        shown.evaluate(axe)
        assert serious(shown) == []


@pytest.mark.parametrize("name", pages())
def test_feedback_needs_no_script_and_fits_a_narrow_screen(browser: Any, tmp_path: Path, name: str) -> None:
    narrow = {"viewport": {"width": 360, "height": 700}, "java_script_enabled": False}
    with opened(browser, tmp_path, pages()[name], **narrow) as shown:
        assert shown.locator("table").first.is_visible()
        assert shown.locator("main").bounding_box()["width"] <= 360


def test_marks_are_seen_at_their_edges(browser: Any, tmp_path: Path) -> None:
    colors = set()
    for scheme in ("light", "dark"):
        with opened(browser, tmp_path, pages()["rule"], color_scheme=scheme) as shown:
            colors.add(shown.evaluate("getComputedStyle(document.documentElement).backgroundColor"))
            marked = shown.locator("figure svg g", has_text="s enters p, marked ✗").last
            assert marked.locator("path").first.get_attribute("stroke-width") == "3"
            assert marked.locator("text").is_visible()
    assert len(colors) == 2
