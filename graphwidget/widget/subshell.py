"""Delivery of a page's messages to a busy kernel: the one place that knows ipykernel inside.

A message from the page is handled by the loop of a *subshell*, a thread of its own, or by the
main thread's, which has no time while a cell runs. Which of them gets it differs:

- ipykernel 7.4 and later ask the comm, ``_reply_subshell_for``, for each message, and would
  choose the loop that sent last: the busy one. Here the comm names a subshell that is ours.
- ipykernel 7.0 to 7.3 follow the message's header, in which JupyterLab from 4.4 on names one.
- ipykernel 6, and hosts without ipykernel, have no subshells: messages wait for the cell's end.
"""

from __future__ import annotations

from concurrent.futures import Future
from typing import Any

from .ipython_kernel import kernel

PATIENCE = 5.0
"""Seconds that the kernel's other threads may take to make a subshell."""

_own: dict[Any, str] = {}
"""The subshell that was made in a kernel, for all comms."""


def route(comm: Any) -> bool:
    """Let the page's messages on this comm be handled while a cell runs; whether they may be."""
    of = kernel()
    if of is None or not getattr(of, "_supports_kernel_subshells", False):
        return False
    if not hasattr(comm, "_reply_subshell_for"):
        return True  # the page's header decides
    try:
        if of not in _own:
            _own[of] = _make(of)
    except Exception:
        return False  # another ipykernel than those known: messages wait, as they always did
    comm._reply_subshell_for = lambda _data, _of_page: _own[of]
    return True


def _make(of: Any) -> str:
    """A new subshell, made on the control thread, as the kernel does on a client's request."""
    made: Future[str] = Future()

    def make() -> None:
        try:
            socket = of.shell_channel_thread.manager.control_to_shell_channel.from_socket
            socket.send_json({"type": "create"})
            made.set_result(socket.recv_json()["subshell_id"])
        except Exception as error:
            made.set_exception(error)

    of.control_thread.io_loop.add_callback(make)
    return made.result(PATIENCE)
