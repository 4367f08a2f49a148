"""Writes ops that work item by item as ONNX."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from .register import writes

BOOLEAN = {"Equal", "Less", "LessOrEqual", "Greater", "GreaterOrEqual", "And", "Or", "Xor", "Not"}
OF_BOOLS = {"Add": "Or", "Mul": "And", "Max": "Or", "Min": "And"}


def direct(type: str) -> Callable[..., Any]:
    """Return a writer for an op that is the one node which its declaration names."""

    def write(w: Any, *inputs: Any) -> Any:
        if inputs[0].dtype == bool:
            if type in OF_BOOLS:
                return w(OF_BOOLS[type], *inputs)
            if type in ("Less", "LessOrEqual", "Greater", "GreaterOrEqual"):
                inputs = tuple(each.cast(np.int32) for each in inputs)
        if inputs[0].dtype.kind in "iu":
            if type in ("Floor", "Ceil", "Round"):
                return inputs[0]
            if type == "Relu":
                return w("Max", inputs[0], inputs[0].like(0))
        return w(type, *inputs, dtype=bool if type in BOOLEAN else None)

    return write


@writes("clone", "clone.contiguous", "detach", "alias",
        "zero_tensor")  # fmt: skip
def _identity(w: Any, self: Any, **params: Any) -> Any:
    return self


@writes("to_copy")
def _to_copy(w: Any, self: Any, dtype: Any) -> Any:
    return self.cast(getattr(dtype, "numpy", dtype))


@writes("logical_not", "logical_and", "logical_or", "logical_xor")
def _logical(w: Any, *inputs: Any) -> Any:
    op = w.asked.op
    return w(op.onnx, *(each.cast(bool) for each in inputs))


@writes("where")
def _where(w: Any, condition: Any, self: Any, other: Any) -> Any:
    return w("Where", condition.cast(bool), self, other, dtype=self.dtype)


@writes("add.number", "add.alpha")
def _add_number(w: Any, self: Any, other: Any, alpha: Any = 1) -> Any:
    return self + (self.like(other) if alpha == 1 else self.like(other) * alpha)


@writes("sub.number", "sub.alpha")
def _sub_number(w: Any, self: Any, other: Any, alpha: Any = 1) -> Any:
    return self - (self.like(other) if alpha == 1 else self.like(other) * alpha)


@writes("rsub", "rsub.tensor")
def _rsub(w: Any, self: Any, other: Any, alpha: Any = 1) -> Any:
    return self.like(other) - (self if alpha == 1 else self * alpha)


@writes("mul.number")
def _mul_number(w: Any, self: Any, other: Any) -> Any:
    return self * other


@writes("div.number")
def _div_number(w: Any, self: Any, other: Any) -> Any:
    return self / other


@writes("pow", "pow.tensor")
def _power(w: Any, self: Any, exponent: Any) -> Any:
    return self**exponent


@writes("pow.base")
def _power_base(w: Any, exponent: Any, self: Any) -> Any:
    return exponent.like(self) ** exponent


def rounded(w: Any, a: Any, b: Any, mode: str | None) -> Any:
    """A quotient, rounded as Python or C does."""
    if a.floating:
        found = a / b
        if mode == "trunc":
            return _truncated(w, found)
        return w("Floor", found) if mode == "floor" else found
    found = w("Div", a, b)  # towards zero
    if mode == "trunc":
        return found
    rest = a - found * b
    off = rest.differs(0) & (rest < 0).differs(b < 0)
    return found - off.cast(a.dtype)


def _truncated(w: Any, x: Any) -> Any:
    if not x.floating:
        return x
    return w("Where", x < 0, w("Ceil", x), w("Floor", x), dtype=x.dtype)


def same_type(w: Any, self: Any, other: Any) -> tuple[Any, Any]:
    """Two operands, of which one may be a number."""
    symbol = w.asked.outputs[0]
    a = self if hasattr(self, "dtype") else w.constant(np.asarray(self, symbol.dtype.numpy))
    return a, a.like(other)


@writes("div.mode")
def _div_mode(w: Any, self: Any, other: Any, rounding_mode: Any) -> Any:
    return rounded(w, *same_type(w, self, other), rounding_mode)


@writes("floor_divide", "floor_divide.written")
def _floor_divide(w: Any, self: Any, other: Any) -> Any:
    return rounded(w, *same_type(w, self, other), "floor")


def of_number(function: Any) -> Any:
    """The form whose first operand in the table is the second of the formula."""

    def write(w: Any, other: Any, self: Any) -> Any:
        return function(w, other.like(self), other)

    return write


@writes("remainder", "remainder.number")
def _remainder(w: Any, self: Any, other: Any) -> Any:
    other = self.like(other)
    if not self.floating:
        return w("Mod", self, other)
    rest = w("Mod", self, other, fmod=1)
    wrong = rest.differs(0) & (rest < 0).differs(other < 0)
    return w("Where", wrong, rest + other, rest, dtype=self.dtype)


writes("remainder.base")(of_number(_remainder))


@writes("fmod", "fmod.number")
def _fmod(w: Any, self: Any, other: Any) -> Any:
    return w("Mod", self, self.like(other), fmod=1)


@writes("lerp", "lerp.number")
def _lerp(w: Any, self: Any, end: Any, weight: Any) -> Any:
    weight = self.like(weight)
    near = self + weight * (end - self)
    far = end - (end - self) * (1 - weight)
    return w("Where", w("Abs", weight) < 0.5, near, far, dtype=self.dtype)


@writes("addcmul")
def _addcmul(w: Any, self: Any, tensor1: Any, tensor2: Any, value: Any = 1) -> Any:
    return self + tensor1 * tensor2 * value


@writes("addcdiv")
def _addcdiv(w: Any, self: Any, tensor1: Any, tensor2: Any, value: Any = 1) -> Any:
    return self + tensor1 / tensor2 * value


def filled(w: Any, self: Any, value: Any) -> Any:
    """A value in the shape of another."""
    if self.sizes is not None and None not in self.sizes:
        return w("Expand", self.like(value).cast(self.dtype), w.ints(*self.sizes))
    return w("Expand", self.like(value).cast(self.dtype), w("Shape", self, dtype=np.int64),
             dtype=self.dtype)  # fmt: skip


writes("fill", "fill.tensor", "filled", "filled.tensor")(filled)
writes("zeros_like", "zero")(lambda w, self: filled(w, self, 0))
writes("ones_like")(lambda w, self: filled(w, self, 1))


@writes("copy")
def _copy(w: Any, self: Any, src: Any) -> Any:
    return filled(w, self, src.cast(self.dtype))


@writes("isnan")
def _isnan(w: Any, self: Any) -> Any:
    return w("IsNaN", self, dtype=bool) if self.floating else filled(w, self.cast(bool), False)


def _infinite(w: Any, self: Any, **which: int) -> Any:
    if not self.floating:
        return filled(w, self.cast(bool), False)
    return w("IsInf", self, dtype=bool, **which)


writes("isinf")(_infinite)
writes("isposinf")(lambda w, self: _infinite(w, self, detect_negative=0))
writes("isneginf")(lambda w, self: _infinite(w, self, detect_positive=0))


@writes("isfinite")
def _isfinite(w: Any, self: Any) -> Any:
    return ~(_isnan(w, self) | _infinite(w, self))


@writes("isreal")
def _isreal(w: Any, self: Any) -> Any:
    return filled(w, self.cast(bool), True)


@writes("expm1")
def _expm1(w: Any, self: Any) -> Any:
    # Near 0 the difference would lose its digits: 2 sinh(x/2) exp(x/2) does not.
    half = w("Exp", self * 0.5)
    return w("Where", w("Abs", self) < 1.0, (half - 1 / half) * half, w("Exp", self) - 1,
             dtype=self.dtype)  # fmt: skip


writes("exp2")(lambda w, self: self.like(2) ** self)
writes("log2")(lambda w, self: w("Log", self) * (1 / math.log(2)))
writes("log10")(lambda w, self: w("Log", self) * (1 / math.log(10)))
writes("log1p")(lambda w, self: w("Log", self + 1))
writes("rsqrt")(lambda w, self: 1 / w("Sqrt", self))
writes("deg2rad")(lambda w, self: self * (math.pi / 180))
writes("rad2deg")(lambda w, self: self * (180 / math.pi))
writes("trunc")(_truncated)
writes("frac")(lambda w, self: self - _truncated(w, self))
writes("silu")(lambda w, self: self * w("Sigmoid", self))
writes("erfc", "special_erfc")(lambda w, self: 1 - w("Erf", self))
writes("special_entr")(
    lambda w, self: w("Where", self.equals(0), self.like(0), -self * w("Log", self))
)


@writes("signbit")
def _signbit(w: Any, self: Any) -> Any:
    if not self.floating:
        return self.cast(np.int64) < 0
    return (self < 0) | (self.equals(0) & (1 / self < 0))


@writes("hypot")
def _hypot(w: Any, self: Any, other: Any) -> Any:
    return w("Sqrt", self * self + other * other)


@writes("logaddexp")
def _logaddexp(w: Any, self: Any, other: Any) -> Any:
    apart = -w("Abs", self - other)
    return w("Max", self, other) + w("Log", 1 + w("Exp", apart))


@writes("logaddexp2")
def _logaddexp2(w: Any, self: Any, other: Any) -> Any:
    apart = -w("Abs", self - other)
    return w("Max", self, other) + w("Log", 1 + self.like(2) ** apart) * (1 / math.log(2))


@writes("ldexp")
def _ldexp(w: Any, self: Any, other: Any) -> Any:
    return self * self.like(2) ** other.cast(self.dtype)


@writes("atan2")
def _atan2(w: Any, self: Any, other: Any) -> Any:
    angle = w("Atan", self / other)
    turned = angle + w("Where", self < 0, self.like(-math.pi), self.like(math.pi),
                       dtype=self.dtype)  # fmt: skip
    found = w("Where", other < 0, turned, angle, dtype=self.dtype)
    upright = w("Sign", self) * (math.pi / 2)
    return w("Where", other.equals(0), upright, found, dtype=self.dtype)


@writes("sinc")
def _sinc(w: Any, self: Any) -> Any:
    angle = self * math.pi
    return w("Where", self.equals(0), self.like(1), w("Sin", angle) / angle, dtype=self.dtype)


@writes("logit")
def _logit(w: Any, self: Any, eps: Any = None) -> Any:
    if eps is not None:
        self = _clamp(w, self, eps, 1 - eps)
    return w("Log", self / (1 - self))


@writes("xlogy", "xlogy.number")
def _xlogy(w: Any, self: Any, other: Any) -> Any:
    other = self.like(other)
    found = w("Where", self.equals(0), self.like(0), self * w("Log", other), dtype=self.dtype)
    return w("Where", w("IsNaN", other, dtype=bool), other, found, dtype=self.dtype)


writes("xlogy.base")(of_number(_xlogy))


@writes("round.decimals")
def _round_decimals(w: Any, self: Any, decimals: int) -> Any:
    scale = 10.0 ** abs(decimals)
    if decimals >= 0:
        return w("Round", self * scale) / scale
    return w("Round", self / scale) * scale


def chosen(type: str) -> Any:
    """``fmax`` and ``fmin``: nan is no number to choose."""

    def write(w: Any, self: Any, other: Any) -> Any:
        if not self.floating:
            return w(type, self, other)
        found = w("Where", _isnan(w, self), other, w(type, self, other), dtype=self.dtype)
        return w("Where", _isnan(w, other), self, found, dtype=self.dtype)

    return write


writes("fmax")(chosen("Max"))
writes("fmin")(chosen("Min"))


@writes("heaviside", "heaviside.written")
def _heaviside(w: Any, self: Any, values: Any) -> Any:
    step = (self > 0).cast(self.dtype)
    return w("Where", self.equals(0), values, step, dtype=self.dtype)


@writes("clamp", "clamp.tensor")
def _clamp(w: Any, self: Any, min: Any = None, max: Any = None) -> Any:
    if min is not None:
        self = w("Max", self, self.like(min))
    return self if max is None else w("Min", self, self.like(max))


writes("clamp_min")(lambda w, self, min: _clamp(w, self, min))
writes("clamp_max")(lambda w, self, max: _clamp(w, self, None, max))
writes("hardtanh")(lambda w, self, min_val, max_val: _clamp(w, self, min_val, max_val))


@writes("within")
def _within(w: Any, self: Any, min: Any, max: Any) -> Any:
    low = None if min is None else self >= min
    high = None if max is None else self <= max
    return high if low is None else low if high is None else low & high


@writes("nan_to_num")
def _nan_to_num(w: Any, self: Any, nan: Any = None, posinf: Any = None, neginf: Any = None) -> Any:
    if not self.floating:
        return self
    ends = np.finfo(self.dtype)
    for test, value in (
        (_isnan(w, self), nan or 0.0),
        (_infinite(w, self, detect_negative=0), ends.max if posinf is None else posinf),
        (_infinite(w, self, detect_positive=0), ends.min if neginf is None else neginf),
    ):
        self = w("Where", test, self.like(value), self, dtype=self.dtype)
    return self


@writes("masked_fill")
def _masked_fill(w: Any, self: Any, mask: Any, value: Any) -> Any:
    return w("Where", mask, self.like(value), self, dtype=self.dtype)


@writes("masked_fill.tensor")
def _masked_fill_tensor(w: Any, self: Any, mask: Any, filler: Any) -> Any:
    return w("Where", mask, filler.cast(self.dtype), self, dtype=self.dtype)


def written(type: str) -> Any:
    """A comparison whose result takes the place of the first operand."""

    def write(w: Any, self: Any, other: Any) -> Any:
        return w(type, self, self.like(other), dtype=bool).cast(self.dtype)

    return write


for _name, _type in {"eq": "Equal", "lt": "Less", "le": "LessOrEqual", "gt": "Greater",
                     "ge": "GreaterOrEqual"}.items():  # fmt: skip
    writes(f"{_name}.written", f"{_name}.written_number")(written(_type))


@writes("ne", "ne.written", "ne.written_number")
def _ne(w: Any, self: Any, other: Any) -> Any:
    return self.differs(other)


writes("asinh.written")(lambda w, self: w("Asinh", self))
writes("acosh.written")(lambda w, self: w("Acosh", self))
writes("atanh.written")(lambda w, self: w("Atanh", self))


def bits(type: str, integers: str) -> Any:
    """Bitwise operations: of bools only, before opset 18."""

    def write(w: Any, *inputs: Any) -> Any:
        return w(type if inputs[0].dtype == bool else since_opset_18(w, integers), *inputs)

    return write


def since_opset_18(w: Any, type: str) -> str:
    """An operator that came with opset 18.

    Raises:
        OnnxExporterError: the file is of an earlier one.
    """
    from ..errors import OnnxExporterError

    if w.opset < 18:
        raise OnnxExporterError(f"{type} came with opset 18; ask for opset_version=18")
    return type


writes("bitwise_and")(bits("And", "BitwiseAnd"))
writes("bitwise_or")(bits("Or", "BitwiseOr"))
writes("bitwise_xor")(bits("Xor", "BitwiseXor"))
writes("bitwise_not")(bits("Not", "BitwiseNot"))
