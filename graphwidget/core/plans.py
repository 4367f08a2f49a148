"""Plans: an op together with the inputs that need gradients, and the node class of each.

A node class has a slot for exactly what its derivatives read, and two generated methods that
unpack it with version checks, release it and apply the formulas: one on arrays, one on Tensors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from ..optable.declare import ARRAYS, Namespace, Op, bind
from . import errors, hot
from .node import Node, Nowhere

if TYPE_CHECKING:
    from .tensor import Tensor


class Functions(Namespace):
    """An ``F`` of functions that (nearly all) return one Tensor."""

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Callable[..., Tensor]: ...


TENSORS = Functions()
"""``F`` on Tensors: the record functions."""
hot.tensors, hot.ndarray, hot.asarray = TENSORS, np.ndarray, np.asarray


RELEASED = ("indices",)
"""Metadata that PyTorch keeps as saved tensors, so that they go when the node has run."""


def plans(op: Op) -> Iterator[tuple[str, ...]]:
    """Every non-empty choice of differentiable inputs, in signature order, most first."""
    names = tuple(op.derivatives)
    for wanted in product((True, False), repeat=len(names)):
        if any(wanted):
            yield tuple(name for name, want in zip(names, wanted, strict=True) if want)


def plan_name(op: Op, targets: tuple[str, ...]) -> str:
    """The generated class's name among the globals."""
    return f"node_{op.key.replace('.', '_')}__{'_'.join(targets)}"


# Node classes ----------------------------------------------------------------------------


def backward_source(op: Op, targets: tuple[str, ...], arrays: bool) -> str:
    """The source of one backward method: unpack with checks, release, apply the formulas."""
    lines = [f"def {'backward_arrays' if arrays else 'backward_tensors'}(node, grad, keep):"]
    saved = op.saved_by(targets)
    for name in saved:
        slot = f"node.saved_{name}"
        lines += [f"    saved = {slot}", "    if saved is None: raise freed(node)"]
        if name in op.inputs or name in op.kept:
            lines.append(f"    {name}, version = saved")
            counter = f"{name}._counter"
            lines.append(f"    if {counter} is not None and {counter}.version != version:")
            lines.append(f"        raise stale(node, {name!r}, {name}, version)")
            if arrays:
                lines.append(f"    {name} = {name}._data")
            elif name in op.optional:
                lines.append(f"    if {name}._data is None: {name} = None")
        else:
            lines.append(f"    {name}, counter, version = saved")
            lines.append("    if counter.version != version:")
            lines.append(f"        raise stale(node, {name!r}, *node.unpack({name!r}, saved))")
            if not arrays:
                lines.append(f"    {name} = node.unpack({name!r}, saved)[0]")
    held = [name for name in op.metadata(targets) if name in RELEASED]
    for name in held:
        lines += [f"    {name} = node.p_{name}", f"    if {name} is None: raise freed(node)"]
    released = [f"node.saved_{name}" for name in saved] + [f"node.p_{name}" for name in held]
    if released:
        lines.append("    if not keep: " + " = ".join(released) + " = None")
    results = []
    for target in targets:
        derivative = op.derivatives[target]
        args = ", ".join(
            {"grads": "grad"}.get(need, need)
            if need in ("grad", "grads") or need in saved or need in held
            else f"node.p_{need}"
            for need in derivative.needs
        )
        call = f"{target}_{'arrays' if arrays else 'tensors'}({args})"
        results.append("grad" if derivative.passes_on else call)
    if not op.single and "grads" not in op.derivatives[targets[0]].needs:
        lines.append("    grad = grad[0]")
    if op.variadic:
        lines += [f"    every = {results[0]}", "    return tuple(every[i] for i in node.which)"]
    else:
        lines.append(f"    return {', '.join(results)}")
    return "\n".join(lines)


def node_class(op: Op, targets: tuple[str, ...]) -> type[Node]:
    """The node class of a plan."""
    saved = op.saved_by(targets)
    metadata = op.metadata(targets)
    slots = [f"saved_{name}" for name in saved] + [f"p_{name}" for name in metadata]
    if op.variadic:
        slots += ["which", "count"]
    if not op.single:
        slots.append("metas")
    scope: dict[str, Any] = {
        "__slots__": tuple(slots),
        "__module__": "torch.autograd.function",
        "op": op,
        "targets": targets,
        "saves": saved,
        "single": len(targets) == 1 and not op.variadic,
        "outputs": 1 if op.single else len(op.outputs),
    }
    if op.variadic:
        scope["slots"] = property(_variadic_slots)
    cls = type(op.node, (Node,), scope)
    globals_: dict[str, Any] = {"freed": errors.freed, "stale": errors.stale}
    for target in targets:
        formula = op.derivatives[target].formula
        globals_[f"{target}_arrays"] = bind(formula, ARRAYS)
        globals_[f"{target}_tensors"] = bind(formula, TENSORS)
    for arrays in (True, False):
        source = backward_source(op, targets, arrays)
        exec(compile(source, f"<graphwidget {op.key} backward>", "exec"), globals_)
    cls.backward_arrays = globals_["backward_arrays"]  # type: ignore[attr-defined]
    cls.backward_tensors = globals_["backward_tensors"]  # type: ignore[attr-defined]
    return cls


def _variadic_slots(node: Any) -> tuple[Any, ...]:
    targets = [None if each.__class__ is Nowhere else each for each in node.next]
    found = dict(zip(node.which, targets, strict=True))
    return tuple(found.get(i) for i in range(node.count))
