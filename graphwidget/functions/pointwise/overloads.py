"""Pointwise functions with several forms: of a tensor or a number, with a mode or without.

One function says which op of the table a call means; the function, the method and the in-place
method that users call are derived from it:

    @elementwise()
    def fmod(input: Any, other: Any) -> Choice: ...
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

from ...arrays import dtypes
from ...dispatch.offer import METHODS, offer
from ...eager.inplace import write
from ...eager.op_functions import TENSORS as F
from ...eager.promote import is_number, not_a_tensor_error
from ...graph.tensor import Tensor
from ...optable import TABLE, Op


class Choice(NamedTuple):
    """Meaning of a call: an op, its tensors and params; numbers take part in promotion."""

    key: str
    operands: tuple[Any, ...]
    params: dict[str, Any] = {}  # noqa: RUF012  (never written)
    numbers: tuple[Any, ...] = ()


def elementwise(
    *also: str, out: bool = True, function: bool = True, inplace: bool = True, space: str = ""
) -> Callable[[Callable[..., Choice]], Callable[..., Tensor]]:
    """Derive from a function that chooses an op what users call, and offer it (see the module)."""

    def register(choose: Callable[..., Choice]) -> Callable[..., Tensor]:
        name = choose.__name__

        @functools.wraps(choose)
        def call(*args: Any, **kwargs: Any) -> Tensor:
            choice = choose(*args, **kwargs)
            operands = choice.operands
            if choice.numbers:
                first = promote_with_numbers(operands[0], choice.numbers)
                operands = (first, *operands[1:])
            record = getattr(F, choice.key.replace(".", "_"))
            return record(*operands, **choice.params)  # type: ignore[no-any-return]

        @functools.wraps(choose)
        def written(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
            choice = choose(self, *args, **kwargs)
            op = TABLE.get(choice.key + ".written") or TABLE[choice.key]
            if choice.numbers:
                check_cast(name, op, self, choice.numbers)
            return write(op, self, choice.operands[1:], choice.params)

        written.__name__ = written.__qualname__ = name + "_"
        written.__doc__ = f"``{name}``, written into this tensor."
        if function:
            offer(*also, out=out, space=space)(call)
        if inplace:
            METHODS.update({each + "_": written for each in (name, *also)})
        return call

    return register


def promote_with_numbers(tensor: Tensor, numbers: tuple[Any, ...]) -> Tensor:
    """The tensor in the type that it and the numbers promote to."""
    if tensor._meta.floating:  # no number raises that
        return tensor
    dtype = dtypes.result_type(tensor._data, *numbers)
    return tensor if tensor._data.dtype == dtype else F.to_copy(tensor, dtype)


def check_cast(name: str, op: Op, tensor: Tensor, numbers: tuple[Any, ...]) -> None:
    """Refuse to write what a number made of a higher category.

    Raises:
        RuntimeError: integers and a float, and the like.
    """
    dtype = dtypes.result_type(tensor._data, *numbers)
    if op.dtype == "float" and dtype.kind != "f":
        dtype = dtypes.default_numpy()
    if not dtypes.can_cast(dtype, tensor._data.dtype):
        word = tensor.dtype.c_type if name.startswith("clamp") else tensor.dtype.word
        raise RuntimeError(
            f"result type {dtypes.scalar_type(dtype)} "
            f"can't be cast to the desired output type {word}"
        )


def number_or_tensor(key: str, input: Any, other: Any, reversed_key: str = "") -> Choice:
    """The op of two tensors, of a tensor and a number, or of a number and a tensor."""
    if isinstance(other, Tensor):
        if not isinstance(input, Tensor) and reversed_key:
            return Choice(reversed_key, (other,), {"self": input}, (input,))
        return Choice(key, (input, other))
    if is_number(other):
        return Choice(key + ".number", (input,), {"other": other}, (other,))
    return Choice(key, (input, other))  # refused there


# Division ----------------------------------------------------------------------------------------
def check_rounding(mode: Any) -> None:
    """Refuse unknown rounding modes."""
    if mode not in ("floor", "trunc"):
        raise RuntimeError(
            f"div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '{mode}'"
        )


@elementwise("divide", function=False)
def div(input: Any, other: Any, *, rounding_mode: str | None = None) -> Choice:
    """input / other, rounded if a mode is given."""
    if rounding_mode is None:
        return Choice("div", (input, other))
    check_rounding(rounding_mode)
    return Choice("div.mode", (input, other), {"rounding_mode": rounding_mode})


@elementwise(function=False)
def true_divide(input: Any, other: Any) -> Choice:
    """input / other."""
    return Choice("div", (input, other))


@elementwise()
def remainder(input: Any, other: Any) -> Choice:
    """input modulo other, with the sign of other."""
    return number_or_tensor("remainder", input, other, "remainder.base")


@elementwise()
def fmod(input: Any, other: Any) -> Choice:
    """input modulo other, with the sign of input."""
    return number_or_tensor("fmod", input, other)


@elementwise(function=False)
def floor_divide(input: Any, other: Any) -> Choice:
    """⌊input / other⌋."""
    return Choice("floor_divide", (input, other))


@elementwise(function=False)
def heaviside(input: Any, values: Any) -> Choice:
    """0 where input is negative, 1 where it is positive, values where it is 0."""
    return Choice("heaviside", (input, values))


# Combinations ------------------------------------------------------------------------------------
@elementwise()
def lerp(input: Any, end: Any, weight: Any) -> Choice:
    """input + weight (end - input); the weight may be a number or a tensor.

    Raises:
        RuntimeError: the types differ.
    """
    if not isinstance(weight, Tensor):
        return Choice("lerp.number", (input, end), {"weight": weight})
    if (
        isinstance(end, Tensor)
        and end.dtype is input.dtype is not weight.dtype
        and weight._data.ndim
    ):
        raise RuntimeError(
            f"expected dtype {input.dtype.c_type} for `weight` but got dtype {weight.dtype.c_type}"
        )
    return Choice("lerp", (input, end, weight))


@elementwise()
def addcmul(input: Any, tensor1: Any, tensor2: Any, *, value: float = 1) -> Choice:
    """input + value tensor1 tensor2."""
    return Choice("addcmul", (input, tensor1, tensor2), {"value": value})


@elementwise()
def addcdiv(input: Any, tensor1: Any, tensor2: Any, *, value: float = 1) -> Choice:
    """input + value tensor1 / tensor2."""
    return Choice("addcdiv", (input, tensor1, tensor2), {"value": value})


@elementwise()
def copysign(input: Any, other: Any) -> Choice:
    """|input| with the sign of other."""
    return number_or_tensor("copysign", input, other)


@elementwise()
def xlogy(input: Any, other: Any) -> Choice:
    """input log(other), 0 where input is 0 and other is no nan."""
    return number_or_tensor("xlogy", input, other, "xlogy.base")


# Bounds ------------------------------------------------------------------------------------------
@elementwise("clip")
def clamp(input: Any, min: Any = None, max: Any = None) -> Choice:
    """input, at least min and at most max: numbers or tensors, None for no bound.

    Raises:
        RuntimeError: both are None.
    """
    bounds = tuple(bound for bound in (min, max) if bound is not None)
    if not bounds:
        raise RuntimeError("torch.clamp: At least one of 'min' or 'max' must not be None")
    if any(is_number(bound) for bound in bounds):  # beside one, tensors without dims are, too
        min, max = (
            each.item() if isinstance(each, Tensor) and not each._data.ndim else each
            for each in (min, max)
        )
        bounds = tuple(bound for bound in (min, max) if bound is not None)
    if not all(is_number(bound) for bound in bounds):
        if not all(isinstance(bound, Tensor) for bound in bounds):
            raise TypeError("clamp: bounds are numbers or tensors")
        return Choice("clamp.tensor", (input, min, max))
    return Choice("clamp", (input,), {"min": min, "max": max}, bounds)


@elementwise()
def clamp_min(input: Any, min: Any) -> Choice:
    """input, at least min (a number or a tensor)."""
    if isinstance(min, Tensor):
        return Choice("clamp_min.tensor", (input, min))
    return Choice("clamp_min", (input,), {"min": min}, (min,))


@elementwise()
def clamp_max(input: Any, max: Any) -> Choice:
    """input, at most max (a number or a tensor)."""
    if isinstance(max, Tensor):
        return Choice("clamp_max.tensor", (input, max))
    return Choice("clamp_max", (input,), {"max": max}, (max,))


# Rounding ----------------------------------------------------------------------------------------
@elementwise()
def round(input: Any, *, decimals: int | None = None) -> Choice:
    """The nearest integer, or number with that many decimals; halves go to the even one."""
    if decimals is not None:
        return Choice("round.decimals", (input,), {"decimals": decimals})
    return Choice("round", (input,))


def special_round(input: Tensor, *, decimals: int = 0) -> Tensor:
    """The nearest number with the given decimals; halves go to the even one."""
    return round(input, decimals=decimals)


special_round.__name__ = special_round.__qualname__ = "round"

for _function in (special_round, xlogy):
    offer(out=True, space="special")(_function)


def _inverse_hyperbolic(key: str, alias: str) -> None:
    def choose(input: Any) -> Choice:
        return Choice(key, (input,))

    choose.__name__ = choose.__qualname__ = key
    elementwise(alias, function=False)(choose)


for _key in ("asinh", "acosh", "atanh"):
    _inverse_hyperbolic(_key, "arc" + _key[1:])


# Comparisons in place ----------------------------------------------------------------------------
def _comparison(key: str, *also: str) -> None:
    def choose(input: Any, other: Any) -> Choice:
        if isinstance(other, Tensor):
            return Choice(key + ".written", (input, other))
        if not is_number(other):
            raise not_a_tensor_error(TABLE[key], (input, other))
        return Choice(key + ".written_number", (input,), {"other": other})

    choose.__name__ = choose.__qualname__ = key
    elementwise(*also, function=False)(choose)


for _key, *_also in (
    ("eq",), ("ne", "not_equal"), ("lt", "less"), ("le", "less_equal"), ("gt", "greater"),
    ("ge", "greater_equal"),
):  # fmt: skip
    _comparison(_key, *_also)
