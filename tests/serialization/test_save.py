"""Saving and loading: round trips here, with PyTorch's safetensors, and what is refused."""

from __future__ import annotations

import io
import pickle
from collections import OrderedDict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import safetensors.torch
import torch

import graphwidget as gw
from tests.compare_engines import both, programs, source

DTYPES = ("float64", "float32", "float16", "int64", "int32", "int16", "int8", "uint8", "bool")


def again(value: Any) -> Any:
    file = io.BytesIO()
    gw.save(value, file)
    file.seek(0)
    return gw.load(file)


def net() -> gw.nn.Sequential:
    gw.manual_seed(0)
    return gw.nn.Sequential(gw.nn.Linear(2, 3), gw.nn.ReLU(), gw.nn.Linear(3, 1))


def test_a_state_dict(tmp_path: Path) -> None:
    model = net()
    gw.save(model.state_dict(), tmp_path / "model.pt")
    state = gw.load(tmp_path / "model.pt", weights_only=True)
    assert type(state) is OrderedDict
    assert list(state) == list(model.state_dict())
    assert state._metadata == model.state_dict()._metadata
    gw.manual_seed(1)
    other = net()
    other[0].weight.data.zero_()
    assert repr(other.load_state_dict(state)) == "<All keys matched successfully>"
    assert gw.equal(other[0].weight, model[0].weight)


def test_pytorch_reads_it(tmp_path: Path) -> None:
    model = net()
    gw.save(model.state_dict(), tmp_path / "model.safetensors")
    state = safetensors.torch.load_file(tmp_path / "model.safetensors")
    theirs = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.ReLU(), torch.nn.Linear(3, 1))
    theirs.load_state_dict(state)
    for name, value in model.state_dict().items():
        assert np.array_equal(value.numpy(), state[name].numpy())


def test_what_pytorch_wrote_is_read(tmp_path: Path) -> None:
    tensors = {
        name: torch.tensor([[0, 1, 2], [3, 0, 5]]).to(getattr(torch, name)) for name in DTYPES
    }
    safetensors.torch.save_file(tensors, tmp_path / "x.safetensors")
    found = gw.load(tmp_path / "x.safetensors", map_location="cpu")
    assert found.keys() == tensors.keys()
    for name, value in tensors.items():
        assert np.array_equal(found[name].numpy(), value.numpy())
        assert str(found[name].dtype) == str(value.dtype)


def test_pickles_are_refused(tmp_path: Path) -> None:
    torch.save({"a": torch.ones(1)}, tmp_path / "new.pt")
    torch.save({"a": torch.ones(1)}, tmp_path / "old.pt", _use_new_zipfile_serialization=False)
    (tmp_path / "plain.pkl").write_bytes(pickle.dumps({"a": 1}))
    for name in ("new.pt", "old.pt", "plain.pkl"):
        with pytest.raises(pickle.UnpicklingError, match="this file is a pickle"):
            gw.load(tmp_path / name)


def test_broken_files() -> None:
    file = io.BytesIO()
    gw.save({"a": gw.ones(3)}, file)
    whole = file.getvalue()
    with pytest.raises(EOFError):
        gw.load(io.BytesIO())
    for broken in (b"text", whole[:20], whole[:-4], b"\x02" + bytes(7) + b"[]"):
        with pytest.raises(ValueError, match=r"no safetensors file|does not fit"):
            gw.load(io.BytesIO(broken))
    bf16 = safetensors.torch.save({"a": torch.ones(1, dtype=torch.bfloat16)})
    with pytest.raises(TypeError, match="BF16"):
        gw.load(io.BytesIO(bf16))


class Model(gw.nn.Module):
    """A user's model, on graphwidget."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = gw.nn.Linear(2, 3)
        self.register_buffer("steps", gw.tensor(3))
        self.log = ["a note"]

    def forward(self, x: Any) -> Any:
        """Return what a whole module is saved for."""
        return self.layer(x)


class Theirs(torch.nn.Module):
    """The same on PyTorch, without the contents."""


def written(engine: Any, value: Any, **options: Any) -> io.BytesIO:
    """A file with a value."""
    file = io.BytesIO()
    engine.save(value, file, **options)
    file.seek(0)
    return file


def test_whole_modules() -> None:
    model, x = Model().eval(), gw.ones(1, 2)
    file = written(gw, {"model": model, "same": model, "epoch": 3, "weight": model.layer.weight})
    found = gw.load(file, weights_only=False)
    again = found["model"]
    assert again is found["same"]
    assert found["weight"] is again.layer.weight
    assert type(again) is Model
    assert (again.training, again.log, found["epoch"]) == (False, ["a note"], 3)
    assert repr(again.state_dict()) == repr(model.state_dict())
    assert gw.equal(again(x), model(x))
    again(x).sum().backward()
    assert again.layer.weight.grad is not None
    assert model.layer.weight.grad is None


@pytest.mark.parametrize("weights_only", [None, True])
def test_whole_modules_are_refused_as_pytorchs(weights_only: bool | None) -> None:
    values = [
        (Model(), Theirs()),
        ({"epoch": 1, "models": [Model()]}, {"epoch": 1, "models": [Theirs()]}),
        *((each, each) for each in (object(), slice(1, 2), len, Path)),
    ]
    for ours, theirs in values:
        texts = []
        for engine, value in ((gw, ours), (torch, theirs)):
            with pytest.raises(pickle.UnpicklingError) as refused:
                engine.load(written(engine, value), weights_only=weights_only)
            texts.append(str(refused.value).replace("Theirs", "Model"))
        reported, _, own = texts[0].rpartition("\n")
        assert reported == texts[1]
        assert own.startswith("(Here only (1) helps")


ran: list[str] = []


def run(code: str) -> None:
    """Return what a harmful file would have run."""
    ran.append(code)


class Harmful:
    """An object that runs code when it is unpickled."""

    def __reduce__(self) -> Any:
        return run, ("code",)


def test_nothing_is_unpickled_unless_that_is_asked_for() -> None:
    file = written(gw, {"a": gw.ones(1), "b": Harmful()})
    for options in ({}, {"weights_only": True}, {"pickle_module": pickle}, {"mmap": False}):
        with pytest.raises(pickle.UnpicklingError, match="Weights only load failed"):
            gw.load(file, **options)
        file.seek(0)
    assert list(safetensors.torch.load(file.getvalue())) == ["pickle"]
    assert ran == []
    gw.load(file, weights_only=False)
    assert ran == ["code"]


def test_only_what_is_no_data_is_pickled() -> None:
    for value in ({"a": gw.ones(2), "b": [1, "x", None]}, net().state_dict(), gw.ones(1)):
        assert b"graphwidget.pickled" not in written(gw, value).getvalue()
    with pytest.raises(AttributeError, match="Can't pickle local object"):
        gw.save(lambda: None, io.BytesIO())
    numbers = np.array([1 + 2j])
    assert np.array_equal(gw.load(written(gw, [numbers]), weights_only=False)[0], numbers)


def test_files_that_are_not_there(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        gw.load(tmp_path / "nothing")


def test_places() -> None:
    file = io.BytesIO()
    gw.save(gw.ones(1), file)
    for place in ("cpu", gw.device("cpu"), None, lambda storage, location: storage):
        file.seek(0)
        assert gw.load(file, map_location=place).item() == 1
    with pytest.raises(RuntimeError, match="Attempting to deserialize object on a CUDA device"):
        gw.load(file, map_location="cuda")


ALIKE = """
# tied parameters come back as one
m = torch.nn.ModuleList([torch.nn.Linear(2, 2), torch.nn.Linear(2, 2)])
m[1].weight = m[0].weight
a, b = again([m.state_dict(), m.state_dict()])
result = (a["0.weight"].data_ptr() == a["1.weight"].data_ptr() == b["0.weight"].data_ptr(),
          a["0.weight"] is a["1.weight"], a["0.bias"].data_ptr() == a["1.bias"].data_ptr())

# one object in several places comes back as one, and so do lists and dicts
t, l, d = torch.nn.Parameter(torch.arange(3.)), [1, 2], {"x": 1}
l.append(l)
a, b, c, e, f = again([t, t, t.data, [l, l], (d, {"d": d})])
with torch.no_grad():
    a.fill_(3)
result = a is b, c, type(c).__name__, e[0] is e[1] is e[0][2], f[0] is f[1]["d"]

# views come back on one storage, with their strides
t = torch.arange(12.).reshape(3, 4)
x = again({"a": t[1], "b": t.t(), "c": t[::2, 1:], "d": t.as_strided((2, 2), (1, 1), 3)})
x["a"].fill_(7)
result = x, [len({v.untyped_storage().data_ptr() for v in x.values()}), len(x)]

# a view alone keeps its storage, as do parts of what nobody shows whole
t = torch.arange(12.)
x = again([t[2:4], t[3:5], torch.arange(6)[1:3], torch.ones(1).expand(2, 3)])
x[0].fill_(7)
result = x, [v.untyped_storage().nbytes() for v in x], [v.stride() for v in x]

# the order of dims is kept, also of arrays without items
x = again([torch.arange(6.).reshape(2, 3).t(), torch.arange(24.).reshape(2, 3, 4).permute(1, 2, 0),
           torch.ones(1, 2, 3, 4).to(memory_format=torch.channels_last), torch.tensor(3),
           torch.empty(2, 0, 3).transpose(0, 2), torch.empty(0, 3), torch.ones(1, 3).t()])
result = x, [v.stride() for v in x], x[2].is_contiguous(memory_format=torch.channels_last)

# two types on one storage cannot be saved
t = torch.arange(4, dtype=torch.int32)
result = attempt(lambda: again([t, t.view(torch.int8)]))

# a checkpoint
m = torch.nn.Linear(2, 2)
for p in m.parameters():
    torch.nn.init.constant_(p, .5)
o = torch.optim.Adam(m.parameters(), lr=.1, betas=(.8, .9))
s = torch.optim.lr_scheduler.StepLR(o, 1)
for _ in range(3):
    o.zero_grad()
    m(torch.ones(1, 2)).sum().backward()
    o.step()
    s.step()
c = again({"epoch": 3, "model": m.state_dict(), "opt": o.state_dict(), "sched": s.state_dict(),
           "best": None, "t": (1, 2.5), 3: 4, 1.5: 2, (1, 2): "k", None: 1, True: 5})
o = torch.optim.Adam(m.parameters(), lr=1.)
o.load_state_dict(c["opt"])
result = c, o.state_dict(), [type(k).__name__ for k in c]

# other data
import argparse, collections, types
import numpy as np
d = collections.defaultdict(list)
d["a"].append(1)
x = torch.ones(2)
x.tag = ["a"]
x = again([2**70, 1e300, -0.0, float("-inf"), 1j, complex(0, float("nan")), b"xy", "\u2603", {x}, d,
           np.float64(1.5), np.float32("nan"), np.int16(3), np.arange(3)[1:], x,
           argparse.Namespace(lr=.1), types.SimpleNamespace(a=[1])])
result = [repr(each) for each in x], [type(each).__name__ for each in x], x[14].tag, x[9]["b"]

# a storage is shown to a function that says where to map it
calls = []
def place(storage, location):
    calls.append((type(storage).__name__, location, storage.nbytes()))
result = again([torch.ones(2), torch.ones(3, dtype=torch.int8)[1:]], map_location=place), calls

# what is no file
result = [attempt(f) for f in (
    lambda: torch.load(io.BytesIO()), lambda: torch.load(3), lambda: torch.load(None),
    lambda: torch.save(1, 3), lambda: torch.save(1, "/tmp/no folder/x.pt"),
    lambda: torch.load("/tmp/no folder/x.pt"), lambda: again(1, mmap=True))]
"""
AGAIN = """
import io
def again(value, **options):
    file = io.BytesIO()
    torch.save(value, file)
    file.seek(0)
    return torch.load(file, **{"weights_only": False, **options})
"""


@pytest.mark.parametrize(("title", "body"), programs(ALIKE))
def test_as_pytorch_does(title: str, body: str) -> None:
    both(source(AGAIN + body))


def test_tied_tensors_are_written_once() -> None:
    weight = gw.ones(100, 100)
    file = io.BytesIO()
    gw.save({"a": weight, "b": weight.detach(), "c": weight.t(), "d": weight[3]}, file)
    assert len(file.getvalue()) < 41_000
    assert list(safetensors.torch.load(file.getvalue())) == ["a"]


def test_strides_are_no_secret_to_others() -> None:
    image = gw.arange(24.0).reshape(1, 2, 3, 4).to(memory_format=gw.channels_last)
    file = io.BytesIO()
    gw.save({"image": image}, file)
    found = safetensors.torch.load(file.getvalue())["image"]
    assert np.array_equal(found.numpy(), image.numpy())
    assert found.is_contiguous()


def test_descriptions_cannot_leave_the_file() -> None:
    file = io.BytesIO()
    gw.save(gw.arange(6.0)[1:3], file)
    for old, new in (
        (b'offset\\":1', b'offset\\":5'),
        (b'tensor.storage\\",', b'tensor.storagf\\",'),
    ):
        assert old in file.getvalue()
        with pytest.raises(ValueError, match=r"incompatible|tells of it|buffer is too small"):
            gw.load(io.BytesIO(file.getvalue().replace(old, new)))
