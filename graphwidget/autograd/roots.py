"""Arguments of ``backward`` and ``grad``: edges, checks, and the order of nodes they lead to."""

from __future__ import annotations

import itertools
import math
import weakref
from collections.abc import Iterable, Mapping, Sequence
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np

from ..arrays.dtypes import default_numpy
from ..arrays.kernel_errors import type_name
from ..arrays.size import Size
from ..graph import runtime
from ..graph.base import dtype_of_grad
from ..graph.errors import no_graph_error
from ..graph.node import AccumulateGrad, Node, Output, output_of, target_of
from ..graph.tensor import Tensor
from ..graph.views import refresh

# Gradient edges: GradientEdge and get_gradient_edge ----------------------------------------------


class GradientEdge(NamedTuple):
    """A place in the graph where a gradient flows: output ``output_nr`` of ``node``. Stands for a
    tensor in ``backward`` and ``grad`` without keeping the tensor itself.

    ``ownership_token`` is anything that must live as long.
    """

    node: Node
    output_nr: int
    ownership_token: Any = None


_known: weakref.WeakKeyDictionary[Node, dict[int, tuple[Any, runtime.Meta]]]
_known = weakref.WeakKeyDictionary()
"""Outputs of nodes that are known: where their gradients collect, and their form."""


def get_gradient_edge(tensor: Any) -> GradientEdge:
    """The place where the gradient of a tensor flows; for a leaf, its AccumulateGrad.

    Raises:
        RuntimeError: the tensor does not require grad.
        AssertionError: it is a view made under ``no_grad``, which has no history.
    """
    if not tensor.requires_grad:
        raise RuntimeError(
            "It is not possible to get the gradient edge for a Tensor that does not require "
            "gradients"
        )
    target = target_of(refreshed(tensor))
    if target is None:
        raise AssertionError("Expected gradient function to be set")
    node = target.node if isinstance(target, Output) else target
    outputs = _known.setdefault(node, {})
    outputs[tensor.output_nr] = weakref.ref(target), tensor._meta
    return GradientEdge(node, tensor.output_nr)


def refreshed(tensor: Tensor) -> Tensor:
    """The tensor itself, its history up to date."""
    if tensor._view is not None:
        refresh(tensor)
    return tensor


def checked_node(edge: GradientEdge) -> Node:
    """The edge's node.

    Raises:
        RuntimeError: it is none.
    """
    if not isinstance(edge.node, Node):
        raise RuntimeError(
            "GradientEdge's first object must be an autograd.graph.Node but got "
            f"{type(edge.node).__name__}"
        )
    return edge.node


def meta_at(edge: GradientEdge) -> runtime.Meta | None:
    """Shape and dtype of what flows there, where it is known."""
    known = _known.get(checked_node(edge), {}).get(edge.output_nr)
    return None if known is None else known[1]


def target_at(edge: GradientEdge) -> Any:
    """Return the target in which the gradient collects."""
    node = checked_node(edge)
    known = _known.get(node, {}).get(edge.output_nr)
    target = None if known is None else known[0]()
    return node.output(edge.output_nr) if target is None else target


# The order in which a backward run visits nodes, and which of them it needs ----- ----------------

_marks = itertools.count(1).__next__
SEQUENCE = attrgetter("seq")


def collect(roots: Sequence[Any]) -> list[Any]:
    """All targets reachable from the roots in the order in which they will run.

    One thread at a time: leaves shared between threads carry a run's order for a moment.
    """
    mark = _marks()
    order: list[Any] = []
    for root in roots:
        if root.mark != mark:
            root.mark = mark
            order.append(root)
            if root.__class__ is AccumulateGrad:
                root.seq = math.inf
    for target in order:  # which grows meanwhile
        target.collect(mark, order)
    order.sort(key=SEQUENCE, reverse=True)
    return order


def nodes_needed_for(
    captures: Iterable[Any], order: list[Any], roots: Sequence[Any], into_grad: bool
) -> tuple[list[Any], set[Any]]:
    """The part of an order on the way to wanted targets, and those in it that must really run.

    The inputs of ``inputs=`` (``into_grad``) run, too, and a single root's tensor hooks are called
    in any case, as PyTorch does.
    """
    wanted, through = set(captures), set()
    if into_grad:  # then the node of an output runs, too
        wanted |= {target.node for target in wanted if target.__class__ is Output}
    # PyTorch looks for a tensor's gradient at its node: the hooks of all its outputs run.
    nodes = {target.node for target in wanted if target.__class__ is Output}
    needed: set[Any] = set()
    for target in reversed(order):
        if not needed.isdisjoint(target.next):
            through.add(target)
            needed.add(target)
        elif target in wanted or (target.__class__ is Output and target.node in nodes):
            needed.add(target)
            if into_grad:
                through.add(target)
    if len(roots) == 1:
        needed.add(roots[0])
    alone = {node for node in nodes - needed if node.hooks is not None}
    if not alone:
        return [target for target in order if target in needed], through
    found: dict[int, Any] = {}  # by identity: one output may have several equal edges
    for target in order:
        if target.__class__ is Output and target.node in alone:
            found |= {id(each): each for each in hooked_outputs(target, needed)}
        if target in needed:
            found[id(target)] = target
    return list(found.values()), through


def hooked_outputs(output: Output, targets: set[Any]) -> list[Output]:
    """The outputs of this one's node that have hooks, in the order in which they got them: those
    among the targets, and new ones for those that nothing reaches."""
    node, there = output.node, {each: each for each in targets}
    found = []
    for nr, hooks in node._hooks().outputs.items():
        made = output_of(node, nr)
        made.hooks = hooks
        found.append(there.get(made, made))
    return found


# -------------------------------------------------------------------------------------------------
NOT_AN_INPUT = "all inputs have to be Tensors or GradientEdges, but got {}"
NOT_SCALAR = "grad can be implicitly created only for scalar outputs"
MISMATCH = "Mismatch in shape: {} and {}."
MISMATCH_BATCHED = (
    "If `is_grads_batched=True`, we interpret the first dimension of each grad_output as the "
    "batch dimension. The sizes of the remaining dimensions are expected to match the shape of "
    "corresponding output, but a mismatch was detected: {} and {}. If you only want some tensors "
    "in `grad_output` to be considered batched, consider using vmap."
)


def tensors_as_tuple(value: Any) -> tuple[Any, ...]:
    """A tensor or edge alone as a tuple of one."""
    return (value,) if isinstance(value, (Tensor, GradientEdge)) else tuple(value)


def inputs_as_tuple(inputs: Any, name: str) -> tuple[Any, ...]:
    """The wanted inputs: a tensor or edge, several, or a dict's values.

    Raises:
        TypeError: another mapping.
        RuntimeError: there are none.
    """
    if isinstance(inputs, Mapping):
        if type(inputs) is not dict:
            raise TypeError(
                f"`inputs` argument to `{name}()` must be a dict, not {type(inputs).__name__}. "
                "Other Mapping types are not supported."
            )
        inputs = inputs.values()
    wanted = tensors_as_tuple(inputs)
    if not wanted:
        raise RuntimeError(f"`inputs` argument to `{name}()` cannot be empty.")
    return wanted


def grads_as_tuple(grads: Any, count: int) -> tuple[Any, ...]:
    """Gradients as the user gave them, one or several; None stands for none at all."""
    if grads is None:
        return (None,) * count
    return (grads,) if isinstance(grads, Tensor) else tuple(grads)


def seeds_for(
    outputs: Sequence[Any], grads: Sequence[Any], create: bool, batched: bool = False
) -> list[Any]:
    """The gradient of each root: the given one, or 1 for a root of one element. ``batched``: the
    given ones have a first dim more, which is kept.

    Raises:
        TypeError: a gradient is no tensor.
        RuntimeError: wrong shape or number, or a root with several elements has none.
    """
    seeds = []
    for output, grad in zip(outputs, grads, strict=False):
        meta = meta_of_root(output)
        if isinstance(grad, Tensor):
            first = grad[0] if batched else grad
            if meta is not None and first._data.shape != meta.shape:
                shape = Size(first._data.shape[1:] if batched else first._data.shape)
                # PyTorch looks for both by equality, which tensors take for themselves.
                places = tuple(grads).index(grad), tuple(outputs).index(output)
                given = f"grad_output[{places[0]}] has a shape of {shape}"
                wanted = f"output[{places[1]}] has a shape of {Size(meta.shape)}"
                raise RuntimeError(
                    (MISMATCH_BATCHED if batched else MISMATCH).format(given, wanted)
                )
            if meta is not None:
                dtype = meta.dtype
                if isinstance(output, Tensor) and output._node is None:
                    dtype = dtype_of_grad(output, grad._data.dtype)
                if grad._data.dtype != dtype:
                    grad = runtime.tensors.to_copy(grad, dtype)
            seeds.append(grad if create or batched else grad._data)
        elif grad is None:
            seeds.append(implicit_seed(output, meta, create))
        else:
            raise TypeError(
                f"gradients can be either Tensors or None, but got {type(grad).__name__}"
            )
    if len(outputs) > len(grads):
        raise RuntimeError(f"got {len(outputs)} tensors and {len(grads)} gradients")
    return seeds


def implicit_seed(output: Any, meta: runtime.Meta | None, create: bool) -> Any:
    """1, the gradient of a root of one element that was given none.

    Raises:
        RuntimeError: it has more elements.
    """
    if isinstance(output, Tensor):
        if output.requires_grad and output._data.size != 1:
            raise RuntimeError(NOT_SCALAR)
        ones = np.ones_like(output._data)
    else:
        if meta is not None and meta.numel != 1:
            raise RuntimeError(NOT_SCALAR)
        ones = np.ones((), default_numpy()) if meta is None else np.ones(meta.shape, meta.dtype)
    return Tensor._wrap(ones) if create else ones


def meta_of_root(output: Any) -> runtime.Meta | None:
    """Shape and dtype of a root; None for an edge where it is unknown."""
    if isinstance(output, GradientEdge):
        return meta_at(output)
    if not isinstance(output, Tensor):
        raise AssertionError("Expected output to be a torch.Tensor")
    return output._meta


def roots_of(outputs: Sequence[Any]) -> list[Any]:
    """Return where the gradients of the roots go.

    Raises:
        RuntimeError: a root does not require grad.
    """
    roots = []
    for i, output in enumerate(outputs):
        if isinstance(output, GradientEdge):
            target = target_at(output)
        else:
            target = target_of(refreshed(output))  # a view may need a new history first
        if target is None:
            raise no_graph_error(i, output)
        roots.append(target)
    return roots


def tensors_named(outputs: Sequence[Any], wanted: Sequence[Any] | None) -> dict[str, Any]:
    """The Tensors that the caller named, where they are all Tensors."""
    tensors = outputs if all(isinstance(each, Tensor) for each in outputs) else ()
    if wanted is not None and not all(isinstance(each, Tensor) for each in wanted):
        wanted = None
    return {"tensors": tensors, "inputs": wanted}


def targets_of(inputs: Sequence[Any]) -> list[Any]:
    """Return where the gradients of the wanted inputs arrive.

    Raises:
        RuntimeError: one is no tensor or does not require grad.
    """
    targets = []
    for each in inputs:
        if isinstance(each, GradientEdge):
            targets.append(target_at(each))
            continue
        if not isinstance(each, Tensor):
            raise RuntimeError(NOT_AN_INPUT.format(type_name(each)))
        target = target_of(refreshed(each))
        if target is None and not each.requires_grad:
            raise RuntimeError("One of the differentiated Tensors does not require grad")
        # No path reaches a view made under no_grad.
        targets.append(object() if target is None else target)
    return targets


def leaves_of(tensor: Tensor) -> set[Any]:
    """The leaves that a backward from this tensor would reach."""
    with runtime.lock:
        return {
            end.variable for end in collect(roots_of([tensor])) if end.__class__ is AccumulateGrad
        }
