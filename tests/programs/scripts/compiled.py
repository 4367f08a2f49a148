# A compiled model in an ordinary loop.
import torch
import torch.nn as nn
import torch.nn.functional as F


class MLP(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(8, 32)
        self.fc2 = nn.Linear(32, 1)

    def forward(self, x):
        return self.fc2(F.gelu(self.fc1(x)))


torch.manual_seed(0)
model = MLP()
compiled = torch.compile(model, backend="aot_eager")
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
x, y = torch.randn(16, 8), torch.randn(16, 1)
for step in range(3):
    opt.zero_grad()
    loss = F.mse_loss(compiled(x), y)
    loss.backward()
    opt.step()
