"""Rules about histories, saved tensors and gradients that random programs found, each held here by
name: who looks at a tensor, and when, may change what comes of it."""

from __future__ import annotations

import pytest

from tests.both import both, programs, source

FOUND = """
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

# saved-tensor hooks are given what is about to be written before that
results, seen = [], []
for write in (lambda u: u.mul_(u), lambda u: u[None].mul_(u.clone()), lambda u: u.div_(u[0]),
              lambda u: u.__setitem__(None, u[None].mul_(u[None])), lambda u: u[:1].mul_(u[1:])):
    x = torch.tensor([1., 2.], requires_grad=True)
    u = x * 2
    with torch.autograd.graph.saved_tensors_hooks(
            lambda t: seen.append(t.tolist()) or t.clone(), lambda t: t):
        write(u)
    g, = torch.autograd.grad(u.sum(), x, create_graph=True)
    results.append((g, attempt(lambda: torch.autograd.grad(g.sum(), x)[0])))
result = results, seen

# where pack refuses, nothing was written
u = torch.tensor([1., 2.], requires_grad=True) * 2
def refuse(t):
    raise ValueError("no")
with torch.autograd.graph.saved_tensors_hooks(refuse, lambda t: t):
    error = attempt(lambda: u[:1].mul_(3))
result = error, u, u._version

# create_graph records into leaves, whatever the mode outside
results = []
for on in (True, False):
    x, w = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    with torch.set_grad_enabled(on):
        x.backward(x, create_graph=True)
        w.backward(torch.ones(2), create_graph=True)
        w.backward(x, create_graph=True)
    results += [x.grad, x.grad.requires_grad, graph(x.grad.grad_fn), w.grad, graph(w.grad.grad_fn)]
result = results

# messages number the outputs of Functions by their place among all
class Both(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        return x, x * y, y
    @staticmethod
    def backward(ctx, a, b, c):
        seen.append((a.tolist(), b.tolist(), c.tolist()))
        return a + b, c
seen, results = [], []
x, y = torch.ones(2, requires_grad=True) * 1, torch.ones(2, requires_grad=True) * 1
for place in range(3):
    outs = Both.apply(x, y)
    results.append(attempt(lambda: outs[place].add_(1)))
outs = Both.apply(x, y)
outs[1].sum().backward()
with torch.no_grad():
    y.add_(1)
result = results, seen, [attempt(lambda: out + 1) for out in outs]

# set_ has a node that refuses
results = []
for given in (lambda t: (t * 3,), lambda t: (torch.ones(4),), lambda t: (torch.ones(4), 0, (2,)),
              lambda t: (torch.ones(4).untyped_storage(), 0, (2,)), lambda t: ()):
    for make in (lambda t: t * 2, lambda t: torch.ones(2, 3), lambda t: t):
        t = torch.ones(2, 3, requires_grad=True)
        u = make(t)
        error = attempt(lambda: u.set_(*given(t)) and None)
        results += [error, u.shape, u.requires_grad, u._version, u._is_view(), graph(u.grad_fn),
                    attempt(lambda: u.sum().backward()), t.grad]
result = results

# what writes into itself, or refuses to
results = []
for write in (lambda x: x.conj_physical_(), lambda x: (x * 1).conj_physical_()._version,
              lambda x: x[0].conj_physical_(), lambda x: x.set_(torch.ones(2).double()),
              lambda x: torch.tensor([1., 2.]).bernoulli(0.5).grad_fn,
              lambda x: x.bernoulli(0.5).grad_fn.name(),
              lambda x: x.bernoulli(0.5).sum().backward()):
    results.append(attempt(lambda: write(torch.ones(2, requires_grad=True))))
x, y = torch.tensor([1., 2., 3.]), torch.tensor(1.)
results += [attempt(lambda: x.masked_scatter_(x > 0, torch.tensor([7.]))), x, x._version,
            y.masked_scatter_(y > 0, y), y._version]
for make in (lambda o: torch.zeros(2, 2, out=o), lambda o: torch.arange(4, out=o),
             lambda o: torch.ones(2, 2, out=o, requires_grad=True)):
    for leaf in (True, False):
        o = torch.ones(2, 2, requires_grad=True)
        o = o if leaf else o * 1
        with torch.no_grad():
            make(o)
        results.append((o, o.requires_grad, o.is_leaf))
result = results

# the deviation of one dim is derived without another
results = []
for f in (torch.std, torch.var):
    for dim in (0, -1, (0,), None):
        x = torch.arange(3.).requires_grad_()
        g, = torch.autograd.grad((f(x, dim) ** 2).sum(), x, create_graph=True)
        results += [graph(g.grad_fn), torch.autograd.grad(g.pow(2).sum(), x)[0]]
result = results

# a view without a history has no edge
with torch.no_grad():
    v = torch.ones(2, requires_grad=True).view(2)
result = [attempt(lambda: torch.autograd.graph.get_gradient_edge(v)),
          attempt(lambda: torch.autograd.graph.register_multi_grad_hook((v,), print)),
          attempt(lambda: torch.tensor(1.).slice_scatter(v, 0, 0, 1)),
          attempt(lambda: torch.cross(torch.tensor(1.), torch.tensor(1.), dim=-1))]

# a product's gradient is multiplied before it takes its shape
results = []
for numbers in ([1., 2., 3., 4.], [0., 2., 3., 4.], [0., 2., 0., 4.], [0.], [2.]):
    for f in (lambda y: y.prod(), lambda y: y.prod(0), lambda y: y.view(-1, 1).prod(1),
              lambda y: y.view(1, -1).prod(0, keepdim=True)):
        x = torch.tensor(numbers, dtype=torch.float64, requires_grad=True)
        g, = torch.autograd.grad((f(x * 1) ** 2).sum(), x, create_graph=True)
        results += [graph(g.grad_fn), torch.autograd.grad(g.sum(), x)[0]]
result = results

# gradients that do not fit are looked for by equality, and there are no rows of none
a, c, b = torch.ones(2, 3, requires_grad=True), torch.ones(2, 3, requires_grad=True), torch.ones(3)
back, grad = torch.autograd.backward, torch.autograd.grad
result = [attempt(f) for f in (
    lambda: back([a, c], [torch.ones(2, 3), torch.tensor(1.)]),
    lambda: back([a.sum(), c], [torch.tensor(1.), torch.ones(3)]),
    lambda: back([a.sum(), c], [torch.tensor(1.), torch.tensor(1.)]),
    lambda: back([a, a], [torch.ones(2, 3), torch.ones(4)]),
    lambda: grad(b.sum(), a, is_grads_batched=True), lambda: grad(a, a, is_grads_batched=True),
    lambda: grad(a.sum(), a, is_grads_batched=True),
    lambda: grad([a, c], a, [torch.ones(2, 2, 3), torch.ones(3)], is_grads_batched=True))]

# logical ops ask for no history; what was saved may have got another shape
class Same(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x
    @staticmethod
    def backward(ctx, grad):
        return grad
x = torch.ones(2, requires_grad=True) * 1
v = Same.apply(x)
x.mul_(2)
result = [attempt(lambda: v.logical_or_(v.data) is v), attempt(lambda: v + 1)]
y = x * x
x.data = torch.ones(7)
result.append(attempt(lambda: y.sum().backward()))
for name in ("copysign_", "xlogy_", "atan2_"):
    result.append(attempt(lambda: getattr(torch.ones(2, dtype=torch.bool), name)(-1)))

# in inference mode nothing is cut from a history, views neither
x = torch.ones(3, requires_grad=True)
tensors = [x, x * 2, (x * 2)[1:], torch.ones(3), torch.ones(3)[1:]]
with torch.inference_mode():
    made = torch.ones(3)
    result = [t.detach_() is t for t in (*tensors, made, made[1:])]
result += [(t.requires_grad, graph(t.grad_fn)) for t in tensors]

# reverse-mode transforms refuse hooks on saved tensors, around them and inside
x = torch.ones(3)
square = lambda t: (t * t).sum()
hooks = lambda: torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t)
def inside(t):
    with hooks():
        return square(t)
with hooks():
    result = [attempt(f) for f in (
        lambda: torch.func.grad(square)(x), lambda: torch.func.vjp(square, x)[0],
        lambda: torch.func.jacrev(square)(x),
        lambda: torch.func.vmap(torch.func.grad(square))(x.view(3, 1)))]
result += [attempt(lambda: torch.func.grad(inside)(x)), torch.func.grad(square)(x)]

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

# of several results only those that somebody uses are derived
x = torch.tensor([[1., 2., 3.], [5., 5., 7.]], requires_grad=True)
result = []
for f in (torch.var_mean, torch.std_mean, torch.aminmax):
    for dim in (None, 0):
        for pick in (0, 1):
            (g,) = torch.autograd.grad(f(x, dim=dim)[pick].pow(2).sum(), x, create_graph=True)
            (h,) = torch.autograd.grad(g.pow(2).sum(), x)
            result += [g.detach(), graph(g.grad_fn), h]

# special functions of views whose strides of single items are 0
x = torch.linspace(0.1, 0.9, 6).reshape(2, 1, 3)
result = [f(x.flip(0).unsqueeze(-1)) for f in (
    torch.erf, torch.erfc, torch.erfinv, torch.digamma, torch.lgamma)]

# rows without items are normalized, and derived
x, w = torch.zeros(2, 0, requires_grad=True), torch.ones(0, requires_grad=True)
y = torch.nn.functional.layer_norm(x, (0,), w)
product = (y @ y.mT + torch.eye(2)).sum()
result = [y.detach(), *torch.autograd.grad(product, (x, w), create_graph=True)]

# gradients that repeat items are views of them, which were made without recording
x = torch.ones(2, 3, requires_grad=True)
y, seen = x * 1, []
y.register_hook(lambda g: seen.append([g._is_view(), g.stride(), g._base]))
found = []
for f in (lambda: y.sum(), lambda: y.sum(0).pow(2).sum(), lambda: y[0].sum(),
          lambda: y.mean(1).sum(), lambda: (y * y).sum()):
    (g,) = torch.autograd.grad(f(), y, retain_graph=True)
    found += [g._is_view(), g.stride(), g._base]
(g,) = torch.autograd.grad(y.sum(), x)
result = [found, seen, [attempt(f) for f in (
    lambda: g.detach_(), lambda: g.add_(x), lambda: g.add_(1), lambda: g.squeeze().mul_(x),
    lambda: g.requires_grad_()._is_view())]]

# what is detached from an inference tensor outside may be written, and tells its version
with torch.inference_mode():
    x, n = torch.ones(3), torch.ones(3)
    inside = x.detach(), x.data
results = []
def tell(t):
    results.append((t.is_inference(), attempt(lambda: t._version), t._is_view(), t.requires_grad))
for make in (lambda: x.detach(), lambda: x.data, lambda: x.detach().detach(), lambda: x[0].detach(),
             lambda: x.detach()[0], lambda: x.detach().view(3), lambda: x.data.data):
    d = make()
    tell(d)
    results += [attempt(lambda: d.add_(1) is d), attempt(lambda: d[:1].mul_(2)),
                attempt(lambda: d.__setitem__(0, 5.)), d, x, attempt(lambda: d.requires_grad_())]
    tell(d)
    w = torch.ones(3, requires_grad=True)
    results += [attempt(lambda: d * w), attempt(lambda: d + w), attempt(lambda: w * d.clone())]
    with torch.inference_mode():
        tell(d.detach())
        tell(d.data)
result = results, [(t.is_inference(), attempt(lambda: t.add_(1))) for t in inside]

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


@pytest.mark.parametrize(("title", "text"), programs(FOUND), ids=lambda part: part[:60])
def test_found(title: str, text: str) -> None:
    both(source(text))
