# Contrastive learning: two views, one encoder.
import torch
import torch.nn as nn
import torch.nn.functional as F


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.backbone = nn.Sequential(nn.Linear(10, 32), nn.ReLU())
        self.projector = nn.Linear(32, 8)

    def forward(self, x):
        return F.normalize(self.projector(self.backbone(x)), dim=-1)


def nt_xent(z1, z2, temperature=0.5):
    z = torch.cat([z1, z2])
    sim = z @ z.t() / temperature
    sim.fill_diagonal_(float("-inf"))
    n = z1.size(0)
    labels = torch.cat([torch.arange(n, 2 * n), torch.arange(n)])
    return F.cross_entropy(sim, labels)


torch.manual_seed(0)
encoder = Encoder()
optimizer = torch.optim.Adam(encoder.parameters(), lr=1e-3)
batch = torch.randn(6, 10)
for step in range(3):
    view1 = batch + 0.1 * torch.randn_like(batch)
    view2 = batch + 0.1 * torch.randn_like(batch)
    loss = nt_xent(encoder(view1), encoder(view2))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
