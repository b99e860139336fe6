"""A fresh process that answers one item after the other, for owners that may neither fork nor have children.

A task of an engine is daemonic and in a thread, where `multiprocessing` refuses children; the fresh process is neither,
and can put walls around items as any command does.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import traceback
from collections.abc import Callable
from types import TracebackType
from typing import Any

from gradcli.errors import GradcliError, InternalError

START = f"from {__name__} import serve; serve()"


def fresh(*arguments: str) -> dict[str, Any]:
    """Return the command and the environment, for `subprocess`, of a Python that finds the modules of this one.

    It takes none from the folder it stands in, where a stranger's `copy.py` may lie.
    """
    path = os.pathsep.join(filter(None, sys.path))
    return {"args": [sys.executable, "-P", *arguments], "env": {**os.environ, "PYTHONPATH": path}}


class Apart:
    """The owner's side: called with an item, it returns what the function returns for it there.

    What is sent either way is pickled. Raises the GradcliError that the function raises there, and InternalError for
    any other exception and where the process ends.
    """

    def __init__(self, function: Callable[[Any], Any]) -> None:
        self.process = subprocess.Popen(**fresh("-c", START), stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._send(function)

    def __call__(self, item: Any) -> Any:
        self._send(item)
        try:
            answer, error = pickle.load(self.process.stdout)  # type: ignore[arg-type]
        except (EOFError, pickle.UnpicklingError):
            raise InternalError(f"a process apart ended with exit code {self.process.wait()}") from None
        if error is not None:
            raise error
        return answer

    def _send(self, message: Any) -> None:
        assert self.process.stdin is not None
        try:
            pickle.dump(message, self.process.stdin, pickle.HIGHEST_PROTOCOL)
            self.process.stdin.flush()
        except BrokenPipeError:
            raise InternalError(f"a process apart ended with exit code {self.process.wait()}") from None

    def __enter__(self) -> Apart:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.process.kill()
        self.process.communicate()


def serve() -> None:
    """Answer until the owner is gone: then standard input ends, or nobody takes the answer."""
    questions, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints is no answer
    function = pickle.load(questions)
    while True:
        try:
            item = pickle.load(questions)
        except EOFError:
            return
        answer, error = None, None
        try:
            answer = function(item)
        except GradcliError as one:
            error = one
        except Exception:
            error = InternalError(traceback.format_exc())
        try:
            pickle.dump((answer, error), answers, pickle.HIGHEST_PROTOCOL)
            answers.flush()
        except BrokenPipeError:
            return
