"""A snippet on the real torch, in a process of its own: `python -m gradcli.live.outside`.

Its cells come on standard input. The lines that it prints, each with its place in the source, and the gradients of its
leaves by name go back as JSON.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Mapping
from typing import Any

LARGEST = 4096  # entries of a gradient that is compared


class Printed:
    """The standard output of a snippet: each text with the cell and the line that wrote it."""

    encoding = "utf-8"

    def __init__(self, cells: list[str]) -> None:
        self.cells = cells
        self.texts: list[tuple[str, int, str]] = []

    def write(self, text: str) -> int:
        frame: Any = sys._getframe(1)
        while frame is not None and frame.f_code.co_filename not in self.cells:
            frame = frame.f_back
        cell, line = ("", 0) if frame is None else (frame.f_code.co_filename, frame.f_lineno)
        self.texts.append((cell, line, text))
        return len(text)

    def flush(self) -> None:
        """Keep everything: nothing waits here."""

    def isatty(self) -> bool:
        return False


def gradients(scope: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the gradient of each leaf that a name or a module of the snippet holds; None where there is none."""
    from gradcli.live.names import tensors_of

    for name, tensor in tensors_of([scope]).items():
        if tensor.is_leaf and tensor.requires_grad:
            gradient = tensor.grad
            if gradient is None or gradient.numel() <= LARGEST:
                yield name, None if gradient is None else gradient.detach().to_dense().double().tolist()


def run(cells: list[tuple[str, str]], *, echo: bool) -> dict[str, Any]:
    """Run the cells, and return what they leave."""
    import ast

    import torch

    torch.manual_seed(0)  # torch and gradcli both begin there where a snippet sets no seed
    printed, scope = Printed([name for name, _ in cells]), {"__name__": "__main__"}
    error: dict[str, Any] | None = None
    kept, sys.stdout = sys.stdout, printed
    try:
        for name, text in cells:
            tree = ast.parse(text, name)
            is_shown = echo and tree.body and not text.rstrip().endswith(";")
            last = tree.body.pop() if is_shown and isinstance(tree.body[-1], ast.Expr) else None
            exec(compile(tree, name, "exec"), scope)
            if isinstance(last, ast.Expr):
                value = eval(compile(ast.Expression(last.value), name, "eval"), scope)
                if value is not None:
                    printed.texts.append((name, last.lineno, f"{value!r}\n"))
    except BaseException as raised:
        places = [(name, 0)]
        trace = raised.__traceback__
        while trace is not None:
            if trace.tb_frame.f_code.co_filename in printed.cells:
                places.append((trace.tb_frame.f_code.co_filename, trace.tb_lineno))
            trace = trace.tb_next
        message = str(raised)
        if isinstance(raised, SyntaxError) and raised.filename in printed.cells:  # which has its place in its text
            message = raised.msg
            places.append((raised.filename, raised.lineno or 0))
        error = {"kind": type(raised).__name__, "message": message, "cell": places[-1][0], "line": places[-1][1]}
    finally:
        sys.stdout = kept
    return {
        "version": torch.__version__,
        "printed": printed.texts,
        "gradients": dict(gradients(scope)),
        "error": error,
    }


def main() -> None:
    """Read the cells, run them, write the outcome."""
    request = json.load(sys.stdin)
    results = os.dup(1)  # the snippet may write to descriptor 1 itself
    os.dup2(2, 1)
    try:
        outcome = run([tuple(cell) for cell in request["cells"]], echo=request["echo"])
    except ModuleNotFoundError as missing:
        outcome = {"missing": missing.name}
    with os.fdopen(results, "w", encoding="utf-8", errors="surrogatepass") as file:
        json.dump(outcome, file)


if __name__ == "__main__":
    main()
