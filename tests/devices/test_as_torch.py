"""`as_torch()` in processes of their own, because PyTorch is loaded in this one."""

from __future__ import annotations

import operator
import subprocess
import sys
from pathlib import Path

import pytest
import torch

import graphwidget
from graphwidget.absent import not_here

ROOT = Path(__file__).parents[2]


def reported(code: str) -> list[str]:
    """Return what a program prints, line by line."""
    result = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    return result.stdout.splitlines()


def test_imports_resolve_here() -> None:
    code = """
import graphwidget
graphwidget.as_torch()
import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim
import torch.utils.data
import torch.backends.cudnn as cudnn
from torch import nn as also, optim as opt, Tensor, tensor
from torch.autograd import Function, Variable, grad
from torch.nn.modules.module import Module
from torch.nn.parameter import Parameter
from torch.optim.lr_scheduler import StepLR
from torch.utils.data import DataLoader, Dataset
from torch.utils.data.dataloader import default_collate
import torch.cuda
print(torch is graphwidget, nn is graphwidget.nn, also is nn, F is nn.functional, opt is optim)
print(Module is nn.Module, DataLoader is torch.utils.data.DataLoader, Tensor is torch.Tensor)
print(torch.__spec__.name, torch.nn.__spec__.name, torch.__name__)
print(torch.__version__ == "2.13.0+graphwidget.0.1.0", torch.__version__ >= "1.0")
x = torch.ones(2, requires_grad=True)
(F.relu(nn.Linear(2, 1)(x))).sum().backward()
print(x.grad.shape)
"""
    assert reported(code) == [
        "True True True True True",
        "True True True",
        "graphwidget graphwidget.nn graphwidget",
        "True True",
        "torch.Size([2])",
    ]


def test_it_is_undone() -> None:
    code = """
import sys, graphwidget
with graphwidget.as_torch() as handle:
    assert graphwidget.as_torch() is handle
    import torch.nn
    assert torch is graphwidget
assert not [name for name in sys.modules if name.split(".")[0] == "torch"]
assert graphwidget.__version__ == "0.1.0"
handle.undo()
import importlib.util
spec = importlib.util.find_spec("torch")
print("graphwidget" in spec.origin)
graphwidget.as_torch()
import torch.optim
print(torch is graphwidget, torch.optim is graphwidget.optim)
"""
    assert reported(code) == ["False", "True True"]


def test_what_is_not_here_is_named() -> None:
    code = """
import graphwidget
graphwidget.as_torch()
for name in ("torch.masked", "torch.utils.tensorboard"):
    try:
        __import__(name)
    except ModuleNotFoundError as error:
        print(error, error.name)
try:
    from torch import nothing
except ImportError as error:
    print(str(error).split(" (")[0])
"""
    assert reported(code) == [
        f"{not_here('torch.masked')} torch.masked",
        f"{not_here('torch.utils.tensorboard')} torch.utils.tensorboard",
        "cannot import name 'nothing' from 'graphwidget'",
    ]


def test_modules_of_tutorials_are_found() -> None:
    code = """
import graphwidget
graphwidget.as_torch()
import torch.nn.utils.rnn as rnn
import torch.return_types
from torch.types import Device, Number
from torch.utils.data import dataloader
from torch.utils.data._utils.collate import default_collate
from torch.utils.data.dataloader import DataLoader
print(rnn is torch.nn.utils.rnn, dataloader.default_collate is default_collate)
print(isinstance(torch.ones(2).max(0), torch.return_types.max), torch.newaxis)
"""
    assert reported(code) == ["True True", "True None"]


def test_standins_load_when_they_are_asked_for() -> None:
    code = """
import pickle, sys
import graphwidget
print([name for name in ("cuda", "backends", "jit") if f"graphwidget.{name}" in sys.modules])
print(graphwidget.cuda.is_available(), graphwidget.cuda.__name__, graphwidget.cuda.__package__)
import graphwidget.jit
from graphwidget import distributed
from graphwidget.backends import cudnn
print(cudnn is graphwidget.backends.cudnn)
print(pickle.loads(pickle.dumps(graphwidget.cuda.device_count)) is graphwidget.cuda.device_count)
graphwidget.as_torch()
import torch.cuda
import torch.backends.cudnn
from torch import distributed as also
print(torch.cuda is graphwidget.cuda, torch.backends.cudnn is cudnn, also is distributed)
"""
    assert reported(code) == [
        "[]",
        "False graphwidget.cuda graphwidget.cuda",
        "True",
        "True",
        "True True True",
    ]


def test_layers_are_found_where_pytorch_has_them() -> None:
    """As programs import them that look into its source."""
    code = """
import importlib, sys
import graphwidget
graphwidget.as_torch()
for line in sys.stdin:
    module, name = line.split()
    try:
        getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError):
        print(module, name)
"""
    rooms = ("nn", "optim", "optim.lr_scheduler", "distributions")
    named = [
        value
        for room in rooms
        for name, value in vars(operator.attrgetter(room)(torch)).items()
        if hasattr(operator.attrgetter(room)(graphwidget), name)
    ]
    classes = {each for each in named if isinstance(each, type)} - {torch.nn.DataParallel}
    utils = ["_single", "_pair", "_ntuple", "consume_prefix_in_state_dict_if_present"]
    lines = [
        *(f"{each.__module__} {each.__name__}" for each in classes),
        *(f"torch.nn.modules.utils {name}" for name in utils),
        "torch.optim.lr_scheduler _LRScheduler",
    ]
    result = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT, input="\n".join(lines), capture_output=True, text=True,
    )  # fmt: skip
    assert not result.stderr
    assert result.stdout == ""


def test_it_refuses_beside_pytorch() -> None:
    with pytest.raises(RuntimeError, match="comes too late"):
        graphwidget.as_torch()
