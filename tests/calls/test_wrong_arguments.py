"""Each argument of the calls in ``wrong/arguments.txt`` in turn is of a wrong type: the error is
PyTorch's.

What PyTorch accepts is accepted; what it refuses is refused with its type and text: no name from
inside the package, no text of numpy's.
"""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import graphwidget

PATH = Path(__file__).parent / "wrong" / "arguments.txt"
WRONG = ("None", "3", "'a'", "[1]", "np.ones(2)")
OTHERWISE = """
layer_norm normalized_shape=[1]
rms_norm normalized_shape=[1]
normalize p='a'
"""
"""Calls whose errors differ: each a first complaint of another check, both in PyTorch's words."""
ACCEPTED = """
dropout inplace=np.ones(2)
dropout2d inplace=np.ones(2)
conv_transpose2d 4=3
pairwise_distance 0=3
pairwise_distance x2=3
torch.norm keepdim=3
"""
"""Calls that PyTorch refuses, and that work here."""


def evaluate(text: str, module: Any) -> tuple[str, str]:
    """Return the type and the text of a call's error, or what it returned."""

    def t(*sizes: int) -> Any:
        return module.arange(float(np.prod(sizes))).reshape(sizes) / 10

    def i(*sizes: int) -> Any:
        return module.arange(int(np.prod(sizes))).reshape(sizes) % 2

    names = {"t": t, "i": i, "np": np, "torch": module, "Tensor": module.Tensor}
    try:
        return "", type(eval(text, {**vars(module.nn.functional), **names})).__name__
    except Exception as error:
        return type(error).__name__, str(error)


@pytest.mark.filterwarnings("ignore")
def test_errors_of_wrong_arguments_are_those_of_pytorch() -> None:
    differ = []
    for line in PATH.read_text("utf-8").splitlines():
        call = ast.parse(line, mode="eval").body
        assert isinstance(call, ast.Call)
        for place, name, of in [
            *((place, str(place), call.args) for place in range(len(call.args))),
            *((each, each.arg, None) for each in call.keywords),
        ]:
            for wrong in WRONG:
                holder, key = (of, place) if of else (vars(place), "value")
                right = holder[key]
                holder[key] = ast.parse(wrong, mode="eval").body
                text = ast.unparse(call)
                holder[key] = right
                wanted, shown = evaluate(text, torch), evaluate(text, graphwidget)
                if shown != wanted:
                    title = f"{ast.unparse(call.func)} {name}={wrong}"
                    if title not in (OTHERWISE + ACCEPTED).split("\n"):
                        differ.append((title, wanted, shown))
    assert differ == [], "\n".join(map(str, differ))
