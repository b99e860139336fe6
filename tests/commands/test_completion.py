"""Completion, as a shell asks for it."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("gradcli ev", ["eval"]),
        ("gradcli eval --asc", ["--ascii"]),
        ("gradcli ops logsi", ["logsigmoid"]),
        ("gradcli schema form", ["formulas"]),
        ("gradcli practice si", ["sigmoid-neuron"]),
        ("gradcli check --report m", ["mistakes", "moodle"]),
    ],
)
def test_completion(words: str, found: list[str]) -> None:
    asked = {"_GRADCLI_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(len(words.split()) - 1)}
    ran = subprocess.run(
        [sys.executable, "-c", "from gradcli.__main__ import main; main()"],
        env={**os.environ, **asked},
        capture_output=True,
        text=True,
        check=True,
    )
    assert ran.stdout.split() == found
