"""``sum``, ``mean``, ``prod``, ``max``, ``var``, ``logsumexp``, ``cumsum`` and the like."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...arrays import dtypes
from ...arrays.warnings import warn
from ...dispatch.offer import METHODS, offer
from ...dispatch.out import NamedResult, make_result_type
from ...eager.inplace import needs_node, write
from ...eager.op_functions import TENSORS as F
from ...eager.promote import fit_to
from ...graph import errors, runtime
from ...graph.tensor import Tensor
from ...optable import TABLE
from ...optable.out import Out
from ...optable.pointwise.common_kernels import count_along
from ..dims import checked_dim, checked_dims, shape_args, wrap_dim, wrap_dims


def returns_tuple(record: Any) -> Callable[..., tuple[Tensor, ...]]:
    """A record function that returns several tensors, typed so."""
    return record  # type: ignore[no-any-return]


def numpy_type(dtype: Any) -> Any:
    """The numpy type of a ``dtype=`` argument, None without one."""
    return None if dtype is None else dtype.numpy


def checked_reduction_dims(dim: Any, ndim: int) -> tuple[int, ...] | None:
    """The dims, checked, as the user gave them, which is what nodes keep; None and ``()`` both
    mean all. (So does leaving them out, in signatures ``...``, of which nodes keep nothing.)"""
    return None if dim is None else checked_dims(dim, ndim)


def checked_nonempty_dim(name: str, input: Tensor, dim: int) -> int:
    """The dim, checked, as the user gave it.

    Raises:
        IndexError: it has no items to choose from (PyTorch's text).
    """
    data = input._data
    wrapped = wrap_dim(dim, data.ndim)
    if data.ndim and not data.shape[wrapped]:
        raise empty_dim_error(name, wrapped)
    return dim


def empty_dim_error(name: str, dim: int) -> IndexError:
    """The error for a choice of items along an empty dim."""
    return IndexError(f"{name}(): Expected reduction dim {dim} to have non-zero size.")


# Sums and products -------------------------------------------------------------------------------
@offer(out=True)
def sum(input: Tensor, dim: Any = ..., keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """The sum of all items, or along dims; integers and bools add up to int64."""
    if dtype is not None:
        dtype = dtype.numpy
    if dim is ...:
        if not keepdim:
            return F.sum(input, dtype)
        dim = None
    return F.sum_dim(input, checked_reduction_dims(dim, input.ndim), keepdim, dtype)


@offer(out=True)
def nansum(input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """The sum of all items but nan, or along dims."""
    return F.nansum(input, checked_reduction_dims(dim, input.ndim), keepdim, numpy_type(dtype))


@offer(out=True)
def mean(input: Tensor, dim: Any = ..., keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """The mean of all items, or along dims.

    Raises:
        RuntimeError: integers.
    """
    if dtype is not None:
        dtype = dtype.numpy
    if (dtype or input._meta.dtype).kind != "f":
        given = "Input" if dtype is None else "Optional"
        raise RuntimeError(
            f"mean(): could not infer output dtype. {given} dtype must be either a floating point "
            f"or complex dtype. Got: {dtypes.scalar_type(dtype or input._data.dtype)}"
        )
    if dim is ...:
        if not keepdim:
            return F.mean(input, dtype)
        dim = None
    return F.mean_dim(input, checked_reduction_dims(dim, input.ndim), keepdim, dtype)


@offer(out=Out("cast"))
def nanmean(input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """The mean of all items but nan, or along dims.

    Raises:
        RuntimeError: integers.
    """
    if not input._meta.floating:
        raise RuntimeError(
            "nanmean(): expected input to have floating point or complex dtype but got "
            f"{dtypes.scalar_type(input._data.dtype)}"
        )
    if dtype is not None and dtype.numpy.kind != "f":
        raise RuntimeError(
            "nanmean(): could not infer output dtype. Optional dtype must be either a floating "
            f"point or complex dtype. Got: {dtypes.scalar_type(dtype.numpy)}"
        )
    there = F.logical_not(F.isnan(input.detach()))
    count = sum(there, dim, keepdim)
    return F.div(nansum(input, dim, keepdim, dtype=dtype), count)


@offer(out=True)
def prod(
    input: Tensor, dim: int | None = None, keepdim: bool = False, *, dtype: Any = None
) -> Tensor:
    """The product of all items, or along a dim; gradients are exact where items are 0."""
    if dim is None:
        return F.prod(input, numpy_type(dtype))
    return F.prod_dim(input, checked_dim(dim, input.ndim), keepdim, numpy_type(dtype))


# Extremes ----------------------------------------------------------------------------------------
def empty_input_error(name: str) -> RuntimeError:
    """The error for extremes of nothing."""
    return RuntimeError(
        f"{name}(): Expected reduction dim to be specified for input.numel() == 0. Specify the "
        "reduction dim with the 'dim' argument."
    )


def _extreme(name: str, pair: type[NamedResult], pairwise: str) -> Callable[..., Any]:
    def function(
        input: Tensor, dim: Any = None, keepdim: bool = False, *, other: Any = None
    ) -> Any:
        if other is not None and not isinstance(other, Tensor):
            raise TypeError("other is no tensor")  # the caller finds PyTorch's words
        dim = dim if other is None else other
        if isinstance(dim, Tensor):
            return getattr(F, pairwise)(input, dim)
        if dim is None:
            if input._data.size == 0:
                raise empty_input_error(name)
            return getattr(F, name)(input)
        dim = checked_nonempty_dim(name, input, dim)
        return pair(getattr(F, name + "_dim")(input, dim=dim, keepdim=keepdim))

    function.__name__ = function.__qualname__ = name
    function.__doc__ = (
        f"The {name}imum of all items; along a dim, a pair of values and indices; of two tensors, "
        f"``{pairwise}``."
    )
    return function


max = offer(out=True)(_extreme("max", make_result_type("max", "values", "indices"), "maximum"))
min = offer(out=True)(_extreme("min", make_result_type("min", "values", "indices"), "minimum"))


def _extremes(name: str) -> Callable[..., Tensor]:
    def function(input: Tensor, dim: Any = (), keepdim: bool = False) -> Tensor:
        dims = checked_reduction_dims(() if dim is None else dim, input.ndim)
        if input._data.size == 0:
            if not dims:
                raise empty_input_error(name)
            if empty := [d for d in dims if not input._data.shape[d]]:
                raise empty_dim_error(name, empty[0])
        return getattr(F, name)(input, dims, keepdim)  # type: ignore[no-any-return]

    function.__name__ = function.__qualname__ = name
    function.__doc__ = (
        f"The {name[1:]}imum along dims (all without any); equal items share the gradient."
    )
    return function


amax, amin = offer(out=True)(_extremes("amax")), offer(out=True)(_extremes("amin"))


def _arg_extreme(name: str) -> Callable[..., Tensor]:
    def function(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
        if input._data.dtype == bool:
            raise RuntimeError(f"{name}(): does not support bool input")
        if dim is not None:
            dim = checked_nonempty_dim(name, input, dim)
        elif input._data.size == 0:
            raise IndexError(
                f"{name}(): Expected reduction dim to be specified for input.numel() == 0."
            )
        return getattr(F, name)(input, dim, keepdim)  # type: ignore[no-any-return]

    which = "largest" if name == "argmax" else "smallest"
    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"The index of the first {which} item (flat, or along a dim)."
    return function


argmax, argmin = offer(out=True)(_arg_extreme("argmax")), offer(out=True)(_arg_extreme("argmin"))


# Spread ------------------------------------------------------------------------------------------
def _std_var(name: str) -> Callable[..., Any]:
    def function(
        input: Tensor,
        dim: Any = ...,
        unbiased: bool | None = None,
        keepdim: bool = False,
        *,
        correction: float | None = None,
    ) -> Any:
        if isinstance(dim, bool):
            dim, unbiased = ..., dim
        if not input._meta.floating:
            said = name if "_" in name else "std and var"
            raise RuntimeError(f"{said} only support floating point and complex dtypes")
        if correction is None and (unbiased is not None or dim is not ...):
            correction = 1 if unbiased is None else int(unbiased)
        dims = checked_reduction_dims(None if dim is ... else dim, input.ndim)
        warn_degrees_of_freedom(name, input._data.shape, dims, correction)
        found = getattr(F, name)(input, dim=dims, correction=correction, keepdim=keepdim)
        return tuple(found) if "_" in name else found

    function.__name__ = function.__qualname__ = name
    function.__doc__ = (
        f"{name.replace('_', ' and ')} of all items or along dims; the sum of squares is divided "
        "by the count less ``correction`` (1; ``unbiased=False``: 0)."
    )
    return function


def warn_degrees_of_freedom(
    name: str, shape: tuple[int, ...], dims: Any, correction: float | None
) -> None:
    """Warn where there are too few items for a spread (PyTorch's text)."""
    count = 0 if 0 in shape else count_along(shape, dims)
    if count - (1 if correction is None else correction) <= 0:
        warn(
            f"{name}(): degrees of freedom is <= 0. Correction should be strictly less than the "
            "reduction factor (input numel divided by output numel).",
        )


var, std = offer(out=True)(_std_var("var")), offer(out=True)(_std_var("std"))
var_mean = offer(method=False)(_std_var("var_mean"))
std_mean = offer(method=False)(_std_var("std_mean"))


# Truth and counts --------------------------------------------------------------------------------
def _all_any(name: str) -> Callable[..., Tensor]:
    def function(input: Tensor, dim: Any = None, keepdim: bool = False) -> Tensor:
        dims = None if dim is None else wrap_dims(dim, input.ndim)
        if dims is None and keepdim:
            dims = tuple(range(input.ndim))
        if dim is not None and not isinstance(dim, int) and not len(dim):  # sums take all then
            dims = ()
        return getattr(F, name)(input, dims, keepdim)  # type: ignore[no-any-return]

    every = "all items are" if name == "all" else "any item is"
    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"Whether {every} true (not 0), of all or along dims."
    return function


all, any = offer(out=True)(_all_any("all")), offer(out=True)(_all_any("any"))


@offer()
def count_nonzero(input: Tensor, dim: Any = None) -> Tensor:
    """Return how many items are not 0, of all or along dims.

    Shapes: any; the dims go (all, when none is named).
    """
    return F.count_nonzero(input, None if dim is None else wrap_dims(dim, input.ndim))


@offer(out=True)
def nonzero(input: Tensor, *, as_tuple: bool = False) -> Any:
    """The indices of the items that are not 0: one row each, or (``as_tuple``) one tensor of
    indices for each dim.

    Shapes: any; (n, input.ndim), or input.ndim tensors of (n,), for n items.
    """
    if not as_tuple:
        return F.nonzero(input)
    flat = input if input.ndim else F.unsqueeze(input.detach(), 0)
    return tuple(F.nonzero(flat).unbind(1))


@offer()
def argwhere(input: Tensor) -> Tensor:
    """The indices of the items that are not 0, one row each.

    Shapes: any; (n, input.ndim) for n items.
    """
    return F.nonzero(input)


@offer()
def trace(input: Tensor) -> Tensor:
    """The sum of a matrix's diagonal.

    Raises:
        RuntimeError: no matrix.
    """
    if input.ndim != 2:
        raise RuntimeError(f"trace: expected a matrix, but got tensor with dim {input.ndim}")
    return F.trace(input)


@offer(out=True)
def logsumexp(input: Tensor, dim: Any, keepdim: bool = False) -> Tensor:
    """log of the sum of exp along dims; neither overflows nor loses precision."""
    source = input if input._meta.floating else F.to_copy(input, dtypes.default_numpy())
    dims, shape = checked_dims(dim, input.ndim), input._data.shape
    if shape and not dims and not keepdim and 0 not in shape:  # PyTorch's own mistake
        raise errors.shape_error((), (1,) * len(shape))
    return F.logsumexp(source, dims, keepdim)


offer(out=True, space="special")(logsumexp)


@offer(function=False)
def sum_to_size(input: Tensor, *sizes: Any, size: Any = None) -> Tensor:
    """The sum over the dims that a broadcast from ``size`` stretched; of no dims, that of all."""
    shape = shape_args(sizes if size is None else (size,))
    if not shape:
        whole: Tensor = F.sum(input)
        return whole
    own = input._data.shape
    ends = own[len(own) - len(shape) :]
    stretched = tuple([b if a == 1 else a for a, b in zip(shape, ends, strict=False)])
    if len(shape) > len(own) or stretched != ends:
        raise RuntimeError(f"size {{{list(shape)}}} is not expandable to size {{{list(own)}}}.")
    if not input._meta.floating and own != shape:
        input = F.to_copy(input, np.dtype(np.int64))  # as all sums of integers
    return sum_to_shape(input, shape)


def sum_to_shape(input: Tensor, shape: Any) -> Tensor:
    """Like ``sum_to_size``, in derivatives, where a tensor of that size is left as it is."""
    return (
        input
        if input._data.shape == shape
        else fit_to(input, runtime.meta(shape, input._data.dtype))
    )


# Running -----------------------------------------------------------------------------------------
def _cumulative(name: str, what: str) -> Callable[..., Tensor]:
    def function(input: Tensor, dim: int, *, dtype: Any = None) -> Tensor:
        record = getattr(F, name)
        return record(input, checked_dim(dim, input.ndim), numpy_type(dtype))  # type: ignore[no-any-return]

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"Running {what} along a dim."
    return function


cumsum = offer(out=True)(_cumulative("cumsum", "sums"))


cumprod = offer(out=True)(_cumulative("cumprod", "products"))


def _cumulative_in_place(name: str) -> Callable[..., Tensor]:
    def method(self: Tensor, dim: int, *, dtype: Any = None) -> Tensor:
        needs_node(TABLE[name], (self,))
        dim = checked_dim(dim, self.ndim)
        if dtype is not None and dtype.numpy != self._data.dtype:
            one, two = dtypes.c_type(self._data.dtype), dtypes.c_type(dtype.numpy)
            raise RuntimeError(
                f"Bad in-place call: input tensor dtype {one} and output tensor dtype {two} should "
                "match"
            )
        return write(TABLE[name], self, (), {"dim": dim, "dtype": self._data.dtype})

    method.__name__ = method.__qualname__ = name + "_"
    method.__doc__ = f"``{name}``, written into this tensor."
    return method


METHODS.update(cumsum_=_cumulative_in_place("cumsum"), cumprod_=_cumulative_in_place("cumprod"))


def _cummax_cummin(name: str, result: type[NamedResult]) -> Callable[..., Any]:
    def function(input: Tensor, dim: int) -> Any:
        if input.ndim == 0 and dim not in (-1, 0):
            raise IndexError(f"{name}(): Expected reduction dim -1 or 0 for scalar but got {dim}")
        return result(getattr(F, name)(input, dim=checked_dim(dim, input.ndim)))

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"The running {name[3:]}imum along a dim, and where it last stood."
    return function


cummax = offer(out=True)(_cummax_cummin("cummax", make_result_type("cummax", "values", "indices")))


cummin = offer(out=True)(_cummax_cummin("cummin", make_result_type("cummin", "values", "indices")))
