"""Asks the server at a socket for a process: `python -I -S asking.py SOCKET PROGRAM ARGUMENTS`, in milliseconds."""

import _signal as signal
import _socket as socket
import marshal
import os
import sys

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def is_open(number: int) -> bool:
    try:
        os.fstat(number)
    except OSError:
        return False
    return True


def number(connection: socket.socket) -> int:
    """Read a number; without one the server has ended, or could not read."""
    data = connection.recv(4)
    if not data:
        raise EOFError("no answer")
    return int.from_bytes(data, "little")


def pass_on(pid: int, number: int) -> None:
    """Send a signal to the process that was asked for, if it has not just ended."""
    try:  # noqa: SIM105  no module more, for the sake of the start
        os.kill(pid, number)
    except ProcessLookupError:
        pass


def main() -> None:
    signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)  # until they can be passed on
    streams = [number for number in range(3) if is_open(number)]
    ignored = [number for number in SIGNALS if signal.getsignal(number) == signal.SIG_IGN]
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(sys.argv[1])
    request = marshal.dumps((sys.argv[2:], os.getcwdb(), dict(os.environb), streams, ignored))  # noqa: PTH109
    rights = (socket.SOL_SOCKET, socket.SCM_RIGHTS, b"".join(one.to_bytes(4, sys.byteorder) for one in streams))
    connection.sendmsg([len(request).to_bytes(4, "little")], [rights])
    connection.sendall(request)
    pid = number(connection)
    for one in SIGNALS:
        signal.signal(one, lambda number, frame: pass_on(pid, number))
    signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
    code = os.waitstatus_to_exitcode(number(connection))
    if code < 0:
        if -code != signal.SIGKILL:
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(code)


main()
