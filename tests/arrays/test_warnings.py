"""Warnings stand at the user's line, and numpy's own are not observed."""

from __future__ import annotations

import subprocess
import sys
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch as pytorch

import graphwidget as torch
from graphwidget.arrays import warnings as warning

WARNING: dict[str, Callable[[], Any]] = {
    "kernel": lambda: torch.std(torch.ones(1)),
    "factory": lambda: torch.tensor(torch.ones(1)),
    "ranges": lambda: torch.range(0, 2),
    "functional": lambda: torch.nn.functional.softmax(torch.ones(2)),
    "loss": lambda: torch.nn.MSELoss()(torch.ones(2), torch.ones(1)),
    "attribute": lambda: (torch.ones(1, requires_grad=True) * 2).grad,
    "number": lambda: float(torch.ones(1, requires_grad=True).sum()),
}

SILENT = """
import graphwidget as torch
x = torch.zeros(3, requires_grad=True)
for y in (x.log(), x / x, 1 / x, x.sqrt(), x.pow(-1.5), torch.xlogy(x, x), (x - 1).log()):
    y.sum().backward()
torch.tensor([1e30]).half()
"""


@pytest.mark.parametrize("name", WARNING)
def test_a_warning_names_the_line_of_the_user(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warning, "_given", set())  # what is reported once may have been reported
    with warnings.catch_warnings(record=True) as reported:
        warnings.simplefilter("always")
        WARNING[name]()
    users = [each for each in reported if each.category is UserWarning]
    assert users
    assert {each.filename for each in users} == {__file__}


def test_numpy_does_not_warn_of_nan_and_inf() -> None:
    done = subprocess.run(
        [sys.executable, "-c", SILENT], capture_output=True, text=True, check=True
    )
    assert done.stderr == ""


NAN_OR_INF: dict[str, Callable[[Any], Any]] = {
    "log": lambda x: x.log(), "reciprocal": lambda x: 1 / x, "division": lambda x: x / x,
    "sqrt": lambda x: x.sqrt(), "power": lambda x: x.pow(-1.5), "asin": lambda x: (x - 3).asin(),
    "xlogy": lambda x: torch.xlogy(x, x), "exp": lambda x: (x + 1e30).exp(),
    "softmax": lambda x: x.log().softmax(0), "norm": lambda x: torch.linalg.norm(x, -1),
    "var": lambda x: x[:1].var(), "nanmean": lambda x: (x / x).nanmean(),
    "fmod": lambda x: torch.fmod(x, x), "0-d": lambda x: x.sum().log(),
    "written": lambda x: (x * 1).div_(0), "out": lambda x: torch.log(x.detach(), out=torch.ones(3)),
    "layer_norm": lambda x: torch.nn.functional.layer_norm(x.log(), (3,)),
    "quantile": lambda x: x.log().quantile(0.5), "logsumexp": lambda x: x.log().logsumexp(0),
    "product": lambda x: (x + 1e30) @ (x + 1e30), "isclose": lambda x: x.log().isclose(x.log()),
    "half": lambda x: (x + 1e30).half(), "integer": lambda x: x.log().detach().int(),
}  # fmt: skip


@pytest.mark.parametrize("name", NAN_OR_INF)
@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_nan_and_inf_are_silent_under_filters_of_the_user(name: str) -> None:
    x = torch.zeros(3, requires_grad=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        found = NAN_OR_INF[name](x)
        if found.requires_grad:
            found.sum().backward()


def test_numpy_of_the_user_warns_as_always() -> None:
    class Log(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return torch.from_numpy(np.log(x.detach().numpy()))

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            (x,) = ctx.saved_tensors
            return grad / torch.from_numpy(np.log(x.detach().numpy()))

    x = torch.zeros(3, requires_grad=True)
    with pytest.warns(RuntimeWarning, match="divide by zero encountered in log"):
        y = Log.apply(x).exp()
    with pytest.warns(RuntimeWarning, match="divide by zero encountered in log"):
        y.sum().backward()
    with pytest.warns(RuntimeWarning):
        np.zeros(1) / np.zeros(1)


ONCE: dict[str, Callable[[Any], Any]] = {
    "create_graph": lambda t: t.ones(1, requires_grad=True).sum().backward(create_graph=True),
    "number": lambda t: float(t.ones(1, requires_grad=True).sum()),
    "axes": lambda t: t.ones(1, 2, 3).T,
    "cross": lambda t: t.cross(t.ones(3), t.ones(3)),
    "each time": lambda t: t.range(0, 2),
}


def how_often(engine: Any) -> list[int]:
    """Return how often each of these warns, of two times."""
    found = []
    for function in ONCE.values():
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            function(engine)
            function(engine)
        found.append(len(caught))
    return found


def test_what_warns_once_in_a_process() -> None:
    for engine in (torch, pytorch):  # what is reported once may have been reported
        how_often(engine)
    assert how_often(torch) == how_often(pytorch) == [0, 0, 0, 0, 2]
