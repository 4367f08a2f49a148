"""`__torch_function__`: results of subclasses stay of their class; other objects are asked."""

import subprocess
import sys

import pytest

from tests.compare_engines import both, source

SETUP = """
F = torch.nn.functional
def kinds(values):
    parts = [[*v] if isinstance(v, tuple) else v for v in values]
    return [kinds(v) if isinstance(v, list) else type(v).__name__ for v in parts]
class T(torch.Tensor): pass
class Doubled(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        done = super().__torch_function__(func, types, args, kwargs or {})
        return done * 2 if func is torch.exp else done
class D:
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return 5
p = torch.arange(4.).reshape(2, 2) + 1
t, x, d = p.as_subclass(T), p.as_subclass(Doubled), D()
i = torch.tensor([1, 0])
"""
CALLS = """
t + 1 | 1 - t | t @ p | p * t | t == p | -t | t ** 2 | t[0] | t.T | t.sum() | t.max(0) | t.grad
t.shape | t.view(4) | t.detach() | torch.cat([p, t]) | torch.stack([t, t]) | F.relu(t)
F.softmax(t, 0) | F.linear(p, t) | torch.relu(t) | t.numpy()
torch.einsum("ij,jk", t, p) | list(t) | t.unbind() | torch.where(t > 1, t, p) | t.requires_grad
torch.zeros_like(t) | t.add_(1) | t.tolist() | F.mse_loss(t, p) | F.cross_entropy(t, i) | t.clone()
torch.split(t, 1) | len(t) | bool(t[0, 0]) | torch.exp(x) | torch.max(x, 0) | x @ p | x.norm()
torch.add(d, 1) | torch.add(1, d) | F.relu(d) | torch.cat([p, d]) | torch.sum(d, dim=0)
torch.add(p, d, alpha=3) | F.mse_loss(d, p) | torch.einsum("i", d) | p @ d
"""


@pytest.mark.parametrize("call", CALLS.strip().replace("\n", " | ").split(" | "))
def test_call(call: str) -> None:
    both(source(f"{SETUP}done = {call}\nresult = [kinds([done]), done]"))


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


def test_nothing_is_asked_before_there_is_a_subclass() -> None:
    subprocess.run([sys.executable, "-c", ASLEEP], check=True)
