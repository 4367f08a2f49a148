"""Commands: what the page may ask of the kernel, checked, queued and run on the main thread.

Messages arrive on any thread and at any time, also while a cell runs. ``put`` only checks and
queues; ``run`` executes, and is called on the main thread between cells, where grad mode, hooks
and prints behave as the user expects. A cell that waits for the page takes them one by one.
"""

from __future__ import annotations

from collections.abc import Callable
from queue import Empty, SimpleQueue
from typing import Any, NamedTuple, get_type_hints

MAX_COUNT = 1_000_000
MAX_WAITING = 1_000


class Step(NamedTuple):
    """Advance a live run by this number of nodes."""

    run: int
    count: int  # type: ignore[assignment]  # a tuple has a method of this name


class Until(NamedTuple):
    """Advance a live run until it has run this node."""

    run: int
    node: int


class Abandon(NamedTuple):
    """Give up a live run."""

    run: int


class Backward(NamedTuple):
    """Begin a live run from a value."""

    value: int


class RetainGrad(NamedTuple):
    """Keep a non-leaf's gradient, or no longer."""

    value: int
    on: bool


class Peek(NamedTuple):
    """Ask for more about a value's numbers."""

    value: int


Command = Step | Until | Abandon | Backward | RetainGrad | Peek

KINDS: dict[str, type[Any]] = {
    "step": Step,
    "until": Until,
    "abandon": Abandon,
    "backward": Backward,
    "retain_grad": RetainGrad,
    "peek": Peek,
}


class Rejected(Exception):
    """A command cannot be executed; the message says why, to the user."""


def parse(message: Any) -> Command:
    """The command in a message from the page.

    Raises:
        Rejected: it is none.
    """
    kind = message.get("type") if isinstance(message, dict) else None
    cls = KINDS.get(kind) if isinstance(kind, str) else None
    if cls is None:
        raise Rejected(f"unknown command {str(kind)[:40]!r}")
    fields = []
    for name, wanted in get_type_hints(cls).items():
        value = message.get(name)
        if wanted is bool:
            if not isinstance(value, bool):
                raise Rejected(f"{kind}: {name!r} must be true or false")
        elif not isinstance(value, int) or isinstance(value, bool) or value < 0:
            raise Rejected(f"{kind}: {name!r} must be a whole number")
        fields.append(value)
    command: Command = cls(*fields)
    if isinstance(command, Step) and not 1 <= command.count <= MAX_COUNT:
        raise Rejected(f"step: 'count' must be between 1 and {MAX_COUNT}")
    return command


class CommandQueue:
    """The queue between the page and the main thread.

    ``execute`` runs one command (and raises ``Rejected`` or what the user's program raises);
    ``reject`` reports a failed one to the page; ``wake`` asks the main thread to call
    ``run`` when it is free.
    """

    def __init__(
        self,
        execute: Callable[[Command], None],
        reject: Callable[[Any, str], None],
        wake: Callable[[], None],
    ) -> None:
        self._execute = execute
        self._reject = reject
        self._wake = wake
        self._waiting: SimpleQueue[tuple[Any, Command]] = SimpleQueue()

    def put(self, message: Any) -> None:
        """Check and queue a message. Any thread."""
        try:
            command = parse(message)
            if self._waiting.qsize() >= MAX_WAITING:
                raise Rejected("too many commands are waiting for the running cell to end")
        except Rejected as why:
            self._reject(message, str(why))
            return
        self._waiting.put((message, command))
        self._wake()

    @property
    def waiting(self) -> bool:
        """True if there are commands that wait."""
        return not self._waiting.empty()

    def take(self, timeout: float) -> tuple[Any, Command] | None:
        """The next message and its command, waited for up to a timeout; None if there is none."""
        try:
            return self._waiting.get(timeout=timeout)
        except Empty:
            return None

    def run(self) -> None:
        """Execute what is waiting. Main thread."""
        while not self._waiting.empty():
            self.execute(*self._waiting.get())

    def execute(self, message: Any, command: Command) -> None:
        """Execute one command; a failure is reported to the page. Main thread."""
        try:
            self._execute(command)
        except Rejected as why:
            self._reject(message, str(why))
        except Exception as error:
            self._reject(message, f"{type(error).__name__}: {error}")
