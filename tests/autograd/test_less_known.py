"""Mechanics of autograd that few programs show, each against PyTorch."""

from __future__ import annotations

import pytest

from tests.both import both, programs, source

PROGRAMS = """
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

# keywords of forward with setup_context
class F(torch.autograd.Function):
    @staticmethod
    def forward(a, *, k=2):
        return a * k
    @staticmethod
    def setup_context(ctx, inputs, output):
        pass
    @staticmethod
    def backward(ctx, g):
        return g
x = torch.ones(2, requires_grad=True)
result = attempt(lambda: F.apply(x)), attempt(lambda: F.apply(x, k=3))

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

# mark_dirty of what is no input
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        b = a.clone()
        ctx.mark_dirty(b)
        return b
    @staticmethod
    def backward(ctx, g):
        return g
result = F.apply(torch.ones(2, requires_grad=True)), F.apply(torch.ones(2))

# hooks may return what they were given
x = torch.ones(2, requires_grad=True)
x.register_hook(lambda g: g)
x.register_post_accumulate_grad_hook(lambda p: p)
(x * 2).sum().backward()
result = x.grad, list(x._backward_hooks or ()) != [], (x * 2)._backward_hooks

# hooks stay behind when a tensor is pickled
import pickle
x = torch.ones(2, requires_grad=True)
y = x * 2
def hook(g):
    return g
hook.__torch_unserializable__ = True
y.register_hook(hook)
result = pickle.loads(pickle.dumps(y)), pickle.loads(pickle.dumps(x))

# where autograd refuses a write, no random number is drawn
x = torch.ones(2, requires_grad=True)
result = []
for draw in (x.normal_, x.uniform_, x.exponential_, x.cauchy_, x.bernoulli_, x.random_,
             x.log_normal_, lambda: x.geometric_(0.5), lambda: x.geometric_(2.),
             lambda: x.bernoulli_(torch.ones(2) / 2), lambda: x[:1].normal_()):
    torch.manual_seed(0)
    result += [attempt(draw), torch.rand(2)]

# a class may be decorated, but
@torch.no_grad()
class C:
    def __init__(self, x):
        self.y = x * 2
result = C(torch.ones(2, requires_grad=True)).y, torch.is_grad_enabled()

# threads of backward, on or off
@torch.autograd.set_multithreading_enabled(False)
def f(x):
    (x * 2).sum().backward()
x = torch.ones(2, requires_grad=True)
f(x)
with torch.autograd.set_multithreading_enabled(True):
    f(x)
result = x.grad

# a leaf that was given data of another shape
result = []
for then, now in (((3,), (4,)), ((3,), (3, 4)), ((2,), (3, 2)), ((3, 2), (2,)), ((3,), (3,))):
    x = torch.ones(then, requires_grad=True)
    (x * 2).sum().backward()
    x.data = torch.ones(now)
    result += [attempt(lambda: (x * 2).sum().backward()), x.grad]

# parameters on inference tensors
with torch.inference_mode():
    z = torch.ones(2)
    inside = torch.nn.Parameter(z)
def assign():
    torch.nn.Linear(1, 2, bias=False).weight.data = z.view(2, 1)
result = [attempt(lambda: torch.nn.Parameter(z)), torch.nn.Parameter(z, requires_grad=False) is z,
          attempt(assign), inside.requires_grad]

# gradients made in inference mode are its tensors
x = torch.ones(3, requires_grad=True)
y, z, w = (x * 2).sum(), x * 3, (x * x).sum()
z.retain_grad()
z.register_hook(lambda g: seen.append(g.is_inference()))
seen, q = [], (z * z).sum()
with torch.inference_mode():
    y.backward()
    q.backward()
    g, = torch.autograd.grad(w, x)
result = [g.is_inference(), x.grad.is_inference(), z.grad.is_inference(), seen,
          attempt(lambda: (x * 2).sum().backward()), attempt(lambda: x.grad._version)]

# the warning of a cycle comes after all that is refused
x = torch.ones(2, requires_grad=True)
y = (x * 2).sum()
def refused():
    import warnings
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always")
        found = [attempt(lambda: torch.ones(1).backward(create_graph=True)),
                 attempt(lambda: y.backward(create_graph=True, inputs=[])),
                 attempt(lambda: y.backward(create_graph=True, inputs=[torch.ones(1)]))]
    return found, len(given)
result = refused()

# an expanded number has no strides, so that a leaf of one item does not take it over
result = []
for shape in ((1,), (1, 1), (1, 1, 1), ()):
    for f in (lambda x: x.sum(), lambda x: x.mean(), lambda x: (x * 1).sum(), lambda x: x.max()):
        x = torch.ones(shape, requires_grad=True)
        f(x).backward()
        result.append(x.grad.stride())

# index_put out of place writes into a copy, which nothing overlaps
x, i = torch.arange(6.).view(2, 3), torch.tensor([0])
result = [x.index_put((i,), x[1]), torch.index_put(x, (i,), x[0], accumulate=True),
          attempt(lambda: x.index_put((i,), x)), x[:1].expand(2, 3).index_put((i,), x[1]),
          attempt(lambda: x.index_put_((i,), x[0])), attempt(lambda: x.index_put_((i,), x[1]))]

# what is written while it is made
result = [F(torch.tensor([1, 2]))._version for F in (
    torch.nn.functional.one_hot, lambda i: torch.nn.utils.rnn.pad_sequence([i, i[:1]]))]

# what a node shows
x = torch.ones(2, requires_grad=True)
left_out = {"_input_metadata", "_register_hook_dict", "_set_sequence_nr"}
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2
    @staticmethod
    def backward(ctx, g):
        return g
y = F.apply(x)
result = [(sorted(set(dir(n)) - left_out), n.requires_grad) for n in (
    (x * x).grad_fn, x.sum().grad_fn, x.unbind()[0].grad_fn, y.grad_fn.next_functions[0][0])]
result += [attempt(lambda: y.grad_fn(torch.ones(2))), attempt(lambda: F.vmap(None, None))]

# nodes may be called
x = torch.ones(2, requires_grad=True)
y = x * 3
end = y.grad_fn.next_functions[0][0]
result = [y.grad_fn(torch.ones(2)), attempt(lambda: y.grad_fn(grad=x)), end(torch.ones(2)), x.grad,
          end(torch.ones(2)), x.grad, attempt(end), end(None)]
with torch.no_grad():
    end(torch.ones(2))
result.append(x)

# hooks without a name
class Hook:
    def __call__(self, *grads):
        return torch.ones(3)
x = torch.ones(2, requires_grad=True)
handle = x.register_hook(Hook())
result = [attempt(lambda: (x * 2).sum().backward())]
handle.remove()
y = x * 2
y.grad_fn.register_hook(lambda i, o: (Hook()(),))
y.grad_fn.register_prehook(Hook())
result += [attempt(lambda: y.sum().backward())]

# the class of a Function's nodes
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        return a * 2
y = F.apply(torch.ones(2, requires_grad=True))
result = [y.grad_fn.__class__ is F._backward_cls, F._backward_cls.__name__]

# gradients of outputs without any may be made or not
result = []
for flag in (True, False):
    class F(torch.autograd.Function):
        @staticmethod
        def forward(ctx, a):
            one, two = a.clone(), a.clone()
            ctx.mark_non_differentiable(two)
            ctx._materialize_non_diff_grads = flag
            return one, two
        @staticmethod
        def backward(ctx, one, two):
            result.append([one.clone(), None if two is None else two.clone()])
            return one
    x = torch.ones(2, requires_grad=True)
    F.apply(x)[0].sum().backward()
    result.append(x)

# what may be differentiated once only has a place for each of the gradients
result = []
for places in ((0,), (1,), (0, 1), ()):
    class F(torch.autograd.Function):
        @staticmethod
        def forward(ctx, a, b, k):
            return a * b
        @staticmethod
        @torch.autograd.function.once_differentiable
        def backward(ctx, g):
            return tuple(g * 2 if place in places else None for place in range(3))
    x, y = (torch.ones(2, requires_grad=True) for _ in range(2))
    one = torch.ones((), requires_grad=True)
    found = torch.autograd.grad(F.apply(x, y, 3).sum(), (x, y), one, create_graph=True,
                                allow_unused=True)
    result.append([found, [each is not None and each.output_nr for each in found]])
    result += [attempt(lambda: each.sum().backward()) for each in found if each is not None]

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

# hooks that may stay behind
import pickle
hooks = sys.modules[torch.nn.Module.register_forward_hook.__globals__["__name__"].split(".")[0]
                    + ".utils.hooks"]
x = torch.ones(2, requires_grad=True)
@hooks.unserializable_hook
def hook(g):
    return g
x.register_hook(hook)
hooks.warn_if_has_hooks(x)
result = pickle.loads(pickle.dumps(x))

# instances are normalized though their channels are others
x = torch.arange(8.).reshape(1, 2, 4)
result = [torch.nn.InstanceNorm1d(3)(x), torch.nn.InstanceNorm1d(2)(x),
          attempt(lambda: torch.nn.InstanceNorm1d(3, affine=True)(x))]

# what ctx is told is checked
result = []
x = torch.ones(2, requires_grad=True)
def tell(what):
    class F(torch.autograd.Function):
        @staticmethod
        def forward(ctx, a):
            what(ctx, a)
            return a * 2
        @staticmethod
        def backward(ctx, g):
            return g * 3
    x.grad = None
    return attempt(lambda: F.apply(x).sum().backward()), x.grad
for what in (
    lambda ctx, a: ctx.mark_dirty(3), lambda ctx, a: ctx.mark_dirty([a]),
    lambda ctx, a: ctx.mark_non_differentiable(a, None), lambda ctx, a: ctx.mark_dirty(None),
    lambda ctx, a: ctx.set_materialize_grads(1),
    lambda ctx, a: setattr(ctx, "needs_input_grad", ()),
):
    result.append(tell(what))

# types of values are called as C calls them
import collections
import numpy as np
x = torch.ones(2, requires_grad=True)
result = []
for value in (np.ones(2), np.float32(1), collections.OrderedDict(), [1]):
    y, z, leaf = x * 2, x.detach(), torch.ones(2, requires_grad=True)
    y.register_hook(lambda g: value)
    result.append(attempt(y.sum().backward))
    for found in (value, (value,)):
        y = x * 2
        y.grad_fn.register_hook(lambda i, o: found)
        result.append(attempt(y.sum().backward))
    leaf.register_post_accumulate_grad_hook(lambda t: value)
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: value):
        e = x.exp().sum()
    result += [attempt(leaf.sum().backward), attempt(e.backward),
               *(attempt(lambda: setattr(z, to, value)) for to in ("data", "grad", "grad_dtype")),
               attempt(lambda: torch.autograd.Variable(value)),
               attempt(lambda: torch.autograd.grad(x.sum(), [value]))]

# contexts that hooks enter or leave end with backward
hooks = torch.autograd.graph.saved_tensors_hooks
same = lambda t: t
seen = []
def leave(t):
    one.__exit__()
    return t
one, two = hooks(same, leave), hooks(same, same)
x = torch.ones(2, requires_grad=True)
for _ in range(2):
    with two:
        one.__enter__()
        x.sin().sum().backward()
for _ in range(2):
    one.__exit__()
def enter(t):
    hooks(lambda t: seen.append("packed"), same).__enter__()
    return t
with hooks(same, enter):
    x.sin().sum().backward()
y = x.exp()
result = [x.grad, seen, attempt(lambda: hooks(3, same).__enter__())[:2]]

# modes tell what was before them, and have others like them
result = []
for mode in (torch.no_grad, torch.enable_grad, lambda: torch.set_grad_enabled(False)):
    m = mode()
    with m:
        result.append(m.prev)
    result.append(type(m.clone()) is type(m))
    torch.set_grad_enabled(True)
result += [torch.no_grad().prev, torch.set_grad_enabled(True).mode, torch.inference_mode().mode]
result += [attempt(lambda: torch.no_grad(1, 2)), attempt(lambda: torch.set_grad_enabled(1, 2))]

# hooks after accumulation, and none
x = torch.ones(2).requires_grad_()
result = []
x.register_post_accumulate_grad_hook(print)
result += [len(x._post_accumulate_grad_hooks), torch.ones(2)._post_accumulate_grad_hooks]

# new_tensor of a tensor
x = torch.ones(2, requires_grad=True)
result = x.new_tensor(x), x.new_tensor(torch.tensor([1, 2])), x.new_tensor([1], requires_grad=True)

# a view that was given other data lies where those begin
x = torch.ones(2, 3, requires_grad=True) * 1
v, w = x[1], x[:, 1:]
v.data = torch.zeros(5)[2:]
x.mul_(2)
result = v.grad_fn._saved_storage_offset, w.grad_fn._saved_storage_offset
"""


@pytest.mark.parametrize(("title", "text"), programs(PROGRAMS))
def test_same(title: str, text: str) -> None:
    both(source(text))
