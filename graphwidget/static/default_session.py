"""The default session: where things run that name none (``with tf.Session():``)."""

from __future__ import annotations

import threading
from typing import Any


class Sessions(threading.local):
    """The default sessions of a thread, the innermost last."""

    def __init__(self) -> None:
        self.stack: list[Any] = []


sessions = Sessions()


def default_session() -> Any:
    """The innermost default session; None without one."""
    return sessions.stack[-1] if sessions.stack else None
