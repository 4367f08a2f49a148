"""Subclasses of Tensor: how they are made, kept, copied and derived."""

from __future__ import annotations

import pytest

from tests.compare_engines import both, programs, source

SETUP = """
import copy, pickle
import numpy as np
class T(torch.Tensor): pass
class Other(torch.Tensor): pass
def kind(value):
    return type(value).__name__
log = []
class Logged(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        log.append(func.__name__)
        return super().__torch_function__(func, types, args, kwargs)
torch.manual_seed(0)
"""

PROGRAMS = """
# made from values, sizes and tensors
v = torch.rand(2, requires_grad=True)
results = [kind(T([1., 2.])), T(2, 3).shape, kind(T()), T([1, 2]).dtype]
for each in (v, v * 2, v.detach(), T([1., 2.])):
    made = T(each)
    results += [kind(made), made.requires_grad, kind(made.grad_fn), made._is_view(),
                made._base is each]
w = torch.zeros(2)
made, apart = T(w), torch.Tensor._make_subclass(T, w)
w.add_(1)
result = results + [made._version, apart._version, apart._is_view(), apart.sum().item(),
                    torch.Tensor._make_subclass(T, w, True).requires_grad]

# classes with __new__ and __init__ of their own
class Tagged(torch.Tensor):
    def __new__(cls, data, tag="none"):
        made = super().__new__(cls, data)
        made.tag = tag
        return made
    def __init__(self, *args, **kwargs):
        pass
class Late(torch.Tensor):
    def __init__(self, data):
        super().__init__()
        self.more = len(data)
class Wrong(torch.Tensor):
    def __init__(self, data):
        super().__init__(data)
class Made(torch.Tensor):
    @staticmethod
    def __new__(cls, data, scale):
        return torch.Tensor._make_subclass(cls, torch.as_tensor(data) * scale)
    def __init__(self, data, scale):
        self.scale = scale
tagged, late, made = Tagged([1., 2.], tag="z"), Late([1., 2.]), Made([1., 2.], 3)
result = [tagged.tag, kind(tagged), hasattr(tagged + 1, "tag"), kind(tagged + 1), late.more,
          attempt(lambda: kind(Wrong([1.]))), made.scale, made.tolist(), kind(made * 2),
          hasattr(made * 2, "scale")]

# attributes stay with copies and pickles, not with results
t = T([1., 2.])
t.tag = 1
found = [t + 1, t.view(2), t.detach(), t.clone(), copy.copy(t), t.requires_grad_(), t.data]
result = [[kind(each), hasattr(each, "tag")] for each in found]

# parameters of subclasses
t = T([1., 2.])
t.tag = 1
p = torch.nn.Parameter(t)
m = torch.nn.Module()
m.w = p
results = [kind(p), p.is_leaf, p.requires_grad, isinstance(p, torch.nn.Parameter),
           isinstance(t, torch.nn.Parameter), sorted(vars(p)), repr(p), list(m._parameters)]
m.double()
(m.w * 2).sum().backward()
results += [kind(m.w), isinstance(m.w, torch.nn.Parameter), m.w.dtype, kind(m.w.grad)]
for optimizer in (torch.optim.SGD(m.parameters(), 0.1), torch.optim.Adam(m.parameters())):
    optimizer.step()
    results += [kind(m.w), m.w.tolist(), kind(m.w.grad)]
results += [kind(torch.nn.Parameter(p)),
            attempt(lambda: torch.nn.Parameter(torch.tensor([1]).as_subclass(T))),
            kind(torch.nn.Buffer(t)), isinstance(torch.nn.Buffer(t), torch.nn.Buffer)]
result = results

# subclasses of Parameter
class P(torch.nn.Parameter):
    def __new__(cls, data=None, requires_grad=True, tag=None):
        made = super().__new__(cls, data, requires_grad)
        made.tag = tag
        return made
    def __init__(self, *args, **kwargs):
        pass
p = P(torch.ones(2), tag=3)
class Simple(torch.nn.Parameter): pass
q = Simple(torch.ones(2))
result = [kind(p), p.tag, kind(p + 1), isinstance(p, torch.nn.Parameter), repr(p), p.is_leaf,
          kind(copy.deepcopy(q)), isinstance(torch.ones(1), Simple), isinstance(q, P)]

# gradients, hooks and what nodes save
leaf = T([1., 2.])
leaf.requires_grad_()
seen = []
leaf.register_hook(lambda grad: seen.append(kind(grad)))
leaf.register_post_accumulate_grad_hook(lambda each: seen.append(kind(each)))
y = leaf * leaf
y.register_hook(lambda grad: seen.append("y " + kind(grad)))
y.retain_grad()
inner = y.grad_fn.next_functions[0][0]
results = [kind(y), kind(y.grad_fn), kind(inner), kind(inner._saved_self),
           inner._saved_self is leaf, kind(leaf.exp().grad_fn.next_functions[0][0]._saved_result),
           kind(inner.next_functions[0][0].variable)]
y.sum().backward()
second, = torch.autograd.grad((leaf * leaf).sum(), leaf, create_graph=True)
first, = torch.autograd.grad((leaf * leaf).sum(), leaf)
result = results + [seen, kind(leaf.grad), kind(y.grad), kind(second), graph(second.grad_fn),
                    kind(first)]

# functions of the user's
seen = []
class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        seen.append(kind(x))
        ctx.save_for_backward(x)
        return x * 2
    @staticmethod
    def backward(ctx, grad):
        seen.extend([kind(grad), kind(ctx.saved_tensors[0])])
        return grad * 2
leaf = T([1., 2.])
leaf.requires_grad_()
out = Twice.apply(leaf)
out.sum().backward()
with torch.autograd.graph.saved_tensors_hooks(lambda x: (seen.append(kind(x)), x)[1], lambda x: x):
    (leaf * leaf).sum().backward()
result = [seen, kind(out), kind(out.grad_fn), leaf.grad.tolist()]

# formulas ask nobody, whatever is derived
leaf = Logged([1., 2.])
leaf.requires_grad_()
y = (leaf * leaf * leaf.exp() / (leaf + 1)).sum()
log.clear()
y.backward(create_graph=True)
z = (leaf ** 3).sin().sum()
grad, = torch.autograd.grad(z, leaf, create_graph=True)
grad.sum().backward()
result = [list(log), kind(grad), kind(leaf.grad)]

# views, writes and versions
base = torch.zeros(2, 2)
t = base.as_subclass(T)
results = [t._base is base, t._version]
t.add_(1)
results += [base._version, t._version, base.sum().item()]
part = t[0]
part.mul_(2)
results += [kind(part), part._is_view(), t.tolist(), base._version]
v = torch.ones(2, requires_grad=True)
s = (v * 1).as_subclass(T)
s.mul_(3)
s[0] = 5
result = results + [kind(s), attempt(lambda: graph(s.grad_fn)), v.as_subclass(T).is_leaf,
                    attempt(lambda: v.as_subclass(T).add_(1))]
"""


@pytest.mark.parametrize(("title", "text"), programs(PROGRAMS), ids=lambda part: part[:60])
def test_subclasses(title: str, text: str) -> None:
    both(source(SETUP + text))
