"""Training loops of many kinds, for the tests of turns that watching holds."""

from __future__ import annotations

from .test_torch_steady_turns import LOOP, PLAIN

DEEPER = "".join(f"    {line}\n" for line in PLAIN.splitlines())
LAYERS = """
class Layers(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(2, 2) for _ in range(3)])
    def forward(self, given):
        for layer in self.layers:
            given = given + torch.tanh(layer(given))
        return given
deep = Layers()
optimizer.add_param_group({"params": deep.parameters()})
"""
GAN = """
g, d = nn.Linear(2, 2), nn.Linear(2, 1)
first, second = [torch.optim.Adam(each.parameters()) for each in (d, g)]
for n in range(30):
    first.zero_grad()
    fake = g(x).tanh()
    wrong = F.softplus(d(fake)).mean() + F.softplus(-d(x)).mean()
    wrong.backward()
    first.step()
    second.zero_grad()
    loss = F.softplus(-d(g(x).tanh())).mean()
    loss.backward()
    second.step()
"""
RECURRENT = """
cell, steps = nn.Linear(4, 2), torch.randn(3, 4, 2)
optimizer.add_param_group({"params": cell.parameters()})
for n in range(30):
    optimizer.zero_grad()
    h = torch.zeros(4, 2)
    for t in range(3):
        h = torch.tanh(cell(torch.cat([steps[t], h], 1)))
    loss = (h * w).square().mean()
    loss.backward()
    optimizer.step()
"""
PAIRS = """
class Pairs(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(2, 3), nn.Linear(2, 3)
    def forward(self, given):
        mean, spread = self.first(given), self.second(given)
        return torch.sigmoid(mean), mean, spread
pairs = Pairs()
optimizer.add_param_group({"params": pairs.parameters()})
for n in range(30):
    out, mean, spread = pairs(x * w)
    loss = (out * mean.exp() + spread.square()).sum() / 100
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""
VALIDATION = (
    "def train():\n    global loss\n    for n in range(15):\n"
    + DEEPER
    + """
        right = (out > 0).float().mean()
def validate():
    with torch.no_grad():
        return (net(x) - y).abs().mean().item()
for epoch in range(3):
    train()
    error = validate()
"""
)
BATCHES = LOOP + "    i = torch.randint(0, 4, (3,))\n    given, wanted = x[i], y[i]\n"
BATCHES += PLAIN.replace("x *", "given *").replace("- y", "- wanted")
MORE = {
    "epochs": "for epoch in range(3):\n    for n in range(15):\n" + DEEPER,
    "a total of each epoch": "for epoch in range(3):\n    total = 0.0\n    for n in range(15):\n"
    + DEEPER + "        total += loss.item()\n    kept.append(total)\n",
    "a loop over layers": LAYERS + LOOP + PLAIN.replace("net(h)", "net(deep(h))"),
    "layers in epochs": LAYERS + "for epoch in range(3):\n    for n in range(15):\n"
    + DEEPER.replace("net(h)", "net(deep(h))"),
    "batches": "pairs = [(torch.randn(4, 2), torch.randn(4, 1)) for _ in range(15)]\n"
    "for epoch in range(3):\n    for x, y in pairs:\n" + DEEPER,
    "a DataLoader": "from torch.utils.data import DataLoader, TensorDataset\n"
    "loader = DataLoader(TensorDataset(torch.randn(60, 2), torch.randn(60, 1)), batch_size=4)\n"
    "for epoch in range(3):\n    for x, y in loader:\n" + DEEPER,
    "a GAN": GAN,
    "a GAN that detaches": GAN.replace("d(fake)", "d(fake.detach())").replace(
        "d(g(x).tanh())", "d(fake)"
    ),
    "numbers of what is cut off": LOOP + PLAIN + "    number = loss.detach().item()\n"
    "    kept.append(number)\n",
    "a parameter cut off": LOOP
    + PLAIN.replace("    out", "    copy = w.detach()\n    total = copy.sum()\n    out"),
    "a loop over weights": "layers = [torch.ones(2, 2, requires_grad=True) for _ in range(3)]\n"
    "optimizer.add_param_group({'params': layers})\n" + LOOP
    + "    optimizer.zero_grad()\n    h = x\n    for weight in layers:\n"
    "        h = torch.tanh(h @ weight)\n    loss = h.square().mean()\n    loss.backward()\n"
    "    optimizer.step()\n",
    "a backward that comes first": "loss = w.sum()\nfor epoch in range(3):\n"
    "    for n in range(15):\n        loss.backward()\n        optimizer.step()\n"
    "        optimizer.zero_grad()\n        h = torch.sigmoid(x * w)\n"
    "        loss = ((net(h) - y) ** 2).mean()\n",
    "an index of tensors": "i = torch.tensor([0, 1])\n"
    + LOOP + PLAIN.replace("    out", "    part = h[i, i].sum()\n    h = h + part\n    out"),
    "noise": LOOP + "    z = torch.randn(4, 2)\n" + PLAIN.replace("x *", "(x + z) *"),
    "batches at random": BATCHES,
    "a recurrent network": RECURRENT,
    "unpacked results": PAIRS,
    "training and validation": VALIDATION,
    "a criterion": "criterion, t = nn.CrossEntropyLoss(), torch.tensor([0, 1, 1, 0])\n" + LOOP
    + "    optimizer.zero_grad()\n    h = x * w\n    loss = criterion(h, t)\n    loss.backward()\n"
    "    optimizer.step()\n",
    "epochs with a metric": "for epoch in range(3):\n    for n in range(15):\n" + DEEPER
    + "        with torch.no_grad():\n            right = (out > y).float().mean()\n"
    "    last = loss.item()\n",
    "a loop in each turn": LOOP + PLAIN.replace(
        "    out = net(h)\n", "    for k in range(3):\n        h = h + 0.1\n    out = net(h)\n"
    ) + "    number = loss.item()\n",
    "views of parameters": LOOP
    + PLAIN.replace("    out", "    first = w[0]\n    h = h + net[3].bias.view(1, 1)\n    out"),
    "memory of numpy": "import numpy as np\nmemory = np.zeros(4, 'float32')\n"
    "shared = torch.from_numpy(memory)\n" + LOOP + "    memory[:] = n\n    first = shared[0]\n"
    + PLAIN,
    "while": "n = 0\nwhile n < 30:\n" + PLAIN + "    n += 1\n",
}  # fmt: skip
