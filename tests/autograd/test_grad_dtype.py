"""The type that a leaf wants its gradient in, against PyTorch."""

from __future__ import annotations

import pytest

from tests.compare_engines import both, programs, source

SETUP = """
A = torch.autograd
class Wide(A.Function):
    @staticmethod
    def forward(ctx, a):
        return a * 2
    @staticmethod
    def backward(ctx, g):
        return g.to(torch.float64) * 2
def leaf(*numbers):
    return torch.tensor(numbers, requires_grad=True)
"""

PROGRAMS = """
# gradients come in the type that their leaf wants
result = []
for kind in ("own", None, torch.float16, torch.float64):
    x = leaf(1., 2.)
    if kind != "own":
        x.grad_dtype = kind
    x.register_hook(lambda g: result.append(str(g.dtype)))
    result.append(A.grad(Wide.apply(x).sum(), x))
    Wide.apply(x).sum().backward()
    result.append(x.grad.clone())
    (x * 3).sum().backward()
    result.append(x.grad)
    x.grad = None
    x.backward(torch.ones(2, dtype=torch.float64))
    result.append(x.grad)
    x.grad = None
    x.sum().backward(create_graph=True)
    result += [x.grad, x.grad.grad_fn]
s = leaf(2.).sum().detach().requires_grad_()
s.grad_dtype = torch.float64
s.sin().backward()
result.append(s.grad)
"""


@pytest.mark.parametrize(("title", "text"), programs(PROGRAMS))
def test_same(title: str, text: str) -> None:
    both(source(SETUP + text))
