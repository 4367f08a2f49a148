"""Tensors from data, numbers and nothing."""

from __future__ import annotations

import inspect
import operator
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..optable import layout as memory
from . import dtypes, hot
from .public import offer
from .sequences import array_from, narrowed, numpy_type
from .tensor import Tensor

COPY_WARNING = (
    "To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone() or "
    "sourceTensor.detach().clone().requires_grad_(True), rather than torch.tensor(sourceTensor)."
)


def factory_name() -> str:
    """The factory that the user called, for messages: the outermost of ours now running."""
    name, frame = "tensor", inspect.currentframe()
    while frame is not None and frame.f_globals.get("__name__") == __name__:
        name = frame.f_locals.get("name", frame.f_code.co_name)
        frame = frame.f_back
    return str(name)


def made(data: Any, requires_grad: bool = False) -> Tensor:
    """A new leaf around an array.

    Raises:
        TypeError: ``requires_grad`` is no bool.
        RuntimeError: gradients are wanted of integers.
    """
    if requires_grad.__class__ is not bool and requires_grad is not None:
        kind = type(requires_grad).__name__
        raise TypeError(f"{factory_name()}(): argument 'requires_grad' must be bool, not {kind}")
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


def shape_from(name: str, args: tuple[Any, ...], size: Any = None) -> tuple[int, ...]:
    """``(2, 3)`` or ``((2, 3),)`` or ``size=`` as a shape.

    Raises:
        TypeError: what is no shape (PyTorch's texts).
        RuntimeError: negative sizes.
    """
    if size is not None:
        args = (size,)
    if not args:
        raise TypeError(f'{name}() missing 1 required positional arguments: "size"')
    if len(args) == 1 and isinstance(args[0], (tuple, list)):
        args = tuple(args[0])
    elif len(args) == 1 and (isinstance(args[0], bool) or not hasattr(args[0], "__index__")):
        kind = type(args[0]).__name__
        raise TypeError(f"{name}(): argument 'size' (position 1) must be tuple of ints, not {kind}")
    for place, length in enumerate(args):
        if not hasattr(length, "__index__"):
            raise TypeError(
                f"{name}(): argument 'size' failed to unpack the object at pos {place + 1} with "
                f'error "type must be tuple of ints,but got {type(length).__name__}"'
            )
    shape = tuple(operator.index(length) for length in args)
    for length in shape:
        if length < 0:
            if name == "zeros":
                raise RuntimeError("zeros: Dimension size must be non-negative.")
            raise RuntimeError(
                f"Trying to create tensor with negative dimension {length}: {list(shape)}"
            )
    return shape


def filled(name: str, make: Callable[..., np.ndarray], text: str) -> Callable[..., Tensor]:
    """Offer a factory of tensors of a given size."""

    def factory(
        *sizes: Any,
        size: Any = None,
        generator: Any = None,
        dtype: Any = None,
        layout: Any = None,
        device: Any = None,
        pin_memory: bool = False,
        requires_grad: bool = False,
    ) -> Tensor:
        dtypes.require_cpu(device)
        shape = shape_from(name, sizes, size)
        source = () if generator is None else (generator,)
        return made(make(shape, numpy_type(dtype), *source), requires_grad)

    factory.__name__ = factory.__qualname__ = name
    factory.__doc__ = f"{text}, of the given size; ``dtype`` defaults to the default dtype."
    return offer(method=False, out=True)(factory)


def like(name: str, make: Callable[..., np.ndarray], text: str) -> Callable[..., Tensor]:
    """Offer a factory of tensors like a given one."""

    def factory(
        input: Tensor,
        *,
        generator: Any = None,
        dtype: Any = None,
        layout: Any = None,
        device: Any = None,
        requires_grad: bool = False,
        memory_format: Any = None,
    ) -> Tensor:
        dtypes.require_cpu(device)
        if not isinstance(input, Tensor):
            kind = type(input).__name__
            raise TypeError(f"{name}(): argument 'input' (position 1) must be Tensor, not {kind}")
        chosen = input._data.dtype if dtype is None else numpy_type(dtype)
        data = memory.empty_like(input._data, chosen)
        source = () if generator is None else (generator,)
        data[...] = make(input._data.shape, chosen, *source)
        return made(data, requires_grad)

    factory.__name__ = factory.__qualname__ = name
    factory.__doc__ = f"{text}, in the shape of ``input`` and (by default) of its dtype."
    return offer(method=False)(factory)


zeros, zeros_like = filled("zeros", np.zeros, "Zeros"), like("zeros_like", np.zeros, "Zeros")
ones, ones_like = filled("ones", np.ones, "Ones"), like("ones_like", np.ones, "Ones")
empty = filled("empty", np.empty, "Uninitialised")
empty_like = like("empty_like", np.empty, "Uninitialised")


def check_number(name: str, argument: str, position: int, value: Any) -> None:
    """Refuse what is no number where PyTorch wants one."""
    if not isinstance(value, (bool, int, float, np.number, np.bool_)):
        raise TypeError(
            f"{name}(): argument '{argument}' (position {position}) must be Number, not "
            f"{type(value).__name__}"
        )


@offer(method=False, out=True)
def full(
    size: Sequence[int],
    fill_value: Any,
    *,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
) -> Tensor:
    """A tensor filled with one value, of the value's type unless ``dtype`` says else."""
    dtypes.require_cpu(device)
    if not isinstance(size, (tuple, list)):
        kind = type(size).__name__
        raise TypeError(f"full(): argument 'size' (position 1) must be tuple of ints, not {kind}")
    value = fill_value.item() if isinstance(fill_value, Tensor) else fill_value
    check_number("full", "fill_value", 2, value)
    chosen = array_from(value).dtype if dtype is None else numpy_type(dtype)
    shape = shape_from("full", (size,))
    return made(np.full(shape, as_scalar(value, chosen), chosen), requires_grad)


def as_scalar(value: Any, dtype: np.dtype[Any]) -> np.ndarray:
    """A number in a type, as kernels take it: they call the integers by the names of C.

    Raises:
        RuntimeError: the number is outside the type's range.
    """
    called = "int" if dtype == np.int32 else f"{dtype.name}_t"
    return narrowed(np.asarray(value), dtype, called)


@offer(method=False)
def full_like(
    input: Tensor,
    fill_value: Any,
    *,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    memory_format: Any = None,
) -> Tensor:
    """``full`` in the shape and (by default) the dtype of ``input``."""
    dtypes.require_cpu(device)
    value = fill_value.item() if isinstance(fill_value, Tensor) else fill_value
    check_number("full_like", "fill_value", 2, value)
    data = memory.empty_like(input._data, input._data.dtype if dtype is None else numpy_type(dtype))
    data[...] = as_scalar(value, data.dtype)
    return made(data, requires_grad)


@offer(method=False)
def empty_strided(
    size: Sequence[int],
    stride: Sequence[int],
    *,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """Uninitialised memory with the given strides (in items).

    Raises:
        RuntimeError: there are not as many strides as sizes, or negative ones.
    """
    dtypes.require_cpu(device)
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
    return made(np.lib.stride_tricks.as_strided(base, shape, bytes_apart), requires_grad)


@offer(method=False)
def scalar_tensor(
    s: Any,
    *,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """A 0-d tensor, of the default dtype unless ``dtype`` says else."""
    dtypes.require_cpu(device)
    return made(np.array(s, numpy_type(dtype)), requires_grad)


@offer(method=False)
def asarray(
    obj: Any,
    *,
    dtype: Any = None,
    device: Any = None,
    copy: bool | None = None,
    requires_grad: bool = False,
) -> Tensor:
    """A tensor that shares memory with a tensor or an array where it can.

    Args:
        copy: True for a copy in any case, False to refuse one.

    Raises:
        ValueError: ``copy=False`` and it cannot share.
    """
    dtypes.require_cpu(device)
    if isinstance(obj, Tensor):
        found = obj if dtype is None else obj.to(dtype)
        if copy is False and found is not obj:
            raise ValueError("can't alias tensor with dtype")
        found = found.clone() if copy and found is obj else found
        return found if found.requires_grad == requires_grad else (
            found.detach().requires_grad_(requires_grad)
        )  # fmt: skip
    if isinstance(obj, np.ndarray):
        array = np.array(obj, None if dtype is None else numpy_type(dtype), copy=copy)
        return made(array, requires_grad)
    if copy is False:
        raise ValueError("can't alias arbitrary sequence into a tensor.")
    return made(array_from(obj, dtype), requires_grad)


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
