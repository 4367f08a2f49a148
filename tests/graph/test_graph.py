"""The graph that calls leave behind: nodes, names, slots, what is saved, what is freed."""

import pytest

from tests.both import both, programs, source

GRAPH = """
# slots of ops and their neighbours
x = torch.tensor([1., 2.], requires_grad=True)
k = torch.tensor([3., 4.])
y = (x + k) * x
result = [y.grad_fn.next_functions, y.grad_fn.name(), graph(y.grad_fn)]

# numbers that fill a slot and those that do not
x = torch.tensor([1., 2.], requires_grad=True)
ops = [x + 1, x - 2, x * 2, x / 2, 1 + x, 2 * x, 2 - x, x ** 2, 2 ** x, 2 / x, -x, x[[0]],
       torch.where(x > 1, x, 0.), x.masked_fill(x > 1, 1.), x % 2]
result = [op.grad_fn for op in ops]

# an accumulator is one object and knows its leaf
x = torch.tensor([1.], requires_grad=True)
a, b = x * 2, x * 3
first = a.grad_fn.next_functions[0][0]
result = [first is b.grad_fn.next_functions[0][0], first.variable is x, first.next_functions,
          first.name(), type(first).__name__, x.grad_fn, a.grad_fn is a.grad_fn,
          first._sequence_nr()]

# which results require grad
x = torch.tensor([1., 2.], requires_grad=True)
i = torch.tensor([1, 2])
result = [x > 1, x.argmax(), x.long(), x.bool(), torch.zeros_like(x), x.detach(), x.data, x.item()
          if x.numel() == 1 else None, i * 2, x + i, x * i]

# what returns the tensor itself
x = torch.tensor([[1., 2.]], requires_grad=True)
v = torch.tensor([1., 2.])
result = [x.contiguous() is x, x.float() is x, x.to(torch.float32) is x, x.cpu() is x, (+x) is x,
          v.flatten() is v, x.requires_grad_() is x, x.view(1, 2) is x, x[:] is x, x[...] is x,
          x.detach() is x, x.expand(1, 2) is x, v.t() is v, x.squeeze() is x, x.reshape(1,
          2) is x]

# a converted leaf is no leaf
x = torch.tensor([1.], requires_grad=True)
result = [x.double(), x.double().is_leaf, x.double().grad_fn]

# sequence numbers rise
x = torch.tensor([1.], requires_grad=True)
a = x * 2
b = a + 1
result = b.grad_fn._sequence_nr() - a.grad_fn._sequence_nr()

# metadata is a dict
x = torch.tensor([1.], requires_grad=True)
y = x * 2
y.grad_fn.metadata["mine"] = 3
result = y.grad_fn.metadata

# calling a node runs its backward
x = torch.tensor([1., 2.], requires_grad=True)
k = torch.tensor([3., 4.])
y = x * k
result = [y.grad_fn(torch.ones(2)), (x * x).grad_fn(torch.ones(2)), (-x).grad_fn(torch.ones(2))]

# names of the arithmetic nodes
a = torch.tensor([[1., 2.], [3., 4.]], requires_grad=True)
b = torch.tensor([[2., 1.], [1., 2.]], requires_grad=True)
result = [op.grad_fn for op in (
    a + b, 1 + a, torch.add(a, b, alpha=2), a - b, a - 1, 1 - a, torch.rsub(a, b), a * b, a / b,
    2 / a, a ** 2, a ** 0.5, a.square(), a ** b, 2 ** a, a % 2, a % b, -a, a.abs(), a.exp(),
    a.log(), a.sqrt(), a.tanh(), a.sigmoid(), a.relu(), a.clone(), a.sum(), a.sum(0), a.mean(),
    a.mean(1), a.max(), a.max(0).values, a.min(), a.min(1).values, torch.maximum(a, b), a @ b,
    a.mm(b), a.t(), a.T, a.transpose(0, 1), a.permute(1, 0), a.view(4), a.reshape(4),
    a.t().reshape(4), a.flatten(), a.unsqueeze(0), a[None], a.squeeze(), a.expand(2, 2, 2), a[0],
    a[1:], a[...], a[:], a[0, 1], a[..., 0], a[[0]], a[a > 1], torch.cat([a, b]),
    torch.stack([a, b]), torch.where(a > 1, a, b), a.double(), a.sum().reciprocal())]

# several outputs share a node
x = torch.tensor([[1., 2.], [3., 4.]], requires_grad=True)
u, v = x
values, indices = x.max(1)
result = [u.grad_fn is v.grad_fn, u.output_nr, v.output_nr, values, indices, u.grad_fn,
    values.grad_fn,
          (u * v).grad_fn.next_functions]

# unpacking, split and chunk
x = torch.arange(6.).reshape(3, 2).requires_grad_()
result = [*x, *x.split(2), *x.split([1, 2]), *x.chunk(2), *x.unbind(1), *x.tensor_split(2)]

# products of matrices and vectors
a = torch.tensor([[1., 2.], [3., 4.]], requires_grad=True)
v = torch.tensor([1., 2.], requires_grad=True)
b = torch.arange(8.).reshape(2, 2, 2).requires_grad_()
result = [a @ a, a @ v, v @ v, v @ a, b @ b, b @ a, a.mv(v), v.dot(v), torch.mm(a, a), b.bmm(b),
          (b @ v), (v @ b)]

# the nodes of second derivatives
x = torch.tensor([0.5, 2.], requires_grad=True)
result = [torch.autograd.grad(f(x).sum(), x, create_graph=True)[0] for f in (
    torch.exp, torch.sqrt, torch.log, torch.sigmoid, torch.tanh, lambda x: x * x,
    lambda x: x ** 3)]
"""

SAVED = """
# what mul saves depends on who needs it
x = torch.tensor([1., 2.], requires_grad=True)
k = torch.tensor([3., 4.])
y = x * k
result = [y.grad_fn._saved_self, y.grad_fn._saved_other is k, (x * x).grad_fn._saved_self is x]

# a saved leaf is the leaf, a saved result a new tensor
x = torch.tensor([1., 2.], requires_grad=True)
y = x.exp()
s = y.grad_fn._saved_result
result = [s is y, s.grad_fn is y.grad_fn, s.data_ptr() == y.data_ptr(),
    (x * x).grad_fn._saved_other is x]

# names of what is saved
a = torch.tensor([[1., 2.], [3., 4.]], requires_grad=True)
result = [[name for name in dir(op.grad_fn) if name.startswith("_saved_")] for op in (
    a * a, a / a, a ** 2, a.exp(), a.log(), a.sqrt(), a.tanh(), a.sigmoid(), a.relu(), a.sum(),
    a.sum(0), a.mean(), a[0] @ a[0], a.t(), a.transpose(0, 1), a + a, -a, a.abs(), a.clone(), a[0],
    a.max(), torch.where(a > 1, a, a), a.view(4), a.expand(2, 2, 2), a.unsqueeze(0))]

# numbers and sizes that are saved
a = torch.tensor([[1., 2.], [3., 4.]], requires_grad=True)
result = [(a ** 3).grad_fn._saved_exponent, a.sum(0).grad_fn._saved_dim, a.sum(1,
    keepdim=True).grad_fn._saved_keepdim,
          a.transpose(0, 1).grad_fn._saved_dim0, a.sum().grad_fn._saved_self_sym_sizes,
          a.mean().grad_fn._saved_self_sym_numel, a[1].grad_fn._saved_index,
          a[1:].grad_fn._saved_start]

# x * 2 saves the number
x = torch.tensor([1., 2.], requires_grad=True)
result = (x * 2).grad_fn._saved_other

# a second backward through x * 2
x = torch.tensor([1., 2.], requires_grad=True)
y = (x * 2).sum()
y.backward()
y.backward()

# ops that save nothing may run backward twice
x = torch.tensor([[1., 2.], [3., 4.]], requires_grad=True)
for f in (lambda x: x + 2, lambda x: x - 2, lambda x: 2 - x, lambda x: -x, lambda x: x.t(),
    lambda x: x[0],
          lambda x: x.sum(0), lambda x: x.mean(1), lambda x: torch.cat([x, x]),
          lambda x: x.clone()):
    y = f(x).sum()
    y.backward()
    y.backward()
result = x

# ops that save may not
x = torch.tensor([[1., 2.], [3., 4.]], requires_grad=True)
def twice(f):
    y = f(x).sum()
    y.backward()
    y.backward()
result = [attempt(lambda: twice(f)) for f in (
    torch.exp, lambda x: x * 2, lambda x: x * x, lambda x: x ** 2, torch.relu, lambda x: x @ x,
    lambda x: x[[0]], lambda x: x[x > 1], lambda x: torch.where(x > 1, x, 0.), lambda x: x.max(),
    lambda x: x.max(0).values, lambda x: x.masked_fill(x > 1, 0.), lambda x: x.abs(),
    torch.sigmoid)]

# nodes that ran are freed, others are not
x = torch.tensor([1., 2.], requires_grad=True)
h = x.exp()
a, b = h.exp(), h.tanh()
a.sum().backward()
result = [attempt(lambda: a.grad_fn._saved_result), b.grad_fn._saved_result,
    attempt(lambda: b.sum().backward()),
          x.grad, a.grad_fn.next_functions]

# distances of many rows are a product of matrices
many, few, batch = (torch.linspace(0, 9, n).reshape(*shape, 4).sin().requires_grad_()
                    for n, shape in ((104, (26,)), (12, (3,)), (24, (2, 3))))
ways = [torch.cdist(many, few), torch.cdist(batch, many), torch.cdist(few, few + 1),
        torch.cdist(few, batch + 1, compute_mode="use_mm_for_euclid_dist"),
        torch.cdist(many, few, 1.0), torch.cdist(many[:0], many)]
result = [(way, graph(way.grad_fn)) for way in ways]

# reading what was freed
x = torch.tensor([1.], requires_grad=True)
y = x * x
y.backward()
y.grad_fn._saved_self

# a leaf may be run backward again and again
x = torch.tensor(1., requires_grad=True)
x.backward()
x.backward()
result = x

# what ran before a freed node was reached has accumulated
x = torch.tensor([1.], requires_grad=True)
w = torch.tensor([1.], requires_grad=True)
h = x.exp()
h.sum().backward()
y = h + w * 1
result = [attempt(lambda: y.backward()), x.grad, w.grad]

# an accumulator's own error after an in-place change of a saved result
x = torch.tensor([1., 2.], requires_grad=True)
y = x.exp()
y.add_(1)
y.sum().backward()

# the stale tensor is named by its present node
x = torch.tensor([[1., 2.], [3., 4.]], requires_grad=True)
def spoiled(f, g):
    h = x.clone()
    y = f(h)
    g(h)
    y.sum().backward()
result = [attempt(lambda: spoiled(f, g)) for f in (lambda h: h * h, lambda h: h @ h,
    lambda h: h ** 2, torch.log)
          for g in (lambda h: h.add_(1), lambda h: h.mul_(h), lambda h: h[0].zero_(),
              lambda h: h.exp_(),
                    lambda h: h.detach().zero_(), lambda h: h.zero_(), lambda h: h.fill_(2.),
                    lambda h: h.copy_(x))]

# a stale leaf has no node to name
x = torch.tensor([1., 2.], requires_grad=True)
k = torch.tensor([3., 4.])
y = x * k
k.add_(1)
y.sum().backward()

# the check is made on reading, too
x = torch.tensor([1., 2.], requires_grad=True)
y = x.exp()
y.mul_(2)
y.grad_fn.next_functions[0][0]._saved_result

# changing what nothing needs is harmless
x = torch.tensor([1., 2.], requires_grad=True)
h = x * 1
y = (h + 2).sum() + h.sum() + h.view(2, 1).mean()
h.mul_(3)
y.backward()
result = x

# in-place ops that fail on themselves
x = torch.tensor([1., 2.], requires_grad=True)
def on(f):
    y = x * 1
    f(y)
    y.sum().backward()
result = [attempt(lambda: on(f)) for f in (lambda y: y.mul_(y), lambda y: y.exp_().exp_(),
    lambda y: y.relu_(),
    lambda y: y.exp_().tanh_(), lambda y: y.pow_(2).mul_(3), lambda y: y.div_(y))]
"""


@pytest.mark.parametrize(("title", "text"), programs(GRAPH), ids=lambda part: part[:60])
def test_graph(title: str, text: str) -> None:
    both(source(text))


@pytest.mark.parametrize(("title", "text"), programs(SAVED), ids=lambda part: part[:60])
def test_saved(title: str, text: str) -> None:
    both(source(text))
