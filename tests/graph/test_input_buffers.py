"""Gradients that meet: what the engine adds in place, takes over or copies."""

from __future__ import annotations

import pytest

from tests.compare_engines import both, programs, source

START = """
nn = torch.nn
def gradients(f, *shapes):
    leaves = [torch.full(shape, 0.5, requires_grad=True) for shape in shapes]
    f(*leaves)
    return [leaf.grad.tolist() for leaf in leaves]
"""

PROGRAMS = """
# what meets is added in place where nobody else has it
result = [gradients(f, (2, 3)) for f in (
    lambda a: (a * 2 + a * 3).sum().backward(), lambda a: (a * 2 + a * a).sum().backward(),
    lambda a: (a + a).sum().backward(), lambda a: (a - a).pow(2).sum().backward(),
    lambda a: (a * 2 + a).sum().backward(), lambda a: (a[0] * 2 + a[1]).sum().backward(),
    lambda a: (a * 2 + a.view(3, 2).t().reshape(2, 3)).sum().backward(),
    lambda a: torch.stack([a * 2, a]).pow(2).sum().backward(),
    lambda a: torch.cat([a, a * 2]).pow(2).sum().backward())]

# and passed on
def late(a):
    b = a + 1
    (b * 2 + b * 3 + b * 4).sum().backward()
def through(a):
    b = a.view(-1)
    (b * 2 + b * 3).sum().backward()
def several(a):
    b = a.t()
    (b * 2 + b * b + b.t().sum()).sum().backward()
result = [gradients(f, (2, 3)) for f in (late, through, several)]

# the first is taken over by the leaf, or copied
result = [gradients(f, *shapes) for f, *shapes in (
    (lambda a: a.sum().backward(), (2, 3)), (lambda a: (a * 2).sum().backward(), (2, 3)),
    (lambda a: a.T.backward(torch.zeros_like(a.T)), (2, 3)), (lambda a: a.backward(), ()),
    (lambda a: (a * 2).backward(), ()), (lambda a: a.backward(torch.ones(3)), (3,)),
    (lambda a: a.view(-1).sum().backward(), (2, 0)), (lambda a: a[:1].sum().backward(), (1, 3)),
    (lambda a, b: ((a + b) ** 2).sum().backward(), (2, 3), (2, 3)),
    (lambda a, b: ((a + b) ** 2).sum().backward(), (2, 3), (3,)),
    (lambda a, b: (torch.cat([a, b]) ** 2).sum().backward(), (2, 3), (1, 3)),
    (lambda a: [(a * 2).sum().backward() for _ in range(3)], (2, 3)))]

# a sum that loses dims is a view, to which nothing is added in place
result = [gradients(lambda a: f(x, a).sum().backward(), shape)
          for shape in ((3,), (2, 1), (), (2, 3))
          for x in [torch.ones(2, 3)]
          for f in (lambda x, a: x * a + a, lambda x, a: x * a + x + a, lambda x, a: x * a * a,
                    lambda x, a: (x + a) * a - a, lambda x, a: (x * a).sum() + a.sum())]

# parameters that layers share
result = []
x = torch.ones(2, 3, requires_grad=True)
images = torch.ones(2, 1, 4, 4, requires_grad=True)
for layer, given in ((nn.Linear(3, 3), x), (nn.LayerNorm(3), x), (nn.LSTM(3, 3), x),
                     (nn.Conv2d(1, 1, 3, padding=1), images), (nn.GRU(3, 3), x)):
    for each in layer.parameters():
        nn.init.constant_(each, 0.25)
    call = lambda v: out[0] if isinstance(out := layer(v), tuple) else out
    for out in (call(call(given)), call(given) + call(given) + given):
        (out ** 2).sum().backward()
        result.append([p.grad.tolist() for p in (given, *layer.parameters())])

# hooks see what met, and may write it
seen = []
def hooked(hook):
    def f(a):
        a.register_hook(lambda g: seen.append(g.tolist()))
        a.register_hook(hook)
        (a * 2 + a * 3).sum().backward()
    return f
result = [gradients(hooked(hook), (2, 3)) for hook in (
    lambda g: None, lambda g: g * 2, lambda g: g.mul_(2), lambda g: g.clone())], seen

# a write into what a leaf has counts like any other
x = torch.ones(3, requires_grad=True)
(x * 2).sum().backward()
before = x.grad._version
found = []
for _ in range(3):
    (x * 2).sum().backward()
    found.append(x.grad._version - before)
x.grad.mul_(2)
result = found, x.grad._version - before, x.grad.tolist()
"""


@pytest.mark.parametrize(("title", "text"), programs(PROGRAMS), ids=lambda part: part[:40])
def test_gradients_that_meet(title: str, text: str) -> None:
    both(source(START + text))
