"""Writes beside each snippet what it prints under torch: `python -m tests.script.record_snippets`."""

from __future__ import annotations

from pathlib import Path

from tests.script.running import torchs

SNIPPETS = Path(__file__).with_name("snippets")


def main() -> None:
    for path in sorted(SNIPPETS.glob("*.py")):
        path.with_suffix(".out").write_text(torchs(path.read_text()))


if __name__ == "__main__":
    main()
