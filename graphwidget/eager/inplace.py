"""In-place writes: one function for every op that the table lets write.

The order is PyTorch's: check, make the node (it saves what it needs as it was before the write),
write, count the version, rebase the history.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from functools import cache, partial
from types import FunctionType
from typing import Any

import numpy as np

from ..arrays import dtypes
from ..arrays.kernel_errors import broadcast_shape
from ..arrays.memory_order import (
    check_overlap,
    clone,
    has_internal_overlap,
    is_same_memory,
    may_interleave,
)
from ..arrays.scalars import scalar_array
from ..graph import errors, runtime, saved_hooks
from ..graph.node import Node, on_data_replaced, save_input, save_output
from ..graph.tensor import Tensor
from ..graph.version import bump, counter_of
from ..graph.views import Link, check_writable, rebase, refresh_for_op, take_retain_grad
from ..optable import TABLE, Op
from ..optable.declare import parameters_of
from ..optable.pointwise.copies import is_zero_tensor
from ..optable.shape.indexing import put_into
from .op_functions import TENSORS, node_maker
from .promote import CAST, as_tensors, cast_to, promotion_of, quiet_kernel


def write(op: Op, tensor: Tensor, rest: tuple[Any, ...], params: dict[str, Any]) -> Tensor:
    """Write ``op(tensor, *rest, **params)`` into ``tensor`` and return it.

    Raises:
        RuntimeError: autograd cannot follow (leaves, restricted views), the result does not fit
            in shape or type, or operands overlap in part. Nothing was changed then.
    """
    operands: tuple[Tensor, ...] = (tensor, *rest)
    if op.pointwise and rest:
        operands = as_tensors(op, operands)
    wanted = needs_node(op, operands)
    if tensor._data.__class__ is not np.ndarray and is_zero_tensor(tensor._data):
        raise errors.zero_tensor_error(op.name)
    put, fit = prepare_write(op, tensor, operands, params)
    node = node_maker(op.key)(*operands, *params.values(), fit) if wanted else None
    if node is not None:
        clone_old_value(node, op, tensor)
        if saved_hooks.contexts.stack:  # the user's saved_tensors_hooks
            saved_hooks.PACKING.called(op, operands, params, (), node)
    try:
        put()
    except ValueError as error:
        raise errors.read_only_error(error, tensor._data, op.name) from None
    bump(tensor, op.name + "_")
    info = tensor._view
    if node is not None:
        set_history(tensor, node)
    if runtime.observer is not None:
        base = None if info is None else info.base
        runtime.observer.wrote(op, tensor, operands, params, base, node)
    return tensor


def needs_node(op: Op, operands: tuple[Tensor, ...]) -> bool:
    """Return whether a write into the first operand needs a node.

    Raises:
        RuntimeError: autograd cannot follow (leaves, restricted views).
    """
    if not runtime.mode.enabled or op.writes_leaves:
        return False
    for operand in operands:
        view = operand._view
        if operand._requires_grad or (view is not None and view.base._requires_grad):
            break
    else:
        return False
    differentiable = [x for x, name in zip(operands, op.inputs, strict=True)
                      if name in op.derivatives]  # fmt: skip
    # A copy into integers has no gradient; other ops make them require it, as PyTorch's do.
    wanted = op.name != "copy" or operands[0]._meta.floating
    wanted = wanted and any(x.requires_grad for x in differentiable)
    if wanted or operands[0].requires_grad:
        check_writable(operands[0], op.name + "_")
    for operand in operands:
        if operand._view is not None:
            refresh_for_op(operand)
    return wanted


def reshape_needs_node(tensor: Tensor, op: str) -> bool:
    """Return whether a change of the tensor's own sizes needs a node; PyTorch asks before it looks
    at the sizes.

    Raises:
        RuntimeError: autograd cannot follow (as for ``write``).
    """
    wanted: bool = runtime.grad_enabled() and tensor.requires_grad
    if wanted:
        check_writable(tensor, op)
    if tensor._view is not None:
        refresh_for_op(tensor)
    return wanted


def reshape_in_place(key: str, tensor: Tensor, **params: Any) -> Tensor:
    """Make the tensor itself what the view op gives (``t_``, ``squeeze_``): its values stay, its
    sizes and strides change, the version counts.

    Raises:
        RuntimeError: autograd cannot follow (as for ``write``).
    """
    op = TABLE[key]
    wanted = reshape_needs_node(tensor, op.name + "_")
    node = node_maker(key)(tensor, *params.values(), None) if wanted else None
    before, strides = tensor._meta, tensor._data.strides
    tensor._data = op.kernel(tensor._data, **params)
    tensor._meta = runtime.meta_of(tensor._data)
    bump(tensor, op.name + "_")
    info = tensor._view
    if info is not None:  # the base's history stays; its next write replays the longer chain
        info.chain = (*info.chain, Link(op, params, before.shape, strides))
    if node is None and (info is None or tensor._node is None):
        on_data_replaced(tensor, before)
    if node is not None:  # as in PyTorch, what retains its gradient goes on doing so where it was
        tensor._node, tensor._requires_grad = node, True
        if info is not None:
            info.version = counter_of(tensor).version
    if runtime.observer is not None:
        runtime.observer.wrote(
            op, tensor, (tensor,), params, None if info is None else info.base, node
        )
    return tensor


def prepare_write(
    op: Op, tensor: Tensor, operands: tuple[Tensor, ...], params: dict[str, Any]
) -> tuple[Callable[[], Any], Any]:
    """Return a function that writes the new values, which are checked to fit, and the sizes that
    gradients must be reduced to. All that may fail is done here; the write itself does not fail."""
    data = tensor._data
    if op.key == "index_put":  # only the items at the indices: others may share their memory
        return partial(put_into, data, operands[1]._data, **params), None
    if not op.pointwise:  # these may not read what they write at all, but for a number
        if op.overlap != "anything":
            check_overlap(data, [])
            if op.overlap != "operands":
                check_overlap(data, [x._data for x in operands[1:]], whole=True)
        metas = tuple(x._meta for x in operands)
        given = zip(op.inputs, metas, strict=True)
        same = all(meta.dtype is tensor._meta.dtype for name, meta in given
                   if name in op.derivatives)  # fmt: skip
        fit = None if same else metas
        result = quiet_kernel(op.key)(*(x._data for x in operands), **params)
        put = put_changed if has_internal_overlap(data) else np.copyto
        return partial(put, data, result, casting="unsafe"), fit
    if op.overwrites:
        return prepare_fill(op, tensor, operands, params)
    tangled = op.overlap != "anything" and (
        check_overlap(data, [x._data for x in operands[1:]]) or may_interleave(data)
    )
    meta = tensor._meta
    if meta.floating and op.guard is None and all(x._meta is meta for x in operands):
        shape, dtype, fit = meta.shape, data.dtype, None
        arrays = [x._data for x in operands]
    else:
        shape, dtype, casts, fit = promotion_of(op, operands)
        check_fits(op, data, shape, data.dtype)  # before the kernel refuses types
        arrays = cast_to(operands, casts)
    if op.dtype != "bool" and dtype.kind == "f":
        check_fits(op, data, shape, dtype)
        if kernel_takes_out(op.kernel) and dtype == data.dtype and not tangled:
            return partial(quiet_kernel(op.key), *arrays, **params, out=data), fit
    out = {"out": ...} if isinstance(op.kernel, np.ufunc) else {}
    result = quiet_kernel(op.key)(*arrays, **params, **out)
    check_fits(op, data, result.shape, result.dtype)
    return partial(np.copyto, data, result, casting="unsafe"), fit


def put_changed(data: np.ndarray, result: np.ndarray, casting: Any) -> None:
    """Write the items that change; others, which do not, may share their memory."""
    alike = (data == result) | ((data != data) & (result != result))
    np.copyto(data, result, casting, where=~alike)


@cache
def kernel_takes_out(kernel: Any) -> bool:
    """Return whether a kernel writes where ``out=`` says, as ufuncs do; on floats none of them
    fails."""
    if kernel is np.negative:  # numpy 2.4's misreads, of its own memory, items 16 or 64 bytes apart
        return False
    return isinstance(kernel, np.ufunc) or (
        isinstance(kernel, FunctionType) and "out" in parameters_of(kernel)
    )


def check_fill_value(value: Any) -> None:
    """The array that ``fill_`` is given must hold one number.

    Raises:
        RuntimeError: it has dims (PyTorch's text).
    """
    if value.ndim:
        raise RuntimeError(
            "fill_ only supports 0-dimension value tensor but got tensor with "
            f"{value.ndim} dimensions."
        )


def prepare_fill(
    op: Op, tensor: Tensor, operands: tuple[Tensor, ...], params: dict[str, Any]
) -> tuple[Callable[[], Any], Any]:
    """``prepare_write`` for a number, a 0-d tensor or a tensor that is copied."""
    data = tensor._data
    if len(operands) == 1:
        item = scalar_array(params["value"], data.dtype) if "value" in params else 0
        return partial(np.copyto, data, item, casting="unsafe"), None
    source = operands[1]._data
    metas = tensor._meta, operands[1]._meta
    fit = None if metas[0] is metas[1] else metas
    if op.name == "copy":
        if not is_same_memory(data, source):
            check_overlap(data, [source])
        check_fits(op, data, broadcast_shape([data.shape, source.shape]), data.dtype)
    else:
        check_fill_value(source)
        check_overlap(data, [])  # a 0-d tensor that is part of what it fills is read before
        fit = None if metas[0].dtype is metas[1].dtype else metas
    return partial(np.copyto, data, source, casting="unsafe"), fit


def check_fits(op: Op, data: np.ndarray, shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
    """Check that a result of this shape and type may be written.

    Raises:
        RuntimeError: PyTorch's texts.
    """
    if shape != data.shape:
        raise errors.shape_error(data.shape, shape)
    if dtype is not data.dtype and not dtypes.can_cast(dtype, data.dtype):
        alone = op.name.startswith("clamp") and len(op.inputs) == 1
        given = (dtypes.c_type if alone else dtypes.scalar_type)(data.dtype)
        raise RuntimeError(CAST.format(result=dtypes.scalar_type(dtype), given=given))


def clone_old_value(node: Node, op: Op, tensor: Tensor) -> None:
    """A formula that needs the old value of what is written gets a private copy."""
    name = op.inputs[0]
    if name in node.saves:
        old = Tensor._wrap(clone(tensor._data))
        if tensor._requires_grad:
            old._node, old._requires_grad = node_maker("clone")(tensor, None), True
        save_input(node, name, old)


def set_history(tensor: Tensor, node: Node) -> None:
    """Give a written tensor its new history; what retains its gradient goes on doing so."""
    # Not retains_grad: it looks at the view's history, which is only now about to change.
    keeps = take_retain_grad(tensor) is not None
    if node.own is not None:
        save_output(node, node.own, tensor)
    if tensor._view is not None:
        rebase(tensor._view, node)
        refresh_for_op(tensor)
        # The result that the node saved has the view's own history (see ``output_edge``).
        node.written_view = weakref.ref(tensor._node)
    else:
        tensor._node, tensor._requires_grad = node, True
    if keeps:  # unobserved: the tensor retains it as before
        tensor._node._hooks().retain = weakref.ref(tensor)


def write_in_formula(key: str, tensor: Tensor, *rest: Any, **params: Any) -> Tensor:
    """``F.write``: formulas write parts of new tensors, where PyTorch's do."""
    op = TABLE[key]
    return write(op, tensor, rest, {**op.params, **params})


TENSORS.__dict__["write"] = write_in_formula


def inplace_method(key: str) -> Callable[..., Tensor]:
    """The in-place method of an op: ``mul_`` from ``mul``."""
    op = TABLE[key]
    count = len(op.inputs) - 1
    names = tuple(op.params)

    def method(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        if not kwargs and not names and len(args) == count:
            return write(op, self, args, {})
        # Operands come by position: the parser of arguments in front of this sees to it.
        given = dict(zip(names, args[count:], strict=False)) | kwargs
        return write(op, self, args[:count], {**op.params, **given})

    method.__name__ = method.__qualname__ = op.name + "_"
    method.__doc__ = f"``{op.name}``, written into this tensor."
    method.__signature__ = op.signature()  # type: ignore[attr-defined]
    return method
