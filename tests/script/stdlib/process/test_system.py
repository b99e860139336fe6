from __future__ import annotations

from tests.script.agreement import agree, programs, unreachable
from tests.script.running import ours


@programs(
    "print('out', file=sys.stdout)\nprint('err', file=sys.stderr)\nsys.stdout.write('w\\n'); sys.stdout.flush()",
    "print(sys.maxsize, sys.float_info.epsilon, sys.version_info >= (3, 8), sys.version_info.major)",
    "print(string.ascii_lowercase, string.digits, string.punctuation)",
)
def test_what_may_be_known_is_pythons(program: str) -> None:
    agree(f"import sys, string\n{program}")


@programs("sys.modules", "sys._getframe", "sys.settrace", "os.system", "os.environb", "os.scandir", "string.Formatter")
def test_the_system_is_out_of_reach(program: str) -> None:
    unreachable(f"import sys, os, string\nprint({program})")


@programs("sys.exit()", "sys.exit(0)", "def main():\n    return 0\ntry:\n    sys.exit(main())\nfinally:\n    print(1)")
def test_an_exit_ends_the_snippet(program: str) -> None:
    assert "2" not in ours(f"import sys\n{program}\nprint(2)")


def test_an_exit_with_a_code_is_a_failure() -> None:
    assert ours("import sys\nprint(1)\nsys.exit('no data')") == "1\nError: RuntimeError: SystemExit: no data\n"
    assert ours("import sys\ntry:\n    sys.exit(3)\nexcept Exception:\n    print(1)").endswith("SystemExit: 3\n")
