from __future__ import annotations

import warnings

from tests.script.agreement import REFUSED, agree, programs
from tests.script.running import ours


@programs(
    "with warnings.catch_warnings(record=True) as w:\n"
    "    warnings.simplefilter('always')\n"
    "    warnings.warn('careful'); warnings.warn('old', DeprecationWarning)\n"
    "print(len(w), w[0].message, w[0].category, str(w[1].message), w[1].category.__name__)",
    "warnings.simplefilter('error')\nrefused(lambda: warnings.warn('now'))\nwarnings.resetwarnings()\nprint(1)",
    "warnings.filterwarnings('error', message='bad')\n"
    "refused(lambda: warnings.warn('bad thing'))\nrefused(lambda: warnings.warn('good thing'))",
    "warnings.filterwarnings('ignore')\nwarnings.warn('x')\nprint('quiet')",
    "with warnings.catch_warnings():\n    warnings.simplefilter('error', UserWarning)\n"
    "    refused(lambda: warnings.warn('x'))\n"
    "refused(lambda: warnings.warn('x'))",
)
def test_warnings_are_pythons(program: str) -> None:
    agree(f"import warnings{REFUSED}{program}")


def test_filters_hold_for_the_run_alone() -> None:
    before = list(warnings.filters)
    ours("import warnings\nwarnings.simplefilter('ignore')")
    assert list(warnings.filters) == before


def test_kinds_are_warnings() -> None:
    assert "category must be a Warning subclass, not 'type'" in ours("import warnings\nwarnings.warn('x', int)")
