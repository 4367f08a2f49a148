"""Saving and loading: round trips here, with PyTorch's safetensors, and what is refused."""

from __future__ import annotations

import io
import pickle
from collections import Counter, OrderedDict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import safetensors.torch
import torch

import graphwidget as gw

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


def test_a_checkpoint(tmp_path: Path) -> None:
    model = net()
    optimizer = gw.optim.Adam(model.parameters(), lr=0.1)
    scheduler = gw.optim.lr_scheduler.MultiStepLR(optimizer, [1, 3])
    model(gw.ones(4, 2)).sum().backward()
    optimizer.step()
    scheduler.step()
    path = str(tmp_path / "checkpoint.pt")
    gw.save({"epoch": 3, "model": model.state_dict(), "optimizer": optimizer.state_dict(),
             "scheduler": scheduler.state_dict(), "best": float("inf")}, path)  # fmt: skip
    found = gw.load(path)
    assert found["epoch"] == 3
    assert found["best"] == float("inf")
    assert found["scheduler"]["milestones"] == Counter([1, 3])
    fresh = gw.optim.Adam(model.parameters(), lr=1.0)
    fresh.load_state_dict(found["optimizer"])
    assert fresh.param_groups[0]["betas"] == (0.9, 0.999)
    assert fresh.param_groups[0]["lr"] == optimizer.param_groups[0]["lr"]
    for parameter in model.parameters():
        for name, value in optimizer.state[parameter].items():
            assert gw.equal(fresh.state[parameter][name], value)


def test_nested_data() -> None:
    value = {
        "list": [1, 2.5, None, True, "text", [gw.ones(2)]],
        "tuple": (1, (2, gw.zeros(()))),
        3: {"set": {1, 2}, ("a", 1): b"bytes"},
        "dtype": gw.float16,
        "size": gw.ones(2, 3).shape,
        "device": gw.device("cpu"),
        "nan": float("nan"),
        "numpy": np.float32(1.5),
    }
    found = again(value)
    assert found["list"][:5] == value["list"][:5]
    assert gw.equal(found["list"][5][0], gw.ones(2))
    assert found["tuple"][0] == 1
    assert found["tuple"][1][1].shape == ()
    assert found[3] == value[3]
    assert found["dtype"] is gw.float16
    assert found["size"] == (2, 3)
    assert type(found["size"]) is gw.Size
    assert found["device"] == gw.device("cpu")
    assert np.isnan(found["nan"])
    assert found["numpy"] == 1.5


def test_tensors() -> None:
    for name in DTYPES:
        value = gw.tensor([[0, 1, 2], [3, 0, 5]]).to(getattr(gw, name))
        for each in (value, value.t(), value[:, 1:], value[0, 0], value[:0]):
            found = again(each)
            assert found.dtype is each.dtype
            assert found.shape == each.shape
            assert gw.equal(found, each)
            found.zero_()  # memory of its own
    parameter = again(gw.nn.Parameter(gw.ones(2)))
    assert isinstance(parameter, gw.nn.Parameter)
    assert parameter.requires_grad
    assert again(gw.ones(2, requires_grad=True)).requires_grad
    assert not again(gw.nn.Parameter(gw.ones(2), requires_grad=False)).requires_grad


def test_keys_that_meet() -> None:
    found = again({"a": {"b": gw.ones(1)}, "a.b": gw.zeros(1)})
    assert found["a"]["b"].item() == 1
    assert found["a.b"].item() == 0


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
    for broken in (b"", b"text", whole[:20], whole[:-4], b"\x02" + bytes(7) + b"[]"):
        with pytest.raises(ValueError, match=r"no safetensors file|does not fit"):
            gw.load(io.BytesIO(broken))
    bf16 = safetensors.torch.save({"a": torch.ones(1, dtype=torch.bfloat16)})
    with pytest.raises(TypeError, match="BF16"):
        gw.load(io.BytesIO(bf16))


def test_what_cannot_be_saved(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match=r"cannot save a Sequential: .* Save model.state_dict\(\)"):
        gw.save(net(), io.BytesIO())
    with pytest.raises(TypeError, match="cannot save a object"):
        gw.save({"x": [object()]}, io.BytesIO())
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
