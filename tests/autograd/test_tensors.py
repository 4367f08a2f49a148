"""Attributes of a tensor about gradient and history, and which may be set, on both engines."""

from __future__ import annotations

import warnings

import pytest

import graphwidget
from graphwidget.arrays import warnings as warning
from tests.compare_engines import both, programs, source

PROGRAMS = """
# what may not be set
x = torch.tensor([1., 2.], requires_grad=True)
y = x * 2
def put(tensor, name, value):
    setattr(tensor, name, value)
names = {"grad_fn": None, "is_leaf": True, "_version": 3, "output_nr": 0, "_base": x, "ndim": 3,
         "retains_grad": True, "shape": (1,), "dtype": torch.float64}
result = [attempt(lambda: put(t, name, names[name])) for t in (x, y) for name in names]
def remove(tensor, name):
    delattr(tensor, name)
names = ("grad", "requires_grad", "data", "grad_fn")
result += [attempt(lambda: remove(x, name)) for name in names]
y.note = "mine"
result += [y.note, attempt(lambda: y.nothing)]

# requires_grad
x = torch.tensor([1., 2.], requires_grad=True)
y = x * 2
k = torch.ones(2)
i = torch.tensor([1, 2])
def put(tensor, value):
    tensor.requires_grad = value
kinds = (x, y, k, i)
values = (True, False, 1, None, "yes")
result = [attempt(lambda: put(t, value)) for t in kinds for value in values]
result += [attempt(lambda: t.requires_grad_(value).requires_grad) for t in kinds
           for value in (True, False)]
result += [attempt(lambda: torch.tensor([1], requires_grad=True)),
          attempt(lambda: torch.ones(1, dtype=torch.bool).requires_grad_()),
           attempt(lambda: y.detach().requires_grad_()), x.requires_grad, k.requires_grad]

# .grad
x = torch.tensor([1., 2.], requires_grad=True)
k = torch.ones(2)
def put(tensor, value):
    tensor.grad = value
values = (torch.ones(2), torch.ones(3), 1.5, "a", torch.ones(2).double(), x,
          torch.ones(2).long(), torch.ones(1, 2), None)
answers = [attempt(lambda: put(x, value)) for value in values]
g = torch.ones(2)
x.grad = g
(x * 2).sum().backward()
same = [x.grad is g, g]
del x.grad
k.grad = torch.ones(2)
y = x * 3
y.grad = torch.ones(2)
result = [answers, same, x.grad, k.grad, y.grad]

# .grad of what keeps none
x = torch.tensor([1., 2.], requires_grad=True)
y = x * 2
z = y * 2
z.retain_grad()
z.sum().backward()
result = [y.grad, z.grad, z.retains_grad, y.retains_grad, x.retains_grad]

# retain_grad over several passes and writes
x = torch.tensor([1., 2.], requires_grad=True)
y = x * 2
y.retain_grad()
s = (y * y).sum()
s.backward(retain_graph=True)
first = y.grad
s.backward(retain_graph=True)
torch.autograd.grad(s, x, retain_graph=True)
second = y.grad.clone()
torch.autograd.grad(s, x, create_graph=True)
z = x * 3
z.retain_grad()
z.mul_(2)
z.retain_grad()
z.sum().backward()
result = [first, second, first is y.grad, y.grad.grad_fn is not None, z.grad]

# .data
x = torch.tensor([1., 2.], requires_grad=True)
d = x.data
d.add_(1)
y = x * x
d.mul_(2)
y.sum().backward()
z = torch.ones(2)
old = z._version
z.add_(1)
z.data = torch.zeros(3)
def put(tensor, value):
    tensor.data = value
result = [x, x._version, d._version, d.requires_grad, x.grad.clone(), z, z._version,
          attempt(lambda: put(z, 5)), attempt(lambda: put(z, torch.ones(2).long())), z.dtype,
          attempt(lambda: put(x, torch.ones(2, dtype=torch.float64))), x.dtype]

# detach and detach_
x = torch.tensor([1., 2.], requires_grad=True)
y = x * 2
z = y * y
d = y.detach()
same = y.detach_() is y
w = y * 3
result = [same, y, d, d._version, w, attempt(lambda: z.sum().backward()), x.grad,
          attempt(lambda: (x * 2)[0].detach_()),
          y.requires_grad_().is_leaf, x.detach_() is x, x.requires_grad]

# detached while saved
x = torch.tensor([1., 2.], requires_grad=True)
def saved_in(op):
    y = x * 2
    z = op(y)
    y.detach_()
    first = attempt(lambda: z.grad_fn._saved_self if hasattr(z.grad_fn, "_saved_self") else None)
    grad = torch.autograd.grad
    return (first, attempt(lambda: grad(z.sum(), x, retain_graph=True)),
            attempt(lambda: grad(z.sum(), x, create_graph=True)))
ops = (lambda y: y * y, lambda y: y + y, lambda y: y ** 2, torch.exp, torch.sin)
result = [saved_in(op) for op in ops]
e = x.exp()
f = e * 2
e.detach_()
result += [attempt(lambda: f.sum().backward()), x.grad]

# views made without grad mode
x = torch.tensor([1., 2.], requires_grad=True)
with torch.no_grad():
    v = x[:1]
    w = x.view(2, 1)
y = v * 3
z = (v * v + w).sum()
result = [v.requires_grad, v.is_leaf, v.grad_fn, y,
          attempt(lambda: y.sum().backward(retain_graph=True)),
          attempt(lambda: y.sum().backward()),
          x.grad, y.grad_fn._saved_self, z]

# a view made without grad mode, then written
x = torch.tensor([1., 2.], requires_grad=True)
h = x * 1
with torch.no_grad():
    v = h[:1]
y = v * h
with torch.no_grad():
    h.add_(1)
result = [attempt(lambda: y.sum().backward()), attempt(lambda: v.grad_fn), x.grad]

# Variables, as they once were
Variable = torch.autograd.Variable
x = torch.ones(2)
y = x.clone().requires_grad_() * 2
v = Variable(x, requires_grad=True)
(v * v).sum().backward()
result = [Variable(x), v.is_leaf, v.grad.clone(), v is x, v.data_ptr() == x.data_ptr(), Variable(y),
          Variable(x, True).requires_grad, isinstance(x, Variable), isinstance(5, Variable),
          attempt(lambda: Variable([1.])), Variable(x, volatile=True), Variable(), Variable(data=x),
          attempt(lambda: torch.autograd.variable(x)), type(v).__name__]
"""


@pytest.mark.parametrize(("title", "text"), programs(PROGRAMS))
def test_same(title: str, text: str) -> None:
    both(source(text))


def test_a_float_of_a_graph_warns_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warning, "_given", set())
    x = graphwidget.ones(1, requires_grad=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert int(x) == 1
        with graphwidget.no_grad():
            assert float(x) == 1
    with pytest.warns(UserWarning, match="Converting a tensor with requires_grad=True"):
        assert float(x * 2) == 2
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert float(x * 2) == 2
