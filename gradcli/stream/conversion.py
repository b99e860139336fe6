"""From a block of records to a block of results: the work of each process of `gradcli batch`."""

from __future__ import annotations

import gc
from collections import defaultdict
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import field, replace
from itertools import groupby, islice, pairwise
from typing import Any, NamedTuple, Protocol

from gradcli.errors import EvaluationError, GradcliError, InternalError
from gradcli.facts import dataclass
from gradcli.stream.plan import Plan, Result, Task
from gradcli.stream.records import PLAIN, VOID, Block, Columns, Record
from gradcli.stream.writing import Writer, error_facts
from gradcli.workers.exchange import large
from gradcli.workers.limits import Limits, size_text
from gradcli.workers.notes import part
from gradcli.workers.pool import Again, Answered, Lost

SHOWN = 10  # failures that are told one by one
OFTEN = 256  # records or blocks between two collections of memory, which the process otherwise leaves out
PROGRAMS = 256  # programs that are kept ready


class Reader(Protocol):
    """Reads records, all at once where they are plain, or each alone."""

    def columns(self, block: Block) -> Columns | None: ...

    def records(self, block: Block) -> list[Record]: ...

    def rows(self, block: Block) -> list[tuple[bytes, int]]:
        """The text of each record, and the number of its line."""

    def record(self, row: bytes, at: int) -> Record:
        """Read a row alone, with the number of its line."""

    def kind(self, row: bytes) -> str | None:
        """Return `PLAIN` for a row that `columns` takes beside others, `VOID` if all it lacks is a value, else None."""


class Piece(NamedTuple):
    """A block to convert; `is_each_alone` where its records cannot be computed together."""

    block: Block
    is_each_alone: bool = False

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        first, data, problem = self.block
        return _piece, (first, large(data, protocol), problem, self.is_each_alone)


@dataclass(frozen=True)
class Answer:
    """The lines of a block; `count` are its records, of which `failed` have an error; the facts of the first few."""

    text: bytes
    count: int
    failed: int = 0
    failures: Sequence[dict[str, Any]] = ()


def _piece(first: int, data: bytes, problem: EvaluationError | None, is_each_alone: bool) -> Piece:
    return Piece(Block(first, data, problem), is_each_alone)


@dataclass
class Conversion:
    """Reads blocks, computes and writes; without a plan each record brings its program."""

    reader: Reader
    writer: Writer
    task: Task
    plan: Plan | None
    is_fail_fast: bool = False
    plans: dict[str, Plan] = field(default_factory=dict)
    uncollected: int = 0

    def __call__(self, piece: Piece) -> Answer:
        self.collect()
        block = piece.block
        if piece.is_each_alone:
            return self.one_by_one(block, is_each_alone=True)
        return self.at_once(block) or self.convert_mixed(block) or self.one_by_one(block)

    def collect(self) -> None:
        """Free cycles now and then, which programs have."""
        self.uncollected += 1
        if self.uncollected == OFTEN:
            gc.collect()
            self.uncollected = 0

    def at_once(self, block: Block) -> Answer | None:
        """Convert all records of the block in one computation; None where that is not possible."""
        if self.plan is None or not self.plan.is_columnar:
            return None
        columns = self.reader.columns(block)
        if columns is None or not columns.count:
            return None
        try:
            result = self.plan.over(columns.values, columns.count)
            return Answer(self.writer.columns(result, columns), columns.count)
        except Exception:  # whatever it is, it is the error of one of the records: one by one it shows of which
            return None

    def convert_mixed(self, block: Block) -> Answer | None:
        """Convert the plain records at once and each other record alone; None where that is impossible."""
        if self.plan is None or not self.plan.is_columnar or block.problem:
            return None
        rows, void = self.reader.rows(block), self.writer.void
        kinds = [self.reader.kind(row) for row, _ in rows]
        plain = b"\n".join(row for (row, _), kind in zip(rows, kinds, strict=True) if kind == PLAIN)
        together = self.at_once(Block(block.first, plain))
        if together is None:
            return None
        alike = (place for place, kind in enumerate(kinds) if kind == VOID)
        for place in list(alike if void is None else islice(alike, SHOWN)):
            kinds[place] = None  # its error will be read
        others = [place for place, kind in enumerate(kinds) if kind is None]
        records = [self.reader.record(*rows[place]) for place in others]
        group, lines = Group.of(records, self.plan), iter(together.text.splitlines(keepends=True))
        texts = [
            next(lines) if kind == PLAIN else row.removesuffix(b"\r") + (void or b"")
            for (row, _), kind in zip(rows, kinds, strict=True)
        ]
        failed, failures = kinds.count(VOID), list[dict[str, Any]]()
        for place, record in zip(others, records, strict=True):
            answer = self.of_records([record], group)
            texts[place] = answer.text
            failed += answer.failed
            failures += answer.failures
            if answer.failed and self.is_fail_fast:
                return Answer(b"".join(texts[: place + 1]), place + 1, 1, failures)
        return Answer(b"".join(texts), len(texts), failed, failures[:SHOWN])

    def one_by_one(self, block: Block, *, is_each_alone: bool = False) -> Answer:
        """Convert each record to its result or its error."""
        records = self.reader.records(block)
        return self.of_records(records, Group({}) if is_each_alone else Group.of(records, self.plan))

    def of_records(self, records: Sequence[Record], group: Group) -> Answer:
        """Convert records that were read, of which those in the group are computed."""
        texts: list[bytes] = []
        failures: list[dict[str, Any]] = []
        count = failed = 0
        for result, members in groupby(records, key=group.result):
            if result is not None:
                together = list(members)
                texts.append(self.writer.columns(*group.results_of(together)))
                count += len(together)
                continue
            for record in members:
                texts.append(self.alone(record).encode())
                count += 1
                if record.error is not None:
                    failed += 1
                    if failed <= SHOWN:
                        failures.append(error_facts(record))
                    if self.is_fail_fast:
                        return Answer(b"".join(texts), count, failed, failures)
                if count % OFTEN == 0:
                    gc.collect(0)  # looks at what is new, and not again at all records
        return Answer(b"".join(texts), count, failed, failures)

    def alone(self, record: Record) -> str:
        """Return the line of one record; its error, if it has one, stays in the record."""
        if record.error is None:
            part(str(record.line))
            try:
                plan = self.plan or self.plan_of(record.program)
                plan.check(record.values)
                return self.writer.record(plan.at(record.values), record)
            except GradcliError as error:
                record.fail(error)
        return self.writer.error(record)

    def plan_of(self, program: str) -> Plan:
        """Return the plan of a record's own program; programs that came before are not read again."""
        if program not in self.plans:
            if len(self.plans) == PROGRAMS:
                self.plans.clear()
            self.plans[program] = Plan(replace(self.task, program=program), is_columnar=False)
        return self.plans[program]


@dataclass
class Group:
    """The records of a block that can be computed together, and their results."""

    places: dict[int, tuple[Result, int]]  # by the id() of a record, a result that it has with others, and its place

    @classmethod
    def of(cls, records: Sequence[Record], plan: Plan | None) -> Group:
        """Compute the records of each form together, if the plan is for that; none of a form where one fails."""
        group, members_of = cls({}), defaultdict[Any, list[Record]](list)
        for record in records:
            if plan is not None and record.error is None:
                members_of[plan.form(record.values)].append(record)
        for members in members_of.values():
            with suppress(Exception):  # as in `at_once`
                assert plan is not None
                if result := plan.together([record.values for record in members]):
                    group.places.update((id(record), (result, place)) for place, record in enumerate(members))
        return group

    def result(self, record: Record) -> int | None:
        """Return the id() of the result that a record has with others."""
        return id(self.places[id(record)][0]) if id(record) in self.places else None

    def results_of(self, members: Sequence[Record]) -> tuple[Result, Columns]:
        """Return the results of members that follow each other."""
        result, first = self.places[id(members[0])]
        rows = slice(first, first + len(members))
        gradients = {name: g if g is None else g[rows] for name, g in result.gradients.items()}
        rests, texts = [record.rest for record in members], [record.text.encode() for record in members]
        return Result(result.value[rows], gradients), Columns(len(members), {}, rests, texts)


# The records at which a process ended: each gets its error, and the rest of its block is computed anew.


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
        return Answered(Answer(self.convert.writer.error(record).encode(), 1, 1, [error_facts(record)]))


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
        message = f"the record takes more than {size_text(limits.memory)} of memory"
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
