"""Versions, in-place writes and views."""

import pytest

import graphwidget
from tests.compare_engines import both, programs, source

VERSIONS = """
# what counts
x = torch.tensor([[1., 2.], [3., 4.]])
seen = [x._version]
for f in (lambda: x.add_(1), lambda: x[0].add_(1), lambda: x.detach().zero_(),
    lambda: x.view(4).fill_(2.),
          lambda: x.__setitem__(0, 1.), lambda: x[0].__setitem__(0, 1.), lambda: x.t_(),
          lambda: x.unsqueeze_(0),
          lambda: x.squeeze_(0), lambda: x.copy_(torch.ones(2, 2)), lambda: x.exp_(),
          lambda: x.T.mul_(2),
          lambda: x + 1, lambda: x.reshape(4), lambda: x.data.zero_(),
          lambda: x.requires_grad_(False),
          lambda: attempt(lambda: x.add_(torch.ones(3))), lambda: x.numpy().fill(3.),
          lambda: x.clone().add_(1)):
    f()
    seen.append(x._version)
result = [seen, x, x.data._version, x.clone()._version, x.detach()._version, x[0]._version]

# item assignment with an operator counts twice
x = torch.tensor([1., 2.])
x[0] += 1
first = x._version
x += 1
result = [first, x._version, x]

# no_grad does not stop counting
x = torch.tensor([1., 2.], requires_grad=True)
with torch.no_grad():
    x.add_(1)
    x[0] = 5.
result = x

# data has a counter of its own
x = torch.tensor([1., 2.])
d = x.data
d.add_(1)
x.data = torch.tensor([7., 8.])
result = [x, d, x._version, d._version]

# changing data is not noticed
x = torch.tensor([1., 2.], requires_grad=True)
y = x * x
x.data.add_(10)
y.sum().backward()
result = x

# versions cannot be set
x = torch.tensor([1.])
result = [attempt(lambda: setattr(x, "_version", 3)), attempt(lambda: setattr(x, "grad_fn", 3)),
          attempt(lambda: setattr(x, "is_leaf", 3))]
"""

WRITES = """
# leaves that require grad
x = torch.tensor([1., 2.], requires_grad=True)
def change(f): return attempt(f)
result = [change(lambda: x.add_(1)), change(lambda: x.__iadd__(1)),
    change(lambda: x.__setitem__(slice(None), 0)),
          change(lambda: x.__setitem__(0, 1)), change(lambda: x.__setitem__(x > 1, 0.)),
          change(lambda: x[0].add_(1)),
          change(lambda: x[1:].mul_(2)), change(lambda: x.zero_()), change(lambda: x.view(2,
          1).exp_()),
          change(lambda: x.__setitem__(..., 0.)), change(lambda: x.t_()),
          change(lambda: x.unsqueeze_(0)), x._version, x]

# a leaf that came to require grad after the view was made
x = torch.tensor([1., 2.])
v = x[0]
x.requires_grad_()
result = [attempt(lambda: v.add_(1)), v.requires_grad, v.is_leaf, x]

# under no_grad leaves may be changed
x = torch.tensor([1., 2.], requires_grad=True)
with torch.no_grad():
    x[:] = 10.
    x += 1
    x[0].mul_(2)
result = x

# a plain leaf turns into a non-leaf
p = torch.tensor([1., 2.])
w = torch.tensor([3., 4.], requires_grad=True)
p.mul_(w)
result = [p, p.is_leaf, graph(p.grad_fn)]

# history is replaced
x = torch.tensor([1., 2.], requires_grad=True)
y = x * 2
before = y.grad_fn
y.exp_()
result = [y, y.grad_fn.next_functions[0][0] is before, graph(y.grad_fn)]

# shapes and types that do not fit
x = torch.ones(3)
i = torch.tensor([1, 2, 3])
result = [attempt(lambda: x.add_(torch.ones(2, 3))), attempt(lambda: i.add_(1.5)),
    attempt(lambda: i.mul_(x)),
          attempt(lambda: i.div_(2)), attempt(lambda: i.__itruediv__(2)), x._version, i._version]

# tensors that overlap themselves
x = torch.ones(2, 1).expand(2, 3)
result = [attempt(lambda: x.add_(1)), attempt(lambda: x.copy_(torch.ones(2, 3))),
          attempt(lambda: x.__setitem__(slice(None), torch.ones(2, 3))),
          attempt(lambda: x.exp_())]

# fill of a tensor that overlaps itself
x = torch.ones(2, 1).expand(2, 3)
x.zero_()
x.fill_(3.)
x[0, 0] = 5.
result = x

# operands that overlap
x = torch.arange(4.)
m = torch.ones(2, 2)
result = [attempt(lambda: x[1:].add_(x[:-1])), attempt(lambda: m.mul_(m[0])),
    attempt(lambda: x.add_(x)), x,
          attempt(lambda: m.add_(m.t())), attempt(lambda: m.copy_(m.t()))]

# names of in-place nodes
def made(f):
    x = torch.tensor([[1., 2.], [3., 4.]], requires_grad=True)
    y = x * 1
    f(y)
    return [y, graph(y.grad_fn)]
w = torch.tensor([1., 2.], requires_grad=True)
result = [made(f) for f in (
    lambda y: y.add_(1), lambda y: y.sub_(w), lambda y: y.mul_(w), lambda y: y.div_(2),
    lambda y: y.pow_(2),
    lambda y: y.zero_(), lambda y: y.fill_(2.), lambda y: y.fill_(w[0]), lambda y: y.copy_(w),
    lambda y: y.exp_(),
    lambda y: y.t_(), lambda y: y.squeeze_(), lambda y: y.unsqueeze_(0),
    lambda y: y.transpose_(0, 1),
    lambda y: y.neg_(), lambda y: y.abs_(), lambda y: y.masked_fill_(y > 2, 0.),
    lambda y: y.clamp_(1, 3),
    lambda y: y.square_(), lambda y: y.sqrt_(), lambda y: y.relu_())]

# names of assignments
def made(f):
    x = torch.tensor([[1., 2.], [3., 4.]], requires_grad=True)
    y = x * 1
    f(y)
    return [y, graph(y.grad_fn)]
w = torch.tensor([1., 2.], requires_grad=True)
k = torch.tensor([1., 2.])
result = [made(f) for f in (
    lambda y: y.__setitem__(0, 5.), lambda y: y.__setitem__(0, w),
    lambda y: y.__setitem__(slice(None), 5.),
    lambda y: y.__setitem__(slice(None), w), lambda y: y.__setitem__(..., 5.),
    lambda y: y.__setitem__(..., k),
    lambda y: y.__setitem__(slice(1, None), k), lambda y: y.__setitem__((0, 1), 3.),
    lambda y: y.__setitem__(None, 3.),
    lambda y: y.__setitem__(y > 2, 0.), lambda y: y.__setitem__([0], 2.),
    lambda y: y.__setitem__([0, 1], w),
    lambda y: y.__setitem__((slice(None), 0), w), lambda y: y.__setitem__(torch.tensor([1]), k))]

# gradients of assignments
x = torch.tensor([[1., 2.], [3., 4.]], requires_grad=True)
w = torch.tensor([5., 6.], requires_grad=True)
y = x * 2
y[0] = w
y[:, 1] *= w
y[y > 9] = 1.
(y * y).sum().backward()
result = [x, w, y]

# x.mul_(x) and friends in backward
x = torch.tensor([1., 2.], requires_grad=True)
def on(f):
    x.grad = None
    y = x * 1
    f(y)
    y.sum().backward()
    return x.grad
result = [attempt(lambda: on(f)) for f in (lambda y: y.add_(y), lambda y: y.mul_(2).add_(3),
    lambda y: y.exp_(),
    lambda y: y.pow_(3), lambda y: y.log_(), lambda y: y.mul_(x), lambda y: y.div_(x),
    lambda y: y.sigmoid_(),
    lambda y: y.tanh_(), lambda y: y.sqrt_(), lambda y: y.abs_(), lambda y: y.neg_(),
    lambda y: y.zero_(),
    lambda y: y.fill_(3.), lambda y: y.copy_(x * x), lambda y: y.sub_(x), lambda y: y.square_())]

# a whole-tensor write can run backward twice, a CopySlices cannot
x = torch.tensor([1., 2.], requires_grad=True)
def twice(f):
    y = x * 1.0
    y = y + 0
    f(y)
    s = y.sum()
    s.backward()
    s.backward()
result = [attempt(lambda: twice(f)) for f in (lambda y: y.add_(1), lambda y: y.neg_(),
    lambda y: y[0].add_(1),
          lambda y: y.__setitem__(0, 1.))]
"""

VIEWS = """
# kinds of views
x = torch.arange(6.).reshape(2, 3)
views = [x.view(3, 2), x.t(), x.transpose(0, 1), x.permute(1, 0), x.unsqueeze(0),
    x[None].squeeze(0), x.expand(2, 2, 3),
         x.select(0, 1), x[1], x[1:], x.narrow(1, 0, 2), x.diagonal(), x.unbind()[0],
         x.split(1)[1], x.chunk(2)[0],
         x[...], x[:], x.detach(), x.flatten(), x.reshape(6), x.t().reshape(6), x.contiguous(),
         x.data,
         x.T, x.view_as(x), x.ravel(),
         x.t().flatten()]
result = [[v._is_view(), v._base is x or (None if v._base is None else v._base is x._base),
    v] for v in views]

# a view of a view has the root as its base
x = torch.arange(6.).reshape(2, 3).clone()
v = x[0][1:].unsqueeze(0)
result = [v._base is x, v]

# strides of results
x = torch.arange(6.).reshape(2, 3)
t = x.t()
result = [t.exp(), t.clone(), t + t, t * 2, torch.zeros_like(t), torch.where(t > 1, t, t),
    t.double(), t.contiguous(),
          t.sum(0), torch.cat([t, t]), torch.stack([t, t]), t @ x, t.reshape(6),
          attempt(lambda: t.exp().view(-1)),
          t.relu(), -t, t.masked_fill(t > 1, 0.)]

# writing through a view
x = torch.tensor([1., 2., 3.], requires_grad=True)
w = torch.tensor(4., requires_grad=True)
b = x * 2
v = b[1:]
other = b[:2]
v.mul_(w)
b.sum().backward()
result = [b, v, other, x, w, graph(b.grad_fn), graph(v.grad_fn), graph(other.grad_fn)]

# the view is the first to require grad
b = torch.zeros(3)
w = torch.tensor(4., requires_grad=True)
v = b[1:]
u = b.view(3, 1)
v.add_(w)
(b * b).sum().backward()
result = [b, v, u, w, b.requires_grad, v.requires_grad, u.requires_grad, u.grad_fn]

# writing the base makes the views anew
x = torch.tensor([[1., 2.], [3., 4.]], requires_grad=True)
b = x * 2
views = [b.t(), b[0], b.view(4), b.unsqueeze(0), b.detach()]
b.mul_(3)
result = [views, [graph(v.grad_fn) for v in views[:4]]]

# also under no_grad and through detach
x = torch.tensor([1., 2.], requires_grad=True)
b = x * 2
v = b[:1]
with torch.no_grad():
    b.mul_(3)
first = v.grad_fn
b.detach().mul_(2)
second = v.grad_fn
v.sum().backward()
result = [first, second, x]

# gradients through views made anew
x = torch.tensor([[1., 2.], [3., 4.]], requires_grad=True)
b = x * 2
t, r, f = b.t(), b[0], b.view(4)
b[0, 0] = 7.
b.t()[1].mul_(3)
r.add_(1)
((t * t).sum() + (r ** 3).sum() + f.sum()).backward()
result = [x, b, t, r, f]

# a chain of views written at both ends
x = torch.arange(8., requires_grad=True)
b = (x + 1).view(2, 4)
v = b.t()[1:3]
w = v[0]
w.mul_(2)
v.add_(b[0, 0].clone())
b.sum().backward()
result = [x, b, v, w]

# a view that another op saved
x = torch.tensor([1., 2., 3.], requires_grad=True)
y = x * 1
y[0] = y[1] * y[2]
y.sum().backward()

# the way out is a clone
x = torch.tensor([1., 2., 3.], requires_grad=True)
y = x * 1
y[0] = y[1].clone() * y[2].clone()
y.sum().backward()
result = x

# several views at once may not be written
x = torch.tensor([[1., 2.], [3., 4.]], requires_grad=True)
y = x * 1
u, v = y
s = y.split(1)[0]
c = y.split([1, 1])[1]
result = [attempt(lambda: u.add_(1)), attempt(lambda: v.mul_(2)), attempt(lambda: s.zero_()),
    attempt(lambda: c.add_(1)),
          attempt(lambda: u.view(2).add_(1)), attempt(lambda: u.__setitem__(0, 1.)), y._version]

# and may not be used after the base was written
x = torch.tensor([[1., 2.], [3., 4.]], requires_grad=True)
y = x * 1
u, v = y
y.add_(1)
result = [attempt(lambda: u + 1), attempt(lambda: v.grad_fn), attempt(lambda: u.is_leaf),
    u.detach(), u.tolist(), repr(u)]

# views made under no_grad
x = torch.tensor([1., 2.], requires_grad=True)
y = x * 1
with torch.no_grad():
    v = y[:1]
result = [v, v.requires_grad, attempt(lambda: v.add_(1)), attempt(lambda: v.__setitem__(0, 1.)),
    attempt(lambda: v[0].add_(1))]

# views made under no_grad after a change of the base
x = torch.tensor([1., 2.], requires_grad=True)
y = x * 1
with torch.no_grad():
    v = y[:1]
    w = y[:][0]
    y.add_(1)
result = [attempt(lambda: v.grad_fn), attempt(lambda: v.is_leaf), attempt(lambda: v * 2),
    attempt(lambda: w.grad_fn), repr(v)]

# harmless where nothing requires grad
x = torch.tensor([1., 2.])
with torch.no_grad():
    v = x[:1]
v.add_(1)
x.mul_(2)
result = [x, v]

# detach_ and views
x = torch.tensor([1., 2.], requires_grad=True)
y = x * 1
v = y[0]
result = [attempt(lambda: v.detach_()), y.detach_() is y, y, v.requires_grad]

# sizes that do not fit
x = torch.arange(6.).reshape(2, 3)
result = [attempt(lambda: x.t().view(6)), attempt(lambda: x.view(4)), attempt(lambda: x.view(-1,
    -1)),
          attempt(lambda: x.view(-1, 4)), attempt(lambda: x.reshape(4)),
          attempt(lambda: x.expand(3)),
          attempt(lambda: x.expand(3, 3)), attempt(lambda: x.permute(0, 0)),
          attempt(lambda: x.permute(0)),
          attempt(lambda: x.unsqueeze(0).t()), attempt(lambda: x.transpose(0, 2)),
          attempt(lambda: x.select(0, 2)),
          attempt(lambda: x.narrow(0, 1, 2)), attempt(lambda: x.unsqueeze(4)),
          attempt(lambda: x.squeeze(2))]
"""


def test_operands_that_overlap_are_read_before_they_are_written() -> None:
    x = graphwidget.arange(9.0).reshape(3, 3)
    x[:, :2].add_(x[:, 1:])
    assert x.tolist() == [[1, 3, 2], [7, 9, 5], [13, 15, 8]]
    x = graphwidget.arange(9.0).reshape(3, 3)
    x[:, 1:].copy_(x[:, :2])
    assert x.tolist() == [[0, 0, 1], [3, 3, 4], [6, 6, 7]]
    windows = graphwidget.ones(4).unfold(0, 2, 1)
    windows.mul_(2).sigmoid_()
    assert windows.tolist() == [[graphwidget.tensor(2.0).sigmoid().item()] * 2] * 3


def test_a_division_that_fails_writes_nothing() -> None:
    x = graphwidget.tensor([6, 7])
    with pytest.raises(RuntimeError):
        x.floor_divide_(graphwidget.tensor([2, 0]))
    assert x.tolist() == [6, 7]


@pytest.mark.parametrize(("title", "text"), programs(VERSIONS), ids=lambda part: part[:60])
def test_versions(title: str, text: str) -> None:
    both(source(text))


@pytest.mark.parametrize(("title", "text"), programs(WRITES), ids=lambda part: part[:60])
def test_writes(title: str, text: str) -> None:
    both(source(text))


@pytest.mark.parametrize(("title", "text"), programs(VIEWS), ids=lambda part: part[:60])
def test_views(title: str, text: str) -> None:
    both(source(text))


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int64", "float16"])
@pytest.mark.parametrize("columns", [2, 4, 8, 16])
def test_negative_of_a_column(dtype: str, columns: int) -> None:
    both(
        source(f"""
t = torch.arange(3 * {columns}).reshape(3, {columns}).to(torch.{dtype})
t[:, 0].neg_()
t.t()[1].neg_()
result = t
""")
    )


REPEATED = [
    "x.masked_fill_(x > 0, 1.0)",
    "x.index_put_((torch.tensor([0]),), torch.ones(3))",
    "x.index_put_((x > 0,), torch.tensor(2.0))",
    "x.index_put_((torch.tensor([0, 5]),), torch.ones(3))",
]  # fmt: skip


@pytest.mark.parametrize("call", REPEATED)
def test_warnings_of_repeated_items(call: str) -> None:
    both(
        source(f"""
leaf = torch.ones(1, 3, requires_grad=True)
result = [attempt(lambda: {call}) for x in (torch.ones(1, 3).expand(2, -1), leaf.expand(2, -1),
    (leaf * 1).expand(2, -1), torch.ones(1, 3).bool().expand(2, -1), torch.ones(2, 3))]
""")
    )
