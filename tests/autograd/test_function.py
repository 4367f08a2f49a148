"""Custom Functions in all their forms, on both engines."""

from __future__ import annotations

import pytest

from tests.core.both import both, programs, source

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

# a plain tensor dirtied with an operand that requires grad
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        a.add_(b)
        ctx.mark_dirty(a)
        return a
    @staticmethod
    def backward(ctx, g):
        return None, g
x = torch.tensor([1., 2.], requires_grad=True)
buffer = torch.zeros(2)
out = F.apply(buffer, x)
out.sum().backward()
result = [out is buffer, buffer, x.grad, buffer._version]

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

# the same, of what needs no gradient
class Same(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        return a, b
    @staticmethod
    def backward(ctx, g, h):
        return g, h
x = torch.tensor([1., 2.], requires_grad=True)
k = torch.ones(2)
a, b = Same.apply(x, k)
c, d = Same.apply(k, k)
result = [a is x, b is k, a, b, c is k, d is k, c]

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
told = [saved[0] is h, saved[2] is y, saved[2].grad_fn is y.grad_fn, saved]
h.add_(1)
stale = attempt(lambda: y.sum().backward())
z = F.apply(x * 1)
z.sum().backward(retain_graph=True)
z.sum().backward()
w = F.apply(x * 1)
w.add_(1)
result = [told, stale, x.grad, attempt(lambda: z.grad_fn.saved_tensors),
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
result = [seen, x.grad, y.grad, attempt(lambda: F.apply(x, y)), attempt(lambda: F.apply(x, y, k=4))]

# keywords without setup_context
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, k=2):
        return a * k
    @staticmethod
    def backward(ctx, g):
        return g * 2, None
x = torch.tensor([1., 2.], requires_grad=True)
y = F.apply(x)
result = [y, attempt(lambda: y.sum().backward()), x.grad, attempt(lambda: F.apply(x, k=3))]

# a second derivative through it
class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        ctx.save_for_backward(a)
        return a ** 3
    @staticmethod
    def backward(ctx, g):
        a, = ctx.saved_tensors
        seen.append((torch.is_grad_enabled(), a.requires_grad, g.requires_grad))
        return g * 3 * a * a
seen = []
x = torch.tensor([1., 2.], requires_grad=True)
y = Cube.apply(x)
g, = torch.autograd.grad(y.sum(), x, create_graph=True)
h, = torch.autograd.grad(g.sum(), x, create_graph=True)
i, = torch.autograd.grad(h.sum(), x)
result = [g, h, i, seen]

# Functions in the backward of Functions
class Inner(torch.autograd.Function):
    @staticmethod
    def forward(ctx, g, a):
        ctx.save_for_backward(g, a)
        return g * 2 * a
    @staticmethod
    def backward(ctx, gg):
        g, a = ctx.saved_tensors
        return gg * 2 * a, gg * 2 * g
class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        ctx.save_for_backward(a)
        return a * a
    @staticmethod
    def backward(ctx, g):
        return Inner.apply(g, *ctx.saved_tensors)
x = torch.tensor([1., 2.], requires_grad=True)
g, = torch.autograd.grad(Square.apply(x).sum(), x, create_graph=True)
result = [g, torch.autograd.grad(g.sum(), x)]

# differentiable once
once = torch.autograd.function.once_differentiable
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a * b
    @staticmethod
    @once
    def backward(ctx, g):
        a, b = ctx.saved_tensors
        seen.append(torch.is_grad_enabled())
        return g * b, g * a
seen = []
x = torch.tensor([1., 2.], requires_grad=True)
y = torch.tensor([3., 4.], requires_grad=True)
F.apply(x, y).sum().backward()
w = torch.tensor([1., 1.], requires_grad=True)
g, h = torch.autograd.grad(F.apply(x, y), (x, y), w, create_graph=True)
plain, = torch.autograd.grad(F.apply(x, y).sum(), x, create_graph=True)
result = [x.grad, g, h, plain, g.grad_fn.next_functions, attempt(lambda: g.sum().backward()), seen]

# what forward and backward may not be
class NoBackward(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        return a * 2
class NoForward(torch.autograd.Function):
    @staticmethod
    def backward(ctx, g):
        return g
class Both(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        return a * 2
    @staticmethod
    def backward(ctx, g):
        return g
    @staticmethod
    def vjp(ctx, g):
        return g
class Vjp(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        return a * 2
    @staticmethod
    def vjp(ctx, g):
        return g * 7
x = torch.tensor([1.], requires_grad=True)
Vjp.apply(x).backward()
result = [attempt(lambda: NoBackward.apply(x).backward()), attempt(lambda: NoForward.apply(x)),
          attempt(lambda: Both.apply(x).backward()), x.grad, attempt(lambda: Both()(x)),
          attempt(lambda: torch.autograd.Function.apply(x))]

# wrong gradients
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        return a * b
    @staticmethod
    def backward(ctx, g):
        return answer(g)
def tried():
    x = torch.ones(2, requires_grad=True)
    y = torch.ones(1, requires_grad=True)
    k = torch.ones(2)
    first = attempt(lambda: F.apply(x, y).sum().backward())
    second = attempt(lambda: F.apply(x, k).sum().backward())
    return first, second, plain([t.grad for t in (x, y) if t.grad is not None])
result = []
for answer in (lambda g: g, lambda g: (g, g), lambda g: (g, g, None), lambda g: (g, g, g),
               lambda g: None,
               lambda g: (None, g), lambda g: (g, 5), lambda g: (5, g), lambda g: (g.double(), g),
               lambda g: (torch.ones(3), g), lambda g: (torch.ones(3, 2), g),
               lambda g: (torch.ones(1), g),
               lambda g: [g, g], lambda g: (g.long(), g), lambda g: (torch.ones(()), g),
               lambda g: ()):
    result.append(tried())

# errors inside
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        if bad:
            raise ValueError("forward")
        return a * 2
    @staticmethod
    def backward(ctx, g):
        raise KeyError("backward")
x = torch.ones(2, requires_grad=True)
bad = True
first = attempt(lambda: F.apply(x))
bad = False
result = [first, attempt(lambda: F.apply(x).sum().backward()), torch.is_grad_enabled(), x.grad]

# what forward may return
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        return answer(a)
    @staticmethod
    def backward(ctx, *g):
        return g[0]
x = torch.ones(2, requires_grad=True)
result = []
for answer in (lambda a: None, lambda a: 5, lambda a: (a * 2,), lambda a: [a * 2], lambda a: (),
               lambda a: {"a": a}):
    result.append(attempt(lambda: F.apply(x)))

# the same tensor twice
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        return a + b
    @staticmethod
    def backward(ctx, g):
        return g * 2, g * 3
class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        b = a * 2
        return b, b
    @staticmethod
    def backward(ctx, g, h):
        return g + h * 10
x = torch.ones(2, requires_grad=True)
F.apply(x, x).sum().backward()
first = x.grad.clone()
p, q = Twice.apply(x)
q.sum().backward()
result = [first, x.grad.clone(), p is q, p.output_nr, q.output_nr]

# what the ctx offers
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        ctx.save_for_forward(a)
        ctx.save_for_backward(a)
        return a * 2
    @staticmethod
    def backward(ctx, g):
        return g * 2
    @staticmethod
    def jvp(ctx, t):
        return t * 2
x = torch.ones(2, requires_grad=True)
y = F.apply(x)
n = y.grad_fn
result = [n.to_save, n.dirty_tensors, n.non_differentiable, n.saved_tensors, n.requires_grad,
          attempt(lambda: n.saved_variables)[:2], n.name(), n.metadata]

# hooks on its node and outputs
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        return a * 2, a * 3
    @staticmethod
    def backward(ctx, g, h):
        return g * 2 + h * 3
log = []
x = torch.ones(2, requires_grad=True)
a, b = F.apply(x)
a.register_hook(lambda g: log.append(("a", g)))
b.register_hook(lambda g: log.append(("b", g)))
a.grad_fn.register_prehook(lambda gs: log.append(("pre", gs)))
a.grad_fn.register_hook(lambda gi, go: log.append(("post", gi, go)))
(a * 5).sum().backward()
result = [log, x.grad]
"""


@pytest.mark.parametrize(("title", "text"), programs(PROGRAMS))
def test_same(title: str, text: str) -> None:
    both(source(text))
