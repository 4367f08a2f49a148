"""Saved tensors: hooks that keep them, and what may be done with them, on both engines."""

from __future__ import annotations

import pytest

from tests.compare_engines import both, programs, source

PROGRAMS = """
# what is packed, and in which order
graph = torch.autograd.graph
log = []
def pack(t):
    log.append(("pack", t.requires_grad, t.is_leaf, t.dim(), torch.is_grad_enabled(), t is x))
    return t
def unpack(t):
    log.append(("unpack", t.dim(), torch.is_grad_enabled()))
    return t
x = torch.tensor([[1., 2.], [3., 4.]], requires_grad=True)
with graph.saved_tensors_hooks(pack, unpack):
    a = x.exp()
    b = a * x
    c = b * 2
    d = c.max(0)[0]
    e = c[torch.tensor([1, 0])]
    f = torch.where(e > 0, e, a)
    g = f.clamp(0, 3) ** 2
    h = g.sqrt().mean() + d.sum()
h.backward()
result = [log, x.grad, h]

# unpack decides what the formula uses, once for each use
log = []
graph = torch.autograd.graph
x = torch.tensor([1., 2.], requires_grad=True)
def unpack(t):
    log.append(1)
    return t * 10
with graph.saved_tensors_hooks(lambda t: t, unpack):
    y = x * x
y.sum().backward(retain_graph=True)
first = x.grad.clone()
y.sum().backward()
result = [first, x.grad.clone(), len(log), attempt(lambda: y.sum().backward())]

# the innermost context applies
log = []
graph = torch.autograd.graph
x = torch.tensor([1., 2.], requires_grad=True)
def hooks(name):
    def pack(t):
        log.append("pack " + name)
        return t
    def unpack(t):
        log.append("unpack " + name)
        return t
    return graph.saved_tensors_hooks(pack, unpack)
with hooks("outer"):
    a = x ** 2
    with hooks("inner"):
        b = a ** 2
    c = b ** 2
d = c ** 2
d.sum().backward()
result = [log, x.grad]

# packing into something else, and a second derivative
graph = torch.autograd.graph
x = torch.tensor([1., 2.], requires_grad=True, dtype=torch.float64)
back = lambda items: torch.tensor(items, dtype=torch.float64)
with graph.saved_tensors_hooks(lambda t: t.tolist(), back):
    y = (x ** 3).exp() * x
g, = torch.autograd.grad(y.sum(), x, create_graph=True)
h, = torch.autograd.grad(g.sum(), x, create_graph=True)
result = [g, h, torch.autograd.grad(h.sum(), x)]

# hooks that err
graph = torch.autograd.graph
x = torch.tensor([1., 2.], requires_grad=True)
def program(pack, unpack):
    with graph.saved_tensors_hooks(pack, unpack):
        y = x * 1
        z = (y * y).sum()
    z.backward()
def fails(t):
    raise ValueError("pack fails")
result = [
    attempt(lambda: program(lambda t: 5, lambda t: t)),
    attempt(lambda: program(lambda t: t.mul_(2), lambda t: t)),
    attempt(lambda: program(fails, lambda t: t)),
    attempt(lambda: program(lambda t: t, fails)),
    x.grad,
]

# hooks forbidden
graph = torch.autograd.graph
def enter():
    with graph.saved_tensors_hooks(lambda t: t, lambda t: t):
        return "entered"
def within():
    with graph.disable_saved_tensors_hooks("not here"):
        return enter()
def nested():
    with graph.disable_saved_tensors_hooks("not here"):
        with graph.disable_saved_tensors_hooks("nor here"):
            return enter()
def already():
    with graph.saved_tensors_hooks(lambda t: t, lambda t: t):
        with graph.disable_saved_tensors_hooks("too late"):
            return "entered"
@graph.disable_saved_tensors_hooks("decorated")
def decorated():
    return enter()
def after():
    attempt(within)
    return enter()
result = [attempt(each) for each in (within, nested, already, decorated, after, enter)]

# hooks of one slot
x = torch.tensor([1., 2.], requires_grad=True)
log = []
def pack(t):
    log.append(("pack", t, t is x))
    return t
def unpack(t):
    log.append("unpack")
    return t
y = x * x
raw = y.grad_fn._raw_saved_self
raw.register_hooks(pack, unpack)
twice = attempt(lambda: y.grad_fn._raw_saved_self.register_hooks(pack, unpack))
first = y.grad_fn._saved_self
same = first is x
y.sum().backward()
gone = attempt(lambda: raw.register_hooks(pack, unpack))
z = x * 2
none = attempt(lambda: z.grad_fn._raw_saved_self.register_hooks(pack, unpack))
number = attempt(lambda: z.grad_fn._raw_saved_other.register_hooks(pack, unpack))
unknown = attempt(lambda: z.grad_fn._raw_saved_nothing)
w = x.exp()
w.grad_fn._raw_saved_result.register_hooks(pack, unpack)
kind = type(raw).__name__
result = [log, twice, first, same, gone, none, number, unknown, w.grad_fn._saved_result, kind,
          x.grad,
          attempt(lambda: raw.register_hooks(5, pack))[1]]

# saved by a custom Function
graph = torch.autograd.graph
log = []
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        r = a * b
        ctx.save_for_backward(a, r, None, torch.ones(1))
        return r
    @staticmethod
    def backward(ctx, g):
        a, r, n, o = ctx.saved_tensors
        log.append((len(ctx._raw_saved_tensors), n))
        return g * a * r, g * o
x = torch.tensor([1., 2.], requires_grad=True)
def pack(t):
    log.append(("pack", t))
    return t
def unpack(t):
    log.append("unpack")
    return t + 1
with graph.saved_tensors_hooks(pack, unpack):
    y = F.apply(x * 1, x)
y.sum().backward()
result = [log, x.grad, attempt(lambda: y.grad_fn.saved_tensors),
          attempt(lambda: y.grad_fn._raw_saved_tensors)]

# written after it was packed: nobody checks
graph = torch.autograd.graph
x = torch.tensor([1., 2.], requires_grad=True)
with graph.saved_tensors_hooks(lambda t: t, lambda t: t):
    y = x.exp()
    z = y ** 2
y.mul_(2)
z.sum().backward()
result = [x.grad]

# save_on_cpu changes nothing
x = torch.tensor([1., 2.], requires_grad=True)
with torch.autograd.graph.save_on_cpu():
    y = (x * x).exp()
with torch.autograd.graph.save_on_cpu(pin_memory=False):
    z = y ** 2
z.sum().backward()
result = [x.grad, y, z]

# saved tensors that may be written
graph = torch.autograd.graph
x = torch.tensor([1., 2.], requires_grad=True)
with graph.allow_mutation_on_saved_tensors():
    y = x.clone()
    z = (y ** 2).sum()
    w = y.exp()
    y.sin_()
    w.mul_(3)
    (z + w.sum()).backward()
def outside():
    with graph.allow_mutation_on_saved_tensors():
        out = (x * x).sum()
    out.backward()
def nested():
    with graph.allow_mutation_on_saved_tensors():
        with graph.allow_mutation_on_saved_tensors():
            pass
result = [x.grad, y, w, attempt(outside), attempt(nested)]

# hooks concern the thread that set them
import threading
graph = torch.autograd.graph
log = []
x = torch.tensor([1., 2.], requires_grad=True)
def pack(t):
    log.append(1)
    return t
def work():
    (x * x).sum().backward()
with graph.saved_tensors_hooks(pack, lambda t: t):
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
result = [log, x.grad]

# what a Function saved, one by one
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = x.exp()
        ctx.save_for_backward(x, None, y)
        return y
    @staticmethod
    def backward(ctx, g):
        return g * ctx.saved_tensors[2]
x = torch.tensor([1., 2.], requires_grad=True)
y = F.apply(x)
result = [(attempt(lambda: raw.data), attempt(lambda: raw.unpack()))
          for raw in y.grad_fn._raw_saved_tensors]
"""


@pytest.mark.parametrize(("title", "text"), programs(PROGRAMS))
def test_same(title: str, text: str) -> None:
    both(source(text))
