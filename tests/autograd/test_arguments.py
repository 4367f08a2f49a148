"""backward and grad: their options and what they check, in which order, on both engines."""

from __future__ import annotations

import pytest

from tests.compare_engines import both, programs, source

PROGRAMS = """
# what may be asked for
x = torch.tensor([1., 2.], requires_grad=True)
y = torch.tensor([3., 4.], requires_grad=True)
k = torch.ones(2)
s = (x * y).sum()
keep = {"retain_graph": True}
grad = torch.autograd.grad
result = [
    grad(s, x, **keep), grad([s], [x, y], **keep), grad((s, s * 2), (x, x), **keep),
    grad(s, {"a": x, "b": y}, **keep),
    attempt(lambda: grad(s, [], **keep)), attempt(lambda: grad(s, k, **keep)),
    attempt(lambda: grad(s, k, allow_unused=True, **keep)), attempt(lambda: grad(s, 5, **keep)),
    attempt(lambda: grad(s, "x", **keep)), attempt(lambda: grad(s, [x, None], **keep)),
    attempt(lambda: grad("s", x, **keep)), attempt(lambda: grad(5, x)),
    attempt(lambda: grad(None, x)),
    attempt(lambda: grad([], x)), attempt(lambda: grad([None], x)),
    attempt(lambda: grad(k.sum(), x)), attempt(lambda: grad([s, k], x)),
    attempt(lambda: grad(x * 2, x)),
    attempt(lambda: grad(k, x)), attempt(lambda: grad(torch.ones(1).long(), x)),
]

# gradients of the outputs
x = torch.tensor([1., 2.], requires_grad=True)
y = x * 2
s = y.sum()
keep = {"retain_graph": True}
grad = torch.autograd.grad
result = [
    attempt(lambda: grad(s, x, [], **keep)), attempt(lambda: grad(s, x, ["a"], **keep)),
    attempt(lambda: grad(s, x, 5, **keep)),
    attempt(lambda: grad(s, x, torch.ones(1), **keep)),
    attempt(lambda: grad(y, x, torch.ones(2, 1), **keep)),
    attempt(lambda: grad([s, y], x, [None, torch.ones(2)], **keep)),
    attempt(lambda: grad([s, y], x, [None, None], **keep)),
    attempt(lambda: grad([s, y], x, [torch.tensor(3.)], **keep)),
    attempt(lambda: grad(s, x, (torch.tensor(2.), None), **keep)),
    attempt(lambda: grad(s, x, torch.tensor(2), **keep)),
    attempt(lambda: grad(s, x, torch.tensor(2., dtype=torch.float64), **keep)),
    attempt(lambda: grad(y, x, [[1., 1.]], **keep)), attempt(lambda: y.backward(torch.ones(3))),
    attempt(lambda: y.backward()), attempt(lambda: y.backward(5)),
    attempt(lambda: torch.autograd.backward([s, y], [None, None])),
    attempt(lambda: torch.autograd.backward([s, y], [None])),
    attempt(lambda: torch.autograd.backward([], [])),
    x.grad,
]

# unused and materialized
x = torch.tensor([1., 2.], requires_grad=True)
y = torch.tensor([[3.], [4.]], requires_grad=True)
s = (x * x).sum()
keep = {"retain_graph": True}
grad = torch.autograd.grad
result = [
    attempt(lambda: grad(s, (x, y), **keep)), grad(s, (x, y), allow_unused=True, **keep),
    grad(s, (x, y), materialize_grads=True, **keep),
    attempt(lambda: grad(s, (x, y), materialize_grads=True, allow_unused=False, **keep)),
    grad(s, (x, y), materialize_grads=True, allow_unused=True, **keep),
    grad(s, y, materialize_grads=True, create_graph=True),
    attempt(lambda: grad(s, (x, y), allow_unused=False, **keep)),
    grad(s, {"y": y}, allow_unused=True),
]

# old names and mappings
import collections
g = torch.ones(2)
x = torch.tensor([1., 2.], requires_grad=True)
y = x * 2
keep = {"retain_graph": True}
result = [
    torch.autograd.backward(y, grad_variables=torch.ones(2), **keep),
    attempt(lambda: torch.autograd.backward(y, g, grad_variables=g, **keep)),
    torch.autograd.grad(y, x, torch.ones(2), only_inputs=False, **keep),
    attempt(lambda: torch.autograd.grad(y, collections.OrderedDict(x=x), torch.ones(2), **keep)),
    attempt(lambda: torch.autograd.backward(y, g, inputs=collections.OrderedDict(x=x), **keep)),
    torch.autograd.backward(y, torch.ones(2), inputs={"x": x}, **keep), x.grad,
]

# backward into some only
x = torch.tensor([1., 2.], requires_grad=True)
y = torch.tensor([3., 4.], requires_grad=True)
h = x * y
s = (h * h).sum()
keep = {"retain_graph": True}
s.backward(inputs=[x], **keep)
first = [x.grad.clone(), y.grad]
s.backward(inputs=h, **keep)
second = [x.grad.clone(), h.grad.clone(), h.retains_grad]
s.backward(inputs=(h, y), **keep)
result = [first, second, h.grad.clone(), y.grad.clone(), attempt(lambda: s.backward(inputs=[])),
          attempt(lambda: s.backward(inputs=[torch.ones(1)])),
          attempt(lambda: s.backward(inputs=["x"])),
          attempt(lambda: s.backward(inputs=[5])), attempt(lambda: s.backward(inputs=5)),
          attempt(lambda: torch.ones(1).backward(inputs=[x])),
          attempt(lambda: s.backward(inputs=[torch.ones(1, requires_grad=True)]))]

# rows of gradients at once
x = torch.tensor([1., 2.], requires_grad=True)
k = torch.ones(2, requires_grad=True)
y = x ** 3
s = y.sum()
keep = {"retain_graph": True, "is_grads_batched": True}
grad = torch.autograd.grad
created, = grad(y, x, torch.eye(2), create_graph=True, is_grads_batched=True)
result = [
    plain(grad(y, x, torch.eye(2), **keep)),
    plain(grad((y, s), x, (torch.eye(2), torch.ones(2)), **keep)),
    grad(y, (x, k), torch.eye(2), allow_unused=True, **keep)[1], created.requires_grad,
    created.detach(),
    plain(grad(created.sum(), x, retain_graph=True)),
    attempt(lambda: grad(y, x, torch.ones(2), **keep)),
    attempt(lambda: grad(s, x, torch.eye(2), **keep)),
    attempt(lambda: grad(y, x, torch.tensor(1.), **keep)),
    attempt(lambda: grad(y, x, **keep)),
]

# the same root twice, roots on each other's way, leaves as roots
x = torch.tensor([1., 2.], requires_grad=True)
h = x * 2
s = h.sum()
keep = {"retain_graph": True}
result = [
    plain(torch.autograd.grad((s, s), x, **keep)),
    plain(torch.autograd.grad((s, h), x, (None, torch.ones(2)), **keep)),
    torch.autograd.grad(x, x, torch.ones(2)),
    attempt(lambda: torch.autograd.grad(x, h, torch.ones(2))),
    plain(torch.autograd.grad((h, x), x, (torch.ones(2), torch.ones(2)), **keep)),
    torch.autograd.grad(h, h, torch.ones(2), **keep),
    plain(torch.autograd.grad((s, h), (h, x), (None, torch.ones(2)), **keep)),
]

# which inputs are meant
x = torch.tensor([1., 2.], requires_grad=True)
h = x * 2
s = h.sum()
v = x[:1]
h.add_(1)
result = [attempt(lambda: torch.autograd.grad(s, h, retain_graph=True)),
          attempt(lambda: torch.autograd.grad(s, v, retain_graph=True)),
          torch.autograd.grad(s, x), torch.autograd.grad((h * 2).sum(), h)]

# the same gradient for two leaves
x = torch.tensor([1., 2.], requires_grad=True)
y = torch.tensor([1., 2.], requires_grad=True)
g = torch.ones(2)
(x + y).backward(g)
x.grad.add_(1)
a, b = torch.autograd.grad(x + y, (x, y), g)
result = [x.grad.clone(), y.grad, g, a is g, b is g, a is b,
          torch.autograd.grad(x.sum(), x)[0].stride()]
"""


@pytest.mark.parametrize(("title", "text"), programs(PROGRAMS))
def test_same(title: str, text: str) -> None:
    both(source(text))
