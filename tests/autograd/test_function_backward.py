"""The backward of custom Functions and what it may answer, on both engines."""

from __future__ import annotations

import pytest

from tests.compare_engines import both, programs, source

PROGRAMS = """
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
result = [x.grad, g, h, plain, g.grad_fn.next_functions, attempt(lambda: g.sum().backward()),
          seen]

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

# keywords of a Function take their place among its arguments
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b=5, k=None):
        ctx.b = b
        return a * b
    @staticmethod
    def backward(ctx, g):
        return g * ctx.b, None, None
x = torch.ones(2, requires_grad=True)
result = []
for args, kwargs in (((), dict(a=x)), ((), dict(b=3, a=x)), ((x,), dict(b=2)), ((x,), dict(k=2)),
                     ((x,), dict(z=1)), ((x,), dict(a=x)), ((), dict(b=2)), ((x, 1), dict(b=2))):
    def go():
        out = F.apply(*args, **kwargs)
        return out, out.grad_fn.needs_input_grad, attempt(lambda: out.sum().backward()), x.grad
    result.append(attempt(go))

# saved tensors that may be read once, gradients in a list
class Once(torch.autograd.Function):
    clear_saved_tensors_on_access = True
    @staticmethod
    def forward(ctx, a):
        ctx.save_for_backward(a)
        return a * 2
    @staticmethod
    def backward(ctx, g):
        a, = ctx.saved_tensors
        return g * a
class Boxed(torch.autograd.Function):
    boxed_grads_call = True
    @staticmethod
    def forward(ctx, a):
        return a * 2, a * 3
    @staticmethod
    def backward(ctx, grads):
        assert type(grads) is list
        return grads[0] + 2 * grads[1]
x = torch.ones(2, requires_grad=True)
y = Once.apply(x)
y.sum().backward(retain_graph=True)
result = [x.grad.clone(), attempt(lambda: y.sum().backward()),
          attempt(lambda: y.grad_fn.saved_tensors)]
a, b = Boxed.apply(x)
(a + b).sum().backward()
result.append(x.grad)

# what an error in backward refers to goes with it
import gc, weakref
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        return a * 2
    @staticmethod
    def backward(ctx, g):
        raise ValueError("no gradient")
def go():
    x = torch.ones(2, requires_grad=True)
    attempt(lambda: F.apply(x).sum().backward())
    return weakref.ref(x)
gc.collect()
gc.disable()
result = go()() is None
gc.enable()
"""


@pytest.mark.parametrize(("title", "text"), programs(PROGRAMS))
def test_same(title: str, text: str) -> None:
    both(source(text))
