"""Print the table of one synthetic class: `python -m tests.homework.klass --students 400 --seed 1`."""

from __future__ import annotations

import argparse
import gc

from tests.homework.klass.course import questions
from tests.homework.klass.students import students
from tests.homework.klass.table import examples, measured, sheet, table
from tests.homework.klass.typing import typed_sheet

ROWS = ("verdict", "not wrongly credited", "among", "first", "certain is true", "outside not certain", "something said")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.homework.klass", description=__doc__)
    parser.add_argument("--students", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--misses", type=int, default=0, metavar="N", help="the commonest N misses of each row, too")
    parser.add_argument("--plain", action="store_true", help="all answers typed plainly")
    options = parser.parse_args()
    gc.disable()  # as the command does
    asked = questions(options.seed)
    hand_ins = list(students(asked, options.students, options.seed))
    measure = measured(asked, hand_ins, sheet if options.plain else typed_sheet)
    print(table(measure))
    for row in ROWS if options.misses else ():
        print(f"\nnot: {row}\n{examples(measure.tally, row, options.misses)}")


if __name__ == "__main__":
    main()
