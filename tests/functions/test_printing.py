"""Printed tensors against PyTorch's, character for character."""

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import torch

from graphwidget.arrays import dtypes
from graphwidget.functions.tensor import printing
from tests.compare_engines import both, source

DTYPES = ("float32", "float64", "float16", "int64", "int32", "uint8", "int8", "bool")
SHAPES = [(), (0,), (2, 0), (0, 3), (1,), (5,), (3, 4), (2, 3, 4), (1, 1, 1, 2), (40,), (2, 33),
          (1001,), (7, 200), (3, 7, 60), (12, 100), (2, 2, 2, 150), (1000,), (999, 2)]  # fmt: skip


def numbers(kind: str, shape: tuple[int, ...], flavour: str, rng: np.random.Generator) -> Any:
    """Arrays that between them reach every branch of the printer."""
    if kind == "bool":
        return rng.random(shape) < 0.5
    if kind[0] in "ui":
        top = np.iinfo(kind).max
        low, high = {"small": (0, 5), "mixed": (-100, 100), "wide": (-top, top)}.get(
            flavour, (0, 1000)
        )
        return rng.integers(max(low, np.iinfo(kind).min), min(high, top), shape).astype(kind)
    base = rng.standard_normal(shape)
    with np.errstate(all="ignore"):
        made: Any = {
            "small": base,
            "whole": np.round(base * 10),
            "mixed": base * 10.0 ** rng.integers(-6, 7, shape),
            "wide": base * 1e9,
            "tiny": base * 1e-5,
            "extreme": base * 10.0 ** rng.integers(-300, 300, shape),
            "near": 1.0 + base * 1e-3,
            "big": np.round(base * 1e5),
            "zeros": np.zeros(shape),
        }[flavour].astype(kind)
    if rng.random() < 0.4:
        special = rng.random(shape)
        made = np.where(special < 0.2, np.nan, np.where(special > 0.85, np.inf, made))
        made = np.where(np.abs(special - 0.5) < 0.05, -np.inf, made).astype(kind)
    if rng.random() < 0.3:
        made = np.where(rng.random(shape) < 0.3, -0.0, made).astype(kind)
    return made


FLAVOURS = ("small", "whole", "mixed", "wide", "tiny", "extreme", "near", "big", "zeros")


def assert_same(array: Any) -> None:
    array = np.asarray(array)
    theirs = torch.from_numpy(array.copy())
    for suffixes in ([], ["requires_grad=True"], ["grad_fn=<MulBackward0>"]):
        if suffixes and array.dtype.kind == "f":
            theirs = theirs.detach().requires_grad_()
            if "grad_fn" in suffixes[0]:
                theirs = theirs * 1
        elif suffixes:
            continue
        assert printing.tensor_str(array, suffixes) == repr(theirs)


@pytest.mark.parametrize("kind", DTYPES)
def test_reprs_equal(kind: str) -> None:
    rng = np.random.default_rng(17)
    for shape, flavour in itertools.product(SHAPES, FLAVOURS):
        for _ in range(3 if np.prod(shape) < 200 else 1):
            assert_same(numbers(kind, shape, flavour, rng))


@pytest.fixture
def restored() -> Iterator[None]:
    yield
    for module in (printing, torch):
        module.set_printoptions(profile="default")
    dtypes.set_default_dtype(dtypes.float32)
    torch.set_default_dtype(torch.float32)


OPTIONS: list[dict[str, Any]] = [
    {"precision": 2}, {"precision": 8}, {"threshold": 5}, {"threshold": 5, "edgeitems": 1},
    {"edgeitems": 0, "threshold": 10}, {"linewidth": 40}, {"linewidth": 12}, {"linewidth": 200},
    {"profile": "short"}, {"profile": "full"}, {"sci_mode": True}, {"sci_mode": False},
    {"profile": "short", "precision": 3, "linewidth": 60},
]  # fmt: skip


@pytest.mark.usefixtures("restored")
@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_options(options: dict[str, Any]) -> None:
    rng = np.random.default_rng(5)
    printing.set_printoptions(**options)
    torch.set_printoptions(**options)
    for kind, shape in itertools.product(("float32", "int64"), SHAPES[:11]):
        for flavour in FLAVOURS:
            assert_same(numbers(kind, shape, flavour, rng))
    assert printing.get_printoptions().keys() == {
        "precision", "threshold", "edgeitems", "linewidth", "sci_mode"
    }  # fmt: skip


@pytest.mark.usefixtures("restored")
def test_default_dtype_decides_what_is_said() -> None:
    dtypes.set_default_dtype(dtypes.float64)
    torch.set_default_dtype(torch.float64)
    for kind, shape in itertools.product(DTYPES, SHAPES[:6]):
        assert_same(np.ones(shape, kind))


def test_printoptions_is_undone() -> None:
    with printing.printoptions(precision=1):
        assert printing.tensor_str(np.array([0.123]), []) == "tensor([0.1], dtype=torch.float64)"
    assert printing.tensor_str(np.array([0.123]), []) == "tensor([0.1230], dtype=torch.float64)"


def test_classes_by_their_public_names() -> None:
    """Classes print by PyTorch's names; pickles do not use these names."""
    both(
        source("""
import pickle
x = torch.ones(2, requires_grad=True)
p = torch.nn.Parameter(torch.ones(2))
result = [str(type(a)) for a in (x, p, x.shape, (x * 2).grad_fn, (x[0] * 2).grad_fn)]
result += [pickle.loads(pickle.dumps(a)) for a in (x, p, x.shape)]
class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2
    @staticmethod
    def backward(ctx, grad):
        return grad * 2
nodes = [Twice.apply(x).grad_fn, (x * 2).grad_fn]
result += [repr(node).split(" object")[0] for node in nodes]
""")
    )


def test_subclasses_are_shown_by_name() -> None:
    def program(torch: Any) -> Any:
        mine = type("Mine", (torch.Tensor,), {})
        weight = type("Weight", (torch.nn.Parameter,), {})(torch.ones(2, 1))
        made = torch.arange(30.0).as_subclass(mine)
        empty = torch.zeros(0, 3).as_subclass(mine)
        return [repr(made), repr(empty), repr(weight), f"{[weight]}"]

    both(program)


def test_parameters_are_not_formatted_as_numbers() -> None:
    both(
        source("""
p, x = torch.nn.Parameter(torch.tensor(2.5)), torch.tensor(2.5, requires_grad=True)
class Mine(torch.Tensor):
    pass
m = torch.tensor(2.5).as_subclass(Mine)
result = [attempt(lambda: format(each, spec)) for each in (p, x, m) for spec in ("", ".1f")]
""")
    )
