"""``set_num_threads``, ``use_deterministic_algorithms`` and other global settings.

Most choose between implementations in PyTorch; here they are kept and change nothing, because numpy
computes in one way.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from ...arrays import devices, dtypes
from ...arrays.warnings import warn
from ...dispatch.offer import FUNCTIONS, METHODS, offer
from ...eager.promote import is_number
from ...graph.tensor import Tensor

_settings: dict[str, Any] = {"threads": 1, "precision": "highest", "deterministic": False}


@offer(method=False)
def get_num_threads() -> int:
    """The number that `set_num_threads` was given, at first 1."""
    return _settings["threads"]  # type: ignore[no-any-return]


@offer(method=False)
def set_num_threads(num_threads: int) -> None:
    """Keep a number of threads; how many numpy's linear algebra uses, its library decides.

    Raises:
        RuntimeError: it is no positive integer.
    """
    if not isinstance(num_threads, int):
        raise RuntimeError(f"set_num_threads expects an int, but got {type(num_threads).__name__}")
    if num_threads <= 0:
        raise RuntimeError("set_num_threads expects a positive integer")
    _settings["threads"] = num_threads


@offer(method=False)
def set_float32_matmul_precision(precision: str) -> None:
    """Keep "highest", "high" or "medium"; products are always computed in full precision.

    Warns:
        UserWarning: another word, which is not kept.
    """
    if precision not in ("highest", "high", "medium"):
        warn(
            f"{precision} is not one of 'highest', 'high', or 'medium'; the current"
            "setFloat32MatmulPrecision call has no effect.",
        )
        return
    _settings["precision"] = precision


@offer(method=False)
def get_float32_matmul_precision() -> str:
    """The word that `set_float32_matmul_precision` was given, at first "highest"."""
    return _settings["precision"]  # type: ignore[no-any-return]


@offer(method=False)
def use_deterministic_algorithms(mode: bool, *, warn_only: bool = False) -> None:
    """Keep the wish; everything here is deterministic anyway.

    Raises:
        TypeError: `mode` is no bool.
    """
    if not isinstance(mode, bool):
        raise TypeError(
            "_set_deterministic_algorithms(): argument 'mode' (position 1) must be bool, not "
            f"{type(mode).__name__}"
        )
    _settings["deterministic"] = mode


@offer(method=False)
def are_deterministic_algorithms_enabled() -> bool:
    """Return whether `use_deterministic_algorithms` was asked for."""
    return _settings["deterministic"]  # type: ignore[no-any-return]


FUNCTIONS["get_default_device"] = devices.get_default_device
FUNCTIONS["set_default_device"] = devices.set_default_device


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
def cond(
    pred: Any, true_fn: Callable[..., Any], false_fn: Callable[..., Any], operands: Any = ()
) -> Any:
    """Call one of two functions of the operands, as a condition says.

    Raises:
        RuntimeError: the condition is no bool and no single number in a tensor (PyTorch's text).
    """
    if isinstance(pred, Tensor) and pred._data.size != 1:
        raise RuntimeError(f"Expected pred to be bool or single-element tensor, but got {pred}.")
    return (true_fn if bool(pred) else false_fn)(*operands)
