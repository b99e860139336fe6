"""`python -m tests.docs` builds the site; `--update` writes what the examples print into its pages instead."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tests.docs.build import StaleError, built, updated


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.docs", description=__doc__)
    parser.add_argument("-o", "--output", type=Path, default=Path("build/site"), metavar="FOLDER")
    parser.add_argument("--update", action="store_true", help="write what the examples print into the pages")
    options = parser.parse_args()
    if options.update:
        for file in updated():
            print(f"updated {file}")
        return 0
    try:
        built(options.output)
    except StaleError as error:
        print(error, file=sys.stderr)
        return 1
    print(f"{options.output}/index.html")
    return 0


if __name__ == "__main__":
    sys.exit(main())
