"""Running a batch for the command line: from the options to a stream of results."""

from __future__ import annotations

import gc
import sys
import warnings
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from typing import Any

from gradcli.commands.bindings import read_bindings, read_value
from gradcli.commands.conversion import Answer, Conversion, Reader
from gradcli.commands.programs import read_program, unmasked
from gradcli.errors import EvaluationError, GradcliError, UsageError
from gradcli.render.documents.records import JsonLinesWriter, TableWriter, Writer, print_failure
from gradcli.stream.blocks import Block, read_blocks
from gradcli.stream.inputs import LITTLE, PIECE, Input
from gradcli.stream.jsonl import JsonLines
from gradcli.stream.outputs import Output
from gradcli.stream.plan import Plan, Task
from gradcli.stream.table import Table, take_header, with_whole_rows
from gradcli.stream.workers import mapped

FORMATS = ("jsonl", "csv")


@dataclass
class BatchJob:
    """One batch, as the options say it."""

    arguments: list[str]
    file: str | None
    input: str
    output: str
    format: str | None
    wrt: tuple[str, ...] | None
    of: str | None
    is_forward_only: bool
    upstream: str | None
    dtype: str
    is_each: bool
    jobs: int
    is_fail_fast: bool
    looks: Any  # Looks
    error_format: str
    count: int = 0
    failed: int = 0
    first_failure: int | None = None
    broken: list[GradcliError] = field(default_factory=list)  # what ended the input before its end

    def run(self) -> int:
        """Convert everything; EvaluationError at the end where a record failed."""
        self.input, self.output = unmasked(self.input), unmasked(self.output)
        reading, writing = self.formats()
        task = self.task()
        plan = None if self.is_each else Plan(task)
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
            convert = Conversion(reader, writer, task, plan, self.is_fail_fast)
            self.convert(convert, self.watched(blocks, source, stack), output)
        return self.finish()

    def formats(self) -> tuple[str, str]:
        """The format of the input and of the output: as an option says, else as the names end."""
        named = [self.format or ending(path) for path in (self.input, self.output)]
        reading = named[0] or named[1] or "jsonl"
        writing = named[1] or reading
        if reading == "jsonl" and writing == "csv":
            raise UsageError("E014", "CSV is written of CSV only", help="write JSON Lines, or add --format")
        if self.is_each and reading == "csv":
            raise UsageError("E014", "--each reads JSON Lines", help='a line is {"program": "x**2", "at": {"x": 3}}')
        return reading, writing

    def task(self) -> Task:
        """The program with what holds for all records."""
        upstream = None if self.upstream is None else read_value("--upstream", self.upstream)
        shared: dict[str, Any] = {
            "wrt": self.wrt,
            "of": self.of,
            "upstream": upstream,
            "dtype": self.dtype,
            "is_forward_only": self.is_forward_only,
        }
        if self.is_each:
            if self.arguments or self.file is not None:
                raise UsageError(
                    "E014", "--each takes no program and no values", help="each record brings its own: leave them out"
                )
            return Task("", "program of the record", **shared)
        if self.file == "-" and self.input == "-":
            raise UsageError(
                "E014", "the program and the records cannot both be on standard input", help="give the records with -i"
            )
        source, rest = read_program(self.arguments, self.file)
        return Task(source.text, source.name, read_bindings(rest, source), **shared)

    def header(self, blocks: Iterator[Block | None], plan: Plan) -> tuple[list[str], Iterator[Block | None]]:
        """The names of the columns, and the blocks below them; EvaluationError where a variable has no column."""
        for block in blocks:
            if block is None or not (block.data.strip() or block.is_too_long):
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
            return JsonLinesWriter(has_gradients=not self.is_forward_only)
        writer = TableWriter(header, plan.differentiated, has_gradients=not self.is_forward_only)
        if twice := [name for name in writer.added if name in header]:
            raise EvaluationError(
                "E228", f"the input has a column {twice[0]} already", help="rename it, or write JSON Lines with -o"
            )
        return writer

    def until_broken(self, blocks: Iterable[Block | None]) -> Iterator[Block | None]:
        """The blocks; what ends them too early is told when all before it is written."""
        try:
            yield from blocks
        except EvaluationError as error:
            self.broken.append(error)

    def watched(self, blocks: Iterator[Block | None], source: Input, stack: ExitStack) -> Iterator[Block | None]:
        """The blocks, with a progress bar for a file where a person waits and the results go elsewhere."""
        if source.size is None or not sys.stderr.isatty() or (self.output == "-" and sys.stdout.isatty()):
            return blocks
        from gradcli.render.text.progress import watched

        return watched(blocks, source, self.looks, stack)

    def convert(self, convert: Conversion, blocks: Iterable[Block | None], output: Output) -> None:
        gc.collect()
        gc.freeze()  # what is there stays, so collections need not look at it
        warnings.simplefilter("once", UserWarning)  # what holds for many records is said once
        for answer in mapped(convert, blocks, self.jobs):
            output.write(answer.text)
            self.tell(answer, is_shown=not isinstance(convert.writer, JsonLinesWriter))
            if answer.failures and self.is_fail_fast:
                return

    def tell(self, answer: Answer, *, is_shown: bool) -> None:
        """Count what failed; a table has no place for errors, so they are told on standard error."""
        self.count += answer.count
        self.failed += len(answer.failures)
        for facts in answer.failures:
            if self.first_failure is None:
                self.first_failure = facts["line"]
            if is_shown:
                print_failure(facts, self.error_format)

    def finish(self) -> int:
        if self.broken:
            raise self.broken[0]
        if self.failed:
            raise EvaluationError(
                "E229",
                f"{self.failed:,} of {self.count:,} records failed, the first on line {self.first_failure}",
                help='in JSON Lines a failed record has "ok": false and its error',
            )
        return 0


def ending(path: str) -> str | None:
    """The format that a file's name tells."""
    stem = path.lower().removesuffix(".gz")
    return next((format for format in FORMATS if stem.endswith(f".{format}")), None)


def chained(first: Block, rest: Iterator[Block | None]) -> Iterator[Block | None]:
    if first.data or first.is_too_long:
        yield first
    yield from rest
