"""``backward`` and ``grad``: what users call, with PyTorch's checks in PyTorch's order."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from . import hot
from .engine import Run
from .node import target_of
from .tensor import Tensor
from .views import refresh

REFERENCE_CYCLE = (
    "Using backward() with create_graph=True will create a reference cycle between the parameter "
    "and its gradient which can cause a memory leak. We recommend using autograd.grad when "
    "creating the graph to avoid this. If you have to use this function, make sure to reset the "
    ".grad fields of your parameters to None after use to break the cycle and avoid the leak."
)
NOT_AN_INPUT = "all inputs have to be Tensors or GradientEdges, but got {}"
_warned = False


def as_tuple(value: Any) -> tuple[Any, ...]:
    """A tensor alone as a tuple of one; None as the empty tuple."""
    if value is None:
        return ()
    return (value,) if isinstance(value, Tensor) else tuple(value)


def seeds_for(tensors: Sequence[Tensor], grads: Sequence[Any], create: bool) -> list[Any]:
    """The gradient of each root: the given one, or 1 for a root of one element.

    Raises:
        TypeError: a gradient is no tensor.
        RuntimeError: wrong shape or number, or a root with several elements has none.
    """
    seeds = []
    if len(tensors) > len(grads):
        raise RuntimeError(f"got {len(tensors)} tensors and {len(grads)} gradients")
    for i, tensor in enumerate(tensors):
        grad = grads[i]
        if isinstance(grad, Tensor):
            if grad._data.shape != tensor._data.shape:
                raise RuntimeError(
                    f"Mismatch in shape: grad_output[{i}] has a shape of {grad.shape} and "
                    f"output[{i}] has a shape of {tensor.shape}."
                )
            if grad._data.dtype != tensor._data.dtype:
                grad = hot.tensors.to_copy(grad, tensor._data.dtype)
            seeds.append(grad if create else grad._data)
        elif grad is None:
            if tensor.requires_grad and tensor._data.size != 1:
                raise RuntimeError("grad can be implicitly created only for scalar outputs")
            ones = np.ones_like(tensor._data)
            seeds.append(Tensor._wrap(ones) if create else ones)
        else:
            raise TypeError(
                f"gradients can be either Tensors or None, but got {type(grad).__name__}"
            )
    return seeds


def roots_of(tensors: Sequence[Tensor]) -> list[Any]:
    """Where the gradients of the roots go.

    Raises:
        RuntimeError: a root does not require grad.
    """
    roots = []
    for i, tensor in enumerate(tensors):
        if tensor._view is not None:
            refresh(tensor)
        target = target_of(tensor)
        if target is None:
            raise RuntimeError(
                f"element {i} of tensors does not require grad and does not have a grad_fn"
            )
        roots.append(target)
    return roots


def make_run(
    tensors: Any,
    grad_tensors: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Any = None,
    live: bool = False,
) -> Run:
    """Check everything that ``backward`` checks and return the run, not yet begun."""
    global _warned
    roots_tensors = as_tuple(tensors)
    grads: Sequence[Any] = (
        (None,) * len(roots_tensors) if grad_tensors is None else as_given_tuple(grad_tensors)
    )
    keep = create_graph if retain_graph is None else retain_graph
    wanted = None if inputs is None else as_tuple(inputs)
    if wanted is not None and not wanted:
        raise RuntimeError("`inputs` argument to `backward()` cannot be empty.")
    seeds = seeds_for(roots_tensors, grads, create_graph)
    if create_graph and not _warned:
        _warned = True
        warnings.warn(REFERENCE_CYCLE, stacklevel=4)
    roots = roots_of(roots_tensors)
    captures = None
    if wanted is not None:
        for each in wanted:
            if not isinstance(each, Tensor):
                raise RuntimeError(NOT_AN_INPUT.format(type(each).__name__))
            if not each.requires_grad:
                raise RuntimeError("can't retain_grad on Tensor that has requires_grad=False")
            each.retain_grad()
        captures = targets_of(wanted)
    return Run(
        roots, seeds, keep, create_graph, captures, into_grad=True, live=live,
        tensors=roots_tensors, inputs=wanted,
    )  # fmt: skip


def as_given_tuple(grads: Any) -> tuple[Any, ...]:
    """Gradients as the user gave them, one or several."""
    return (grads,) if isinstance(grads, Tensor) else tuple(grads)


def targets_of(inputs: Sequence[Any]) -> list[Any]:
    """Where the gradients of the wanted inputs arrive.

    Raises:
        RuntimeError: one is no tensor or does not require grad.
    """
    targets = []
    for each in inputs:
        if not isinstance(each, Tensor):
            raise RuntimeError(NOT_AN_INPUT.format(type(each).__name__))
        if each._view is not None:
            refresh(each)
        target = target_of(each)
        if target is None and not each.requires_grad:
            raise RuntimeError("One of the differentiated Tensors does not require grad")
        if target is None:  # a view made under no_grad, which no path reaches
            target = object()
        targets.append(target)
    return targets


def backward(
    tensors: Any,
    grad_tensors: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    grad_variables: Any = None,
    inputs: Any = None,
) -> None:
    """Compute the gradients of the leaves and add them to their ``.grad``.

    Args:
        tensors: the roots, a tensor or several.
        grad_tensors: their gradients, of the same shapes; None for roots of one element. The
            weights of the losses, when there are several.
        retain_graph: keep what the nodes saved, so that backward can run again.
        create_graph: record the derivative's own graph, for higher orders.
        grad_variables: PyTorch's former name of ``grad_tensors``.
        inputs: accumulate only into these.

    Raises:
        RuntimeError, TypeError: as PyTorch's, in the same order.
    """
    grads = grad_tensors if grad_variables is None else grad_variables
    run = make_run(tensors, grads, retain_graph, create_graph, inputs)
    if run.roots:
        run.finish()


def grad(
    outputs: Any,
    inputs: Any,
    grad_outputs: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    only_inputs: bool = True,
    allow_unused: bool | None = None,
    is_grads_batched: bool = False,
    materialize_grads: bool = False,
) -> tuple[Tensor | None, ...]:
    """The gradients of ``outputs`` by ``inputs``; no ``.grad`` changes.

    Args:
        outputs, grad_outputs: as ``backward``'s tensors and grad_tensors.
        inputs: a tensor or several, leaves or not.
        retain_graph, create_graph: as for ``backward``.
        only_inputs: must be True; kept for PyTorch's signature.
        allow_unused: give None for an input on which the outputs do not depend.
        is_grads_batched: not offered.
        materialize_grads: give zeros for such an input; implies ``allow_unused``.

    Returns:
        One gradient for each input.

    Raises:
        RuntimeError: an input requires no grad, or is unused.
        ValueError: ``allow_unused=False`` with ``materialize_grads=True``.
    """
    if materialize_grads and allow_unused is False:
        raise ValueError(
            "Expected allow_unused to be True or not passed when materialize_grads=True, "
            "but got: allow_unused=False."
        )
    if is_grads_batched:
        raise NotImplementedError("is_grads_batched: call grad once for each row instead.")
    roots_tensors, wanted = as_tuple(outputs), as_tuple(inputs)
    grads: Sequence[Any] = (
        (None,) * len(roots_tensors) if grad_outputs is None else as_given_tuple(grad_outputs)
    )
    if not wanted:
        raise RuntimeError("`inputs` argument to `grad()` cannot be empty.")
    seeds = seeds_for(roots_tensors, grads, create_graph)
    roots = roots_of(roots_tensors)
    targets = targets_of(wanted)
    keep = create_graph if retain_graph is None else retain_graph
    run = Run(
        roots, seeds, keep, create_graph, targets, tensors=roots_tensors, inputs=wanted
    )  # fmt: skip
    run.finish()
    results: list[Tensor | None] = []
    # What arrives unchanged is the tensor that was given, and equal inputs get one object.
    known = {id(seed._data): seed for seed in grads if isinstance(seed, Tensor)}
    for i, (target, tensor) in enumerate(zip(targets, wanted, strict=True)):
        found = run.found.get(target)
        if found is None and not allow_unused and not materialize_grads:
            raise RuntimeError(
                f"The differentiated Tensor at index {i} appears to not have been used in the "
                "graph. Set allow_unused=True if this is the desired behavior."
            )
        if found is None and materialize_grads:
            found = np.zeros_like(tensor._data)
        if found is not None and not isinstance(found, Tensor):
            found = known.setdefault(id(found), Tensor._wrap(found))
        results.append(found)
    return tuple(results)
