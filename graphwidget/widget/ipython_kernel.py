"""The IPython kernel that this runs in, and the way to its main thread."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any


def kernel() -> Any:
    """The IPython kernel this runs in, or None."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return getattr(shell, "kernel", None)


def on_main_thread(function: Callable[[], None]) -> None:
    """Call ``function`` on the main thread when it is free: between cells, in a kernel; at once
    where there is none."""
    loop = getattr(kernel(), "io_loop", None)
    if loop is None:
        function()
    else:
        loop.add_callback(function)


def call_later(seconds: float, function: Callable[[], None]) -> None:
    """Call ``function`` on the main thread after some time; at once where there is no kernel."""
    loop = getattr(kernel(), "io_loop", None)
    if loop is None:
        function()
    else:
        loop.call_later(seconds, function)
