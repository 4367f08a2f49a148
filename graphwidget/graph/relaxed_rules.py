"""Switches of a thread: gradients' layout, backward on several threads, replay of views.

``autograd/grad_mode.py`` has what turns them.
"""

from __future__ import annotations

import threading

from . import runtime


class Policy(threading.local):
    """Relaxed rules: whether first gradients that lie in memory otherwise than their leaves are
    copied, other threads may run parts of backward, and view ops are replayed on a base that was
    written."""

    layout = True
    threads = True
    replay = False


policy = Policy()
runtime.thread_states.append(policy)
