"""Derivatives as functions, and gradients checked by differences, on both engines."""

from __future__ import annotations

import pytest

import graphwidget
from tests.compare_engines import both, programs, source

PROGRAMS = """
# jacobians of all forms
F = torch.autograd.functional
x = torch.tensor([1., 2.], requires_grad=True)
y = torch.tensor([[3., 4.]])
one = lambda a: a.exp() * a.sum()
two = lambda a, b: (a * b, b.sum() * a[0])
x.grad = torch.ones(2)
result = [F.jacobian(one, x), F.jacobian(two, (x, y)), F.jacobian(one, (x,)), x.grad,
          F.jacobian(lambda a: (a * 2,), x), F.jacobian(lambda a: y, x), F.jacobian(one,
          torch.tensor(2.)),
          F.jacobian(lambda a, b: a, (x, y)),
          F.jacobian(lambda a: a.sum(), y)]

# hessians of all forms
F = torch.autograd.functional
x = torch.tensor([1., 2.], dtype=torch.float64)
y = torch.tensor([3., 4.], dtype=torch.float64)
one = lambda a: (a ** 3).sum()
two = lambda a, b: (a * b).sum() ** 2
result = [F.hessian(one, x), F.hessian(two, (x, y)), F.hessian(lambda a: a.sum(), x),
          F.hessian(lambda a: (a ** 3).sum().view(1, 1), x),
          F.hessian(one, (x,))]

# results that may be differentiated again
F = torch.autograd.functional
x = torch.tensor([1., 2.], requires_grad=True)
v = torch.tensor([3., 4.], requires_grad=True)
f = lambda a: a ** 3
s = lambda a: (a ** 3).sum()
found = [F.jacobian(f, x, create_graph=True), F.hessian(s, x, create_graph=True),
         *F.vjp(f, x, v, create_graph=True), *F.jvp(f, x, v, create_graph=True),
         *F.vhp(s, x, v, create_graph=True), *F.hvp(s, x, v, create_graph=True)]
keep = {"retain_graph": True, "allow_unused": True}
result = [[t.requires_grad, t.detach(), plain(torch.autograd.grad(t.sum(), x, **keep)),
           [None if g is None else g.clone() for g in torch.autograd.grad(t.sum(), v, **keep)]]
          for t in found]

# products with vectors
F = torch.autograd.functional
x = torch.tensor([1., 2.])
y = torch.tensor([3., 4.])
v = torch.tensor([5., 6.])
f = lambda a: a.exp() * y
two = lambda a, b: (a * b, a.sum())
s = lambda a: (a ** 3).sum()
t = lambda a, b: (a * b * b).sum()
result = [F.vjp(f, x, v), F.jvp(f, x, v), F.vhp(s, x, v), F.hvp(s, x, v),
          F.vjp(two, (x, y), (v, torch.tensor(2.))), F.jvp(two, (x, y), (v, x)),
          F.vhp(t, (x, y), (v, x)), F.hvp(t, (x, y),
          (v, x)), F.vjp(s, x), F.vjp(lambda a: y, x, v),
          F.jvp(lambda a: a.sum(), torch.tensor([2.])), F.hvp(s, torch.tensor([2.])),
          F.jvp(lambda a: y, x, v), F.vhp(lambda a: a.sum(), x, v),
          F.hvp(lambda a: a.sum(), x, v)]
with torch.no_grad():
    result += [F.jacobian(f, x), F.hessian(s, x), F.vjp(f, x, v), F.jvp(f, x, v), F.vhp(s, x, v)]

# the errors
F = torch.autograd.functional
x = torch.tensor([1., 2.])
y = torch.tensor([3., 4.])
f = lambda a: a * 2
s = lambda a: (a ** 2).sum()
tries = [
    lambda: F.hessian(f, x), lambda: F.hessian(lambda a: (s(a), s(a)), x),
    lambda: F.hessian(lambda a: 5, x),
    lambda: F.vjp(f, x), lambda: F.jvp(f, x), lambda: F.vhp(s, x), lambda: F.hvp(s, x),
    lambda: F.vjp(f, x, torch.ones(3)), lambda: F.jvp(f, x, torch.ones(3)),
    lambda: F.vhp(s, x, torch.ones(3)),
    lambda: F.vjp(lambda a: (a, a), x, x), lambda: F.vjp(f, x, (x, x)),
    lambda: F.jvp(lambda a, b: a, (x, y), (x, torch.ones(3))),
    lambda: F.vjp(f, x, 5), lambda: F.vjp(lambda a: 5, x, x), lambda: F.jacobian(f, 5),
    lambda: F.jacobian(f, (x, 5)),
    lambda: F.jacobian(f, [x]), lambda: F.vhp(f, x, x), lambda: F.hvp(lambda a: (s(a),), x, x),
]
result = [attempt(each) for each in tries]

# a gradient that is right
check = torch.autograd.gradcheck
x = torch.tensor([1., 2.], dtype=torch.float64, requires_grad=True)
y = torch.tensor([[3.], [4.]], dtype=torch.float64, requires_grad=True)
k = torch.ones(2, dtype=torch.float64)
result = [check(lambda a, b: (a * b, a.exp()), (x, y)), check(torch.sin, x),
          check(torch.sin, [x]),
          check(lambda a, c: a * c, (x, k)), check(lambda a, n: a * n, (x, 3)),
          check(torch.exp, x, fast_mode=True),
          torch.autograd.gradgradcheck(lambda a, b: a * a * b, (x, y)), x.grad, x._version,
          torch.autograd.gradgradcheck(torch.exp, (x,), (k.clone().requires_grad_(),)),
          check(lambda a: k, x), check(lambda a: (a * 2, k), x)]

# a gradient that is wrong
check = torch.autograd.gradcheck
class Wrong(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        return a * 2, b * 3
    @staticmethod
    def backward(ctx, g, h):
        return g * 2, h * 4
x = torch.tensor([1., 2.], dtype=torch.float64, requires_grad=True)
result = [attempt(lambda: check(Wrong.apply, (x, x.detach().clone().requires_grad_()), eps=0.25)),
          attempt(lambda: check(Wrong.apply,
          (x, x.detach().clone().requires_grad_()), raise_exception=False)),
          attempt(lambda: check(Wrong.apply, (x, x.detach().clone().requires_grad_()), atol=10.))]
"""


@pytest.mark.parametrize(("title", "text"), programs(PROGRAMS))
def test_same(title: str, text: str) -> None:
    both(source(text))


def test_forward_mode_is_computed_backward() -> None:
    jacobian = graphwidget.autograd.functional.jacobian
    x = graphwidget.tensor([1.0, 2.0])
    for strategy in ("reverse-mode", "forward-mode"):
        found = jacobian(graphwidget.exp, x, vectorize=True, strategy=strategy)
        assert graphwidget.equal(found, jacobian(graphwidget.exp, x))


def test_what_is_not_offered_says_so() -> None:
    x = graphwidget.tensor([1.0], dtype=graphwidget.float64, requires_grad=True)
    with pytest.raises(NotImplementedError, match="check_forward_ad"):
        graphwidget.autograd.gradcheck(graphwidget.exp, x, check_forward_ad=True)
    functional = graphwidget.autograd.functional
    for name in ("jacobian", "vjp", "jvp"):
        with pytest.raises(NotImplementedError, match="strict=True is not part of graphwidget"):
            getattr(functional, name)(lambda _: graphwidget.ones(1), x, strict=True)
    assert functional.jacobian(graphwidget.exp, x, strict=True).item() == x.exp().item()
