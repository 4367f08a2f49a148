"""Views and writes in place, of every kind of view and every writing method, against PyTorch."""

import pytest

from tests.compare_engines import both, programs, source

SETUP = """
x = torch.arange(1., 13.).reshape(3, 4).requires_grad_()
w = torch.tensor([2., 3.], requires_grad=True)
k = torch.tensor([[0, 1, 0, 1], [1, 0, 1, 2], [2, 2, 0, 0]])
i = torch.tensor([0, 2])
m = torch.tensor([[True, False, True, False]] * 3)
VIEWS = {
    "select": lambda b: b[1], "slice": lambda b: b[1:], "column": lambda b: b[:, 2],
    "steps": lambda b: b[::2, 1::2], "t": lambda b: b.t(), "transpose": lambda b: b.transpose(0, 1),
    "permute": lambda b: b.permute(1, 0), "view": lambda b: b.view(2, 6),
    "flat": lambda b: b.view(-1),
    "unsqueeze": lambda b: b.unsqueeze(1), "squeeze": lambda b: b.unsqueeze(0).squeeze(0),
    "narrow": lambda b: b.narrow(1, 1, 2), "diagonal": lambda b: b.diagonal(1),
    "alias": lambda b: b[...], "as_strided": lambda b: b.as_strided((2, 2), (1, 4), 1),
    "unflatten": lambda b: b.unflatten(1, (2, 2)), "movedim": lambda b: b.movedim(0, 1),
    "mT": lambda b: b.mT, "T": lambda b: b.T, "tensor_split": lambda b: b.tensor_split(2)[1],
    "windows": lambda b: b.unfold(1, 2, 2), "chain": lambda b: b.t()[1:3].unsqueeze(0)[0, :, 1:],
    "expand": lambda b: b[:1].expand(1, 4), "none": lambda b: b[None, 1],
    "unbind": lambda b: b.unbind()[1],
    "split": lambda b: b.split(2)[0], "sizes": lambda b: b.split([1, 2])[1],
    "chunk": lambda b: b.chunk(2, 1)[1],
    "ravel": lambda b: b.ravel(), "atleast": lambda b: torch.atleast_3d(b),
    "broadcast": lambda b: torch.broadcast_to(b, (3, 4)), "swapaxes": lambda b: b.swapaxes(-1, 0),
}
def tried(f):
    base = x * 1
    return attempt(lambda: f(base))
"""

PROGRAMS = """
# every view is written through
def one(view, write):
    b = x * 2
    v = view(b)
    other = b[0]
    write(v)
    out = (b * b).sum() + (v * 3).sum() + other.sum()
    return [b, v, other, graph(b.grad_fn), v.grad_fn, plain(torch.autograd.grad(out, x))]
result = [[attempt(lambda: one(view, write)) for view in VIEWS.values()] for write in (
    lambda v: v.mul_(3), lambda v: v.zero_(), lambda v: v.copy_(v.detach() + 1),
    lambda v: v.exp_())]

# every view's base is written
def one(view):
    b = x * 2
    v = view(b)
    b.mul_(w[0])
    return [b, attempt(lambda: [v, v.grad_fn, plain(torch.autograd.grad((v * v).sum(), (x, w[0]),
    allow_unused=True)[:1])])]
result = [attempt(lambda: one(view)) for view in VIEWS.values()]

# every view of a plain base comes to require grad
def one(view):
    b = torch.arange(12.).reshape(3, 4)
    v, u = view(b), b[1:]
    v.mul_(w[0])
    return [b, v, u, graph(b.grad_fn), graph(u.grad_fn), plain(torch.autograd.grad((b * b).sum(),
    w))]
result = [attempt(lambda: one(view)) for view in VIEWS.values()]

# a view of a leaf is not written
result = [attempt(lambda: view(x).add_(1)) for view in VIEWS.values()]
seen = [x._version, x]

# a view made under no_grad
def one(view):
    b = x * 1
    with torch.no_grad():
        v = view(b)
    first = [v, v.requires_grad, attempt(lambda: v.grad_fn), attempt(lambda: v.mul_(2))]
    b.add_(1)
    return [first, attempt(lambda: v.grad_fn), attempt(lambda: v.is_leaf), attempt(lambda: v * 2)]
result = [attempt(lambda: one(view)) for view in VIEWS.values()]

# a view made under no_grad in an op
def one(view, f):
    b = x * 1
    with torch.no_grad():
        v = view(b)
    out = f(v, w)
    return [out, graph(out.grad_fn), [getattr(out.grad_fn, name) for name in dir(out.grad_fn)
            if name in ("_saved_self", "_saved_other", "_saved_result")]]
result = [attempt(lambda: one(view, f)) for view in (VIEWS["select"], VIEWS["flat"], VIEWS["t"])
          for f in (lambda v, w: v * w[0], lambda v, w: v * 2, lambda v, w: v.exp(), lambda v,
    w: v + w[0],
                    lambda v, w: v @ v.detach().t() if v.dim() > 1 else v * v)]

# an op of a view made under no_grad, and then a write
b = x * 1
with torch.no_grad():
    v = b[0]
out = v * w[0]
with torch.no_grad():
    b.add_(1)
result = attempt(lambda: plain(torch.autograd.grad(out.sum(), w)))

# under no_grad everything is written
def one(view):
    with torch.no_grad():
        v = view(x)
        v.mul_(2)
    return [v._version, x._version, x.is_leaf]
result = [attempt(lambda: one(view)) for view in VIEWS.values()]

# methods that write
WRITES = [
    lambda b: b.scatter_(0, k, b.detach().clone()), lambda b: b.scatter_(0, k, 2.),
    lambda b: b.scatter_add_(0, k, x), lambda b: b.scatter_reduce_(0, k, x, "amax"),
    lambda b: b.index_add_(0, i, x[:2]),
    lambda b: b.index_put_((i, i), w), lambda b: b.masked_fill_(m, 1.),
    lambda b: b.masked_fill_(m, w[0]), lambda b: b.tril_(),
    lambda b: b.triu_(1), lambda b: b.fill_diagonal_(2.), lambda b: b.t_(),
    lambda b: b.swapaxes_(0, 1),
    lambda b: b.unsqueeze_(-1), lambda b: b.squeeze_(), lambda b: b.as_strided_((2, 2), (1, 2)),
    lambda b: b.transpose_(-1, 0),
]
def one(f):
    b = x * 2
    v = b[0]
    before = b.grad_fn
    out = f(b)
    reported = [out is b, b, graph(b.grad_fn), b._version, attempt(lambda: [v, v.grad_fn])]
    return [*reported, plain(torch.autograd.grad((b * b).sum(), (x, w), allow_unused=True)[:1])]
result = [attempt(lambda: one(f)) for f in WRITES]

# methods that write, through views
def one(f):
    b = torch.cat([x, x]) * 2
    v = b[:3]
    f(v)
    return [b, v, graph(b.grad_fn), attempt(lambda: v.grad_fn), b._version,
            plain(torch.autograd.grad((b * b).sum(), (x, w), allow_unused=True)[:1])]
result = [attempt(lambda: one(f)) for f in (
    lambda b: b.scatter_(0, k, 2.), lambda b: b.scatter_add_(0, k, x), lambda b: b.index_add_(0, i,
    x[:2]),
    lambda b: b.index_put_((i, i), w),
    lambda b: b.masked_fill_(m, 1.), lambda b: b.masked_fill_(m, w[0]),
    lambda b: b.tril_(), lambda b: b.fill_diagonal_(2.),
    lambda b: b.t_(), lambda b: b.unsqueeze_(0), lambda b: b.squeeze_(), lambda b: b.transpose_(0,
    1))]

# methods that write, on leaves
result = [attempt(lambda: f(x)) for f in (
    lambda b: b.scatter_(0, k, 2.), lambda b: b.scatter_add_(0, k, x), lambda b: b.index_add_(0, i,
    x[:2]),
    lambda b: b.index_put_((i, i), w),
    lambda b: b.masked_fill_(m, 1.), lambda b: b.masked_fill_(m, w[0]),
    lambda b: b.tril_(), lambda b: b.fill_diagonal_(2.),
    lambda b: b.t_(), lambda b: b.unsqueeze_(0), lambda b: b.squeeze_(),
    lambda b: b.as_strided_((2,), (1,)),
    lambda b: b.resize_(2, 2), lambda b: b.swapaxes_(0, 1), lambda b: b.detach_(),
    lambda b: b.index_put_((i + 9,), w))]

# methods that write, with what they read overlapping
result = [tried(f) for f in (
    lambda b: b.scatter_(0, k, b), lambda b: b.scatter_add_(0, k, b),
    lambda b: b.scatter_reduce_(0, k, b, "sum"),
    lambda b: b.index_add_(0, i, b[:2]),
    lambda b: b.index_add_(0, torch.arange(3), b),
    lambda b: b.masked_fill_(m, b[0, 0]),
    lambda b: b.index_put_((i, i), b[0, :2]))]

# methods that write, on expanded tensors
e = torch.ones(3, 1)
def one(f):
    return attempt(lambda: f(e.clone().expand(3, 4)))
y = x.detach()
result = [one(f) for f in (
    lambda b: b.scatter_(0, k, 2.), lambda b: b.scatter_add_(0, k, y), lambda b: b.index_add_(0, i,
    y[:2]),
    lambda b: b.masked_fill_(m, 1.), lambda b: b.tril_(),
    lambda b: b.fill_diagonal_(2.), lambda b: b.scatter_reduce_(0, k, y, "amax"),
    lambda b: b.exp_(), lambda b: b.zero_())]

# resize_
b = torch.arange(6.).reshape(2, 3)
v = b[0]
result = [b.resize_(2, 2), v, b._version, b.resize_(3), b.resize_(2, 3), b._version, b.resize_(2,
    3)._version,
          b.t().resize_(2, 2), b[1:].resize_(2), b.resize_(0)]

# as_strided reads where the view does not
b = x * 2
v = b[1:]
s = v.as_strided((2,), (1,), 0)
u = b[:, 1].as_strided((2,), (2,))
result = [s, u, graph(s.grad_fn), s._base is b, plain(torch.autograd.grad(s.sum() + (u * u).sum(),
    x))]

# as_strided written through
b = x * 2
s = b.as_strided((2, 2), (5, 1), 1)
s.mul_(w[0])
t = b.t()
q = t.as_strided((2,), (3,), 2)
q.add_(1)
result = [b, s, q, graph(b.grad_fn), s.grad_fn, plain(torch.autograd.grad((b * b).sum(), (x, w)))]

# partially overlapping operands
def f(write):
    b = torch.arange(8.)
    return attempt(lambda: write(b))
result = [f(write) for write in (lambda b: b[1:].add_(b[:-1]), lambda b: b[:4].add_(b[4:]),
    lambda b: b[::2].mul_(b[1::2]),
    lambda b: b.view(2, 4).add_(b[:4]), lambda b: b.copy_(b.flip(0)),
    lambda b: b[:4].copy_(b[2:6]), lambda b: b.mul_(b),
    lambda b: b.add_(b[0]), lambda b: b[:1].add_(b[0]), lambda b: b.view(2, 4).t().add_(b.view(2,
    4).t()),
    lambda b: b.view(2, 4).add_(b.view(4, 2).t()), lambda b: b.addcmul_(b, b) if hasattr(b,
    "addcmul_") else b)]

# the base changes its sizes after the view was made
def one(change, view):
    b = x * 2
    v = view(b)
    change(b)
    first = [b, v, attempt(lambda: v.grad_fn), plain(torch.autograd.grad((v * v).sum(), x,
    retain_graph=True))]
    v.mul_(w[0])
    return [*first, b, graph(b.grad_fn), plain(torch.autograd.grad((b * b).sum(), (x, w)))]
result = [attempt(lambda: one(change, view)) for view in (VIEWS["select"], VIEWS["t"],
    VIEWS["column"])
          for change in (lambda b: b.unsqueeze_(0), lambda b: b.t_(), lambda b: b.squeeze_(),
                         lambda b: b.transpose_(0, 1), lambda b: b.unsqueeze_(-1))]

# requires_grad of views
b = torch.zeros(3)
v = b[1:]
v.requires_grad_()
result = [v.is_leaf, v.requires_grad, b.requires_grad, attempt(lambda: v.mul_(2)),
    attempt(lambda: b.mul_(2)), v, b]

# dtype views
b = torch.arange(4.)
v = b.view(torch.int32)
v.add_(1)
result = [b._version, v, v._is_view(), v.view(torch.float32), x.detach().view(torch.int64)]

# a view without a history is taken for a leaf when it is written, once its base has got one, until
# somebody asks for its own
results = []
looks = (lambda v: None, lambda v: v.requires_grad, lambda v: v._version, lambda v: v.detach(),
         lambda v: v.is_leaf, lambda v: v.grad_fn, lambda v: v + 1, lambda v: v[1:], repr)
writes = (lambda v: v.add_(1), lambda v: v.exp_(), lambda v: v.copy_(torch.ones(3, 2)),
          lambda v: v.t_(), lambda v: v.unsqueeze_(0), lambda v: v.as_strided_((2,), (1,)),
          lambda v: v.requires_grad_(), lambda v: v.__setitem__(0, 1.), lambda v: v.detach_())
for look in looks:
    for write in writes:
        w, base = torch.ones(1, requires_grad=True), torch.ones(6)
        v = base.view(3, 2)
        base.mul_(w)
        look(v)
        error = attempt(lambda: write(v) and None)
        results.append((error, v._version, v.is_leaf, v.grad_fn.name()))
result = results

# views that a custom Function returns are such where nothing is recorded, too
class Row(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x[:1]
    @staticmethod
    def backward(ctx, g):
        return g
class Rows(Row):
    @staticmethod
    def forward(ctx, x):
        return x[:1], x[1:]
result = []
for mode in (torch.no_grad, torch.inference_mode, torch.enable_grad):
    for function in (Row, Rows):
        for make in (lambda: torch.ones(3, requires_grad=True), lambda: torch.ones(3)):
            x = make()
            with mode():
                row = function.apply(x)
            for part in row if isinstance(row, tuple) else (row,):
                result += [part._is_view(), attempt(lambda: part.add_(1))]
            x = make() * 2
            with mode():
                row = function.apply(x)
            x.add_(torch.ones(3, requires_grad=True))
            for part in row if isinstance(row, tuple) else (row,):
                result += [attempt(lambda: part.grad_fn is None)]

# a view is written by what leads nowhere
results = []
for write in (lambda a, b: a.add_(b), lambda a, b: a.mul_(b), lambda a, b: a.copy_(b),
              lambda a, b: a.addcmul_(b, b), lambda a, b: a.fill_(b[0])):
    for make in (lambda: torch.ones(3), lambda: torch.ones(3, requires_grad=True) * 1):
        x, y = make(), torch.tensor([[.5, 1., 2.]], requires_grad=True)
        a = x.view(3)
        with torch.no_grad():
            b = y[0]
        write(a, b)
        results += [graph(x.grad_fn), attempt(lambda: (a * 2).sum().backward()), y.grad]
result = results
"""


@pytest.mark.parametrize(("title", "text"), programs(PROGRAMS), ids=lambda part: part[:60])
def test_views(title: str, text: str) -> None:
    both(source(SETUP + text))
