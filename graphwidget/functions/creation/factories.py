"""``tensor``, ``zeros``, ``full``, ``empty`` and their kin, and the legacy tensor types."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...arrays import devices, dtypes, memory_order
from ...arrays.kernel_errors import C_WORDS
from ...arrays.memory_formats import check_format, preserve_format, to_format
from ...arrays.scalars import check_integer_fits, scalar_array
from ...arrays.size import Size
from ...arrays.warnings import warn, warn_once
from ...dispatch.offer import FUNCTIONS, offer
from ...graph.tensor import Tensor
from ...optable.out import Out
from ..memory.storage import UntypedStorage
from .factory_decorator import FACTORY, GRADLESS, factory, new_leaf, shape_from
from .nested_sequences import array_from, check_array, numpy_type

COPY_WARNING = (
    "To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone() or "
    "sourceTensor.detach().clone().requires_grad_(True), rather than {}(sourceTensor)."
)


@offer(method=False)
def tensor(
    data: Any,
    *,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """A leaf from numbers, nested sequences or arrays; always a copy.

    Shapes: that of the nested sequences.

    Args:
        data: integers become int64, floats the default dtype, bools bool; arrays keep theirs.
        dtype, device: as PyTorch's; the device must be the CPU.
        requires_grad: whether gradients are wanted.

    Raises:
        ValueError: ragged sequences.
        RuntimeError: gradients of integers.
    """
    devices.require_cpu(device)
    if isinstance(data, Tensor):
        warn(COPY_WARNING.format("torch.tensor"))
    if isinstance(data, (list, tuple)) and not data:
        return new_leaf(np.zeros((0,), numpy_type(dtype)), requires_grad)
    return new_leaf(array_from(data, dtype), requires_grad)


@offer(method=False)
def as_tensor(data: Any, dtype: Any = None, device: Any = None) -> Tensor:
    """A tensor, sharing memory with an array where it can; a tensor itself when it fits.

    Shapes: that of the data.
    """
    devices.require_cpu(device)
    if isinstance(data, Tensor):
        return data if dtype is None else data.to(dtype)
    if isinstance(data, np.ndarray):
        check_array(data)
        return new_leaf(np.asarray(data, None if dtype is None else numpy_type(dtype)))
    return new_leaf(array_from(data, dtype))


@offer(method=False)
def from_numpy(array: np.ndarray) -> Tensor:
    """A tensor that shares memory with an array.

    Shapes: the array's.

    Raises:
        TypeError: it is no array, or not of numbers that tensors have.
        ValueError: its strides or its byte order are not those of a tensor.
    """
    if not isinstance(array, np.ndarray):
        place = "numpy." * isinstance(array, np.generic)
        raise TypeError(f"expected np.ndarray (got {place}{type(array).__name__})")
    check_array(array)
    return new_leaf(array)


def offer_factory(
    name: str, make: Callable[..., np.ndarray], text: str, out: Out = FACTORY
) -> Callable[..., Tensor]:
    """Offer a factory of tensors of a given size."""

    def numbers(
        *sizes: Any, size: Any = None, generator: Any = None, dtype: Any = None
    ) -> np.ndarray:
        source = () if generator is None else (generator,)
        return make(shape_from(name, sizes, size), numpy_type(dtype), *source)

    numbers.__name__ = numbers.__qualname__ = name
    numbers.__doc__ = f"{text}, of the given size; ``dtype`` defaults to the default dtype."
    return factory(out=out)(numbers)


def offer_like_factory(
    name: str, make: Callable[..., np.ndarray], text: str
) -> Callable[..., Tensor]:
    """Offer a factory of tensors like a given one."""

    def numbers(input: Tensor, *, generator: Any = None, dtype: Any = None) -> np.ndarray:
        chosen = input._data.dtype if dtype is None else numpy_type(dtype)
        data: np.ndarray = memory_order.empty_like(input._data, chosen)
        source = () if generator is None else (generator,)
        data[...] = make(input._data.shape, chosen, *source)
        return data

    numbers.__name__ = numbers.__qualname__ = name
    numbers.__doc__ = f"{text}, in the shape of ``input`` and (by default) of its dtype."
    return factory(like=True)(numbers)


zeros, zeros_like = (
    offer_factory("zeros", np.zeros, "Zeros"),
    offer_like_factory("zeros_like", np.zeros, "Zeros"),
)
ones, ones_like = (
    offer_factory("ones", np.ones, "Ones"),
    offer_like_factory("ones_like", np.ones, "Ones"),
)


@factory(out=FACTORY._replace(history="resized"))
def empty(
    *sizes: Any, size: Any = None, dtype: Any = None, memory_format: Any = None
) -> np.ndarray:
    """Uninitialised, of the given size, in a memory format; ``dtype`` defaults to the default
    dtype."""
    check_format("empty", memory_format)
    if memory_format is preserve_format:
        raise RuntimeError("unsupported memory format Preserve")
    return to_format(np.empty(shape_from("empty", sizes, size), numpy_type(dtype)), memory_format)


empty_like = offer_like_factory("empty_like", np.empty, "Uninitialised")


@factory(out=FACTORY)
def full(
    size: Sequence[int],
    fill_value: Any,
    *,
    dtype: Any = None,
) -> np.ndarray:
    """A tensor filled with one value, of the value's type unless ``dtype`` says else.

    Shapes: ``size``.
    """
    value = fill_value.item() if isinstance(fill_value, Tensor) else fill_value
    check_integer_fits(value)
    own = dtypes.int64.numpy if value.__class__ is int else array_from(value).dtype
    chosen = own if dtype is None else numpy_type(dtype)
    shape = shape_from("full", (size,))
    return np.full(shape, scalar_array(value, chosen), chosen)


@factory(like=True)
def full_like(
    input: Tensor,
    fill_value: Any,
    *,
    dtype: Any = None,
) -> np.ndarray:
    """``full`` in the shape and (by default) the dtype of ``input``."""
    value = fill_value.item() if isinstance(fill_value, Tensor) else fill_value
    data: np.ndarray = memory_order.empty_like(
        input._data, input._data.dtype if dtype is None else numpy_type(dtype)
    )
    data[...] = scalar_array(value, data.dtype)
    return data


@factory()
def empty_strided(
    size: Sequence[int],
    stride: Sequence[int],
    *,
    dtype: Any = None,
) -> np.ndarray:
    """Uninitialised memory with the given strides (in items).

    Raises:
        RuntimeError: there are not as many strides as sizes, or negative ones.
    """
    if len(size) != len(stride):
        raise RuntimeError(
            f"dimensionality of sizes ({len(size)}) must match dimensionality of strides "
            f"({len(stride)})"
        )
    shape, steps = shape_from("empty_strided", (tuple(size),)), tuple(stride)
    if any(step < 0 for step in steps):
        raise RuntimeError(
            f"Storage size calculation overflowed with sizes={list(shape)} and "
            f"strides={list(steps)}"
        )
    kind = numpy_type(dtype)
    last = sum((length - 1) * step for length, step in zip(shape, steps, strict=True))
    base = np.empty(0 if 0 in shape else last + 1, kind)
    bytes_apart = tuple(step * kind.itemsize for step in steps)
    return np.lib.stride_tricks.as_strided(base, shape, bytes_apart)


@factory()
def scalar_tensor(
    s: Any,
    *,
    dtype: Any = None,
) -> np.ndarray:
    """A 0-d tensor, of the default dtype unless ``dtype`` says else."""
    chosen = numpy_type(dtype)
    return np.array(scalar_array(s.item() if isinstance(s, Tensor) else s, chosen), chosen)


INHERITED = (
    "torch.asarray: unspecified requires_grad now defaults to obj.requires_grad instead of False. "
    "Pass requires_grad=False explicitly to get the old behavior and silence this warning."
)


@offer(method=False)
def asarray(
    obj: Any,
    *,
    dtype: Any = None,
    device: Any = None,
    copy: bool | None = None,
    requires_grad: bool | None = None,
) -> Tensor:
    """A tensor that shares memory with a tensor, an array or a storage where it can.

    Shapes: that of the data.

    Args:
        copy: True for a copy in any case, False to refuse one.
        requires_grad: of the result, also where that is a tensor that was given; None for what
            that has (of others: False).

    Raises:
        ValueError: ``copy=False`` and it cannot share.
    """
    devices.require_cpu(device)
    if isinstance(obj, Tensor):
        result = obj if dtype is None else obj.to(dtype)
        if copy is False and result is not obj:
            given, wanted = (dtypes.scalar_type(each._data.dtype) for each in (obj, result))
            raise ValueError(f"can't alias tensor with dtype '{given}' into dtype '{wanted}'.")
        if requires_grad is None and obj.requires_grad:
            warn_once(INHERITED)
        result = result.clone() if copy and result is obj else result
        wants_grad = obj.requires_grad if requires_grad is None else requires_grad
        if wants_grad and not result._meta.floating:
            raise RuntimeError(GRADLESS)
        if result.requires_grad == wants_grad:
            return result
        return result.requires_grad_() if wants_grad else (
            result.requires_grad_(False) if result.is_leaf else result.detach()
        )  # fmt: skip
    requires_grad = bool(requires_grad)
    if isinstance(obj, np.ndarray):
        check_array(obj)
        array = np.array(obj, None if dtype is None else numpy_type(dtype), copy=copy)
        return new_leaf(array, requires_grad, "asarray")
    if isinstance(obj, UntypedStorage) and dtype is not None:
        items = np.frombuffer(obj._memory.data, numpy_type(dtype))  # part of one is one of its own
        return new_leaf(items, requires_grad, "asarray")
    if copy is False:
        raise ValueError("can't alias arbitrary sequence into a tensor.")
    return new_leaf(array_from(obj, dtype), requires_grad, "asarray")


OPTIONS = (
    "TensorOptions(dtype={}, device=cpu, layout=Strided, requires_grad=false (default), "
    "pinned_memory=false (default), memory_format=(nullopt))"
)


def check_options(kind: Any, *args: Any) -> None:
    """Refuse to make a ``LongTensor`` and the like of a tensor of another type.

    Raises:
        TypeError: it is one.
    """
    if len(args) == 1 and isinstance(args[0], Tensor) and args[0]._data.dtype != kind:
        wanted, got = (C_WORDS[np.dtype(each).name] for each in (kind, args[0]._data.dtype))
        raise TypeError(f"expected {OPTIONS.format(wanted)} (got {OPTIONS.format(got)})")


def legacy_tensor(dtype: Any, *args: Any) -> np.ndarray:
    """Return the array of ``FloatTensor(...)`` and ``Tensor(...)``: sizes give memory (zeroed here;
    PyTorch leaves it uninitialised), a sequence gives its values."""
    if not args:
        return np.zeros((0,), dtype)
    if all(isinstance(arg, int) for arg in args):
        return np.zeros(args, dtype)
    if len(args) == 1:
        (data,) = args
        if isinstance(data, Size):
            return np.zeros(data, dtype)
        if isinstance(data, Tensor):
            return data._data
        if isinstance(data, (list, tuple, np.ndarray)):
            return array_from(data if len(data) else np.zeros((0,))).astype(dtype)
    raise TypeError(f"new(): data must be a sequence (got {type(args[0]).__name__})")


class LegacyTensorType(type):
    """The type of the legacy types of tensors: one is called to make a tensor, and asked whether
    a tensor is one."""

    kind: Any

    def __call__(cls, *args: Any) -> Tensor:
        check_options(cls.kind, *args)
        return new_leaf(legacy_tensor(cls.kind, *args))

    def __instancecheck__(cls, each: object) -> bool:
        return isinstance(each, Tensor) and each._data.dtype == cls.kind


for _name, _dtype in (
    ("FloatTensor", np.float32), ("DoubleTensor", np.float64), ("HalfTensor", np.float16),
    ("LongTensor", np.int64), ("IntTensor", np.int32), ("ShortTensor", np.int16),
    ("CharTensor", np.int8), ("ByteTensor", np.uint8), ("BoolTensor", np.bool_),
):  # fmt: skip
    FUNCTIONS[_name] = LegacyTensorType(_name, (), {
        "kind": _dtype, "__module__": "torch", "dtype": dtypes.of(np.dtype(_dtype)),
        "__doc__": f"The legacy constructor of {np.dtype(_dtype)} tensors: sizes, or values.",
    })  # fmt: skip
