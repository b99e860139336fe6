from __future__ import annotations

import pytest

from gradcli.script.limits import Limits
from tests.script.agreement import REFUSED, agree, programs
from tests.script.running import ours


@programs(
    r"print(re.findall(r'\d+', 'a1b22c333'), re.sub(r'\s+', ' ', 'a   b'), re.split(r'[,;]', 'a,b;c'), "
    r"re.escape('a.b'))",
    r"m = re.search(r'(?P<n>\d+)(x)?', 'ab12'); print(m.group('n'), m[0], m.start(), m.end(), m.span(), m.groups(), m)",
    "print(bool(re.search('x', 'abc')), re.match('a', 'ba'), re.fullmatch('a+', 'aa').group())",
    "p = re.compile('[a-z]+', re.I); print(p.findall('Ab 12 cD'), p.sub('X', 'ab1', 1), p.subn('', 'a1b'), p.pattern)",
    r"print(re.sub(r'(\w)(\d)', r'\2\1', 'a1 b2'), re.sub('a', lambda m: m.group().upper(), 'banana', count=2))",
    "print([m.start() for m in re.finditer('a*', 'baac')], re.sub('x*', '-', 'abxd'), re.sub('', '.', 'ab'))",
    "refused(lambda: re.compile('('))\ntry:\n    re.match('[', '')\nexcept re.error as e:\n    print(e)",
)
def test_patterns_are_pythons(program: str) -> None:
    agree(f"import re\n{REFUSED}\n{program}")


@pytest.mark.slow
def test_a_pattern_that_goes_back_without_end_stops() -> None:
    program = "import re\nre.match('(a+)+$', 'a' * 40 + 'b')"
    assert "runs for more than 0.5 s" in ours(program, Limits(seconds=0.5))
