"""Custom Functions in all their forms, on both engines."""

from __future__ import annotations

import pytest

from tests.compare_engines import both, programs, source

PROGRAMS = """
# ctx is the node
seen = []
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b, k):
        seen.append(ctx)
        ctx.note = "mine"
        seen.append((ctx.needs_input_grad, torch.is_grad_enabled(), a.requires_grad))
        return a * b * k
    @staticmethod
    def backward(ctx, g):
        seen.append((ctx.needs_input_grad, torch.is_grad_enabled(), ctx.note, type(ctx).__name__))
        return g, None, None
x = torch.tensor([1., 2.], requires_grad=True)
y = F.apply(x, torch.ones(2), 3)
y.sum().backward()
result = [y.grad_fn is seen[0], y.grad_fn.note, seen[1:], y.grad_fn.next_functions[1:], x.grad,
          y.grad_fn.name(), isinstance(y.grad_fn, torch.autograd.function.FunctionCtx)]

# numbers, lists and None pass through
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, items):
        return a * 2, 5, None, "text", (a * 3).long(), items
    @staticmethod
    def backward(ctx, *grads):
        seen.append([None if g is None else g.clone() for g in grads])
        return grads[0], None
seen = []
x = torch.tensor([1., 2.], requires_grad=True)
out = F.apply(x, [x])
out[0].sum().backward()
result = [out, x.grad, seen, type(out).__name__]

# no history: nothing requires grad, no_grad, tensors in lists
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, more):
        ctx.save_for_backward(a)
        seen.append(ctx.needs_input_grad)
        return a + 1
    @staticmethod
    def backward(ctx, g):
        return g, None
seen = []
x = torch.tensor([1., 2.], requires_grad=True)
with torch.no_grad():
    quiet = F.apply(x, 1)
result = [F.apply(torch.ones(2), [x]), quiet, seen, F.apply(x.detach(), x)]

# gradients of unused outputs
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        ctx.set_materialize_grads(flag)
        return a * 2, a * 3
    @staticmethod
    def backward(ctx, g, h):
        seen.append([None if t is None else t.clone() for t in (g, h)])
        return g if g is not None else h
seen = []
x = torch.tensor([1., 2.], requires_grad=True)
for flag in (True, False):
    a, b = F.apply(x)
    a.sum().backward(retain_graph=True)
    b.sum().backward()
result = [seen, x.grad.clone()]

# outputs without gradient
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        values, indices = a + 1, torch.tensor([1, 2, 0])
        more = a * 2
        ctx.mark_non_differentiable(indices, more)
        ctx.save_for_backward(indices)
        return values, indices, more
    @staticmethod
    def backward(ctx, g, gi, gm):
        seen.append((g.clone(), gi, gm))
        i, = ctx.saved_tensors
        return g[i]
seen = []
x = torch.tensor([3., 1., 2.], requires_grad=True)
v, i, m = F.apply(x)
(v * torch.tensor([1., 2., 3.])).sum().backward()
result = [v, i, m, x.grad, seen, v.output_nr, i.output_nr]

# written in place
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        a.mul_(b)
        ctx.mark_dirty(a)
        ctx.save_for_backward(b)
        return a
    @staticmethod
    def backward(ctx, g):
        b, = ctx.saved_tensors
        return g * b, None
x = torch.tensor([1., 2.], requires_grad=True)
h = x * 1
old = h.grad_fn
k = F.apply(h, torch.tensor([3., 4.]))
k.sum().backward()
leaf = torch.tensor([1., 2.], requires_grad=True)
plain = torch.tensor([1., 2.])
p = F.apply(plain, torch.ones(2))
view = (x * 1)[0:1]
result = [k is h, h._version, x.grad, h.grad_fn.next_functions[0][0] is old,
          attempt(lambda: F.apply(leaf, torch.ones(2))), leaf, leaf._version, p is plain, plain,
          attempt(lambda: F.apply(view, torch.ones(1)))]

# marked dirty and not returned
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        a.mul_(2)
        ctx.mark_dirty(a)
        return a * 1
    @staticmethod
    def backward(ctx, g):
        return g
x = torch.tensor([1., 2.], requires_grad=True)
result = [attempt(lambda: F.apply(x * 1)), attempt(lambda: F.apply(x.detach()))]

# inputs and views returned
class Same(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        return a
    @staticmethod
    def backward(ctx, g):
        return g * 2
class View(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        return a.view(-1)
    @staticmethod
    def backward(ctx, g):
        return g.view(2, 1) * 3
class Detached(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        return a.detach()
    @staticmethod
    def backward(ctx, g):
        return g * 5
x = torch.tensor([[1.], [2.]], requires_grad=True)
a, b, c = Same.apply(x), View.apply(x), Detached.apply(x)
(a.sum() + b.sum() + c.sum()).backward()
result = [a is x, a, b, c, x.grad, attempt(lambda: a.add_(1)), attempt(lambda: b.add_(1)),
          attempt(lambda: c.add_(1)), a.data_ptr() == x.data_ptr(), attempt(lambda: b[0].zero_())]

# what save_for_backward takes
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        ctx.save_for_backward(*things(a))
        return a * 1
    @staticmethod
    def backward(ctx, g):
        seen.append(ctx.saved_tensors)
        return g
seen = []
x = torch.tensor([1., 2.], requires_grad=True)
answers = []
for things in (lambda a: (a, None), lambda a: (a, 1), lambda a: ("x",), lambda a: ()):
    answers.append(attempt(lambda: F.apply(x).sum().backward()))
result = [answers, seen]

# saved values written, freed and read
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        middle = a.exp()
        out = middle * 2
        ctx.save_for_backward(a, middle, out)
        return out
    @staticmethod
    def backward(ctx, g):
        a, middle, out = ctx.saved_tensors
        return g * out
x = torch.tensor([1., 2.], requires_grad=True)
h = x * 1
y = F.apply(h)
saved = y.grad_fn.saved_tensors
reported = [saved[0] is h, saved[2] is y, saved[2].grad_fn is y.grad_fn, saved]
h.add_(1)
stale = attempt(lambda: y.sum().backward())
z = F.apply(x * 1)
z.sum().backward(retain_graph=True)
z.sum().backward()
w = F.apply(x * 1)
w.add_(1)
result = [reported, stale, x.grad, attempt(lambda: z.grad_fn.saved_tensors),
          attempt(lambda: z.sum().backward()),
          attempt(lambda: w.sum().backward()), attempt(lambda: y.grad_fn.saved_tensors)]

# setup_context
class F(torch.autograd.Function):
    @staticmethod
    def forward(a, b, k=2):
        return a * b * k
    @staticmethod
    def setup_context(ctx, inputs, output):
        a, b, k = inputs
        ctx.k = k
        ctx.save_for_backward(a, b, output)
        seen.append((len(inputs), torch.is_grad_enabled(), ctx.needs_input_grad))
    @staticmethod
    def backward(ctx, g):
        a, b, out = ctx.saved_tensors
        return g * b * ctx.k, g * a * ctx.k, None
seen = []
x = torch.tensor([1., 2.], requires_grad=True)
y = torch.tensor([3., 4.], requires_grad=True)
F.apply(x, y, 3).sum().backward()
result = [seen, x.grad, y.grad, attempt(lambda: F.apply(x, y)),
          attempt(lambda: F.apply(x, y, k=4))]
"""


@pytest.mark.parametrize(("title", "text"), programs(PROGRAMS))
def test_same(title: str, text: str) -> None:
    both(source(text))
