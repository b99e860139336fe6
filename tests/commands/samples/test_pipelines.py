"""Every sample pipeline that the tools at hand allow prints what stands beside it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.commands.running import ROOT
from tests.commands.served import in_shell

FOLDER = ROOT / "samples" / "pipelines"
SCRIPTS = sorted(FOLDER.glob("*.sh"))


def needs(script: Path) -> list[str]:
    found = re.search(r"^# needs: (.*)$", script.read_text(encoding="utf-8"), re.MULTILINE)
    assert found, f"{script.name} does not say what it needs"
    return ["sh", *found[1].split()]


RUNNABLE = [script for script in SCRIPTS if all(map(shutil.which, needs(script)))]


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """One in which `gradcli` is this one."""
    command = tmp_path / "gradcli"
    command.write_text(f'#!/bin/sh\nexec {in_shell()} "$@"\n')
    command.chmod(0o755)
    return {**os.environ, "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"}




@pytest.mark.slow
@pytest.mark.parametrize("script", RUNNABLE, ids=lambda script: script.stem)
def test_a_pipeline_prints_what_it_says(script: Path, environment: dict[str, str]) -> None:
    result = subprocess.run(
        [str(script)], cwd=FOLDER, env=environment, capture_output=True, text=True, check=False, timeout=120
    )
    assert result.returncode == 0, result.stderr
    assert result.stdout == script.with_suffix(".out").read_text(encoding="utf-8")
