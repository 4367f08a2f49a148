"""Dtypes, promotion, sizes and devices against PyTorch."""

import copy
import itertools
import operator
import pickle
from typing import Any

import numpy as np
import pytest
import torch

from graphwidget.arrays import devices, dtypes
from graphwidget.arrays.size import Size
from tests.compare_engines import both, source

NUMBERS = (True, 2, 2.5)
OPERANDS: list[tuple[Any, Any]] = [
    (array, torch.from_numpy(array))
    for made, shape in itertools.product(dtypes.ALL, [(), (2,), (0,)])
    for array in [np.ones(shape, made.numpy)]
] + [(number, number) for number in NUMBERS]


def level(operand: Any) -> tuple[Any, int]:
    if not isinstance(operand, np.ndarray):
        return dtypes.number_dtype(operand), dtypes.NUMBER
    return operand.dtype, dtypes.DIMENSIONED if operand.ndim else dtypes.ZERO_DIM


def test_promotion_of_two() -> None:
    for (ours, theirs), (ours2, theirs2) in itertools.product(OPERANDS, OPERANDS):
        if torch.is_tensor(theirs) or torch.is_tensor(theirs2):
            expected = repr(torch.result_type(theirs, theirs2))
            assert repr(dtypes.of(dtypes.result_type(ours, ours2))) == expected
            assert repr(dtypes.of(dtypes.promoted_type(*level(ours), *level(ours2)))) == expected


def test_promotion_and_casts_of_types() -> None:
    for first, second in itertools.product(dtypes.ALL, dtypes.ALL):
        theirs = getattr(torch, first.name), getattr(torch, second.name)
        ours = dtypes.promote_types(first.numpy, second.numpy)
        assert repr(dtypes.of(ours)) == repr(torch.promote_types(*theirs))
        assert dtypes.can_cast(first.numpy, second.numpy) == torch.can_cast(*theirs)


@pytest.mark.parametrize("name", sorted(dtypes.NAMES))
def test_attributes(name: str) -> None:
    ours, theirs = dtypes.NAMES[name], getattr(torch, name)
    assert repr(ours) == repr(theirs)
    for attribute in ("itemsize", "is_floating_point", "is_signed", "is_complex", "abbr"):
        assert getattr(ours, attribute) == getattr(theirs, attribute)
    assert dtypes.legacy_type(ours.numpy) == torch.ones(1, dtype=theirs).type()
    assert copy.deepcopy(ours) is ours is pickle.loads(pickle.dumps(ours)) is ours.to_real()


def outcome(function: Any, argument: Any) -> str:
    try:
        return repr(function(argument))
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def test_sizes() -> None:
    programs = [
        lambda S: S([2, 3]), lambda S: S((2, 3))[0:1], lambda S: S([2, 3])[-1], lambda S: S(),
        lambda S: S([2]).__add__((3,)), lambda S: operator.add((3,), S([2])), lambda S: S([2]) * 2,
        lambda S: 2 * S([1]), lambda S: S([2, 3]).numel(), lambda S: S([2.5]), lambda S: S(3),
        lambda S: operator.add(S([2]), [3]), lambda S: S([2, 3]) == (2, 3), lambda S: f"{S([1])}",
        lambda S: pickle.loads(pickle.dumps(S([2, 3]))), lambda S: S([]).numel(),
    ]  # fmt: skip
    for program in programs:
        assert outcome(program, Size) == outcome(program, torch.Size)


def test_devices() -> None:
    programs = [
        lambda D: D("cpu"), lambda D: str(D("cpu")), lambda D: D("cpu:0"), lambda D: D("cpu", 0),
        lambda D: D("cpux"), lambda D: (D("cpu").type, D("cpu").index), lambda D: D("cuda:1"),
        lambda D: str(D("cuda:1")), lambda D: D(3), lambda D: D("cpu") == "cpu",
        lambda D: D("cpu") == D("cpu"), lambda D: D(""), lambda D: D("cpu:x"),
        lambda D: D(D("cpu")), lambda D: D(None), lambda D: D("cpu:0", 1),
    ]  # fmt: skip
    for program in programs:
        assert outcome(program, devices.device) == outcome(program, torch.device)


def test_limits() -> None:
    for made in dtypes.ALL:
        theirs = getattr(torch, made.name)
        assert outcome(dtypes.finfo, made) == outcome(torch.finfo, theirs)
        assert outcome(dtypes.iinfo, made) == outcome(torch.iinfo, theirs)


def test_default_dtype_must_be_floating() -> None:
    for ours, theirs in ((dtypes.int32, torch.int32), ("x", "x")):
        assert outcome(dtypes.set_default_dtype, ours) == outcome(torch.set_default_dtype, theirs)
    assert dtypes.get_default_dtype() is dtypes.float32


def test_limits_are_equal_by_type() -> None:
    both(
        source("""
made = [torch.finfo(torch.float32), torch.finfo(), torch.finfo(torch.float16),
        torch.iinfo(torch.int8), torch.iinfo(torch.int8), torch.iinfo(torch.uint8)]
result = [a == b for a in made for b in made], attempt(lambda: hash(made[0]))[:2]
""")
    )
