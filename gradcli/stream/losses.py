"""The records at which a process ended: each gets its error, and the rest of its block is computed anew."""

from __future__ import annotations

from itertools import pairwise

from gradcli.errors import EvaluationError, GradcliError, InternalError
from gradcli.facts import dataclass
from gradcli.stream.blocks import Block
from gradcli.stream.conversion import Answer, Conversion, Piece
from gradcli.stream.records import Record
from gradcli.stream.writing import error_facts
from gradcli.workers.limits import Limits, written
from gradcli.workers.pool import Again, Answered, Lost

Replacement = Again | Answered


@dataclass
class Losses:
    """Finds what comes in place of a block whose process ended; `bugs` takes exceptions that nobody expects."""

    convert: Conversion
    limits: Limits
    bugs: list[str]

    def __call__(self, piece: Piece, loss: Lost) -> list[Replacement]:
        """Return the records before the lost one again, its error, and the records after it again."""
        rows = split(piece.block, [line for _, line in self.convert.reader.rows(piece.block)])
        for place, row in enumerate(rows):
            if loss.at == str(row.first):
                return [*retry(rows[:place]), self.refused(row, loss), *retry(rows[place + 1 :])]
        if not piece.is_each_alone:
            return [Again(Piece(piece.block, is_each_alone=True))]
        if len(rows) > 1:
            return [Again(Piece(row, is_each_alone=True)) for row in rows]
        return [self.refused(row, loss, is_read=False) for row in rows]

    def refused(self, row: Block, loss: Lost, *, is_read: bool = True) -> Answered:
        """Return the line of the error; without the record's own fields where reading them ended the process."""
        record = self.convert.reader.records(row)[0] if is_read else Record(row.first)
        record.error = error_of_loss(loss, self.limits, self.bugs)
        return Answered(Answer(self.convert.writer.error(record).encode(), 1, [error_facts(record)]))


def error_of_loss(loss: Lost, limits: Limits, bugs: list[str]) -> GradcliError:
    """Return the error of a record at which a process ended; `bugs` takes an exception that nobody expects."""
    if loss.error is not None:
        return loss.error
    if loss.reason == "bug":
        bugs.append(loss.detail)
        return InternalError(loss.detail)
    if loss.reason == "time":
        message = f"the record takes more than {limits.seconds:g} s"
        return EvaluationError("E403", message, help="--item-timeout SECONDS allows more")
    if loss.reason == "memory":
        message = f"the record takes more than {written(limits.memory)} of memory"
        return EvaluationError("E403", message, help="--item-memory SIZE allows more")
    help = "this is a fault of gradcli, or of Python: please report the record"
    return EvaluationError("E404", f"the record ended its process ({loss.detail})", help=help)


def split(block: Block, starts: list[int]) -> list[Block]:
    """Return the rows of a block, each as a block, by the numbers of the lines at which they start."""
    lines = block.data.split(b"\n")
    ends = [*starts, block.first + len(lines)]
    return [Block(a, b"\n".join(lines[a - block.first : b - block.first]) + b"\n") for a, b in pairwise(ends)]


def retry(rows: list[Block]) -> list[Replacement]:
    """Return rows that follow each other as one piece, none where there are none."""
    if not rows:
        return []
    data = b"".join(row.data for row in rows)
    return [Again(Piece(Block(rows[0].first, data), is_each_alone=True))]
