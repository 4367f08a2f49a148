"""``backward`` and ``grad``: what users call, with PyTorch's checks in PyTorch's order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..arrays.memory_order import empty_like
from ..arrays.warnings import warn, warn_once
from ..eager.overridable import overridable
from ..graph import runtime
from ..graph.tensor import Tensor
from ..graph.version import counter_for_grad
from .engine import Run
from .hooks import as_tensor
from .roots import (
    GradientEdge,
    grads_as_tuple,
    inputs_as_tuple,
    refreshed,
    roots_of,
    seeds_for,
    targets_of,
    tensors_as_tuple,
    tensors_named,
)

REFERENCE_CYCLE = (
    "Using backward() with create_graph=True will create a reference cycle between the parameter "
    "and its gradient which can cause a memory leak. We recommend using autograd.grad when "
    "creating the graph to avoid this. If you have to use this function, make sure to reset the "
    ".grad fields of your parameters to None after use to break the cycle and avoid the leak."
)
OLD_NAME = "`grad_variables` is deprecated. Use `grad_tensors` instead."
BOTH_NAMES = (
    "`grad_tensors` and `grad_variables` (deprecated) arguments both passed to `backward()`. "
    "Please only use `grad_tensors`."
)
NO_ROWS = "vmap(vjp, in_dims=0, ...)(<inputs>): Got in_dim=0 for {}"
ONLY_INPUTS = (
    "only_inputs argument is deprecated and is ignored now (defaults to True). To accumulate "
    "gradient for other parts of the graph, please use torch.autograd.backward."
)


def make_run(
    tensors: Any,
    grad_tensors: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Any = None,
    live: bool = False,
) -> Run:
    """Check everything that ``backward`` checks and return the run, not yet begun."""
    keep = create_graph if retain_graph is None else retain_graph
    wanted = None if inputs is None else inputs_as_tuple(inputs, "backward")
    outputs = tensors_as_tuple(tensors)
    grads = grads_as_tuple(grad_tensors, len(outputs))
    seeds = seeds_for(outputs, grads, create_graph)
    roots = roots_of(outputs)
    captures = None
    if wanted is not None:
        captures = []
        for each in wanted:
            if isinstance(each, Tensor):
                refreshed(each).retain_grad()
            captures += targets_of([each])
    if create_graph:
        warn_once(REFERENCE_CYCLE)
    return Run(
        roots, seeds, keep, create_graph, captures, into_grad=True, live=live, given=grads,
        **tensors_named(outputs, wanted),
    )  # fmt: skip


@overridable
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
        inputs: accumulate only into these: tensors, edges or a dict of them.

    Raises:
        RuntimeError, TypeError: as PyTorch's, in the same order.
    """
    if grad_variables is not None:
        warn(OLD_NAME, FutureWarning)
        if grad_tensors is not None:
            raise RuntimeError(BOTH_NAMES)
        grad_tensors = grad_variables
    run = make_run(tensors, grad_tensors, retain_graph, create_graph, inputs)
    if run.roots:
        run.finish()


@overridable
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
) -> Any:
    """The gradients of ``outputs`` by ``inputs``; no ``.grad`` changes.

    Args:
        outputs, grad_outputs: as ``backward``'s tensors and grad_tensors.
        inputs: a tensor or edge or several, leaves or not, or a dict of them.
        retain_graph, create_graph: as for ``backward``.
        only_inputs: kept for PyTorch's signature; gradients are of the inputs only.
        allow_unused: give None for an input on which the outputs do not depend.
        is_grads_batched: ``grad_outputs`` have a first dim more; so do the results, one row for
            each of theirs. The graph is run once for each row.
        materialize_grads: give zeros for such an input; implies ``allow_unused``.

    Returns:
        One gradient for each input; a dict for a dict.

    Raises:
        RuntimeError: an input requires no grad, or is unused.
        ValueError: ``allow_unused=False`` with ``materialize_grads=True``.
    """
    if materialize_grads and allow_unused is False:
        raise ValueError(
            "Expected allow_unused to be True or not passed when materialize_grads=True, "
            "but got: allow_unused=False."
        )
    allow_unused = materialize_grads if allow_unused is None else allow_unused
    roots = tensors_as_tuple(outputs)
    wanted = inputs_as_tuple(inputs, "grad")
    if not only_inputs:
        warn(ONLY_INPUTS, FutureWarning)
    grads = grads_as_tuple(grad_outputs, len(roots))
    keep = create_graph if retain_graph is None else retain_graph
    seeds = seeds_for(roots, grads, create_graph, is_grads_batched)
    if is_grads_batched:
        found = batched_gradients(roots, seeds, keep, create_graph, wanted, allow_unused, grads)
    else:
        found = captured_gradients(roots, seeds, keep, create_graph, wanted, allow_unused, grads)
    if materialize_grads:
        found = [
            zeros_for(wanted[i], create_graph) if g is None else g for i, g in enumerate(found)
        ]
    if runtime.observer is not None:
        given = [x for x in (*roots, *wanted, *grads) if isinstance(x, Tensor)]
        options = {
            "retain_graph": retain_graph, "create_graph": create_graph,
            "allow_unused": allow_unused, "is_grads_batched": is_grads_batched,
            "materialize_grads": materialize_grads,
        }  # fmt: skip
        runtime.observer.differentiated(given, found, options)
    if isinstance(inputs, dict):
        return dict(zip(inputs, found, strict=True))
    return tuple(found)


def zeros_for(wanted: Any, requires_grad: bool) -> Tensor:
    """The gradient of an input on which nothing depends.

    Raises:
        RuntimeError: it is an edge, of which no shape is known.
    """
    if not isinstance(wanted, Tensor):
        raise RuntimeError(
            "materialize_grads cannot be used when the given input is a GradientEdge"
        )
    data = empty_like(wanted._data, wanted._data.dtype)
    data.fill(0)
    zeros = Tensor._wrap(data)
    zeros._requires_grad = requires_grad
    return zeros


def captured_gradients(
    outputs: Sequence[Any],
    seeds: Sequence[Any],
    keep: bool,
    create: bool,
    wanted: Sequence[Any],
    allow_unused: bool,
    given: Sequence[Any] = (),
) -> list[Tensor | None]:
    """One run that captures the gradients of ``wanted``; what arrives unchanged
    is the Tensor that was ``given``, and equal inputs get one Tensor.

    Raises:
        RuntimeError: an input is unused, and this is not allowed.
    """
    roots = roots_of(outputs)
    targets = targets_of(wanted)
    run = Run(roots, seeds, keep, create, targets, given=given, **tensors_named(outputs, wanted))
    run.finish()
    results: list[Tensor | None] = []
    for i, target in enumerate(targets):
        found = run.found.get(target)
        if found is None and not allow_unused:
            raise RuntimeError(
                f"The differentiated Tensor at index {i} appears to not have been used in the "
                "graph. Set allow_unused=True if this is the desired behavior."
            )
        if found is not None and not isinstance(found, Tensor):
            made = as_tensor(run, found)
            if target in run.sums and made._counter is None:
                made._counter = counter_for_grad(run.sums[target])
            found = run.given.setdefault(id(found), made)
        results.append(found)
    return results


def batched_gradients(
    outputs: Sequence[Any],
    seeds: Sequence[Tensor],
    keep: bool,
    create: bool,
    wanted: Sequence[Any],
    allow_unused: bool,
    given: Sequence[Any],
) -> list[Tensor | None]:
    """A run for each row of the seeds; the gradients stacked, or the seeds where those arrive
    unchanged. ``given`` are the seeds as the user gave them, or None.

    Raises:
        ValueError: seeds without rows, or with different numbers of them (PyTorch's texts).
    """
    for output, seed, grad in zip(outputs, seeds, given, strict=True):
        if grad is None and not (isinstance(output, GradientEdge) or output.requires_grad):
            raise ValueError(NO_ROWS.format(
                "an input but the input is of type <class 'NoneType'>. We cannot vmap over "
                "non-Tensor arguments, please use None as the respective in_dim"
            ))  # fmt: skip
        if seed.ndim == 0:
            raise ValueError(NO_ROWS.format(
                "some input, but that input is a Tensor of dimensionality 0 so expected in_dim to "
                "satisfy 0 <= in_dim < 0."
            ))  # fmt: skip
    counts = [seed.shape[0] for seed in seeds]
    if len(set(counts)) > 1:
        raise ValueError(
            "vmap: Expected all tensors to have the same size in the mapped dimension, got sizes "
            f"{counts} for the mapped dimension"
        )
    count = counts[0] if counts else 0
    rows = []
    for i in range(count):
        parts = [seed[i] for seed in seeds]
        row = parts if create else [each._data for each in parts]
        again = keep or i < count - 1
        found = captured_gradients(outputs, row, again, create, wanted, allow_unused, parts)
        whole = {id(each): seed for each, seed in zip(parts, seeds, strict=True)}
        rows.append([whole.get(id(grad), grad) for grad in found])
    return [
        None if any(grad is None for grad in column)
        else column[0] if any(column[0] is seed for seed in seeds)
        else runtime.tensors.stack(column, dim=0)
        for column in zip(*rows, strict=True)
    ]  # fmt: skip


def tensor_backward(
    self: Tensor,
    gradient: Tensor | None = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Any = None,
) -> None:
    """Compute the gradients of the graph's leaves and add them to their ``.grad``.

    Args:
        gradient: of this tensor's shape; needed unless it has one element.
        retain_graph: keep what the nodes saved; default: ``create_graph``.
        create_graph: record the derivative's own graph.
        inputs: accumulate only into these tensors.
    """
    backward(self, gradient, retain_graph, create_graph, inputs=inputs)


tensor_backward.__name__, tensor_backward.__qualname__ = "backward", "Tensor.backward"
