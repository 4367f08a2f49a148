"""What a program may ask of autograd beside gradients: the type of a leaf's gradient, where it lies
in memory, which versions count, and what is to be called at the end. Each against PyTorch."""

from __future__ import annotations

import pytest

from tests.both import both, programs, source

SETUP = """
A = torch.autograd
class Wide(A.Function):
    @staticmethod
    def forward(ctx, a):
        return a * 2
    @staticmethod
    def backward(ctx, g):
        return g.to(torch.float64) * 2
def leaf(*numbers):
    return torch.tensor(numbers, requires_grad=True)
"""

PROGRAMS = """
# grad_dtype is told and asked
x = leaf(1., 2.)
result = [str(x.grad_dtype)]
for kind in (torch.float16, None, torch.float32):
    x.grad_dtype = kind
    result.append(str(x.grad_dtype))
y = x * 2
result += [attempt(lambda: y.grad_dtype), attempt(lambda: setattr(y, "grad_dtype", None)),
           attempt(lambda: setattr(x, "grad_dtype", "float")), str(x.detach().grad_dtype)]

# grad_dtype and a gradient that is there
x = leaf(1., 2.)
x.grad = torch.ones(2)
x.grad_dtype = torch.float32
result = [attempt(lambda: setattr(x, "grad_dtype", torch.float16))]
x.grad_dtype = None
x.grad = torch.ones(2, dtype=torch.float64)
result += [x, attempt(lambda: setattr(x, "grad", torch.ones(3)))]
x.grad = None
x.grad_dtype = torch.float16
result += [attempt(lambda: setattr(x, "grad", torch.ones(2))), x]

# gradients come in the type that their leaf wants
result = []
for kind in ("own", None, torch.float16, torch.float64):
    x = leaf(1., 2.)
    if kind != "own":
        x.grad_dtype = kind
    x.register_hook(lambda g: result.append(str(g.dtype)))
    result.append(A.grad(Wide.apply(x).sum(), x))
    Wide.apply(x).sum().backward()
    result.append(x.grad.clone())
    (x * 3).sum().backward()
    result.append(x.grad)
    x.grad = None
    x.backward(torch.ones(2, dtype=torch.float64))
    result.append(x.grad)
    x.grad = None
    x.sum().backward(create_graph=True)
    result += [x.grad, x.grad.grad_fn]
s = leaf(2.).sum().detach().requires_grad_()
s.grad_dtype = torch.float64
s.sin().backward()
result.append(s.grad)

# views whose base was written are replayed or not
x = torch.arange(12.).reshape(3, 4).requires_grad_()
result = []
def look(x):
    base = x.clone()
    views = [base.view(-1), base.t()[1], base[1:, 0], base.unsqueeze(0).expand(2, 3, 4),
             base.permute(1, 0).unfold(0, 2, 1), base.view(2, 6).diagonal(), base.detach()]
    views[1].mul_(2)
    base.add_(1)
    with torch.no_grad():
        nodes = [each.grad_fn for each in views]
    x.grad = None
    sum((each * each).sum() for each in views).backward()
    return [[node is not None and node.name() for node in nodes], nodes[1], x.grad, views[0]]
for on in (True, False):
    with A._force_original_view_tracking(on):
        result += [look(x), A.is_view_replay_enabled()]
A._force_original_view_tracking(True)
result += [look(x), A.is_view_replay_enabled()]
A._force_original_view_tracking(False)
@A._force_original_view_tracking(True)
def f():
    return A.is_view_replay_enabled(), look(x)
result += [f(), A.is_view_replay_enabled(), attempt(lambda: A._force_original_view_tracking(1))]

# writes that do not count
x, y = torch.ones(2, requires_grad=True).clone(), torch.ones(2)
x.add_(1)
z = x.exp() * x
with A._unsafe_preserve_version_counter(x):
    x.mul_(2)
    x.mul_(0.5)
result = [x._version, attempt(z.sum().backward)]
with A._unsafe_preserve_version_counter((x, y)):
    x.mul_(2)
    y.mul_(3)
result += [x._version, y._version]
result += [attempt(lambda: A._unsafe_preserve_version_counter([x]))]

# increment_version
inc = A.graph.increment_version
a = torch.zeros(2, dtype=torch.int32)
inc(a)
inc([a, a])
inc(())
result = [a, attempt(lambda: inc(3)), attempt(lambda: inc([3]))]
with torch.inference_mode():
    i = torch.ones(2)
    inc(i)
inc(i)
"""


@pytest.mark.parametrize(("title", "text"), programs(PROGRAMS))
def test_same(title: str, text: str) -> None:
    both(source(SETUP + text))
