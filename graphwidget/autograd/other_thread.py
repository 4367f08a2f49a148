"""Goes on in a new thread, with an empty stack, where backward runs nest too deep for this one."""

from __future__ import annotations

import contextvars
import threading
from collections.abc import Callable

from ..graph import runtime


def call_in_other_thread(function: Callable[[], None]) -> None:
    """Call a function in a new thread and wait for it. Modes, hooks and context variables are
    this thread's there; what the function raises is raised here."""
    states = [(each, vars(each).copy()) for each in runtime.thread_states]
    raised: list[BaseException] = []

    def work() -> None:
        for each, state in states:
            vars(each).update(state)
        runtime.set_grad_enabled(runtime.mode.requested)
        try:
            function()
        except BaseException as error:
            raised.append(error)
        finally:  # a thread that ends is no more among those that record nothing
            runtime.mode.inference = False
            runtime.set_grad_enabled(True)

    thread = threading.Thread(target=contextvars.copy_context().run, args=(work,))
    thread.start()
    thread.join()
    if raised:
        raise raised.pop()
