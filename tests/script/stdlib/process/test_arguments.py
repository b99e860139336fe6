from __future__ import annotations

from tests.script.agreement import agree
from tests.script.running import ours


def test_options_have_their_defaults() -> None:
    agree(
        "import argparse\np = argparse.ArgumentParser(description='x')\n"
        "p.add_argument('--lr', type=float, default=0.01, help='rate'); "
        "p.add_argument('--epochs', type=int, default=3)\n"
        "p.add_argument('--no-cuda', action='store_true')\n"
        "p.add_argument('--size', type=int, default='3', dest='n')\n"
        "args = p.parse_args([]); print(args.lr, args.epochs, args.no_cuda, args)"
    )


def test_options_are_not_read() -> None:
    start = "import argparse\np = argparse.ArgumentParser(fromfile_prefix_chars='@')\n"
    assert "reading options is not supported" in ours(f"{start}p.parse_args(['@/etc/passwd'])")
    assert "not supported" in ours(f"{start}p.add_argument('--x', action='version', version='1')")
    assert "SystemExit" in ours(f"{start}p.add_argument('name')\np.parse_args()")
