"""More programs with one fault each: modules in place, cut graphs, numbers that are none."""

from __future__ import annotations

from tests.adapters.mending import Broken

MORE = {
    'a module of PyTorch, in place': Broken(
        'stale', 'out = net(x)', 'out = net(x)', True,
        """
net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Sigmoid(), torch.nn.ReLU(inplace=True))
x = torch.randn(2, 3)
out = net(x)
out.sum().backward()
""",
    ),
    'leaves, one after the other': Broken(
        'leaf', None, 'w -= 0.1 * w.grad', True,
        """
w, b = torch.randn(3, 1, requires_grad=True), torch.zeros(1, requires_grad=True)
(torch.randn(4, 3) @ w + b).mean().backward()
w -= 0.1 * w.grad
b -= 0.1 * b.grad
w.grad.zero_()
""",
    ),
    'a view of several': Broken(
        'view', None, 'a.mul_(2)', True,
        """
a, b = torch.randn(2, 3, requires_grad=True).tanh().unbind(0)
a.mul_(2)
(a + b).sum().backward()
""",
    ),
    'switched off around': Broken(
        'no_grad', 'loss.backward()', 'y = net(x)', True,
        """
net, x = torch.nn.Linear(3, 1), torch.randn(4, 3)
with torch.no_grad():
    y = net(x)
loss = y.mean()
loss.backward()
""",
    ),
    'switched off by a decorator': Broken(
        'no_grad', 'loss.backward()', '@torch.no_grad()', True,
        """
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = torch.nn.Linear(3, 3), torch.nn.Linear(3, 1)
    @torch.no_grad()
    def forward(self, x):
        return self.b(torch.relu(self.a(x)))
loss = Net()(torch.randn(4, 3)).mean()
loss.backward()
""",
    ),
    'a tensor of a list, beside an array': Broken(
        'no_grad', 'loss.backward()',
        'each = torch.tensor(each) * torch.from_numpy(w)', True,
        """
net, x = torch.nn.Linear(3, 1), torch.randn(4, 3)
def weighted(rows):
    each, w = [], torch.linspace(0, 1, 4).numpy()
    for row in rows:
        each.append(row.square().sum())
    each = torch.tensor(each) * torch.from_numpy(w)
    return each.mean()
loss = weighted(net(x))
loss.backward()
""",
    ),
    'log probabilities beside rewards': Broken(
        'no_grad', 'loss.backward()', 'kept.append(dist.log_prob(dist.sample()).item())', False,
        """
net, kept, gained = torch.nn.Linear(3, 2), [], []
for x in torch.randn(4, 3):
    dist = torch.distributions.Categorical(logits=net(x))
    kept.append(dist.log_prob(dist.sample()).item())
    gained.append(1.0)
loss = -(torch.tensor(kept) * torch.tensor(gained)).sum()
loss.backward()
""",
    ),
    'a tensor of a tensor': Broken(
        'no_grad', 'loss.backward()', 'loss = torch.tensor(net(x).mean())', True,
        """
net, x = torch.nn.Linear(3, 1), torch.randn(4, 3)
loss = torch.tensor(net(x).mean())
loss.backward()
""",
    ),
    'through numpy': Broken(
        'no_grad', 'loss.backward()', 'guess = net(x).detach().numpy()', True,
        """
import numpy
net, x, y = torch.nn.Linear(3, 1), torch.randn(4, 3), numpy.zeros((4, 1), "float32")
guess = net(x).detach().numpy()
loss = torch.from_numpy((guess - y) ** 2).mean()
loss.backward()
""",
    ),
    'a gradient without history': Broken(
        'no_grad', 'penalty.backward()', '(g,) = torch.autograd.grad((x * x @ w).sum(), x)', True,
        """
w, x = torch.randn(2, 1, requires_grad=True), torch.randn(4, 2, requires_grad=True)
(g,) = torch.autograd.grad((x * x @ w).sum(), x)
penalty = (g.pow(2).sum() - 1).pow(2)
penalty.backward()
""",
    ),
    'scores and not their argmax': Broken(
        'no_grad', 'loss.backward()', 'guess = net(x).argmax(1)', True,
        """
net, x = torch.nn.Linear(3, 2), torch.randn(4, 3)
guess = net(x).argmax(1)
loss = guess.float().mean()
loss.backward()
""",
    ),
    'a root inside': Broken(
        'nan', None, 'd = torch.sqrt((x ** 2).sum(1))', True,
        """
x = torch.zeros(4, 3, requires_grad=True)
d = torch.sqrt((x ** 2).sum(1))
loss = d.mean()
loss.backward()
""",
    ),
    'a quotient': Broken(
        'nan', None, 'ratio = a / b', True,
        """
a, b = torch.ones(3, requires_grad=True), torch.tensor([0., 1., -2.], requires_grad=True)
ratio = a / b
torch.where(b != 0, ratio, torch.zeros(3)).sum().backward()
""",
    ),
    'an infinite loss': Broken(
        'nan', None, 'rate = torch.exp(net(x))', True,
        """
net, x = torch.nn.Linear(3, 1), torch.full((4, 3), 1e4)
with torch.no_grad():
    net.weight.fill_(1.)
rate = torch.exp(net(x))
loss = rate.mean()
loss.backward()
""",
    ),
    'a function that writes its argument': Broken(
        'stale', 'y = net(h)', 'F.relu_(h)', True,
        """
import torch.nn.functional as F
net, h = torch.nn.Linear(4, 4), torch.randn(2, 4, requires_grad=True) * 2
y = net(h)
F.relu_(h)
(y + h).sum().backward()
""",
    ),
    'a state that begins as a number': Broken(
        'freed', None, 'baseline = 0.9 * baseline + 0.1 * reward', True,
        """
net = torch.nn.Linear(3, 1)
baseline = 0.0
for step in range(3):
    reward = net(torch.randn(5, 3)).mean()
    baseline = 0.9 * baseline + 0.1 * reward
    loss = (reward - baseline).pow(2)
    loss.backward()
""",
    ),
    'several losses of one graph': Broken(
        'freed', None, 'loss.backward()', True,
        """
losses = torch.randn(3, requires_grad=True).exp().tanh()
for loss in losses:
    loss.backward()
""",
    ),
    'switched off for good': Broken(
        'no_grad', 'loss.backward()', 'torch.set_grad_enabled(False)', True,
        """
net = torch.nn.Linear(3, 1)
torch.set_grad_enabled(False)
loss = net(torch.randn(4, 3)).mean()
loss.backward()
""",
    ),
    'an infinity that becomes a NaN': Broken(
        'nan', 'loss = -(p * q).sum()', 'q = torch.log(p)', True,
        """
w = torch.randn(4, 3, requires_grad=True)
p = torch.relu(w) * torch.tensor([1., 0., 1.])
q = torch.log(p)
loss = -(p * q).sum()
loss.backward()
""",
    ),
    'heads of one body, in a loop': Broken(
        'freed', 'feat = torch.tanh(body(x))', 'loss.backward()', True,
        """
body, heads = torch.nn.Linear(3, 4), [torch.nn.Linear(4, 1) for _ in "12"]
x = torch.randn(5, 3)
feat = torch.tanh(body(x))
for out in [head(feat) for head in heads]:
    loss = out.pow(2).mean()
    loss.backward()
""",
    ),
    'a gradient by what needs none': Broken(
        'no_grad', 'du = torch.autograd.grad(u.sum(), x, create_graph=True)[0]',
        'x = torch.linspace(0, 1, 20).unsqueeze(1)', True,
        """
net = torch.nn.Sequential(torch.nn.Linear(1, 8), torch.nn.Tanh(), torch.nn.Linear(8, 1))
x = torch.linspace(0, 1, 20).unsqueeze(1)
u = net(x)
du = torch.autograd.grad(u.sum(), x, create_graph=True)[0]
(du - u).pow(2).mean().backward()
""",
    ),
    'a loss of a number, told to need a gradient': Broken(
        'no_grad', 'loss.backward()', 'error = net(x).pow(2).mean().item()', False,
        """
net, x = torch.nn.Linear(3, 1), torch.randn(4, 3)
error = net(x).pow(2).mean().item()
loss = torch.tensor(error, requires_grad=True)
loss.backward()
""",
    ),
    'a state carried into a loop of its own': Broken(
        'freed', 'level = level + rate * (each - level)',
        'level = level + rate * (each - level)', True,
        """
rate = torch.nn.Parameter(torch.full((3,), 0.5))
def smooth(features, level):
    out = []
    for each in features.unbind(0):
        level = level + rate * (each - level)
        out.append(level)
    return torch.stack(out), level
state = torch.zeros(3)
for turn in range(3):
    out, state = smooth(torch.randn(4, 3), state)
    out.square().mean().backward()
""",
    ),
    'a state carried on, with a backward in a function': Broken(
        'freed', 'h = cell(torch.randn(2, 3), h)', 'h = cell(torch.randn(2, 3), h)', True,
        """
cell = torch.nn.RNNCell(3, 3)
def learn(state):
    state.pow(2).mean().backward()
h = torch.zeros(2, 3)
for turn in range(3):
    h = cell(torch.randn(2, 3), h)
    learn(h)
""",
    ),
    'a value handed on to another name': Broken(
        'freed', 'after = critic(torch.randn(3))', 'delta = 1 + 0.9 * after - value', True,
        """
critic = torch.nn.Linear(3, 1)
value = critic(torch.randn(3))
for turn in range(3):
    after = critic(torch.randn(3))
    delta = 1 + 0.9 * after - value
    delta.pow(2).sum().backward()
    value = after
""",
    ),
    'a state that is cut in part': Broken(
        'freed', 'h, c = cell(x, (h, c))', 'h, c = h.detach(), c', True,
        """
cell, x = torch.nn.LSTMCell(3, 4), torch.randn(2, 3)
h, c = torch.zeros(2, 4), torch.zeros(2, 4)
for t in range(3):
    h, c = h.detach(), c
    h, c = cell(x, (h, c))
    h.sum().backward()
""",
    ),
    'a state that is cut in part, by name': Broken(
        'freed', 'h, m = torch.tanh(net(x) + h * m), m * net(x)', 'h = h.detach()', True,
        """
net, x = torch.nn.Linear(3, 3), torch.randn(2, 3)
h, m = torch.ones(2, 3), torch.ones(2, 3)
for t in range(3):
    h = h.detach()
    h, m = torch.tanh(net(x) + h * m), m * net(x)
    h.sum().backward()
""",
    ),
    'a state with a field that is not cut': Broken(
        'freed', None, 'return State(h=s.h.detach(), m=s.m)', True,
        """
import collections
State = collections.namedtuple('State', 'h m')
cell, x = torch.nn.GRUCell(3, 4), torch.randn(2, 3)
def cut(s):
    return State(h=s.h.detach(), m=s.m)
s = State(torch.zeros(2, 4), torch.ones(2, 4))
for t in range(3):
    s = cut(s)
    h = cell(x, s.h)
    m = s.m.mul(h)
    s = State(h, m)
    (s.h + s.m).sum().backward()
""",
    ),
    'frozen for another loss': Broken(
        'no_grad', 'loss.backward()', 'p.requires_grad_(on)', True,
        """
G, D = torch.nn.Linear(2, 3), torch.nn.Linear(3, 1)
g_opt = torch.optim.SGD(G.parameters(), lr=0.1)
d_opt = torch.optim.SGD(D.parameters(), lr=0.1)
def learns(net, on):
    for p in net.parameters():
        p.requires_grad_(on)
for turn in range(2):
    learns(D, False)
    loss = -D(G(torch.randn(4, 2))).mean()
    loss.backward()
    g_opt.step()
    fake = G(torch.randn(4, 2)).detach()
    loss = D(fake).mean() - D(torch.randn(4, 3)).mean()
    loss.backward()
    d_opt.step()
""",
    ),
    'a teacher that follows too early': Broken(
        'stale', 'wanted = teacher(x).tanh()', 't.lerp_(s, 0.1)', True,
        """
student, teacher = torch.nn.Linear(3, 2), torch.nn.Linear(3, 2)
opt = torch.optim.SGD(student.parameters(), lr=0.1)
def follow():
    with torch.no_grad():
        for t, s in zip(teacher.parameters(), student.parameters()):
            t.lerp_(s, 0.1)
x = torch.randn(4, 3, requires_grad=True)
wanted = teacher(x).tanh()
follow()
(student(x) - wanted).pow(2).mean().backward()
""",
    ),
    'a table written by out=': Broken(
        'stale', 'y = table[0] * w', 'z = torch.add(w, 1, out=table[0])', True,
        """
table, w = torch.ones(2, 3), torch.ones(3, requires_grad=True)
y = table[0] * w
with torch.no_grad():
    z = torch.add(w, 1, out=table[0])
(y * z).sum().backward()
""",
    ),
    'all micro-batches before the first step': Broken(
        'stale', 'outs = [net(part) for part in x.split(2)]', 'opt.step()', True,
        """
net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.Linear(4, 1))
opt, x = torch.optim.SGD(net.parameters(), lr=0.1), torch.randn(6, 3)
outs = [net(part) for part in x.split(2)]
for out in outs:
    out.pow(2).mean().backward()
    opt.step()
""",
    ),
    'a queue of keys': Broken(
        'freed', 'key = key * key.norm()', 'keys = torch.cat(queue)', True,
        """
net = torch.nn.Linear(3, 4)
queue = []
for x in torch.randn(3, 2, 3):
    key = net(x)
    key = key * key.norm()
    queue.append(key)
    keys = torch.cat(queue)
    (keys @ keys.t()).logsumexp(1).mean().backward()
""",
    ),
}  # fmt: skip
