# Denoising diffusion: predict the noise.
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
T = 50
betas = torch.linspace(1e-4, 0.02, T)
alphas_cumprod = torch.cumprod(1 - betas, dim=0)


class Denoiser(nn.Module):
    def __init__(self):
        super().__init__()
        self.time = nn.Embedding(T, 16)
        self.inp = nn.Linear(2, 16)
        self.mid = nn.Linear(16, 16)
        self.out = nn.Linear(16, 2)

    def forward(self, x, t):
        h = F.silu(self.inp(x) + self.time(t))
        return self.out(F.silu(self.mid(h)))


model = Denoiser()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
x0 = torch.randn(16, 2)
for step in range(3):
    t = torch.randint(0, T, (16,))
    noise = torch.randn_like(x0)
    a = alphas_cumprod[t].unsqueeze(1)
    xt = a.sqrt() * x0 + (1 - a).sqrt() * noise
    loss = F.mse_loss(model(xt, t), noise)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
