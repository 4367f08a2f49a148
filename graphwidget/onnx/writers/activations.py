"""Writes activations and softmax as ONNX."""

from __future__ import annotations

import math
from typing import Any

from .register import writes


@writes("leaky_relu", "leaky_relu.written")
def _leaky_relu(w: Any, self: Any, negative_slope: float = 0.01) -> Any:
    return w("LeakyRelu", self, alpha=float(negative_slope))


@writes("prelu_kernel")
def _prelu(w: Any, self: Any, weight: Any) -> Any:
    return w("Where", self > 0, self, self * weight, dtype=self.dtype)


@writes("threshold", "threshold.written")
def _threshold(w: Any, self: Any, threshold: Any, value: Any) -> Any:
    return w("Where", self <= threshold, self.like(value), self, dtype=self.dtype)


@writes("softshrink")
def _softshrink(w: Any, self: Any, lambd: float = 0.5) -> Any:
    return w("Shrink", self, lambd=float(lambd), bias=float(lambd))


@writes("hardshrink")
def _hardshrink(w: Any, self: Any, lambd: float = 0.5) -> Any:
    return w("Shrink", self, lambd=float(lambd), bias=0.0)


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
    below = (w("Exp", self * input_scale) - 1) * alpha * scale
    return w("Where", self <= 0, below, self * scale, dtype=self.dtype)


@writes("celu", "celu.written")
def _celu(w: Any, self: Any, alpha: float = 1.0) -> Any:
    return w("Celu", self, alpha=float(alpha))


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
