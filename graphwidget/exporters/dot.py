"""Graphviz's program ``dot``, which renders pictures; one process of it is kept running."""

from __future__ import annotations

import atexit
import os
import re
import select
import shutil
import subprocess
from threading import Lock
from typing import Any

NO_DOT = (
    "The picture needs Graphviz's program 'dot', which was not found. Install Graphviz "
    "(Debian, Ubuntu: apt install graphviz; macOS: brew install graphviz; conda: conda install "
    "graphviz; Windows: winget install graphviz). The widget itself does not need it."
)


def require_dot() -> None:
    """Raise RuntimeError, naming the package to install, when there is no ``dot``."""
    if shutil.which("dot") is None:
        raise RuntimeError(NO_DOT)


def has_dot() -> bool:
    """Return whether pictures can be rendered here."""
    return shutil.which("dot") is not None


# A dot that is kept running, and draws a small picture in one millisecond ------------------------

WAIT = 2.0
"""Seconds without a byte after which it is given up, for all drawings to come."""

END = b"</svg>\n"
BEYOND_FIRST = re.compile(rb'(<g id=")page\d+,\d+_')
"""Prefix that ``dot`` adds to the ids of all pictures but its first. It is removed, so that equal
drawings give equal pictures."""


class KeptDot:
    """One process of ``dot``, started when it is first needed: it draws a small picture in one
    millisecond, where a new process takes fifteen.

    It reads one drawing after the other and writes a picture of each until its input is closed,
    when this process ends. Where that does not work (Windows cannot wait for a pipe, and a ``dot``
    may hold back its output) each drawing gets a process of its own.
    """

    def __init__(self) -> None:
        self.process: Any = None
        self._owner = 0  # the process that started it: one that was forked has no part in it
        self._fails = os.name == "nt"
        self._lock = Lock()

    def svg(self, source: str) -> bytes | None:
        """The picture of a drawing in the DOT language; None where it gave none."""
        with self._lock:
            if self._fails:
                return None
            try:
                return self._draw(source.encode())
            except (OSError, ValueError):  # it has ended, by an error in the drawing or otherwise
                self.end()
                return None
            except BaseException:  # interrupted: the next drawing is not to be given this picture
                self.end()
                raise

    def _draw(self, source: bytes) -> bytes | None:
        process = self.process
        if process is None or self._owner != os.getpid() or process.poll() is not None:
            process = self._start()
        process.stdin.write(source + b"\n")
        process.stdin.flush()
        output, found = process.stdout.fileno(), b""
        while not found.endswith(END):
            if not select.select([output], [], [], WAIT)[0]:
                self._fails = True
                raise OSError
            part = os.read(output, 1 << 16)
            if not part:
                raise OSError
            found += part
        return BEYOND_FIRST.sub(rb"\1", found, count=1)

    def _start(self) -> Any:
        # In a session of its own an interrupt of the kernel does not reach it.
        self.process = subprocess.Popen(
            ["dot", "-Kdot", "-Tsvg"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            start_new_session=True,
        )  # fmt: skip
        self._owner = os.getpid()
        atexit.register(self.end)
        return self.process

    def end(self) -> None:
        """End the process, if there is one: the next drawing has a new one."""
        process, self.process = self.process, None
        atexit.unregister(self.end)
        if process is not None and self._owner == os.getpid():
            process.kill()
            process.communicate()


kept_dot = KeptDot()
"""The one of this process."""
