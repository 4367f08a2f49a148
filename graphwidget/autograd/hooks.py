"""Calls of the user's hooks on tensors and nodes, in PyTorch's order and with its checks."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays import dtypes
from ..arrays.kernel_errors import type_name
from ..graph import runtime
from ..graph.base import GradHooks, RunBase
from ..graph.node import Node, NoGradViewEnd
from ..graph.version import counter_for_grad
from ..graph.views import as_expanded_view


def as_tensor(run: RunBase | None, grad: Any) -> Any:
    """A gradient as users see it: a Tensor (the one that a user gave, where it came unchanged), or
    None."""
    if grad is None or isinstance(grad, runtime.Tensor):
        return grad
    known = None if run is None else run.given.get(id(grad))
    if known is not None:
        return known
    tensor = runtime.Tensor._wrap(grad)
    tensor._counter = counter_for_grad()
    if 0 in grad.strides:
        as_expanded_view(tensor)
    return tensor


def as_carried(run: RunBase | None, grad: Any) -> Any:
    """A user's gradient as the engine carries it: a Tensor under create_graph, else an array."""
    if grad is None or (run is not None and run.create_graph):
        return grad
    if run is not None and grad._requires_grad:  # later nodes must see that
        run.given[id(grad._data)] = grad
    return grad._data


def hook_name(hook: Any) -> str:
    """The name by which messages call a hook."""
    return getattr(hook, "__name__", "<unknown>")


class HookGradMode:
    """The grad mode during hooks: on under create_graph only."""

    def __init__(self, on: bool) -> None:
        self.on = on

    def __enter__(self) -> None:
        self.before = runtime.mode.enabled
        runtime.set_grad_enabled(self.on)
        if runtime.observer is not None:
            runtime.observer.scope("hook", None, True)

    def __exit__(self, *exc: object) -> None:
        runtime.set_grad_enabled(self.before)
        if runtime.observer is not None:
            runtime.observer.scope("hook", None, False)


def check_result(hook: Any, before: Any, after: Any) -> None:
    """PyTorch's checks of what a hook returned.

    Raises:
        TypeError: it is no tensor.
        RuntimeError: its type or size differs from the gradient's, or there was none.
    """
    if before is None:
        raise RuntimeError("can't replace a None gradient with a non-None value")
    if not isinstance(after, runtime.Tensor):
        raise TypeError(f"expected Variable, but hook returned '{type_name(after)}'")
    if after._data.dtype != before._data.dtype:
        raise RuntimeError(
            f"hook '{hook_name(hook)}' has changed the type of value (was "
            f"{dtypes.legacy_type(before._data.dtype)} got {dtypes.legacy_type(after._data.dtype)})"
        )
    if after._data.shape != before._data.shape:
        raise RuntimeError(f"hook '{hook_name(hook)}' has changed the size of value")


def run_tensor_hooks(run: RunBase, hooks: GradHooks, grad: Any) -> Any:
    """The tensor hooks in order of registration; each may replace the gradient."""
    if not hooks.tensor:
        return grad
    with HookGradMode(run.create_graph):
        tensor = as_tensor(run, grad)
        for hook in list(hooks.tensor.values()):
            result = hook(tensor)
            if result is not None and result is not tensor:
                check_result(hook, tensor, result)
                tensor = result
    return as_carried(run, tensor)


def store_retained_grad(run: RunBase, hooks: GradHooks, grad: Any) -> None:
    """``retain_grad``: always last, and out of place; the first lies in C order."""
    tensor = hooks.retain() if hooks.retain is not None else None
    if tensor is None or grad is None:
        return
    if tensor._grad is not None:
        with HookGradMode(run.create_graph):
            tensor._grad = tensor._grad + as_tensor(None, grad)
    elif isinstance(grad, runtime.Tensor):
        tensor._grad = runtime.tensors.clone(grad)
        tensor._grad._replace_memory(np.asarray(tensor._grad._data, order="C"))
    else:
        tensor._grad = runtime.Tensor._wrap(np.array(grad, order="C"))
        tensor._grad._counter = counter_for_grad()
    if runtime.observer is not None:
        runtime.observer.accumulated(run, tensor, "retained", grad)


def run_prehooks(run: RunBase, node: Any, hooks: GradHooks, grad: Any) -> Any:
    """A node's prehooks, called with the tuple of its outputs' gradients."""
    several = grad.__class__ is list
    with HookGradMode(run.create_graph):
        given = tuple(as_tensor(run, each) for each in output_gradients(grad, node))
        for hook in list(hooks.pre.values()):
            result = hook(given)
            if result is not None:
                given = _checked_tuple(hook, given, result)
    found = [as_carried(run, each) for each in given]
    return [*found, *grad[len(found) :]] if several else found[0]


def output_gradients(grad: Any, node: Node) -> Any:
    """The gradients of a node's outputs as hooks see them: an op's indices have none."""
    if grad.__class__ is not list:
        return (grad,)
    if node.op is None:
        return grad
    return [
        each for each, meta in zip(grad, node.metas, strict=True) if meta is None or meta.floating
    ]


def run_post_accumulate_hooks(run: RunBase, hooks: GradHooks, leaf: Any) -> None:
    """The hooks that follow accumulation, called with the leaf.

    Raises:
        RuntimeError: one returned something, which is checked like a gradient first.
    """
    with HookGradMode(run.create_graph):
        for hook in list(hooks.accumulated.values()):
            result = hook(leaf)
            if result is not None and result is not leaf:
                check_result(hook, leaf, result)
                raise RuntimeError("Tensor post accumulate grad hooks should return None.")


def run_posthooks(run: RunBase, node: Node, hooks: GradHooks, grads: Any, given: Any) -> Any:
    """A node's hooks, called with the gradients of its inputs and of its outputs."""
    nowhere = [child.__class__ is NoGradViewEnd for child in node.next]
    with HookGradMode(run.create_graph):
        there = (grad for grad, lost in zip(grads, nowhere, strict=True) if not lost)
        left, unused = iter(there), iter(node.unused)
        inputs = tuple(
            as_tensor(run, next(unused, None) if slot is None else next(left))
            for slot in node.input_targets
        )
        outputs = tuple(as_tensor(run, grad) for grad in output_gradients(given, node))
        for hook in list(hooks.post.values()):
            result = hook(inputs, outputs)
            if result is not None:
                inputs = _checked_tuple(hook, inputs, result)
    places = [i for i, slot in enumerate(node.input_targets) if slot is not None]
    found = (as_carried(run, inputs[i]) for i in places)
    return tuple(None if lost else next(found) for lost in nowhere)


def _checked_tuple(hook: Any, before: tuple[Any, ...], after: Any) -> tuple[Any, ...]:
    if not isinstance(after, tuple):
        raise TypeError(f"expected tuple, but hook returned '{type_name(after)}'")
    if len(after) != len(before):
        raise RuntimeError(
            f"hook '{hook_name(hook)}' has returned an incorrect number of values "
            f"(got {len(after)}, but expected {len(before)})"
        )
    for old, new in zip(before, after, strict=True):
        if new is not None:
            check_result(hook, old, new)
    return after
