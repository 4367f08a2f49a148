"""Views: how a tensor that shares its base's storage keeps the right history.

A view remembers its base and the chain of view ops that leads from the base to it. When the base
(or another view of it) is written in place, the view's own node is out of date; it is made anew
when it is next read, as one ``AsStridedBackward0`` on the base's present node, whose backward
runs the chain's derivatives in reverse.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..arrays.memory_order import (
    OVERLAP,
    copy_in_order,
    has_internal_overlap,
    is_in_order,
    memory_of,
    memory_order,
    torch_strides,
)
from ..optable.declare import ARRAYS, TABLE, Op, bind
from . import errors, runtime
from .base import BY_BASE, TensorBase
from .input_buffers import differentiable_copy
from .node import Node, NoGradViewEnd, target_of
from .version import InferenceCounter, counter_of

new_tuple = tuple.__new__

START = "Output {nr} of {name} is a view"
WITHOUT_GRAD = {
    "no_grad": "was created in no_grad mode and {what} modified inplace with grad mode enabled.",
    "inference": "was created in inference mode and {what} modified inplace in normal mode.",
}
AMBIGUOUS = (
    "Given that this use case is ambiguous and error-prone, it is forbidden. You can clarify your "
    "code by moving both the view and the inplace either both inside the {mode} block (if you "
    "don't want the inplace to be tracked) or both outside (if you want the inplace to be tracked)."
)
CLONE = "You should replace the inplace operation by an out-of-place one."
REASONS = {
    "multi": "This view is the output of a function that returns multiple views. Such functions do "
    "not allow the output views to be modified inplace. " + CLONE,
    "no_grad": AMBIGUOUS.format(mode="no_grad"),
    "inference": AMBIGUOUS.format(mode="inference_mode"),
    "function": "This view was created inside a custom Function (or because an input was returned "
    "as-is) and the autograd logic to handle view+inplace would override the custom backward "
    "associated with the custom Function, leading to incorrect gradients. This behavior is "
    "forbidden. You can fix this by cloning the output of the custom Function.",
}
WRITTEN = "is being"
BASE_WRITTEN = "its base or another view of its base has been"


class Link(NamedTuple):
    """One view op between base and view: replayed forward by its kernel or its record function,
    backward by its derivative. ``shape`` and ``strides`` are those of the op's input.

    Views that come several at a time (``unbind``) may never be written with history, so their
    links are never replayed.
    """

    op: Op
    params: dict[str, Any]
    shape: tuple[int, ...]
    strides: tuple[int, ...]

    def backward(self, grad: Any, namespace: Any) -> Any:
        """The gradient of the op's input from that of its output."""
        derivative = next(iter(self.op.derivatives.values()))
        given = {**self.params, "grad": grad, f"{derivative.input}_shape": self.shape}
        formula = bound_formula(derivative.formula, namespace)
        return formula(*(given[need] for need in derivative.needs))


_bound: dict[tuple[int, int], Callable[..., Any]] = {}


def bound_formula(formula: Callable[..., Any], namespace: Any) -> Callable[..., Any]:
    """``bind``, remembered."""
    key = (id(formula), id(namespace))
    found = _bound.get(key)
    if found is None:
        found = _bound[key] = bind(formula, namespace)
    return found


class ViewInfo:
    """Relation of a view to its base.

    ``version`` is the one for which the view's node is valid; ``origin`` says how it was made:
    ``default``, in a mode (``no_grad``, ``inference``), as one of several views (``multi``) or
    within a custom Function (``function``), see `REASONS`; ``label`` is (output number, node name)
    for messages; ``own_requires_grad`` says that the view itself was set to require grad, rather
    than its base.
    """

    __slots__ = ("base", "chain", "label", "origin", "own_requires_grad", "version")

    def __init__(
        self, source: TensorBase, link: Link, origin: str, version: int, nr: int = 0
    ) -> None:
        info = source._view
        self.base: TensorBase = source if info is None else info.base
        self.chain: tuple[Link, ...] = (link,) if info is None else (*info.chain, link)
        self.origin = origin
        if info is not None and origin == "default":
            self.origin = info.origin  # a view of a restricted view is restricted likewise
        self.own_requires_grad = False
        self.label = (nr, link.op.node)
        self.version = version

    def complaint(self, what: str, node: Any) -> str:
        """PyTorch's text for a forbidden write to this view, whose node is given, or its base."""
        start = START.format(nr=self.label[0], name=errors.short_node_name(self.label[1]))
        if self.origin in WITHOUT_GRAD or node is None:
            start = "A view" if node is None else start + " of a view which"
            mode = self.origin if self.origin in WITHOUT_GRAD else "no_grad"
            first = f"{start} {WITHOUT_GRAD[mode].format(what=what)}"
        else:
            first = f"{start} and {what} modified inplace."
        return f"{first} {REASONS[self.origin]}"


def as_view(
    out: TensorBase, source: TensorBase, op: Any, params: dict[str, Any], nr: int = 0
) -> None:
    """Make ``out`` a view of ``source``: one counter, and a chain that leads to it."""
    counter = out._counter = counter_of(source)
    if isinstance(counter, InferenceCounter):
        if counter.__class__ is not InferenceCounter:
            out._counter = InferenceCounter()
        out._node, out._requires_grad = None, False
        return  # such a tensor, leaves with gradients among them, has no list of views
    origin = "default" if op.single else "multi"
    if not runtime.mode.enabled:
        origin = "inference" if runtime.mode.inference else "no_grad"
    # As Link(...) makes it, without a call in between.
    link = new_tuple(Link, (op, params, source._meta.shape, source._data.strides))
    info = out._view = ViewInfo(source, link, origin, counter.version, nr)
    if info.base._requires_grad:
        out._requires_grad = True if out._node is not None else BY_BASE


def as_expanded_view(tensor: TensorBase) -> None:
    """Make a tensor that repeats items, as gradients of sums do, a view of those items, which
    PyTorch's ``expand`` made without recording. One without repeated items stays as it is."""
    data = tensor._data
    repeated = [step == 0 and size > 1 for step, size in zip(data.strides, data.shape, strict=True)]
    if not any(repeated) or not data.size:
        return
    base: TensorBase = runtime.Tensor._wrap(
        data[tuple(0 if each else slice(None) for each in repeated)]
    )
    base._counter = tensor._counter
    link = Link(TABLE["expand"], {"shape": data.shape}, base._data.shape, base._data.strides)
    tensor._view = ViewInfo(base, link, "no_grad", counter_of(base).version)


class AsStridedBackward0(Node):
    """The regenerated history of a view: the whole chain from the base in one node."""

    __slots__ = ("chain", "order", "view")
    single = True

    def __init__(self, info: ViewInfo, target: Any, view: np.ndarray) -> None:
        self.start((target,))
        self.chain = chain_from(info.base, info.chain)
        self.order = memory_order(info.base._data.shape, info.base._data)
        offset = view.ctypes.data - memory_of(view).ctypes.data if view.size else 0
        real = torch_strides(view.shape, view.strides, view.itemsize)
        strides = tuple(stride // view.itemsize for stride in real)
        self.view = {
            "size": view.shape, "storage_offset": offset // view.itemsize, "stride": strides
        }  # fmt: skip

    @classmethod
    def saved_names(cls) -> list[str]:
        return ["size", "storage_offset", "stride"]

    def read_saved(self, name: str) -> Any:
        return self.view[name] if name in self.view else super().read_saved(name)

    def backward_arrays(self, grad: Any, keep: bool) -> Any:
        for link in reversed(self.chain):
            grad = link.backward(grad, ARRAYS)
        return grad if is_in_order(grad, self.order) else copy_in_order(grad, self.order)

    def backward_tensors(self, grad: Any, keep: bool) -> Any:
        if not grad._data.size:  # zeros, whatever they came from
            return runtime.Tensor._wrap(np.zeros(self.chain[0].shape, grad._data.dtype))
        for link in reversed(self.chain):
            grad = link.backward(grad, runtime.tensors)
        if is_in_order(grad._data, self.order):
            return grad
        grad = runtime.tensors.clone(grad)
        grad._replace_memory(copy_in_order(grad._data, self.order))
        return grad


def refresh(view: TensorBase) -> None:
    """Bring a view's ``requires_grad`` and node up to date with its base.

    Raises:
        RuntimeError: the view may not be used after its base was written (PyTorch's texts).
    """
    info = view._view
    assert info is not None
    base = info.base
    if not base._requires_grad and view._node is None:
        view._requires_grad = info.own_requires_grad
        return
    if info.version != view._counter.version:
        with runtime.lock:
            if info.version != view._counter.version:
                regenerate_node(view, info)
    view._requires_grad = True if view._node is not None or info.own_requires_grad else BY_BASE


def regenerate_node(view: TensorBase, info: ViewInfo) -> None:
    """Give a view a new node on its base's present one.

    Raises:
        RuntimeError: the view may not be used after its base was written (PyTorch's texts).
    """
    base, version = info.base, counter_of(view).version
    if info.origin != "default":
        raise RuntimeError(info.complaint(BASE_WRITTEN, view._node))
    target = target_of(base)
    if target is None:  # the base was cut from its history
        target = NoGradViewEnd()
        target.start(())
    keeps = take_retain_grad(view)
    view._node = AsStridedBackward0(info, target, view._data)
    if keeps is not None:
        view._node._hooks().retain = keeps
    info.version = version


def take_retain_grad(tensor: TensorBase) -> Any:
    """Take the wish to retain the gradient off a tensor's present node, to give it to the next."""
    hooks = None if tensor._node is None else tensor._node.hooks
    if hooks is None or hooks.retain is None or hooks.retain() is not tensor:
        return None
    keeps, hooks.retain = hooks.retain, None
    return keeps


def refresh_for_op(view: TensorBase) -> None:
    """``refresh`` for an operand: without grad mode its history is not needed."""
    if runtime.mode.enabled:
        refresh(view)


def check_writable(tensor: TensorBase, op: str) -> None:
    """Refuse an in-place write that autograd cannot follow. Grad mode is on and the write or
    the tensor requires grad.

    Raises:
        RuntimeError: a leaf that requires grad, a view of one, or a restricted view.
    """
    info = tensor._view
    if info is not None:
        if info.origin != "default":
            raise RuntimeError(info.complaint(WRITTEN, tensor._node))
        if tensor.requires_grad and info.base._node is None:
            raise errors.leaf_write_error(tensor, op, errors.LEAF_VIEW)
    # A view without a history of its own, whose base has got one since, counts as a leaf.
    if tensor.requires_grad and tensor._node is None:
        raise errors.leaf_write_error(tensor, op)


def chain_from(base: TensorBase, chain: tuple[Link, ...]) -> tuple[Link, ...]:
    """The chain that leads from the base as it is now: where its sizes and strides were changed in
    place since, as they were comes first."""
    data, first = base._data, chain[0]
    if data.shape == first.shape and data.strides == first.strides:
        return chain
    then, now = (
        tuple(stride // data.itemsize for stride in strides)
        for strides in (first.strides, data.strides)
    )
    params = {
        "size": first.shape, "stride": then, "storage_offset": None,
        "_geometry": (data.shape, now, 0),
    }  # fmt: skip
    return (Link(TABLE["as_strided"], params, data.shape, data.strides), *chain)


class CopySlices(Node):
    """The base's node after a write through one of its views.

    ``function`` is the written op's own node; the part of the gradient that belongs to the
    view goes through it, the rest passes unchanged. ``passes`` says whether the base had a
    history (or is a leaf) that the gradient flows on to.
    """

    __module__ = "builtins"

    __slots__ = ("always", "chain", "function", "order", "others", "passes")

    def __init__(self, base: TensorBase, info: ViewInfo, function: Node) -> None:
        target = target_of(base)
        self.passes = target is not None
        own = function.input_targets[0]
        others = function.next[1:] if own is not None else function.next
        self.start((target, *others) if self.passes else others)
        if function.fit is not None:
            rest = function.fit[1:] if own is not None else function.fit
            self.fit = (None, *rest) if self.passes else rest
        self.chain = chain_from(base, info.chain)
        # The chain is replayed on a gradient, which must lie in memory as the base does.
        self.order = memory_order(base._data.shape, base._data)
        self.others = tuple(slot is not None for slot in function.input_targets[1:])
        self.function: Node | None = function
        self.always = function.always

    def name(self) -> str:
        return "torch::autograd::CopySlices"

    @property
    def input_targets(self) -> tuple[Any, ...]:
        left = iter(self.next)
        first = next(left) if self.passes else None
        return (first, *(next(left) if there else None for there in self.others))

    def _function(self) -> Node:
        if self.function is None:
            raise errors.freed_error(self)
        return self.function

    def pass_nothing(self, keep: bool) -> None:
        self._function().pass_nothing(True)
        if not keep:
            self.release()

    def release(self) -> None:
        self.function = None

    def _refuses(self, part: np.ndarray) -> bool:
        """Return whether the view's gradient cannot be written, though that of the base is
        wanted."""
        if not has_internal_overlap(part):
            return False
        run = runtime.current_run()
        return run is None or run.present is None or self.next[0] in run.present

    def backward_arrays(self, grad: Any, keep: bool) -> Any:
        function = self._function()
        whole = copy_in_order(grad, self.order)
        part = whole
        for link in self.chain:
            part = link.op.kernel(part, **link.params)
        # The function keeps what it saved: its own result may have led a gradient to it.
        found = function.backward_arrays(part.copy(), True)
        self.function = function if keep else None  # an error leaves it as it was
        found = (found,) if function.single else found
        if function.input_targets[0] is None:
            part[...] = 0
            return (whole, *found) if self.passes else found
        own = found[0]
        if self._refuses(part):
            raise RuntimeError(OVERLAP)
        part[...] = own if function.fit is None else runtime.fit_to(own, function.fit[0])
        return (whole, *found[1:]) if self.passes else found[1:]

    def _part(self, whole: TensorBase) -> TensorBase:
        """The view's part of a gradient, as PyTorch takes it: in one step, by its strides."""
        data = whole._data
        for link in self.chain:
            data = link.op.kernel(data, **link.params)
        if data.dtype == whole._data.dtype:
            begin = data.ctypes.data - whole._data.ctypes.data
            strides = tuple(each // data.itemsize for each in data.strides)
            whole = runtime.as_strided(whole, data.shape, strides, begin // data.itemsize)
        else:
            for link in self.chain:
                record = getattr(runtime.tensors, link.op.key.replace(".", "_"))
                whole = record(whole, **link.params)
        return whole

    def backward_tensors(self, grad: Any, keep: bool) -> Any:
        function = self._function()
        whole = differentiable_copy(grad)
        whole._replace_memory(copy_in_order(whole._data, self.order))
        part = self._part(whole)
        found = function.backward_tensors(runtime.tensors.clone(part), True)
        self.function = function if keep else None
        found = (found,) if function.single else found
        if function.input_targets[0] is None:
            part.zero_()
            return (whole, *found) if self.passes else found
        if not has_internal_overlap(part._data) or self._refuses(part._data):
            part.copy_(found[0])
        return (whole, *found[1:]) if self.passes else found[1:]


def rebase(info: ViewInfo, function: Node) -> None:
    """Give the base the history of a write through a view; other views follow when looked at."""
    base = info.base
    keeps = take_retain_grad(base)
    base._node = CopySlices(base, info, function)
    if keeps is not None:
        base._node._hooks().retain = keeps
    base._requires_grad = True
