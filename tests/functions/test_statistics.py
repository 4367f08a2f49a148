"""Quantiles, differences, integrals and covariances, with the graphs that PyTorch builds."""

from __future__ import annotations

import pytest

from tests.compare_engines import both, source

SETUP = """
x = torch.tensor([[1.5, -0.5, 2.0, 0.25], [0.0, 3.0, -1.0, 1.0], [4.0, 0.5, 0.75, -2.0]],
                 requires_grad=True)
y = (x.detach() * 0.5 + torch.arange(4.0)).requires_grad_()
v = torch.tensor([1.0, 2.0, 4.0, 7.0], requires_grad=True)
gap = torch.tensor([[1.0, float("nan"), 3.0], [float("nan")] * 3], requires_grad=True)
q = torch.tensor([0.1, 0.6])
"""

CALLS = [
    "x.quantile(0.3)", "x.quantile(q, dim=0)", "x.quantile(0.3, dim=0, keepdim=True)",
    "x.quantile(0.3, dim=-1)", "x.quantile(q, dim=1)", "x.quantile(q)", "v.quantile(0.5)",
    "x.quantile(0.5, -1, True)", "x.quantile(q, 1, True)", "x.quantile(0.3, keepdim=True)",
    "x.quantile(0.3, dim=0, interpolation='lower')", "x.quantile(0.3, 1, interpolation='higher')",
    "x.quantile(0.3, dim=0, interpolation='midpoint')",
    "x.quantile(v / 9, 1)", "x.quantile(v[0] / 3)",
    "x.quantile(0.4, dim=1, interpolation='nearest')",
    "gap.quantile(0.5, 1).detach()",
    "x.diff()", "x.diff(n=2, dim=0)", "x.diff(prepend=x)", "x.diff(append=y, dim=0)", "x.diff(n=0)",
    "v.diff(n=5)",
]  # fmt: skip

ERRORS = [
    "x.quantile(1.5)", "x.quantile(0.5, interpolation='x')", "x.quantile(torch.zeros(2, 2))",
    "torch.zeros(0).quantile(0.5)", "torch.tensor([1, 2]).quantile(0.5)",
    "x.quantile(torch.tensor(0.5, dtype=torch.float64))", "x.diff(n=-1)",
    "torch.tensor(1.0).diff()", "x.diff(prepend=v)",
    "torch.bincount(v.detach())",
    "x.diff(prepend=x[:1])",
    "torch.bincount(torch.tensor([1, -2]))", "torch.unique(x).sum().backward()",
    "torch.unique(x, dim=0).sum().backward()",
]  # fmt: skip


@pytest.mark.parametrize("call", CALLS)
def test_statistic(call: str) -> None:
    both(
        source(f"""{SETUP}
out = {call}
weights = torch.arange(1.0, out.numel() + 1).reshape(out.shape)
leaves = [x, y, v, gap]
first = []
if out.requires_grad:
    first = torch.autograd.grad((out * weights).sum(), leaves, allow_unused=True)
result = [out, out.requires_grad and graph(out.grad_fn),
          [None if g is None else g.contiguous().clone() for g in first]]
""")
    )


@pytest.mark.parametrize("call", ERRORS)
def test_error(call: str) -> None:
    both(source(f"{SETUP}\nresult = attempt(lambda: {call})"))
