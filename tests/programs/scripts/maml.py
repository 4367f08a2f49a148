# MAML: one inner step by hand, the outer loss through it.
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.func import functional_call

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(1, 20), nn.ReLU(), nn.Linear(20, 1))
meta_opt = torch.optim.Adam(model.parameters(), lr=1e-3)
inner_lr = 0.01
for meta_step in range(2):
    meta_opt.zero_grad()
    meta_loss = 0.0
    for task in range(2):
        amplitude = torch.rand(1) * 4 + 1
        x_spt, x_qry = torch.randn(5, 1), torch.randn(5, 1)
        params = dict(model.named_parameters())
        inner_loss = F.mse_loss(functional_call(model, params, x_spt), amplitude * x_spt.sin())
        grads = torch.autograd.grad(inner_loss, list(params.values()), create_graph=True)
        fast = {k: p - inner_lr * g for (k, p), g in zip(params.items(), grads)}
        meta_loss = meta_loss + F.mse_loss(
            functional_call(model, fast, x_qry), amplitude * x_qry.sin()
        )
    meta_loss.backward()
    meta_opt.step()
