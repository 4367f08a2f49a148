"""``permute_copy`` and the like, which copy what views show, and ``unsafe_split``."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from operator import index
from typing import Any

from ...dispatch.offer import offer
from ...eager.op_functions import TENSORS as F
from ...graph.tensor import Tensor
from ..dims import ZERO_DIM_SLICE, infer_shape, shape_args, wrap_dim
from .permute import permute, t, transpose
from .reshape_expand import expand, squeeze, unsqueeze, view
from .select_diagonal import as_strided, diagonal, select, unfold, without_history
from .splits import chunk, split, split_with_sizes, unbind


def record_copy(kind: str, input: Tensor, shown: Any) -> Any:
    """The op that made a view (or several), recorded as its copying (or unsafe) sister.

    ``kind`` is the sister's name with ``{}`` for the view's.
    """
    first = shown[0] if isinstance(shown, tuple) else shown
    op, params, *_ = first._view.chain[-1]
    key = kind.format(op.name) + op.key[len(op.name) :]
    return getattr(F, key.replace(".", "_"))(input, **params)


def offer_view_copy(
    name: str, show: Callable[..., Any], kind: str = "{}_copy", method: bool = False,
    out: bool = True,
) -> None:  # fmt: skip
    """Offer the sister of a view function under a name; it takes the same arguments and refuses
    the same ones."""

    def function(input: Tensor, *args: Any, **kwargs: Any) -> Any:
        shown = show(without_history(input), *args, **kwargs)
        return () if isinstance(shown, tuple) and not shown else record_copy(kind, input, shown)

    function.__name__ = function.__qualname__ = name
    signature = inspect.signature(show)
    first, *rest = signature.parameters.values()
    function.__signature__ = signature.replace(  # type: ignore[attr-defined]
        parameters=[first.replace(name="input"), *rest]
    )
    done = "copied" if kind.endswith("copy") else "as tensors that are no views of it"
    function.__doc__ = f"``{show.__name__.removesuffix('_view')}``, {done}."
    offer(method=method, out=out)(function)


def alias(input: Tensor) -> Tensor:
    """The tensor itself."""
    return F.alias(input)


def expand_view(input: Tensor, size: Any, *, implicit: bool = False) -> Tensor:
    """A view spread to a larger size; ``implicit`` changes nothing."""
    return expand(input, size)


def permute_view(input: Tensor, dims: Any) -> Tensor:
    """The dims in another order."""
    return permute(input, dims)


def slice(
    input: Tensor, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1
) -> Tensor:
    """Items start, start + step, ... below end along a dim.

    Raises:
        IndexError, RuntimeError: there is no such dim, or no way ahead (PyTorch's texts).
    """
    if not input._data.ndim:
        raise IndexError(ZERO_DIM_SLICE)
    wrap_dim(dim, input._data.ndim)
    if step <= 0:
        raise RuntimeError("slice step must be positive")
    return F.slice(input, dim, start or 0, end, step)


def split_sizes(input: Tensor, split_size: int, dim: int = 0) -> tuple[Tensor, ...]:
    """Consecutive parts of one size along a dim."""
    return split(input, index(split_size), dim)


VIEW_COPIES: tuple[tuple[str, Callable[..., Any], str], ...] = (
    ("alias_copy", alias, ""), ("as_strided_copy", as_strided, ""),
    ("diagonal_copy", diagonal, ""), ("expand_copy", expand_view, ""),
    ("permute_copy", permute_view, ""), ("select_copy", select, ""), ("slice_copy", slice, ""),
    ("squeeze_copy", squeeze, ""), ("t_copy", t, ""), ("transpose_copy", transpose, ""),
    ("unfold_copy", unfold, ""), ("unsqueeze_copy", unsqueeze, ""),
    ("split_copy", split_sizes, "many"), ("split_with_sizes_copy", split_with_sizes, "many"),
    ("unbind_copy", unbind, "many"), ("unsafe_split", split_sizes, "unsafe"),
    ("unsafe_split_with_sizes", split_with_sizes, "unsafe"), ("unsafe_chunk", chunk, "unsafe"),
)  # fmt: skip
for _name, _show, _kind in VIEW_COPIES:
    _form = "unsafe_{}" if _kind == "unsafe" else "{}_copy"
    offer_view_copy(_name, _show, _form, method=_kind == "unsafe", out=not _kind)


@offer(method=False, out=True)
def view_copy(input: Tensor, size: Any = None, *, dtype: Any = None) -> Tensor:
    """The items in another shape, or (given a dtype) the bits as another type, copied."""
    if isinstance(size, (list, tuple)):
        return F.view_copy(input, infer_shape(shape_args((size,)), input._data.size))
    return F.clone(view(without_history(input), dtype=size if dtype is None else dtype))


@offer(method=False, out=True)
def detach_copy(input: Tensor) -> Tensor:
    """A copy without history."""
    return F.detach_copy(input)
