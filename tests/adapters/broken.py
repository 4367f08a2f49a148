"""Programs with one fault each, as people write them, and what must be found of it."""

from __future__ import annotations

from tests.adapters.broken_graphs import MORE
from tests.adapters.mending import Broken

BROKEN = {
    'relu inplace': Broken(
        'stale', 'y = torch.sigmoid(h)', 'y += 1', True,
        """
net = torch.nn.Linear(3,3)
h = net(torch.randn(2,3))
y = torch.sigmoid(h)
y += 1
y.sum().backward()
""",
    ),
    'gan': Broken(
        'stale', None, 'opt.step()', True,
        """
D = torch.nn.Sequential(torch.nn.Linear(2,4), torch.nn.Linear(4,1))
G = torch.nn.Linear(2,2)
opt = torch.optim.Adam(D.parameters())
fake = G(torch.randn(4,2))
score = D(fake)
d_loss = score.mean()
d_loss.backward(retain_graph=True)
opt.step()
g_loss = -score.mean()
g_loss.backward()
""",
    ),
    'a write through detach': Broken(
        'stale', 'target = teacher(x)', 'teacher.weight.detach().mul_(0.9)', True,
        """
student, teacher = torch.nn.Linear(3, 3), torch.nn.Linear(3, 3)
x = torch.ones(2, 3, requires_grad=True)
target = teacher(x)
loss = (student(x) - target).pow(2).mean()
teacher.weight.detach().mul_(0.9)
loss.backward()
""",
    ),
    'a write of a part through detach': Broken(
        'stale', 'target = teacher(x)', 'teacher.weight.detach()[0].mul_(0.9)', True,
        """
student, teacher = torch.nn.Linear(3, 3), torch.nn.Linear(3, 3)
x = torch.ones(2, 3, requires_grad=True)
target = teacher(x)
loss = (student(x) - target).pow(2).mean()
teacher.weight.detach()[0].mul_(0.9)
loss.backward()
""",
    ),
    'leaf': Broken(
        'leaf', None, 'w += 1', True,
        """
w = torch.ones(3, requires_grad=True)
w += 1
""",
    ),
    'carried': Broken(
        'freed', None, 'h = torch.tanh(cell(x) + h)', True,
        """
cell = torch.nn.Linear(3,3)
x = torch.randn(1,3)
h = torch.zeros(1,3)
for t in range(3):
    h = torch.tanh(cell(x) + h)
    loss = h.sum()
    loss.backward()
""",
    ),
    'summed': Broken(
        'freed', None, 'total = total + loss', False,
        """
cell = torch.nn.Linear(3,3)
x = torch.randn(1,3)
total = torch.zeros(())
for t in range(3):
    loss = (cell(x)**2).sum()
    total = total + loss
    total.backward()
""",
    ),
    'twice': Broken(
        'freed', 'b = a * a', 'c.backward()', True,
        """
a = torch.ones(3, requires_grad=True)
b = a * a
c = b.sum()
c.backward()
c.backward()
""",
    ),
    'detach': Broken(
        'no_grad', None, 'y = net(x).detach()', True,
        """
net = torch.nn.Linear(3,1)
x = torch.randn(4,3)
y = net(x).detach()
loss = (y**2).mean()
loss.backward()
""",
    ),
    'item': Broken(
        'no_grad', None, 'losses.append(l.item())', False,
        """
net = torch.nn.Linear(3,1)
x = torch.randn(4,3)
losses = []
l = net(x).mean()
losses.append(l.item())
loss = torch.tensor(losses).sum()
loss.backward()
""",
    ),
    'nograd': Broken(
        'no_grad', None, 'y = net(x)', False,
        """
net = torch.nn.Linear(3,1)
x = torch.randn(4,3)
with torch.no_grad():
    y = net(x)
loss = y.mean()
loss.backward()
""",
    ),
    'frozen': Broken(
        'no_grad', None, 'p.requires_grad = False', True,
        """
net = torch.nn.Linear(3,1)
for p in net.parameters():
    p.requires_grad = False
loss = net(torch.randn(4,3)).mean()
loss.backward()
""",
    ),
    'data': Broken(
        'stale', 'b = a.exp()', 'b.data.mul_(2)', True,
        """
a = torch.ones(3, requires_grad=True)
b = a.exp()
b.data.mul_(2)
b.sum().backward()
""",
    ),
    'fused': Broken(
        'stale', None, 'opt.step()', False,
        """
net = torch.nn.Sequential(torch.nn.Linear(3,3), torch.nn.Linear(3,1))
opt = torch.optim.Adam(net.parameters(), fused=True)
out = net(torch.randn(4,3))
out.mean().backward(retain_graph=True)
opt.step()
out.sum().backward()
""",
    ),
    'nan': Broken(
        'nan', None, 'y = torch.sqrt(x)', True,
        """
x = torch.zeros(3, requires_grad=True)
y = torch.sqrt(x)
z = (y * 0).sum()
z.backward()
""",
    ),
    'nan2': Broken(
        'nan', None, 'y = torch.log(x)', False,
        """
x = torch.tensor([-1.,2.], requires_grad=True)
y = torch.log(x)
z = y.sum()
z.backward()
""",
    ),
    'leak': Broken(
        'leak', None, 'h = torch.tanh(cell(x) + h)', True,
        """
cell = torch.nn.Linear(3,3)
x = torch.randn(1,3)
h = torch.zeros(1,3)
for t in range(12):
    h = torch.tanh(cell(x) + h)
    loss = h.sum()
    loss.backward(retain_graph=True)
""",
    ),
    'unused': Broken(
        'unused', None, 'self.b(x)', True,
        """
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.a = torch.nn.Linear(3,3)
        self.b = torch.nn.Linear(3,3)
    def forward(self, x):
        self.b(x)
        return self.a(x)
net = Net()
net(torch.randn(2,3)).sum().backward()
""",
    ),
    'slice': Broken(
        'stale', 'c = b * b', 'b[0] = 5.', True,
        """
a = torch.ones(3, requires_grad=True)
b = a * 2
c = b * b
b[0] = 5.
c.sum().backward()
""",
    ),
    'lstm': Broken(
        'freed', None, 'out, (h, c) = lstm(x, (h, c))', True,
        """
lstm, head = torch.nn.LSTM(2, 4), torch.nn.Linear(4, 1)
h, c = torch.zeros(1, 1, 4), torch.zeros(1, 1, 4)
for x in torch.randn(3, 5, 1, 2):
    out, (h, c) = lstm(x, (h, c))
    loss = head(out).mean()
    loss.backward()
""",
    ),
    'lstm state': Broken(
        'freed', None, 'out, state = lstm(x, state)', True,
        """
lstm, head = torch.nn.LSTM(2, 4), torch.nn.Linear(4, 1)
state = None
for x in torch.randn(3, 5, 1, 2):
    out, state = lstm(x, state)
    loss = head(out).mean()
    loss.backward()
""",
    ),
    'once': Broken(
        'freed', 'features = torch.tanh(embed(x))', 'loss = head(features).pow(2).mean()', True,
        """
embed, head = torch.nn.Linear(3, 4), torch.nn.Linear(4, 1)
x = torch.randn(5, 3)
features = torch.tanh(embed(x))
for epoch in range(3):
    loss = head(features).pow(2).mean()
    loss.backward()
""",
    ),
    'shared': Broken(
        'freed', 'h = torch.tanh(body(x))', 'one.backward()', False,
        """
body, left, right = torch.nn.Linear(3, 4), torch.nn.Linear(4, 1), torch.nn.Linear(4, 1)
x = torch.randn(5, 3)
h = torch.tanh(body(x))
one = left(h).mean()
two = right(h).mean()
one.backward()
two.backward()
""",
    ),
    'gan, graph freed': Broken(
        'freed', None, 'd_opt.step()', True,
        """
class Critic(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner, self.out = torch.nn.Linear(2, 4), torch.nn.Linear(4, 1)
    def forward(self, x):
        h = torch.tanh(self.inner(x))
        return self.out(h)
G, D = torch.nn.Linear(2, 2), Critic()
d_opt = torch.optim.SGD(D.parameters(), lr=0.1)
def step(noise):
    fake = G(noise)
    score = D(
        fake
    )
    d_loss = torch.nn.functional.softplus(score).mean()
    g_loss = -score.mean()
    d_loss.backward()
    d_opt.step()
    g_loss.backward()
step(torch.randn(4, 2))
""",
    ),
    'buffer': Broken(
        'stale', 'return x / self.scale', 'self.scale += 0.1 * (x.std(0) - self.scale)', True,
        """
class Scaled(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("scale", torch.ones(3))
    def forward(self, x):
        with torch.no_grad():
            self.scale += 0.1 * (x.std(0) - self.scale)
        return x / self.scale
net = torch.nn.Sequential(torch.nn.Linear(2, 3), Scaled())
loss = (net(torch.randn(4, 2)) - net(torch.randn(4, 2))).pow(2).mean()
loss.backward()
""",
    ),
    'argmax': Broken(
        'no_grad', 'loss.backward()', 'guess = net(x).argmax(1)', False,
        """
net = torch.nn.Linear(3, 2)
x = torch.randn(4, 3)
guess = net(x).argmax(1)
loss = guess.float().mean()
loss.backward()
""",
    ),
    'unused, cut': Broken(
        'unused', None, 'code = self.encoder(x).detach()', True,
        """
class Auto(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder, self.decoder = torch.nn.Linear(3, 2), torch.nn.Linear(2, 3)
    def forward(self, x):
        code = self.encoder(x).detach()
        return self.decoder(code)
net = Auto()
x = torch.randn(4, 3)
for epoch in range(3):
    (net(x) - x).pow(2).mean().backward()
""",
    ),
    'a generator, trained twice': Broken(
        'freed', 'return torch.tanh(self.net(z))', "d_loss = softplus(D(", True,
        """
from torch.nn.functional import softplus
class Generator(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.net = torch.nn.Sequential(torch.nn.Linear(3, 8), torch.nn.Linear(8, 2))
    def forward(self, z):
        return torch.tanh(self.net(z))
G, D = Generator(), torch.nn.Sequential(torch.nn.Linear(2, 8), torch.nn.Linear(8, 1))
d_opt = torch.optim.SGD(D.parameters(), lr=0.1)
fake = G(torch.randn(4, 3))
d_loss = softplus(D(
    fake)).mean() - D(torch.randn(4, 2)).mean()
d_loss.backward()
d_opt.step()
g_loss = softplus(-D(fake)).mean()
g_loss.backward()
""",
    ),
    'a state that a loop carries through a module': Broken(
        'freed', 'y, h = self.gru(x, h)', 'y, hidden = net(x, hidden)', True,
        """
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.gru = torch.nn.GRU(2, 4)
    def forward(self, x, h=None):
        y, h = self.gru(x, h)
        return y, h
net, hidden = Net(), None
for x in torch.randn(3, 5, 1, 2):
    y, hidden = net(x, hidden)
    y.mean().backward()
""",
    ),
    'a regularizer, computed once': Broken(
        'freed', 'l2 = sum(p.pow(2).sum() for p in net.parameters())',
        'loss = net(torch.randn(8, 4)).pow(2).mean() + 0.01 * l2', True,
        """
net = torch.nn.Linear(4, 1)
l2 = sum(p.pow(2).sum() for p in net.parameters())
for step in range(3):
    loss = net(torch.randn(8, 4)).pow(2).mean() + 0.01 * l2
    loss.backward()
""",
    ),
    'an attribute, computed once': Broken(
        'freed', 'self.scale = self.raw.exp()', 'return x * self.scale', True,
        """
class Scaled(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.raw = torch.nn.Parameter(torch.ones(3))
        self.scale = self.raw.exp()
    def forward(self, x):
        return x * self.scale
net = Scaled()
for step in range(2):
    net(torch.randn(2, 3)).sum().backward()
""",
    ),
    'an average of weights': Broken(
        'stale', 'q_next = target(s).mean()', 't.copy_(0.1 * o + 0.9 * t)', True,
        """
online, target = [torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Linear(4, 1)) for _ in "12"]
def average(target, online):
    with torch.no_grad():
        for t, o in zip(target.parameters(), online.parameters()):
            t.copy_(0.1 * o + 0.9 * t)
for step in range(2):
    s = torch.randn(5, 3)
    q_next = target(s).mean()
    average(target, online)
    loss = (online(s).mean() - q_next).pow(2)
    loss.backward()
""",
    ),
    'weights clipped through .data': Broken(
        'stale', 'score = critic(fake).mean()', 'p.data.clamp_(-0.01, 0.01)', True,
        """
critic = torch.nn.Sequential(torch.nn.Linear(2, 4), torch.nn.Linear(4, 1))
fake = torch.randn(5, 2, requires_grad=True)
score = critic(fake).mean()
for p in critic.parameters():
    p.data.clamp_(-0.01, 0.01)
score.backward()
""",
    ),
    'losses of weights that changed': Broken(
        'stale', 'losses.append((torch.tanh(x @ w) @ w).mean())', 'w -= 0.1', True,
        """
w, x = torch.randn(4, 4, requires_grad=True), torch.randn(2, 4)
losses = []
for turn in range(3):
    losses.append((torch.tanh(x @ w) @ w).mean())
    with torch.no_grad():
        w -= 0.1
sum(losses).backward()
""",
    ),
    'a slice of an item': Broken(
        'stale', 'layers = [torch.exp(w), torch.tanh(w)]', 'layers[0][1:] *= 2', True,
        """
w = torch.randn(4, 4, requires_grad=True)
layers = [torch.exp(w), torch.tanh(w)]
layers[0][1:] *= 2
(layers[0].sum() + layers[1].sum()).backward()
""",
    ),
    'each of a list': Broken(
        'stale', 'hs = [torch.sigmoid(w), torch.tanh(w)]', '[h.mul_(0.5) for h in hs]', True,
        """
w = torch.randn(4, 4, requires_grad=True)
hs = [torch.sigmoid(w), torch.tanh(w)]
[h.mul_(0.5) for h in hs]
sum(h.sum() for h in hs).backward()
""",
    ),
    **MORE,
}  # fmt: skip
