"""Checkpoints against PyTorch's: values, gradients, graphs, random numbers, errors."""

from __future__ import annotations

import gc
import weakref
from importlib import import_module
from typing import Any

import pytest
import torch

import graphwidget
from tests.compare_engines import both, programs, source

SETUP = """
C = torch.utils.checkpoint
nn = torch.nn
x = torch.linspace(-1, 2, 4).requires_grad_()
"""

PROGRAMS = """
# values and gradients
def f(a, b=2):
    return (a * b).sin() * a
seen = []
for reentrant in (True, False):
    y = C.checkpoint(f, x, use_reentrant=reentrant)
    y.sum().backward()
    seen.append([y, y.grad_fn, graph(y.grad_fn), x.grad.clone()])
result = seen + [C.checkpoint(f, x, b=3, use_reentrant=False)]

# the function runs again once, in backward
calls = []
def f(a):
    calls.append(torch.is_grad_enabled())
    return a.exp().sin() * 2
for reentrant in (True, False):
    y = C.checkpoint(f, x, use_reentrant=reentrant)
    z = C.checkpoint(f, y, use_reentrant=reentrant)
    calls.append("backward")
    z.sum().backward()
result = [calls, x.grad]

# second derivatives
y = C.checkpoint(lambda a: a.sin() * a.exp(), x, use_reentrant=False)
g = torch.autograd.grad(y.sum(), x, create_graph=True)[0]
h = torch.autograd.grad(g.sum(), x)[0]
result = [g.detach(), h]

# twice
y = C.checkpoint(lambda a: a.sin(), x, use_reentrant=False).sum()
y.backward(retain_graph=True)
y.backward()
result = [x.grad, attempt(lambda: y.backward())]

# several results and arguments
def f(a, k, d, b):
    return a * k + d["b"], None, b + 1
b = torch.ones(4, requires_grad=True)
seen = []
for reentrant in (True, False):
    u, n, v = C.checkpoint(f, x, 3, {"b": b}, b, use_reentrant=reentrant)
    (u * v).sum().backward()
    seen.append([u, n, v, x.grad.clone(), b.grad.clone()])
result = seen

# random numbers
def f(a):
    return nn.functional.dropout(a * 3, .5)
seen = []
for reentrant in (True, False):
    for keep in (True, False):
        torch.manual_seed(3)
        y = C.checkpoint(f, x, use_reentrant=reentrant, preserve_rng_state=keep)
        between = torch.rand(2)
        y.sum().backward()
        seen.append([y, between, x.grad.clone(), torch.rand(2)])
result = seen

# one within another
def inner(a):
    return a.sin().exp()
def outer(a):
    return C.checkpoint(inner, a * 2, use_reentrant=False).cos() * a
y = C.checkpoint(outer, x, use_reentrant=False)
y.sum().backward()
result = [y, x.grad]

# the option should be given
y = C.checkpoint(torch.sin, x)
result = y

# an argument is changed
z = x * 1
y = C.checkpoint(torch.exp, z, use_reentrant=False)
y = C.checkpoint(torch.sin, z, use_reentrant=False)
z.add_(1)
result = attempt(lambda: y.sum().backward())

# options that do not go together
f = torch.sin
result = [attempt(each) for each in (lambda: C.checkpoint(f, x, b=3, use_reentrant=True),
    lambda: torch.autograd.grad(C.checkpoint(f, x, use_reentrant=True).sum(), x),
    lambda: C.checkpoint(f, x, use_reentrant=True).sum().backward(inputs=[x]),
    lambda: C.checkpoint(lambda a: a.detach(), x, use_reentrant=True).sum().backward(),
    lambda: C.checkpoint(lambda a: a.detach(), x, use_reentrant=False).sum().backward())]

# something else the second time
def changing(first, again):
    calls = []
    def f(a):
        calls.append(1)
        return (first if len(calls) == 1 else again)(a)
    return f
cases = ((lambda a: a.sin(), lambda a: a.sin().cos()), (lambda a: a.sin().cos(),
    lambda a: a.sin()), (lambda a: a.sin(), lambda a: torch.cat([a, a]).sin()),
    (lambda a: a.sin(), lambda a: a.double().sin()))
result = [attempt(lambda: C.checkpoint(changing(*c), x, use_reentrant=False,
    **o).sum().backward()) for c in cases for o in ({}, {"early_stop": False})]

# derivatives inside of parts, and parts inside of derivatives
def slope(f):
    def g(x):
        with torch.enable_grad():
            return torch.autograd.grad(f(x), x, create_graph=True)[0]
    return g
def part(f):
    return lambda x: C.checkpoint(f, x, use_reentrant=False, early_stop=early)
def twice(x):
    y, z = x.exp().sin(), x.sin().exp()
    torch.autograd.grad(y, x)
    torch.autograd.grad(z, x)
    return x.cos()
x = torch.tensor(0.7, dtype=torch.float64, requires_grad=True)
result = []
for early in (True, False):
    for f in (lambda x: x.sin().exp().sin(), twice):
        for made in (part(f), part(part(f)), slope(part(f)), slope(part(slope(f))),
                     part(slope(slope(part(f)))), slope(part(slope(part(slope(part(f))))))):
            y = made(x)
            result += [y.detach(), torch.autograd.grad(y, x)]
"""


@pytest.mark.parametrize(("title", "text"), programs(PROGRAMS), ids=lambda part: part[:60])
def test_checkpoint(title: str, text: str) -> None:
    both(source(SETUP + text))


def kept_alive(engine: Any, depth: int, reentrant: bool, ending: str) -> list[bool]:
    """Return whether what nested checkpoints computed, and the innermost part's own variable, are
    still there when all their names are gone, without a collection of garbage."""
    checkpoint = import_module(f"{engine.__name__}.utils.checkpoint").checkpoint
    tracked: list[Any] = []

    def track(value: Any) -> Any:
        tracked.append(weakref.ref(value))
        return value

    def level(number: int, captured: Any) -> Any:
        def part(y: Any) -> Any:
            y = track((y * 2).exp())
            if number:
                inside = level(number - 1, captured)
                y = track(checkpoint(inside, y.sin(), use_reentrant=reentrant))
            return y.tanh() * len(captured)

        return part

    class Captured(list[int]):
        pass

    gc.collect()
    gc.disable()
    try:
        x = engine.ones(3, requires_grad=True)
        captured = track(Captured([1]))
        out = track(checkpoint(level(depth, captured), x, use_reentrant=reentrant))
        if ending == "backward":
            out.sum().backward()
        elif ending == "retained":
            out.sum().backward(retain_graph=True)
        elif ending == "second derivatives":
            (grad,) = engine.autograd.grad(out.sum(), x, create_graph=True)
            track(grad).sum().backward()
            del grad
        del out, x, captured
        return [each() is not None for each in tracked]
    finally:
        gc.enable()


ENDINGS = [(each, how) for each in (False, True) for how in ("nothing", "backward", "retained")]


@pytest.mark.filterwarnings("ignore:Using backward", "ignore:None of the inputs")
@pytest.mark.parametrize(("reentrant", "ending"), [*ENDINGS, (False, "second derivatives")])
@pytest.mark.parametrize("depth", [0, 1, 2])
def test_graphs_are_freed_without_the_collector(depth: int, reentrant: bool, ending: str) -> None:
    ours, theirs = (kept_alive(each, depth, reentrant, ending) for each in (graphwidget, torch))
    assert ours == theirs
    assert not any(ours)
