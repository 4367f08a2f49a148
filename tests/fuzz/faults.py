"""Faults to plant: each changes one rule of the core that a careless edit could break, and none is
without effect on what programs show."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from graphwidget.autograd import engine, function
from graphwidget.eager import inplace, promote
from graphwidget.graph import runtime, tensor, version, views
from graphwidget.optable.declare import ARRAYS
from graphwidget.optable.pointwise import common_kernels as kernels
from graphwidget.optable.shape import views as view_ops

backward = importlib.import_module("graphwidget.autograd.backward")  # not the function

Patch = pytest.MonkeyPatch
FAULTS: list[Callable[[Patch], None]] = []


def fault(plant: Callable[[Patch], None]) -> Callable[[Patch], None]:
    """Count this among the faults."""
    FAULTS.append(plant)
    return plant


# ------------------------------------------------------------------------- versions and saving


@fault
def no_version_check(patch: Patch) -> None:
    """Writes are not counted."""
    patch.setattr(inplace, "bump", lambda tensor, op, site=None: None)


@fault
def writes_count_twice(patch: Patch) -> None:
    """Every write raises the version by two."""
    real = version.bump

    def twice(tensor: Any, op: str, site: Any = None) -> None:
        real(tensor, op, site)
        real(tensor, op, site)

    patch.setattr(inplace, "bump", twice)


@fault
def counter_not_shared(patch: Patch) -> None:
    """A view counts its writes alone."""

    def as_view(out: Any, source: Any, op: Any, params: Any, nr: int = 0) -> None:
        tensor.as_view(out, source, op, params, nr)
        out._counter = version.VersionCounter()

    patch.setattr(runtime, "as_view", as_view)


@fault
def detach_counts_alone(patch: Patch) -> None:
    """A detached tensor has a version of its own."""
    patch.setattr(tensor, "counter_of", lambda tensor: version.VersionCounter())


@fault
def results_not_checked(patch: Patch) -> None:
    """A saved result of a write is taken as it is found."""

    def save(node: Any, name: str, tensor: Any) -> None:
        node.saved_result = tensor._data
        node.counter_result, node.version_result = None, 0

    patch.setattr(inplace, "save_output", save)


@fault
def old_value_not_kept(patch: Patch) -> None:
    """An in-place op saves what it overwrites by reference."""
    patch.setattr(inplace, "clone_old_value", lambda node, op, tensor: None)


@fault
def nodes_not_released(patch: Patch) -> None:
    """Backward keeps what it should free."""
    real = engine.Run.__init__

    def keep(self: Any, *args: Any, **kwargs: Any) -> None:
        real(self, *args, **kwargs)
        self.retain_graph = True

    patch.setattr(engine.Run, "__init__", keep)


@fault
def nodes_always_released(patch: Patch) -> None:
    """Backward frees what it should keep."""
    real = engine.Run.__init__

    def free(self: Any, *args: Any, **kwargs: Any) -> None:
        real(self, *args, **kwargs)
        self.retain_graph = self.create_graph

    patch.setattr(engine.Run, "__init__", free)


# ------------------------------------------------------------------------------ views and writes


@fault
def views_not_regenerated(patch: Patch) -> None:
    """A view keeps its history when its base is written."""
    patch.setattr(runtime, "refresh_for_op", lambda view: None)
    patch.setattr(tensor, "refresh", lambda view: None)


@fault
def leaves_may_be_written(patch: Patch) -> None:
    """Nothing is refused."""
    patch.setattr(inplace, "check_writable", lambda tensor, op: None)


@fault
def base_not_rebased(patch: Patch) -> None:
    """A write through a view does not reach the base's history."""
    patch.setattr(inplace, "rebase", lambda info, function: None)


@fault
def slice_gradient_passes_unchanged(patch: Patch) -> None:
    """CopySlices forgets to send the slice's gradient through the write."""

    def run(self: Any, grad: Any, keep: bool) -> Any:
        function = self._function()
        found = function.backward_arrays(np.array(grad), True) if not self.passes else grad
        found = found if isinstance(found, tuple) else (found,)
        return (found + (None,) * len(self.next))[: len(self.next)]

    patch.setattr(views.CopySlices, "backward_arrays", run)


@fault
def views_without_grad_are_ordinary(patch: Patch) -> None:
    """A view made under no_grad may be written like any other."""
    real = views.ViewInfo.__init__

    def ordinary(self: Any, source: Any, link: Any, origin: str, version: int, nr: int = 0) -> None:
        real(self, source, link, "default" if origin == "no_grad" else origin, version, nr)

    patch.setattr(views.ViewInfo, "__init__", ordinary)


@fault
def views_of_many_are_ordinary(patch: Patch) -> None:
    """The outputs of unbind and split may be written."""
    real = views.ViewInfo.__init__

    def ordinary(self: Any, source: Any, link: Any, origin: str, version: int, nr: int = 0) -> None:
        real(self, source, link, "default" if origin == "multi" else origin, version, nr)

    patch.setattr(views.ViewInfo, "__init__", ordinary)


@fault
def overlap_not_seen(patch: Patch) -> None:
    """Expanded tensors may be written."""
    patch.setattr(inplace, "check_overlap", lambda data, others, whole=False: None)


@fault
def retained_gradient_lost_by_writes(patch: Patch) -> None:
    """A write through a view takes the base's wish to retain its gradient away."""
    patch.setattr(views, "take_retain_grad", lambda tensor: None)


@fault
def writes_recorded_without_grad(patch: Patch) -> None:
    """no_grad does not stop in-place ops."""
    real = inplace.needs_node

    def always(op: Any, operands: Any) -> bool:
        before = runtime.grad_enabled()
        runtime.set_grad_enabled(True)
        try:
            return real(op, operands)
        finally:
            runtime.set_grad_enabled(before)

    patch.setattr(inplace, "needs_node", always)


# --------------------------------------------------------------------------- engine and hooks


@fault
def gradients_replace_each_other(patch: Patch) -> None:
    """A second backward overwrites the first one's gradient."""
    real = engine.accumulate

    def overwrite(variable: Any, *rest: Any, **named: Any) -> None:
        variable._grad = None
        real(variable, *rest, **named)

    patch.setattr(engine, "accumulate", overwrite)
    patch.setattr(runtime, "accumulate", overwrite)  # the common path's


@fault
def gradients_shared(patch: Patch) -> None:
    """Leaves keep the arriving buffer itself."""
    real = engine.accumulate

    def share(variable: Any, grad: Any, *rest: Any, **named: Any) -> None:
        if variable._grad is None and isinstance(grad, np.ndarray):
            variable._grad = tensor.Tensor._wrap(grad)
        else:
            real(variable, grad, *rest, **named)

    patch.setattr(engine, "accumulate", share)
    patch.setattr(runtime, "accumulate", share)  # the common path's


@fault
def first_hook_last(patch: Patch) -> None:
    """Tensor hooks run in reverse order."""
    real = engine.run_tensor_hooks

    def reverse(run: Any, hooks: Any, grad: Any) -> Any:
        before = hooks.tensor
        hooks.tensor = dict(reversed(before.items()))
        try:
            return real(run, hooks, grad)
        finally:
            hooks.tensor = before

    patch.setattr(engine, "run_tensor_hooks", reverse)


@fault
def hooks_only_look(patch: Patch) -> None:
    """Results of tensor hooks are not used."""
    real = engine.run_tensor_hooks

    def look(run: Any, hooks: Any, grad: Any) -> Any:
        real(run, hooks, grad)
        return grad

    patch.setattr(engine, "run_tensor_hooks", look)


@fault
def retained_gradients_replace_each_other(patch: Patch) -> None:
    """A second backward overwrites the retained gradient."""
    real = engine.store_retained_grad

    def overwrite(run: Any, hooks: Any, grad: Any) -> None:
        kept = hooks.retain() if hooks.retain is not None else None
        if kept is not None:
            kept._grad = None
        real(run, hooks, grad)

    patch.setattr(engine, "store_retained_grad", overwrite)


@fault
def grad_fills_leaves(patch: Patch) -> None:
    """autograd.grad adds to .grad."""
    real = engine.Run.__init__

    def into(self: Any, *args: Any, **kwargs: Any) -> None:
        real(self, *args, **kwargs)
        self.into_grad = True

    patch.setattr(engine.Run, "__init__", into)


@fault
def derivatives_not_recorded(patch: Patch) -> None:
    """create_graph computes without recording."""

    real = engine.Run._run_node

    def unrecorded(self: Any, node: Any, grad: Any) -> None:
        before = runtime.grad_enabled()
        runtime.set_grad_enabled(False)
        try:
            real(self, node, grad)
        finally:
            runtime.set_grad_enabled(before)

    patch.setattr(engine.Run, "_run_node", unrecorded)


@fault
def roots_of_any_size(patch: Patch) -> None:
    """backward() makes ones for roots of several elements."""
    real = backward.seeds_for

    def ones(outputs: Any, grads: Any, create: bool, batched: bool = False) -> Any:
        given = [
            tensor.Tensor._wrap(np.ones_like(root._data)) if grad is None else grad
            for root, grad in zip(outputs, grads, strict=False)
        ]
        return real(outputs, given, create, batched)

    patch.setattr(backward, "seeds_for", ones)


@fault
def functions_do_not_fit(patch: Patch) -> None:
    """Results of a custom backward are taken as they are, however many."""

    def unchecked(self: Any, found: Any) -> Any:
        needs = self.needs_input_grad
        found = (*found, *(None,) * len(needs))
        return [each for each, wanted in zip(found, needs, strict=False) if wanted]

    patch.setattr(function.FunctionNode, "_check_results", unchecked)


# ------------------------------------------------------------------------------------- formulas


@fault
def broadcast_averaged(patch: Patch) -> None:
    """The gradient of a broadcast input is the mean of its parts."""
    real = kernels.sum_to_size

    def mean(a: Any, shape: Any) -> Any:
        summed = real(a, shape)
        return summed * (summed.size / max(a.size, 1))

    patch.setattr(kernels, "sum_to_size", mean)


@fault
def zero_dim_counts_fully(patch: Patch) -> None:
    """0-d tensors raise the type like others."""
    patch.setattr(
        promote.dtypes,
        "result_type",
        lambda *given: np.result_type(*(np.asarray(each).dtype for each in given)),
    )


@fault
def wrong_formula(patch: Patch) -> None:
    """The derivative of tanh has lost its square."""
    patch.setattr(ARRAYS, "tanh_backward", lambda grad, result, out=...: grad * (1 - result))


@fault
def relu_passes_at_zero(patch: Patch) -> None:
    """relu'(0) is 1."""
    patch.setattr(ARRAYS, "threshold_backward", lambda grad, result, *_: grad * (result >= 0))


@fault
def repeated_indices_once(patch: Patch) -> None:
    """An index that occurs twice gives its gradient once."""

    def once(zeros: Any, grad: Any, shape: Any, indices: Any, accumulate: bool = True) -> Any:
        found = np.zeros(shape, grad.dtype)
        found[tuple(slice(None) if each is None else each for each in indices)] = grad
        return found

    patch.setattr(ARRAYS, "index_backward", once)


@fault
def slices_from_the_start(patch: Patch) -> None:
    """The gradient of an item lands at the first place."""
    real = view_ops.select_backward
    patch.setattr(
        ARRAYS, "select_backward", lambda grad, shape, dim, index: real(grad, shape, dim, 0)
    )
