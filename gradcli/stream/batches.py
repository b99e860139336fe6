"""A batch: one program at every record of an input, or the program of each record; a result a record, in order."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, closing
from dataclasses import field
from typing import Any

from gradcli.errors import EvaluationError, FailedRecordsError, GradcliError, InternalError, UsageError
from gradcli.facts import dataclass
from gradcli.stream.blocks import Block, read_blocks
from gradcli.stream.conversion import Answer, Conversion, Piece, Reader
from gradcli.stream.inputs import LITTLE, PIECE, Input, ending
from gradcli.stream.jsonl import JsonLines
from gradcli.stream.losses import Losses, split
from gradcli.stream.outputs import Output
from gradcli.stream.plan import Plan, Task
from gradcli.stream.table import Table, take_header, with_whole_rows
from gradcli.stream.writing import JsonLinesWriter, TableWriter, Writer
from gradcli.workers.limits import Limits
from gradcli.workers.pool import Answered, mapped

Blocks = Iterator[Block | None]
MOST_RECORDS = 2**13  # of a piece: the facts of as many failures fit into an answer
FACTS: dict[str, Any] = {
    "code": str, "message": str, "line": int, "column": int | None, "start": int | None, "end": int | None,
    "help": str | None,
}  # fmt: skip


@dataclass
class Batch:
    """A task with its input and output, which are paths, or `-` for the standard streams.

    `watch` gets the blocks on their way in, `fail` the facts of each failure that a table has no place for.
    """

    task: Task
    input: str
    output: str
    format: str | None
    is_each: bool
    jobs: int
    limits: Limits
    most_failures: int | None
    watch: Callable[[Blocks, Input], Blocks]
    fail: Callable[[dict[str, Any]], None]
    count: int = 0
    failed: int = 0
    first_failure: int | None = None
    broken: list[GradcliError] = field(default_factory=list)  # errors that ended the input before its end
    bugs: list[str] = field(default_factory=list)

    def run(self) -> None:
        """Convert everything, until more than `most_failures` records have failed; EvaluationError where one has."""
        reading, writing = self.formats()
        plan = None if self.is_each else Plan(self.task)
        piece = PIECE if plan is not None and plan.is_columnar else LITTLE
        with closing(Input(self.input, piece)) as source, ExitStack() as stack:
            if self.output != "-" and source.is_same(self.output):
                raise UsageError("E013", f"{self.output} is the input, too", help="write to another file")
            blocks = self.until_broken(read_blocks(source.pieces()))
            if reading == "csv":
                assert plan is not None
                header, blocks = self.header(with_whole_rows(blocks), plan)
                reader: Reader = Table(header, plan.names, keeps_text=writing == "csv")
            else:
                header = []
                names = [] if plan is None else plan.names
                reader = JsonLines(names, [] if plan is None else plan.required, is_each=self.is_each)
            writer = self.writer(writing, header, plan)
            output = stack.enter_context(closing(Output(self.output)))
            if isinstance(writer, TableWriter):
                output.write(writer.header.encode())
            convert = Conversion(reader, writer, self.task, plan, is_fail_fast=self.most_failures == 0)
            self.convert(convert, self.watch(blocks, source), output)
        self.finish()

    def formats(self) -> tuple[str, str]:
        """Return the format of the input and of the output: as an option says, else as the names end."""
        named = [self.format or ending(path) for path in (self.input, self.output)]
        reading = named[0] or named[1] or "jsonl"
        writing = named[1] or reading
        if reading == "jsonl" and writing == "csv":
            raise UsageError("E014", "CSV is written of CSV only", help="write JSON Lines, or add --format")
        if self.is_each and reading == "csv":
            raise UsageError("E014", "--each reads JSON Lines", help='a line is {"program": "x**2", "at": {"x": 3}}')
        return reading, writing

    def header(self, blocks: Blocks, plan: Plan) -> tuple[list[str], Blocks]:
        """Return the names of the columns and the blocks below; EvaluationError where a variable has no column."""
        for block in blocks:
            if block is None or not (block.data.strip() or block.problem):
                continue
            names, rest = take_header(block)
            plan.check_header(names)
            return names, chained(rest, blocks)
        raise (
            self.broken[0]
            if self.broken
            else EvaluationError(
                "E228", "the input is empty", help="the first line of CSV names the columns, such as x1,a,x2"
            )
        )

    def writer(self, format: str, header: list[str], plan: Plan | None) -> Writer:
        if format == "jsonl" or plan is None:
            return JsonLinesWriter(has_gradients=not self.task.is_forward_only)
        writer = TableWriter(header, plan.differentiated, has_gradients=not self.task.is_forward_only)
        if twice := [name for name in writer.added if name in header]:
            raise EvaluationError(
                "E228", f"the input has a column {twice[0]} already", help="rename it, or write JSON Lines with -o"
            )
        return writer

    def until_broken(self, blocks: Iterable[Block | None]) -> Blocks:
        """Yield the blocks; the error that ends them too early waits until all before it is written."""
        try:
            yield from blocks
        except EvaluationError as error:
            self.broken.append(error)

    def convert(self, convert: Conversion, blocks: Blocks, output: Output) -> None:
        gc.collect()
        gc.freeze()  # collections need not look at what is there: 15 % where records are computed one by one
        is_shown = isinstance(convert.writer, TableWriter)
        losses = Losses(convert, self.limits, self.bugs)
        pieces = self.pieces(convert, blocks)
        found = mapped(
            convert, pieces, self.jobs, self.limits, losses,
            kind=Answer, parts=most_records, fits=is_about, is_quick=True,
        )  # fmt: skip
        with closing(found) as answers:
            for answer in answers:
                output.write(answer.text)
                self.add(answer, is_shown=is_shown)
                if is_exceeded(self.most_failures, self.failed):
                    raise too_many(self.told())

    def pieces(self, convert: Conversion, blocks: Blocks) -> Iterator[Piece | Answered | None]:
        """Yield the work for other processes; where there is one job, blocks of plain records are converted here."""
        for block in blocks:
            if block is None:
                yield None
                continue
            answer = convert.at_once(block) if self.jobs == 1 else None
            if answer is not None:
                yield Answered(answer)
            elif block.problem or block.data.count(b"\n") < MOST_RECORDS:
                yield Piece(block)
            else:
                starts = [line for _, line in convert.reader.rows(block)]
                yield from map(Piece, split(block, starts[::MOST_RECORDS]))

    def add(self, answer: Answer, *, is_shown: bool) -> None:
        """Count the records of an answer and its failures."""
        self.count += answer.count
        self.failed += len(answer.failures)
        for facts in answer.failures:
            if self.first_failure is None:
                self.first_failure = facts["line"]
            if is_shown:
                self.fail(facts)

    def finish(self) -> None:
        """Raise the error of the batch as a whole, if it has one."""
        if self.broken:
            raise self.broken[0]
        if self.bugs:
            raise InternalError(self.bugs[0])
        if self.failed:
            help = 'in JSON Lines a failed record has "ok": false and its error'
            raise FailedRecordsError("E229", self.told(), help=help)

    def told(self) -> str:
        return f"{self.failed:,} of {self.count:,} records failed, the first on line {self.first_failure}"


def is_exceeded(most: int | None, failed: int) -> bool:
    """Return whether more records have failed than may; None is no limit."""
    return most is not None and failed > most


def too_many(told: str) -> EvaluationError:
    """Return the error of work that stopped because more records failed than may."""
    return EvaluationError("E229", f"{told}: it stopped there", help="--max-errors none goes on to the end")


def most_records(piece: Piece) -> int:
    """Return a number of records that a piece cannot exceed."""
    return piece.block.data.count(b"\n") + 1


def is_about(piece: Piece, answer: Answer) -> bool:
    """Return whether an answer has no more records than a piece, and failures of these."""
    most, first = most_records(piece), piece.block.first
    return (
        0 <= answer.count <= most
        and len(answer.failures) <= answer.count
        and all(is_failure(facts) and first <= facts["line"] < first + most for facts in answer.failures)
    )


def is_failure(facts: dict[str, Any]) -> bool:
    """Return whether these are the facts of an error of a record, as `error_facts` gives them."""
    return facts.keys() == FACTS.keys() and all(isinstance(facts[name], kind) for name, kind in FACTS.items())


def chained(first: Block, rest: Blocks) -> Blocks:
    if first.data or first.problem:
        yield first
    yield from rest
