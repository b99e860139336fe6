from __future__ import annotations

from tests.script.agreement import agree, programs


@programs(
    "b = io.StringIO(); print('x', 1, file=b); b.write('y'); print(repr(b.getvalue()))",
    "b = io.StringIO('a\\nb'); print([line for line in b], b.read() == '', b.seek(0), b.read())",
    "with contextlib.redirect_stdout(io.StringIO()) as f:\n    print('hidden')\nprint('got', f.getvalue(), end='')",
    "class Tee:\n    def write(self, s):\n        self.last = s\nt = Tee()\nprint('a', file=t)\nprint(repr(t.last))",
)
def test_streams_are_pythons(program: str) -> None:
    agree(f"import contextlib, io\n{program}")
