from __future__ import annotations

from tests.script.running import ours
from tests.script.stdlib.agreement import agree, programs


@programs(
    "b = io.StringIO(); print('x', 1, file=b); b.write('y'); print(repr(b.getvalue()))",
    "b = io.StringIO('a\\nb'); print([line for line in b], b.read() == '', b.seek(0), b.read())",
    "with contextlib.redirect_stdout(io.StringIO()) as f:\n    print('hidden')\nprint('got', f.getvalue(), end='')",
    "class Tee:\n    def write(self, s):\n        self.last = s\nt = Tee()\nprint('a', file=t)\nprint(repr(t.last))",
    "logging.disable(logging.CRITICAL); log = logging.getLogger('a'); log.info('x %d', 3); "
    "print(log.name, logging.INFO)",
)
def test_streams_are_pythons(program: str) -> None:
    agree(f"import contextlib, io, logging\n{program}")


def test_messages_are_not_printed() -> None:
    program = (
        "import logging\nlogging.basicConfig(level=logging.INFO)\nlogging.info('a')\nlogging.getLogger().error('b')"
    )
    assert ours(program) == ""
