"""Types and layouts that PyTorch has and graphwidget has not: their names exist, so that libraries
which list or compare them work, and whoever uses one is reported."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

import graphwidget
from tests.compare_engines import attempt

ROOT = Path(__file__).parents[2]
TYPES = sorted(name for name, each in vars(torch).items() if isinstance(each, torch.dtype))
LAYOUTS = sorted(name for name, each in vars(torch).items() if isinstance(each, torch.layout))


def absent(name: str) -> bool:
    """Return whether a type is one that numpy's arrays here never have."""
    try:
        graphwidget.zeros(1, dtype=getattr(graphwidget, name))
    except NotImplementedError:
        return True
    return False


ABSENT = [name for name in TYPES if absent(name)]


@pytest.mark.parametrize("name", TYPES)
def test_types_have_names_and_traits(name: str) -> None:
    ours, theirs = getattr(graphwidget, name), getattr(torch, name)
    assert isinstance(ours, graphwidget.dtype)
    for trait in ("itemsize", "is_floating_point", "is_complex"):
        assert getattr(ours, trait) == getattr(theirs, trait)
    assert (repr(ours), repr(ours.to_real())) == (repr(theirs), repr(theirs.to_real()))
    if (signed := attempt(lambda: theirs.is_signed)) in (True, False):
        assert ours.is_signed == signed
    same = [other for other in TYPES if getattr(graphwidget, other) is ours]
    assert same == [other for other in TYPES if getattr(torch, other) is theirs]
    assert pickle.loads(pickle.dumps(ours)) is copy.deepcopy(ours) is ours


@pytest.mark.parametrize("name", LAYOUTS)
def test_layouts_have_names(name: str) -> None:
    ours, theirs = getattr(graphwidget, name), getattr(torch, name)
    assert isinstance(ours, graphwidget.layout)
    assert repr(ours) == repr(theirs)
    assert (graphwidget.ones(1).layout == ours) == (torch.ones(1).layout == theirs)
    assert pickle.loads(pickle.dumps(ours)) is copy.deepcopy(ours) is ours


def test_which_are_absent() -> None:
    assert {"bfloat16", "cfloat", "complex128", "float8_e4m3fn", "qint8", "uint16"} < set(ABSENT)
    present = {getattr(graphwidget, name) for name in TYPES if name not in ABSENT}
    assert sorted(map(repr, present)) == [
        "torch.bool", "torch.float16", "torch.float32", "torch.float64", "torch.int16",
        "torch.int32", "torch.int64", "torch.int8", "torch.uint8",
    ]  # fmt: skip


USES: dict[str, Callable[[Any], Any]] = {
    "factory": lambda kind: graphwidget.ones(2, dtype=kind),
    "tensor": lambda kind: graphwidget.tensor([1, 2], dtype=kind),
    "to": lambda kind: graphwidget.ones(2).to(kind),
    "type": lambda kind: graphwidget.ones(2).type(kind),
    "sum": lambda kind: graphwidget.ones(2).sum(dtype=kind),
    "softmax": lambda kind: graphwidget.ones(2).softmax(0, dtype=kind),
    "layer": lambda kind: graphwidget.nn.Linear(2, 2, dtype=kind),
    "promotion": lambda kind: graphwidget.promote_types(kind, graphwidget.float32),
    "view": lambda kind: graphwidget.ones(2).view(kind),
}


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("name", ABSENT)
def test_using_one_is_refused(use: str, name: str) -> None:
    with pytest.raises(NotImplementedError, match=r"graphwidget does not have the type torch\.\w+"):
        USES[use](getattr(graphwidget, name))


def test_what_they_may_be_asked() -> None:
    x = graphwidget.ones(2)
    assert x.dtype != graphwidget.bfloat16
    assert x.dtype not in (graphwidget.bfloat16, graphwidget.complex64)
    with pytest.raises((NotImplementedError, TypeError)):
        graphwidget.set_default_dtype(graphwidget.bfloat16)
    assert graphwidget.get_default_dtype() is graphwidget.float32
    with pytest.raises(NotImplementedError, match="does not have the type"):
        graphwidget.nn.Linear(2, 2).to(graphwidget.bfloat16)
    with pytest.warns(UserWarning, match="no effect"):
        graphwidget.autocast("cpu", dtype=graphwidget.bfloat16)
    with pytest.raises(AttributeError):
        graphwidget.bfloat16.no_such_name  # noqa: B018


EINOPS = """
from einops import asnumpy, einsum, pack, parse_shape, rearrange, reduce, repeat, unpack
from einops.layers.torch import EinMix, Rearrange, Reduce
x = torch.arange(24.).reshape(2, 3, 4).requires_grad_()
print(rearrange(x, "a b c -> b (a c)"), parse_shape(x, "a b _"), type(asnumpy(x)))
for how in ("mean", "max", "sum", "prod", "min"):
    print(reduce(x, "a b (c d) -> a c", how, d=2))
print(repeat(x, "a b c -> a (b r) c", r=2).shape, einsum(x, x, "a b c, a d c -> b d"))
packed, shapes = pack([x, x[:, 0]], "a * c")
print(packed.shape, shapes, [each.shape for each in unpack(packed, shapes, "a * c")])
net = torch.nn.Sequential(Rearrange("a b c -> a (b c)"), torch.nn.Linear(12, 4),
    Reduce("a (b k) -> a b", "max", k=2))
mixed = EinMix("a b c -> a b d", weight_shape="c d", bias_shape="d", c=4, d=2)
print(net, mixed, mixed(x).shape)
(net(x).sum() + mixed(x).sum()).backward()
print(x.grad.shape)
"""

SAFETENSORS = """
import os, tempfile
import safetensors
import safetensors.torch as st
def show(tensors):
    print([(name, each.dtype, each.tolist()) for name, each in sorted(tensors.items())])
saved = {"a": torch.arange(6.).reshape(2, 3), "b": torch.tensor([True, False]),
    "c": torch.ones(3, dtype=torch.int64), "h": torch.ones(2, dtype=torch.float16),
    "e": torch.zeros(0, 2), "z": torch.tensor(3., dtype=torch.float64)}
show(st.load(st.save(saved)))
folder = tempfile.mkdtemp()
path = os.path.join(folder, "x.safetensors")
st.save_file(saved, path, metadata={"format": "pt"})
loaded = st.load_file(path)
show(loaded)
loaded["a"].add_(1)
show(st.load_file(path))
with safetensors.safe_open(path, "pt") as file:
    print(sorted(file.keys()), file.get_tensor("a"), file.get_slice("a")[:1], file.metadata())
class Tied(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = torch.nn.Linear(2, 2), torch.nn.Linear(2, 2)
        self.b.weight = self.a.weight
one, other = Tied(), Tied()
st.save_model(one, path)
print(st.load_model(other, path), torch.equal(one.a.weight, other.b.weight))
try:
    st.save_file(one.state_dict(), path)
except RuntimeError as error:
    print("Some tensors share memory" in str(error))
"""


@pytest.mark.parametrize("program", [EINOPS, SAFETENSORS], ids=["einops", "safetensors"])
def test_libraries_work(program: str) -> None:
    shown = []
    for first in ("import graphwidget; graphwidget.as_torch()", ""):
        code = f"{first}\nimport torch\ntorch.manual_seed(0)\n{program}"
        done = subprocess.run(
            [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        shown.append(done.stdout)
    assert shown[0] == shown[1]
