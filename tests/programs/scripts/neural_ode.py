# A neural ODE by Euler's method.
import torch
import torch.nn as nn


class ODEFunc(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 2))

    def forward(self, t, y):
        return self.net(y**3)


def odeint(func, y0, t):
    ys = [y0]
    y = y0
    for i in range(len(t) - 1):
        y = y + (t[i + 1] - t[i]) * func(t[i], y)
        ys.append(y)
    return torch.stack(ys)


torch.manual_seed(0)
true_y0 = torch.tensor([2.0, 0.0])
t = torch.linspace(0.0, 1.0, 8)
true_y = torch.stack([torch.stack([2 * torch.cos(s), 2 * torch.sin(s)]) for s in t])
func = ODEFunc()
optimizer = torch.optim.RMSprop(func.parameters(), lr=1e-3)
for itr in range(3):
    optimizer.zero_grad()
    pred_y = odeint(func, true_y0, t)
    loss = torch.mean(torch.abs(pred_y - true_y))
    loss.backward()
    optimizer.step()
