"""Gradient edges: ``GradientEdge`` and ``get_gradient_edge``.

They stand for a tensor's place in the graph without keeping the tensor.
"""

from __future__ import annotations

import weakref
from typing import Any, NamedTuple

from . import runtime
from .node import Node, Output, target_of
from .tensor import Tensor
from .views import refresh


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
    assert target is not None, "Expected gradient function to be set"
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
