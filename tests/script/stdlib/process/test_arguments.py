from __future__ import annotations

from tests.script.agreement import agree
from tests.script.running import ours


def test_options_have_their_defaults() -> None:
    agree(
        "import argparse\np = argparse.ArgumentParser(description='x')\n"
        "p.add_argument('--lr', type=float, default=0.01, help='rate'); "
        "p.add_argument('--epochs', type=int, default=3)\n"
        "p.add_argument('--no-cuda', action='store_true')\n"
        "args = p.parse_args([]); print(args.lr, args.epochs, args.no_cuda, args)\n"
        "print(p.parse_args(['--lr', '0.5', '--no-cuda']), p.parse_known_args(['--z'])[1])"
    )


def test_options_read_no_files() -> None:
    assert "SystemExit" in ours(
        "import argparse\np = argparse.ArgumentParser(fromfile_prefix_chars='@')\np.parse_args(['@/etc/passwd'])"
    )
    assert "not supported" in ours(
        "import argparse\np = argparse.ArgumentParser()\np.add_argument('--x', action='version', version='1')"
    )
