"""Print the table of one synthetic class: `python -m tests.homework.klass --students 400 --seed 1`."""

from __future__ import annotations

import argparse
import gc

from tests.homework.klass.course import COURSES, GUESTS, MAKERS, STRANGERS, questions
from tests.homework.klass.guests.hands import Guest
from tests.homework.klass.strangers.hands import Stranger
from tests.homework.klass.strangers.typing import strangely
from tests.homework.klass.students import Hand, students
from tests.homework.klass.table import examples, in_their_ways, measured, sheet, table

ROWS = ("verdict", "not wrongly credited", "among", "first", "certain is true", "outside not certain", "something said")
CLASSES = {
    "": (MAKERS, Hand, in_their_ways),
    "strangers": (STRANGERS, Stranger, strangely),
    "guests": (GUESTS, Guest, strangely),
}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.homework.klass", description=__doc__)
    parser.add_argument("--students", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--misses", type=int, default=0, metavar="N", help="the commonest N misses of each row, too")
    parser.add_argument("--plain", action="store_true", help="all answers typed plainly")
    for name, told in (("strangers", "the second class"), ("guests", "the third class")):
        parser.add_argument(f"--{name}", dest="whose", action="store_const", const=name, default="", help=told)
    parser.add_argument("--course", choices=COURSES, help="the questions to take from; all of them by default")
    options = parser.parse_args()
    gc.disable()  # as the command does
    makers, hand, typist = CLASSES[options.whose]
    asked = questions(options.seed, COURSES.get(options.course, makers))
    made = list(students(asked, options.students, options.seed, hand))
    measure = measured(asked, made, sheet if options.plain else typist)
    print(table(measure))
    for what in ROWS if options.misses else ():
        print(f"\nnot: {what}\n{examples(measure.tally, what, options.misses)}")


if __name__ == "__main__":
    main()
