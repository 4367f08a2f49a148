"""Graph networks, gradients of each sample, decoding, and backpropagation by hand."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.func import functional_call, grad, jacrev, stack_module_state, vjp, vmap

torch.manual_seed(0)
nodes, features = 8, 5
edges = torch.tensor([[0, 1, 2, 3, 4, 5, 6, 7, 0], [1, 2, 3, 4, 5, 6, 7, 0, 4]])
edges = torch.cat([edges, edges.flip(0), torch.arange(nodes).repeat(2, 1)], 1)
row, col = edges
degree = torch.zeros(nodes).scatter_add_(0, col, torch.ones(edges.size(1)))
norm = degree.rsqrt()[row] * degree.rsqrt()[col]


class GCNConv(nn.Module):
    def __init__(self, ins, outs):
        super().__init__()
        self.lin = nn.Linear(ins, outs, bias=False)
        self.bias = nn.Parameter(torch.zeros(outs))

    def forward(self, x):
        x = self.lin(x)
        out = torch.zeros(x.shape).index_add(0, col, norm.view(-1, 1) * x[row])
        return out + self.bias


x, y = torch.randn(nodes, features), torch.randint(0, 3, (nodes,))
net = nn.ModuleList([GCNConv(features, 6), GCNConv(6, 3)])
optimizer = torch.optim.Adam(net.parameters(), lr=0.01, weight_decay=5e-4)
for _ in range(10):
    optimizer.zero_grad()
    out = F.log_softmax(net[1](F.relu(net[0](x))), 1)
    F.nll_loss(out[:5], y[:5]).backward()
    optimizer.step()
print(round(F.nll_loss(out, y).item(), 3), out.argmax(1))

score = torch.full((nodes,), -torch.inf).scatter_reduce(0, col, out[row, 0], "amax")
weight = (out[row, 0] - score[col]).exp()
total = torch.zeros(nodes).scatter_add(0, col, weight)
print((weight / total[col]).sum())
(laplacian := torch.diag(degree)).index_put_((row, col), torch.tensor(-1.0), accumulate=True)
print(torch.linalg.eigvalsh(laplacian).round(decimals=3)[1:])

# the gradient of each sample, clipped alone; ensembles
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3))
params = {name: p.detach() for name, p in model.named_parameters()}
data, targets = torch.randn(6, 4), torch.randint(0, 3, (6,))


def loss_of(params, sample, target):
    out = functional_call(model, params, (sample.unsqueeze(0),))
    return F.cross_entropy(out, target.unsqueeze(0))


each = vmap(grad(loss_of), in_dims=(None, 0, 0))(params, data, targets)
norms = sum(g.flatten(1).square().sum(1) for g in each.values()).sqrt()
clipped = {
    name: (g * (1 / norms).clamp(max=1).view(-1, *[1] * (g.dim() - 1))).mean(0)
    for name, g in each.items()
}
print({name: tuple(g.shape) for name, g in each.items()}, clipped["2.bias"].sum().abs() < 1e-6)
models = [nn.Linear(4, 2) for _ in range(3)]
stacked, buffers = stack_module_state(models)
together = vmap(lambda p, b: functional_call(models[0], (p, b), (data,)))(stacked, buffers)
print(torch.allclose(together, torch.stack([m(data) for m in models]), atol=1e-6))
_, pull = vjp(lambda d: model(d), data[0])
print(torch.allclose(vmap(pull)(torch.eye(3))[0], jacrev(model)(data[0]), atol=1e-6))

# decoding: nucleus and beam
logits = torch.randn(1, 9)
ordered, index = torch.sort(logits.softmax(-1), descending=True)
drop = ordered.cumsum(-1) > 0.7
drop[..., 1:] = drop[..., :-1].clone()
drop[..., 0] = 0
print(logits.masked_fill(drop.scatter(1, index, drop), -float("inf")))
steps = torch.randn(9, 9).log_softmax(-1)
beams = [([0], 0.0)]
for _ in range(3):
    grown = []
    for seen, total in beams:
        values, places = steps[seen[-1]].topk(3)
        for value, place in zip(values.tolist(), places.tolist(), strict=True):
            grown.append(([*seen, place], total + value))
    beams = sorted(grown, key=lambda beam: -beam[1])[:2]
print([(seen, round(total, 3)) for seen, total in beams])

# cross entropy through batch norm, backward by hand
n, hidden = 12, 6
W, b = torch.randn(4, hidden, requires_grad=True), torch.randn(hidden, requires_grad=True)
inputs, labels = torch.randn(n, 4), torch.randint(0, hidden, (n,))
before = inputs @ W + b
centered = before - before.mean(0, keepdim=True)
inverse = (centered.square().sum(0, keepdim=True) / (n - 1) + 1e-5) ** -0.5
raw = centered * inverse
logits = torch.tanh(raw)
loss = -logits.log_softmax(1)[range(n), labels].mean()
for value in (before, raw, logits):
    value.retain_grad()
loss.backward()
by_logits = logits.softmax(1)
by_logits[range(n), labels] -= 1
by_logits /= n
by_raw = (1 - logits**2) * by_logits
by_before = inverse / n * (n * by_raw - by_raw.sum(0) - n / (n - 1) * raw * (by_raw * raw).sum(0))
for value, found in ((logits, by_logits), (raw, by_raw), (before, by_before)):
    print(torch.allclose(value.grad, found, atol=1e-6))
print(torch.allclose(W.grad, inputs.T @ by_before, atol=1e-5), W.grad[0].round(decimals=3))
