"""Record what torch prints of every text that a test holds up to it: `python -m tests.script.record`, with torch."""

from __future__ import annotations

import json
import os

import pytest


def main() -> None:
    os.environ |= {"GRADCLI_RECORD": "1", "CI": "1"}  # the same random examples as there
    ended = pytest.main(["tests/script", "tests/engine", "-q", "-n", "0", "-p", "no:cacheprovider"])
    from tests.script.running import RECORD, met

    lines = ",\n".join(f"{json.dumps(key)}: {json.dumps(told)}" for key, told in sorted(met.items()))
    RECORD.write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")
    print(f"recorded {len(met)} texts")
    if ended:
        raise SystemExit("some tests failed, and may have asked for nothing")


if __name__ == "__main__":
    main()
