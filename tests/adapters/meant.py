"""Programs with one fault each, the same as it was meant, and what both have to agree on."""

from __future__ import annotations

from tests.adapters.meaning import Meant
from tests.adapters.meant_graphs import MORE
from tests.adapters.meant_losses import LOSSES

SCALED = """
class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.a = torch.nn.Linear(4, 4)
    def forward(self, x, scale):
        ...
        return x + torch.tanh(self.a(x))
blocks = torch.nn.ModuleList(Block() for _ in "12")
start = torch.randn(3, 4).requires_grad_()
x = start
for block in blocks:
    x = block(x, torch.full((4,), 2.0))
x.pow(2).mean().backward()
"""
PRUNED = """
class Pruned({base}):
    def __init__(self, *sizes):
        super().__init__(*sizes)
        self.register_buffer("mask", (torch.rand(self.weight.shape) < 0.5).float())
    def forward(self, x):
        {body}
torch.manual_seed(1)
net = Pruned({sizes})
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
x = torch.randn({given})
for step in range(3):
    loss = net(x).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""
LINEAR = PRUNED.format(base="torch.nn.Linear", sizes="3, 2", given="5, 3", body="...")
POSE = """
import math
class Pose(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.angle, self.shift = [torch.nn.Parameter(torch.tensor(v)) for v in (0.3, 0.2)]
        self.size = torch.nn.Parameter(torch.ones(1))
    def forward(self, points):
        c, s, z = torch.cos(self.angle), torch.sin(self.angle), 0.5
        ...
        return points @ rotation.t().float() + self.shift * self.size
pose = Pose()
optimizer = torch.optim.SGD(pose.parameters(), lr=0.1)
points = torch.randn(6, 2)
for step in range(2):
    optimizer.zero_grad()
    loss = (pose(points) - points).pow(2).mean() + pose(points).mean()
    loss.backward()
    optimizer.step()
"""
TERMS = """
net = torch.nn.Linear(3, 2)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
x = torch.randn(4, 3)
for step in range(2):
    recon = net(x).pow(2).mean()
    kld = net(x).exp().mean() - net.weight.sum()
    ...
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""
LEARNED = "net.weight, net.weight.grad, net.bias"
MASKED = """
torch.manual_seed(5)
net, x = torch.nn.MultiheadAttention(4, 1, batch_first=True), torch.randn(2, 4, 4)
mask = torch.tensor([[False] * 4, [True] * 4])
...
out, _ = net(x, x, x, key_padding_mask=bias)
loss = out[:1].pow(2).mean()
loss.backward()
"""
ROTATION = "rotation = torch.stack([torch.stack([c, -s]), torch.stack([s, c])])"
POOLED = """
torch.manual_seed(2)
gate = torch.nn.Linear(3, 1)
items = torch.randn(4, 5, 3)
items[2] = 0
member = (gate(items).squeeze(-1) * items.abs().sum(-1)).pow(2)
count = member.sum(1, keepdim=True)
...
pooled = safe * (member.unsqueeze(-1) * items).sum(1)
loss = pooled.pow(2).sum()
loss.backward()
"""
SAFE = "safe = torch.where(count == 0, 0.0, 1 / torch.where(count == 0, 1.0, count))"
ROOT = SAFE.replace("1 / torch", "torch.sqrt(torch").replace("count))", "count)))")

MEANT = {
    # A leaf that a forward computation writes
    "a factor": Meant("leaf", SCALED, "x *= scale", "x = x * scale", "start.grad"),
    "a factor, by a method": Meant("leaf", SCALED, "x.mul_(scale)", "x = x * scale", "start.grad"),
    "a part": Meant(
        "leaf", SCALED, "x[:, 0] = scale[0]", "x = x.clone(); x[:, 0] = scale[0]", "start.grad"
    ),
    "an embedding with a flag": Meant(
        "leaf",
        """
words, places = torch.nn.Embedding(9, 4), torch.nn.Parameter(torch.randn(5, 4))
words.requires_grad_(False)
x = words(torch.arange(5)).requires_grad_()
start = x
...
x.pow(2).sum().backward()
""",
        "x += places", "x = x + places", "start.grad, places.grad",
    ),
    "a parameter in forward": Meant(
        "leaf", LINEAR,
        "self.weight *= self.mask; return torch.nn.functional.linear(x, self.weight, self.bias)"
        .replace("; ", "\n        "),
        "return torch.nn.functional.linear(x, self.weight * self.mask, self.bias)",
        "net.weight, net.weight.grad",
    ),
    "an update": Meant(
        "leaf",
        """
w, x = torch.randn(3, requires_grad=True), torch.randn(3)
for step in range(3):
    loss = (w * x).pow(2).sum()
    loss.backward()
    ...
    w.grad.zero_()
""",
        "w -= 0.1 * w.grad", "w.data.sub_(0.1 * w.grad)", "w",
    ),
    "an attack": Meant(
        "leaf",
        """
delta, x = torch.zeros(3, requires_grad=True), torch.randn(3)
for step in range(3):
    loss = (x + delta).pow(2).sum()
    loss.backward()
    with torch.no_grad():
        delta += delta.grad.sign()
    ...
    delta.grad = None
""",
        "delta.clamp_(-0.3, 0.3)", "delta.data.clamp_(-0.3, 0.3)", "delta",
    ),
    "an initialisation": Meant(
        "leaf",
        """
net = torch.nn.Linear(3, 2)
...
loss = net(torch.ones(1, 3)).pow(2).sum()
loss.backward()
""",
        "net.bias[0] = 3.0", "net.bias.data[0] = 3.0", "net.bias, net.bias.grad",
    ),
    # A parameter that is made anew in forward
    "a masked linear layer": Meant(
        "unused", LINEAR,
        "self.weight = torch.nn.Parameter(self.weight * self.mask); return super().forward(x)"
        .replace("; ", "\n        "),
        "return torch.nn.functional.linear(x, self.weight * self.mask, self.bias)", "net.bias.grad",
    ),
    "a masked convolution": Meant(
        "unused",
        PRUNED.format(base="torch.nn.Conv2d", sizes="2, 3, 2", given="1, 2, 4, 4", body="..."),
        "self.weight = torch.nn.Parameter(self.weight.data * self.mask); return super().forward(x)"
        .replace("; ", "\n        "),
        "return torch.nn.functional.conv2d(x, self.weight * self.mask, self.bias)",
        "net.weight.grad, net.bias.grad",
    ),
    "a parameter of another module": Meant(
        "unused",
        """
net, scale = torch.nn.Sequential(torch.nn.Linear(3, 2)), torch.nn.Parameter(torch.ones(2, 1))
raw, x = net[0].weight, torch.randn(4, 3)
opt = torch.optim.SGD([raw, scale, net[0].bias], lr=0.1)
for step in range(2):
    opt.zero_grad()
    ...
    loss.backward()
    opt.step()
""",
        "net[0].weight = torch.nn.Parameter(raw * scale); loss = net(x).pow(2).mean()"
        .replace("; ", "\n    "),
        "loss = torch.nn.functional.linear(x, raw * scale, net[0].bias).pow(2).mean()",
        "raw, scale, raw.grad",
    ),
    # A tensor that is made of numbers
    "rows": Meant(
        "unused", POSE, "rotation = torch.tensor([[c, -s], [s, c]])", ROTATION, "pose.angle.grad"
    ),
    "rows with numbers": Meant(
        "unused", POSE, "rotation = torch.tensor([[c, z], [0, 2 * s]])",
        "o = torch.zeros(()); rotation = torch.stack([torch.stack([c, o + z]),"
        " torch.stack([o, 2 * s])])", "pose.angle.grad",
    ),
    "rows of another type": Meant(
        "unused", POSE, "rotation = torch.tensor([(c, -s), (s, c)], dtype=torch.float64)",
        ROTATION, "pose.angle.grad",
    ),
    "rows of numbers": Meant(
        "unused", POSE, "rotation = torch.tensor([[c.item(), -s.item()], [s.item(), c.item()]])",
        ROTATION, "pose.angle.grad",
    ),
    "rows as an old type": Meant(
        "unused", POSE, "rotation = torch.FloatTensor([[c, -s], [s, c]])", ROTATION,
        "pose.angle.grad",
    ),
    "rows of values in lists": Meant(
        "unused", POSE,
        "rotation = torch.tensor([[f * c for f in (1.0, 2.0)], [s, c]])",
        "rotation = torch.stack([torch.stack([c, 2 * c]), torch.stack([s, c])])", "pose.angle.grad",
    ),
    "a row of tensors with one number": Meant(
        "unused", POSE.replace("self.shift * self.size", "self.shift * c"),
        "rotation = torch.tensor([[self.size, 0.0], [0.0, self.size]])",
        "rotation = torch.eye(2) * self.size", "pose.size.grad",
    ),
    "a parameter that has another way": Meant(
        "unused", POSE.replace("() + self.shift", "() + self.angle * self.shift"),
        "rotation = torch.tensor([[c, -s], [s, c]])", ROTATION, "pose.angle.grad",
    ),
    # A term of a loss that is a constant
    "a number in a sum": Meant(
        "unused", TERMS, "loss = recon + 0.1 * kld.item()", "loss = recon + 0.1 * kld", LEARNED,
    ),
    "a number in a sum, made before": Meant(
        "unused", TERMS, "k = kld.item(); loss = recon + 0.1 * k".replace("; ", "\n    "),
        "loss = recon + 0.1 * kld", LEARNED,
    ),
    "a float in a sum": Meant(
        "unused", TERMS, "loss = recon + float(kld) * 0.1", "loss = recon + 0.1 * kld", LEARNED,
    ),
    "a tensor of a number in a sum": Meant(
        "unused", TERMS, "loss = recon + 0.1 * torch.tensor(kld)", "loss = recon + 0.1 * kld",
        LEARNED,
    ),
    "a part that was cut off": Meant(
        "unused", TERMS, "loss = recon + 0.1 * kld.detach()", "loss = recon + 0.1 * kld", LEARNED,
    ),
    "a part that was not recorded": Meant(
        "unused",
        TERMS.replace("kld = ", "with torch.no_grad():\n        kld = "), "loss = recon + kld",
        "kld = net(x).exp().mean() - net.weight.sum(); loss = recon + kld".replace("; ", "\n    "),
        LEARNED,
    ),
    # An infinity that is masked afterwards
    "masked by its input": Meant(
        "nan", POOLED,
        "safe = 1.0 / count; safe = safe.masked_fill(count == 0, 0.0)".replace("; ", "\n"), SAFE,
        "loss, gate.weight.grad",
    ),
    "masked by itself": Meant(
        "nan", POOLED, "safe = 1.0 / count; safe[torch.isinf(safe)] = 0.0".replace("; ", "\n"),
        SAFE, "loss, gate.weight.grad",
    ),
    "masked by itself, by where": Meant(
        "nan", POOLED,
        "safe = count.reciprocal(); safe = torch.where(safe.isfinite(), safe, 0.0)"
        .replace("; ", "\n"), SAFE, "loss, gate.weight.grad",
    ),
    "masked as infinite numbers": Meant(
        "nan", POOLED,
        "safe = 1 / count; safe = torch.nan_to_num(safe, nan=0.0, posinf=0.0, neginf=0.0)"
        .replace("; ", "\n"), SAFE, "loss, gate.weight.grad",
    ),
    "a root that is masked": Meant(
        "nan", POOLED,
        "safe = torch.sqrt(count); safe = torch.where(count > 0, safe, 0.0)".replace("; ", "\n"),
        ROOT, "loss, gate.weight.grad",
    ),
    "a logarithm that is masked by itself": Meant(
        "nan", POOLED,
        "safe = count.log(); safe[safe == float('-inf')] = 0.0".replace("; ", "\n"),
        ROOT.replace("sqrt", "log"), "loss, gate.weight.grad",
    ),
    "a negative power": Meant(
        "nan", POOLED.replace("count = ", "count = -"),
        "safe = count ** -1; safe = torch.where(count == 0, torch.zeros_like(safe), safe)"
        .replace("; ", "\n"), SAFE, "loss, gate.weight.grad",
    ),
    "rows that are masked whole": Meant(
        "nan", MASKED, 'bias = torch.zeros(2, 4).masked_fill(mask, float("-inf"))',
        "bias = torch.zeros(2, 4).masked_fill(mask, -1e9)", "loss, net.in_proj_weight.grad",
    ),
    **MORE,
    **LOSSES,
}  # fmt: skip
