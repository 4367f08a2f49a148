"""How the core speaks to whoever watches it: one nullable observer.

The core knows no event, no log and no widget; it calls these methods and never looks at what
they return. Nobody watching costs one ``is None`` test per op.

The core's own modes that concern every op while they are on (saved-tensor hooks, anomaly mode,
inference mode) listen in the same place, as *parts*: off, they cost nothing. They hear an event
after the observer and, unlike it, may raise and may change what they hear of.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from . import hot

if TYPE_CHECKING:
    from ..optable import Op
    from .engine import Run
    from .node import Node
    from .tensor import Tensor


class Observer(Protocol):
    """What an observer hears. Implementations must not raise and must not change tensors."""

    def made(self, tensor: Tensor) -> None:
        """A factory or constructor made a leaf."""

    def called(
        self,
        op: Op,
        inputs: Sequence[Any],
        params: Mapping[str, Any],
        outputs: tuple[Tensor, ...],
        node: Node | None,
    ) -> None:
        """An op made new tensors; ``inputs`` are in signature order."""

    def wrote(
        self,
        op: Op,
        tensor: Tensor,
        inputs: Sequence[Any],
        params: Mapping[str, Any],
        base: Tensor | None,
        node: Node | None,
    ) -> None:
        """``op`` wrote its result into ``tensor`` (``inputs[0]``); it already has its new
        version and history. ``base`` is its base when it is a view."""

    def flagged(self, tensor: Tensor) -> None:
        """``requires_grad`` or ``retains_grad`` may have changed."""

    def assigned(self, tensor: Tensor) -> None:
        """The user assigned, cleared or zeroed ``.grad``."""

    def run_begins(self, run: Run) -> None:
        """A backward run begins."""

    def node_starts(self, run: Run, node: Node, grads: tuple[Any, ...]) -> None:
        """A node runs with these gradients of its outputs (arrays, Tensors or None)."""

    def node_finishes(self, run: Run, node: Node, grads: tuple[Any, ...]) -> None:
        """The node gave these gradients, one for each entry of ``node.next``."""

    def accumulated(self, run: Run, tensor: Tensor, how: str, added: Any) -> None:
        """``tensor.grad`` has its new value, ``added`` included."""

    def freed(self, node: Node) -> None:
        """The node let go of what it saved."""

    def run_ends(self, run: Run, status: str, error: BaseException | None) -> None:
        """The run is over: ``ok``, ``failed`` or ``abandoned``."""

    def failed(self, error: BaseException) -> None:
        """An autograd error or warning arose outside any run."""

    def saved_at(self, node: Node, slot: str) -> tuple[str, str] | None:
        """The user's name for what a node saved and words for the line that made the node."""

    def bind(self, names: Iterable[tuple[str, str, Tensor]]) -> None:
        """Tensors have got names: (scope, name, tensor) each."""

    def scope(self, kind: str, name: str, open: bool) -> None:
        """A ``no_grad`` region, a module's call or a hook begins or ends."""


EVENTS = tuple(name for name in vars(Observer) if not name.startswith("_"))


class Parts:
    """The observer and the parts that are on, as one observer."""

    def __init__(self, members: tuple[Any, ...]) -> None:
        for event in EVENTS:
            heard = [getattr(each, event) for each in members if hasattr(each, event)]
            setattr(self, event, heard[0] if len(heard) == 1 else all_of(heard))


def all_of(methods: list[Callable[..., Any]]) -> Callable[..., Any]:
    """One method that calls several and returns what the first returned."""

    def heard(*args: Any) -> Any:
        results = [method(*args) for method in methods]
        return results[0] if results else None

    return heard


HEARD = all_of([]).__code__
"""The code of such methods, for those who look at the frames above them."""

_observer: Observer | None = None
_parts: dict[Any, int] = {}


def _install() -> None:
    latest = reversed(_parts)
    members = (_observer, *latest) if _observer is not None else tuple(latest)
    if _parts:
        hot.observer = Parts(members)  # type: ignore[assignment]
    else:
        hot.observer = _observer


def set_observer(observer: Observer | None) -> None:
    """Install the observer, or remove it with ``None``."""
    global _observer
    with hot.lock:
        _observer = observer
        _install()


def get_observer() -> Observer | None:
    """The observer in force."""
    return _observer


def switch(part: Any, on: bool) -> None:
    """Let a part listen, or no more when it was switched off as often as on. A part has those of
    the observer's methods that it cares for."""
    with hot.lock:
        count = _parts.pop(part, 0) + (1 if on else -1)
        if count:
            _parts[part] = count
        _install()
