"""Ops on lists of tensors against PyTorch's: results, what is written, gradients, errors."""

from __future__ import annotations

import pytest

from graphwidget.core.foreach import BINARY, UNARY
from tests.core.both import both, programs, source

SETUP = """
x = torch.ones(2)
def lists():
    return [torch.tensor([.5, .25]), torch.tensor([[.75, .125]]),
            torch.tensor(.5, dtype=torch.float64)]
def by(name, *args, **kwargs):
    found = []
    for suffix in ("", "_"):
        a = lists()
        f = getattr(torch, f"_foreach_{name}{suffix}")
        found.append([attempt(lambda: f(a, *args, **kwargs)), a, attempt(lambda: f(a, *args) is a)])
    return found
"""
NUMBERED = ("add", "mul", "div")
"""Those that take a tensor for a number."""
OTHERS = "2., 3, True, [1., 2., 3.], [1., 2.], lists(), lists()[:2]"
CALLS = (
    *(f"by({name!r})" for name in UNARY),
    *(f"[by({name!r}, other) for other in ({OTHERS})]" for name in BINARY),
    *(f"[by({name!r}, o) for o in (torch.tensor(2.), torch.ones(2))]" for name in NUMBERED),
    "by('add', lists(), alpha=2), by('sub', lists(), alpha=.5), by('add', [1, 2, 3])",
    "[by(name, lists(), lists(), *value) for name in ('addcmul', 'addcdiv') for value in ("
    "(), (2.,), ([1., 2., 3.],), (torch.tensor([1., 2., 3.]),), ([1., 2.],))]",
    "[by('lerp', torch._foreach_add(lists(), 1.), w) for w in (.5, [.1, .2, .3], lists())]",
    "[torch._foreach_norm(lists(), *args) for args in ((), (1,), (float('inf'),))]",
    "torch._foreach_norm(lists(), 3, dtype=torch.float64), torch._foreach_max(lists())",
    "torch._foreach_pow(2., lists()), torch._foreach_powsum(lists(), 3)",
    "torch._foreach_mm([torch.ones(2, 3)], [torch.ones(3, 2)]), torch._foreach_clone(lists())",
    "torch._foreach_copy_(lists(), torch._foreach_exp(lists())), torch._foreach_zero_(lists())",
    "[attempt(lambda: torch._foreach_exp(a)) for a in ([], x, [1], [x, 2])]",
    "attempt(lambda: torch._foreach_add_([x.requires_grad_()], 1.))",
)  # fmt: skip
PROGRAMS = """
# gradients are clipped, and parameters averaged
p = [torch.tensor([3., 4.], requires_grad=True), torch.tensor([12.], requires_grad=True)]
(p[0].pow(2).sum() + p[1].sum()).backward()
norm = torch.stack(torch._foreach_norm([each.grad for each in p])).norm()
torch._foreach_mul_([each.grad for each in p], 1 / norm)
average = [each.detach().clone() for each in p]
with torch.no_grad():
    torch._foreach_add_(p, [each.grad for each in p], alpha=-0.1)
    torch._foreach_lerp_(average, p, 0.25)
result = [p, average, [each._version for each in p]]

# results have gradients
p = [torch.tensor([3., 4.], requires_grad=True), torch.tensor([12.], requires_grad=True)]
found = torch._foreach_mul(torch._foreach_sqrt(torch._foreach_add(p, p)), [2., 3.])
torch.stack(torch._foreach_norm(found)).sum().backward()
result = [each.grad for each in p]
"""


@pytest.mark.parametrize("call", CALLS)
def test_call(call: str) -> None:
    both(source(SETUP + "result = " + call))


@pytest.mark.parametrize(("title", "text"), programs(PROGRAMS))
def test_program(title: str, text: str) -> None:
    both(source(text))
