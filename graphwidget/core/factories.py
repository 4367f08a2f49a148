"""Tensors from data, numbers and nothing."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..optable import layout
from . import dtypes, hot, random
from .public import offer
from .tensor import Tensor

COPY_WARNING = (
    "To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone() or "
    "sourceTensor.detach().clone().requires_grad_(True), rather than torch.tensor(sourceTensor)."
)


def made(data: Any, requires_grad: bool = False) -> Tensor:
    """A new leaf around an array.

    Raises:
        RuntimeError: gradients are wanted of integers.
    """
    out = Tensor._wrap(data)
    if requires_grad:
        if not out._meta.floating:
            raise RuntimeError(
                "Only Tensors of floating point and complex dtype can require gradients"
            )
        out._requires_grad = True
    if hot.observer is not None:
        hot.observer.made(out)
    return out


def numpy_type(dtype: Any) -> Any:
    """The numpy dtype for a ``dtype=`` argument; the default dtype for None.

    Raises:
        TypeError: it is no dtype.
    """
    if dtype is None:
        return dtypes.default_numpy()
    if isinstance(dtype, dtypes.dtype):
        return dtype.numpy
    if dtype in (float, int, bool):
        return {float: np.dtype(np.float64), int: np.dtype(np.int64), bool: np.dtype(bool)}[dtype]
    raise TypeError(f"dtype must be a torch.dtype, not {type(dtype).__name__}")


def check_sequence(data: Any, dim: int = 0) -> tuple[int, ...]:
    """The shape of nested sequences.

    Raises:
        ValueError: they are ragged (PyTorch's text).
    """
    if isinstance(data, (Tensor, np.ndarray)):
        return tuple(data.shape)
    if not isinstance(data, (list, tuple, range)):
        return ()
    if not data:
        return (0,)
    first = check_sequence(data[0], dim + 1)
    for item in data[1:]:
        shape = check_sequence(item, dim + 1)
        if len(shape) != len(first):
            if not first:
                raise TypeError(_not_a_number(data[0], item))
            raise ValueError(f"expected sequence of length {first[0]} at dim {dim + 1} (got 0)")
        for offset, (want, got) in enumerate(zip(first, shape, strict=True)):
            if want != got:
                raise ValueError(
                    f"expected sequence of length {want} at dim {dim + 1 + offset} (got {got})"
                )
    return (len(data), *first)


def _not_a_number(first: Any, item: Any) -> str:
    """PyTorch's words for a sequence among numbers: it reads them as the first one's type."""
    if isinstance(first, int):
        return f"'{type(item).__name__}' object cannot be interpreted as an integer"
    return f"must be real number, not {type(item).__name__}"


def array_from(data: Any, dtype: Any = None) -> np.ndarray:
    """A new array from numbers, nested sequences, arrays or tensors, typed as PyTorch does."""
    if isinstance(data, Tensor):
        data = data._data
    if isinstance(data, (np.ndarray, np.generic)):
        result = np.array(data, None if dtype is None else numpy_type(dtype))
        if result.dtype == object or result.dtype.kind in "USOc":
            raise TypeError(f"can't convert np.ndarray of type {data.dtype.type.__module__}."
                            f"{data.dtype.type.__name__}.")  # fmt: skip
        return result
    if data is None:
        raise RuntimeError("Could not infer dtype of NoneType")
    check_sequence(data)
    plain = _plain(data)
    found = np.array(plain)
    if found.dtype.kind not in "fiub":
        kind = type(data).__name__ if not isinstance(data, (list, tuple)) else "str"
        raise TypeError(f"new(): invalid data type '{kind}'")
    if dtype is not None:
        return found.astype(numpy_type(dtype))
    if found.dtype.kind == "f":
        return found.astype(dtypes.default_numpy())
    return found.astype(np.int64) if found.dtype.kind in "iu" else found


def _plain(data: Any) -> Any:
    """Nested sequences with tensors in them as plain numbers and arrays."""
    if isinstance(data, Tensor):
        return data._data.tolist()
    if isinstance(data, (list, tuple)):
        if not data:
            return []
        return [_plain(item) for item in data]
    return list(data) if isinstance(data, range) else data


@offer(method=False)
def tensor(
    data: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """A leaf from numbers, nested sequences or arrays; always a copy.

    Args:
        data: integers become int64, floats the default dtype, bools bool; arrays keep theirs.
        dtype, device: as PyTorch's; the device must be the CPU.
        requires_grad: whether gradients are wanted.

    Raises:
        ValueError: ragged sequences.
        RuntimeError: gradients of integers.
    """
    dtypes.require_cpu(device)
    if isinstance(data, Tensor):
        warnings.warn(COPY_WARNING, stacklevel=2)
    if isinstance(data, (list, tuple)) and not data:
        return made(np.zeros((0,), numpy_type(dtype)), requires_grad)
    return made(array_from(data, dtype), requires_grad)


@offer(method=False)
def as_tensor(data: Any, dtype: Any = None, device: Any = None) -> Tensor:
    """A tensor, sharing memory with an array where it can; a tensor itself when it fits."""
    dtypes.require_cpu(device)
    if isinstance(data, Tensor):
        return data if dtype is None else data.to(dtype)
    if isinstance(data, np.ndarray):
        return made(np.asarray(data, None if dtype is None else numpy_type(dtype)))
    return made(array_from(data, dtype))


@offer(method=False)
def from_numpy(array: np.ndarray) -> Tensor:
    """A tensor that shares memory with an array.

    Raises:
        TypeError: it is no array, or not of numbers that tensors have.
        ValueError: its strides or its byte order are not those of a tensor.
    """
    if not isinstance(array, np.ndarray):
        raise TypeError(f"expected np.ndarray (got {type(array).__name__})")
    dtypes.of(array.dtype.newbyteorder("="))
    if not array.dtype.isnative:
        raise ValueError(
            "given numpy array has byte order different from the native byte order. Conversion "
            "between byte orders is currently not supported."
        )
    if any(stride < 0 for stride in array.strides):
        raise ValueError(
            "At least one stride in the given numpy array is negative, and tensors with negative "
            "strides are not currently supported. (You can probably work around this by making a "
            "copy of your array  with array.copy().) "
        )
    if any(stride % array.itemsize for stride in array.strides):
        raise ValueError(
            "given numpy array strides not a multiple of the element byte size. Copy the numpy "
            "array to reallocate the memory."
        )
    return made(array)


def sizes(args: tuple[Any, ...]) -> tuple[int, ...]:
    """``(2, 3)`` or ``((2, 3),)`` as a shape."""
    if len(args) == 1 and isinstance(args[0], (tuple, list)):
        args = tuple(args[0])
    return tuple(int(size) for size in args)


def _filled(make: Callable[..., np.ndarray], text: str) -> Callable[..., Tensor]:
    def factory(
        *size: Any,
        dtype: Any = None,
        device: Any = None,
        requires_grad: bool = False,
        generator: Any = None,
    ) -> Tensor:
        dtypes.require_cpu(device)
        shape = sizes(size)
        if any(length < 0 for length in shape):
            raise RuntimeError(f"{factory.__name__}: Dimension size must be non-negative.")
        source = () if generator is None else (generator,)
        return made(make(shape, numpy_type(dtype), *source), requires_grad)

    factory.__doc__ = f"{text}, of the given size; ``dtype`` defaults to the default dtype."
    return factory


def _like(make: Callable[[tuple[int, ...], Any], np.ndarray], text: str) -> Callable[..., Tensor]:
    def factory(
        input: Tensor, *, dtype: Any = None, device: Any = None, requires_grad: bool = False
    ) -> Tensor:
        dtypes.require_cpu(device)
        chosen = input._data.dtype if dtype is None else numpy_type(dtype)
        data = layout.empty_like(input._data, chosen)
        data[...] = make(input._data.shape, chosen)
        return made(data, requires_grad)

    factory.__doc__ = f"{text}, in the shape of ``input`` and (by default) of its dtype."
    return factory


zeros, zeros_like = _filled(np.zeros, "Zeros"), _like(np.zeros, "Zeros")
ones, ones_like = _filled(np.ones, "Ones"), _like(np.ones, "Ones")
empty, empty_like = _filled(np.empty, "Uninitialised"), _like(np.empty, "Uninitialised")
rand, rand_like = _filled(random.rand, "Uniform in [0, 1)"), _like(random.rand, "Uniform in [0, 1)")
randn, randn_like = _filled(random.randn, "Standard normal"), _like(random.randn, "Standard normal")
for _factory in (
    zeros,
    zeros_like,
    ones,
    ones_like,
    empty,
    empty_like,
    rand,
    rand_like,
    randn,
    randn_like,
):
    _name = next(name for name, value in list(globals().items()) if value is _factory)
    _factory.__name__ = _factory.__qualname__ = _name
    offer(method=False)(_factory)


@offer(method=False)
def full(
    size: Sequence[int], fill_value: Any, *, dtype: Any = None, requires_grad: bool = False
) -> Tensor:
    """A tensor filled with one value, of the value's type unless ``dtype`` says else."""
    value = fill_value._data if isinstance(fill_value, Tensor) else fill_value
    chosen = array_from(value).dtype if dtype is None else numpy_type(dtype)
    return made(np.full(sizes((size,)), value, chosen), requires_grad)


@offer(method=False)
def full_like(input: Tensor, fill_value: Any, *, dtype: Any = None) -> Tensor:
    """``full`` in the shape and (by default) the dtype of ``input``."""
    chosen = input._data.dtype if dtype is None else numpy_type(dtype)
    return made(np.full_like(input._data, fill_value, chosen))


@offer(method=False)
def arange(
    start: Any, end: Any = None, step: Any = 1, *, dtype: Any = None, requires_grad: bool = False
) -> Tensor:
    """Numbers from ``start`` up to, without, ``end``."""
    if end is None:
        start, end = 0, start
    data = np.arange(start, end, step)
    if dtype is not None:
        data = data.astype(numpy_type(dtype))
    elif data.dtype.kind == "f":
        data = data.astype(dtypes.default_numpy())
    return made(data, requires_grad)


@offer(method=False)
def linspace(
    start: float, end: float, steps: int, *, dtype: Any = None, requires_grad: bool = False
) -> Tensor:
    """``steps`` numbers from ``start`` to ``end``, both included."""
    return made(np.linspace(start, end, steps).astype(numpy_type(dtype)), requires_grad)


@offer(method=False)
def eye(n: int, m: int | None = None, *, dtype: Any = None, requires_grad: bool = False) -> Tensor:
    """The identity matrix."""
    return made(np.eye(n, m, dtype=numpy_type(dtype)), requires_grad)


@offer(method=False)
def randint(
    low: int, high: Any, size: Any = None, *, generator: Any = None, dtype: Any = None
) -> Tensor:
    """Integers from ``low`` (default 0) up to, without, ``high``."""
    if size is None:
        low, high, size = 0, low, high
    data = random.randint(low, high, sizes((size,)), generator)
    return made(data if dtype is None else data.astype(numpy_type(dtype)))


@offer(method=False)
def randperm(n: int, *, generator: Any = None) -> Tensor:
    """A random order of the integers below ``n``."""
    return made(random.randperm(n, generator))


def legacy(dtype: Any, *args: Any) -> np.ndarray:
    """What ``FloatTensor(...)`` and ``Tensor(...)`` hold: sizes give memory (zeroed here; PyTorch
    leaves it uninitialised), a sequence gives its values."""
    if not args:
        return np.zeros((0,), dtype)
    if all(isinstance(arg, int) for arg in args):
        return np.zeros(args, dtype)
    if len(args) == 1:
        (data,) = args
        if isinstance(data, dtypes.Size):
            return np.zeros(data, dtype)
        if isinstance(data, Tensor):
            return data._data
        if isinstance(data, (list, tuple, np.ndarray)):
            return array_from(data if len(data) else np.zeros((0,))).astype(dtype)
    raise TypeError(f"new(): data must be a sequence (got {type(args[0]).__name__})")


def _legacy_class(name: str, dtype: Any) -> Callable[..., Tensor]:
    def make(*args: Any) -> Tensor:
        return made(legacy(dtype, *args))

    make.__name__ = make.__qualname__ = name
    make.__doc__ = f"The legacy constructor of {np.dtype(dtype)} tensors: sizes, or values."
    return make


for _name, _dtype in (
    ("FloatTensor", np.float32), ("DoubleTensor", np.float64), ("HalfTensor", np.float16),
    ("LongTensor", np.int64), ("IntTensor", np.int32), ("ShortTensor", np.int16),
    ("CharTensor", np.int8), ("ByteTensor", np.uint8), ("BoolTensor", np.bool_),
):  # fmt: skip
    offer(method=False)(_legacy_class(_name, _dtype))
