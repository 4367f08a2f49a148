"""Operators that other programs write: each form runs here to onnxruntime's numbers."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

import graphwidget as torch
import graphwidget.static as static
from tests.onnx.running import run, same

RNG = np.random.default_rng(0)
X = RNG.normal(size=(2, 4, 6, 5)).astype(np.float32)
FLOAT, INT, UINT8, INT32 = (
    TensorProto.FLOAT, TensorProto.INT64, TensorProto.UINT8, TensorProto.INT32
)  # fmt: skip


def check(
    type: str, x: Any, *others: Any, outputs: int = 1, kinds: tuple[int, ...] = (FLOAT,),
    opset: int = 18, **attributes: Any,
) -> None:  # fmt: skip
    """A file of one node, with ``x`` fed and other operands in it, on both programs."""
    names = ["x", *("" if each is None else f"w{i}" for i, each in enumerate(others))]
    results = [f"y{i}" for i in range(outputs)]
    node = helper.make_node(type, names, results, name="node", **attributes)
    kind = helper.np_dtype_to_tensor_dtype(x.dtype)
    graph = helper.make_graph(
        [node], "graph", [helper.make_tensor_value_info("x", kind, x.shape)],
        [helper.make_tensor_value_info(name, each, None)
         for name, each in zip(results, kinds * outputs, strict=False)],
        [numpy_helper.from_array(np.asarray(each), f"w{i}")
         for i, each in enumerate(others) if each is not None],
    )  # fmt: skip
    proto = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)
    same(torch.onnx.load(proto).run({"x": x}), run(proto, x))


WAYS = ["half_pixel", "align_corners", "asymmetric", "pytorch_half_pixel"]
ROUNDINGS = ["round_prefer_floor", "round_prefer_ceil", "floor", "ceil"]
SIZES = np.array([2, 4, 3, 11])


@pytest.mark.parametrize("how", WAYS)
def test_resize(how: str) -> None:
    ways = {"coordinate_transformation_mode": how}
    # onnxruntime aligns corners to whole sizes; the standard's data do not
    scales = np.array([1, 1, 1.5 if how == "align_corners" else 1.6, 0.6], np.float32)
    for rounding in ROUNDINGS:
        check("Resize", X, None, None, SIZES, mode="nearest", nearest_mode=rounding, **ways)
        check("Resize", X, None, scales, mode="nearest", nearest_mode=rounding, **ways)
    for mode in ("linear", "cubic"):
        check("Resize", X, None, None, SIZES, mode=mode, **ways)
        check("Resize", X, None, np.array([1, 1, 2, 2], np.float32), mode=mode, **ways)
    check("Resize", X, None, None, SIZES, mode="cubic", exclude_outside=1, cubic_coeff_a=-0.5,
          **ways)  # fmt: skip


def test_resize_in_other_ways() -> None:
    for mode in ("linear", "cubic"):
        check("Resize", X, None, np.array([1, 1, 0.5, 0.5], np.float32), mode=mode, antialias=1,
              exclude_outside=1)  # fmt: skip
    for policy in ("not_larger", "not_smaller"):
        check("Resize", X, None, None, np.array([7, 9]), mode="nearest", axes=[2, 3],
              keep_aspect_ratio_policy=policy)  # fmt: skip
    roi = np.array([0, 0, 0.4, -0.3, 1, 1, 1.2, 0.7], np.float32)
    check("Resize", X, roi, None, np.array([2, 4, 3, 3]), mode="linear", extrapolation_value=9.0,
          coordinate_transformation_mode="tf_crop_and_resize")  # fmt: skip
    check("Resize", X, np.array([1, 1, 2, 3], np.float32), opset=10, mode="nearest")
    check("Upsample", X, np.array([1, 1, 2, 2], np.float32), opset=9, mode="linear")


FORMS: list[dict[str, Any]] = [
    {"kernel_shape": [3, 2], "strides": strides, "pads": pads, "ceil_mode": ceil}
    for strides, pads, ceil in itertools.product(
        ([1, 1], [2, 3]), ([0, 0, 0, 0], [1, 0, 1, 1], [1, 1, 1, 1]), (0, 1))
]  # fmt: skip
FORMS += [{"kernel_shape": [3, 2], "auto_pad": auto, "strides": [2, 2]}
          for auto in ("SAME_UPPER", "SAME_LOWER", "VALID")]  # fmt: skip


@pytest.mark.parametrize("form", FORMS, ids=str)
def test_pools(form: dict[str, Any]) -> None:
    check("MaxPool", X, **form)
    for count in (0, 1):
        check("AveragePool", X, count_include_pad=count, **form)


def test_dilated_pools() -> None:
    form: dict[str, Any] = {"kernel_shape": [2, 2], "dilations": [2, 2], "pads": [1, 0, 0, 1]}
    check("AveragePool", X, opset=19, **form)


CONVOLUTIONS: list[dict[str, Any]] = [
    {"auto_pad": "SAME_UPPER", "strides": [2, 2]}, {"auto_pad": "SAME_LOWER", "strides": [2, 2]},
    {"output_shape": [13, 10], "strides": [2, 2], "auto_pad": "SAME_UPPER"},
    {"pads": [1, 0, 0, 2], "strides": [2, 1]}, {"pads": [1, 1, 1, 1], "strides": [2, 2]},
]  # fmt: skip


@pytest.mark.parametrize("form", CONVOLUTIONS, ids=str)
def test_transposed_convolutions(form: dict[str, Any]) -> None:
    weight = RNG.normal(size=(4, 3, 3, 3)).astype(np.float32)
    check("ConvTranspose", X, weight, np.ones(3, np.float32), **form)


def test_norms() -> None:
    scale, bias = (RNG.normal(size=4).astype(np.float32) for _ in range(2))
    check("GroupNormalization", X, scale[:2], bias[:2], num_groups=2)
    check("GroupNormalization", X, scale, bias, num_groups=2, opset=21)
    check("LRN", X, size=3, alpha=0.02, beta=0.5, bias=2.0)
    check("BatchNormalization", X, scale, bias, bias, scale**2, outputs=3, training_mode=1,
          momentum=0.7, opset=15)  # fmt: skip


def test_what_is_resized_has_gradients() -> None:
    node = helper.make_node("Resize", ["x", "", "", "n"], ["y"], mode="linear", antialias=1)
    graph = helper.make_graph(
        [node], "graph", [helper.make_tensor_value_info("x", FLOAT, (1, 1, 4))],
        [helper.make_tensor_value_info("y", FLOAT, None)],
        [numpy_helper.from_array(np.array([1, 1, 2]), "n")],
    )  # fmt: skip
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8)
    back = torch.onnx.load(model)
    with back.graph.as_default(), static.Session() as session:
        (slope,) = static.gradients(back.outputs["y"], [back.inputs["x"]])
        at = np.arange(4, dtype=np.float32).reshape(1, 1, 4)
        (found,) = session.run([slope], {"x:0": at})
        sums = [session.run(back.outputs["y"], {"x:0": at + step}).sum()
                for step in np.eye(4, dtype=np.float32).reshape(4, 1, 1, 4)]  # fmt: skip
        zero = session.run(back.outputs["y"], {"x:0": at}).sum()
    np.testing.assert_allclose(found.ravel(), np.array(sums) - zero, rtol=1e-4)
