"""ONNX files read as static graphs: those written here, and others' with faults."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

import graphwidget as torch
import graphwidget.static as tf
from graphwidget.static.errors import OpError
from tests.extent import chosen
from tests.onnx.running import flat, run, same
from tests.onnx.test_export import MODULES, x

FLOAT = TensorProto.FLOAT


def model(nodes: list[Any], inputs: dict[str, Any], outputs: list[str], **arrays: Any) -> Any:
    """A file by hand."""
    graph = helper.make_graph(
        nodes, "graph",
        [helper.make_tensor_value_info(name, FLOAT, shape) for name, shape in inputs.items()],
        [helper.make_tensor_value_info(name, FLOAT, None) for name in outputs],
        [numpy_helper.from_array(np.asarray(each), name) for name, each in arrays.items()],
    )  # fmt: skip
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


@pytest.mark.parametrize("name", MODULES)
def test_modules_come_back(name: str) -> None:
    module, shape = MODULES[name]
    given = x(*shape)
    proto = torch.onnx.export(module.eval(), (given,))
    back = torch.onnx.load(proto)
    found = back(given)
    same(found if isinstance(found, list) else [found], flat(module(given)))


def test_a_file_opens_as_a_graph_with_names(tmp_path: Path) -> None:
    module = torch.nn.Linear(3, 2)
    path = tmp_path / "linear.onnx"
    torch.onnx.export(module, (x(4, 3),), path, input_names=["x"], output_names=["y"],
                      dynamic_axes={"x": {0: "n"}})  # fmt: skip
    back = torch.onnx.load(path)
    assert repr(back) == "<onnx.Model ['x'] -> ['y']>"
    assert isinstance(back.graph, tf.Graph)
    assert {"weight", "bias", "x"} <= {each.name for each in back.graph.operations}
    (found,) = back.run({"x": x(7, 3)})
    same([found], flat(module(x(7, 3))))
    with back.graph.as_default(), tf.Session() as session:
        (grad,) = tf.gradients(back.outputs["y"], [back.inputs["x"]])
        same([session.run(grad, {"x:0": x(2, 3).numpy()})],
             [module.weight.detach().numpy().sum(0, keepdims=True).repeat(2, 0)])  # fmt: skip
    with pytest.raises(ValueError, match="'z' is no input of the model; its inputs are x"):
        back.run({"z": x(2, 3)})
    with pytest.raises(OpError, match="You must feed a value for placeholder tensor 'x'"):
        back.run({})


def test_loops_and_branches_come_back() -> None:
    with tf.Graph().as_default():
        a = tf.placeholder(tf.float32, [3], name="a")
        _, s = tf.while_loop(lambda i, s: i < 5, lambda i, s: (i + 1, s * 2.0 + a),
                             [tf.constant(0), tf.ones([3])])  # fmt: skip
        y = tf.cond(tf.reduce_sum(a) > 0.0, lambda: s + 1.0, lambda: s * a)
        proto = torch.onnx.export([y], None)
    back = torch.onnx.load(proto)
    assert {"While", "Cond"} <= {each.type for each in back.graph.operations}
    for sign in (1, -1):
        value = sign * np.ones(3, np.float32)
        same([back(value)], run(proto, value))


def test_shapes_that_only_the_run_tells() -> None:
    nodes = [
        helper.make_node("Shape", ["a"], ["n"]),
        helper.make_node("Slice", ["n", "zero", "one"], ["first"]),
        helper.make_node("Concat", ["first", "minus"], ["shape"], axis=0),
        helper.make_node("Reshape", ["a", "shape"], ["b"]),
        helper.make_node("ReduceSum", ["b", "one"], ["c"], keepdims=0),
    ]
    integers = {name: np.array([number]) for name, number in
                (("zero", 0), ("one", 1), ("minus", -1))}  # fmt: skip
    proto = model(nodes, {"a": ["n", 2, 3]}, ["c"], **integers)
    back = torch.onnx.load(proto)
    for count in (1, 4):
        value = x(count, 2, 3).numpy()
        same([back(value)], run(proto, value))


# Random graphs -------------------------------------------------------------------------------
def program(rng: np.random.Generator) -> Any:
    """A function of two tensors by a few random steps; some of them write in place."""
    steps = [(rng.integers(9), *rng.integers(0, 100, 3)) for _ in range(rng.integers(3, 9))]

    def function(a: Any, b: Any) -> Any:
        values = [a, b]
        for kind, i, j, k in steps:
            u, v = values[i % len(values)], values[j % len(values)]
            if kind == 0:
                made = [torch.tanh, torch.sigmoid, torch.relu, torch.neg, torch.abs][k % 5](u)
            elif kind == 1:
                made = [torch.add, torch.sub, torch.mul, torch.maximum][k % 4](u, v)
            elif kind == 2:
                made = torch.softmax(u, int(k) % 2)
            elif kind == 3:
                made = u - u.mean(int(k) % 2, keepdim=True)
            elif kind == 4:
                made = (u.reshape(2, 6) * 0.5).view(3, 4)
            elif kind == 5:
                made = u.t().contiguous().t() + v[int(k) % 3]
            elif kind == 6:
                made = u.clone()
                made[int(k) % 3].mul_(0.5)
            elif kind == 7:
                made = torch.where(u > v, u, v.cumsum(1) * 0.1)
            else:
                made = torch.cat([u[:1], v[1:]]).clamp(-2, 2)
            values.append(made)
        return values[-1], values[len(values) // 2]

    return function


@pytest.mark.parametrize("seed", range(chosen(40, full=200)))
def test_random_programs(seed: int) -> None:
    function = program(np.random.default_rng(seed))
    given = x(3, 4, seed=seed), x(3, 4, seed=seed + 1000)
    wanted = flat(function(*(each.clone() for each in given)))
    proto = torch.onnx.export(function, given)
    same(run(proto, *given), wanted)
    back = torch.onnx.load(proto)
    # where a result does not depend on an input, the file has it all the same
    same(back.run(dict(zip(back.inputs, given, strict=True))), wanted)


# Faults --------------------------------------------------------------------------------------
def refused(proto: Any, text: str) -> None:
    with pytest.raises(torch.onnx.LoadError, match=text):
        torch.onnx.load(proto)


def test_unknown_operators_and_cycles_are_named() -> None:
    node = helper.make_node("Frobnicate", ["a"], ["b"], name="odd")
    refused(model([node], {"a": [2]}, ["b"]), r"node 'odd' \(Frobnicate\)")
    node = helper.make_node("Exp", ["a"], ["b"], name="odd", domain="com.example")
    refused(model([node], {"a": [2]}, ["b"]), "node 'odd': the operator com.example.Exp")
    circle = [helper.make_node("Exp", ["c"], ["b"], name="one"),
              helper.make_node("Exp", ["b"], ["c"], name="two")]  # fmt: skip
    refused(model(circle, {"a": [2]}, ["b"]), "node 'one' .* reads 'c', which no node before")
    refused(model([], {"a": [2]}, ["b"]), "output 'b' is given by no node")


def test_wrong_shapes_and_operands_are_named() -> None:
    node = helper.make_node("MatMul", ["a", "w"], ["b"], name="product")
    proto = model([node], {"a": [2, 3]}, ["b"], w=np.ones((2, 2), np.float32))
    refused(proto, r"node 'product' \(MatMul\)")
    refused(model([helper.make_node("Add", ["a"], ["b"], name="sum")], {"a": [2]}, ["b"]), "'sum'")
    words = helper.make_tensor("w", TensorProto.STRING, [1], [b"a"])
    proto = model([helper.make_node("Identity", ["w"], ["b"])], {}, ["b"])
    proto.graph.initializer.append(words)
    refused(proto, "initializer 'w'")


def test_huge_tensors_are_not_made() -> None:
    proto = model([helper.make_node("Identity", ["w"], ["b"])], {}, ["b"])
    proto.graph.initializer.append(TensorProto(name="w", data_type=FLOAT, dims=[1 << 40, 1 << 40]))
    refused(proto, "initializer 'w' claims the shape")
    shape = np.array([1 << 20, 1 << 20])
    for node in (
        helper.make_node("ConstantOfShape", ["shape"], ["b"], name="big"),
        helper.make_node("Expand", ["one", "shape"], ["b"], name="big"),
    ):
        refused(model([node], {}, ["b"], shape=shape, one=np.ones(1, np.float32)), "node 'big'")


def test_external_data_stays_in_the_folder(tmp_path: Path) -> None:
    def file(location: str) -> Path:
        proto = model([helper.make_node("Identity", ["w"], ["b"])], {}, ["b"])
        tensor = TensorProto(name="w", data_type=FLOAT, dims=[2])
        tensor.data_location = TensorProto.EXTERNAL
        tensor.external_data.add(key="location", value=location)
        proto.graph.initializer.append(tensor)
        path = tmp_path / "models" / "model.onnx"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(proto.SerializeToString())
        return path

    np.array([1, 2], np.float32).tofile(tmp_path / "secret")
    (tmp_path / "models").mkdir()
    np.array([3, 4], np.float32).tofile(tmp_path / "models" / "weights")
    (tmp_path / "models" / "link").symlink_to(tmp_path / "secret")
    (found,) = torch.onnx.load(file("weights")).run({})
    assert found.tolist() == [3, 4]
    for location in ("../secret", str(tmp_path / "secret"), "link", "", "missing"):
        refused(file(location), "not in the file's folder")


def test_operands_and_attributes_are_counted() -> None:
    for inputs, text in (
        ([], "'odd' .MatMul. has 0 operands, where MatMul takes 2"),
        (["a", "a", "a"], "has 3 operands, where MatMul takes 2"),
        (["a", ""], "'odd' .MatMul. lacks its operand B"),
    ):
        node = helper.make_node("MatMul", inputs, ["b"], name="odd")
        refused(model([node], {"a": [2, 2]}, ["b"]), text)
    refused(model([helper.make_node("Cast", ["a"], ["b"], name="odd")], {"a": [2]}, ["b"]),
            "'odd' .Cast. lacks its attribute to")  # fmt: skip


def test_truncated_and_random_bytes(tmp_path: Path) -> None:
    data = torch.onnx.export(MODULES["LSTM"][0], (x(5, 2, 4),)).SerializeToString()
    path = tmp_path / "broken.onnx"
    rng = np.random.default_rng(0)
    faults = [data[: int(cut)] for cut in rng.integers(0, len(data), 25)]
    faults += [rng.bytes(int(size)) for size in rng.integers(0, 300, 25)]
    for _ in range(50):
        changed = bytearray(data)
        for place in rng.integers(0, len(data), 3):
            changed[place] = rng.integers(256)
        faults.append(bytes(changed))
    messages = []
    for fault in faults:
        path.write_bytes(fault)
        try:
            torch.onnx.load(path)
        except torch.onnx.LoadError as error:  # what is read had only a number changed
            messages.append(str(error))
    assert len(messages) > 30
    assert min(map(len, messages)) > 10
