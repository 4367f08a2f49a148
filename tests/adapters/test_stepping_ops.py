"""Ops of PyTorch's own op database, stepped: the gradients of a plain backward, bit for bit."""

from __future__ import annotations

import sys
import types
import unittest
import warnings
from itertools import islice
from typing import Any
from unittest import mock

import pytest
import torch

import graphwidget

EVERY = 10
"""Of the database, one op in so many is stepped here."""
SAMPLES = 2


def database() -> list[Any]:
    """PyTorch's samples of its own ops; they are part of its tests, which want a package for
    expected outputs that no sample needs."""
    wanted = types.ModuleType("expecttest")
    wanted.TestCase = unittest.TestCase  # type: ignore[attr-defined]
    sys.modules.setdefault("expecttest", wanted)
    with mock.patch.object(torch.backends, "disable_global_flags"):  # for all tests that follow
        from torch.testing._internal.common_methods_invocations import op_db

    return [
        op for op in op_db[::EVERY]
        if op.supports_autograd and torch.float64 in op.supported_dtypes("cpu")
    ]  # fmt: skip


def tensors(value: Any) -> list[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    return (
        [each for part in value for each in tensors(part)]
        if isinstance(value, (list, tuple))
        else []
    )


def loss_of(op: Any, sample: Any) -> torch.Tensor | None:
    torch.manual_seed(1)
    out = op(sample.input, *sample.args, **sample.kwargs)
    parts = [each.to_dense() if each.is_sparse else each for each in tensors(out)]
    sums = [(each * each.conj()).real.sum() for each in parts if each.requires_grad]
    return sum(sums[1:], sums[0]) if sums else None


def bits(tensor: torch.Tensor | None) -> Any:
    if tensor is None:
        return None
    tensor = tensor.to_dense() if tensor.layout != torch.strided else tensor
    return tensor.dtype, tensor.shape, tensor.contiguous().numpy().tobytes()


def plain(op: Any, sample: Any, leaves: list[torch.Tensor]) -> list[Any] | None:
    """The gradients of a plain backward; None where PyTorch gives none, or others each time (its
    group norm does)."""
    found = []
    for _ in range(2):
        for leaf in leaves:
            leaf.grad = None
        try:
            loss = loss_of(op, sample)
            if loss is None:
                return None
            loss.backward()
        except RuntimeError:
            return None
        found.append([bits(leaf.grad) for leaf in leaves])
    return found[0] if found[0] == found[1] else None


@pytest.mark.filterwarnings("ignore")
def test_a_selection_of_ops_steps_to_the_same_bits() -> None:
    compared, differing = 0, []
    for op in database():
        torch.manual_seed(0)
        samples = op.sample_inputs("cpu", torch.float64, requires_grad=True)
        for sample in islice(samples, SAMPLES):
            leaves = [
                each for each in tensors([sample.input, sample.args, sample.kwargs])
                if each.requires_grad and each.is_leaf
            ]  # fmt: skip
            wanted = plain(op, sample, leaves)
            if wanted is None:
                continue
            for leaf in leaves:
                leaf.grad = None
            with warnings.catch_warnings(), graphwidget.watch() as graph:
                warnings.filterwarnings("error", message="graphwidget stopped")
                run = graph.step(loss_of(op, sample))
                while not run.over:
                    run.next()
            compared += 1
            if [bits(leaf.grad) for leaf in leaves] != wanted:
                differing.append(op.name)
    assert not differing
    assert compared > 60
