"""Backward passes: accumulation, the rules of calls, order, hooks, retain_grad, higher orders."""

import pytest

from tests.compare_engines import both, programs, source

ACCUMULATE = """
# gradients add up in the same tensor
x = torch.tensor([1., 2.], requires_grad=True)
(x * 2).sum().backward()
g = x.grad
before = g.clone()
(x * x).sum().backward()
result = [g is x.grad, g._version, before, x]

# a given gradient is not shared
x = torch.tensor([1., 2.], requires_grad=True)
w = torch.tensor([1., 2.], requires_grad=True)
g = torch.ones(2)
(x + w).backward(g)
g.add_(5)
x.grad.add_(1)
result = [x.grad is g, x, w]

# a leaf's own backward copies the gradient
x = torch.tensor([1., 2.], requires_grad=True)
g = torch.ones(2)
x.backward(g)
result = [x.grad is g, x.grad.data_ptr() == g.data_ptr(), x]

# layout follows the leaf
x = torch.arange(6.).reshape(2, 3).t().detach().requires_grad_()
x.sum().backward()
y = torch.ones(2, 3, requires_grad=True)
y.t().sum(0).sum().backward()
result = [x.grad, y.grad]

# create_graph accumulates out of place
x = torch.tensor([1., 2.], requires_grad=True)
(x ** 3).sum().backward(create_graph=True)
first = x.grad
kept = first.detach().clone()
(x ** 3).sum().backward(create_graph=True)
result = [first.grad_fn, x.grad.grad_fn, first is x.grad, kept, x.grad.detach()]

# autograd.grad gives the buffer itself
x = torch.tensor([1., 2.], requires_grad=True)
g = torch.ones(2)
(a,) = torch.autograd.grad(x + 0, x, g)
(b,) = torch.autograd.grad(x.sum(), x)
result = [a is g, b.stride(), attempt(lambda: b.add_(1))]

# the gradient takes the leaf's type
x = torch.tensor([1., 2.], dtype=torch.float64, requires_grad=True)
w = torch.tensor([1., 2.], requires_grad=True)
(x * w).sum().backward()
(x.float() * 2).backward(torch.ones(2, dtype=torch.float64))
result = [x, w]

# broadcast gradients are summed
x = torch.ones(2, 1, requires_grad=True)
w = torch.ones(3, requires_grad=True)
s = torch.tensor(2., requires_grad=True)
(x * w * s + s).sum().backward()
result = [x, w, s]

# a leaf that was given data of another shape
result = []
for then, now in (((3,), (4,)), ((3,), (3, 4)), ((2,), (3, 2)), ((3, 2), (2,)), ((3,), (3,))):
    x = torch.ones(then, requires_grad=True)
    (x * 2).sum().backward()
    x.data = torch.ones(now)
    result += [attempt(lambda: (x * 2).sum().backward()), x.grad]
"""

CALLS = """
# vectors need a gradient
x = torch.tensor([1., 2.], requires_grad=True)
(x * 2).backward()

# one element of any shape does not
x = torch.tensor([[3.]], requires_grad=True)
(x * 2).backward()
result = x

# roots without a graph
x = torch.tensor([1., 2.])
w = torch.tensor([1., 2.], requires_grad=True)
result = [attempt(lambda: x.backward()), attempt(lambda: x.sum().backward()),
          attempt(lambda: torch.autograd.backward([w.sum(), x.sum()])),
          attempt(lambda: x.backward(torch.ones(3)))]

# inputs of backward
x = torch.tensor([1., 2.], requires_grad=True)
w = torch.tensor([1., 2.], requires_grad=True)
k = torch.tensor([1., 2.])
h = x * w
y = (h * h).sum()
y.backward(inputs=[x, h], retain_graph=True)
result = [x, w, h.grad, h.retains_grad, attempt(lambda: y.backward(inputs=[k]))]

# inputs are known by their present place in the graph
x = torch.tensor([1., 2.], requires_grad=True)
h = x * 2
y = h + 1
h.add_(1)
result = [attempt(lambda: torch.autograd.grad(y.sum(), h)),
    attempt(lambda: torch.autograd.grad((x * 2).sum(), x[:]))]

# weights of several losses
x = torch.tensor([1., 2.], requires_grad=True)
a, b = (x * 2).sum(), (x * x).sum()
torch.autograd.backward([a, b], [torch.tensor(3.), torch.tensor(0.5)])
result = x

# roots that share nodes run them once
x = torch.tensor([1., 2.], requires_grad=True)
h = x.exp()
calls = []
h.register_hook(lambda g: calls.append(g.clone()))
torch.autograd.backward([h.sum(), (h * h).sum()])
result = [calls, x]

# backward inside no_grad
x = torch.tensor([1., 2.], requires_grad=True)
y = (x * x).sum()
with torch.no_grad():
    y.backward()
result = x

# retain_graph and create_graph
x = torch.tensor([1., 2.], requires_grad=True)
y = (x ** 3).sum()
(g,) = torch.autograd.grad(y, x, create_graph=True)
(h,) = torch.autograd.grad(g.sum(), x, create_graph=True)
(t,) = torch.autograd.grad(h.sum(), x)
y.backward(retain_graph=True)
y.backward()
result = [g, h, t, x, attempt(lambda: y.backward())]

# gradients of a linear function do not require grad
x = torch.tensor([1., 2.], requires_grad=True)
(g,) = torch.autograd.grad((x * 2).sum(), x, create_graph=True)
result = [g, attempt(lambda: torch.autograd.grad(g.sum(), x))]

# the gradient given may require grad itself
x = torch.tensor([1., 2.], requires_grad=True)
v = torch.tensor([1., 1.], requires_grad=True)
(g,) = torch.autograd.grad(x * x, x, v, create_graph=True)
result = [g, plain(torch.autograd.grad(g.sum(), v, retain_graph=True)),
    plain(torch.autograd.grad(g.sum(), x))]

# a scatter by an index smaller than its source refuses the source's gradient
def one(scatter, wanted):
    x, w = torch.ones(3, 3, requires_grad=True), torch.ones(2, 3, requires_grad=True)
    src, at = w * 2, torch.zeros(1, 3, dtype=torch.int64)
    y = scatter(x.clone(), at, src)
    z, inputs = y.sum() * y.sum(), [x, w] if wanted == "x, w" else [{"x": x, "w": w}[wanted]]
    grad = torch.autograd.grad
    return [y.grad_fn, attempt(lambda: plain(grad(z, inputs, retain_graph=True))),
            attempt(lambda: plain(grad(z, inputs, create_graph=True)))]
result = [attempt(lambda: one(scatter, wanted)) for wanted in ("x", "w", "x, w") for scatter in (
    lambda y, at, src: y.scatter(0, at, src), lambda y, at, src: y.scatter_add_(0, at, src),
    lambda y, at, src: y.scatter_reduce(0, at, src, "mean"),
    lambda y, at, src: y.scatter_add(0, at[:, :2], src),
    lambda y, at, src: y.scatter_reduce(0, at, src, "prod"),
    lambda y, at, src: y.scatter_reduce(0, at.expand(2, 3), src, "amin", include_self=False),
    lambda y, at, src: y[:2].scatter_(0, at, src))]
"""

HOOKS = """
# order of branches
x = torch.tensor(1., requires_grad=True)
w = torch.tensor(1., requires_grad=True)
log = []
left = x * 2
right = w * 3
for name, t in (("left", left), ("right", right), ("x", x), ("w", w)):
    t.register_hook(lambda g, name=name: log.append(name))
(left + right).backward()
first = list(log)
(right * 2 + left * 2 + x).backward() if False else None
result = first

# order with a leaf used late
x = torch.tensor(1., requires_grad=True)
w = torch.tensor(1., requires_grad=True)
log = []
a = x * w
b = a * x
c = b + w
for name, t in (("x", x), ("w", w), ("a", a), ("b", b), ("c", c)):
    t.register_hook(lambda g, name=name: log.append((name, g.item())))
c.backward()
result = log

# retain_grad
x = torch.tensor([1., 2.], requires_grad=True)
y = x * 2
y.retain_grad()
y.retain_grad()
x.retain_grad()
s = (y * y).sum()
s.backward(retain_graph=True)
first = y.grad
s.backward()
result = [first is y.grad, first, y.grad, y.retains_grad, x.retains_grad, x,
    plain(torch.autograd.grad((y + 0).sum(), y)), y.grad]

# retain_grad under create_graph
x = torch.tensor([1., 2.], requires_grad=True)
y = x * x
y.retain_grad()
(y * y).sum().backward(create_graph=True)
result = [y.grad, y.grad.grad_fn, x.grad.grad_fn]

# grad mode in hooks
x = torch.tensor([1.], requires_grad=True)
modes = []
y = x * 2
y.register_hook(lambda g: modes.append(torch.is_grad_enabled()))
y.backward(retain_graph=True)
torch.autograd.grad(y, x, create_graph=True)
result = modes

# backward inside a hook
x = torch.tensor([2.], requires_grad=True)
w = torch.tensor([3.], requires_grad=True)
def hook(g):
    with torch.enable_grad():
        (w * w).sum().backward()
y = x * 2
y.register_hook(hook)
(y * y).sum().backward()
result = [x, w]

# two outputs, one used
x = torch.tensor([[1., 2.], [3., 4.]], requires_grad=True)
u, v = x
u.sum().backward()
values, _ = x.max(0)
values.sum().backward()
result = x

# a node whose gradients nobody wants computes none, but lets go of what it saved
weight, other = torch.ones(5, 3, requires_grad=True), torch.ones(2, requires_grad=True)
rows = torch.nn.functional.embedding(torch.tensor([0, 1, 3]), weight)
(slope,) = torch.autograd.grad((rows ** 2).sum(), weight, create_graph=True)
ones = torch.ones_like(slope)
result = [attempt(lambda: slope.backward(ones, inputs=wanted, retain_graph=keep))
    for keep, wanted in ((True, [weight]), (True, [slope]), (False, [slope, other]),
        (False, [slope]), (False, [weight]))] + [slope.grad]

# places of a write that were freed, of a node that leads to nothing wanted
x = torch.ones(3, requires_grad=True) * 1
x[[0]] = -2.0
result = [attempt(lambda: x.sum().backward(inputs=[x])) for _ in range(2)] + [x.grad]

# and what has no derivative refuses there, too
x = torch.ones(3, requires_grad=True)
y = x // 2
result = [attempt(lambda: y.sum().backward(inputs=[y]))]
"""


@pytest.mark.parametrize(("title", "text"), programs(ACCUMULATE), ids=lambda part: part[:60])
def test_accumulation(title: str, text: str) -> None:
    both(source(text))


@pytest.mark.parametrize(("title", "text"), programs(CALLS), ids=lambda part: part[:60])
def test_calls(title: str, text: str) -> None:
    both(source(text))


@pytest.mark.parametrize(("title", "text"), programs(HOOKS), ids=lambda part: part[:60])
def test_hooks(title: str, text: str) -> None:
    both(source(text))
