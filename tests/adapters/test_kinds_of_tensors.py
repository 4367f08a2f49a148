"""Programs on unusual kinds of PyTorch's tensors run as they do unwatched, and their logs are
reported: nothing is taken for granted of a tensor but what all have."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import pytest
import torch

import graphwidget
from graphwidget.adapters.composite import newest

PROGRAMS = {
    "of different lengths": "a = torch.nested.nested_tensor("
    "[torch.ones(2, 3), torch.ones(4, 3)], layout=torch.jagged, requires_grad=True)\n"
    "y = torch.nn.functional.linear(a, w).values().sum()",
    "a list of different shapes": "a = torch.nested.nested_tensor("
    "[torch.ones(2, 3), torch.ones(4, 3)], requires_grad=True)\n"
    "y = torch.nested.to_padded_tensor(torch.nn.functional.linear(a, w), 0.0).sum()",
    "sparse": "a = torch.eye(3).to_sparse().requires_grad_()\ny = torch.sparse.mm(a, w).sum()",
    "sparse rows": "a = torch.eye(3).to_sparse_csr()\ny = (a @ w).sum()",
    "quantized": "a = torch.quantize_per_tensor(torch.ones(3), 0.1, 0, torch.quint8)\n"
    "y = (a.dequantize() * w).sum()",
    "masked": "a = torch.masked.masked_tensor(torch.ones(3), torch.arange(3) > 0)\n"
    "y = (w * a.get_data()).sum() + (a * 2).sum().get_data()",
    "without memory": "a = torch.ones(3, device='meta', requires_grad=True)\n"
    "(a * 2).sum().backward()\ny = w.sum()",
    "fake": "with torch._subclasses.FakeTensorMode():\n"
    "    a = torch.ones(3, requires_grad=True)\n"
    "    (a * 2).sum().backward()\ny = w.sum()",
    "of eight bits": "a = torch.ones(3, dtype=torch.float8_e4m3fn)\ny = (a.float() * w).sum()",
    "complex": "a = torch.fft.fft(w)\ny = a.abs().sum()",
    "empty": "a = torch.empty(0, 3, requires_grad=True)\ny = a.sum() + w.sum()",
    "expanded": "a = w.expand(4, 3, 3)\ny = a.sum()",
    "of a class of the user's": "class Own(torch.Tensor):\n    pass\n"
    "a = w.as_subclass(Own)\ny = (a * 2).sum()",
}


def run(source: str) -> Any:
    torch.manual_seed(0)
    space = {"torch": torch, "w": torch.randn(3, 3, requires_grad=True)}
    exec(compile(f"{source}\ny.backward()\n", "<kinds>", "exec"), space)
    return space["y"].item(), space["w"].grad


@pytest.mark.parametrize("watched", [graphwidget.watch, graphwidget.diagnose])
@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.filterwarnings("ignore")
def test_watching_them_changes_nothing(
    name: str, watched: Callable[[], Any], capfd: pytest.CaptureFixture[str]
) -> None:
    loss, grad = run(PROGRAMS[name])
    with watched():
        again = run(PROGRAMS[name])
    assert again[0] == loss
    assert torch.equal(again[1], grad)
    adapter = newest()
    assert adapter is not None
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        adapter.drain()
    assert adapter.faults == []
    assert adapter.recorder.log.pack()
    assert capfd.readouterr().err == ""  # nor in a callback, of which Python says so alone
