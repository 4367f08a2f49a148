# An optimizer of one's own, and the best weights kept and loaded at the end.
import torch
import torch.nn as nn


class Lion(torch.optim.Optimizer):
    def __init__(self, params, lr=1e-3, beta=0.9):
        super().__init__(params, {"lr": lr, "beta": beta})

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for p in group["params"]:
                state = self.state[p]
                m = state.setdefault("m", torch.zeros_like(p))
                p.add_(m.lerp(p.grad, 1 - group["beta"]).sign(), alpha=-group["lr"])
                m.lerp_(p.grad, 1 - group["beta"])


torch.manual_seed(0)
model = nn.Sequential(nn.Linear(6, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 2))
optimizer = Lion(model.parameters())
criterion = nn.CrossEntropyLoss()
x, y = torch.randn(16, 6), torch.randint(0, 2, (16,))
best, best_state = float("inf"), None
for epoch in range(3):
    optimizer.zero_grad()
    loss = criterion(model(x), y)
    loss.backward()
    optimizer.step()
    if loss.item() < best:
        best = loss.item()
        best_state = {k: v.clone() for k, v in model.state_dict().items()}
model.load_state_dict(best_state)
