"""Seeded random numbers equal PyTorch's, bit for bit but for the last ones of normal doubles."""

from typing import Any

import numpy as np
import pytest
import torch

from graphwidget.functions.random import generator

SHAPES = [(), (1,), (3,), (0,), (5, 3), (16,), (17,), (31,), (20, 7), (2, 2), (1000,)]


@pytest.mark.parametrize("seed", [0, 42, -3, 2**63 + 7])
@pytest.mark.parametrize("kind", ["float32", "float64", "float16"])
def test_same_stream(seed: int, kind: str) -> None:
    generator.manual_seed(seed)
    torch.manual_seed(seed)
    assert generator.initial_seed() == torch.initial_seed()
    ours, theirs = np.dtype(kind), getattr(torch, kind)

    def same(mine: Any, expected: torch.Tensor) -> None:
        assert mine.dtype == expected.numpy().dtype
        assert np.array_equal(mine, expected.numpy())

    def close(mine: Any, expected: torch.Tensor) -> None:
        assert mine.dtype == expected.numpy().dtype
        # Of float64, processors with AVX-512 have other logarithms and sines in numpy.
        np.testing.assert_array_max_ulp(mine, expected.numpy(), 4 if kind == "float64" else 0)

    for shape in SHAPES:
        empty = torch.empty(shape, dtype=theirs)
        close(generator.randn(shape, ours), torch.randn(shape, dtype=theirs))
        same(generator.rand(shape, ours), torch.rand(shape, dtype=theirs))
        same(generator.uniform(shape, ours, -0.577, 0.577), empty.uniform_(-0.577, 0.577))
        close(generator.normal(shape, ours, 0.3, 2.7), empty.normal_(0.3, 2.7))
        same(generator.bernoulli_scalar(shape, ours, 0.3), empty.bernoulli_(0.3))
        chances = torch.rand(shape, dtype=theirs)
        generator.rand(shape, ours)
        same(generator.bernoulli(chances.numpy()), torch.bernoulli(chances))
        same(generator.randint(-5, 17, shape), torch.randint(-5, 17, shape))
        same(generator.randint(0, 2**40, shape), torch.randint(0, 2**40, shape))
    for count in (0, 1, 2, 10, 300):
        same(generator.randperm(count), torch.randperm(count))


def test_a_generator_has_its_own_stream() -> None:
    mine = generator.Generator().manual_seed(3)
    first = generator.rand((4,), np.dtype("float32"), mine)
    generator.rand((4,), np.dtype("float32"))
    assert np.array_equal(first, generator.rand((4,), np.dtype("float32"), mine.manual_seed(3)))
    assert mine.seed() == mine.initial_seed()
