"""Operators that other programs write: each form runs here to onnxruntime's numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

import graphwidget as torch
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


FORMS: list[tuple[dict[str, Any], int]] = [
    ({"mode": "nearest", "nearest_mode": "floor",
      "coordinate_transformation_mode": "asymmetric"}, 11),
    ({"mode": "nearest", "nearest_mode": "round_prefer_ceil"}, 7),
    ({"mode": "linear"}, 11),
    ({"mode": "linear", "coordinate_transformation_mode": "pytorch_half_pixel"}, 3),
    ({"mode": "linear", "coordinate_transformation_mode": "align_corners"}, 9),
]  # fmt: skip


@pytest.mark.parametrize(("form", "size"), FORMS, ids=str)
def test_resize(form: dict[str, Any], size: int) -> None:
    check("Resize", X, None, None, np.array([2, 4, size, size + 1]), **form)
    if form.get("coordinate_transformation_mode") != "align_corners":
        check("Resize", X, None, np.array([1, 1, 2, 0.5], np.float32), **form)


WINDOWS: list[dict[str, Any]] = [
    {"kernel_shape": [3, 2], "strides": strides, "pads": [1, 1, 1, 1]}
    for strides in ([1, 1], [2, 3])
]  # fmt: skip


@pytest.mark.parametrize("form", WINDOWS, ids=str)
def test_pools(form: dict[str, Any]) -> None:
    check("MaxPool", X, **form)
    check("MaxPool", X, ceil_mode=1, **{**form, "pads": [1, 0, 0, 1]})
    for count in (0, 1):
        check("AveragePool", X, count_include_pad=count, **form)


REFUSED: list[tuple[str, dict[str, Any]]] = [
    ("MaxPool", {"kernel_shape": [2, 2], "auto_pad": "SAME_UPPER"}),
    ("AveragePool", {"kernel_shape": [2, 2], "ceil_mode": 1}),
    ("Resize", {"mode": "linear", "antialias": 1}),
    ("Resize", {"mode": "nearest"}),
    ("ArgMax", {"select_last_index": 1}),
]


@pytest.mark.parametrize(("type", "form"), REFUSED, ids=str)
def test_rare_forms_are_refused(type: str, form: dict[str, Any]) -> None:
    with pytest.raises(torch.onnx.LoadError, match=r"node 'node' .* not known here"):
        check(type, X, *((None, None, np.array([2, 4, 9, 9])) if type == "Resize" else ()), **form)


def test_old_opsets_are_refused() -> None:
    with pytest.raises(torch.onnx.LoadError, match=r"opset 9; .* onnx.version_converter"):
        check("Relu", X, opset=9)
