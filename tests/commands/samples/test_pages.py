"""The pages among the samples are those that the commands write; GRADCLI_RECORD=1 writes them anew."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from tests.commands.running import ROOT, gradcli
from tests.commands.samples.test_samples import SAMPLES, comment
from tests.render.page.reading import own_size

PAGES = ROOT / "samples" / "pages"
SNIPPETS = ("backward_twice", "two_paths", "who_gets_a_grad")


def command(name: str) -> list[str]:
    """The command that writes a page, without the place to write it to."""
    if name in SNIPPETS:
        return ["run", f"samples/snippets/{name}.py"]
    wrt = comment(ROOT / "samples" / f"{name}.grad", "wrt").replace(" ", "")
    return ["eval", "-f", f"samples/{name}.grad", *(["--wrt", wrt] if wrt else [])]


NAMES = [*(file.stem for file in SAMPLES), *SNIPPETS]


def rounded(page: Path) -> str:
    """The page with numbers of 13 digits, which every processor computes alike."""
    return re.sub(r"\d+\.\d{12,}", lambda number: f"{float(number[0]):.13g}", page.read_text(encoding="utf-8"))


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_the_page_is_what_the_command_writes(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str
) -> None:
    monkeypatch.chdir(ROOT)
    file = tmp_path / "page.html"
    assert gradcli(capsys, [*command(name), "-o", str(file)]).code == 0
    recorded = PAGES / f"{name}.html"
    if os.environ.get("GRADCLI_RECORD"):
        recorded.write_bytes(file.read_bytes())
    assert rounded(recorded) == rounded(file)
    assert own_size(file.read_text(encoding="utf-8")) < 180_000


def test_every_page_has_its_sample() -> None:
    assert sorted(file.stem for file in PAGES.glob("*.html")) == sorted(NAMES)
