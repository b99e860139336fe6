"""Writes the manual pages when a wheel is built, from a checkout or from an sdist."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class ManualHook(BuildHookInterface):  # type: ignore[type-arg]
    """Lays a page for each command into share/man/man1, where `man` finds it."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        sys.path.insert(0, self.root)
        from tests.docs.manual import manuals, roff

        folder = Path(self.directory, "man1")
        folder.mkdir(parents=True, exist_ok=True)
        for page in manuals():
            (folder / page.file).write_text(roff(page), encoding="utf-8")
            build_data["shared_data"][str(folder / page.file)] = f"share/man/man1/{page.file}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        folder = Path(self.directory, "man1")
        for page in folder.iterdir():
            page.unlink()
        folder.rmdir()
