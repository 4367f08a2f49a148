"""The graphs that derivatives leave under create_graph are PyTorch's, node by node."""

from __future__ import annotations

import pytest

from tests.compare_engines import both, source

SETUP = """
x = torch.tensor([[0.3, 0.6, 0.2], [0.5, 0.1, 0.4]], requires_grad=True)
y = torch.tensor([[0.7, 0.2, 0.9], [0.3, 0.8, 0.5]], requires_grad=True)
m = torch.tensor([[2.0, 0.5, 0.1], [0.3, 3.0, 0.2], [0.1, 0.4, 1.5]], requires_grad=True)
F = torch.nn.functional
"""

CALLS = [
    "x ** 2", "x ** 0.5", "x ** y", "2 ** x", "x / y", "2 / x", "1 - x", "x.tan()", "x.sqrt()",
    "x.abs()", "x.asin()", "x.acosh()", "x.atan()", "x.atanh()", "x.erf()", "x.log1p()",
    "x.expm1()", "x.log2()", "x.logit()", "x.sinc()", "x.atan2(y)", "x.logaddexp(y)",
    "x.addcmul(y, y, value=2)", "x.prod()", "x.prod(1)", "x.std()", "x.std(1)", "x.norm()",
    "x.norm(dim=1)", "x.norm(p=1)", "x.norm(p=3)", "x.dist(y)", "torch.addmm(m, m, m, beta=2)",
    "F.silu(x)", "F.mish(x)", "F.softsign(x)", "F.normalize(x)", "F.l1_loss(x, y)",
    "F.cosine_similarity(x, y)", "F.rms_norm(x, (3,))", "F.group_norm(x, 1)",
    "F.group_norm(m, 3, x[0], y[0])",
    "torch.block_diag(x, y[0], y[0, 0])", "torch.tensordot(x[:, 0], y[:, 0], 1)",
    "torch.tensordot(x, m[:2].t(), ([0, 1], [1, 0]))", "torch.tensordot(x[:1, 0], y[:1, 0], 1)",
]  # fmt: skip


@pytest.mark.parametrize("call", CALLS)
def test_same_graph(call: str) -> None:
    program = f"""{SETUP}
out = {call}
given = torch.ones_like(out).requires_grad_()
slopes = torch.autograd.grad(out, (x, y, m), given, create_graph=True, allow_unused=True)
result = [s if s is None else graph(s.grad_fn) for s in slopes]
"""
    both(source(program))


def test_numbers_of_users_are_slots_meanwhile() -> None:
    both(
        source("""
class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2
    @staticmethod
    def backward(ctx, grad):
        return grad * 2
x = torch.tensor([1.0, 2.0], requires_grad=True)
slope, = torch.autograd.grad((Twice.apply(x) ** 2).sum(), x, create_graph=True)
result = [graph(slope.grad_fn), graph((x * 2 + 1 - x / 3).grad_fn), (1 - x).grad_fn.name()]
""")
    )


WRITES = [
    "l[0].exp_()", "l[0][1].exp_()", "v = l[0]; v.tanh_()", "l[:, 1:].sqrt_()", "l.t().mul_(3)",
    "l[0] = 1", "l.diagonal().sigmoid_()", "v = l.view(-1)[2:4]; v.sin_()",
]  # fmt: skip


@pytest.mark.parametrize("write", WRITES)
def test_through_writes_to_views(write: str) -> None:
    """A saved result has the history of the view it was written through."""
    both(
        source(f"""{SETUP}
l = x * 0.5
{write}
slope, = torch.autograd.grad((l ** 2).sum(), x, create_graph=True)
second, = torch.autograd.grad(slope.sum(), x)
result = [slope, graph(slope.grad_fn), second]
""")
    )
