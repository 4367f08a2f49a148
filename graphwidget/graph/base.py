"""The data model on one page: the contents of a tensor, a node and a backward run.

A tensor points at the node that made it, a node at the nodes and leaves its inputs came from, and
a run walks those pointers back. What a gradient is given to is a *target*: a node, an ``Output`` of
a node with several, or the ``AccumulateGrad`` of a leaf. The classes that users meet (``Tensor``,
the ``Backward0`` nodes, ``AccumulateGrad``) add the behaviour; their attributes are listed here and
nowhere else.

PyTorch has the same split: ``torch.Tensor`` is made of ``torch._C.TensorBase``.
"""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

# Shape and dtype of a tensor as one shared object, so that is compares them ----------------------


class Meta:
    """Shape and dtype of a tensor, interned: equal ones of one layout are one object, so ``is``
    compares. One that ``repeats`` its items along a dim lies in memory as numpy would not lay out
    results; ``plain`` ones have a dim and do not."""

    __slots__ = ("dtype", "floating", "ndim", "numel", "plain", "repeats", "shape")

    def __init__(
        self, shape: tuple[int, ...], dtype: np.dtype[np.generic], layout: Any = None
    ) -> None:
        self.shape = shape
        self.repeats = layout is not None and 0 in layout
        self.dtype = dtype
        self.ndim = len(shape)
        self.plain = self.ndim > 0 and not self.repeats
        self.floating = dtype.kind == "f"
        numel = 1
        for size in shape:
            numel *= size
        self.numel = numel


META_LIMIT = 10_000
_metas: dict[tuple[tuple[int, ...], int, Any], Meta] = {}


def meta_of(data: np.ndarray) -> Meta:
    """The interned Meta of an array."""
    layout = None if data.flags.c_contiguous else data.strides
    found = _metas.get((data.shape, data.dtype.num, layout))
    if found is None:
        found = meta(data.shape, np.dtype(data.dtype.type), layout)
    return found


def meta(shape: tuple[int, ...], dtype: np.dtype[np.generic], layout: Any = None) -> Meta:
    """The interned Meta of a shape and dtype. ``layout`` keeps those apart that do not lie in C
    order: what is computed from tensors of one Meta lies in memory as they do."""
    key = (shape, dtype.num, layout)
    found = _metas.get(key)
    if found is None:
        if len(_metas) >= META_LIMIT:  # equal but distinct Metas only cost the fast path
            _metas.clear()
        found = _metas.setdefault(key, Meta(shape, dtype, layout))
    return found


# -------------------------------------------------------------------------------------------------
OWN = "own"
"""Says that a gradient has its tensor's type."""

BY_BASE = "by its base"
"""Value of ``_requires_grad`` for a view without history, made under ``no_grad``, that requires
grad because its base does: nodes have no edge for it."""


class GradHooks:
    """Hooks that run when a gradient reaches a target, in PyTorch's order.

    A leaf keeps those registered on itself (``tensor``, ``accumulated``) and shares them with the
    AccumulateGrad of the moment; those of a node go with the node.
    """

    __slots__ = ("accumulated", "dtype", "outputs", "post", "pre", "retain", "tensor")

    def __init__(self, shared: GradHooks | None = None) -> None:
        self.tensor: dict[int, Callable[..., Any]] = {} if shared is None else shared.tensor
        self.retain: weakref.ref[TensorBase] | None = None
        """The tensor that called ``retain_grad``."""
        self.pre: dict[int, Callable[..., Any]] = {}
        self.accumulated: dict[int, Callable[..., Any]]
        self.accumulated = {} if shared is None else shared.accumulated
        self.post: dict[int, Callable[..., Any]] = {}
        self.outputs: dict[int, GradHooks] = {}
        """Of a node with several outputs, those of each."""
        self.dtype: Any = OWN
        """The type set for a leaf's gradient; None for any."""


class TensorBase:
    """A tensor: an array with a history."""

    __slots__ = (
        "__dict__",  # users set attributes on tensors
        "__weakref__",
        "_accumulator",  # of a leaf: a weak reference to the AccumulateGrad of the moment
        "_counter",  # the VersionCounter of its storage, or None until it is asked for
        "_data",  # the numbers, an ndarray
        "_grad",  # `.grad`: a Tensor or None
        "_hooks",  # of a leaf: its own GradHooks, or None
        "_meta",  # shape and dtype, interned
        "_node",  # what made it: a Node, an Output of a node with several, or None for a leaf
        "_rec",  # what an observer keeps of it
        "_requires_grad",  # True, False or BY_BASE
        "_view",  # of a view: its ViewInfo, the base and how it is seen from there
    )

    _data: np.ndarray
    _meta: Meta
    _counter: Any
    _node: Any
    _requires_grad: Any
    _grad: Any
    _hooks: GradHooks | None
    _view: Any
    _accumulator: Any
    _rec: Any

    if TYPE_CHECKING:  # the methods, which come from the rooms above

        def __getattr__(self, name: str) -> Any: ...


def dtype_of_grad(tensor: TensorBase, given: np.dtype[Any]) -> np.dtype[Any]:
    """The type of a tensor's gradient that came in a ``given`` type: the tensor's own, unless
    another one, or any, was set for a leaf."""
    hooks = tensor._hooks
    if hooks is None or hooks.dtype is OWN:
        return tensor._data.dtype
    return given if hooks.dtype is None else hooks.dtype


class NodeBase:
    """A node of the backward graph, which users see as ``grad_fn``: how the gradients of one call's
    inputs follow from that of its output. Subclasses add slots for each value they save:
    ``saved_NAME``, and ``version_NAME`` for how often its storage had been written by then."""

    __slots__ = (
        "__weakref__",
        "_dict",  # the user's own notes: `metadata`
        "_rec",  # what an observer keeps of it
        "fit",  # for each target, the Meta its gradient must have, or None
        "grad",  # during a run: the gradient that has arrived so far
        "hooks",  # GradHooks, or None
        "mark",  # the number of the latest run that reached it
        "next",  # the targets of its gradients (generated nodes keep each in a slot: next0, next1)
        "seq",  # when it was made; a run goes from high to low
        "written_view",  # if it wrote a view in place: weakly, the node of that view's own history
    )

    next: tuple[Any, ...]
    fit: tuple[Meta | None, ...] | None
    seq: float
    grad: Any
    hooks: GradHooks | None
    mark: int
    _rec: Any
    _dict: dict[str, Any]
    written_view: weakref.ref[Any]

    if TYPE_CHECKING:  # the slots of the generated classes, and what nodes do

        def __getattr__(self, name: str) -> Any: ...


class RunBase:
    """A backward run, as hooks and observers see it."""

    _rec: Any
    """Data of the observer."""
    create_graph: bool
    """True if the run records its own graph, for derivatives of higher order."""
    given: dict[int, Any]
    """Tensors the user gave as gradients, by the id of their array: what arrives unchanged is the
    user's own tensor again."""

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...


# RemovableHandle ---------------------------------------------------------------------------------

_ids = itertools.count()


class RemovableHandle:
    """Removes a hook: ``handle.remove()``, any number of times, or as a context manager."""

    def __init__(
        self,
        hooks: dict[int, Callable[..., Any]],
        hook: Callable[..., Any],
        flags: tuple[dict[int, bool], ...] = (),
    ) -> None:
        self.id = next(_ids)
        hooks[self.id] = hook
        for each in flags:
            each[self.id] = True
        self._within: tuple[dict[int, Any], ...] = (hooks, *flags)

    def remove(self) -> None:
        """Remove the hook; does nothing the second time."""
        for each in self._within:
            each.pop(self.id, None)

    def __reduce__(self) -> tuple[Any, ...]:
        return restore_handle, (self.id, self._within)

    def __enter__(self) -> RemovableHandle:
        return self

    def __exit__(self, *exc: object) -> None:
        self.remove()


def restore_handle(number: int, within: tuple[dict[int, Any], ...]) -> RemovableHandle:
    """A handle out of a pickle, or a copy; new ones get higher numbers."""
    global _ids
    made = RemovableHandle.__new__(RemovableHandle)
    made.id, made._within = number, within
    _ids = itertools.count(max(number + 1, next(_ids)))
    return made


RemovableHandle.__module__ = "torch.utils.hooks"
