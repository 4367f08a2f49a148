"""``to``, ``type`` and the casts: tensors in another dtype or on another device, here the CPU."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...arrays import devices, dtypes
from ...arrays.memory_formats import (
    check_format,
    memory_format,
    preserve_format,
    strided,
    suggested_format,
    to_format,
)
from ...dispatch.offer import FUNCTIONS, METHODS, offer
from ...dispatch.parser import refusal
from ...eager.op_functions import TENSORS as F
from ...graph.tensor import Tensor

_PYTHON_TYPES = {float: dtypes.float64, int: dtypes.int64, bool: dtypes.bool_}

Parsed = tuple[devices.device | None, dtypes.dtype | None, bool, bool, memory_format | None]


def parse_to(*args: Any, **kwargs: Any) -> Parsed:
    """(device, dtype, non_blocking, copy, memory_format) from the arguments of `to`, in any of its
    forms.

    Raises:
        TypeError: no form fits.
        RuntimeError: an unknown device.
    """
    given = dict(kwargs)
    rest = list(args)
    device = dtype = None
    first = rest[0] if rest else None
    if isinstance(first, Tensor) or (not rest and "tensor" in given):
        other = rest.pop(0) if rest else given.pop("tensor")
        device, dtype = other.device, other.dtype
    elif _is_dtype(first):
        dtype = rest.pop(0)
    else:
        device = rest.pop(0) if rest else given.pop("device", None)
        dtype = rest.pop(0) if rest and not isinstance(rest[0], bool) else given.pop("dtype", None)
    non_blocking = rest.pop(0) if rest else given.pop("non_blocking", False)
    copy = rest.pop(0) if rest else given.pop("copy", False)
    order = given.pop("memory_format", None)
    if (
        rest
        or given
        or not (dtype is None or _is_dtype(dtype))
        or not (isinstance(non_blocking, bool) and isinstance(copy, bool))
        or not (order is None or isinstance(order, memory_format))
    ):
        raise refusal("Tensor", "to", args, kwargs) or TypeError("to: unknown arguments")
    place = (
        device if device is None or isinstance(device, devices.device) else devices.device(device)
    )
    return place, _PYTHON_TYPES.get(dtype, dtype), non_blocking, copy, order


def _is_dtype(value: object) -> bool:
    return isinstance(value, dtypes.dtype) or value in (float, int, bool)


@offer(function=False)
def to(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    """The tensor in another dtype: itself, unless `copy`, when it has it already.

    `to(dtype)`, `to(device, dtype)` or `to(other)`; the device must be the CPU.

    Raises:
        AssertionError: a CUDA device.
    """
    if len(args) == 1 and not kwargs and isinstance(args[0], dtypes.dtype):
        return to_dtype(self, args[0])
    device, dtype, _, copy, order = parse_to(*args, **kwargs)
    devices.require_cpu(device)
    return to_dtype(self, dtype or self.dtype, order, copy)


def to_dtype(
    self: Tensor, dtype: dtypes.dtype, order: memory_format | None = None, copy: bool = False
) -> Tensor:
    """The tensor in a dtype and a memory format, itself when it has them already."""
    kept = order is None or order is preserve_format or order is suggested_format(self._data)
    if kept and dtype.numpy == self._data.dtype and not copy:
        return self
    out = F.to_copy(self, dtype.numpy)
    if order is not None:
        out._replace_memory(to_format(out._data, order))
    return out


F.__dict__["cast_to_grad"] = lambda grad, self: to_dtype(self, grad.dtype)


def type_(self: Tensor, dtype: Any = None, non_blocking: bool = False) -> Any:
    """The legacy type name (`"torch.FloatTensor"`), or the tensor in the dtype that a dtype, a
    legacy name or a legacy class gives.

    Raises:
        TypeError: it is none of these.
        ValueError: an unknown name.
    """
    if dtype is None:
        return dtypes.legacy_type(self._data.dtype)
    if _is_dtype(dtype):
        return to_dtype(self, _PYTHON_TYPES.get(dtype, dtype))
    if not isinstance(dtype, str | type) and not callable(dtype):
        raise TypeError("dtype must be a type, str, or dtype object")
    name = dtype if isinstance(dtype, str) else f"torch.{dtype.__name__}"
    for known in dtypes.ALL:
        if name == dtypes.legacy_type(known.numpy):
            return to_dtype(self, known)
    raise ValueError(f"invalid type: '{name}'")


def offer_cast(name: str, target: dtypes.dtype) -> Callable[..., Tensor]:
    """The method of this name, which converts to one dtype."""

    def method(self: Tensor, memory_format: Any = None) -> Tensor:
        check_format(name, memory_format)
        return to_dtype(self, target, memory_format)

    method.__doc__ = f"The tensor as {target!r}, itself when it is already."
    return method


@offer(function=False)
def cpu(self: Tensor, memory_format: Any = None) -> Tensor:
    """The tensor itself, unless it is wanted in another memory format: it is on the CPU."""
    check_format("cpu", memory_format)
    return to_dtype(self, self.dtype, memory_format)


@offer(function=False)
def cuda(self: Tensor, device: Any = None, non_blocking: bool = False) -> Tensor:
    """Raises what a build of PyTorch without CUDA raises.

    Raises:
        AssertionError: always, unless the device is none of CUDA's (RuntimeError).
    """
    named = None if device is None else devices.device(device)
    if named is not None and named.type != "cuda":
        raise RuntimeError("Invalid device, must be cuda device")
    raise AssertionError("Torch not compiled with CUDA enabled")


@offer(function=False)
def get_device(self: Tensor) -> int:
    """-1, the CPU's number."""
    return -1


@offer(function=False)
def pin_memory(self: Tensor, device: Any = None) -> Tensor:
    """Raises PyTorch's error: there is no accelerator to pin memory for."""
    raise RuntimeError("Cannot access accelerator device when none is available.")


@offer(function=False)
def type_as(self: Tensor, other: Tensor) -> Tensor:
    """The tensor in another one's dtype."""
    return to_dtype(self, dtypes.of(other._data.dtype))


for _name, _target in (
    ("float", dtypes.float32), ("double", dtypes.float64), ("half", dtypes.float16),
    ("long", dtypes.int64), ("int", dtypes.int32), ("short", dtypes.int16),
    ("char", dtypes.int8), ("byte", dtypes.uint8), ("bool", dtypes.bool_),
    *((name, dtypes.ABSENT[name]) for name in ("bfloat16", "chalf", "cfloat", "cdouble")),
):  # fmt: skip
    METHODS[_name] = offer_cast(_name, _target)
for _name in ("cuda", "mps", "xpu", "meta", "sparse", "quantized"):
    METHODS["is_" + _name] = property(lambda self: False)


@offer(function=False)
def is_pinned(self: Tensor, device: Any = None) -> bool:
    """Return whether the memory is page-locked for a GPU: never."""
    return False


METHODS.update(
    type=type_,
    is_cpu=property(lambda self: True),
    layout=property(lambda self: strided),
)
FUNCTIONS["get_device"] = get_device
