"""``result_type``, ``can_cast``, ``is_floating_point``, ``typename`` and kin.

All numbers are real here.
"""

from __future__ import annotations

from typing import Any, NoReturn

from ...arrays import dtypes
from ...dispatch.offer import METHODS, offer
from ...eager.promote import is_number
from ...graph.tensor import Tensor
from ..memory.storage import TypedStorage, UntypedStorage

NO_COMPLEX = "graphwidget has no complex tensors"


@offer(method=False)
def result_type(tensor: Any, other: Any) -> dtypes.dtype:
    """The dtype of an operation on two tensors or numbers.

    Raises:
        TypeError: neither.
    """
    operands = []
    for each in (tensor, other):
        if not (isinstance(each, Tensor) or is_number(each)):
            raise TypeError("result_type: tensors or numbers")
        operands.append(each._data if isinstance(each, Tensor) else each)
    return dtypes.of(dtypes.result_type(*operands))


@offer(method=False)
def promote_types(type1: dtypes.dtype, type2: dtypes.dtype) -> dtypes.dtype:
    """The smallest dtype that both fit in."""
    return dtypes.of(dtypes.promote_types(type1.numpy, type2.numpy))


@offer(method=False)
def can_cast(from_: dtypes.dtype, to: dtypes.dtype) -> bool:
    """Return whether results of one dtype may be written into tensors of another."""
    return dtypes.can_cast(from_.numpy, to.numpy)


@offer()
def is_floating_point(input: Tensor) -> bool:
    """Return whether the dtype is a floating one."""
    return input._meta.floating


@offer()
def is_complex(input: Tensor) -> bool:
    """False: all tensors here are real."""
    return False


@offer()
def is_signed(input: Tensor) -> bool:
    """Return whether the dtype has negative numbers."""
    return input.dtype.is_signed


@offer()
def numel(input: Tensor) -> int:
    """The number of items."""
    return int(input._data.size)


@offer("resolve_conj", "resolve_neg", "conj_physical")
def conj(input: Tensor) -> Tensor:
    """The tensor itself, as real numbers are their own conjugates."""
    return input


@offer(method=False)
def real(input: Tensor) -> Tensor:
    """The tensor itself."""
    return input


@offer(method=False)
def imag(input: Tensor) -> NoReturn:
    """Refused, as PyTorch refuses it of real tensors."""
    raise RuntimeError("imag is not implemented for tensors with non-complex dtypes.")


@offer(method=False)
def complex(real: Tensor, imag: Tensor) -> NoReturn:
    """Refused: there are no complex tensors here."""
    raise NotImplementedError(NO_COMPLEX)


METHODS.update(real=property(real), imag=property(imag), is_conj=is_complex, is_neg=is_complex)


@offer(method=False)
def typename(obj: Any, /) -> str:
    """A value's type as messages spell it: a tensor's legacy type, else the dotted class name."""
    if isinstance(obj, Tensor):
        return dtypes.legacy_type(obj._data.dtype)
    kind = obj if hasattr(obj, "__qualname__") else type(obj)
    module = getattr(kind, "__module__", None)
    named = module not in (None, "", "builtins", "__builtin__")
    return f"{module}.{kind.__qualname__}" if named else str(kind.__qualname__)


@offer(method=False)
def is_storage(obj: Any, /) -> bool:
    """Return whether it is the memory of a tensor, with or without a type."""
    return isinstance(obj, (UntypedStorage, TypedStorage))
