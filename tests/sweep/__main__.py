"""`python -m tests.sweep`: run the samples of torch's operators and count those that agree, are refused, or differ."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial

from tests.sweep.edges import edges
from tests.sweep.kinds import KINDS as FURTHER
from tests.sweep.kinds import kinds as further
from tests.sweep.modules import modules
from tests.sweep.numbers import KINDS as NUMBERS
from tests.sweep.numbers import numbers
from tests.sweep.running import Verdict
from tests.sweep.samples import KINDS, MOST, Sample, samples
from tests.sweep.surviving import verdicts
from tests.sweep.varied import varied

WIDTH = 300


def main() -> int:
    options = read_options()
    kinds = options.kind or KINDS
    counts: dict[str, Counter[str]] = {}
    groups: dict[tuple[str, ...], list[Verdict]] = {}
    chosen = partial(further, wanted=options.kind or FURTHER)
    others: dict[str, Callable[[str, int], Iterator[Sample]]]
    changed = partial(numbers, wanted=options.kind or NUMBERS)
    others = {"edges": edges, "modules": modules, "further": chosen, "varied": varied, "numbers": changed}
    name = next((name for name in others if getattr(options, name)), "")
    given = others[name](options.only, options.most) if name else samples(options.only, kinds, options.most)
    for found in verdicts(given):
        counts.setdefault(found.sample.kind, Counter())[found.word] += 1
        if found.word == "differs":
            groups.setdefault((found.sample.name, found.why), []).append(found)
    for (name, why), group in sorted(groups.items(), key=lambda item: (item[0][1], item[0][0])):
        print(f"{len(group):4} {why}: {name} ({', '.join(sorted({v.sample.kind for v in group}))})")
        for one in group[: options.show]:
            print(indented(one.text) + "\n" + "\n".join(f"   | {line[:WIDTH]}" for line in one.detail.split("\n")))
    for kind, words in counts.items():
        print(f"{kind:<9} " + ", ".join(f"{word} {words[word]:,}" for word in ("agrees", "refused", "differs")))
    total = sum(counts.values(), Counter())
    print(f"{total.total():,} samples: " + ", ".join(f"{word} {count:,}" for word, count in sorted(total.items())))
    return 1 if groups else 0


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.sweep", description=__doc__)
    parser.add_argument("--only", default="", help="operators whose name has this regular expression")
    parser.add_argument("--kind", action="append", choices=(*KINDS, *FURTHER, *NUMBERS))
    parser.add_argument("--edges", action="store_true", help="calls that torch's samples leave out, in their place")
    parser.add_argument("--modules", action="store_true", help="torch's samples of its modules, in their place")
    parser.add_argument("--further", action="store_true", help="other operands and other ways to call, in their place")
    parser.add_argument("--varied", action="store_true", help="the samples with one more argument, in their place")
    parser.add_argument("--numbers", action="store_true", help="other numbers and questions, in their place")
    parser.add_argument("--most", type=int, default=MOST, help="at most so many samples of an operator and form")
    parser.add_argument("--show", type=int, default=0, help="show so many samples of each group")
    return parser.parse_args()


def indented(text: str) -> str:
    return "\n".join(f"     {line[:WIDTH]}" for line in text.splitlines()[2:])


if __name__ == "__main__":
    sys.exit(main())
