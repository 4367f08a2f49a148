"""Tensors and the rest of the world: numpy, copies and pickles, as PyTorch does them."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

import graphwidget
from tests.compare_engines import is_tensor

ENGINES = pytest.mark.parametrize("engine", [graphwidget, torch], ids=["graphwidget", "torch"])


def shown(engine: Any, program: Callable[[Any], Any]) -> tuple[str, str]:
    """Return what a program gives, in words that both engines can agree on."""
    try:
        result = program(engine)
    except Exception as error:
        return type(error).__name__, str(error).split("\n", 1)[0]
    kind = "Tensor" if is_tensor(result) else type(result).__name__
    return kind, repr(result)


ARRAY = np.array([1.0, 2.0])

MIXED: dict[str, Callable[[Any], Any]] = {
    "array * tensor": lambda t: ARRAY * t.ones(2),
    "tensor * array": lambda t: t.ones(2) * ARRAY,
    "tensor - array": lambda t: t.ones(2) - ARRAY,
    "array - tensor": lambda t: ARRAY - t.ones(2),
    "tensor / array": lambda t: t.ones(2) / ARRAY,
    "tensor ** array": lambda t: t.ones(2) ** ARRAY,
    "array ** tensor": lambda t: ARRAY ** t.ones(2),
    "array @ tensor": lambda t: ARRAY @ t.ones(2),
    "tensor < array": lambda t: t.ones(2) < ARRAY,
    "np.sin": lambda t: np.sin(t.ones(2)),
    "np.add": lambda t: np.add(ARRAY, t.ones(2)),
    "np.maximum": lambda t: np.maximum(t.ones(2), ARRAY),
    "np.exp of what needs grad": lambda t: np.exp(t.ones(2, requires_grad=True)),
    "np.float64 * tensor": lambda t: np.float64(3) * t.ones(2, requires_grad=True),
    "tensor * np.float32": lambda t: t.ones(2) * np.float32(2),
    "np.concatenate": lambda t: np.concatenate([t.ones(2), t.ones(1)]),
    "np.stack": lambda t: np.stack([t.ones(2), t.ones(2)]),
    "np.linalg.norm": lambda t: np.linalg.norm(t.ones(2)),
    "np.asarray of what needs grad": lambda t: np.asarray(t.ones(2, requires_grad=True)),
    "np.array with dtype": lambda t: np.array(t.ones(2), np.float64),
    "__array__ with dtype": lambda t: t.ones(2).__array__(dtype=np.float64),
    "numpy(force=True)": lambda t: t.ones(2, requires_grad=True).numpy(force=True),
    "number in tensor": lambda t: 1.0 in t.ones(2),
    "text in tensor": lambda t: "a" in t.ones(2),
    "memoryview": lambda t: memoryview(t.ones(2)),
    "negative strides": lambda t: t.from_numpy(np.arange(3)[::-1]),
    "odd strides": lambda t: t.from_numpy(
        np.zeros(3, np.dtype([("a", "f4"), ("b", "i1")]))["a"]
    ),
    "byte order": lambda t: t.from_numpy(np.zeros(2, ">f4")),
    "a list": lambda t: t.from_numpy([1]),
    "pickled dtype": lambda t: pickle.loads(pickle.dumps(t.float64)),
    "pickled size": lambda t: pickle.loads(pickle.dumps(t.Size([2, 3]))),
    "pickled device": lambda t: pickle.loads(pickle.dumps(t.device("cpu"))),
}  # fmt: skip


@pytest.mark.parametrize("name", MIXED)
@pytest.mark.filterwarnings("ignore")
def test_with_numpy_as_in_pytorch(name: str) -> None:
    assert shown(graphwidget, MIXED[name]) == shown(torch, MIXED[name])


def test_numpy_shares_memory_both_ways() -> None:
    array = np.zeros((2, 3), np.float32)
    tensor = graphwidget.from_numpy(array)
    array[0, 0] = 1
    tensor[1, 1] = 2
    assert tensor[0, 0] == 1
    assert array[1, 1] == 2
    assert np.shares_memory(tensor.numpy(), array)


@ENGINES
def test_pickle(engine: Any) -> None:
    leaf = engine.ones(2, 3).t().requires_grad_()
    leaf.grad = engine.ones(3, 2)
    leaf.note = "mine"
    again = pickle.loads(pickle.dumps(leaf))
    assert again.requires_grad
    assert again.is_leaf
    assert again.grad is None
    assert again.note == "mine"
    assert again.stride() == leaf.stride()
    result = pickle.loads(pickle.dumps(leaf * 2))
    assert result.is_leaf
    assert result.requires_grad
    assert result.tolist() == [[2, 2]] * 3
    parameter = pickle.loads(pickle.dumps(engine.nn.Parameter(engine.ones(2))))
    assert type(parameter) is engine.nn.Parameter


@ENGINES
def test_pickles_share_nothing_and_deepcopies_what_was_shared(engine: Any) -> None:
    base = engine.arange(6.0)
    pair = (base, base[2:4])
    for copied, shared in ((pickle.loads(pickle.dumps(pair)), False), (copy.deepcopy(pair), True)):
        whole, part = copied
        part.fill_(9)
        assert (whole[2] == 9) == shared
        assert not part._is_view()
    assert base.tolist() == [0, 1, 2, 3, 4, 5]


@ENGINES
def test_copies(engine: Any) -> None:
    leaf = engine.ones(2, requires_grad=True)
    leaf.grad = engine.ones(2) * 3
    deep, flat = copy.deepcopy(leaf), copy.copy(leaf)
    assert deep.grad.tolist() == [3, 3]
    assert deep.grad is not leaf.grad
    assert flat.grad is None
    assert flat.data_ptr() == leaf.data_ptr()
    twice = copy.deepcopy([leaf, leaf])
    assert twice[0] is twice[1]
    with pytest.raises(RuntimeError, match="Only Tensors created explicitly by the user"):
        copy.deepcopy(leaf * 2)
