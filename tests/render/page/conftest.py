"""A browser for the pages: Chromium, driven by Playwright. Where one of them is missing, its tests are skipped."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest


def chromium() -> str | None:
    """The path of a browser."""
    return next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    driver = pytest.importorskip("playwright.sync_api")
    path = chromium()
    if path is None:
        pytest.skip("no browser")
    with driver.sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield found
        found.close()


@pytest.fixture(scope="module")
def axe() -> str:
    """The script of axe-core: the file that AXE_CORE names, or the one among the modules of npm."""
    named = os.environ.get("AXE_CORE")
    folders = [os.environ.get("NODE_PATH")]
    if named is None and shutil.which("npm"):
        folders.append(
            subprocess.run(["npm", "root", "-g"], capture_output=True, text=True, check=False).stdout.strip()
        )
    files = [Path(folder) / "axe-core" / "axe.min.js" for folder in folders if folder]
    for file in [Path(named)] if named else files:
        if file.exists():
            return file.read_text(encoding="utf-8")
    pytest.skip("no axe-core")
