"""`python -m tests.faults --times 50 --seed 1`: let each fault happen to `batch` and `check`, and print what is wrong.

Commands run one at a time. What is drawn depends on the seed alone; when a signal comes, on the machine, too. The
verdict depends on neither: the laws (`laws.py`) hold at every moment.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from pathlib import Path

from tests.faults.session import FAULTS, GROUPS, Session


def main() -> int:
    options = read_options()
    found = 0
    with tempfile.TemporaryDirectory(prefix="gradcli-faults-") as folder:
        session = Session(Path(folder))
        for kind, group in ((kind, group) for kind in options.fault for group in options.group):
            codes: Counter[int | None] = Counter()
            wrong = 0
            for number in range(options.first, options.first + options.times):
                run = session.run(kind, group, options.seed, number)
                codes[run.outcome.code] += 1
                wrong += bool(run.complaints)
                for complaint in run.complaints:
                    print(f"{kind.name}, {group} {number}: {run.command}\n  {complaint[:1000]}", flush=True)
            ends = ", ".join(f"{code}: {count}" for code, count in sorted(codes.items(), key=str))
            print(f"{kind.name:<24}{group}  {codes.total():>4} runs {wrong:>3} wrong   exit codes {ends}", flush=True)
            found += wrong
    return 1 if found else 0


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.faults", description=__doc__)
    parser.add_argument("--times", type=int, default=50, help="runs of each fault for batch, and for check")
    parser.add_argument("--first", type=int, default=0, help="the number of the first run")
    parser.add_argument("--seed", type=int, default=1)
    kinds = {kind.name: kind for kind in FAULTS}
    parser.add_argument("--fault", choices=kinds, nargs="+", default=list(kinds))
    parser.add_argument("--group", choices=GROUPS, nargs="+", default=list(GROUPS))
    options = parser.parse_args()
    options.fault = [kinds[name] for name in options.fault]
    return options


if __name__ == "__main__":
    sys.exit(main())
