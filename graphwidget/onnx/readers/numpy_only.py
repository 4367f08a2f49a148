"""Reads ONNX operators that numpy computes in the run, without derivatives: quantities, windows."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..nodes import Node, compute, reads


def along(array: Any, axis: int, rank: int) -> Any:
    """One number for each place of an axis, or one for all."""
    if np.ndim(array) == 0 or np.size(array) == 1:
        return np.reshape(array, ())
    if np.ndim(array) > 1:
        raise ValueError("numbers for blocks are not known here")
    return np.reshape(array, [-1 if d == axis % rank else 1 for d in range(rank)])


def rounded(x: Any, scale: Any, zero: Any) -> Any:
    """Quantized numbers, which stay within their type."""
    ends = np.iinfo(zero.dtype)
    with np.errstate(all="ignore"):
        return np.clip(np.rint(x / scale) + zero, ends.min, ends.max).astype(zero.dtype)


@reads("QuantizeLinear")
def _quantize(node: Node, x: Any, scale: Any, zero: Any = None) -> Any:
    def quantized(x: Any, scale: Any, zero: Any = None) -> Any:
        zero = np.zeros((), np.uint8) if zero is None else zero
        axis = node.get("axis", 1)
        return rounded(x, along(scale, axis, x.ndim), along(zero, axis, x.ndim))

    return compute(quantized, x, scale, zero)


@reads("DequantizeLinear")
def _dequantize(node: Node, x: Any, scale: Any, zero: Any = None) -> Any:
    def numbers(x: Any, scale: Any, zero: Any = None) -> Any:
        axis = node.get("axis", 1)
        off = 0 if zero is None else along(zero, axis, x.ndim).astype(np.int64)
        return ((x.astype(np.int64) - off) * along(scale, axis, x.ndim)).astype(scale.dtype)

    return compute(numbers, x, scale, zero)


@reads("DynamicQuantizeLinear")
def _dynamic(node: Node, x: Any) -> Any:
    def parts(x: Any) -> tuple[Any, Any, Any]:
        low, high = min(float(x.min()), 0.0), max(float(x.max()), 0.0)
        scale = np.float32((np.float32(high) - np.float32(low)) / np.float32(255))
        safe = scale if scale else np.float32(1)
        zero = np.clip(np.rint(-np.float32(low) / safe), 0, 255).astype(np.uint8)
        return rounded(x, safe, zero), scale, zero

    return [compute(lambda x, i=i: np.asarray(parts(x)[i]), x) for i in range(3)]


@reads("MatMulInteger")
def _matmul_integer(node: Node, a: Any, b: Any, zero_a: Any = None, zero_b: Any = None) -> Any:
    def product(a: Any, b: Any, za: Any = None, zb: Any = None) -> Any:
        left = a.astype(np.int32) - (0 if za is None else rows(za, a))
        right = b.astype(np.int32) - (0 if zb is None else zb.astype(np.int32))
        return np.matmul(left, right)

    return compute(product, a, b, zero_a, zero_b)


def rows(zero: Any, a: Any) -> Any:
    """A zero point for each row, or one for all."""
    zero = zero.astype(np.int32)
    return zero[..., None] if zero.ndim == 1 and zero.size > 1 and a.ndim > 1 else zero


@reads("QLinearMatMul")
def _quantized_matmul(node: Node, *operands: Any) -> Any:
    def product(a: Any, sa: Any, za: Any, b: Any, sb: Any, zb: Any, sy: Any, zy: Any) -> Any:
        left, right = a.astype(np.int32) - rows(za, a), b.astype(np.int32) - zb.astype(np.int32)
        scale = sa.astype(np.float64) * sb / sy
        return rounded(np.matmul(left, right) * scale, 1.0, zy)

    return compute(product, *operands)


@reads("HannWindow", "HammingWindow", "BlackmanWindow")
def _window(node: Node, size: Any) -> Any:
    weights = {"HannWindow": (0.5, 0.5, 0.0), "HammingWindow": (25 / 46, 21 / 46, 0.0),
               "BlackmanWindow": (0.42, 0.5, 0.08)}[node.type]  # fmt: skip
    kind = node.get("output_datatype", 1)
    dtype = {1: np.float32, 10: np.float16, 11: np.float64, 6: np.int32, 7: np.int64}[kind]

    def window(size: Any) -> Any:
        count = int(size)
        turn = 2 * np.pi * np.arange(count) / (count if node.get("periodic", 1) else count - 1)
        a, b, c = weights
        return (a - b * np.cos(turn) + c * np.cos(2 * turn)).astype(dtype)

    return compute(window, size)


@reads("CenterCropPad")
def _center(node: Node, x: Any, shape: Any) -> Any:
    def fitted(x: Any, shape: Any) -> Any:
        for axis, wanted in zip(node.get("axes", range(x.ndim)), shape.tolist(), strict=True):
            size = x.shape[axis]
            if wanted < size:
                x = np.take(x, np.arange(wanted) + (size - wanted) // 2, axis)
            elif wanted > size:
                before = (wanted - size) // 2
                pairs = [(0, 0)] * x.ndim
                pairs[axis] = before, wanted - size - before
                x = np.pad(x, pairs)
        return x

    return compute(fitted, x, shape)


@reads("ReverseSequence")
def _reverse(node: Node, x: Any, lengths: Any) -> Any:
    batch, time = node.get("batch_axis", 1), node.get("time_axis", 0)

    def reversed_(x: Any, lengths: Any) -> Any:
        found = np.moveaxis(x, (batch, time), (0, 1)).copy()
        for row, count in zip(found, lengths.tolist(), strict=True):
            row[:count] = row[:count][::-1].copy()
        return np.moveaxis(found, (0, 1), (batch, time))

    return compute(reversed_, x, lengths)


@reads("Unique")
def _unique(node: Node, x: Any) -> Any:
    axis = node.get("axis")

    def parts(x: Any) -> list[Any]:
        values, first, back, counts = np.unique(
            x, return_index=True, return_inverse=True, return_counts=True, axis=axis
        )
        back = back.reshape(-1)
        if not node.get("sorted", 1):
            order = np.argsort(first)
            values = np.take(values, order, 0 if axis is None else axis)
            back = np.argsort(order)[back]
            first, counts = first[order], counts[order]
        return [values, *(each.astype(np.int64) for each in (first, back, counts))]

    return [compute(lambda x, i=i: parts(x)[i], x) for i in range(len(node.outputs))]
