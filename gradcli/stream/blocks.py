"""Input as blocks of whole lines: the lines that have arrived, and never more than fit into a little memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from gradcli.errors import EvaluationError
from gradcli.stream.records import too_long

(LINE_FEED,) = b"\n"
ENDLESS = 2**29  # bytes of a line that is skipped, after which no end is waited for
BLANK = 2**26  # bytes of blank lines that follow each other, of which a row may hold
IN_A_ROW = 2**20  # so many
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
    line, size, blank, skipped = 1, 0, 0, 0
    unfinished: list[bytes] = []
    is_skipping = False
    try:
        for piece in pieces:
            if piece is None:
                yield None
                continue
            head = piece.find(b"\n")
            if not is_skipping and size + (len(piece) if head < 0 else head) > LONGEST:
                yield Block(line, b"", too_long(LONGEST))
                unfinished, size, is_skipping = [], 0, True
            blank = blank + len(piece) if piece.isspace() else 0
            if is_skipping:
                skipped += len(piece) if head < 0 else head
                if skipped > ENDLESS:
                    raise endless(f"line {line} has no end in {ENDLESS >> 20} MB")
                if head < 0:
                    continue
                line, is_skipping, skipped = line + 1, False, 0
                piece = piece[head + 1 :]
            if blank > BLANK:
                raise endless(f"after line {line} there are more than {BLANK >> 20} MB of blank lines")
            end = piece.rfind(b"\n") + 1
            if end:
                data = b"".join([*unfinished, piece[:end]])
                if blank <= IN_A_ROW:
                    yield Block(line, data)
                line += int(np.count_nonzero(np.frombuffer(data, np.uint8) == LINE_FEED))  # thrice as quick as count
                unfinished, size = [], 0
            if end < len(piece):
                unfinished.append(piece[end:])
                size += len(piece) - end
    except EvaluationError as error:
        if not is_skipping:
            yield Block(line, b"", error)
        raise
    if unfinished:
        yield Block(line, b"".join(unfinished))


def endless(reason: str) -> EvaluationError:
    """Return the error of an input that gives nothing to read."""
    return EvaluationError("E227", f"the input is no list of records: {reason}", help="check what -i names")
