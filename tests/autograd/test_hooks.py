"""Hooks of tensors and nodes: what they see, in which order, and their errors,
on both engines."""

from __future__ import annotations

import pytest

from tests.compare_engines import both, programs, source

PROGRAMS = """
# the order at a leaf and at an intermediate
log = []
x = torch.tensor([1., 2.], requires_grad=True)
h = x * 2
y = (h * h).sum()
def note(name):
    copy = lambda a: a.clone() if hasattr(a, "clone") else a
    return lambda *args: log.append((name, [copy(a) for a in args]))
h.register_hook(note("h first"))
h.retain_grad()
h.register_hook(note("h second"))
h.grad_fn.register_prehook(note("pre"))
h.grad_fn.register_hook(note("post"))
x.register_hook(note("x"))
x.register_post_accumulate_grad_hook(lambda leaf: log.append(("accumulated", leaf.grad.clone())))
end = h.grad_fn.next_functions[0][0]
end.register_prehook(note("end pre"))
end.register_hook(note("end post"))
y.backward()
result = [log, h.grad, x.grad]

# replacing gradients
x = torch.tensor([1., 2.], requires_grad=True)
h = x * 2
h.register_hook(lambda g: g * 10)
h.register_hook(lambda g: None)
h.register_hook(lambda g: g + 1)
x.register_hook(lambda g: g.neg())
h.sum().backward()
first = x.grad.clone()
y = x * 3
y.grad_fn.register_prehook(lambda gs: (gs[0] * 2,))
y.grad_fn.register_hook(lambda gi, go: (gi[0] + go[0], None))
y.sum().backward()
result = [first, x.grad]

# hooks when an edge's gradient is asked for
log = []
x = torch.tensor([1., 2.], requires_grad=True)
h = x * 2
y = (h * h).sum()
h.register_hook(lambda g: log.append("h") or g * 10)
h.grad_fn.register_prehook(lambda gs: log.append("pre"))
h.grad_fn.register_hook(lambda gi, go: log.append("post"))
x.register_hook(lambda g: log.append("x") or g + 1)
x.register_post_accumulate_grad_hook(lambda leaf: log.append("accumulated"))
end = h.grad_fn.next_functions[0][0]
end.register_prehook(lambda gs: log.append("end pre"))
end.register_hook(lambda gi, go: log.append("end post"))
result = []
for inputs in ((h,), (x,), (h, x)):
    result.append(torch.autograd.grad(y, inputs, retain_graph=True))
    log.append("-")
y.backward(inputs=[x], retain_graph=True)
log.append("-")
y.backward(inputs=[h])
result += [log, x.grad]

# hooks of several outputs of one node
log = []
x = torch.tensor([[1., 2.], [3., 4.]], requires_grad=True)
a, b = x.unbind(0)
b.register_hook(lambda g: log.append(("b", g)))
a.register_hook(lambda g: log.append(("a", g.clone())))
a.retain_grad()
copies = lambda gs: [None if g is None else g.clone() for g in gs]
a.grad_fn.register_prehook(lambda gs: log.append(("pre", copies(gs))))
a.grad_fn.register_hook(lambda gi, go: log.append(("post", gi[0].clone(), len(go))))
(a * 2).sum().backward(retain_graph=True)
(a * b).sum().backward()
result = [log, a.grad]

# errors of what hooks return
x = torch.tensor([1., 2.], requires_grad=True)
def tensor_hook(answer):
    h = x * 1
    h.register_hook(lambda g: answer)
    return attempt(lambda: h.sum().backward())
def prehook(answer):
    h = x * 1
    h.grad_fn.register_prehook(lambda gs: answer)
    return attempt(lambda: h.sum().backward())
def posthook(answer):
    h = x * 1
    h.grad_fn.register_hook(lambda gi, go: answer)
    return attempt(lambda: h.sum().backward())
answers = [5, torch.ones(3), torch.ones(2).double(), (torch.ones(2),), (5,), (None,),
(torch.ones(2), None), ()]
result = [[hook(answer) for answer in answers] for hook in (tensor_hook, prehook, posthook)]

# a hook that raises
x = torch.tensor([1., 2.], requires_grad=True)
y = torch.tensor([1., 2.], requires_grad=True)
h = x * 1
h.register_hook(lambda g: 1 / 0)
k = y * 2
out = (h + k).sum()
result = [attempt(lambda: out.backward()), x.grad, y.grad, torch.is_grad_enabled()]
x.register_post_accumulate_grad_hook(lambda leaf: 5)
result += [attempt(lambda: (x * 1).sum().backward()), x.grad]

# who may have hooks
x = torch.tensor([1., 2.], requires_grad=True)
k = torch.ones(2)
result = [
    attempt(lambda: k.register_hook(print)),
    attempt(lambda: k.register_post_accumulate_grad_hook(print)),
    attempt(lambda: (x * 1).register_post_accumulate_grad_hook(print)),
    attempt(lambda: k.retain_grad()),
    attempt(lambda: x.retain_grad()), x.retains_grad,
]

# handles
log = []
x = torch.tensor([1., 2.], requires_grad=True)
h = x * 1
first = h.register_hook(lambda g: log.append("first"))
second = h.register_hook(lambda g: log.append("second"))
first.remove()
first.remove()
with h.grad_fn.register_hook(lambda gi, go: log.append("node")) as handle:
    h.sum().backward(retain_graph=True)
h.sum().backward(retain_graph=True)
with x.register_hook(lambda g: log.append("leaf")):
    h.sum().backward(retain_graph=True)
with x.register_post_accumulate_grad_hook(lambda leaf: log.append("post")):
    h.sum().backward(retain_graph=True)
second.remove()
h.sum().backward()
result = [log]

# a hook that removes itself, and one that adds another
log = []
x = torch.tensor([1., 2.], requires_grad=True)
h = x * 1
def once(g):
    log.append("once")
    handle.remove()
handle = h.register_hook(once)
def adds(g):
    log.append("adds")
    if len(log) < 4:
        h.register_hook(lambda g: log.append("added"))
h.register_hook(adds)
h.sum().backward(retain_graph=True)
h.sum().backward()
result = [log]

# hooks before and after writing in place
log = []
x = torch.tensor([1., 2.], requires_grad=True)
h = x * 2
h.register_hook(lambda g: log.append(("before", g.clone())))
h.mul_(3)
h.register_hook(lambda g: log.append(("after", g.clone())))
h.sum().backward()
result = [log, x.grad]

# hooks under create_graph, and grad mode in them
log = []
x = torch.tensor([1., 2.], requires_grad=True)
h = x * x
h.register_hook(lambda g: log.append((torch.is_grad_enabled(), g.requires_grad)) or g * x)
h.grad_fn.register_hook(lambda gi, go: log.append(torch.is_grad_enabled()))
g, = torch.autograd.grad((h * h).sum(), x, create_graph=True)
second, = torch.autograd.grad(g.sum(), x)
x.register_post_accumulate_grad_hook(lambda leaf: log.append(torch.is_grad_enabled()))
(x * 1).sum().backward()
result = [log, g, second]

# a node called as a function
x = torch.tensor([1., 2.], requires_grad=True)
y = x * torch.tensor([3., 4.])
s = x.sum()
m, i = torch.stack([x, x]).max(0)
g = torch.ones(2)
with torch.no_grad():
    quiet = y.grad_fn(g)
result = [y.grad_fn(g), quiet, s.grad_fn(torch.tensor(1.)).clone(), y.grad_fn(None), m.grad_fn(g),
          attempt(lambda: m.grad_fn(g, None)), attempt(lambda: y.grad_fn()),
          (x * x).grad_fn(g), x.exp().grad_fn(g.requires_grad_()), (x + x).grad_fn(g)]

# a node may be called again, before and after backward
x = torch.tensor([1., 2.], requires_grad=True)
y = x * x
log = []
y.grad_fn.register_hook(lambda gi, go: log.append("hook"))
one = y.grad_fn(torch.ones(2))
y.sum().backward()
result = [one, log, attempt(lambda: y.grad_fn(torch.ones(2))), x.grad.clone()]

# undefined gradients reach hooks as None
class Nothing(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        return a * 1
    @staticmethod
    def backward(ctx, g):
        return None
log = []
x = torch.tensor([1., 2.], requires_grad=True)
h = x * 2
h.register_hook(lambda g: log.append(("tensor", g)))
h.grad_fn.register_prehook(lambda gs: log.append(("pre", gs)))
h.grad_fn.register_hook(lambda gi, go: log.append(("post", gi, go)))
x.register_hook(lambda g: log.append(("leaf", g)))
x.register_post_accumulate_grad_hook(lambda leaf: log.append(("accumulated", leaf.grad)))
Nothing.apply(h).sum().backward()
result = [log, x.grad]

# what is called when a backward is over
engine = torch.autograd.Variable._execution_engine
x = torch.ones(2, requires_grad=True)
log = [attempt(lambda: engine.queue_callback(id)), engine.is_checkpoint_valid()]
def last(name):
    return lambda: log.append((name, torch.is_grad_enabled(), x.grad is None))
def more():
    log.append("more")
    engine.queue_callback(last("added"))
def inner():
    with torch.enable_grad():
        y = x.detach().requires_grad_() * 2
        z = y.sum()
    y.register_hook(lambda g: engine.queue_callback(last("inner")))
    z.backward()
def fails():
    raise ValueError("called")
def run(*callbacks, **options):
    x.grad = None
    y = x * 3
    y.register_hook(lambda g: [engine.queue_callback(each) for each in callbacks] and None)
    log.append(attempt(lambda: y.sum().backward(**options)))
run(last("one"), more, last("two"))
run(last("one"), create_graph=True)
run(inner, last("outer"), inputs=[x])
run(fails, last("never"))
run(last("one"), 3)
y = x * 3
y.register_hook(lambda g: log.append(engine.is_checkpoint_valid()))
torch.autograd.grad(y.sum(), x)
y.register_hook(lambda g: engine.queue_callback(last("never")))
x.register_hook(lambda g: fails())
log.append(attempt(lambda: y.sum().backward()))
result = log
"""


@pytest.mark.parametrize(("title", "text"), programs(PROGRAMS))
def test_same(title: str, text: str) -> None:
    both(source(text))
