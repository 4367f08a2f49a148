"""Writes ops that work item by item, activations and softmax as ONNX."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..errors import UnsupportedOperatorError
from .values import writes

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


@writes("remainder", "remainder.number")
def _remainder(w: Any, self: Any, other: Any) -> Any:
    other = self.like(other)
    if not self.floating:
        return w("Mod", self, other)
    rest = w("Mod", self, other, fmod=1)
    wrong = rest.differs(0) & (rest < 0).differs(other < 0)
    return w("Where", wrong, rest + other, rest, dtype=self.dtype)


@writes("fmod", "fmod.number")
def _fmod(w: Any, self: Any, other: Any) -> Any:
    return w("Mod", self, self.like(other), fmod=1)


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


writes("log2")(lambda w, self: w("Log", self) * (1 / math.log(2)))
writes("log1p")(lambda w, self: w("Log", self + 1))
writes("rsqrt")(lambda w, self: 1 / w("Sqrt", self))
writes("trunc")(_truncated)
writes("silu")(lambda w, self: self * w("Sigmoid", self))


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


@writes("masked_fill")
def _masked_fill(w: Any, self: Any, mask: Any, value: Any) -> Any:
    return w("Where", mask, self.like(value), self, dtype=self.dtype)


@writes("masked_fill.tensor")
def _masked_fill_tensor(w: Any, self: Any, mask: Any, filler: Any) -> Any:
    return w("Where", mask, filler.cast(self.dtype), self, dtype=self.dtype)


@writes("ne")
def _ne(w: Any, self: Any, other: Any) -> Any:
    return self.differs(other)


def bits(type: str) -> Any:
    """Bitwise operations, of bools only."""

    def write(w: Any, *inputs: Any) -> Any:
        if inputs[0].dtype != bool:
            raise UnsupportedOperatorError(f"{type} of integers has no equivalent")
        return w(type, *inputs)

    return write


writes("bitwise_and")(bits("And"))
writes("bitwise_or")(bits("Or"))
writes("bitwise_xor")(bits("Xor"))
writes("bitwise_not")(bits("Not"))


# Writes activations and softmax as ONNX ----------------------------------------------------------


@writes("leaky_relu", "leaky_relu.written")
def _leaky_relu(w: Any, self: Any, negative_slope: float = 0.01) -> Any:
    return w("LeakyRelu", self, alpha=float(negative_slope))


@writes("prelu_kernel")
def _prelu(w: Any, self: Any, weight: Any) -> Any:
    return w("Where", self > 0, self, self * weight, dtype=self.dtype)


@writes("hardsigmoid")
def _hardsigmoid(w: Any, self: Any) -> Any:
    return w("HardSigmoid", self, alpha=1 / 6, beta=0.5)


@writes("hardswish")
def _hardswish(w: Any, self: Any) -> Any:
    return w("HardSwish", self)


@writes("elu", "elu.written")
def _elu(w: Any, self: Any, alpha: float = 1.0, scale: Any = 1, input_scale: Any = 1) -> Any:
    if scale == 1 and input_scale == 1:
        return w("Elu", self, alpha=float(alpha))
    if input_scale == 1:
        return w("Selu", self, alpha=float(alpha), gamma=float(scale))
    raise UnsupportedOperatorError("elu with an input_scale has no equivalent")


@writes("gelu")
def _gelu(w: Any, self: Any, approximate: str = "none") -> Any:
    if approximate == "none":
        return [self * (w("Erf", self * math.sqrt(0.5)) + 1) * 0.5, None]
    inner = (self + self * self * self * 0.044715) * math.sqrt(2 / math.pi)
    return [self * (w("Tanh", inner) + 1) * 0.5, None]


@writes("softplus")
def _softplus(w: Any, self: Any, beta: float = 1.0, threshold: float = 20.0) -> Any:
    bent = w("Softplus", self * beta) / beta
    return w("Where", self * beta > threshold, self, bent, dtype=self.dtype)


@writes("mish")
def _mish(w: Any, self: Any) -> Any:
    return self * w("Tanh", w("Softplus", self))


@writes("log_sigmoid")
def _log_sigmoid(w: Any, self: Any) -> Any:
    return [-w("Softplus", -self), None]


@writes("glu")
def _glu(w: Any, self: Any, dim: int = -1) -> Any:
    a, b = w("Split", self, outputs=2, axis=dim % self.rank,
             num_outputs=2 if w.opset >= 18 else None)  # fmt: skip
    return a * w("Sigmoid", b)


@writes("softmax", "safe_softmax")
def _softmax(w: Any, self: Any, dim: int) -> Any:
    if not self.rank:
        return self.like(1)
    found = w("Softmax", self, axis=dim % self.rank)
    if w.asked.op.key == "safe_softmax":
        found = w("Where", w("IsNaN", found, dtype=bool), self.like(0), found, dtype=self.dtype)
    return found


@writes("log_softmax")
def _log_softmax(w: Any, self: Any, dim: int) -> Any:
    return w("LogSoftmax", self, axis=dim % self.rank) if self.rank else self.like(0)
