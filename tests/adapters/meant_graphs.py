"""More programs with one fault each: graphs run through again, states, refusals, idle steps."""

from __future__ import annotations

from tests.adapters.meaning import Meant

STEPPED = """
net, x = torch.nn.Linear(3, 2), torch.ones(4, 3)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for step in range(4):
    loss = net(x).pow(2).mean()
    ...
"""
STEP = "opt.zero_grad(); loss.backward(); opt.step()"
FITTED = """
torch.manual_seed(4)
net = torch.nn.Sequential(torch.nn.Linear(3, 1){more})
x, y = torch.randn(8, 3), (torch.arange(8) % 2).float()[:, None]
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for step in range(4):
    ...
    loss = (p - y).abs().mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
"""
CAST = """
torch.manual_seed(4)
net, x = torch.nn.Linear(3, 2), torch.randn(4, 3)
opt = torch.optim.SGD(net.parameters(), lr=0.5)
def train():
    for step in range(3):
        loss = net(x).float().pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
with torch.autocast("cpu", dtype=torch.bfloat16...):
    train()
"""
CARRIED = """
torch.manual_seed(3)
cell, head = torch.nn.{cell}(3, 4), torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD([*cell.parameters(), *head.parameters()], lr=0.1)
{start}
for step in range(3):
    {cut}
    ...
    loss = head({out}).pow(2).mean()
    optimizer.zero_grad()
    loss.backward({retain})
    optimizer.step()
"""


def carried(cell: str, start: str, line: str, cut: str, out: str, retain: str = "") -> Meant:
    """A state that is carried on with its history."""
    given = {"cell": cell, "start": start, "out": out, "retain": retain}
    broken = CARRIED.format(cut="pass", **given).replace("    pass\n", "")
    meant = CARRIED.format(cut=cut, **given).replace("...", line)
    kind = "stale" if retain else "freed"
    return Meant(kind, "...", broken.replace("...", line), meant, "cell.weight_hh, head.bias")


ROWS = """
net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.Linear(4, 3))
x = torch.randn(3, requires_grad=True)
outputs = net(x)
...
"""
JACOBIAN = "rows = torch.autograd.functional.jacobian(net, x)"

MORE = {
    # Several backwards through one graph
    "rows of a jacobian": Meant(
        "freed", ROWS,
        "def row(i):\n    return torch.autograd.grad(outputs[i], x)[0]\n"
        "rows = torch.stack([row(i) for i in range(3)])", JACOBIAN, "rows",
    ),
    "rows of a jacobian, in a loop": Meant(
        "freed", ROWS,
        "rows = []\nfor i in range(3):\n    (g,) = torch.autograd.grad(outputs[i], [x])\n"
        "    rows.append(g)\nrows = torch.stack(rows)", JACOBIAN, "rows",
    ),
    "rows of a jacobian, by backward": Meant(
        "freed", ROWS,
        "rows = torch.zeros(3, 3)\nfor i in range(len(outputs)):\n    x.grad = None\n"
        "    outputs[i].backward()\n    rows[i] = x.grad", JACOBIAN, "rows",
    ),
    "products of a jacobian": Meant(
        "freed", ROWS,
        "rows = torch.stack([torch.autograd.grad(outputs, x, grad_outputs=v)[0]"
        " for v in torch.eye(3)])", JACOBIAN, "rows",
    ),
    "rows of a hessian": Meant(
        "freed", ROWS,
        "(slope,) = torch.autograd.grad(outputs.pow(2).sum(), x, create_graph=True)\n"
        "rows = torch.stack([torch.autograd.grad(each, x)[0] for each in slope])",
        "rows = torch.autograd.functional.hessian(lambda x: net(x).pow(2).sum(), x)", "rows",
    ),
    # A state that is carried on
    "an LSTM cell": carried(
        "LSTMCell", "state = None", "state = cell(torch.ones(2, 3), state)",
        "state = state and tuple(s.detach() for s in state)", "state[0]",
    ),
    "an LSTM cell, kept": carried(
        "LSTMCell", "state = None", "state = cell(torch.ones(2, 3), state)",
        "state = state and tuple(s.detach() for s in state)", "state[0]", "retain_graph=True",
    ),
    "a GRU cell that begins with None": carried(
        "GRUCell", "h = None", "h = cell(torch.ones(2, 3), h)",
        "h = h if h is None else h.detach()", "h",
    ),
    "a GRU cell that begins with None, kept": carried(
        "GRUCell", "h = None", "h = cell(torch.ones(2, 3), h)",
        "h = h if h is None else h.detach()", "h", "retain_graph=True",
    ),
    # What a plain number did
    "a logarithm of Python's": Meant(
        "no_grad",
        """
import math
w, x = torch.tensor(0.5, requires_grad=True), torch.tensor(2.0)
...
loss.backward()
""",
        "rate = (w * x).item() + 1\nloss = torch.tensor(math.log(rate))",
        "loss = torch.log(w * x + 1)", "w.grad",
    ),
    "a logarithm of a tensor by Python": Meant(
        "no_grad",
        """
import math
w, x = torch.tensor(0.5, requires_grad=True), torch.tensor(2.0)
...
loss.backward()
""",
        "size = math.log(w * x + 1) / math.sqrt(4)\nloss = torch.tensor(size) * 3",
        "loss = torch.log(w * x + 1) / 2 * 3", "w.grad",
    ),
    "a float": Meant(
        "no_grad",
        """
w, x = torch.tensor(0.5, requires_grad=True), torch.tensor(2.0)
...
loss.backward()
""",
        "size = float((w * x).exp())\nloss = torch.tensor(size)",
        "loss = (w * x).exp()", "w.grad",
    ),
    "a part that is not frozen": Meant(
        "no_grad",
        """
net = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.Linear(3, 1))
net.requires_grad_(False)
head = net[1]
...
opt = torch.optim.SGD(head.parameters(), lr=0.1)
loss = net(torch.ones(2, 3)).sum()
loss.backward()
first = net[0].weight.grad
""",
        "pass", "head.requires_grad_(True)", "head.weight.grad, first",
    ),
    # What is written has another name
    "items of a list": Meant(
        "stale",
        """
w = torch.randn(4, 4, requires_grad=True)
hs = [torch.sigmoid(w), torch.tanh(w)]
...
sum(h.sum() for h in hs).backward()
""",
        "for h in hs:\n    h.mul_(0.5)", "hs = [h * 0.5 for h in hs]", "w.grad",
    ),
    "an argument": Meant(
        "stale",
        """
w = torch.randn(4, requires_grad=True)
def half(t):
    t *= 0.5
y = torch.sigmoid(w)
...
y.sum().backward()
""",
        "half(y)", "y = y * 0.5", "w.grad",
    ),
    "a second name": Meant(
        "stale",
        """
w = torch.randn(4, requires_grad=True)
y = torch.sigmoid(w)
other = y
...
(y * other).sum().backward()
""",
        "y += 1", "other = y = y + 1", "w.grad",
    ),
    "a row of a matrix": Meant(
        "stale",
        """
w = torch.randn(4, 4, requires_grad=True)
y = torch.exp(w)
...
y.pow(2).sum().backward()
""",
        "row = y[0]\nrow += 1", "y = torch.cat([y[:1] + 1, y[1:]])", "w.grad",
    ),
    # What PyTorch refuses
    "a module that keeps a loss": Meant(
        "refused",
        """
import copy
class Gate(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.balance = torch.nn.Linear(3, 2), None
    def forward(self, x):
        w = self.a(x).softmax(-1)
        self.balance = w.mean(0).pow(2).sum()
        return w
net = torch.nn.Sequential(torch.nn.Linear(3, 3), Gate())
size = net(torch.ones(1, 3)).shape[-1]
average = ...
loss = net(torch.ones(2, 3)).pow(2).mean() + net[1].balance
loss.backward()
""",
        "copy.deepcopy(net)",
        "torch.nn.Sequential(torch.nn.Linear(3, 3), Gate()); average.load_state_dict("
        "net.state_dict())", "net[0].weight.grad, average[0].weight",
    ),
    "a copy of a result": Meant(
        "refused",
        """
import copy
net = torch.nn.Linear(3, 2)
out = net(torch.ones(4, 3))
before = ...
out.sum().backward()
""",
        "copy.deepcopy(out)", "out.detach().clone()", "before, net.weight.grad",
    ),
    "a picture that is moved": Meant(
        "refused",
        """
net, image = torch.nn.Linear(3, 1), torch.ones(3)
def attack(image):
    moved = image.clone()
    for i in range(3):
        moved.requires_grad = True
        (grad,) = torch.autograd.grad(net(moved).exp().sum(), moved)
        ...
    return moved.detach()
result = attack(image)
""",
        "moved = moved - 0.1 * grad", "moved = moved.detach() - 0.1 * grad", "result",
    ),
    "a result that keeps its gradient": Meant(
        "refused",
        """
net = torch.nn.Linear(3, 2)
h = net(torch.ones(4, 3))
...
h.pow(2).sum().backward()
""",
        "h.requires_grad = True", "h.retain_grad()", "h.grad, net.weight.grad",
    ),
    "a result that needs no gradient": Meant(
        "refused",
        """
net, out = torch.nn.Linear(3, 2), torch.nn.Linear(2, 1)
h = net(torch.ones(4, 3))
...
out(h).sum().backward()
""",
        "h.requires_grad = False", "h = h.detach()", "out.weight.grad, net.weight.grad",
    ),
    "a matrix for each, of one": Meant(
        "refused",
        """
net = torch.nn.Linear(3, 3)
pose = torch.eye(4).expand(2, 4, 4)...
pose[:, :3, 3] = net(torch.ones(2, 3))
pose.pow(2).sum().backward()
""",
        "", ".clone()", "pose, net.weight.grad",
    ),
    "rows that are added to": Meant(
        "refused",
        """
x = torch.randn(3, 4)
y = torch.ones(4, requires_grad=True).exp().expand_as(x)...
y.add_(x)
y.pow(2).sum().backward()
""",
        "", ".clone()", "y",
    ),
    "a part that has no gradient in this step": Meant(
        "unused",
        """
parts = [torch.nn.Linear(3, 1), torch.nn.Linear(3, 1)]
optimizers = [torch.optim.SGD(each.parameters(), lr=0.1) for each in parts]
scaler = torch.amp.GradScaler("cpu")
for step in range(3):
    loss = sum(each(torch.ones(2, 3)).pow(2).mean() for each in parts[step % 2:])
    for optimizer in optimizers:
        optimizer.zero_grad()
    scaler.scale(loss).backward()
    for optimizer in optimizers:
        ...
    scaler.update()
""",
        "scaler.step(optimizer)",
        "scaler.step(optimizer) if optimizer.param_groups[0]['params'][0].grad is not None else 0",
        "parts[0].weight, parts[1].weight",
    ),
    "a sum under vmap": Meant(
        "refused",
        """
w = torch.ones(3, requires_grad=True)
def total(x):
    acc = torch.zeros(3)
    ...
    return acc.sum()
losses = torch.vmap(total)(torch.ones(4, 3))
losses.pow(2).sum().backward()
""",
        "acc += w * x", "acc = acc + w * x", "losses, w.grad",
    ),
    "a product under vmap": Meant(
        "refused",
        """
w = torch.ones(3, requires_grad=True)
def total(x):
    acc = w.exp()
    ...
    return acc.sum()
losses = torch.vmap(total)(torch.ones(4, 3))
losses.pow(2).sum().backward()
""",
        "acc.mul_(x)", "acc = acc * x", "losses, w.grad",
    ),
    "a sum that is larger": Meant(
        "refused",
        """
w = torch.ones(3, requires_grad=True)
y = w.exp()
...
y.pow(2).sum().backward()
""",
        "y += torch.ones(4, 3)", "y = y + torch.ones(4, 3)", "y, w.grad",
    ),
    # Nothing learns
    "gradients dropped before the step": Meant(
        "unused", STEPPED,
        "loss.backward()\n    opt.zero_grad()\n    opt.step()", STEP, "net.weight",
    ),
    "gradients dropped before the step, by hand": Meant(
        "unused", STEPPED,
        "loss.backward()\n    norm = net.weight.grad.norm()\n    net.zero_grad()\n    opt.step()",
        STEP, "net.weight",
    ),
    "gradients dropped before the step, on a line": Meant(
        "unused", STEPPED, "loss.backward(); opt.zero_grad(); opt.step()", STEP, "net.weight",
    ),
    "gradients dropped in a function": Meant(
        "unused", STEPPED.replace("for step", "def learn():\n    {}\nfor step").format(
            "opt.zero_grad()\n    opt.step()"),
        "loss.backward(); learn()", STEP, "net.weight",
    ),
    "a step before the backward": Meant(
        "unused", STEPPED.replace("    loss =", "    opt.zero_grad()\n    loss ="),
        "opt.step()\n    loss.backward()", "loss.backward(); opt.step()", "net.weight",
    ),
    "classes of which there is one": Meant(
        "unused", FITTED.format(more=", torch.nn.Softmax(dim=1)"), "p = net(x)",
        "p = torch.sigmoid(net[0](x))", "net[0].weight",
    ),
    "classes of which there is one, by a function": Meant(
        "unused", FITTED.format(more=""), "p = torch.softmax(net(x), dim=-1)",
        "p = torch.sigmoid(net(x))", "net[0].weight",
    ),
    "rounded numbers": Meant(
        "unused", FITTED.format(more=""), "p = net(x)\n    p = torch.round(p)",
        "p = net(x)\n    p = p + (p.round() - p).detach()", "net[0].weight",
    ),
    "casts that are kept": Meant(
        "unused", CAST, "", ", cache_enabled=False", "net.weight",
    ),
}  # fmt: skip
