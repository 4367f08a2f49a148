"""``torch.autograd.graph``: nodes, edges, saved-tensor hooks and hooks on several tensors.

What each thing does is PyTorch's; the texts of errors are too.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from ..graph import input_buffers, runtime, saved_hooks
from ..graph.base import RemovableHandle
from ..graph.node import Node
from ..graph.saved_hooks import disable_saved_tensors_hooks
from ..graph.tensor import Tensor
from ..graph.version import bump
from .engine import Run, current_run
from .roots import GradientEdge, get_gradient_edge

# allow_mutation_on_saved_tensors -----------------------------------------------------------------

OUTSIDE = (
    "Trying to backward outside of the 'allow_mutation_on_saved_tensors' context"
    "in which the graph was originally recorded."
)
NESTED = "allow_mutation_on_saved_tensors contexts cannot be nested"
NOT_IN_BACKWARD = "expected this hook to be called inside a backward call"


class _AllowMutationOnSavedContext:
    """True if the context in which copies were made is still open."""

    open = True


_current: _AllowMutationOnSavedContext | None = None


@contextmanager
def allow_mutation_on_saved_tensors() -> Iterator[Any]:
    """Inside, tensors that nodes saved may be written: backward uses the values from before.
    Forward and backward must both be inside. Each saved value is copied when it is saved.

    Raises:
        RuntimeError: such a context is open already.
        AssertionError: in backward, outside of the context.
    """
    global _current
    if _current is not None:
        raise RuntimeError(NESTED)
    copies = _AllowMutationOnSavedContext()

    def unpack(kept: Any) -> Any:
        if not copies.open:
            raise AssertionError(OUTSIDE)
        return kept

    saved_hooks.push(lambda tensor: runtime.Tensor._wrap(tensor._data.copy()), unpack)
    _current, input_buffers.out_of_place = copies, True
    try:
        yield copies
    finally:
        _current, copies.open, input_buffers.out_of_place = None, False, False
        saved_hooks.pop()


# -------------------------------------------------------------------------------------------------
Node.__module__ = "torch.autograd.graph"

__all__ = [
    "GradientEdge", "Node", "allow_mutation_on_saved_tensors", "disable_saved_tensors_hooks",
    "get_gradient_edge", "increment_version", "register_multi_grad_hook", "save_on_cpu",
    "saved_tensors_hooks", "set_override_stale_capture_stream",
    "set_warn_on_accumulate_grad_stream_mismatch",
]  # fmt: skip


class saved_tensors_hooks:
    """Inside, what nodes save for backward is kept by the user: ``pack_hook(tensor)`` says what
    to keep and ``unpack_hook(kept)`` gives the tensor back when backward needs it.

    The innermost context applies. Both run once for each saved slot, ``pack_hook`` without
    recording; a Python number is no tensor of the user's and is not packed.

    Raises:
        RuntimeError: on entering, while ``disable_saved_tensors_hooks`` is in force.
    """

    def __init__(
        self, pack_hook: Callable[[Tensor], Any], unpack_hook: Callable[[Any], Tensor]
    ) -> None:
        self.pack_hook = pack_hook
        self.unpack_hook = unpack_hook

    def __enter__(self) -> None:
        saved_hooks.push(self.pack_hook, self.unpack_hook)

    def __exit__(self, *exc: object) -> None:
        saved_hooks.pop()


class save_on_cpu(saved_tensors_hooks):
    """PyTorch's way to keep saved tensors in main memory. All of ours are there already; those to
    be pinned are copied, as there."""

    def __init__(self, pin_memory: bool = False, device_type: str = "cuda") -> None:
        def pack(tensor: Tensor) -> tuple[Any, Tensor]:
            if pin_memory:
                tensor = Tensor._wrap(np.empty(tensor._data.shape, tensor._data.dtype)).copy_(
                    tensor
                )
            return tensor.device, tensor

        super().__init__(pack, lambda kept: kept[1])


def increment_version(tensor: Tensor | Iterable[Tensor]) -> None:
    """Say that a tensor was written in a way that could not be seen: its version rises."""
    given: Any = tensor
    if isinstance(given, Tensor):
        given = (given,)
    if not isinstance(given, Iterable):
        raise RuntimeError("increment_version expect a Iterable[Tensor] as input")
    for each in given:
        if not isinstance(each, Tensor):
            raise RuntimeError(
                "increment_version expects each element of the iterable to be a tensor"
            )
        if not each.is_inference():  # those count no versions
            bump(each, "increment_version")


def set_warn_on_accumulate_grad_stream_mismatch(enabled: bool) -> None:
    """PyTorch's switch of a warning about streams of other devices, which are not here."""


def set_override_stale_capture_stream(enabled: bool) -> None:
    """The same, of what is done about such streams."""


class MultiHandle(RemovableHandle):
    """Removes a hook from all the tensors it waits for."""

    def __init__(self, handles: Sequence[RemovableHandle]) -> None:
        self.handles = tuple(handles)

    def remove(self) -> None:
        for handle in self.handles:
            handle.remove()


def register_multi_grad_hook(
    tensors: Sequence[Tensor], fn: Callable[[Any], None], *, mode: str = "all"
) -> RemovableHandle:
    """Call ``fn`` once in each backward for several tensors.

    Args:
        tensors: those whose gradients are waited for.
        fn: with mode ``all``, called with the list of gradients when all that this backward
            computes are there (None for the others); with ``any``, with the first gradient.

    Raises:
        ValueError: another mode.
        AssertionError: mode ``all`` with a tensor that does not require grad.
    """
    if mode not in ("all", "any"):
        raise ValueError(f"Expects mode to be one of ('all', 'any') but got {mode}")
    if mode == "any":
        return _register_any_hook(tensors, fn)
    if not all(each.requires_grad for each in tensors):
        raise AssertionError("Expected gradient function to be set")
    nodes = [get_gradient_edge(tensor).node for tensor in tensors]
    arrived: weakref.WeakKeyDictionary[Run, dict[int, Any]] = weakref.WeakKeyDictionary()

    def collect(place: int) -> Callable[[Any], None]:
        def hook(grad: Any) -> None:
            run = current_run()
            if run is None:
                raise AssertionError(NOT_IN_BACKWARD)
            found = arrived.setdefault(run, {})
            found[place] = grad
            if len(found) == sum(run.reaches(node) for node in nodes):
                del arrived[run]
                fn([found.get(i) for i in range(len(tensors))])

        return hook

    return MultiHandle([tensor.register_hook(collect(i)) for i, tensor in enumerate(tensors)])


def _register_any_hook(tensors: Sequence[Tensor], fn: Callable[[Any], None]) -> RemovableHandle:
    ran: weakref.WeakSet[Run] = weakref.WeakSet()

    def hook(grad: Any) -> None:
        run = current_run()
        if run is None:
            raise AssertionError(NOT_IN_BACKWARD)
        if run not in ran:
            ran.add(run)
            fn(grad)

    return MultiHandle([each.register_hook(hook) for each in tensors if each.requires_grad])
