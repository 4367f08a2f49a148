"""The graph that calls leave behind: nodes, names, slots, what is saved, what is freed."""

import pytest

from tests.compare_engines import both, programs, source

GRAPH = """
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

# several outputs share a node
x = torch.tensor([[1., 2.], [3., 4.]], requires_grad=True)
u, v = x
values, indices = x.max(1)
result = [u.grad_fn is v.grad_fn, u.output_nr, v.output_nr, values, indices, u.grad_fn,
    values.grad_fn,
          (u * v).grad_fn.next_functions]
"""

SAVED = """
# a saved leaf is the leaf, a saved result a new tensor
x = torch.tensor([1., 2.], requires_grad=True)
y = x.exp()
s = y.grad_fn._saved_result
result = [s is y, s.grad_fn is y.grad_fn, s.data_ptr() == y.data_ptr(),
    (x * x).grad_fn._saved_other is x]

# a second backward through x * 2
x = torch.tensor([1., 2.], requires_grad=True)
y = (x * 2).sum()
y.backward()
y.backward()

# nodes that ran are freed, others are not
x = torch.tensor([1., 2.], requires_grad=True)
h = x.exp()
a, b = h.exp(), h.tanh()
a.sum().backward()
result = [attempt(lambda: a.grad_fn._saved_result), b.grad_fn._saved_result,
    attempt(lambda: b.sum().backward()),
          x.grad, a.grad_fn.next_functions]

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
