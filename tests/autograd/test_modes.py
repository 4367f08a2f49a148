"""Grad modes and inference mode, on both engines."""

from __future__ import annotations

import pytest

from tests.compare_engines import both, programs, source

PROGRAMS = """
# context managers, decorators and calls
log = []
note = lambda: log.append(torch.is_grad_enabled())
@torch.no_grad()
def quiet():
    note()
@torch.no_grad
def quiet_too():
    note()
@torch.enable_grad()
def loud():
    note()
@torch.set_grad_enabled(False)
def off():
    note()
note(); quiet(); quiet_too(); loud(); off(); note()
with torch.no_grad():
    note(); loud(); note()
    with torch.enable_grad():
        note(); quiet(); note()
        with torch.set_grad_enabled(False):
            note()
        note()
    note()
torch.set_grad_enabled(False)
note()
torch.set_grad_enabled(True)
note()
with torch.autograd.set_grad_enabled(mode=False):
    note()
with torch.autograd.grad_mode.no_grad():
    note()
result = [log, quiet.__name__, attempt(lambda: torch.set_grad_enabled(5)),
          torch.is_grad_enabled()]

# an error inside
def fails():
    with torch.no_grad():
        raise ValueError("inside")
@torch.inference_mode()
def fails_too():
    raise ValueError("inside")
result = [attempt(fails), torch.is_grad_enabled(), attempt(fails_too),
          torch.is_inference_mode_enabled()]

# generators keep the mode for each step
log = []
@torch.no_grad()
def steps():
    log.append(torch.is_grad_enabled())
    got = yield 1
    log.append((torch.is_grad_enabled(), got))
    try:
        yield 2
    except ValueError:
        log.append(("caught", torch.is_grad_enabled()))
    yield 3
    return 4
s = steps()
log.append(next(s))
log.append(torch.is_grad_enabled())
log.append(s.send("sent"))
log.append(s.throw(ValueError()))
log.append(attempt(lambda: next(s)))
result = [log, torch.is_grad_enabled()]

# a mode used twice, and one inside itself
log = []
mode = torch.no_grad()
with mode:
    log.append(torch.is_grad_enabled())
log.append(torch.is_grad_enabled())
with mode:
    log.append(torch.is_grad_enabled())
log.append(torch.is_grad_enabled())
result = [log]

# leaves made inside
with torch.no_grad():
    x = torch.ones(2, requires_grad=True)
    y = torch.ones(2).requires_grad_()
    z = x * 2
    array = x.numpy()
result = [x, y, z, array, (x * 2).requires_grad, attempt(lambda: x.numpy())]

# each thread has its own mode
import threading
log = []
def work():
    log.append((torch.is_grad_enabled(), torch.is_inference_mode_enabled()))
    with torch.no_grad():
        log.append(torch.is_grad_enabled())
def elsewhere():
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
with torch.no_grad():
    elsewhere()
    log.append(torch.is_grad_enabled())
with torch.inference_mode():
    elsewhere()
    log.append(torch.is_inference_mode_enabled())
result = [log]

# backward under no_grad
x = torch.tensor([1., 2.], requires_grad=True)
y = (x * x).sum()
with torch.no_grad():
    g, = torch.autograd.grad(y, x, create_graph=True)
    y.backward(retain_graph=True)
with torch.inference_mode():
    h = attempt(lambda: y.backward())
result = [g, x.grad.clone(), h]

# inference mode: what it says
log = []
note = lambda: log.append((torch.is_grad_enabled(), torch.is_inference_mode_enabled()))
@torch.inference_mode()
def decorated():
    note()
@torch.inference_mode
def bare():
    note()
note(); decorated(); bare()
with torch.inference_mode():
    note()
    with torch.inference_mode(False):
        note()
    with torch.enable_grad():
        note()
    with torch.no_grad():
        note()
    note()
with torch.inference_mode(mode=False):
    note()
with torch.no_grad():
    with torch.inference_mode(False):
        note()
    note()
    with torch.inference_mode():
        with torch.inference_mode():
            note()
        note()
    note()
note()
result = [log, decorated.__name__]

# inference mode: what is made inside
x = torch.tensor([1., 2.], requires_grad=True)
k = torch.ones(2)
with torch.inference_mode():
    a = torch.ones(2)
    b = x * 2
    v = x[:1]
    w = k.view(1, 2)
    c = torch.zeros(2, requires_grad=True)
    d = a[0]
    e = a.add_(1)
    f = x.detach()
    with torch.enable_grad():
        g = x * 3
    with torch.inference_mode(False):
        h = x * 4
    i = torch.tensor([1, 2])
    j = a.clone()
result = [[t.is_inference(), t.requires_grad, t.is_leaf, torch.is_inference(t)]
          for t in (a, b, v, w, c, d, e, f, g, h, i, j, x, k)]
result += [attempt(lambda: a._version),
          attempt(lambda: d._version), v._version, a.tolist(), a._is_view(), d._is_view()]

# inference tensors outside
x = torch.tensor([1., 2.], requires_grad=True)
with torch.inference_mode():
    a = torch.ones(2)
    v = a[:1]
result = [
    attempt(lambda: a * x), attempt(lambda: x * a), attempt(lambda: (x + a).requires_grad),
    attempt(lambda: a.exp().is_inference()), attempt(lambda: a.clone().is_inference()),
    attempt(lambda: a.add_(1)), attempt(lambda: a.requires_grad_()),
    attempt(lambda: a.requires_grad_(False).requires_grad),
    attempt(lambda: a.zero_()), attempt(lambda: a.view(1, 2).is_inference()),
    attempt(lambda: a.detach().is_inference()),
    attempt(lambda: a.__setitem__(0, 5.)), attempt(lambda: v.add_(1)),
    attempt(lambda: torch.mm(a.view(1, 2), x.view(2, 1))),
    attempt(lambda: (a.clone() * x).sum().backward()), x.grad,
    attempt(lambda: a.numpy().tolist()),
    attempt(lambda: torch.ones(2).add_(a).is_inference()),
    attempt(lambda: torch.cat([a, x]).requires_grad),
    attempt(lambda: torch.where(a > 0, x, x)), attempt(lambda: a.mul(2).is_inference()),
    attempt(lambda: x.clone().mul_(a)),
]
with torch.no_grad():
    result += [attempt(lambda: (a * x).is_inference()), attempt(lambda: a.add_(1))]

# writing inside
x = torch.tensor([1., 2.], requires_grad=True)
y = x * 1
k = torch.ones(2)
with torch.inference_mode():
    x.add_(1)
    y.mul_(2)
    k[0] = 5
    a = torch.ones(2)
    k.add_(a)
    a.add_(k)
result = [x, x._version, y, y._version, k, k._version, a.tolist(),
          attempt(lambda: y.sum().backward()), x.grad]

# a saved tensor written inside
x = torch.tensor([1., 2.], requires_grad=True)
y = x * 1
z = (y * y).sum()
with torch.inference_mode():
    y.mul_(2)
result = [attempt(lambda: z.backward())]

# saved by a custom Function
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, a):
        ctx.save_for_backward(a)
        return x * 2
    @staticmethod
    def backward(ctx, g):
        return g, None
x = torch.tensor([1., 2.], requires_grad=True)
with torch.inference_mode():
    a = torch.ones(2)
    inside = F.apply(x, a)
result = [attempt(lambda: F.apply(x, a)), inside.is_inference(), inside.requires_grad]

# a class may be decorated, but
@torch.no_grad()
class C:
    def __init__(self, x):
        self.y = x * 2
result = C(torch.ones(2, requires_grad=True)).y, torch.is_grad_enabled()

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
"""


@pytest.mark.parametrize(("title", "text"), programs(PROGRAMS))
def test_same(title: str, text: str) -> None:
    both(source(text))
