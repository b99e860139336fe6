from __future__ import annotations

from tests.script.running import ours
from tests.script.stdlib.agreement import agree, programs, unreachable


@programs(
    "print('out', file=sys.stdout)\nprint('err', file=sys.stderr)\nsys.stdout.write('w\\n'); sys.stdout.flush()",
    "print(sys.maxsize, sys.float_info.epsilon, sys.version_info >= (3, 8), sys.version_info.major)",
    "print(string.ascii_lowercase, string.digits, string.punctuation)",
)
def test_what_may_be_known_is_pythons(program: str) -> None:
    agree(f"import sys, string\n{program}")


@programs("sys.modules", "sys._getframe", "sys.settrace", "os.system", "os.environ", "os.listdir", "string.Formatter")
def test_the_system_is_out_of_reach(program: str) -> None:
    unreachable(f"import sys, os, string\nprint({program})")


def test_a_snippet_ends_by_itself() -> None:
    assert "not available" in ours("import sys\nsys.exit()")
