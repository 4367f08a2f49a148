"""Programs as ONNX files: modules, control flow, writes in place, dynamic axes, refusals."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest

import graphwidget as torch
import graphwidget.static as tf
from tests.onnx.running import check, run, same

nn = torch.nn
F = torch.nn.functional


def x(*shape: int, seed: int = 0) -> Any:
    return torch.from_numpy(np.random.default_rng(seed).normal(size=shape).astype(np.float32))


def types(model: Any) -> list[str]:
    return [node.op_type for node in model.graph.node]


MODULES: dict[str, tuple[Any, tuple[int, ...]]] = {
    "Linear": (nn.Linear(4, 3), (5, 2, 4)),
    "Conv1d": (nn.Conv1d(4, 2, 3, padding=1), (2, 4, 7)),
    "Conv2d": (nn.Conv2d(4, 2, 3, stride=2, groups=2, bias=False), (2, 4, 7, 6)),
    "ConvTranspose2d": (nn.ConvTranspose2d(4, 3, 3, stride=2, output_padding=1), (2, 4, 5, 6)),
    "BatchNorm2d": (nn.BatchNorm2d(4), (2, 4, 5, 6)),
    "LayerNorm": (nn.LayerNorm(4), (5, 2, 4)),
    "GroupNorm": (nn.GroupNorm(2, 4), (2, 4, 5, 6)),
    "InstanceNorm2d": (nn.InstanceNorm2d(4), (2, 4, 5, 6)),
    "RMSNorm": (nn.RMSNorm(4), (5, 2, 4)),
    "LSTM": (nn.LSTM(4, 3, 2, bidirectional=True), (5, 2, 4)),
    "LSTM batch first": (nn.LSTM(4, 3, batch_first=True, bias=False), (2, 5, 4)),
    "GRU": (nn.GRU(4, 3), (5, 2, 4)),
    "RNN": (nn.RNN(4, 3, nonlinearity="relu"), (5, 2, 4)),
    "TransformerEncoder": (
        nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16), 2, enable_nested_tensor=False),
        (5, 2, 8),
    ),
    "pools": (nn.Sequential(nn.MaxPool2d(3, 2, 1), nn.AvgPool2d(2), nn.AdaptiveAvgPool2d(1)),
              (2, 3, 12, 12)),
    "activations": (nn.Sequential(nn.GELU(), nn.SiLU(), nn.Softplus(), nn.Mish(), nn.Hardswish(),
                                  nn.ELU(), nn.SELU(), nn.PReLU(), nn.Softmax(-1)), (3, 4)),
    "upsampling": (nn.Sequential(nn.Upsample(scale_factor=2, mode="bilinear"), nn.Upsample(7)),
                   (2, 3, 4, 5)),
}  # fmt: skip


@pytest.mark.parametrize("name", MODULES)
def test_modules(name: str) -> None:
    module, shape = MODULES[name]
    model = check(module.eval(), x(*shape))
    known = {key for key, _ in [*module.named_parameters(), *module.named_buffers()]}
    constants = {each.name for each in model.graph.initializer}
    used = {key for key in known if "num_batches" not in key}
    assert used <= constants


def test_attention() -> None:
    query, key = x(2, 2, 5, 4), x(2, 2, 7, 4, seed=1)
    check(lambda q, k: F.scaled_dot_product_attention(q, k, k), query, key)
    check(lambda q: F.scaled_dot_product_attention(q, q, q, is_causal=True), query)
    module = nn.MultiheadAttention(8, 2).eval()
    check(module, x(5, 2, 8), x(6, 2, 8, seed=1), x(6, 2, 8, seed=2))


def test_a_module_is_exported_as_in_eval_and_left_as_it_was() -> None:
    module = nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.9), nn.BatchNorm1d(4))
    module[2].eval()
    model = torch.onnx.export(module, (x(3, 4),))
    assert [each.training for each in module] == [True, True, False]
    assert types(model) == ["Transpose", "Gemm", "BatchNormalization"]
    same(run(model, x(3, 4)), [module.eval()(x(3, 4)).detach().numpy()])


def test_losses() -> None:
    target = torch.tensor([1, 4, 0])
    for loss in (nn.CrossEntropyLoss(), nn.CrossEntropyLoss(reduction="sum", ignore_index=4)):
        check(loss, x(3, 5), target)
    for loss in (nn.MSELoss(), nn.SmoothL1Loss(), nn.BCEWithLogitsLoss()):
        check(loss, x(3, 5), x(3, 5, seed=1).sigmoid())


def test_writes_in_place_become_values() -> None:
    def views(a: Any) -> Any:
        b = a.clone()
        b[1].mul_(2)
        b[:, 1:3] += 1
        b.t()[0].fill_(7)
        c = b.view(-1)
        c[::2] = 0
        return b, c

    def argument(a: Any) -> Any:
        a[0].mul_(2)
        return a

    for function in (views, argument):
        model = check(function, x(4, 6))
        assert "SequenceInsert" not in types(model)


def test_floor_division_of_negative_integers() -> None:
    a, b = torch.tensor([7, -7, 7, -7]), torch.tensor([2, 2, -2, -2])
    check(lambda a, b: (a // b, a % b, torch.div(a, b, rounding_mode="trunc"), a.fmod(b)), a, b)


def test_indices() -> None:
    rows, columns = torch.tensor([0, -1, 1]), torch.tensor([2, 0, 1])

    def function(a: Any) -> Any:
        b = a.clone()
        b[rows, columns] = 5.0
        b.index_put_((rows,), a[:1], accumulate=True)
        return a[rows], a[rows, columns], a[:, rows, columns], a[None, rows, :, columns], b

    check(function, x(3, 4, 5))
    check(lambda a: (a[a > 0].sum(), torch.where(a > 0, a, 0.0)), x(3, 4))


def test_names_of_inputs_and_outputs() -> None:
    def function(first: Any, pair: Any) -> Any:
        return {"sum": first + pair[0], "product": first * pair[1]}

    model = torch.onnx.export(function, (x(2), (x(2, seed=1), x(2, seed=2))))
    assert [each.name for each in model.graph.input] == ["first", "pair_0", "pair_1"]
    assert [each.name for each in model.graph.output] == ["output_0", "output_1"]
    model = torch.onnx.export(
        lambda a, b: (a + b, a, a + b), (x(2), x(2)), input_names=["p", "q"],
        output_names=["r", "s", "t"],
    )  # fmt: skip
    assert [each.name for each in model.graph.input] == ["p", "q"]
    assert [each.name for each in model.graph.output] == ["r", "s", "t"]
    with pytest.raises(ValueError, match="3 input_names were given for 2 inputs"):
        torch.onnx.export(torch.add, (x(2), x(2)), input_names=["p", "q", "r"])


def test_files(tmp_path: Path) -> None:
    assert torch.onnx.export(nn.Linear(2, 1), (x(3, 2),), tmp_path / "model.onnx") is None
    buffer = io.BytesIO()
    torch.onnx.export(nn.Linear(2, 1), x(3, 2), buffer, opset_version=18)
    one, two = onnx.load(tmp_path / "model.onnx"), onnx.load_from_string(buffer.getvalue())
    assert (one.ir_version, one.opset_import[0].version, two.opset_import[0].version) == (8, 17, 18)
    with pytest.raises(ValueError, match="opset_version must be 17 to 20, not 9"):
        torch.onnx.export(torch.exp, (x(2),), opset_version=9)


# Dynamic axes --------------------------------------------------------------------------------
def test_batches_of_any_size() -> None:
    module = nn.Sequential(nn.Conv2d(1, 2, 3), nn.ReLU(), nn.Flatten(), nn.Linear(72, 4)).eval()
    axes = {"image": {0: "batch"}, "scores": {0: "batch"}}
    model = check(
        module, x(2, 1, 8, 8), other=(x(5, 1, 8, 8),), input_names=["image"],
        output_names=["scores"], dynamic_axes=axes,
    )  # fmt: skip
    for value in (*model.graph.input, *model.graph.output):
        assert value.type.tensor_type.shape.dim[0].dim_param == "batch"


def test_sequences_of_any_length() -> None:
    axes = {"src": {0: "time", 1: "batch"}}
    encoder = MODULES["TransformerEncoder"][0].eval()
    check(encoder, x(5, 2, 8), other=(x(9, 3, 8),), dynamic_axes=axes)
    lstm = nn.LSTM(4, 3, batch_first=True)
    check(lstm, x(2, 5, 4), other=(x(4, 9, 4),), dynamic_axes={"input": [0, 1]})


def test_sizes_in_python() -> None:
    def function(a: Any) -> Any:
        n, t = a.shape
        ones = torch.ones(t, t).tril()
        places = torch.arange(t)
        return a * places, ones, a.reshape(-1), a[:, : t - 1], a.sum(0) / n, a.view(n, 1, t)

    check(function, x(2, 6), other=(x(3, 9),), dynamic_axes={"a": [0, 1]})


def test_sizes_that_follow_no_rule_are_refused() -> None:
    with pytest.raises(torch.onnx.OnnxExporterError, match="depends on a dynamic axis"):
        torch.onnx.export(lambda a: a[: a.size(0) // 2], (x(6),), dynamic_axes={"a": [0]})

    def branches(a: Any) -> Any:
        return a + 1 if a.size(0) > 6 else a * 2

    with pytest.raises(torch.onnx.OnnxExporterError, match="does something else here"):
        torch.onnx.export(branches, (x(6),), dynamic_axes={"a": [0]})
    with pytest.raises(ValueError, match="names 'b', which is no input"):
        torch.onnx.export(torch.exp, (x(6),), dynamic_axes={"b": [0]})
    with pytest.raises(ValueError, match="names dim 3 of 'a', which has 1"):
        torch.onnx.export(lambda a: a, (x(6),), dynamic_axes={"a": [3]})


# Static graphs -------------------------------------------------------------------------------
def test_loops_and_branches() -> None:
    with tf.Graph().as_default() as graph:
        a = tf.placeholder(tf.float32, [None, 3], name="a")
        outer = tf.reduce_sum(a)
        _, s = tf.while_loop(
            lambda i, s: tf.logical_and(i < 6, s < 100.0),
            lambda i, s: (i + 1, s * 2.0 + tf.cond(s > 3.0, lambda: outer, lambda: -s)),
            [tf.constant(0), tf.constant(1.0)],
        )
        n = tf.while_loop(lambda j: j < 99, lambda j: j * 3, [tf.constant(1)], maximum_iterations=3)
        y = tf.add(s, 1.0, name="y")
        z = tf.identity(n, name="z")
        model = torch.onnx.export(graph, None, output_names=["y", "z"])
        assert types(model).count("Loop") == 2
        with tf.Session() as session:
            for seed in range(4):
                value = x(2 + seed, 3, seed=seed).numpy()
                wanted = session.run([y, z], {a: value})
                same(run(model, value), [np.asarray(each) for each in wanted])


def test_variables_go_and_gradients_do_not() -> None:
    with tf.Graph().as_default():
        a = tf.placeholder(tf.float32, [4, 3], name="a")
        weight = tf.Variable(np.ones((1, 3), np.float32), name="weight")
        b = tf.nn.softmax(tf.tanh(a * weight) + 0.5)
        loss = tf.reduce_mean(b * b)
        grads = tf.gradients(loss, [a, weight])
        with pytest.raises(torch.onnx.OnnxExporterError, match="variable 'weight' has no value"):
            torch.onnx.export([loss], None)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            with pytest.raises(torch.onnx.OnnxExporterError, match="has no equivalent in ONNX"):
                torch.onnx.export(grads, None)
            model = torch.onnx.export([loss], None)
            assert model.graph.initializer[0].name == "weight"
            value = x(4, 3).numpy()
            same(run(model, value), [np.asarray(session.run(loss, {a: value}))])


# Refusals ------------------------------------------------------------------------------------
def test_a_choice_by_value_is_refused_with_its_line() -> None:
    def function(a: Any) -> Any:
        if a.sum() > 0:
            return a + 1
        return a - 1

    with pytest.raises(torch.onnx.OnnxExporterError, match=r"test_export.py, line \d+"):
        torch.onnx.export(function, (x(2),))
    with pytest.raises(torch.onnx.OnnxExporterError, match=r"value here \(its truth\)") as raised:
        torch.onnx.export(function, (x(2),))
    assert str(raised.value).count("line ") == 1


def test_sizes_by_value_are_not_frozen() -> None:
    check(lambda a: a[a > 0].exp().sum(), x(9), other=(x(9, seed=3),))
    with pytest.raises(torch.onnx.OnnxExporterError, match="its sizes"):
        torch.onnx.export(lambda a: a[a > 0].view(-1, 1), (x(9),))


def test_unknown_ops_are_named_with_their_line() -> None:
    with pytest.raises(torch.onnx.UnsupportedOperatorError, match=r"'Lgamma' \(.*test_export.py"):
        torch.onnx.export(lambda a: a.lgamma(), (x(2),))
    ints = torch.ones(1, 1, 3, dtype=torch.int64)
    with pytest.raises(torch.onnx.OnnxExporterError, match="Conv does not take int64"):
        torch.onnx.export(lambda a: F.conv1d(a, a), (ints,))
    with pytest.raises(torch.onnx.OnnxExporterError, match="no tensor among the results"):
        torch.onnx.export(lambda a: 3, (x(2),))


def test_without_the_package_onnx() -> None:
    code = (
        "import sys; sys.modules['onnx'] = None; import graphwidget as torch\n"
        "try: torch.onnx.export(torch.exp, (torch.ones(2),))\n"
        "except ImportError as error: print(error)"
    )
    root = Path(__file__).parents[2]
    found = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True,
                           check=True)  # fmt: skip
    assert "pip install 'graphwidget[onnx]'" in found.stdout
