"""``out=``: a result written into a tensor that the user gives."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

import numpy as np

from ..optable import TABLE
from . import dtypes, hot
from .inplace import check_overlap, write
from .modes import no_grad
from .tensor import Tensor

Given = TypeVar("Given", bound=Callable[..., Any])

RESIZED = (
    "An output with one or more elements was resized since it had shape {}, which does not match "
    "the required output shape {}. This behavior is deprecated, and in a future PyTorch release "
    "outputs will not be resized unless they have zero elements. You can explicitly reuse an out "
    "tensor t by resizing it, inplace, to zero elements with t.resize_(0)."
)

CALLED = {
    "square": "pow", "xlog1py": "special_xlog1py", "norm": "linalg_vector_norm",
    "vector_norm": "linalg_vector_norm", "cross": "linalg_cross", "msort": "sort",
    "take_along_dim": "gather", "diag": "aten::diagonal_copy",
    **dict.fromkeys(("column_stack", "dstack", "hstack", "vstack"), "cat"),
    **{name: f"aten::{name}" for name in
       ("floor_divide", "gcd", "heaviside", "lcm", "log_softmax", "slice_scatter", "softmax")},
}  # fmt: skip
"""Functions that PyTorch's errors call by another name."""

APART = ("masked_select",)
"""Functions that refuse an ``out`` which shares memory with what they read."""

TRUTHS = "all", "any"
TRUTH_TYPES = bool, np.uint8
TRUTH = "{name} only supports bool tensor for result, got: {given}"
"""What these functions may write into, and what they say of other types."""

CAST = "result type {result} can't be cast to the desired output type {given}"
CASTS = {
    "ldexp": "ldexp can't be cast to the desired output type {given}",
    "mvlgamma": "mvlgamma: result type {result} can't be cast to the desired output type {result}",
}
"""What some functions say instead."""

IN_ITS_TYPE = ("sum", "prod", "nansum", "cumsum", "cumprod")
"""Reductions that calculate in the type of ``out``, unless ``dtype`` is given."""

WANTED = "Expected out tensor to have dtype {c_result}, but got {c_given} instead"
FOUND = "expected scalar_type {result} but found {given}"
ALIKE = (
    "Expected the dtype for input and out to match, but got {result} for input's dtype and "
    "{given} for out's dtype."
)
EXACT = {
    **dict.fromkeys(
        ("abs", "ceil", "clamp", "clamp_max", "clamp_min", "floor", "frac", "lerp", "neg",
         "round", "sgn", "sign", "trunc"), "Found dtype {given} but expected {result}",
    ),
    **dict.fromkeys(
        ("aminmax", "argmax", "argmin", "log_softmax", "max", "min", "norm", "softmax", "sort",
         "renorm", "vector_norm"), WANTED,
    ),
    **dict.fromkeys(("amax", "amin"), ALIKE),
    **dict.fromkeys(("cummax", "cummin", "diff", "logcumsumexp"), FOUND),
    **dict.fromkeys(
        ("isneginf", "isposinf", "signbit"), "{name} does not support non-boolean outputs."
    ),
    **dict.fromkeys(("all", "any"), "{name} only supports bool tensor for result, got: {given}"),
    "float_power": "the output given to {name} has dtype {given} but the operation's result "
                   "requires dtype {result}",
    "masked_select": "masked_select(): self and result must have the same scalar type",
    "nan_to_num": "nan_to_num: dtype of out: {given} should be same as input: {result}",
    "where": "Expected out type to be {result} but got {given}",
}  # fmt: skip
"""Functions whose ``out`` must have the result's type, and what they say where it has not."""

EXACT_GIVEN = {
    **dict.fromkeys(("sum", "prod", "mean", "cumsum", "cumprod"), WANTED),
    "nansum": "nansum: provided dtype must match dtype of result. Got {given} and {result}.",
}
"""The same, where ``dtype`` is given."""

COLUMNS: dict[Callable[..., Any], bool] = {}
"""Functions that lay an empty ``out`` out column by column, as LAPACK does; True for those that
do so with one of another size, too."""


def by_columns(resized: bool = True) -> Callable[[Given], Given]:
    """Note that a function lays ``out`` out column by column."""

    def note(function: Given) -> Given:
        COLUMNS[function] = resized
        return function

    return note


def into(name: str, out: Any, target: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Call ``target`` and write its result into ``out`` (a tensor, or a tuple of them).

    Raises:
        RuntimeError: a gradient would be needed, or the result's dtype cannot be cast to that of
            ``out``. Nothing was changed then.
    """
    outs = (out,) if isinstance(out, Tensor) else tuple(out)
    for each in outs:
        if not isinstance(each, Tensor):
            kind = type(each).__name__
            raise TypeError(f"{name}(): argument 'out' must be Tensor, not {kind}")
    given = (*args, *kwargs.values(), *outs)
    wanted = hot.grad_enabled() and any(tensor.requires_grad for tensor in tensors_in(given))
    if wanted and not has_no_gradient(name):
        raise RuntimeError(
            f"{CALLED.get(name, name)}(): functions with out=... arguments don't support "
            "automatic differentiation, but one of the arguments requires grad."
        )
    if name in APART:
        check_overlap(outs[0]._data, [each._data for each in tensors_in(args)], whole=True)
    elif is_pointwise(name):
        check_overlap(outs[0]._data, [each._data for each in tensors_in(args)])
    exact = EXACT.get(name) if is_exact(name, args) else None
    if kwargs.get("dtype") is not None:
        exact = EXACT_GIVEN.get(name, exact)
    elif name in IN_ITS_TYPE:
        kwargs["dtype"] = outs[0].dtype
    with no_grad():
        found = target(*args, **kwargs)
    results = (found,) if isinstance(found, Tensor) else tuple(found)
    for each, result in zip(outs, results, strict=True):
        check_type(name, each._data.dtype, result._data.dtype, exact)
    with no_grad():
        for each, result in zip(outs, results, strict=True):
            put(name, target, each, result)
    return out if isinstance(out, Tensor) else type(found)(outs)


def is_pointwise(name: str) -> bool:
    """Whether PyTorch computes a function item by item."""
    return name in TABLE and TABLE[name].pointwise


def has_no_gradient(name: str) -> bool:
    """Whether PyTorch asks nobody for a gradient: comparisons, logic, what it does not derive."""
    op = TABLE.get(name)
    if op is None or not op.nograd:
        return False
    return op.dtype in ("bool", "float") or name in ("all", "any")


def is_exact(name: str, args: tuple[Any, ...]) -> bool:
    """Whether this form of a function is the one that wants its ``out`` of the same type."""
    tensors = any(isinstance(arg, Tensor) for arg in args[2 if name == "lerp" else 1 :])
    return tensors if name == "lerp" else not (tensors and name.startswith("clamp"))


def check_type(name: str, given: np.dtype[Any], result: np.dtype[Any], exact: str | None) -> None:
    """Refuse an ``out`` whose type the result cannot be cast to, or that PyTorch wants equal.

    Raises:
        RuntimeError: PyTorch's texts, which differ by function.
    """
    if name in ("all", "any") and given in (bool, np.uint8):
        return
    text = exact if given != result else None
    if name in TRUTHS:
        text = None if given in TRUTH_TYPES else TRUTH
    elif text is None and not dtypes.can_cast(result, given):
        text = CASTS.get(name, CAST)
    if text is not None:
        raise RuntimeError(text.format(
            name=name, result=dtypes.type_word(result), given=dtypes.type_word(given),
            c_result=dtypes.c_word(result), c_given=dtypes.c_word(given),
        ))  # fmt: skip


def put(name: str, target: Callable[..., Any], out: Tensor, result: Tensor) -> None:
    """Write a result into ``out``, resized where it must be; its version rises."""
    if out._data.shape != result._data.shape:
        if out._data.size:
            shapes = list(out._data.shape), list(result._data.shape)
            warnings.warn(RESIZED.format(*shapes), stacklevel=4)
        turned = COLUMNS.get(target, False) if out._data.size else target in COLUMNS
        order: Any = "K" if turned or is_pointwise(name) else "C"
        out._data = np.empty_like(result._data, out._data.dtype, order)
        out._meta = hot.meta_of(out._data)
    write(TABLE["copy"], out, (result,), {})


def tensors_in(values: Iterable[Any]) -> Iterator[Tensor]:
    """The tensors among arguments, lists included."""
    for value in values:
        if isinstance(value, Tensor):
            yield value
        elif isinstance(value, (list, tuple)):
            yield from tensors_in(value)
