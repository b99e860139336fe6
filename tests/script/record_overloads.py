"""Record the ways in which torch's functions and methods can be called, where there are several.

    python -m tests.script.record_overloads

Run by hand, with torch installed. A function is called with far too many arguments, and then says what it takes.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch

import gradcli
from gradcli.ops.indexing.assignment import OWN
from gradcli.ops.support.surface import OPERATIONS
from gradcli.script.torch.operations.overloads import FILE, OPTIONS, SHORT
from gradcli.script.torch.random.sampling import METHODS
from gradcli.script.torch.tensor.creation import CREATION

TARGET = Path(gradcli.__file__).parent / "script" / "torch" / "operations" / FILE
TOO_MANY = ("a",) * 40


def signatures(function: Any) -> list[str]:
    """The ways to call it, as it tells them; none where there is one."""
    try:
        function(*TOO_MANY)
    except Exception as error:
        text = str(error)
        if "but expected (" in text:
            return [text.rpartition("but expected ")[2]]
        lines = (line.strip() for line in text.split("\n"))
        return [line[2:] for line in lines if line.startswith("* (")]
    return []


def lines() -> list[str]:
    x = torch.ones(2, 2)
    found = {
        name: signatures(getattr(torch, name)) for name in {*OPERATIONS, *CREATION, *METHODS} if hasattr(torch, name)
    }
    names = {*OPERATIONS, *(f"{name}_" for name in OPERATIONS), *METHODS, *OWN}
    found |= {f".{name}": signatures(getattr(x, name)) for name in names if callable(getattr(x, name, None))}
    return [f"{name}: {' | '.join(ways)}".replace(OPTIONS, SHORT) for name, ways in sorted(found.items()) if ways]


if __name__ == "__main__":
    TARGET.write_text("\n".join(lines()) + "\n", "utf-8")
