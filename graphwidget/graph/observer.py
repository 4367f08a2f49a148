"""``Observer``: the events that the engine emits, one method for each.

The heart knows no event log and no widget; it calls these methods and never looks at what they
return. Without an observer it costs one ``is None`` test per op. ``listeners`` installs an
observer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

from ..optable.declare import Op
from .base import NodeBase, RunBase, TensorBase


class Observer(Protocol):
    """Interface of an observer. Implementations must not raise and must not change tensors."""

    def made(self, tensor: TensorBase) -> None:
        """A factory or constructor made a leaf."""

    def called(
        self,
        op: Op,
        inputs: Sequence[Any],
        params: Mapping[str, Any],
        outputs: tuple[TensorBase, ...],
        node: NodeBase | None,
    ) -> None:
        """An op made new tensors; ``inputs`` are in signature order."""

    def wrote(
        self,
        op: Op,
        tensor: TensorBase,
        inputs: Sequence[Any],
        params: Mapping[str, Any],
        base: TensorBase | None,
        node: NodeBase | None,
    ) -> None:
        """``op`` wrote its result into ``tensor`` (``inputs[0]``); it already has its new
        version and history. ``base`` is its base when it is a view."""

    def stepped(self, optimizer: Any, parameters: Sequence[TensorBase]) -> None:
        """A step of the optimizer wrote these parameters, by its rule and not by ops. They have
        their new versions."""

    def data_taken(self, tensor: TensorBase, of: TensorBase) -> None:
        """``tensor`` is ``of.data``: it has the memory, and a version counter of its own."""

    def data_assigned(self, tensor: TensorBase, given: TensorBase) -> None:
        """``tensor.data = given`` was done: its memory is another one now, or seen otherwise."""

    def flagged(self, tensor: TensorBase) -> None:
        """``requires_grad`` or ``retains_grad`` may have changed."""

    def grad_assigned(self, tensor: TensorBase) -> None:
        """The user assigned, cleared or zeroed ``.grad``."""

    def run_begins(self, run: RunBase) -> None:
        """A backward run begins."""

    def node_starts(self, run: RunBase, node: NodeBase, grads: tuple[Any, ...]) -> None:
        """A node runs with these gradients of its outputs (arrays, Tensors or None)."""

    def node_finishes(
        self, run: RunBase, node: NodeBase, grads: tuple[Any, ...], freed: bool
    ) -> None:
        """The node gave these gradients, one for each entry of ``node.next``; and ``freed``, if
        so, what it had saved."""

    def leaf_ran(self, run: RunBase, node: NodeBase, grad: Any) -> None:
        """A leaf's node ran, with no hooks: it added ``grad`` to the ``.grad`` of its tensor."""

    def accumulated(self, run: RunBase, tensor: TensorBase, how: str, added: Any) -> None:
        """``tensor.grad`` has its new value, ``added`` included."""

    def run_ends(self, run: RunBase, status: str, error: BaseException | None) -> None:
        """The run is over: ``ok``, ``failed`` or ``abandoned``."""

    def differentiated(
        self,
        inputs: Sequence[TensorBase],
        gradients: Sequence[TensorBase | None],
        options: Mapping[str, Any],
    ) -> None:
        """``autograd.grad`` is about to return ``gradients``; ``inputs`` are the tensors that it
        was given, those that were differentiated first."""

    def failed(self, error: BaseException) -> None:
        """An autograd error or warning arose outside any run."""

    def describe_saved(self, node: NodeBase, slot: str) -> tuple[str, str] | None:
        """The user's name for what a node saved and words for the line that made the node."""

    def bind(self, names: Iterable[tuple[str, str, TensorBase]]) -> None:
        """Tensors have got names: (scope, name, tensor) each."""

    def scope(self, kind: str, of: Any, open: bool) -> None:
        """A ``no_grad`` region, a hook, a module's call or an optimizer's step begins or ends;
        ``of`` is the module or the optimizer."""


EVENTS = tuple(name for name in vars(Observer) if not name.startswith("_"))
