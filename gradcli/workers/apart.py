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
from gradcli.workers.messages import COUNT, MOST, message_of, read_message

START = f"from {__name__} import serve\n"
WAITING = "from gradcli.workers.zygote import zygote_waiting\nwith zygote_waiting(WORK): "


def fresh(*arguments: str) -> dict[str, Any]:
    """Return the command and the environment, for `subprocess`, of a Python that finds the modules of this one.

    It takes none from the folder it stands in, where a stranger's `copy.py` may lie.
    """
    path = os.pathsep.join(filter(None, sys.path))
    return {"args": [sys.executable, "-P", *arguments], "env": {**os.environ, "PYTHONPATH": path}}


class Apart:
    """The owner's side: called with an item, it returns what the function returns for it there, of a `kind`.

    Items are pickled; an answer comes back as data, as from any process. Raises the GradcliError that the
    function raises there, and InternalError for any other exception and where the process ends. Where processes there
    ask others (`zygote`), `asks` is the module of their `WORK`: those wait before anything is sent.
    """

    def __init__(self, function: Callable[[Any], Any], kind: Any = Any, *, asks: str = "") -> None:
        self.kind = kind
        python = fresh("-c", f"{START}{f'from {asks} import WORK; {WAITING}' if asks else ''}serve()")
        python["env"]["OPENBLAS_NUM_THREADS"] = "1"  # its children lock themselves, and start no threads
        self.process = subprocess.Popen(**python, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._send((function, kind))

    def __call__(self, item: Any) -> Any:
        self._send(item)
        assert self.process.stdout is not None
        head = self.process.stdout.read(COUNT.size)
        (size,) = COUNT.unpack(head) if len(head) == COUNT.size else (0,)
        message = self.process.stdout.read(min(size, MOST))
        if not message or len(message) != size:
            raise InternalError(f"a process apart ended with exit code {self.process.wait()}") from None
        answer, error = read_message(message, answer_of(self.kind))
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


def answer_of(kind: Any) -> Any:
    """Return the type of a message: an answer, or the error in place of one."""
    return tuple[kind, None] | tuple[None, GradcliError]


def serve() -> None:
    """Answer until the owner is gone: then standard input ends, or nobody takes the answer."""
    questions, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints is no answer
    function, kind = pickle.load(questions)
    while True:
        try:
            item = pickle.load(questions)
        except EOFError:
            return
        message: Any
        try:
            message = message_of((function(item), None), answer_of(kind))
        except GradcliError as error:
            message = message_of((None, error), answer_of(kind))
        except Exception:
            message = message_of((None, InternalError(traceback.format_exc())), answer_of(kind))
        try:
            answers.write(COUNT.pack(len(message)) + message)
            answers.flush()
        except BrokenPipeError:
            return
