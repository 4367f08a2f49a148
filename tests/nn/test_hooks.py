"""Hooks of modules against PyTorch: forward, backward, state dicts."""

import pytest

from tests.compare_engines import both, programs, source

SETUP = """
nn = torch.nn
torch.manual_seed(0)
seen = []
net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2))
x = torch.randn(5, 3)
def shapes(values):
    return [None if v is None else tuple(v.shape) for v in values]
"""

PROGRAMS = """
# pre hooks with keyword arguments
class M(nn.Module):
    def forward(self, a, *, b=1):
        return a * b
m = M()
m.register_forward_pre_hook(lambda m, args, kwargs: (args, {"b": 3}), with_kwargs=True)
m.register_forward_pre_hook(lambda m, args: args[0] + 1, prepend=True)
m.register_forward_hook(lambda m, a, k, out: seen.append((len(a), k)), with_kwargs=True)
first = m(x)
m.register_forward_pre_hook(lambda m, args, kwargs: 3, with_kwargs=True)
result = [first, seen, attempt(lambda: m(x))]

# order and removal of hooks
for name in "ab":
    net.register_forward_hook(lambda m, i, o, name=name: seen.append(name))
h = net.register_forward_hook(lambda m, i, o: seen.append("first"), prepend=True)
net(x)
h.remove()
h.remove()
with net.register_forward_hook(lambda m, i, o: seen.append("with")):
    net(x)
net(x)
result = seen

# hooks that are always called
class Bad(nn.Module):
    def forward(self, x):
        raise ValueError("bad")
m = Bad()
m.register_forward_hook(lambda m, i, o: seen.append(o), always_call=True)
m.register_forward_hook(lambda m, i, o: seen.append("not"))
m.register_forward_hook(lambda m, i, o: 1 / 0, always_call=True)
result = [attempt(lambda: m(x)), seen]

# full backward hooks
net.register_full_backward_hook(lambda m, gi, go: seen.append(("net", shapes(gi), shapes(go))))
net[0].register_full_backward_hook(lambda m, gi, go: (gi[0] * 2,))
net[2].register_full_backward_pre_hook(lambda m, go: (go[0] * 3,))
net[1].register_full_backward_hook(lambda m, gi, go: seen.append((gi[0], go[0])))
x.requires_grad_()
y = net(x)
y.sum().backward()
result = [seen, x.grad, plain([p.grad for p in net.parameters()]), graph(y.grad_fn)]

# full backward hooks when no input requires gradients
net.register_full_backward_hook(lambda m, gi, go: seen.append((gi, go[0].clone())))
net(x).sum().backward()
result = [seen, plain([p.grad for p in net.parameters()])]

# full backward hooks that return too little
net.register_full_backward_hook(lambda m, gi, go: ())
x.requires_grad_()
result = attempt(lambda: net(x).sum().backward())

# a pre hook that returns too much
net.register_full_backward_pre_hook(lambda m, go: (go[0], go[0]))
result = attempt(lambda: net(x).sum().backward())

# several inputs and outputs, some no tensors
class M(nn.Module):
    def forward(self, a, n, b):
        return a * n, b * 2
m = M()
m.register_full_backward_hook(lambda m, gi, go: seen.append((shapes(gi)[:2], shapes(go))))
a = torch.ones(2, requires_grad=True)
p, q = m(a, 3, torch.ones(3))
p.sum().backward()
result = [a.grad, seen, q.requires_grad, p]

# outputs that are no tensors
class M(nn.Module):
    def forward(self, a):
        return [a * 2]
m = M()
m.register_full_backward_hook(lambda m, gi, go: seen.append(1))
a = torch.ones(2, requires_grad=True)
m(a)[0].sum().backward()
result = [a.grad, len(seen)]

# the old kind of backward hook
net[2].register_backward_hook(lambda m, gi, go: seen.append((shapes(gi), shapes(go))))
x.requires_grad_()
net(x).sum().backward()
result = [seen, x.grad]

# the two kinds exclude each other
net.register_backward_hook(lambda m, gi, go: None)
net[0].register_full_backward_hook(lambda m, gi, go: None)
result = [attempt(lambda: net.register_full_backward_hook(print)),
    attempt(lambda: net[0].register_backward_hook(print))]

# hooks of state dicts
net[0].register_state_dict_pre_hook(lambda m, prefix, keep: seen.append((prefix, keep)))
net[0].register_state_dict_post_hook(lambda m, sd, prefix, meta: sd.update({prefix + "x": 1}))
sd = net.state_dict()
net.register_load_state_dict_pre_hook(lambda m, sd, prefix, meta, strict, missing, unexpected,
    errors: sd.pop("0.x"))
net.register_load_state_dict_post_hook(lambda m, keys: keys.missing_keys.append("zz"))
result = [list(sd), seen, list(sd._metadata.items()), attempt(lambda: net.load_state_dict(sd)),
    repr(net.load_state_dict(sd, strict=False))]

# hooks of all modules
M, log = nn.modules.module, []
def note(word):
    return lambda m, *rest: log.append((word, type(m).__name__))
net = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
net[0].register_forward_hook(note("own"))
net[0].register_full_backward_hook(note("own backward"))
handles = [M.register_module_forward_pre_hook(note("before")),
    M.register_module_forward_hook(note("after")),
    M.register_module_full_backward_pre_hook(note("before backward")),
    M.register_module_full_backward_hook(note("backward"))]
out = net(torch.ones(1, 2, requires_grad=True))
out.sum().backward()
for handle in handles:
    handle.remove()
net(torch.ones(1, 2))
result = [log, out.grad_fn.name()]

# extra state
class M(nn.Linear):
    def get_extra_state(self):
        return {"n": 3}
    def set_extra_state(self, state):
        seen.append(state)
m = nn.Sequential(M(1, 1))
sd = m.state_dict()
m.load_state_dict(sd)
del sd["0._extra_state"]
result = [list(sd), seen, attempt(lambda: m.load_state_dict(sd)),
    attempt(lambda: net.load_state_dict({**net.state_dict(), "_extra_state": 1})),
    attempt(lambda: net.get_extra_state()), attempt(lambda: net.set_extra_state(1))]
"""


@pytest.mark.parametrize(("title", "text"), programs(PROGRAMS), ids=lambda part: part[:60])
def test_hooks(title: str, text: str) -> None:
    both(source(SETUP + text))
