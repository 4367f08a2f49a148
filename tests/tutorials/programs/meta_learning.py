"""Derivatives of training: MAML by functions and by hand, hypergradients, physics, neural ODEs."""

import math

import torch
import torch.nn.functional as F
from torch import nn
from torch.func import functional_call, grad, hessian, jacrev, vmap

torch.manual_seed(0)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(1, 20)
        self.fc2 = nn.Linear(20, 1)

    def forward(self, x):
        return self.fc2(torch.tanh(self.fc1(x)))


net = Net()
params = dict(net.named_parameters())
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)


def tasks(count, samples):
    amplitude = torch.empty(count, 1, 1).uniform_(0.1, 0.5)
    phase = torch.empty(count, 1, 1).uniform_(0.0, math.pi)
    x = torch.empty(2, count, samples, 1).uniform_(-5, 5)
    return x[0], amplitude * torch.sin(x[0] + phase), x[1], amplitude * torch.sin(x[1] + phase)


def loss_after_a_step(x1, y1, x2, y2):
    def inner(params):
        return F.mse_loss(functional_call(net, params, (x1,)), y1)

    slopes = grad(inner)(params)
    adapted = {name: params[name] - 0.1 * slopes[name] for name in params}
    return F.mse_loss(functional_call(net, adapted, (x2,)), y2)


for step in range(3):
    loss = vmap(loss_after_a_step)(*tasks(4, 5)).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(step, round(loss.item(), 4))

x1, y1, x2, y2 = (each[0] for each in tasks(1, 6))
weights, fast = list(net.parameters()), list(net.parameters())
for _ in range(3):
    hidden = torch.tanh(F.linear(x1, fast[0], fast[1]))
    loss = F.mse_loss(F.linear(hidden, fast[2], fast[3]), y1)
    slopes = torch.autograd.grad(loss, fast, create_graph=True)
    fast = [w - 0.05 * g for w, g in zip(fast, slopes, strict=True)]
outer = F.mse_loss(F.linear(torch.tanh(F.linear(x2, fast[0], fast[1])), fast[2], fast[3]), y2)
print([round(g.norm().item(), 3) for g in torch.autograd.grad(outer, weights)])

rate = torch.tensor(0.1, requires_grad=True)
decay = torch.tensor(0.01, requires_grad=True)
X, Y, w = torch.randn(20, 3), torch.randn(20), torch.zeros(3, requires_grad=True)
now = w
for _ in range(5):
    loss = ((X @ now - Y) ** 2).mean() + decay * now.square().sum()
    (slope,) = torch.autograd.grad(loss, now, create_graph=True)
    now = now - rate * slope
((X.flip(0) @ now - Y) ** 2).mean().backward()
print(round(rate.grad.item(), 3), round(decay.grad.item(), 3))

# Burgers' equation: u_t + u u_x = nu u_xx
u_net = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 1))
t, x = torch.rand(30, 1, requires_grad=True), torch.rand(30, 1, requires_grad=True)


def derivative(y, x):
    return torch.autograd.grad(y, x, torch.ones_like(y), create_graph=True)[0]


u = u_net(torch.cat([t, x], 1))
u_x = derivative(u, x)
residual = derivative(u, t) + u * u_x - 0.01 * derivative(u_x, x)
residual.square().mean().backward()
print(round(residual.square().mean().item(), 4), u_net[0].weight.grad.abs().sum() > 0)


def solve(f, y, times):
    states = [y]
    for h in times.diff():
        y = states[-1]
        k1 = f(y)
        k2 = f(y + h / 2 * k1)
        k3 = f(y + h / 2 * k2)
        states.append(y + h / 6 * (k1 + 2 * k2 + 2 * k3 + f(y + h * k3)))
    return torch.stack(states)


A = torch.tensor([[-0.1, 2.0], [-2.0, -0.1]])
times, start = torch.linspace(0.0, 2.0, 9), torch.tensor([[2.0, 0.0]])
truth = solve(lambda y: y**3 @ A, start, times)
f = nn.Sequential(nn.Linear(2, 10), nn.Tanh(), nn.Linear(10, 2))
optimizer = torch.optim.RMSprop(f.parameters(), lr=1e-2)
for _ in range(4):
    optimizer.zero_grad()
    loss = (solve(lambda y: f(y**3), start, times) - truth).abs().mean()
    loss.backward()
    optimizer.step()
print(round(loss.item(), 3))


def lagrangian(q, v):
    return 0.5 * (v**2).sum() + 2 * torch.cos(q).sum()


q, v = torch.tensor([0.3, 0.5]), torch.tensor([1.0, -1.0])
force = grad(lagrangian)(q, v) - jacrev(jacrev(lagrangian, 1), 0)(q, v) @ v
print(torch.linalg.solve(hessian(lagrangian, 1)(q, v), force))
