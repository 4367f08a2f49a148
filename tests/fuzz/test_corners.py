"""More rules that random programs found, about derivatives of derivatives and odd operands."""

from __future__ import annotations

import pytest

from tests.both import both, programs, source

FOUND = """
# the derivative by an output that its node saved counts that, too
results = []
x0 = torch.tensor([[4., .5, .3], [.5, 6., .7], [.3, .7, 8.]], dtype=torch.float64)
for f in (torch.linalg.cholesky, torch.linalg.inv,
          lambda x: torch.linalg.qr(x)[0], lambda x: torch.std_mean(x)[0],
          lambda x: torch.linalg.solve(x, x)):
    x = x0.clone().requires_grad_()
    y = f(x)
    g, = torch.autograd.grad((y ** 2).sum(), x, create_graph=True)
    results.append(torch.autograd.grad((g * x0).sum(), y)[0].clone())
result = results

# zeros without memory: what is computed of them, and what may be written
x = torch.tensor([1., -2., 0.], requires_grad=True)
def zero(x):
    x = x.detach().requires_grad_()
    g, = torch.autograd.grad(x.abs().sum(), x, create_graph=True)
    return torch.autograd.grad((g ** 2).sum(), x)[0]
z, y, s, d = zero(x), x.detach(), zero(x[0]), zero(x[:1].double())
results = []
for f in (lambda: z * 2, lambda: 2 * z, lambda: z / z, lambda: 2 / z, lambda: z / 0, lambda: z + y,
          lambda: y - z, lambda: z + 1, lambda: -z, lambda: s * z, lambda: s / z, lambda: y * s,
          lambda: d * z, lambda: d * y, lambda: y / d, lambda: z.clone(), lambda: z ** 2,
          lambda: z.view(3, 1), lambda: z.square(), lambda: torch.addcmul(z, z, z),
          lambda: z.lerp(z, 0.5), lambda: z.sum(), lambda: torch.zeros_like(z),
          lambda: y.clone().mul_(z), lambda: y.clone().div_(z), lambda: z.double()):
    found = f()
    results.append((found.clone(), attempt(lambda: found.add_(1)),
                    attempt(lambda: found.copy_(torch.ones(4))) if found.ndim < 2 else None))
result = results

# the number of an output is in messages where a node saved its own
class Both(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(x, y)
        return x + y, x * y
    @staticmethod
    def backward(ctx, a, b):
        x, y = ctx.saved_tensors
        return a + b * y, a + b * x
results = []
x = torch.ones(2, 3, requires_grad=True)
for f in (lambda y: Both.apply(y, x)[1], lambda y: y ** 2):
    y = Both.apply(x, x)[1]
    z = f(y)
    with torch.no_grad():
        y.div_(2.)
    results.append(attempt(lambda: z.sum().backward()))
result = results

# names of nodes of derivatives
results = []
for f in (lambda x: torch.dist(torch.ones(2, 3), x, float("inf")), lambda x: x[None].cumsum(0),
          lambda x: torch.nn.functional.logsigmoid(x), lambda x: (x * (x > 2)).cumprod(0),
          lambda x: x[:0].cumsum(0)):
    x = torch.tensor([1., 2., 3.], dtype=torch.float64, requires_grad=True)
    y = f(x)
    g, = torch.autograd.grad((y ** 2).sum(), x, create_graph=True)
    results += [g.grad_fn.name(), g.detach().clone(), g.stride(), g._is_view()]
    h, = torch.autograd.grad((g ** 2).sum(), x, create_graph=True)
    results += [h.grad_fn and h.grad_fn.name(), h.detach().clone()]
result = results

# infinite arguments of polygamma
nan, inf = float("nan"), float("inf")
x = torch.tensor([inf, -inf, nan, 1.])
result = torch.polygamma(2, x), (
    torch.polygamma(1, x))

# convolutions without samples are derived
results = []
for wants in ((True, False), (False, True), (True, True)):
    x, w = (torch.ones(s).requires_grad_(b) for s, b in zip(((0, 2, 5), (2, 2, 3)), wants))
    bias = torch.ones(2, requires_grad=True)
    y = torch.nn.functional.conv1d(x, w, bias)
    for each in (x, w, bias):
        if each.requires_grad:
            g, = torch.autograd.grad((y ** 2).sum(), each, create_graph=True)
            results += [g.detach().clone(), torch.autograd.grad(
                g.sum(), [e for e in (x, w, bias) if e.requires_grad], allow_unused=True)]
result = results

# the derivative of a convolution's gradient knows of what it hangs on only
results = []
for f in (torch.nn.functional.conv1d, torch.nn.functional.conv_transpose1d):
    x, w = torch.ones(2, 2, 5, requires_grad=True), torch.ones(2, 2, 3, requires_grad=True)
    for first, second in ((x, w), (w, x)):
        g, = torch.autograd.grad(f(x, w).sum(), first, create_graph=True)
        h, = torch.autograd.grad(g.sum(), second, create_graph=True)
        results += [h.requires_grad, h.tolist()]
result = results

# products of bools that have no item; vectors and batches of columns
b = torch.ones(3, 2) > 0
x = torch.ones(2, 3, 1, requires_grad=True)
result = [b @ (torch.ones(2, 0) > 0), attempt(lambda: (torch.ones(3) > 0) @ x),
          attempt(lambda: torch.ones(3).double() @ x), graph((torch.ones(3) @ x.detach()
          .requires_grad_()).grad_fn), attempt(lambda: b @ b.t())]

# hooks of nodes of lists see the gradients of all
results = []
a, b = torch.ones(2, 2), torch.ones(2, 2, requires_grad=True)
for f in (torch.stack, torch.cat, lambda x: torch.cat([*x, x[0]]), lambda x: torch.block_diag(*x)):
    for x in ([a, b], [b, a]):
        y = f(x)
        y.grad_fn.register_hook(lambda i, o: results.append([each.tolist() for each in i]))
        y.sum().backward()
result = results

# zeros of a third derivative lie in C order
results = []
for f in (lambda x: x.t(), lambda x: (x * 1).t_(), lambda x: x.rot90(1, (0, 1))):
    x = torch.ones(2, 3, requires_grad=True)
    y = f(x)
    for _ in range(3):
        y, = torch.autograd.grad((y ** 2).sum(), x, create_graph=True)
        results.append((y.stride(), y.detach().sum()))
result = results

# what a written view's gradient cannot be written to, nobody may ask for
x = torch.tensor([1., 2.], requires_grad=True)
y = torch.tensor(3., requires_grad=True)
v = (x * 1).expand(2, -1)
v[[1, 0]] += y
result = [torch.autograd.grad(v.sum(), y, retain_graph=True)[0].clone(),
          attempt(lambda: torch.autograd.grad(v.sum(), x, retain_graph=True)),
          torch.autograd.grad(v.sum(), y, create_graph=True)[0].clone()]

# what retains its gradient goes on doing so with other data
x = torch.ones(2, 3, requires_grad=True)
y = (x * 2).t()
z = torch.ones(1, requires_grad=True)
y.data = y.data.clone(memory_format=torch.contiguous_format)
y.retain_grad()
y.backward(torch.ones_like(y), inputs=[z])
result = y.grad, z.grad, x.grad

# weights that may be left out are saved in any case
table, weights = torch.ones(5, 3), torch.ones(2, 2, requires_grad=True)
y = torch.nn.functional.embedding_bag(
    torch.tensor([[0, 2], [4, 0]]), table, mode="sum", per_sample_weights=weights)
result = y.grad_fn._saved_per_sample_weights.detach()

# norms of tensors of several types are joined in their common one
a, b, c = torch.ones(3), torch.ones(2, dtype=torch.float64), torch.ones(2, dtype=torch.float16)
result = [torch.nn.utils.get_total_norm(each, kind) for kind in (1., 2., float("inf"))
          for each in ([a, b], [b, a], [c, a], [c, b], [c])]
result.append(attempt(lambda: torch.nn.utils.get_total_norm([a, torch.ones(2) > 0])))

# normalizations refuse integers before their weights
x, w, v = torch.ones(2, 3) > 0, torch.ones(3) > 0, torch.ones(3)
result = [attempt(lambda: torch.nn.functional.layer_norm(x, (3,), w, v)),
          attempt(lambda: torch.nn.functional.group_norm(x.long(), 1, w.long(), v))]
"""


@pytest.mark.parametrize(("title", "text"), programs(FOUND), ids=lambda part: part[:60])
def test_corner(title: str, text: str) -> None:
    both(source(text))
