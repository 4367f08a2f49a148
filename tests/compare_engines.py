"""One program on two engines: run it on PyTorch and on graphwidget and compare all that shows.

A program is a function of the module that it uses as `torch`, or its source text. What it returns,
what it warns and what it raises are described in plain Python values and compared.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

import numpy as np
import torch

import graphwidget

SAME = [
    {"MulBackward0", "MulBackward1"},
    {"DivBackward0", "DivBackward1"},
    {"SignBackward0", "SgnBackward0"},
    {"WhereBackward0", "MaskedFillBackward0", "MaskedFillBackward1"},
    {"CatBackward0", "GluBackwardBackward0"},
    {"CloneBackward0", "IndexPutBackward0", "IndexPutImplBackward0"},
]
"""Nodes inside derivatives of derivatives that PyTorch names by overloads nobody can call."""
TOLERANCE = {"torch.float16": 2e-2, "torch.float32": 2e-4, "torch.float64": 1e-7}
WARNED_ONCE = (
    "Using backward() with create_graph=True",
    "grad and param do not obey the gradient layout contract",
    "Converting a tensor with requires_grad=True to a scalar",
    "The use of `x.T` on tensors of dimension other than 2",
    "Tensor.T is deprecated on",
    "torch.meshgrid: in an upcoming release",
    "Using torch.cross without specifying the dim arg",
    "Using padding='same' with even kernel lengths",
    "torch.qr is deprecated",
    "torch.cholesky is deprecated",
    "The reduce argument of torch.scatter with Tensor src is deprecated",
    "Converting a tensor with requires_grad=True to a scalar",
    "The PyTorch API of nested tensors is in prototype stage",
    "LSTM with projections is not supported with oneDNN",
)
"""PyTorch gives these warnings once in a process, so only the first program would show them."""


@dataclass
class Outcome:
    """Result of running a program."""

    value: Any = None
    error: tuple[str, str] | None = None
    warned: list[tuple[str, str]] = field(default_factory=list)


def is_tensor(value: Any) -> bool:
    return isinstance(value, torch.Tensor | graphwidget.Tensor)


def attempt(function: Callable[[], Any]) -> Any:
    """The function's result, or its error's type and text as a value."""
    try:
        return function()
    except Exception as error:
        return ("raises", type(error).__name__, str(error))


def numbers(tensor: Any) -> Any:
    """A tensor's numbers as an array of their own."""
    return np.array(tensor.numpy(force=True))  # some zeros have no memory


def strides(tensor: Any) -> tuple[int, ...] | None:
    """Strides where they mean something: of dimensions with more than one element."""
    if tensor.numel() == 0:
        return None
    pairs = zip(tensor.shape, tensor.stride(), strict=True)
    return tuple(stride for size, stride in pairs if size > 1)


def describe_node(node: Any) -> Any:
    """A node by its names, and those of its neighbours by slot."""
    if node is None:
        return None
    return {
        "class": type(node).__name__,
        "name": node.name(),
        "next": [
            (None if other is None else type(other).__name__, number)
            for other, number in node.next_functions
        ],
    }


def kind_of(name: str) -> str:
    """A derivative's node by the first of the names that mean the same."""
    return min(next((names for names in SAME if name in names), {name}))


def neighbours(node: Any, inner: Any) -> Any:
    return () if node in inner else node.next_functions


def describe_graph(node: Any, inner: Any = ()) -> Any:
    """The whole graph behind a node: names and edges, nodes numbered as they are first met; what
    is behind the nodes of ``inner`` is left out."""
    numbered: dict[Any, int] = {}
    rows: list[Any] = []
    queue = [node]
    while queue:
        current = queue.pop(0)
        if current is None or current in numbered:
            continue
        numbered[current] = len(numbered)
        rows.append(current)
        queue += [other for other, _ in neighbours(current, inner)]
    # The queue meets nodes in the order of their numbers, but a number may be given later.
    return [
        (
            kind_of(row.name()) if row in inner else row.name(),
            [(None if o is None else numbered[o], nr) for o, nr in neighbours(row, inner)],
        )
        for row in rows
    ]


def flags(tensor: Any) -> dict[str, Any]:
    """All about a tensor but its numbers."""
    return {
        "kind": type(tensor).__name__,
        "dtype": repr(tensor.dtype),
        "shape": tuple(tensor.shape),
        "strides": strides(tensor),
        "offset": attempt(tensor.storage_offset) if tensor.numel() else None,
        "contiguous": tensor.is_contiguous(),
        "requires_grad": tensor.requires_grad,
        "version": attempt(lambda: tensor._version),
        "inference": tensor.is_inference(),
        "view": tensor._is_view(),
        "is_leaf": attempt(lambda: tensor.is_leaf),
        "retains_grad": attempt(lambda: tensor.retains_grad),
        "node": attempt(lambda: describe_node(tensor.grad_fn)),
        "output_nr": attempt(lambda: tensor.output_nr),
    }


def describe(value: Any, grads: bool = True) -> Any:
    """A value in terms that do not depend on the engine."""
    if is_tensor(value):
        reported: dict[str, Any] = {**flags(value), "numbers": numbers(value)}
        if grads:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                grad = attempt(lambda: value.grad)
            reported["grad"] = describe(grad, grads=False)
            if is_tensor(grad):
                # How often PyTorch added to it in place on the way is its own affair, and so is
                # the order in which a derivative's own graph reshapes and divides.
                del reported["grad"]["version"]
                if reported["grad"]["node"]:
                    reported["grad"]["node"] = reported["grad"]["node"]["name"]
        return reported
    if isinstance(value, dict):
        return {key: describe(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [describe(item) for item in value]
    if value is None or isinstance(value, bool | int | float | str | np.ndarray):
        return value
    if hasattr(value, "next_functions"):
        return describe_node(value)
    return repr(value)


def counts(warning: warnings.WarningMessage) -> bool:
    """Return whether a warning is compared: not one that PyTorch gives once in a process, nor
    numpy's about nan and inf, which the package filters where the tests look at every warning."""
    text = str(warning.message)
    return not text.startswith(WARNED_ONCE) and "encountered in" not in text


def run(program: Callable[[Any], Any], engine: ModuleType) -> Outcome:
    """Run a program on one engine."""
    outcome = Outcome()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            outcome.value = describe(program(engine))
        except Exception as error:
            outcome.error = (type(error).__name__, str(error))
    outcome.warned = [
        (warning.category.__name__, str(warning.message).partition(" (Triggered internally")[0])
        for warning in caught
        if counts(warning)
    ]
    return outcome


def differences(ours: Any, theirs: Any, path: str = "", tolerance: float = 0.0) -> list[str]:
    """Return where two descriptions differ, as readable lines; empty when they agree."""
    if isinstance(theirs, dict) and isinstance(ours, dict):
        tolerance = max(tolerance, TOLERANCE.get(str(theirs.get("dtype")), 0.0))
        if like_a_gradient(theirs) and ours.get("version") == 0:
            ours = {**ours, "version": theirs["version"]}
        found: list[str] = []
        for key in [*theirs, *(key for key in ours if key not in theirs)]:
            if key not in ours or key not in theirs:
                found.append(f"{path}.{key}: only in {'ours' if key in ours else 'theirs'}")
            else:
                found += differences(ours[key], theirs[key], f"{path}.{key}", tolerance)
        return found
    if isinstance(theirs, np.ndarray) and isinstance(ours, np.ndarray):
        same = ours.shape == theirs.shape and ours.dtype == theirs.dtype
        if same and theirs.dtype.kind == "f":
            same = close(ours, theirs, tolerance)
        elif same:
            same = bool(np.array_equal(ours, theirs))
        return [] if same else [f"{path}: ours {ours.tolist()} theirs {theirs.tolist()}"]
    if isinstance(theirs, list | tuple) and isinstance(ours, list | tuple):
        if len(ours) == len(theirs):
            return [
                line
                for place, (mine, their) in enumerate(zip(ours, theirs, strict=True))
                for line in differences(mine, their, f"{path}[{place}]", tolerance)
            ]
    elif isinstance(theirs, float) and isinstance(ours, float):
        if close(np.array(ours), np.array(theirs), tolerance or 1e-5):
            return []
    elif type(ours) is type(theirs) and (
        ours == theirs or (isinstance(ours, str) and kind_of(ours) == kind_of(theirs))
    ):
        return []
    return [f"{path}: ours {shortened(ours)} theirs {shortened(theirs)}"]


def like_a_gradient(reported: dict[str, Any]) -> bool:
    """Return whether this may be a gradient: how often PyTorch added to it in place is its own
    affair."""
    return (
        reported.get("requires_grad") is False
        and not reported.get("view")
        and "version" in reported
    )


def shortened(value: Any) -> str:
    text = repr(value)
    return text if len(text) < 600 else f"{text[:600]} ..."


def close(ours: Any, theirs: Any, tolerance: float) -> bool:
    with np.errstate(all="ignore"):
        return bool(np.allclose(ours, theirs, rtol=tolerance, atol=tolerance, equal_nan=True))


def compare(program: Callable[[Any], Any]) -> list[str]:
    """Run a program on both engines; the lines say where they differ."""
    theirs = run(program, torch)
    ours = run(program, graphwidget)
    found = differences(ours.error, theirs.error, "error")
    found += differences(ours.warned, theirs.warned, "warnings")
    return found or differences(ours.value, theirs.value, "value")


def both(program: Callable[[Any], Any]) -> None:
    """Fail unless a program shows the same on both engines."""
    found = compare(program)
    assert not found, "\n".join(found)


def source(text: str) -> Callable[[Any], Any]:
    """A program from text. It may use `attempt`, which turns an error into a value, and `graph`,
    which describes a node's whole graph, and `plain`, which describes gradients but not their
    versions. Its value is what it leaves in the variable `result`,
    or else all its tensors."""
    code = compile(text, "<program>", "exec")

    def program(engine: Any) -> Any:
        names: dict[str, Any] = {
            "torch": engine,
            "attempt": attempt,
            "graph": describe_graph,
            "plain": lambda grads: [describe(grad.clone()) for grad in grads],
        }
        exec(code, names)
        if "result" in names:
            return names["result"]
        return {name: value for name, value in names.items() if is_tensor(value)}

    return program


def programs(text: str) -> list[tuple[str, str]]:
    """Programs from a text: blank lines separate them, the first line is a comment, the title."""
    found = []
    for block in text.strip().split("\n\n"):
        title, _, body = block.strip().partition("\n")
        assert title.startswith("# "), f"a program without a title: {block}"
        found.append((title.removeprefix("# "), body))
    assert len({title for title, _ in found}) == len(found), "two programs with one title"
    return found
