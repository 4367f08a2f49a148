"""The functions of ops with a list of inputs (``cat``) or several outputs (``max``).

They are few and never the smallest ones, so closures over the declaration serve them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

from ..graph import errors, runtime
from ..graph.node import Output, edge_of, save_input, save_output
from ..graph.tensor import Tensor
from ..graph.views import as_view, refresh_for_op
from ..optable.declare import REQUIRED, Op
from .constant_absent import ABSENT
from .node_classes import node_class
from .numpy_errors import quiet_kernel


def record_list_input(op: Op) -> Callable[..., Any]:
    """The record function of an op on a list of tensors (``cat``)."""
    class_of, kernel = cache(lambda: node_class(op, op.inputs)), quiet_kernel(op.key)

    names = op.metadata(op.inputs)

    def record(tensors: Any, *args: Any, **params: Any) -> Any:
        tensors = tuple(tensors)
        if args:
            params = {**dict(zip(op.params, args, strict=False)), **params}
        data = kernel([tensor._data for tensor in tensors], **params)
        out = Tensor._wrap(data)
        which = []
        for i, tensor in enumerate(tensors):
            if tensor._view is not None:
                refresh_for_op(tensor)
            if tensor._requires_grad:
                which.append(i)
        node: Any = None
        if which and runtime.mode.enabled:
            if not out._meta.floating:  # a write into them may have asked for gradients
                raise errors.not_differentiable(data.dtype)
            node = class_of()()
            node.start(tuple([edge_of(tensors[i]) for i in which]))
            node.which, node.count, node.unused = tuple(which), len(tensors), ()
            metas = [tensor._meta for tensor in tensors]
            if any(meta.dtype is not out._meta.dtype for meta in metas):
                node.fit = tuple([metas[i] for i in which])
            shapes = {f"_{op.inputs[0]}_shape": tuple([meta.shape for meta in metas])}
            for name in names:
                setattr(node, "p_" + name, params[name] if name in params else shapes[name])
            out._node, out._requires_grad = node, True
        if runtime.observer is not None:
            runtime.observer.called(op, (tensors,), params, (out,), node)
        return out

    return record


def record_several_outputs(op: Op) -> Callable[..., Any]:
    """The record function of an op with several outputs (``max.dim``, ``unbind``)."""
    class_of, kernel = cache(lambda targets: node_class(op, targets)), quiet_kernel(op.key)
    count = len(op.inputs)
    defaults = {name: value for name, value in op.params.items() if value is not REQUIRED}

    def record(*args: Any, **params: Any) -> Any:
        tensors = tuple([ABSENT if tensor is None else tensor for tensor in args[:count]])
        params = {**defaults, **dict(zip(op.params, args[count:], strict=False)), **params}
        found = kernel(*[tensor._data for tensor in tensors], **params)
        shown = found[: len(op.outputs)] if op.kept else found
        outs: tuple[Any, ...] = tuple(
            [None if data is None else Tensor._wrap(data) for data in shown]
        )
        for tensor in tensors:
            if tensor._view is not None:
                refresh_for_op(tensor)
        node: Any = None
        given = dict(zip(op.inputs, tensors, strict=True))
        targets = tuple([name for name in op.derivatives if given[name]._requires_grad])
        if targets and runtime.mode.enabled:
            first = outs[0] if outs else None
            if first is not None and not first._meta.floating:
                raise errors.not_differentiable(first._data.dtype)
            node = class_of(targets)()
            besides = zip(op.kept, found[len(outs) :], strict=True) if op.kept else ()
            given.update((name, Tensor._wrap(data)) for name, data in besides)
            start_node(node, given, outs, params)
        if op.view:
            for nr, out in enumerate(outs):
                as_view(out, tensors[0], op, params, nr)
        if runtime.observer is not None:
            made = tuple([out for out in outs if out is not None])
            runtime.observer.called(op, tensors, params, made, node)
        return outs

    return record


def start_node(
    node: Any, given: Mapping[str, Any], outs: Sequence[Any], params: Mapping[str, Any]
) -> None:
    """Make a node with several outputs part of the graph, and save what it needs: of the tensors
    ``given`` by name, of the outputs and of the metadata."""
    op = node.op
    node.start(tuple([edge_of(given[name]) for name in node.targets]))
    node.metas = [None if out is None else out._meta for out in outs]
    for slot, name, source, what in metadata_slots(node.__class__):
        value = params[name] if name in params else getattr(given[source]._meta, what)
        setattr(node, slot, value)
    for nr, out in enumerate(outs):
        if out is not None and out._meta.floating:
            out._node, out._requires_grad = Output(node, nr), True
    for name in node.saves:
        if name in op.outputs:
            save_output(node, name, outs[op.outputs.index(name)])
        else:
            save_input(node, name, given[name])


@cache
def metadata_slots(cls: Any) -> list[tuple[str, str, str, str]]:
    """The slots for metadata of a node class, each with its name, and with the input and what of
    it is kept there where it is no param (``self_shape``)."""
    pieces = [(name, name.lstrip("_").rpartition("_")) for name in cls.op.metadata(cls.targets)]
    return [("p_" + name, name, source, what) for name, (source, _, what) in pieces]
