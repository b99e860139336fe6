"""`python -m tests.benchmarks`: a table of ratios, all measured in this run.

Each row says what gradcli takes, and how many times as long as the others that is; below 1 gradcli is the faster. The
others are those of torch, micrograd and sympy that are installed. Every library has a process of its own, and they do
the same task in turn, round after round, so that a machine that is busy for a while disturbs all sides; of commands the
median of the rounds counts, of tasks the shortest time. The baseline of a command is the import of the libraries that
it stands on, or a loop in Python that copies the records; that of a graph is one of a tenth of its size.

Tasks of the engine are a forward and a backward pass, checked to give the same gradients. `torch` has one thread, and
so has gradcli beside it; `torch, all cores` has as many as it likes, and so has gradcli's BLAS, while the rest of
gradcli never uses more than one. The collector of garbage is off, as in gradcli's commands.

`--quick` runs small tasks once, without the commands of the others: its numbers say nothing, and it exits with 1
where a row has none.
`--markdown` writes the table as a README has it.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator
from dataclasses import replace

from tests.benchmarks import columns, commands, engine, graphs, programs
from tests.benchmarks.table import Row, is_sound, markdown, show

BUSY = 0.5  # processes that run or wait, from which ratios of threads say little
# Graphs first: a child process inherits the peak of its parent's memory.
MEASURES = (
    graphs.sizes,
    columns.files,
    columns.arrays,
    commands.start_up,
    commands.symbolic,
    programs.long_programs,
    programs.engine_by_hand,
    programs.class_of_hand_ins,
    programs.simplification,
    commands.batches,
    engine.tasks,
)


def measured(quick: bool) -> Iterator[Row]:
    for measure in MEASURES:
        for row in measure(quick):
            yield replace(row, bound=None) if quick else row


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description="Measure gradcli as ratios.")
    parser.add_argument("--quick", action="store_true", help="small tasks, once")
    parser.add_argument("--markdown", action="store_true", help="the table as the README has it")
    options = parser.parse_args()
    if hasattr(os, "getloadavg") and os.getloadavg()[0] > BUSY:
        print(f"This machine is busy (load {os.getloadavg()[0]:.1f}); measure again when it is not.", file=sys.stderr)
    rows = []
    for row in measured(options.quick):
        print(f"{row.what} ...", file=sys.stderr)
        rows.append(row)
    if options.markdown:
        print(markdown(rows))
    else:
        show(rows)
    return 0 if all(map(is_sound, rows)) else 1


if __name__ == "__main__":
    sys.exit(main())
