"""Rules that random programs found: rare in anybody's program, so each is held here by name."""

from __future__ import annotations

import pytest

from tests.both import both, programs, source

FOUND = """
# nothing is left where a custom Function gives to a view without a history
class Both(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        return x * 2, y * 3
    @staticmethod
    def backward(ctx, a, b):
        return a * 2, b * 3
x = torch.ones(2, 3, requires_grad=True)
with torch.no_grad():
    v = x[0]
y = x * x
z = Both.apply(v, y)[1].sum()
z.backward(retain_graph=True)
result = x.grad.clone(), torch.autograd.grad(z, y, create_graph=True)[0].detach()

# integers that were written by what needs a gradient cannot be joined
x = torch.ones(3, dtype=torch.bool)
x[0] = torch.tensor(1., requires_grad=True)
result = [attempt(f) for f in (
    lambda: torch.cat([x, x]), lambda: torch.stack([x, x]), lambda: x.split(1), lambda: x.unbind(),
    lambda: x.max(0), lambda: x.sort(), lambda: x.cummax(0))]

# layer_norm of halves is derived in floats: equal items have a large deviation's inverse
x = torch.tensor([[0.25, 2.0], [0.5, 0.5], [0.25, 1.0]], dtype=torch.float16, requires_grad=True)
m = torch.nn.LayerNorm(2).half()
m(x).pow(2).mean().backward()
result = x.grad[1], m.bias.grad, x.grad.isfinite()

# inputs= are looked at one by one: those before a wrong one retain their gradients
a = torch.ones(3, requires_grad=True) * 1
with torch.no_grad():
    lost = a[:2]
a.mul_(2)
result = []
for order in (lambda x: [x, lost], lambda x: [lost, x]):
    x = torch.ones(2, requires_grad=True) * 1
    result += [attempt(lambda: x.sum().backward(inputs=order(x))), x.retains_grad]

# only L of LU factors is asked for: the rest of a wide matrix has no part in it
a = torch.tensor([[-2., -1, -2, -0.5], [0.25, -0.5, 0.25, 1], [-1, -1, -1, 0.25]],
                 dtype=torch.float64, requires_grad=True)
(h,) = torch.autograd.grad((g ** 2).sum(), a)
result = g[:, 3].detach(), h[:, 3].isnan()

# products in another type are derived in that one
result = []
for rows in ([[1., 2.], [3., 4.]], [[1., 0.], [3., 4.]], [[1., 0.], [0., 4.]]):
    for place in ((), (0,)):
        x = torch.tensor(rows, requires_grad=True)
        (g,) = torch.autograd.grad(x.prod(*place, dtype=torch.float64).sum(), x, create_graph=True)
        result.append([g.detach(), g.grad_fn.name(), torch.autograd.grad((g * g).sum(), x)])

# copies of parts keep their nodes' names in messages; empty ones have strides
x = torch.ones(2, 3, requires_grad=True)
y = x[:, ::2].clone()
z = (y ** 2).sum()
with torch.no_grad():
    y.zero_()
e = torch.zeros(2, 0).t()
result = attempt(lambda: z.backward()), e.stride(), torch.zeros(2, 0, 3).permute(2, 0, 1).stride()

# a number with a new dim has a stride, and overlaps in part where another does
x = torch.tensor(3.)
x.unsqueeze_(0)
result = x[::2].stride(), attempt(lambda: x[::2].mul_(x))

# a leaf that was written with a history of its own takes no gradient any more
x = torch.ones(2, requires_grad=True)
y, w = x * 3., torch.ones(2, requires_grad=True)
z = (y + w).sum()
x.requires_grad = False
x.add_(w)
result = attempt(lambda: z.backward()), w.grad

# nor does a view whose base was written
x = torch.ones(2)
v = x.view(2)
v.requires_grad_()
x.add_(v)
result = attempt(lambda: x.sum().backward()), v.requires_grad

# where two factors of a place are 0, the gradient of a product by them has none itself
result = []
for factors in ([1., 2., 3.], [0., 2., 3.], [0., 2., 0.]):
    a = torch.tensor([2., 0.], requires_grad=True)
    b = torch.tensor(factors, requires_grad=True)
    out = a.scatter_reduce(0, torch.tensor([1, 0, 1]), b, "prod")
    c, d = torch.autograd.grad(out.sum(), (a, b), create_graph=True)
    result += [graph(c.grad_fn), graph(d.grad_fn), d.grad_fn.name(), d,
               attempt(lambda: torch.autograd.grad((d ** 2).sum(), b)[0])]

# of halves, activations compute in floats: exponentials have room
x = torch.tensor([-300., -20., -9., -2., 0., 2., 9., 11., 20., 300.], dtype=torch.half)
result = []
for f in (torch.nn.functional.mish, torch.nn.functional.softplus, torch.nn.functional.elu,
          lambda x: torch.nn.functional.gelu(x, approximate="tanh")):
    y = x.clone().requires_grad_()
    out = f(y)
    out.sum().backward()
    result += [out, y.grad]

# a running maximum is derived as often as one likes
x = torch.tensor([[1.5, 3.], [1.5, 1.], [2., 4.]], dtype=torch.double, requires_grad=True)
y = x
for _ in range(4):
    y, = torch.autograd.grad((y.cummax(0).values ** 2).sum(), x, create_graph=True)
result = plain([y])

# the statistics of norms of nothing
result = []
for shape in ((0, 4, 3), (2, 4, 0)):
    x = torch.ones(shape, requires_grad=True)
    out = torch.nn.functional.group_norm(x, 2)
    out.sum().backward()
    result += [x.grad, out.grad_fn._saved_result1, out.grad_fn._saved_result2]
out = torch.nn.functional.layer_norm(torch.ones(3, 0, requires_grad=True), (0,))
result += [out, out.grad_fn._saved_result1]

# the gradient through sgn cannot be written, and what it is multiplied with neither
results = []
for f in (torch.sgn, lambda x: (x * 2).sgn(), lambda x: x.view(2, 1).sgn(), lambda x: (-x).sgn(),
          lambda x: torch.cat([x, x]).sgn(), lambda x: x.tanh().sgn(), lambda x: (x + x).sgn(),
          lambda x: x.sum().sgn(), lambda x: x.sgn() + x):
    x = torch.tensor([1., 2.], requires_grad=True)
    f(x).sum().backward()
    grad = x.grad
    results += [x.grad + 0, attempt(lambda: (x * x).sum().backward()),
                attempt(lambda: grad.zero_() + 0), attempt(lambda: grad.copy_(x.detach()) + 0),
                attempt(lambda: grad.numpy().tolist())]
result = results

# out= of another type is refused
results = []
x, i = torch.ones(2, 2), torch.tensor([0])
o = lambda: torch.zeros(0, dtype=torch.float64)
for f in (lambda: torch.mm(x, x, out=o()), lambda: torch.gather(x, 0, i[None], out=o()),
          lambda: torch.tril(x, out=o()), lambda: torch.neg(x, out=o()),
          lambda: torch.lerp(x, x, x, out=o()), lambda: torch.lerp(x, x, 0.5, out=o()),
          lambda: torch.max(x, out=o()), lambda: torch.max(x, x, out=o()),
          lambda: torch.sum(x, 0, out=o()), lambda: torch.diff(x, out=o())):
    results.append(attempt(f))
result = results
for f in (lambda: torch.index_select(x, 0, i, out=o()), lambda: torch.take(x, i, out=o()),
          lambda: torch.heaviside(x, x, out=o()), lambda: torch.frexp(x, out=(o(), o().int())),
          lambda: torch.linalg.svd(x, out=(o(), o(), o()))):
    results.append(attempt(f)[:2])
result = results

# numbers of integers and bools are written into out= of what requires grad
x = torch.tensor([[1., 3., 2.]], requires_grad=True)
result = [torch.argmax(x, 1, out=torch.tensor([0])), torch.nonzero(x, out=torch.tensor([0])),
          torch.eq(x, 1, out=torch.tensor([True])), torch.searchsorted(x, x, out=torch.tensor([0]))]

# histories are asked for before operands are looked at
x = torch.ones(2, 2, requires_grad=True) * 1
a, b = x.split(1)
with torch.no_grad():
    a.tanh_()
    x.mul_(2)
mask = torch.ones(1, 2) > 0
result = [attempt(lambda: a - mask), attempt(lambda: a + torch.ones(3, 3)),
          attempt(lambda: a & a)]

# results that were written through views are differentiated again
results = []
for write in (torch.exp_, torch.sigmoid_, torch.tanh_, torch.Tensor.sqrt_):
    for part in (lambda b: b.view(3), lambda b: b[0:2], lambda b: b):
        x = torch.tensor([0.5, 2., 1.], dtype=torch.float64, requires_grad=True)
        base = x * 2
        write(part(base))
        (g,) = torch.autograd.grad(base.sum(), x, create_graph=True)
        g.sum().backward()
        results += [x.grad, base.grad_fn.name()]
result = results

# hooks of a node whose operand leads nowhere
x = torch.tensor([1., 2.], requires_grad=True)
with torch.no_grad():
    v = x.unsqueeze(-1)
y = v.clone()
seen = []
y.grad_fn.register_hook(lambda inputs, outputs: seen.append([*inputs, *outputs]))
(y ** 2).sum().backward()
result = seen, x.grad

# nothing is multiplied, so types may differ
result = [torch.bmm(torch.ones(2, 0, 3), torch.ones(2, 3, 2, dtype=torch.float64)),
          torch.ones(2, 3, 0, dtype=torch.float64) @ torch.ones(2, 0, 3),
          attempt(lambda: torch.bmm(torch.ones(2, 1, 3), torch.ones(2, 3, 2).double()))]

# views of integers are written by floats with a history
s = torch.tensor(-0.5, requires_grad=True)
t = torch.ones(3, 1, dtype=torch.int32)
t[::2] = s
result = t.requires_grad, attempt(lambda: t[0]), attempt(lambda: t.clone()), t.detach()

# nodes keep dims as they were given
x = torch.rand(2, 3, requires_grad=True)
outs = [x.sum(-1), x.sum((-1, 0)), x.sum(dim=None, keepdim=True), x.mean(-2), x.prod(-1),
        x.max(-1)[0], x.amax(-1), x.amax(()), x.var(), x.var(-1), x.std((0, -1)), x.logsumexp(-1),
        x.cumsum(-1), x.cumprod(-2), x.cummax(-1)[0], x.sort()[0], x.topk(1)[0], x.mode()[0],
        x.kthvalue(1)[0], x.median(-1)[0], x.norm(1, -1), x.nansum(-1),
        x.logcumsumexp(-1), x[0, 0].sum(-1), x[0, 0].max(-1)[0]]
result = [(o.grad_fn._saved_dim, torch.autograd.grad(o.sum(), x)[0].shape) for o in outs]

# the gradient of as_strided is a view of a storage
x = torch.arange(6.).reshape(2, 3).requires_grad_()
g = torch.autograd.grad((x.as_strided((3, 2), (1, 1)) ** 2).sum(), x, create_graph=True)[0]
node = g.grad_fn
result = [node.name(), node._saved_size, node._saved_stride, node._saved_storage_offset,
          g._is_view(), g.detach().clone(), torch.autograd.grad(g.sum(), x)[0].clone()]

# cosine_similarity spreads both to their common shape before it takes lengths
results = []
for first, second, dim in (((2, 3), (3,), 1), ((3,), (2, 3), -1), ((2, 1), (3,), 0)):
    x = torch.arange(1., 7)[:(first + (1,))[0] * (first + (1,))[1]].reshape(first).requires_grad_()
    y = torch.cosine_similarity(x, torch.full(second, 2.), dim=dim)
    results.append((y, graph(y.grad_fn), torch.autograd.grad(y.sum(), x)[0].clone()))
result = results

# floats that lie outside of an integers' type are refused, even by less than one
result = [attempt(lambda: torch.tensor(each, dtype=torch.uint8)) for each in (-0.2, 255.5, [256.])]

# of a tensor made in inference mode there are no views, outside of it neither
with torch.inference_mode():
    x = torch.ones(2, 3)
views = x.view(-1), x[1:], x.mT, x.unbind()[0], x.squeeze(), x[None]
result = [(v._is_view(), v._base, v.is_inference(), attempt(lambda: v._version)) for v in views]

# indices of medians and modes have the strides of a new tensor, kept dims included
x = torch.arange(6.).reshape(3, 2)
result = [each.stride() for f in (x.median, x.mode, x.nanmedian) for each in f(0, True)]

# what saved-tensor hooks give back has a version of its own, also where derivatives are recorded
x = torch.tensor([1., 2.], requires_grad=True)
with torch.autograd.graph.saved_tensors_hooks(lambda t: t.detach().clone(), lambda t: t):
    y = (x * 1).mul_(2) ** 3
g, = torch.autograd.grad(y.sum(), x, create_graph=True)
result = g, graph(g.grad_fn), torch.autograd.grad(g.sum(), x)[0]

# integers are not divided by zero (PyTorch has divided those before it by then)
results = []
for name in ("floor_divide_", "remainder_", "fmod_", "__ifloordiv__", "__imod__"):
    for view in (lambda x: x, lambda x: x.t(), lambda x: x[:, 1:]):
        x = torch.arange(7, 13).reshape(2, 3)
        by = torch.full_like(view(x), 2)
        by[0, 1] = 0
        results.append((attempt(lambda: getattr(view(x), name)(by)), x._version))
x = torch.arange(7, 13).reshape(2, 3)
error = attempt(lambda: x.div_(torch.tensor([[3], [0]]), rounding_mode="trunc"))
empty = x[:0].remainder_(torch.tensor(0))
result = results, error, empty

# masked_scatter_ reads what it wrote, where the source is part of that
results = []
for source in (lambda x: x, lambda x: x.view(3, 2), lambda x: x.t(), lambda x: x[1:]):
    x = torch.arange(6.).reshape(2, 3)
    x.masked_scatter_(torch.tensor([[True, False, True], [False, False, True]]), source(x))
    results.append(x)
result = results

# an operand that leads nowhere gets no gradient
results = []
for f in (lambda x: x / 2, lambda x: x * 2, lambda x: x / x, lambda x: x / torch.ones(3)):
    x = torch.ones(1, 3, requires_grad=True)
    with torch.no_grad():
        v = x.view(3)
    y = f(v)
    results.append((graph(y.grad_fn), attempt(lambda: y.sum().backward()), x.grad))
result = results

# nodes without derivatives have an edge for each operand that requires grad, to nowhere or not
x, y = torch.ones(3, requires_grad=True), torch.ones(3, requires_grad=True)
with torch.no_grad():
    v = x[:]
results = v // y, y // v, v // 2, torch.heaviside(v, y), v % y, x // torch.ones(3)
result = [[f and f.name() for f, _ in each.grad_fn.next_functions] for each in results]

# triangular_solve saves both whoever needs gradients
a, b = torch.eye(2).requires_grad_(), torch.ones(2, 1)
saved = x.grad_fn._saved_self
b.add_(1)
result = saved, attempt(lambda: x.sum().backward())

# hooks of nodes see a gradient for each output that users see, none for the factors beside them
a, seen = torch.eye(2).requires_grad_(), []
for y in (torch.linalg.solve(a, torch.ones(2, 1)), torch.linalg.slogdet(a)[1]):
    hook = lambda gi, go: seen.append([each is None or each.tolist() for each in go])
    y.grad_fn.register_hook(hook)
    y.sum().backward()
result = seen

# what retains its gradient says so when its sizes were changed without a history, too
result = []
for change in (torch.Tensor.t_, lambda y: y.unsqueeze_(0), torch.Tensor.squeeze_):
    y = torch.ones(2, 1, 3, requires_grad=True)[0] * 1
    y.retain_grad()
    with torch.no_grad():
        change(y)
    result.append(y.retains_grad)

# methods are called Tensor's where they are given too much
x = torch.ones(2)
result = [attempt(lambda: f(*range(9))) for f in (x.backward, x.register_hook, x.unflatten)]

# inputs= retain their gradients where their base's history ends now
result = []
for look in (False, True):
    for order in (lambda y, v: [y, v], lambda y, v: [v]):
        x, y = torch.ones(2, 2, requires_grad=True), torch.ones(2, 2)
        v = y[:1]
        y.mul_(x)
        if look:
            v.grad_fn
        attempt(lambda: x.sum().backward(inputs=order(y, v)))
        (y * 3 + v).sum().backward()
        result += [v.retains_grad, v.grad, y.retains_grad, x.grad]

# hooks of what wrote a part see no gradients that nobody asked for
seen = []
for write in (lambda y: y[0].exp_(), lambda y: y[::2].fill_(0.5), lambda y: y[0].mul_(y[1])):
    for order in (lambda x, y: [y], lambda x, y: [x], lambda x, y: [x, y]):
        for create_graph in (False, True):
            x = torch.ones(3, requires_grad=True)
            y = x * 1
            write(y)
            y.grad_fn.register_hook(lambda gi, go: seen.append(
                [None if each is None else each.tolist() for each in gi]))
            for _ in range(2):
                seen.append(attempt(lambda: y.sum().backward(
                    inputs=order(x, y), create_graph=create_graph)))
result = seen

# the only matrices of a batch are compared as they are
result = []
for first, second in (((1, 4, 3), (1, 4, 3)), ((1, 4, 3), (2, 3)), ((2, 3), (1, 1, 4, 3))):
    x, y = (torch.arange(1., 13)[:torch.Size(s).numel()].reshape(s).sin() for s in (first, second))
    x.requires_grad_(), y.requires_grad_()
    z = torch.cdist(x, y + 3, compute_mode="use_mm_for_euclid_dist")
    grads = torch.autograd.grad(z.sum(), (x, y), create_graph=True)
    result += [graph(z.grad_fn), z, plain(grads), [each.grad_fn.name() for each in grads],
               torch.autograd.grad(sum((each ** 2).sum() for each in grads), (x, y))]

# the gradient of nansum in another type is cast before it is spread
x = torch.tensor([[1., 2., float("nan")]], requires_grad=True)
result = []
for dtype in (torch.float64, torch.float32, torch.float16, None):
    for dim in (None, 1):
        (g,) = torch.autograd.grad((x.nansum(dim, dtype=dtype) ** 2).sum(), x, create_graph=True)
        result += [g.detach(), g.grad_fn.name(), torch.autograd.grad((g ** 2).sum(), x)]
"""


@pytest.mark.parametrize(("title", "text"), programs(FOUND), ids=lambda part: part[:60])
def test_found(title: str, text: str) -> None:
    both(source(text))
