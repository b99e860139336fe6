"""Record what torch makes of every example and every listed program.

    python -m tests.goldens.record

Run by hand, with torch installed, when an example or a program is new; the tests read the records without torch. One
file a family, one line a program: value, gradients for the upstream gradient 1, 2, 3, ..., and the graph (null where it
is not to be compared).
"""

from __future__ import annotations

import json
import re
import warnings
from pathlib import Path
from typing import Any

import torch

from tests.programs import every_example, listed_programs
from tests.torch_language import run
from tests.torch_names import ADJOINTS

FOLDER = Path(__file__).parent


def plain(value: Any) -> Any:
    """Numbers as JSON has them; what is not finite as a word."""
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, float) and value - value != 0:
        return str(value)
    return int(value) if isinstance(value, float) and value.is_integer() and abs(value) < 2**53 else value


def recorded(program: str) -> dict[str, Any]:
    outcome = run(program)
    assert outcome.output is not None
    incomparable = (
        any(re.search(rf"\b{name}\(", program) for name in ADJOINTS) or "circular" in program
    )  # there of many slices
    graph = None if incomparable else outcome.graph
    gradients = {name: g if g is None else plain(g.clone().tolist()) for name, g in outcome.gradients().items()}
    value = plain(outcome.output.detach().tolist())
    return {"program": program, "value": value, "gradients": gradients, "graph": graph}


def write(name: str, programs: list[str]) -> None:
    lines = ",\n".join(json.dumps(recorded(program), ensure_ascii=False) for program in programs)
    text = f'{{"torch": "{torch.__version__}", "programs": [\n{lines}\n]}}\n'
    (FOLDER / f"{name}.json").write_text(text, encoding="utf-8")


def main() -> None:
    warnings.simplefilter("error")
    families = {**every_example(), "programs": listed_programs()}
    for path in FOLDER.glob("*.json"):
        if path.stem not in families:
            path.unlink()
    for name, programs in families.items():
        write(name, programs)
    print(f"recorded {sum(map(len, families.values()))} programs with torch {torch.__version__}")


if __name__ == "__main__":
    main()
