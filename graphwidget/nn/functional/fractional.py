"""Max pooling over windows at random places (Graham, 2014)."""

from __future__ import annotations

from typing import Any

from ...core.compile import TENSORS as F
from ...core.public import FUNCTIONS
from ...core.tensor import Tensor
from ...optable.refusals import not_implemented
from .sizes import each_dim, is_int

_NAMES = {2: ("height", "width"), 3: ("time", "height", "width")}


def _pool(
    input: Tensor, dims: int, kernel_size: Any, output_size: Any, output_ratio: Any,
    samples: Tensor | None,
) -> Any:  # fmt: skip
    """The largest items, and a function that gives their places."""
    name = f"fractional_max_pool{dims}d"
    if output_size is None and output_ratio is None:
        raise ValueError(f"{name} requires specifying either an output_size or an output_ratio")
    if output_size is None:
        if len(output_ratio) > dims:
            raise ValueError(
                f"{name} requires output_ratio to either be a single Int or tuple of Ints."
            )
        output_size = [int(input.size(dim - dims) * output_ratio[dim]) for dim in range(dims)]
    if samples is None:
        batch = 1 if input.dim() == dims + 1 else input.size(0)
        if not input._meta.floating:
            raise not_implemented("check_uniform_bounds", input._data.dtype)
        samples = FUNCTIONS["rand"](batch, input.size(-dims - 1), dims, dtype=input.dtype)
    for what, given in (("kernel_size", kernel_size), ("output_size", output_size)):
        if not is_int(given) and len(given) != dims:
            three = "three " * (dims == 3)
            raise RuntimeError(
                f"{name}: {what} must either be a single Int or tuple of {three}Ints"
            )
    kernel, wanted = each_dim(kernel_size, dims), each_dim(output_size, dims)
    where = name if dims == 2 else f"{name}_out"
    check_input(where, input._data.shape, dims)
    sizes = input._data.shape[input._data.ndim - dims :]
    for word, n, k, count in zip(_NAMES[dims], sizes, kernel, wanted, strict=True):
        if count + k - 1 > n - (dims - 2):  # three dims must leave room
            raise RuntimeError(f"{where}(): pool {word} {k} too large relative to input {word} {n}")
    check_samples(input, samples, dims)
    return samples, kernel, wanted


def check_input(where: str, shape: tuple[int, ...], dims: int) -> None:
    """There must be channels, with or without a batch, and only the batch may be empty.

    Raises:
        RuntimeError: another number of dims or an empty one (PyTorch's texts).
    """
    if len(shape) not in (dims + 1, dims + 2):
        raise RuntimeError(
            f"{where}(): Expected {dims + 1}D or {dims + 2}D tensor, but got: {list(shape)}"
        )
    for dim in range(len(shape) - dims - 1, len(shape)):
        if not shape[dim]:
            raise RuntimeError(
                f"{where}(): Expected input to have non-zero size for non-batch dimensions, but "
                f"got{list(shape)} with dimension {dim} being empty."
            )


def check_samples(input: Tensor, samples: Tensor, dims: int) -> None:
    """There must be a draw for each channel (of each item of the batch) and dim.

    Raises:
        RuntimeError: another type or other sizes (PyTorch's texts).
    """
    if samples._data.dtype != input._data.dtype:
        raise RuntimeError("Expect _random_samples to have the same dtype as input")
    shape, sizes = samples._data.shape, input._data.shape
    if len(shape) != 3:
        raise RuntimeError(f"Expect _random_samples to have 3 dimensions, got {len(shape)}")
    if shape[0] < (1 if len(sizes) == dims + 1 else sizes[0]):
        raise RuntimeError("Expect _random_samples.size(0) no less then input batch size.")
    if shape[1] != sizes[-dims - 1]:
        raise RuntimeError("Expect _random_samples.size(1) equals to input channel size.")
    if shape[2] != dims:
        raise RuntimeError(f"Expect _random_samples.size(2) equals to {dims}; got {shape[2]}.")


def fractional_max_pool2d(
    input: Tensor, kernel_size: Any, output_size: Any = None, output_ratio: Any = None,
    return_indices: bool = False, _random_samples: Tensor | None = None,
) -> Any:  # fmt: skip
    """The largest item of each of ``output_size`` windows of (N, C, H, W), or (C, H, W), whose
    places are random.

    Args:
        output_ratio: instead of the size: its shares in the input's.
        return_indices: also where the items lie, as flat indices into H, W.

    Raises:
        ValueError: neither size nor ratio.
        RuntimeError: windows that are too large.
    """
    given = _pool(input, 2, kernel_size, output_size, output_ratio, _random_samples)
    found = F.fractional_max_pool2d(input, *given)
    return (found, F.fractional_max_pool_indices(input, *given)) if return_indices else found


def fractional_max_pool2d_with_indices(
    input: Tensor, kernel_size: Any, output_size: Any = None, output_ratio: Any = None,
    return_indices: bool = False, _random_samples: Tensor | None = None,
) -> Any:  # fmt: skip
    """``fractional_max_pool2d`` and where the items lie."""
    return fractional_max_pool2d(
        input, kernel_size, output_size, output_ratio, True, _random_samples
    )


def fractional_max_pool3d(
    input: Tensor, kernel_size: Any, output_size: Any = None, output_ratio: Any = None,
    return_indices: bool = False, _random_samples: Tensor | None = None,
) -> Any:  # fmt: skip
    """The largest item of each window of (N, C, D, H, W); see ``fractional_max_pool2d``."""
    given = _pool(input, 3, kernel_size, output_size, output_ratio, _random_samples)
    found = F.fractional_max_pool3d(input, *given)
    return (found, F.fractional_max_pool_indices(input, *given)) if return_indices else found


def fractional_max_pool3d_with_indices(
    input: Tensor, kernel_size: Any, output_size: Any = None, output_ratio: Any = None,
    return_indices: bool = False, _random_samples: Tensor | None = None,
) -> Any:  # fmt: skip
    """``fractional_max_pool3d`` and where the items lie."""
    return fractional_max_pool3d(
        input, kernel_size, output_size, output_ratio, True, _random_samples
    )
