"""What calls refuse, and in which words."""

from __future__ import annotations

import pytest

from tests.both import both, programs, source

WRITES = {
    "index_add_": "x.index_add_(5, index, torch.ones(9))",
    "index_copy_": "x.index_copy_(0, index, torch.ones(9))",
    "index_fill_": "x.index_fill_(5, index, 1.)",
    "scatter_": "x.scatter_(5, index, 1.)",
    "scatter_add_": "x.scatter_add_(0, index[None], torch.ones(1))",
    "scatter_reduce_": "x.scatter_reduce_(0, index, torch.ones(3), 'other')",
    "addmm_": "x.addmm_(torch.ones(2), torch.ones(2))",
    "addr_": "x.addr_(torch.ones(2, 2), torch.ones(2))",
    "clamp_": "x.clamp_()",
    "uniform_": "x.uniform_(2, 1)",
    "add_": "x.add_(torch.ones(7))",
    "t_": "x.t_()",
    "unsqueeze_": "x.unsqueeze_(9)",
}
STATES = {
    "result": "x = torch.ones(3, requires_grad=True) * 1",
    "constant": "x = torch.ones(3)",
}


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("write", WRITES)
def test_writes_refused(write: str, state: str) -> None:
    both(
        source(f"""
index = torch.tensor([1, 0, 1])
{STATES[state]}
result = [attempt(lambda: {WRITES[write]}), x._version]
""")
    )


READS = """
# operands of other kinds are left to themselves
x, n = torch.ones(2), torch.arange(2)
def changed(x, op, other):
    scope = {"x": x, "other": other}
    exec(f"x {op}= other", scope)
    return scope["x"]
others = None, "a", [1.], (1, 2), {}
result = [attempt(lambda: changed(each.clone(), op, other))
          for op in ("+", "-", "*", "/", "//", "%") for other in others for each in (x, n)]
result += [attempt(lambda: None / x), attempt(lambda: None % x), attempt(lambda: None // x),
           attempt(lambda: x % None), attempt(lambda: changed(x.clone(), "**", None))]

# masks that choose nothing must fit all the same
x = torch.ones(2, 4)
result = [attempt(lambda: x[torch.zeros(size, dtype=torch.bool)].shape) for size in (0, 1, 2, 3)]
result += [attempt(lambda: x.__setitem__(torch.zeros(size, dtype=torch.bool), 1.))
           for size in (0, 1, 2, 3)]

# convolutions look at numbers and sizes, in this order
conv, conv2, i, z = torch.conv1d, torch.conv2d, torch.ones(2, 3, 8), torch.zeros
result = [attempt(call) for call in (
    lambda: conv(i, z(6, 3, 2, 2), padding="same", stride=2), lambda: conv(i, z(0, 3, 2), groups=2),
    lambda: conv(i, z(6, 3, 2, 2), stride=(1, 1), dilation=0),
    lambda: conv(i, z(6, 3, 2), dilation=-1),
    lambda: conv(i, z(6, 3, 2), padding="same", dilation=(1, 1)),
    lambda: conv(i, z(6, 3, 2), padding="same", groups=0),
    lambda: conv2(z(2, 3, 8, 8), z(6, 3, 2), stride=[1]),
    lambda: conv(i, z(6, 3, 2), z(3), dilation=0))]

# a table that requires grad is asked for its rows first
look, half = torch.nn.functional.embedding, torch.tensor(0.5)
result = [attempt(lambda: look(half, half.clone().requires_grad_())),
          attempt(lambda: look(half, half))]

# bools are refused before sizes that do not match
result = [attempt(lambda: torch.ones(2).bool() - torch.ones(3)),
          attempt(lambda: torch.ones(2).lerp(torch.ones(3).double(), 0.5))]
"""


@pytest.mark.parametrize(("title", "text"), programs(READS), ids=lambda part: part[:40])
def test_reads(title: str, text: str) -> None:
    both(source(text))


ARGUMENTS = """
# arguments of the wrong type, in the words of PyTorch's parser
x = torch.ones(2, 3)
calls = [
    lambda: torch.transpose(x, "a", 0), lambda: x.transpose(0, None), lambda: x.transpose(1.5),
    lambda: torch.mm(x, None), lambda: x.mm([1.]), lambda: torch.matmul(x, "a"),
    lambda: x.matmul(None), lambda: x @ None,
    lambda: torch.softmax("a", 0), lambda: torch.unsqueeze(x, "a"), lambda: x.unsqueeze(1.5),
    lambda: torch.cumsum(x, None), lambda: x.cumsum("a"), lambda: torch.cumsum([1.], 0),
    lambda: torch.gather(x, 0, "a"), lambda: x.index_select(0, None),
    lambda: torch.topk(x, "a"), lambda: x.topk(None),
    lambda: x.cumsum(0, 1), lambda: torch.cumsum(x, 0, 1), lambda: x.aminmax(0),
    lambda: x.topk(1, 0, True, True, 5), lambda: x.unbind(0, 1),
    lambda: x.lt(None), lambda: torch.lt(x, "a"), lambda: x.lt_(None), lambda: x.bitwise_and("a"),
    lambda: torch.remainder(x, None), lambda: x.floor_divide(None),
    lambda: torch.floor_divide(x, None),
    lambda: x.long().bitwise_xor_(1.5), lambda: x.bool().bitwise_left_shift_(2.),
    lambda: torch.nn.functional.kl_div(x, x.long()),
    lambda: torch.nn.functional.cosine_similarity(x, x[0]).shape,
    lambda: torch.nn.functional.cosine_similarity(x.long(), x.long()),
    lambda: torch.autograd.grad(x.requires_grad_().sum(), x, is_grads_batched=True),
    lambda: x.diagonal("a"), lambda: torch.unbind(x, "a"), lambda: x.unbind(None),
]
result = [attempt(call) for call in calls]
"""


@pytest.mark.parametrize(("title", "text"), programs(ARGUMENTS), ids=lambda part: part[:40])
def test_arguments(title: str, text: str) -> None:
    both(source(text))
