"""Factories, random tensors, questions about types: results, warnings and errors as PyTorch's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

import graphwidget
from tests.compare_engines import both


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "uint8"])
def test_spaces_are_rounded_once(dtype: str) -> None:
    """Products and sums are fused; so -1 to 1 in seven steps has no 0, and integers are cut off
    where PyTorch's are."""
    pairs = [(-1, 1), (0, 1), (-18, 86), (2, -10), (-0.3, 3.1)]
    for start, end in pairs:
        if dtype == "uint8":
            start, end = abs(start), abs(end)
        for steps in (2, 7, 11, 57, 81):
            theirs, ours = (
                engine.linspace(start, end, steps, dtype=getattr(engine, dtype))
                for engine in (torch, graphwidget)
            )
            assert theirs.tolist() == ours.tolist()


def test_float32_ranges_are_pytorchs_bit_for_bit() -> None:
    rng, threads = np.random.default_rng(5), torch.get_num_threads()
    torch.set_num_threads(1)  # long ranges begin anew in each of PyTorch's threads
    try:
        for case in range(3000):
            start = [0, 0.0, rng.uniform(-10, 10), int(rng.integers(-5, 6))][case % 4]
            step = [1, 1.0, -0.5, 0.1, 0.01, 1 / 3, rng.uniform(0.001, 2)][case % 7]
            end = start + step * int(rng.integers(0, 100_000 if case % 50 == 0 else 300))
            ends = start, round(end, 2) if case % 3 else end, step
            if (ends[1] - start) * step < 0:
                continue
            found, expected = (
                module.arange(*ends, dtype=module.float32).numpy()
                for module in (graphwidget, torch)
            )
            assert found.tobytes() == expected.tobytes(), ends
    finally:
        torch.set_num_threads(threads)


def test_range_warns_and_includes_its_end() -> None:
    both(lambda torch: [torch.range(0, 3), torch.range(1, 2, 0.5)])
    both(lambda torch: torch.range(3, 0))


@pytest.mark.parametrize("size", [(), (5,), (40,)])
def test_distributions(size: tuple[int, ...]) -> None:
    def program(torch: Any) -> Any:
        torch.manual_seed(11)
        made = [
            torch.empty(size).exponential_(2.0),
            torch.empty(size, dtype=torch.int64).random_(),
            torch.empty(size, dtype=torch.uint8).random_(7),
            torch.empty(size, dtype=torch.float64).random_(3, 2**40),
            torch.bernoulli(torch.full(size, 0.3)),
            torch.normal(torch.zeros(size), 2.0),
            torch.normal(3.0, torch.ones(size)),
        ]
        if size:
            weights = torch.rand(2, *size)
            made += [
                torch.multinomial(weights, 4),
                torch.multinomial(weights[0], 7, replacement=True),
                torch.multinomial(weights, 1, replacement=True),
            ]
        return [*made, torch.rand(3)]

    both(program)


def test_histories_of_random_writes() -> None:
    writes = ["normal_()", "uniform_()", "exponential_()", "bernoulli_()",
              "bernoulli_(p)", "random_()", "random_(3)",
              "random_(1, 3)"]  # fmt: skip

    def program(torch: Any) -> Any:
        torch.manual_seed(1)
        shown = []
        for write in writes:
            x, p = torch.ones(3, requires_grad=True), torch.full((3,), 0.5, requires_grad=True)
            z = x * 2
            eval(f"z.{write}", {"z": z, "p": p})
            z.sum().backward()
            shown += [z, x.grad, p.grad]
        x = torch.full((3,), 0.5, requires_grad=True)
        return [*shown, torch.bernoulli(x), torch.normal(x, 1.0),
                torch.normal(0.0, x), torch.normal(x, x)]  # fmt: skip

    both(program)
