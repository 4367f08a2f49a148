"""``torch.vmap``: maps a function of one sample over a batch.

PyTorch computes the batch at once; here the function is called for each sample and the results are
stacked. Values and gradients agree; nodes show every call.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from ..eager.op_functions import TENSORS as F
from ..functions.dims import wrap_dim
from ..functions.random.generator import default
from ..graph.tensor import Tensor
from .pytree import Spec, broadcast_prefix, tree_flatten, tree_unflatten

RANDOM = (
    "vmap: called random operation while in randomness error mode. Please either use the 'same' "
    "or 'different' randomness flags on vmap or perform the randomness operation out of vmap"
)
RAGGED = "vmap: We do not support batching operators that can output dynamic shape."


def vmap(
    func: Callable[..., Any],
    in_dims: Any = 0,
    out_dims: Any = 0,
    randomness: str = "error",
    *,
    chunk_size: int | None = None,
) -> Callable[..., Any]:
    """``func`` over a dim of its inputs.

    Args:
        in_dims: the dim of each positional argument to map over (None: the argument whole), one
            for all or a nest like the arguments.
        out_dims: where the dim stands in the results, one for all or a nest like the results.
        randomness: "different" or "same" for all samples, or "error" to refuse random numbers.
        chunk_size: changes nothing here: samples are computed one at a time.

    Raises:
        ValueError, RuntimeError: dims that do not fit (PyTorch's texts).
    """
    if randomness not in ("error", "different", "same"):
        raise RuntimeError(
            "Only allowed values for randomness are 'error', 'different', or 'same'. Got "
            f"{randomness}"
        )
    if chunk_size is not None and chunk_size <= 0:
        raise ValueError(f"vmap: chunk_size should be None or greater than 0. (got {chunk_size})")

    @functools.wraps(func)
    def mapped(*args: Any, **kwargs: Any) -> Any:
        name = getattr(func, "__name__", repr(func))
        values, spec = tree_flatten(args)
        dims = input_dims(name, in_dims, args, values, spec)
        size = batch_size(values, dims)
        state = default.get_state() if randomness != "different" else None
        calls = []
        for i in range(max(size, 1)):
            if randomness == "same":
                default.set_state(state)
            given = [take_sample(value, dim, i) for value, dim in zip(values, dims, strict=True)]
            found = func(*tree_unflatten(given, spec), **kwargs)
            if randomness == "error" and not bool((default.get_state() == state).all()):
                default.set_state(state)
                raise RuntimeError(RANDOM)
            calls.append(tree_flatten(found))
        shape = calls[0][1]
        places = output_dims(name, out_dims, calls[0][0], shape)
        columns = zip(*(call[0] for call in calls), strict=True)
        joined = [
            stack_results(name, each, dim, size) for each, dim in zip(columns, places, strict=True)
        ]
        return tree_unflatten(joined, shape)

    return mapped


def input_dims(
    name: str, in_dims: Any, args: tuple[Any, ...], values: list[Any], spec: Spec
) -> list[Any]:
    """The dim to map over for each value among the arguments, counted from the start.

    Raises:
        ValueError: they do not fit (PyTorch's texts).
    """
    if not isinstance(in_dims, (int, tuple)):
        raise ValueError(
            f"vmap({name}, in_dims={in_dims}, ...)(<inputs>): expected `in_dims` to be int or a "
            f"(potentially nested) tuple matching the structure of inputs, got: {type(in_dims)}."
        )
    if not args:
        raise ValueError(
            f"vmap({name})(<inputs>): got no inputs. Maybe you forgot to add inputs, or you are "
            "trying to vmap over a function with no inputs. The latter is unsupported."
        )
    dims = broadcast_prefix(in_dims, spec)
    start = f"vmap({name}, in_dims={in_dims}, ...)(<inputs>): "
    if dims is None:
        raise ValueError(
            f"{start}in_dims is not compatible with the structure of `inputs`. in_dims has "
            f"structure {tree_flatten(in_dims)[1].printed()} "
            f"but inputs has structure {spec.printed()}."
        )
    for value, dim in zip(values, dims, strict=True):
        if dim is None:
            continue
        if not isinstance(dim, int):
            raise ValueError(
                f"{start}Got in_dim={dim} for an input but in_dim must be either an integer "
                "dimension or None."
            )
        if not isinstance(value, Tensor):
            raise ValueError(
                f"{start}Got in_dim={dim} for an input but the input is of type {type(value)}. We "
                "cannot vmap over non-Tensor arguments, please use None as the respective in_dim"
            )
        if not -value.ndim <= dim < value.ndim:
            raise ValueError(
                f"{start}Got in_dim={dim} for some input, but that input is a Tensor of "
                f"dimensionality {value.ndim} so expected in_dim to satisfy -{value.ndim} <= "
                f"in_dim < {value.ndim}."
            )
    return dims


def batch_size(values: list[Any], dims: list[Any]) -> int:
    """Return how many samples there are.

    Raises:
        ValueError: not the same number everywhere.
    """
    sizes = [
        value._data.shape[dim] for value, dim in zip(values, dims, strict=True) if dim is not None
    ]
    if len(set(sizes)) > 1:
        raise ValueError(
            "vmap: Expected all tensors to have the same size in the mapped dimension, got sizes "
            f"{sizes} for the mapped dimension"
        )
    if not sizes:
        raise ValueError("vmap: at least one of the inputs must be mapped over")
    return int(sizes[0])


def take_sample(value: Any, dim: int | None, place: int) -> Any:
    """One sample of a value; of an empty batch, zeros that stand for one."""
    if dim is None:
        return value
    shape = value._data.shape
    dim = wrap_dim(dim, len(shape))
    if not shape[dim]:
        return Tensor._wrap(np.zeros((*shape[:dim], *shape[dim + 1 :]), value._data.dtype))
    return F.select(value, dim, place)


def output_dims(name: str, out_dims: Any, values: list[Any], spec: Spec) -> list[Any]:
    """Return where the mapped dim stands in each result.

    Raises:
        ValueError: they do not fit (PyTorch's texts).
    """
    if out_dims is not None and not isinstance(out_dims, (int, tuple, list, dict)):
        raise ValueError(
            f"vmap({name}, ..., out_dims={out_dims}): `out_dims` must be an int, None or a python "
            "collection of ints representing where in the outputs the vmapped dimension should "
            "appear."
        )
    if spec.kind is None and isinstance(out_dims, (tuple, list)) and len(out_dims) == 1:
        (out_dims,) = out_dims
    dims = broadcast_prefix(out_dims, spec)
    if dims is None:
        raise ValueError(
            f"vmap({name}, ..., out_dims={out_dims})(<inputs>): out_dims is not compatible with "
            f"the structure of `outputs`. "
            f"out_dims has structure {tree_flatten(out_dims)[1].printed()} "
            f"but outputs has structure {spec.printed()}."
        )
    return dims


def stack_results(name: str, found: tuple[Any, ...], dim: int | None, size: int) -> Any:
    """One result of all samples, stacked.

    Raises:
        ValueError: results that are no tensors, or differ though they are not joined.
        RuntimeError: they have different sizes.
    """
    first = found[0]
    if dim is None:
        if not all(same_results(each, first) for each in found[1:]):
            text = f"`{name}` can not return a BatchedTensor when out_dim is None"
            raise ValueError(f"vmap({name}, ...): {text}")
        return first
    if not isinstance(first, Tensor):
        raise ValueError(
            f"vmap({name}, ...): `{name}` must only return Tensors, got type {type(first)}. Did "
            "you mean to set out_dims= to None for output?"
        )
    place = wrap_dim(dim, first.ndim + 1)
    if not size:
        shape = list(first._data.shape)
        shape.insert(place, 0)
        return Tensor._wrap(np.zeros(shape, first._data.dtype))
    if any(each._data.shape != first._data.shape for each in found):
        raise RuntimeError(RAGGED)
    joined = F.stack(found, dim=0)
    if not place:
        return joined
    rest = list(range(1, joined.ndim))
    return F.permute(joined, (*rest[:place], 0, *rest[place:]))


def same_results(one: Any, other: Any) -> bool:
    """Return whether two results are the same, or are no tensors, of which nothing is asked."""
    if one is other or not (isinstance(one, Tensor) and isinstance(other, Tensor)):
        return True
    nans = one._data.dtype.kind == "f"
    return bool(np.array_equal(one._data, other._data, equal_nan=nans))
