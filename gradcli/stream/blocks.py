"""Input as blocks of whole lines: the lines that have arrived, and never more than fit into a little memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from gradcli.errors import EvaluationError
from gradcli.stream.records import too_long

(LINE_FEED,) = b"\n"
LONGEST = 2**23  # bytes of a line, whose numbers take ten times that; a longer one is skipped without being held


class Block(NamedTuple):
    """Whole lines; `first` is the number of the first, from 1.

    With a `problem` it stands for one line that is not held: too long, or the one in which the input breaks off.
    """

    first: int
    data: bytes
    problem: EvaluationError | None = None


def read_blocks(pieces: Iterable[bytes | None]) -> Iterator[Block | None]:
    """The lines in the pieces of an input, which are shorter than a line may be; None, a pause, stays one.

    The EvaluationError with which an input breaks off takes the place of its last line, and is raised behind it.
    """
    line, size = 1, 0
    held: list[bytes] = []
    is_skipping = False
    try:
        for piece in pieces:
            if piece is None:
                yield None
                continue
            head = piece.find(b"\n")
            if not is_skipping and size + (len(piece) if head < 0 else head) > LONGEST:
                yield Block(line, b"", too_long(LONGEST))
                held, size, is_skipping = [], 0, True
            if is_skipping:
                if head < 0:
                    continue
                line, is_skipping = line + 1, False
                piece = piece[head + 1 :]
            end = piece.rfind(b"\n") + 1
            if end:
                data = b"".join([*held, piece[:end]])
                yield Block(line, data)
                line += int(np.count_nonzero(np.frombuffer(data, np.uint8) == LINE_FEED))  # thrice as quick as count
                held, size = [], 0
            if end < len(piece):
                held.append(piece[end:])
                size += len(piece) - end
    except EvaluationError as error:
        if not is_skipping:
            yield Block(line, b"", error)
        raise
    if held:
        yield Block(line, b"".join(held))
