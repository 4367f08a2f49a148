"""Linear algebra: errors, named results, special matrices, on both engines."""

from __future__ import annotations

import pytest

from tests.both import both, source

SETUP = """
x = torch.arange(12.0).reshape(3, 4)
k, v, w = x.t(), torch.arange(4.0), torch.arange(3.0)
s = torch.tensor([[4.0, 1.0, 0.5], [1.0, 3.0, 0.25], [0.5, 0.25, 2.0]])
zero, two = torch.zeros(3, 3), torch.stack([torch.eye(3), torch.zeros(3, 3)])
"""

ERRORS = [
    "torch.linalg.inv(zero)", "torch.linalg.inv(two)", "torch.linalg.inv(x)", "torch.linalg.inv(v)",
    "torch.linalg.inv(torch.eye(3, dtype=torch.int64))", "torch.inverse(zero)",
    "torch.linalg.inv_ex(zero, check_errors=True)", "torch.linalg.det(x)", "torch.linalg.det(v)",
    "torch.linalg.det(torch.ones(3, 3, dtype=torch.int64))", "torch.linalg.solve(zero, w)",
    "torch.linalg.solve(two, torch.ones(2, 3))", "torch.linalg.solve(s, v)",
    "torch.linalg.solve(s, k)", "torch.linalg.solve(x, w)", "torch.linalg.solve(s, w.double())",
    "torch.linalg.cholesky(-torch.eye(3))", "torch.linalg.cholesky(two)",
    "torch.linalg.cholesky(torch.diag(torch.tensor([1.0, 1.0, -1.0])))", "torch.linalg.cholesky(x)",
    "torch.cholesky(-torch.eye(3))", "torch.cholesky(two)", "torch.linalg.slogdet(x)",
    "torch.linalg.qr(v)", "torch.linalg.qr(x, mode='abc')",
    "torch.linalg.qr(s.clone().requires_grad_(), mode='r')[1].sum().backward()",
    "torch.linalg.qr(k.clone().requires_grad_(), mode='complete')[1].sum().backward()",
    "torch.linalg.svd(v)", "torch.linalg.eigh(x)", "torch.linalg.eigh(s, UPLO='X')",
    "torch.linalg.solve_triangular(x, s, upper=True)",
    "torch.linalg.solve_triangular(s, k, upper=True)", "torch.linalg.matrix_rank(v)",
    "torch.linalg.solve_triangular(s, w, upper=True)",
    "torch.linalg.eigh(torch.full((3, 3), float('nan')))",
    "torch.linalg.svd(torch.full((3, 3), float('nan')))", "x.norm('abc')",
    "torch.linalg.norm(torch.ones(2, 2, 2), 'fro')", "torch.linalg.norm(v, 'fro')",
    "torch.linalg.norm(torch.ones(2, 2, 2), 2)", "torch.linalg.matrix_norm(v)",
    "torch.linalg.matrix_norm(x, 3)", "torch.linalg.matrix_norm(x, 'abc')",
    "torch.linalg.norm(x, 'fro', dim=0)", "torch.linalg.matrix_norm(x, dim=(0, 0))",
    "torch.linalg.norm(x, 3)", "torch.linalg.norm(x, dim=(0, 1, 0))",
    "torch.linalg.norm(x, dtype=torch.int64)", "torch.linalg.norm(x, dtype=torch.float16)",
    "torch.tensor([3, 4]).norm()", "torch.linalg.vector_norm(torch.zeros(0), float('inf'))",
    "torch.linalg.vector_norm(torch.zeros(0, 3), -1, dim=0)", "torch.cdist(x, k)",
    "torch.cdist(x, x, p=-1)",
]  # fmt: skip

VALUES = [
    "torch.linalg.inv_ex(zero)[1]", "torch.linalg.inv_ex(two)[1]", "torch.logdet(-torch.eye(3))",
    "torch.linalg.cholesky_ex(-torch.eye(3))[1]", "torch.linalg.matrix_rank(torch.eye(3))",
    "torch.linalg.matrix_rank(x)", "torch.linalg.matrix_rank(torch.eye(3), tol=2.0)",
    "torch.linalg.matrix_rank(s, hermitian=True)",
    "torch.linalg.inv(torch.rand(2, 0, 0))", "torch.linalg.det(torch.rand(0, 0))",
    "torch.det(zero)", "torch.linalg.slogdet(zero)", "repr(torch.linalg.slogdet(torch.eye(2)))",
    "repr(torch.slogdet(torch.eye(2)))", "repr(v.max(0))",
    "repr(torch.linalg.inv_ex(torch.eye(2)))",
    "repr(v.sort())", "repr(v.topk(2))", "repr(v.aminmax())", "v.max(0).indices", "v.aminmax().max",
    "isinstance(v.max(0), tuple)", "torch.linalg.diagonal(s)", "s.inverse()", "s.det()",
    "s.logdet()",
    "torch.linalg.vander(v)",
    "torch.linalg.vander(w, N=5)", "len(v.max(0))",
]  # fmt: skip


@pytest.mark.parametrize("call", ERRORS)
def test_error(call: str) -> None:
    both(source(f"{SETUP}\nresult = attempt(lambda: {call})"))


@pytest.mark.parametrize("call", VALUES)
def test_value(call: str) -> None:
    both(source(f"{SETUP}\nresult = {call}"))


@pytest.mark.parametrize("factor", ["cholesky(p)", "cholesky_ex(p)[0]", "qr(x)[1]", "inv_ex(p)[0]"])
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
