"""Linear algebra: errors, named results, special matrices, on both engines."""

from __future__ import annotations

import pytest

from tests.compare_engines import both, source


@pytest.mark.parametrize("factor", ["cholesky(p)", "qr(x)[1]"])
def test_second_derivatives_by_two_ways_to_one_output(factor: str) -> None:
    """The output's own derivative reads it, and so does what is computed from it."""
    both(
        source(
            "x = torch.tensor([[4., 1, 2], [1, 3, 0], [2, 5, 1]], dtype=torch.float64)\n"
            "x.requires_grad_()\n"
            "p = x @ x.mT\n"
            f"total = (torch.linalg.{factor} ** 2 * torch.arange(9.).reshape(3, 3)).sum()\n"
            "first, = torch.autograd.grad(total, x, create_graph=True)\n"
            "second, = torch.autograd.grad(first.sum(), x)\n"
            "result = [first.detach() * 1, second * 1]"
        )
    )
