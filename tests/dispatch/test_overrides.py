"""`__torch_function__`: which classes are asked, and the classes of results."""

import subprocess
import sys

import pytest

from graphwidget.dispatch.torch_function import OVERRIDES, enable_overrides
from graphwidget.eager.lazy import is_generated
from tests.both import both, source

SETUP = """
nn, F, log = torch.nn, torch.nn.functional, []
def kinds(values):
    parts = [[*v] if isinstance(v, tuple) else v for v in values]
    return [kinds(v) if isinstance(v, list) else type(v).__name__ for v in parts]
class T(torch.Tensor): pass
class Logged(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        log.append([func.__name__, [t.__name__ for t in types], kinds(args), sorted(kwargs)])
        return super().__torch_function__(func, types, args, kwargs)
class No(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return NotImplemented
class D:
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        log.append([func.__name__, [t.__name__ for t in types], kinds(args), sorted(kwargs or {})])
        return 5
p = torch.arange(4.).reshape(2, 2) + 1
t, x, n, d = p.as_subclass(T), p.as_subclass(Logged), p.as_subclass(No), D()
i = torch.tensor([1, 0])
log.clear()
"""
CALLS = """
t + 1 | 1 - t | t @ p | p * t | t == p | -t | t ** 2 | t[0] | t.T | t.sum() | t.max(0) | t.grad
t.shape | t.view(4) | t.detach() | torch.cat([p, t]) | torch.stack([t, t]) | F.relu(t)
F.softmax(t, 0) | F.linear(p, t) | nn.Linear(2, 2)(t) | torch.relu(t) | torch.einsum("ij,jk", t, p)
list(t) | t.unbind() | torch.where(t > 1, t, p) | torch.zeros_like(t) | t.requires_grad | t.add_(1)
t.tolist() | F.mse_loss(t, p) | F.cross_entropy(t, i) | t.clone() | torch.split(t, 1) | t.numpy()
len(t) | bool(t[0, 0]) | x + 1 | 1 + x | x @ p | x[0] | x.sum(0, keepdim=True)
torch.add(p, x, alpha=2) | torch.cat([p, x]) | F.relu(x) | F.softmax(x, dim=0) | F.linear(x, p)
x.norm() | torch.norm(x) | x.shape | x.T | x.backward | x.mul_(2) | torch.max(x, 0)
torch.sum(input=x) | x == p | p - x | torch.stack((x, p)) | F.dropout(x, 0.5) | torch.add(d, 1)
torch.add(1, d) | p + d | d + p | F.relu(d) | torch.cat([p, d]) | torch.sum(d, dim=0)
torch.add(p, d, alpha=3) | F.mse_loss(d, p) | nn.Linear(2, 2)(d) | torch.einsum("i", d) | p @ d
p[d] | n + 1 | torch.add(n, p) | F.relu(n) | torch.add(x, d) | torch.add(t, x)
"""


@pytest.mark.parametrize("call", CALLS.strip().replace("\n", " | ").split(" | "))
def test_call(call: str) -> None:
    both(
        source(f"""{SETUP}
done = attempt(lambda: {call})
result = [log, kinds([done])]
if type(done) is not tuple or done[0] != "raises":
    result.append(done if isinstance(done, int) else None)
""")
    )


def test_every_function_that_is_asked_about_asks() -> None:
    """What may be overridden is generated, and begins with the line that asks whether it is."""
    enable_overrides()
    assert len(OVERRIDES) > 1000
    assert [call.title for each, call in OVERRIDES.items() if not is_generated(each)] == []


ASLEEP = """
import graphwidget as torch
from graphwidget.graph import runtime
x = torch.ones(2, requires_grad=True)
(x * 2).sum().backward()
assert torch.nn.functional.relu(x).shape == x.shape and not runtime.overridden
class Own(torch.Tensor): pass
assert runtime.overridden
assert type(x.as_subclass(Own) * 2) is Own
"""


def test_nobody_is_looked_for_before_somebody_is_there() -> None:
    subprocess.run([sys.executable, "-c", ASLEEP], check=True)
