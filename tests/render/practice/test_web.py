"""The page of exercises: fresh values, the mistake behind a wrong answer, hints, a derivation, a score."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gradcli.homework.practice.topics import topic
from gradcli.render.practice.web import practice_page
from gradcli.render.text.looks import Looks
from tests.render.page.reading import block, read
from tests.render.page.test_in_a_browser import opened, serious


def test_each_exercise_has_values_of_its_own_mistakes_and_a_derivation() -> None:
    page = read(practice_page(topic("chain"), 3, Looks()))
    sheets = block(page, "gradcli-practice")["sheets"]
    assert len({exercise["program"] for sheet in sheets for exercise in sheet}) > len(sheets)
    last = sheets[0][3]
    assert last["quantity"] == "dy/dx"
    assert last["derivation"] == "∂y/∂x = ∂y/∂u · ∂u/∂x = 16.4 · 4.5 = 73.8"
    assert last["hints"][1] == "∂y/∂x = ∂y/∂u · ∂u/∂x; ∂u/∂x = c"
    assert any("forgot the inner derivative" in message for _, message in last["wrong"])
    assert "73.8" not in page.one("data-gradcli").text, "what can be read holds no answer"


@pytest.mark.slow
def test_a_session_in_a_browser(browser: Any, tmp_path: Path, axe: str) -> None:
    with opened(browser, tmp_path, practice_page(topic("chain"), 3, Looks()), bypass_csp=True) as page:
        answers = "() => JSON.parse(document.getElementById('gradcli-practice').textContent).sheets"
        sheets = page.evaluate(answers)

        def current() -> Any:
            text, asked = (page.locator(f"[data-{one}]").inner_text() for one in ("program", "quantity"))
            return next(x for sheet in sheets for x in sheet if (x["program"], x["quantity"]) == (text, asked))

        verdict = page.locator("[data-verdict]")
        page.locator("[data-answer]").fill(repr(current()["wrong"][0][0][0]))
        page.keyboard.press("Enter")
        assert current()["wrong"][0][1] in verdict.inner_text()
        page.locator("[data-action=hint]").click()
        assert page.locator("[data-hints] li").inner_text() == current()["hints"][0]
        page.locator("[data-answer]").fill(repr(current()["answer"][0]))
        page.keyboard.press("Enter")
        assert verdict.inner_text() == "Right. It comes again, with other values."
        assert current()["derivation"] in page.locator("[data-hints]").inner_text()
        page.locator("[data-action=next]").click()
        assert page.locator("[data-count]").inner_text() == "8 to go, 0.5 of 1 points"
        page.add_script_tag(content=axe)
        assert serious(page) == []
