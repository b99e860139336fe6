"""A batch: one program at every record of an input, or the program of each record; a result a record, in order."""

from __future__ import annotations

import gc
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import field
from typing import TYPE_CHECKING, Any, Union

from gradcli.dialects import COMMAS, DELIMITERS, Dialect
from gradcli.errors import EvaluationError, FailedRecordsError, GradcliError, InternalError, UsageError
from gradcli.facts import dataclass
from gradcli.source import visible
from gradcli.stream.arrow.sources import format_of
from gradcli.stream.conversion import SHOWN, Answer, Conversion, Losses, Piece, Reader, split
from gradcli.stream.inputs import LITTLE, PIECE, Input, ending
from gradcli.stream.jsonl import JsonLines
from gradcli.stream.outputs import Output, written_text
from gradcli.stream.plan import Plan, Task
from gradcli.stream.records import Block, read_blocks
from gradcli.stream.table import Table, take_header, with_whole_rows
from gradcli.stream.writing import JsonLinesWriter, TableWriter, Writer
from gradcli.workers.limits import Limits
from gradcli.workers.pool import Answered, map_items

if TYPE_CHECKING:
    from gradcli.stream.arrow.lines import Lines

Blocks = Iterator[Block | None]
Source = Union[Input, "Lines"]
MOST_RECORDS = 2**13  # of a piece
FACTS: dict[str, Any] = {
    "code": str, "message": str, "line": int, "column": int | None, "start": int | None, "end": int | None,
    "help": str | None,
}  # fmt: skip


@dataclass(frozen=True)
class TextOptions:
    """How text is read and written."""

    delimiter: str | None = None
    decimal: str | None = None
    keeps_values: bool = False  # of the variables, in the records of JSON Lines
    has_errors: bool = False  # in a column of CSV


@dataclass
class Batch:
    """A task with its inputs and output, which are paths, or `-` for the standard streams.

    Results of all inputs go to one output. `watch` gets the blocks on their way in, `fail` the facts of each of the
    first failures that a table has no place for, and the name of its input.
    """

    task: Task
    inputs: Sequence[str]
    output: str
    format: str | None
    is_each: bool
    jobs: int
    limits: Limits
    most_failures: int | None
    watch: Callable[[Blocks, Source], Blocks]
    fail: Callable[[dict[str, Any], str], None]
    text: TextOptions = TextOptions()
    count: int = 0
    failed: int = 0
    first_failure: str = ""
    broken: list[GradcliError] = field(default_factory=list)  # errors that ended the input before its end
    bugs: list[str] = field(default_factory=list)

    def run(self) -> None:
        """Convert everything, until more than `most_failures` records have failed; EvaluationError where one has."""
        reading, writing = self.formats()
        plan = None if self.is_each else Plan(self.task)
        with ExitStack() as stack:
            first: tuple[list[str], Output] | None = None  # the header of the first input, and what is written
            for path in self.inputs:
                with closing(self.source(path, plan)) as source:
                    reader, blocks = self.reader(reading, writing, source, plan)
                    names, dialect = (reader.header, reader.dialect) if isinstance(reader, Table) else ([], COMMAS)
                    writer = self.writer(writing, names, dialect, plan)
                    if first is None:
                        first = names, stack.enter_context(written_text(self.output))
                        first[1].write(writer.header.encode())
                    if names != first[0]:
                        message = f"the header of {visible(path)} is not that of {visible(self.inputs[0])}"
                        raise EvaluationError("E228", message, help="give each file the same columns, in one order")
                    convert = Conversion(reader, writer, self.task, plan, is_fail_fast=self.most_failures == 0)
                    self.convert(convert, self.watch(blocks, source), first[1], source)
                if self.broken:
                    raise self.broken[0]
        self.finish()

    def source(self, path: str, plan: Plan | None) -> Source:
        """Open an input; UsageError where it cannot be read."""
        if format_of(path):
            from gradcli.stream.arrow.lines import Lines

            return Lines(path, is_cast=self.task.is_cast)
        return Input(path, PIECE if plan is not None and plan.is_columnar else LITTLE)

    def reader(self, reading: str, writing: str, source: Source, plan: Plan | None) -> tuple[Reader, Blocks]:
        """Return what reads an input, and its blocks below a header."""
        blocks, keeps = self.until_broken(read_blocks(source.pieces())), self.text.keeps_values
        if reading == "csv":
            assert plan is not None
            header, dialect, blocks = self.header(blocks, plan)
            return Table(
                header, plan.names, dialect, keeps_text=writing == "csv", keeps_values=keeps, required=plan.required
            ), blocks
        names, required = ([], []) if plan is None else (plan.names, plan.required)
        if self.is_guess:
            blocks = begun_without_table(blocks, [] if plan is None else plan.variables)
        return JsonLines(names, required, self.task.fixed, is_each=self.is_each, keeps_values=keeps), blocks

    @property
    def is_guess(self) -> bool:
        """Whether nobody says what is on standard input."""
        return self.format is None and self.inputs[0] == "-" and not ending(self.output)

    def formats(self) -> tuple[str, str]:
        """Return the format of the inputs and of the output: as an option says, else as the names end."""
        by_names = [self.format or ending(path) for path in (self.inputs[0], self.output)]
        reading = "jsonl" if format_of(self.inputs[0]) else by_names[0] or by_names[1] or "jsonl"
        writing = by_names[1] or reading
        if reading == "jsonl" and writing == "csv":
            raise UsageError("E014", "CSV is written of CSV only", help="write JSON Lines, or add --format")
        if self.is_each and reading == "csv":
            raise UsageError("E014", "--each reads JSON Lines", help='a line is {"program": "x**2", "at": {"x": 3}}')
        if self.text.keeps_values if writing == "csv" else self.text.has_errors:
            option = "--keep" if writing == "csv" else "--error-column"
            raise UsageError(
                "E014", f"{option} is not for {writing}, which has that by itself", help=f"leave out {option}"
            )
        return reading, writing

    def header(self, blocks: Blocks, plan: Plan) -> tuple[list[str], Dialect, Blocks]:
        """Return the names of the columns, the dialect and the rows; EvaluationError without a variable's column."""
        for block in blocks:
            if block is None or not (block.data.strip() or block.problem):
                continue
            head = block.data[:PIECE].decode(errors="replace")
            dialect = Dialect.of(head, plan.names, self.text.delimiter, self.text.decimal)
            whole_rows = with_whole_rows(chained(block, blocks), dialect)
            names, first_rows = take_header(next(filter(None, whole_rows)), dialect)
            plan.check_header(names)
            return names, dialect, chained(first_rows, whole_rows)
        help = "the first line of CSV names the columns, such as x1,a,x2"
        raise self.broken[0] if self.broken else EvaluationError("E228", "the input is empty", help=help)

    def writer(self, format: str, header: list[str], dialect: Dialect, plan: Plan | None) -> Writer:
        has_nulls = self.task.nonfinite == "null"
        if format == "jsonl" or plan is None:
            return JsonLinesWriter(has_gradients=not self.task.is_forward_only, has_nulls=has_nulls)
        options = {"has_errors": self.text.has_errors, "has_nulls": has_nulls}
        writer = TableWriter(header, plan.differentiated, dialect, prefix=self.task.prefix, **options)
        if twice := [name for name in writer.added if name in header]:
            help = "add --prefix result_, rename it, or write JSON Lines with -o"
            raise EvaluationError("E228", f"the input has a column {twice[0]} already", help=help)
        return writer

    def until_broken(self, blocks: Iterable[Block | None]) -> Blocks:
        """Yield the blocks; the error that ends them too early waits until all before it is written."""
        try:
            yield from blocks
        except EvaluationError as error:
            self.broken.append(error)

    def convert(self, convert: Conversion, blocks: Blocks, output: Output, source: Source) -> None:
        gc.collect()
        gc.freeze()  # collections need not look at what is there: 15 % where records are computed one by one
        is_shown = isinstance(convert.writer, TableWriter) and not convert.writer.has_errors
        losses = Losses(convert, self.limits, self.bugs)
        pieces = self.pieces(convert, blocks)
        results = map_items(
            convert, pieces, self.jobs, self.limits, losses,
            kind=Answer, parts=most_records, fits=is_about, is_quick=True,
        )  # fmt: skip
        with closing(results) as answers:
            for answer in answers:
                output.write(answer.text)
                self.add(answer, source, is_shown=is_shown)
                if is_exceeded(self.most_failures, self.failed):
                    raise too_many(self.summary())

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

    def add(self, answer: Answer, source: Source, *, is_shown: bool) -> None:
        """Count the records of an answer and its failures."""
        self.count += answer.count
        for number, facts in enumerate(answer.failures, self.failed + 1):
            of = f" of {visible(source.name)}" if len(self.inputs) > 1 else ""
            self.first_failure = self.first_failure or f"on line {facts['line']}{of}"
            if is_shown and number <= SHOWN:
                self.fail(facts, source.name)
        self.failed += answer.failed

    def finish(self) -> None:
        """Raise the error of the batch as a whole, if it has one."""
        if self.bugs:
            raise InternalError(self.bugs[0])
        if self.failed:
            help = 'in JSON Lines a failed record has "ok": false and its error, in CSV a cell with --error-column'
            raise FailedRecordsError("E229", self.summary(), help=help)

    def summary(self) -> str:
        return f"{self.failed:,} of {self.count:,} records failed, the first {self.first_failure}"


def is_exceeded(limit: int | None, failed: int) -> bool:
    """Return whether more records have failed than may; None is no limit."""
    return limit is not None and failed > limit


def too_many(summary: str) -> EvaluationError:
    """Return the error of work that stopped because more records failed than may."""
    return EvaluationError("E229", f"{summary}: it stopped there", help="--max-errors none goes on to the end")


def most_records(piece: Piece) -> int:
    """Return a number of records that a piece cannot exceed."""
    return piece.block.data.count(b"\n") + 1


def is_about(piece: Piece, answer: Answer) -> bool:
    """Return whether an answer has no more records than a piece, and failures of these."""
    limit, first = most_records(piece), piece.block.first
    return (
        0 <= answer.count <= limit
        and len(answer.failures) == min(answer.failed, SHOWN)
        and 0 <= answer.failed <= answer.count
        and all(is_failure(facts) and first <= facts["line"] < first + limit for facts in answer.failures)
    )


def is_failure(facts: dict[str, Any]) -> bool:
    """Return whether these are the facts of an error of a record, as `error_facts` gives them."""
    return facts.keys() == FACTS.keys() and all(isinstance(facts[name], kind) for name, kind in FACTS.items())


def chained(first: Block, others: Blocks) -> Blocks:
    if first.data or first.problem:
        yield first
    yield from others


def begun_without_table(blocks: Blocks, names: Sequence[str]) -> Blocks:
    """Yield the blocks of JSON Lines; UsageError where the first line is a header of CSV that names a variable."""
    for block in blocks:
        if block is not None and block.data.strip():
            line = block.data.lstrip().partition(b"\n")[0].decode(errors="replace")
            cells = {cell.strip('" \r') for cell in re.split(f"[{DELIMITERS}]", line)}
            if line.startswith("sep=") or not cells.isdisjoint(names):
                message = "standard input begins with the header of a table, and is read as JSON Lines"
                raise UsageError("E014", message, help="add --format csv")
            yield block
            break
        yield block
    yield from blocks
