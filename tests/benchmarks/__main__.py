"""`python -m tests.benchmarks`: a table of ratios, all measured in this run."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table

from tests.benchmarks import commands, engine, snippets


def main() -> None:
    table = Table("what", "time or size", "against", box=None, title="gradcli, measured", title_justify="left")
    # scaling before torch is imported: a child process inherits the peak of its parent's memory
    measures = (commands.start_up, commands.long_program, engine.scaling, engine.scalar_chain, snippets.snippets)
    for measure in measures:
        for row in measure():
            table.add_row(*row)
    Console().print(table)


if __name__ == "__main__":
    main()
