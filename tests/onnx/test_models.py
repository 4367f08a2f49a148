"""Whole models as ONNX files: onnxruntime gives what eager gives, and so does the file loaded."""

from __future__ import annotations

import pytest

import graphwidget as torch
from tests.models import MODELS, build
from tests.onnx.running import flat, run, same

BATCHED = ["mlp", "named_mlp", "cnn", "resnet_block", "lstm_classifier", "masked_attention",
           "transformer_layer", "embedding_mean", "batch_norm", "conv_transpose"]  # fmt: skip


@pytest.mark.parametrize("name", MODELS)
def test_a_model_runs_elsewhere_and_comes_back(name: str) -> None:
    model, inputs = build(name, torch)
    model.eval()
    wanted = flat(model(*inputs))
    proto = torch.onnx.export(model, inputs)
    same(run(proto, *inputs), wanted)
    back = torch.onnx.load(proto)
    same(back.run(dict(zip(back.inputs, inputs, strict=True))), wanted)


@pytest.mark.parametrize("name", BATCHED)
def test_a_model_takes_other_batches(name: str) -> None:
    model, (x,) = build(name, torch)
    model.eval()
    proto = torch.onnx.export(
        model, (x,), input_names=["x"], output_names=["y"],
        dynamic_axes={"x": {0: "batch"}, "y": {0: "batch"}},
    )  # fmt: skip
    back = torch.onnx.load(proto)
    for given in (x, torch.cat([x, x]), x[:1]):
        wanted = flat(model(given))
        same(run(proto, given), wanted)
        same(back.run({"x": given}), wanted)


def test_keyword_arguments_are_inputs_too() -> None:
    def function(x: torch.Tensor, *, by: torch.Tensor, plus: float = 0.0) -> torch.Tensor:
        return x * by + plus

    x, by = torch.ones(3), torch.tensor([1.0, 2.0, 3.0])
    proto = torch.onnx.export(function, (x,), kwargs={"by": by, "plus": 0.5})
    assert [each.name for each in proto.graph.input] == ["x", "by"]
    same(run(proto, x, by * 2), flat(function(x, by=by * 2, plus=0.5)))


def test_outputs_stand_in_the_order_of_the_program() -> None:
    proto = torch.onnx.export(lambda x: {"z": x + 1, "a": (x * 2, x - 1)}, (torch.ones(2),))
    x = torch.tensor([3.0, 4.0])
    same(run(proto, x), flat([x + 1, x * 2, x - 1]))


def test_random_numbers_are_refused_with_their_line() -> None:
    with pytest.raises(torch.onnx.OnnxExporterError, match=r"test_models.py, line \d+.*random"):
        torch.onnx.export(lambda x: torch.nn.functional.dropout(x, 0.5), (torch.ones(3),))
