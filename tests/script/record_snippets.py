"""Writes beside each snippet what it prints under torch: `python -m tests.script.record_snippets`."""

from __future__ import annotations

import re
from pathlib import Path

from tests.script.running import torchs

FOLDERS = (Path(__file__).with_name("snippets"), Path(__file__).parents[2] / "samples" / "snippets")
LOOP = re.compile(r"\brange\((\d+)\)")
SNIPPETS = sorted(path for folder in FOLDERS for path in folder.glob("*.py"))


def shortened(text: str, rounds: int = 30) -> str:
    """The text of a snippet with fewer rounds of what it repeats, for rounds are alike."""
    return LOOP.sub(lambda found: f"range({min(int(found[1]), rounds)})", text)


def main() -> None:
    import torch

    for path in SNIPPETS:
        path.with_suffix(".out").write_text(torchs(path.read_text()))
        torch.set_grad_enabled(True)  # a snippet may leave it off


if __name__ == "__main__":
    main()
