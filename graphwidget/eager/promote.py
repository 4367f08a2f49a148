"""Type promotion and broadcasting of pointwise operands, and fitting gradients back to them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache, wraps
from typing import Any, NamedTuple, TypeVar

import numpy as np

from ..arrays import dtypes
from ..arrays.kernel_errors import broadcast_shape, type_name
from ..arrays.scalars import check_integer_fits
from ..graph import errors, runtime
from ..graph.tensor import Tensor
from ..optable import TABLE, Op
from ..optable.declare import UNTYPED
from ..optable.pointwise import common_kernels as kernels


class Constant(Tensor):
    """A Python number in a tensor's place: it never raises a type within its category."""

    __slots__ = ("number",)
    _number = True
    number: bool | int | float

    def as_saved(self) -> Tensor:
        """Return a tensor of the number's own type, as users find it in a saved slot."""
        return Tensor._wrap(np.asarray(self.number))


class Absent(Constant):
    """Stands for a tensor that was left out (``bias=None``): its array is None."""

    __slots__ = ()

    def as_saved(self) -> Any:
        """Return a tensor of the number's own type, as users find it in a saved slot."""
        return None


ABSENT: Absent = Absent._wrap(np.zeros(()))
"""The only one there is."""
ABSENT._data = None  # type: ignore[assignment]


Call = TypeVar("Call", bound=Callable[..., Any])

QUIET: Any = None
ignore_errors: Any = id  # does nothing: of another numpy, where the filter has to do
restore_errors: Any = id
with suppress(ImportError):
    from numpy._core.umath import _extobj_contextvar, _make_extobj

    QUIET = _make_extobj(all="ignore")
    ignore_errors, restore_errors = _extobj_contextvar.set, _extobj_contextvar.reset


def quiet_lines(lines: list[str], indent: str) -> list[str]:
    """Lines of written code, within which numpy is quiet."""
    return [
        f"{indent}numpy_state = ignore_errors(QUIET)", f"{indent}try:",
        *("    " + line for line in lines),
        f"{indent}finally: restore_errors(numpy_state)",
    ]  # fmt: skip


def quiet_function(function: Call) -> Call:
    """The function, within which numpy is quiet."""

    @wraps(function)
    def run(*args: Any, **params: Any) -> Any:
        state = ignore_errors(QUIET)
        try:
            return function(*args, **params)
        finally:
            restore_errors(state)

    return run  # type: ignore[return-value]


@cache
def quiet_kernel(key: str) -> Callable[..., Any]:
    """An op's kernel, within which numpy is quiet."""
    op = TABLE[key]
    return quiet_function(op.kernel) if op.warns else op.kernel


CONSTANTS_LIMIT = 4096
_constants: dict[tuple[type, Any, int], Constant] = {}
_promotions: dict[Any, Promotion] = {}

BOOL = np.dtype(bool)


CAST = "result type {result} can't be cast to the desired output type {given}"


def scalar_tensor(number: Any, dtype: np.dtype[Any]) -> Tensor:
    """A Python number as a 0-d tensor; the same object for the same number and type."""
    key = (number.__class__, number or str(number), dtype.num)  # 0.0 and -0.0 are equal
    found = _constants.get(key)
    if found is None:
        check_integer_fits(number)
        found = Constant._wrap(np.array(number).astype(dtype))
        found.number = number
        if number == number:  # nan is no key
            if len(_constants) >= CONSTANTS_LIMIT:
                _constants.clear()
            _constants[key] = found
    return found


def is_number(value: Any) -> bool:
    """Return whether an operand is a Python or numpy number (and not an array)."""
    return isinstance(value, (int, float, np.number, np.bool_)) and not isinstance(
        value, np.ndarray
    )


def not_a_tensor_error(op: Op, operands: Sequence[Any]) -> TypeError:
    """The error for an operand that is no tensor, where no parser refused it before."""
    for position, operand in enumerate(operands):
        if not isinstance(operand, Tensor):
            name = op.inputs[position] if position else "input"
            return TypeError(
                f"{op.name}(): argument '{name}' (position {max(position, 1)}) must be Tensor, not "
                f"{type_name(operand)}"
            )
    return TypeError(f"{op.name}(): unexpected operands")


def as_tensors(op: Op, operands: Sequence[Any]) -> tuple[Tensor, ...]:
    """The operands as Tensors: Python numbers become constants of the type they promote to.

    Raises:
        TypeError: an operand is neither a Tensor nor a number (PyTorch's text).
    """
    if len(operands) == 2 and op.numbers:  # by far the most common: a float tensor, a number
        first, second = operands
        kind = second.__class__
        plain = (kind is float or kind is int) and isinstance(first, Tensor)
        if plain and first._meta.floating:
            return first, scalar_tensor(second, first._meta.dtype)
    for operand in operands:
        if not isinstance(operand, Tensor):
            break
    else:
        return tuple(operands)
    if op.optional:
        operands = [ABSENT if operand is None else operand for operand in operands]
    tensors = [x for x in operands if isinstance(x, Tensor)]
    if len(tensors) == len(operands):
        return tuple(operands)
    if not op.numbers or (op.numbers == "last" and isinstance(operands[-1], Tensor)):
        raise not_a_tensor_error(op, operands)
    plain = all(isinstance(x, Tensor) or is_number(x) for x in operands)
    if not plain or not (tensors or op.numbers == "all"):
        raise not_a_tensor_error(op, operands)
    arrays = [x._data for x in tensors] or [np.zeros((), dtypes.result_type(*operands))]
    typed = ([x for x in arrays if x.dtype != bool] or arrays)[0]
    made = []
    for operand in operands:
        if not isinstance(operand, Tensor):
            number = dtypes.plain_number(operand)
            if isinstance(number, bool) and op.guard is not None:
                op.guard(*(x.dtype.numpy if isinstance(x, Tensor) else BOOL for x in operands))
            dtype = dtypes.result_type(typed, number)
            if op.dtype == "float" and dtype.kind != "f":  # a small integer type may not hold it
                dtype = dtypes.default_numpy()
            operand = scalar_tensor(number, dtype)
        made.append(operand)
    return tuple(made)


def check_broadcastable(shape: tuple[int, ...], target: tuple[int, ...]) -> None:
    """Check that what has a shape may be written where another one is.

    Raises:
        RuntimeError: it does not broadcast to that (PyTorch's texts).
    """
    common = broadcast_shape([target, shape])
    if common != target:
        raise errors.shape_error(target, common)


class Promotion(NamedTuple):
    """Preparation of operands for the kernel: the common shape and type, the type to cast each
    operand to (None: unchanged), and the shape and type that each gradient is reduced to."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    casts: tuple[np.dtype[Any] | None, ...]
    fit: tuple[runtime.Meta, ...] | None


def promotion_of(op: Op, tensors: Sequence[Tensor]) -> Promotion:
    """The promotion of operands: a question of their Metas, so it is answered once for each."""
    metas = [tensor._meta for tensor in tensors]
    key = (op.key, dtypes.default_numpy(), *metas, *[tensor.__class__ for tensor in tensors])
    found = _promotions.get(key)
    if found is None:
        if len(_promotions) >= CONSTANTS_LIMIT:
            _promotions.clear()
        found = _promotions[key] = find_promotion(op, tensors)
    return found


def find_promotion(op: Op, tensors: Sequence[Tensor]) -> Promotion:
    """Like ``promotion_of``, not remembered.

    Raises:
        RuntimeError: the operands do not broadcast, or the op refuses their types.
    """
    arrays = [tensor._data for tensor in tensors]
    shapes = [array.shape for array in arrays if array is not None]
    typed = [
        (tensor._data, tensor._number)
        for tensor, name in zip(tensors, op.inputs, strict=True)
        if name not in UNTYPED and tensor._data is not None
    ]
    dtype = typed[0][0].dtype
    try:
        check_operand_types(op, tensors)
    except NotImplementedError:  # of a kernel, which sees only what broadcasts
        broadcast_shape(shapes)
        raise
    shape = broadcast_shape(shapes)
    if len(typed) > 1:
        dtype = dtypes.result_type(*(array.item() if number else array for array, number in typed))
    if op.dtype == "float" and dtype.kind != "f":
        dtype = dtypes.default_numpy()
    casts = tuple(
        None if name in UNTYPED or array is None or array.dtype == dtype else dtype
        for array, name in zip(arrays, op.inputs, strict=True)
    )
    metas = tuple(tensor._meta for tensor in tensors)
    fits = all(meta.shape == shape and meta.dtype == dtype for meta in metas)
    return Promotion(shape, dtype, casts, None if fits else metas)


def check_operand_types(op: Op, tensors: Sequence[Tensor]) -> None:
    """Check the types that an op refuses whatever its operands' sizes.

    Raises:
        RuntimeError: PyTorch's texts.
    """
    if op.guard is not None:
        op.guard(*(
            tensor._data.dtype
            for tensor, name in zip(tensors, op.inputs, strict=True)
            if name not in UNTYPED and tensor._data is not None
        ))  # fmt: skip


def promote(
    op: Op, tensors: Sequence[Tensor]
) -> tuple[list[np.ndarray], tuple[runtime.Meta, ...] | None]:
    """Arrays of one type for the kernel (None for a tensor left out), and what each gradient must
    be fitted to."""
    _, _, casts, fit = promotion_of(op, tensors)
    return cast_to(tensors, casts), fit


def cast_to(tensors: Sequence[Tensor], casts: Sequence[Any]) -> list[np.ndarray]:
    """The arrays of operands, cast as a promotion says."""
    return [
        tensor._data if cast is None else tensor._data.astype(cast)
        for tensor, cast in zip(tensors, casts, strict=True)
    ]


def fit_to(grad: Any, meta: runtime.Meta) -> Any:
    """A gradient summed to a shape that was broadcast, and cast to its dtype.

    On Tensors (create_graph) the sum and the cast are recorded as PyTorch records them.
    """
    F = runtime.tensors if isinstance(grad, Tensor) else None
    data = grad._data if F is not None else grad
    if data.shape != meta.shape:
        if F is None:
            grad = kernels.sum_to_size(grad, meta.shape)
        else:
            extra = data.ndim - meta.ndim
            dims = tuple(range(extra)) + tuple(
                i + extra
                for i, size in enumerate(meta.shape)
                if size == 1 and data.shape[i + extra] != 1
            )
            grad = F.sum_dim(grad, dims, True) if meta.ndim else F.sum(grad)
            if extra and meta.ndim:
                grad = F.view(grad, meta.shape)
    dtype = grad._data.dtype if F is not None else grad.dtype
    if dtype != meta.dtype:
        grad = F.to_copy(grad, meta.dtype) if F is not None else grad.astype(meta.dtype)
    return grad


def checked_fit(grad: Any, meta: runtime.Meta, nr: int, function: str | None) -> Any:
    """``fit_to`` for a gradient of any shape: number ``nr`` of those that a function gave, or of
    those with which a run begins.

    Raises:
        RuntimeError: its shape is none to which the right one is broadcast (PyTorch's text).
    """
    shape = grad._data.shape if isinstance(grad, Tensor) else grad.shape
    try:
        fits = np.broadcast_shapes(meta.shape, shape) == shape
    except ValueError:
        fits = False
    if not fits:
        who = "" if function is None else f"Function {function} returned an "
        raise RuntimeError(
            f"{who}invalid gradient at index {nr} - got {list(shape)} but expected shape "
            f"compatible with {list(meta.shape)}"
        )
    return fit_to(grad, meta)
