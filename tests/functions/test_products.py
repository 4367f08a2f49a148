"""Products: the graphs that PyTorch builds, node by node, and its errors."""

from __future__ import annotations

import pytest

from tests.compare_engines import both, source

SETUP = """
torch.manual_seed(0)
def leaf(*shape):
    count = 1
    for size in shape:
        count *= size
    return (torch.arange(float(count)).reshape(shape) % 7 / 3 - 1).requires_grad_()
v, w, u = leaf(4), leaf(3), leaf(3)
x, y, k, s = leaf(3, 4), leaf(3, 4), leaf(4, 3), leaf(3, 3)
b, c, e = leaf(2, 3, 4), leaf(2, 4, 3), leaf(1, 4, 3)
q, p = leaf(2, 2, 3, 4), leaf(2, 2, 5, 4)
"""

EQUATIONS = [
    "ij,jk->ik x k", "ij,jk->ki x k", "ij,kj->ki x y", "ij,kj->ik x y", "ij,jk x k",
    "ij->ji x", "ij x", "ji x", "ij->j x", "ij-> x", "ii->i s", "ii s", "ii-> s",
    "i,j->ij w v", "i,j->ji w v", "i,i w u", "i,i->i w u", "ij,ij-> x y", "ij,ij->ij x y",
    "ij,j x v", "i,ij->j w x", "ij,ij->i x y", "bij,bjk->bik b c", "bij,bjk->bki b c",
    "bij,kj->bik b y", "ij,bjk->bik x c", "bi,bj->bij x y", "ij,kl->ijkl x k", "ij,kl->lkji x k",
    "bhqd,bhkd->bhqk q p", "bhqd,bhkd->bqhk q p", "bhqd,bhkd->bkqh q p", "ij,jk-> x k",
    "ij,k->ik x v", "aij,ajk->ik b c", "aij,ajk->ki b c", "i,ij,j-> w x v", "ij,jk,kl->il x k y",
    "ij,jk,kl->li x k y", "...ij,...jk->...ik b c", "...ij,...jk->...ik b e", "i...,j...->ij b x",
    "...j,j b v", "...j->... b", "...->... b", "b...->...b b", "...ij->...ji b", "bij,bjk b e",
    "iij->j q[0, :, :2]", "ii,jj->ij s s", "ij,ji-> x k", "a,ab,bc,cd-> w x k x",
    "bij->i b", "bij,bij->b b b",
]  # fmt: skip

CALLS = [
    "x @ k", "w @ x", "x @ v", "w @ u", "b @ v", "b @ k", "b @ c", "x @ c", "w @ b", "b @ e",
    "e @ b.transpose(1, 2)[:1]", "leaf(1, 3, 4) @ c", "b.transpose(0, 1) @ k", "b[:, ::2] @ k",
    "b.detach() @ k", "b @ k.detach()", "b.transpose(0, 1) @ k.detach()", "x.detach() @ c",
    "x @ c.detach()", "w.detach() @ b", "q @ p.transpose(-1, -2)", "q @ k", "q @ v",
    "x @ leaf(2, 2, 4, 3)",
    "b.detach() @ e", "e.detach() @ b", "q[0] @ c", "b.permute(2, 1, 0) @ leaf(2, 5).detach()",
    "torch.inner(x, y)", "torch.inner(w, u)", "torch.inner(x, v)", "torch.inner(v, v[0])",
    "torch.inner(leaf(1, 4), leaf(1, 4))", "torch.tensordot(x, k, 1)", "torch.tensordot(x, y, 2)",
    "torch.tensordot(x, y, dims=([0], [0]))", "torch.tensordot(x, y, 0)",
    "torch.tensordot(b, c, dims=([1, 2], [2, 1]))", "torch.tensordot(v, v, 1)",
    "torch.tensordot(leaf(3, 1), x, dims=([1], [1]))", "torch.tensordot(b, b, dims=3)",
    "torch.outer(w, v)", "w.ger(v)",
    "torch.linalg.cross(k, k * 2)", "torch.cross(x, y * y, dim=0)",
    "torch.linalg.cross(k, leaf(1, 3))",
    "torch.addmm(s, x, k)", "torch.addmm(s, x, k, beta=2, alpha=0.5)", "torch.addmm(w, x, k)",
    "s.addmm(x, k, beta=0)",
    "torch.baddbmm(s, b, c)",
    "b.transpose(1, 2).baddbmm(c, s.expand(2, 3, 3), beta=2)",
    "s.clone().addmm_(x, k, beta=0.5, alpha=2)", "s.clone().addmm_(x, k)",
    "leaf(2, 3, 3).clone().baddbmm_(b, c, alpha=2)",
]  # fmt: skip


def reported(call: str) -> str:
    return f"""{SETUP}
out = {call}
leaves = [v, w, u, x, y, k, s, b, c, e, q, p]
weights = torch.arange(1.0, out.numel() + 1).reshape(out.shape)
first = torch.autograd.grad((out * weights).sum(), leaves, allow_unused=True, create_graph=True)
known = [g for g in first if g is not None]
total = sum((g * g).sum() for g in known)
second = torch.autograd.grad(total, leaves, allow_unused=True) if total.requires_grad else []
result = [out, graph(out.grad_fn), [None if g is None else g.detach().clone() for g in first],
          [None if g is None else g.contiguous().clone() for g in second]]
"""


@pytest.mark.parametrize("text", EQUATIONS)
def test_einsum(text: str) -> None:
    equation, _, rest = text.partition(" ")
    names = rest.replace(", :", ",:").split(" ") if "[" not in rest else [rest]
    both(source(reported(f"torch.einsum({equation!r}, {', '.join(names)})")))


@pytest.mark.parametrize("call", [
    "torch.einsum(x, [0, 1], k, [1, 2], [0, 2])", "torch.einsum(x, [0, 1], k, [1, 2])",
    "torch.einsum(x, [..., 1], [1, ...])", "torch.einsum('ij,jk->ik', [x, k])",
    "torch.einsum(' i j , j k -> i k ', x, k)", *CALLS,
])  # fmt: skip
def test_product(call: str) -> None:
    both(source(reported(call)))


REPEATED = {
    "of a sum": "torch.ones(()).double().expand(200, 150)",
    "with equal rows": "wide.expand(200, 150)",
    "with equal columns": "high.expand(200, 150)",
}
"""Large gradients of products of which one row or column stands for all."""

LARGE = """
def spread(*shape):
    return torch.linspace(-2, 2, torch.Size(shape).numel(), dtype=torch.float64).reshape(shape)
wide, high = spread(1, 150), spread(200, 1)
a, b = spread(200, 120).requires_grad_(), spread(120, 150).requires_grad_()
t = b.detach().t().clone().requires_grad_()
for out in (a @ b, a @ t.t()):
    out.backward({seed})
result = [[each.grad, each.grad.stride()] for each in (a, b, t)]
a.grad[0, 0] = 7  # is written there alone
result.append(a.grad[1:].eq(7).any())
"""


@pytest.mark.parametrize("seed", REPEATED.values(), ids=REPEATED)
def test_large_gradient_that_repeats_itself(seed: str) -> None:
    both(source(LARGE.format(seed=seed)))
