"""Names that only PyTorch has refuse in one sentence, however they are asked for."""

from __future__ import annotations

import importlib
import importlib.util
import subprocess
import sys

import pytest

import graphwidget as gw
from graphwidget.absent import not_here, pytorch_names
from tests.structure.pytorch_names import PATH, listed


def test_the_list_of_names_is_pytorchs() -> None:
    assert PATH.read_text("ascii") == listed(), "run python -m tests.structure.pytorch_names"


@pytest.mark.parametrize(
    ("statement", "absent"),
    [
        ("import graphwidget.fft", "torch.fft"),
        ("from graphwidget import hub", "torch.hub"),
        ("import graphwidget.nn.quantized.modules", "torch.nn.quantized"),
        ("from graphwidget.nn import quantized", "torch.nn.quantized"),
        ("from graphwidget.linalg import ldl_factor", "torch.linalg.ldl_factor"),
        ("import graphwidget; graphwidget.linalg.ldl_factor", "torch.linalg.ldl_factor"),
        ("import graphwidget; graphwidget.ones(1).to_sparse()", "torch.Tensor.to_sparse"),
        ("import torch.fft", "torch.fft"),
        ("from torch import fft", "torch.fft"),
        ("import torch; torch.optim.SparseAdam", "torch.optim.SparseAdam"),
    ],
)
def test_refusals(statement: str, absent: str) -> None:
    program = f"import graphwidget\nwith graphwidget.as_torch(): {statement}"
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert run.stderr.endswith(f"Error: {not_here(absent)}\n"), run.stderr


def test_other_names_and_questions_are_answered_as_usual() -> None:
    with pytest.raises(AttributeError, match=r"^module 'graphwidget\.nn' has no"):
        _ = gw.nn.Leniar
    with pytest.raises(ModuleNotFoundError, match="No module named"):
        importlib.import_module("graphwidget.nothing")
    assert importlib.util.find_spec("graphwidget.nothing") is None
    assert not hasattr(gw, "fft")
    assert not hasattr(gw.ones(1), "coalesce")
    assert "coalesce" not in dir(gw.ones(1))


def test_every_module_refuses() -> None:
    wrong = []
    for path in pytorch_names().keys() - {"torch.Tensor", "torch.version"}:
        if path.count(".") > 1:
            continue
        module = importlib.import_module("graphwidget" + path.removeprefix("torch"))
        for name in pytorch_names()[path]:
            try:
                getattr(module, name)
            except AttributeError as error:
                if str(error) != not_here(f"{path}.{name}"):
                    wrong.append(str(error))
    assert not wrong
