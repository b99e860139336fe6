"""A browser (Chromium, driven by Playwright) and scripts for it. Where one is missing, its tests are skipped."""

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


@pytest.fixture(scope="package")
def browser() -> Iterator[Any]:
    driver = pytest.importorskip("playwright.sync_api")
    path = chromium()
    if path is None:
        pytest.skip("no browser")
    with driver.sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield found
        found.close()


@pytest.fixture(scope="package")
def axe() -> str:
    """The script of axe-core."""
    return script("axe-core", "axe.min.js", os.environ.get("AXE_CORE"))


@pytest.fixture(scope="package")
def mermaid() -> str:
    """The script of Mermaid."""
    return script("mermaid", "dist/mermaid.min.js")


def script(package: str, path: str, named: str | None = None) -> str:
    """The text of a file of a package of npm, or of the one that is named."""
    folders = [os.environ.get("NODE_PATH")]
    if named is None and shutil.which("npm"):
        folders.append(
            subprocess.run(["npm", "root", "-g"], capture_output=True, text=True, check=False).stdout.strip()
        )
    files = [Path(folder) / package / path for folder in folders if folder]
    for file in [Path(named)] if named else files:
        if file.exists():
            return file.read_text(encoding="utf-8")
    pytest.skip(f"no {package}")
