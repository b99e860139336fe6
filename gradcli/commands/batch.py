"""`gradcli batch`: one program at many points, or many programs."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Annotated, Any, Literal

from gradcli.commands.declared import Option
from gradcli.commands.inputs.programs import Program
from gradcli.commands.options import Console, ItemLimited
from gradcli.errors import UsageError
from gradcli.facts import dataclass
from gradcli.source import visible

if TYPE_CHECKING:
    from gradcli.stream.plan import Task


def command(
    program: Program,
    input: Annotated[
        list[str] | None,
        Option(
            "-i",
            "--input",
            metavar="FILE",
            help="The records; - is standard input. Also several, quoted patterns such as 'part-*.csv', and folders.",
        ),
    ] = None,
    output: Annotated[
        str,
        Option("-o", "--output", metavar="FILE", help="The results; - is standard output. Of several parts a FOLDER/."),
    ] = "-",
    format: Annotated[
        Literal["jsonl", "csv", "parquet", "arrow"] | None,
        Option("--format", help="[default: as the files' names end, else jsonl]"),
    ] = None,
    forward_only: Annotated[bool, Option("--forward-only", help="The value alone, no gradients.")] = False,
    each: Annotated[
        bool, Option("--each", help='Every record brings its own: {"program": "x**2", "at": {"x": 3}}.')
    ] = False,
    jobs: Annotated[int, Option("--jobs", min=1, max=1024, metavar="N", help="Processes that compute.")] = 1,
    fail_fast: Annotated[bool, Option("--fail-fast", help="Stop at the first record that fails.")] = False,
    max_errors: Annotated[
        str | None,
        Option("--max-errors", metavar="N|none", help="Stop where more records fail. [default: none]"),
    ] = None,
    keep: Annotated[bool, Option("--keep", help="JSON Lines keep the variables, too, in their record.")] = False,
    error_column: Annotated[
        bool, Option("--error-column", help="CSV has a column that says why a row failed.")
    ] = False,
    prefix: Annotated[str, Option("--prefix", metavar="TEXT", help="Begins the names of the columns of results.")] = "",
    nonfinite: Annotated[
        Literal["string", "null"],
        Option("--nonfinite", help='nan and infinities: "NaN", or null and an empty cell.'),
    ] = "string",
    delimiter: Annotated[
        str | None,
        Option("--delimiter", metavar="CHAR", help="Between cells of CSV: , ; tab [default: as the header has it]"),
    ] = None,
    decimal: Annotated[
        Literal[".", ","] | None,
        Option("--decimal", help="Before decimals in CSV. [default: as the first rows have it]"),
    ] = None,
    cast: Annotated[
        bool, Option("--cast", help="Of columns: decimals as floats, lists of any length as long as the first.")
    ] = False,
    quiet: Annotated[bool, Option("-q", "--quiet", help="Tell no failure of a row, only how many.")] = False,
    shard: Annotated[
        str | None, Option("--shard", metavar="I/N", help="Of Parquet and Arrow the I-th of N shares.")
    ] = None,
    merge: Annotated[bool, Option("--merge", help="Put the shards in the folders of -i together.")] = False,
    *,
    console: Console,
    limits: ItemLimited,
) -> None:
    """Run a program at many points: JSON Lines, CSV, Parquet or Arrow in, the same out, one result a record.

    Values that are given with the program hold for every record. Parts of a folder that are done are left as they are.
    Exit 4 if records failed and all have their line, 3 if it stopped before.

    \b
    Examples:
      echo '{"x1": 1, "a": 2, "x2": 3}' | gradcli batch "z=(x1+a*x2)**2"
      gradcli batch "sigmoid(w*x + b)" b=0.5 -i points.csv -o results.csv.gz
      gradcli batch --each --jobs 4 < programs.jsonl
      gradcli batch "x**2" -i points.parquet -o results.parquet
      gradcli batch "x**2" -i points/ -o shards/ --shard 3/16; gradcli batch --merge -i shards/ -o results/
    """
    from warnings import simplefilter

    from gradcli.dialects import delimiter_named
    from gradcli.workers.files import refuse_overwriting

    inputs = files_of(input or ["-"])
    most_failures = most_of(max_errors, is_fail_fast=fail_fast)
    if merge:
        from gradcli.stream.arrow.job import merged

        refuse(program.arguments or program.file is not None or shard, "--merge takes no program and no --shard")
        merged(inputs, output)
        return
    refuse(each and (program.arguments or program.file is not None), "--each takes no program and no values")
    if program.is_on_standard_input and "-" in inputs:
        raise UsageError(
            "E014", "the program and the records cannot both be on standard input", help="give the records with -i"
        )
    refuse_overwriting(output, [*program.files, *inputs])
    refuse_endings(inputs, output, format)
    results = {"is_forward_only": forward_only, "prefix": prefix, "nonfinite": nonfinite, "is_cast": cast}
    task = task_of(program, results, is_each=each)
    between = None if delimiter is None else delimiter_named(delimiter)
    simplefilter("once", UserWarning)  # a warning that holds for many records is shown once
    with ExitStack() as stack:
        screen = Screen(console, stack, is_there=sys.stderr.isatty() and not (output == "-" and sys.stdout.isatty()))
        if shard is not None or has_columns(inputs, output, format):
            from gradcli.stream.arrow.job import Job

            refuse(each, "--each reads JSON Lines")
            share = None if shard is None else share_of(shard)
            dialect = (between, decimal)
            Job(task, inputs, output, format, share, jobs, limits.of_item, most_failures, screen.rows, dialect).run()
            return
        from gradcli.stream.batches import Batch, TextOptions

        fail = (lambda facts, name: None) if quiet else screen.fail
        text = TextOptions(between, decimal, keep, error_column)
        Batch(
            task, inputs, output, format, each, jobs, limits.of_item, most_failures, screen.watched, fail, text
        ).run()  # fmt: skip


@dataclass(frozen=True)
class Screen:
    """Tells a waiting person of progress, where somebody looks and the results go elsewhere, and of failures."""

    console: Console
    stack: ExitStack
    is_there: bool

    def watched(self, blocks: Any, source: Any) -> Any:
        """Show a progress bar for a file."""
        from gradcli.render.text.progress import watched

        if source.size is None or not self.is_there:
            return blocks
        return watched(blocks, source, self.console.looks, self.stack)

    def rows(self, total: int | None) -> Callable[[int], None]:
        """Show a progress bar of rows, and return a function that takes the rows that were done since."""
        from gradcli.render.text.progress import rows

        return rows(total, self.console.looks, self.stack) if self.is_there else lambda done: None

    def fail(self, facts: dict[str, Any], name: str) -> None:
        from gradcli.render.text.error import print_failure

        print_failure(facts, name, self.console.error_format)


def refuse(condition: object, message: str) -> None:
    """Raise UsageError for options that do not go together."""
    if condition:
        raise UsageError("E014", message, help=HELP[message])


HELP = {
    "--fail-fast does not go with --max-errors": "--max-errors 0 stops at the first record that fails, too",
    "--each takes no program and no values": "each record brings its own: leave them out",
    "--each reads JSON Lines": 'a line is {"program": "x**2", "at": {"x": 3}}',
    "--merge takes no program and no --shard": "the shards know it: gradcli batch --merge -i shards/ -o results/",
}


def has_columns(inputs: Sequence[str], output: str, format: str | None) -> bool:
    """Return whether columns are read and written: by an option, a name, or a folder of parts; not to JSON Lines."""
    from pathlib import Path

    from gradcli.stream.arrow.sources import format_of
    from gradcli.stream.inputs import ending
    from gradcli.workers.files import is_folder

    if any(Path(path).is_dir() for path in inputs) or is_folder(output):
        return True
    if not format_of(output) and (ending(output) or format) == "jsonl":
        return False
    return format in ("parquet", "arrow") or any(map(format_of, (*inputs, output)))


def files_of(paths: Sequence[str]) -> list[str]:
    """Return the paths, with the matching files in place of each pattern; UsageError where no file matches."""
    from glob import glob, has_magic
    from pathlib import Path

    files: list[str] = []
    for path in paths:
        matches = sorted(glob(path, recursive=True)) if has_magic(path) and not Path(path).exists() else [path]  # noqa: PTH207  a path of any kind
        if not matches:
            raise UsageError("E003", f"no file is named like {visible(path)}", help="check the pattern after -i")
        files += matches
    return files


def most_of(text: str | None, *, is_fail_fast: bool) -> int | None:
    """Return how many records may fail, None for any number; UsageError for a text that is no number."""
    refuse(is_fail_fast and text is not None, "--fail-fast does not go with --max-errors")
    if text is None or text == "none":
        return 0 if is_fail_fast else None
    if text.isascii() and text.isdigit():
        return int(text[:18])
    raise UsageError("E001", f"--max-errors {text} is no number", help="write --max-errors 100, or none for no limit")


def refuse_endings(inputs: Sequence[str], output: str, format: str | None) -> None:
    """Refuse names that do not say what is in a file, unless an option does; and compressed results but for gzip."""
    from pathlib import Path

    from gradcli.stream.arrow.sources import ENDINGS
    from gradcli.stream.inputs import compression, refuse_unknown

    if compression(output) not in ("", ".gz"):
        raise UsageError("E014", f"{visible(output)}: results are compressed with gzip alone", help="write to a .gz")
    if format is None:
        refuse_unknown([path for path in (*inputs, output) if path != "-" and not Path(path).is_dir()], ENDINGS)


def share_of(text: str) -> tuple[int, int]:
    """Return both numbers of a share such as `3/16`; UsageError for another text."""
    place, _, of = text.partition("/")
    if place.isdecimal() and of.isdecimal() and 1 <= int(place) <= int(of) <= 10**6:
        return int(place), int(of)
    raise UsageError("E001", f"--shard {text} is no share", help="the third of 16 shares is --shard 3/16")


def task_of(program: Program, results: dict[str, Any], *, is_each: bool) -> Task:
    """Return the program with the values and options that hold for every record."""
    from gradcli.stream.plan import Task

    options = program.options()
    if is_each:
        return Task("", "program of the record", **options, **results)
    source = program.source()
    return Task(source.text, source.name, program.values(source), **options, **results)
