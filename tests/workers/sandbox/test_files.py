"""What a locked process can read, and what it knows: nothing but Python's own files and its work."""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from multiprocessing.shared_memory import SharedMemory
from pathlib import Path
from typing import Any

import pytest

import gradcli
from gradcli.workers.sandbox import files, lock
from tests.workers.sandbox.door import inside, system_call

pytestmark = pytest.mark.skipif(not all(lock.walls().values()), reason="the system has not all walls")
ROOT = Path(__file__).parents[3]
PARENT = os.getpid()


def attacks(folder: Path) -> dict[str, Callable[[], Any]]:
    """What a locked process may not do, by name; `folder` holds the file `old` of somebody else."""
    old = folder / "old"
    return {
        "read accounts": lambda: Path("/etc/passwd").read_text(),
        "read another's work": old.read_text,
        "read its own folder": lambda: Path(__file__).read_text(),
        "read its own environment": lambda: Path("/proc/self/environ").read_bytes(),
        "read its own memory": lambda: Path("/proc/self/mem").open("rb"),
        "read its own command": lambda: Path("/proc/self/cmdline").read_bytes(),
        "read its parent's environment": lambda: Path(f"/proc/{PARENT}/environ").read_bytes(),
        "read its parent's memory": lambda: Path(f"/proc/{PARENT}/mem").open("rb"),
        "read its parent's files": lambda: list(Path(f"/proc/{PARENT}/fd").iterdir()),
        "read a device": lambda: Path("/dev/zero").open("rb"),
        "list a folder": lambda: list(folder.iterdir()),
        "list the root": lambda: list(Path("/").iterdir()),
        "list processes": lambda: list(Path("/proc").iterdir()),
        "look at a file": old.stat,
        "look at a link": old.lstat,
        "look at a folder": folder.stat,
        "look at the parent": Path(f"/proc/{PARENT}").stat,
        "ask whether there is a file": lambda: None if old.exists() else 1 // 0,
        "look beside what is open": lambda: os.stat(old.name, dir_fd=os.open(Path(os.__file__).parent, os.O_RDONLY)),
        "look by the latest call": lambda: system_call(332, -100, ctypes.c_char_p(bytes(old)), 0, 0xFFF, bytes(256)),
        "look with an empty path": lambda: system_call(262, -100, ctypes.c_char_p(bytes(old)), bytes(256), 0x1000),
        "ask for access": lambda: system_call(21, ctypes.c_char_p(bytes(old)), 0),
        "ask for the time of the parent": lambda: time.clock_gettime(~PARENT << 3 | 2),
        "ask how exact the time of the parent is": lambda: time.clock_getres(~PARENT << 3 | 2),
        "wait for a time of the parent": lambda: system_call(230, ~PARENT << 3 | 2, 1, bytes(16), 0),
        "ask for a file system": lambda: os.statvfs(folder),
        "go to a folder": lambda: os.chdir(folder),
        "follow a link": lambda: Path("/proc/self/exe").readlink(),
        "hold a path": lambda: os.open(folder, os.O_PATH),
        "write": lambda: (folder / "new").write_text("x"),
        "write to a module": lambda: Path(gradcli.__file__).open("a"),
        "append": lambda: old.open("a"),
        "shorten": lambda: os.truncate(old, 0),
        "remove": old.unlink,
        "rename": lambda: old.rename(folder / "other"),
        "link": lambda: (folder / "link").symlink_to("old"),
        "link hard": lambda: (folder / "link").hardlink_to(old),
        "make a folder": lambda: (folder / "inner").mkdir(),
        "make a pipe in a folder": lambda: os.mkfifo(folder / "pipe"),
        "make a file without a name": lambda: os.open(folder, os.O_TMPFILE | os.O_RDWR),
        "change a mode": lambda: old.chmod(0o777),
        "change an owner": lambda: os.chown(old, 1, 1),
        "change times": lambda: os.utime(old),
        "change attributes": lambda: os.setxattr(old, "user.x", b"x"),
        "read attributes": lambda: os.listxattr(old),
        "connect": lambda: socket.create_connection(("127.0.0.1", 9), 1),
        "make sockets": socket.socketpair,
        "make a pipe": os.pipe,
        "fork": os.fork,
        "start a thread": lambda: threading.Thread(target=print).start(),
        "start a program": lambda: os.execv("/bin/true", ["true"]),
        "look for the parent": lambda: os.kill(PARENT, 0),
        "signal its group": lambda: os.killpg(0, signal.SIGCONT),
        "signal itself": lambda: signal.raise_signal(signal.SIGCONT),
        "renice the parent": lambda: os.setpriority(os.PRIO_PROCESS, PARENT, 1),
        "move the parent to a processor": lambda: os.sched_setaffinity(PARENT, {0}),
        "limit the parent": lambda: resource.prlimit(PARENT, resource.RLIMIT_CPU, (1, 1)),
        "raise its own limits": lambda: resource.setrlimit(resource.RLIMIT_DATA, (-1, -1)),
        "trace the parent": lambda: system_call(101, 16, PARENT, 0, 0),
        "hold the parent": lambda: os.pidfd_open(PARENT),
        "write into the parent": lambda: system_call(311, PARENT, 0, 0, 0, 0, 0),
        "memory with a name": lambda: SharedMemory(create=True, size=4096),
        "memory as a file": lambda: os.memfd_create("x"),
        "become another": lambda: os.setuid(1),
        "leave its session": os.setsid,
        "give a terminal input": lambda: system_call(16, 0, 0x5412, 0),
        "be dumped": lambda: system_call(157, 4, 1, 0, 0, 0),
        "change the root": lambda: os.chroot(folder),
        "ask for the machine's name": os.uname,
        "wait for others": lambda: os.waitpid(-1, os.WNOHANG),
    }


def test_no_attack_reaches_anything(tmp_path: Path) -> None:
    old = tmp_path / "old"
    old.write_text("old")
    before = old.stat(), os.getpriority(os.PRIO_PROCESS, 0)

    def kept_out(attack: Callable[[], Any]) -> bool:
        try:
            attack()
        except (OSError, RuntimeError, ValueError, ZeroDivisionError):
            return True
        return False

    found = inside(lambda: {name: kept_out(attack) for name, attack in attacks(tmp_path).items()})
    assert found == dict.fromkeys(attacks(tmp_path), True)
    assert (old.stat().st_mtime_ns, old.stat().st_mode) == (before[0].st_mtime_ns, before[0].st_mode)
    assert os.getpriority(os.PRIO_PROCESS, 0) == before[1]
    assert [path.name for path in tmp_path.iterdir()] == ["old"]


def test_files_that_were_open_are_closed(tmp_path: Path) -> None:
    (tmp_path / "other").write_text("another's")
    held = os.open(tmp_path / "other", os.O_RDONLY)

    def readable() -> list[int]:
        found = []
        for number in range(256):
            try:
                os.read(number, 1)
            except OSError:
                continue
            found.append(number)
        return found

    assert os.pread(held, 1, 0) == b"a"
    found = inside(readable)
    os.close(held)
    assert found[:3] == [0, 1, 2]  # which lead nowhere
    assert len(found) == 4  # and to the numbers of its own memory
    assert held not in found


SCAN = """
import ctypes, os, sys
from pathlib import Path
from gradcli.workers.confinement import forbid_writing

maps = [line.split() for line in Path("/proc/self/maps").read_text().splitlines()]
places = [[int(end, 16) for end in one[0].split("-")] for one in maps if one[1].startswith("rw")]
before = len(os.environ)
os.environ["LATER_SECRET"] = "later"[:0] + bytes.fromhex(sys.argv[1]).decode()[::-1]
forbid_writing([1])
for start, end in places:
    data = ctypes.string_at(start, end - start)
    while data:
        data = data[os.write(1, data):]
print(sorted(os.environ), file=sys.stderr)
"""


def test_the_environment_is_gone_from_memory() -> None:
    env = {"PATH": os.environ["PATH"], "CI_SECRET": "canary-7f3a91", "LANG": "C.UTF-8", "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", SCAN, "6f6e65"], capture_output=True, env=env, check=False)
    assert done.returncode == 0, done.stderr
    assert len(done.stdout) > 2**20
    assert b"canary-7f3a91" not in done.stdout


def test_folders_are_those_of_modules() -> None:
    found = set(lock.folders())
    assert str(ROOT) not in found
    assert str(Path(os.__file__).parent) in found
    assert not found & {"", "/", str(Path.home()), str(Path.cwd())}


def test_versions_of_landlock() -> None:
    assert files.version() >= 1
