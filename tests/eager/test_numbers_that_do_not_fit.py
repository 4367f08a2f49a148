"""Numbers that do not fit the type they are written or computed in: PyTorch's refusals."""

from __future__ import annotations

import pytest

from tests.both import both, source

HEAD = """
x = torch.ones(3, dtype=torch.uint8)
h, f, i, b = x.half(), x.float(), x.long(), x.bool()
first = torch.tensor([0])
"""

CALLS = """
torch.add(x, x, alpha={n})
torch.sub(f, f, alpha={n})
torch.rsub(x, 2, alpha={n})
torch.addcmul(x, x, x, value={n})
torch.addmm(x, x[None].expand(3, 3), x[None].expand(3, 3), alpha={n})
[each.clone().fill_({n}) for each in (x, i, b)]
h.clone().fill_({n})
f.clone().fill_({n})
x.masked_fill(b, {n})
h.masked_fill(b, {n})
f.masked_fill(b, {n})
x.index_fill(0, first, {n})
x.index_add(0, first, x[:1], alpha={n})
f.scatter(0, first, {n})
torch.where(b, {n}, x)
torch.where(b, {n}, h)
torch.where(b, {n}, f)
torch.clamp(f, max={n})
h.pow({n})
torch.nn.functional.pad(x, (1, 1), value={n})
torch.nn.functional.threshold(x, 0, {n})
torch.full((2,), {n})
torch.full((2,), {n}, dtype=torch.float16)
torch.full_like(x, {n})
torch.linspace(0, {n}, 3, dtype=torch.uint8)
torch.linspace(0, {n}, 3)
f + {n}
x.fmod({n})
x.remainder({n})
x.__setitem__(0, {n})
h.__setitem__(0, {n})
f.__setitem__(first, {n})
""".strip().splitlines()

NUMBERS = ["-3", "300", "-300", "70000.", "1e300", "float('inf')", "2**63", "2**64", "-2**64"]


@pytest.mark.parametrize("call", CALLS)
def test_numbers_beyond_a_type(call: str) -> None:
    whole = "fmod" in call or "remainder" in call
    for number in ("-3", "300") if whole else NUMBERS:
        both(source(f"{HEAD}result = [attempt(lambda: {call.format(n=number)}), x, h, f]"))


def test_factors_have_the_results_kind() -> None:
    for call in ("f.add(f, alpha=True)", "x.add(x, alpha=1.0)", "b.add(b, alpha=True)",
                 "f.sub(f, alpha=1.0)"):  # fmt: skip
        both(source(f"{HEAD}result = attempt(lambda: {call})"))


def test_ends_of_integer_lines_are_integers() -> None:
    for call in ("0.5, 3.5, 3, dtype=torch.int64", "-3, 3, 3, dtype=torch.uint8"):
        both(source(f"result = torch.linspace({call})"))


SINGLE_HEAD = """
F = torch.nn.functional
x = torch.arange(6.).sin().reshape(2, 3).requires_grad_()
y, m, n = x.detach() * 2, x.detach()[:, :2], x.detach() + 1
t, k, u = torch.tensor(2.5), torch.tensor(1), torch.tensor(2.5, requires_grad=True)
def shown(r):
    node = getattr(r, "grad_fn", None)
    return r, [str(getattr(node, s)) for s in dir(node) if s.startswith("_saved_")
               and not isinstance(getattr(node, s), torch.Tensor)]
"""

SINGLES = """
torch.add(x, y, alpha=t)
torch.add(x, y, alpha=k)
torch.add(x, y, alpha=u)
x.sub(y, alpha=t)
torch.addmm(x, m, n, alpha=t, beta=k)
torch.addcmul(x, y, y, value=t)
torch.clamp(x, t, None)
x.clamp(min=-1, max=t)
x.sum(k)
x.sum(dim=k)
x.softmax(k)
x.transpose(0, k)
x.select(k, 0)
x.narrow(1, k, 1)
x.unsqueeze(k)
x.argmax(k)
x.max(k)
x.var(k, correction=k)
x.norm(t)
x.norm(p=t, dim=k)
x.pow(t)
x.pow(k)
x.masked_fill(x > 0, t)
x.detach().clone().fill_(t)
torch.full((2,), t)
torch.full((2,), k)
torch.arange(k)
torch.arange(t)
torch.arange(0, t, k)
torch.linspace(0, t, 3)
torch.zeros(k)
torch.zeros(k, k)
torch.eye(k)
torch.chunk(x, k)
torch.cumsum(x, k)
torch.topk(x, k)
torch.kthvalue(x, k)
torch.diagonal(x, k)
torch.tril(x, k)
torch.repeat_interleave(x, k)
x.repeat(k, k)
x.expand(k, 2, 3)
x.view(k, 6)
x.reshape(6, k)
torch.quantile(x, t / 5)
F.leaky_relu(x, t)
F.elu(x, t)
F.threshold(x, t, k)
F.softplus(x, t)
F.hardtanh(x, -t, t)
F.gelu(x, t)
F.layer_norm(x, (3,), eps=t)
F.huber_loss(x, y, delta=t)
F.smooth_l1_loss(x, y, beta=t)
torch.lerp(x, y, t)
torch.lerp(x, y, .5)
torch.logit(x.sigmoid(), t / 5)
torch.nan_to_num(x, t)
torch.isclose(x, x, rtol=t)
torch.round(x, decimals=k)
torch.dist(x, y, t)
torch.cdist(x, y, t)
torch.std(x, correction=t)
torch.heaviside(x, t)
torch.index_add(x, 0, torch.tensor([0]), y[:1], alpha=t)
torch.scatter(x, 0, torch.tensor([[0, 0, 0]]), t)
torch.index_fill(x, 0, torch.tensor([0]), t)
torch.sub(x, y, alpha=u)
torch.float_power(x.abs(), t)
x.diff(k)
x.flip(k)
x.size(k)
x.stride(k)
x.unbind(k)
x[k]
x[:, k]
x.abs(1)
""".strip().splitlines()


@pytest.mark.parametrize("call", SINGLES)
def test_single_tensors_as_numbers(call: str) -> None:
    both(source(f"{SINGLE_HEAD}result = attempt(lambda: shown({call}))"))
