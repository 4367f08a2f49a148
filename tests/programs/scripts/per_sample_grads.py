# Gradients for each sample with torch.func.
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.func import functional_call, grad, vmap

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 3))
params = {k: v.detach() for k, v in model.named_parameters()}
data, targets = torch.randn(8, 6), torch.randint(0, 3, (8,))


def compute_loss(params, sample, target):
    logits = functional_call(model, params, (sample.unsqueeze(0),))
    return F.cross_entropy(logits, target.unsqueeze(0))


ft_grad = grad(compute_loss)
per_sample_grads = vmap(ft_grad, in_dims=(None, 0, 0))(params, data, targets)
norms = torch.stack([g.flatten(1).norm(dim=1) for g in per_sample_grads.values()]).norm(dim=0)
