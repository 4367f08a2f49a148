"""What is wrong is found, with both lines; what is right is never accused."""

from __future__ import annotations

import copy
import linecache
from typing import Any, NamedTuple

import pytest
import torch
from torch import nn

import graphwidget


class Broken(NamedTuple):
    kind: str
    reader: str | None
    culprit: str | None
    mended: bool
    """Whether the fix stands in the place of the culprit's line (for a carried state, after it)."""
    source: str


BROKEN = {
    'relu inplace': Broken(
        'stale', 'y = torch.sigmoid(h)', 'y += 1', True,
        """
net = torch.nn.Linear(3,3)
h = net(torch.randn(2,3))
y = torch.sigmoid(h)
y += 1
y.sum().backward()
""",
    ),
    'gan': Broken(
        'stale', None, 'opt.step()', False,
        """
D = torch.nn.Sequential(torch.nn.Linear(2,4), torch.nn.Linear(4,1))
G = torch.nn.Linear(2,2)
opt = torch.optim.Adam(D.parameters())
fake = G(torch.randn(4,2))
score = D(fake)
d_loss = score.mean()
d_loss.backward(retain_graph=True)
opt.step()
g_loss = -score.mean()
g_loss.backward()
""",
    ),
    'leaf': Broken(
        'leaf', None, 'w += 1', True,
        """
w = torch.ones(3, requires_grad=True)
w += 1
""",
    ),
    'carried': Broken(
        'freed', None, 'h = torch.tanh(cell(x) + h)', True,
        """
cell = torch.nn.Linear(3,3)
x = torch.randn(1,3)
h = torch.zeros(1,3)
for t in range(3):
    h = torch.tanh(cell(x) + h)
    loss = h.sum()
    loss.backward()
""",
    ),
    'summed': Broken(
        'freed', None, 'total = total + loss', False,
        """
cell = torch.nn.Linear(3,3)
x = torch.randn(1,3)
total = torch.zeros(())
for t in range(3):
    loss = (cell(x)**2).sum()
    total = total + loss
    total.backward()
""",
    ),
    'twice': Broken(
        'freed', 'b = a * a', 'c.backward()', False,
        """
a = torch.ones(3, requires_grad=True)
b = a * a
c = b.sum()
c.backward()
c.backward()
""",
    ),
    'detach': Broken(
        'no_grad', None, 'y = net(x).detach()', True,
        """
net = torch.nn.Linear(3,1)
x = torch.randn(4,3)
y = net(x).detach()
loss = (y**2).mean()
loss.backward()
""",
    ),
    'item': Broken(
        'no_grad', None, 'losses.append(l.item())', False,
        """
net = torch.nn.Linear(3,1)
x = torch.randn(4,3)
losses = []
l = net(x).mean()
losses.append(l.item())
loss = torch.tensor(losses).sum()
loss.backward()
""",
    ),
    'nograd': Broken(
        'no_grad', None, 'y = net(x)', False,
        """
net = torch.nn.Linear(3,1)
x = torch.randn(4,3)
with torch.no_grad():
    y = net(x)
loss = y.mean()
loss.backward()
""",
    ),
    'frozen': Broken(
        'no_grad', None, 'p.requires_grad = False', True,
        """
net = torch.nn.Linear(3,1)
for p in net.parameters():
    p.requires_grad = False
loss = net(torch.randn(4,3)).mean()
loss.backward()
""",
    ),
    'data': Broken(
        'stale', 'b = a.exp()', 'b.data.mul_(2)', True,
        """
a = torch.ones(3, requires_grad=True)
b = a.exp()
b.data.mul_(2)
b.sum().backward()
""",
    ),
    'fused': Broken(
        'stale', None, 'opt.step()', False,
        """
net = torch.nn.Sequential(torch.nn.Linear(3,3), torch.nn.Linear(3,1))
opt = torch.optim.Adam(net.parameters(), fused=True)
out = net(torch.randn(4,3))
out.mean().backward(retain_graph=True)
opt.step()
out.sum().backward()
""",
    ),
    'nan': Broken(
        'nan', None, 'y = torch.sqrt(x)', True,
        """
x = torch.zeros(3, requires_grad=True)
y = torch.sqrt(x)
z = (y * 0).sum()
z.backward()
""",
    ),
    'nan2': Broken(
        'nan', None, 'y = torch.log(x)', False,
        """
x = torch.tensor([-1.,2.], requires_grad=True)
y = torch.log(x)
z = y.sum()
z.backward()
""",
    ),
    'leak': Broken(
        'leak', None, 'h = torch.tanh(cell(x) + h)', False,
        """
cell = torch.nn.Linear(3,3)
x = torch.randn(1,3)
h = torch.zeros(1,3)
for t in range(12):
    h = torch.tanh(cell(x) + h)
    loss = h.sum()
    loss.backward(retain_graph=True)
""",
    ),
    'unused': Broken(
        'unused', None, None, False,
        """
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.a = torch.nn.Linear(3,3)
        self.b = torch.nn.Linear(3,3)
    def forward(self, x):
        self.b(x)
        return self.a(x)
net = Net()
net(torch.randn(2,3)).sum().backward()
""",
    ),
    'slice': Broken(
        'stale', 'c = b * b', 'b[0] = 5.', True,
        """
a = torch.ones(3, requires_grad=True)
b = a * 2
c = b * b
b[0] = 5.
c.sum().backward()
""",
    ),
}  # fmt: skip


def run(source: str, name: str) -> tuple[Any, RuntimeError | None, dict[str, Any]]:
    file = f"<broken {name}>"
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    names: dict[str, Any] = {"torch": torch, "__name__": "__main__"}
    error = None
    torch.manual_seed(0)
    try:
        with graphwidget.diagnose() as found:
            exec(compile(source, file, "exec"), names)
    except RuntimeError as raised:
        error = raised
    return found.findings, error, names


@pytest.mark.parametrize("name", BROKEN)
def test_the_guilty_line_is_named(name: str) -> None:
    wanted = BROKEN[name]
    findings, error, _ = run(wanted.source, name)
    assert [each.kind for each in findings] == [wanted.kind]
    (finding,) = findings
    if wanted.culprit is not None:
        assert finding.culprit is not None
        assert finding.culprit.text == wanted.culprit
    if wanted.reader is not None:
        assert finding.reader is not None
        assert finding.reader.text == wanted.reader
    compile(finding.fix, "<fix>", "exec")
    if error is not None:
        assert any(wanted.culprit in note for note in error.__notes__)


@pytest.mark.parametrize("name", [name for name, each in BROKEN.items() if each.mended])
def test_the_fix_mends_the_program(name: str) -> None:
    wanted = BROKEN[name]
    (finding,), _, _ = run(wanted.source, name)
    lines = wanted.source.splitlines()
    at = next(n for n, line in enumerate(lines) if line.strip() == wanted.culprit)
    indent = lines[at][: len(lines[at]) - len(lines[at].lstrip())]
    fix = [indent + line for line in finding.fix.splitlines()]
    if wanted.kind == "freed":
        lines[at:at] = fix
    else:
        lines[at : at + 1] = fix
    findings, error, _ = run("\n".join(lines), f"{name}, mended")
    assert error is None
    assert findings == []


def test_numbers_that_a_loss_is_made_of_are_kept_as_tensors() -> None:
    source = BROKEN["item"].source
    (finding,), _, _ = run(source, "item")
    first, second = finding.fix.splitlines()
    mended = source.replace("losses.append(l.item())", first)
    mended = mended.replace("loss = torch.tensor(losses).sum()", second)
    _, error, names = run(mended, "item, mended")
    assert error is None
    assert names["net"].weight.grad is not None


def test_explain_gives_what_was_found_last() -> None:
    _, error, _ = run(BROKEN["slice"].source, "slice")
    assert error is not None
    findings = graphwidget.explain()
    assert [each.kind for each in findings] == ["stale"]
    assert "b[0] = 5." in findings._repr_html_()
    assert "b[0] = 5." in repr(findings)


def test_a_block_without_an_error_prints_what_it_found(capsys: pytest.CaptureFixture[str]) -> None:
    with graphwidget.diagnose():
        a = torch.ones(3, requires_grad=True)
        b = a.exp()
        b.data.mul_(2)
        b.sum().backward()
    assert "b.data.mul_(2)" in capsys.readouterr().err


class Recurrent(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.cell = nn.GRUCell(4, 8)
        self.out = nn.Linear(8, 2)

    def forward(self, x: Any) -> Any:
        h = x.new_zeros(len(x), 8)
        for step in x.unsqueeze(1).expand(-1, 3, -1).unbind(1):
            h = self.cell(step, h)
        return self.out(h)


class Vae(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.enc, self.dec = nn.Linear(4, 6), nn.Linear(3, 2)

    def forward(self, x: Any) -> Any:
        mean, log = self.enc(x).chunk(2, 1)
        return self.dec(mean + torch.randn_like(mean) * (log / 2).exp())


def cnn() -> nn.Module:
    return nn.Sequential(
        nn.Unflatten(1, (1, 2, 2)), nn.Conv2d(1, 3, 2, padding=1), nn.BatchNorm2d(3),
        nn.ReLU(inplace=True), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(3, 2),
    )  # fmt: skip


def mlp() -> nn.Module:
    return nn.Sequential(nn.Linear(4, 8), nn.ReLU(inplace=True), nn.Dropout(0.1), nn.Linear(8, 2))


def transformer() -> nn.Module:
    layer = nn.TransformerEncoderLayer(4, 2, 8, batch_first=True)
    return nn.Sequential(nn.Unflatten(1, (1, 4)), layer, nn.Flatten(), nn.Linear(4, 2))


OPTIMIZERS = {
    "SGD": lambda p: torch.optim.SGD(p, lr=0.05, momentum=0.9),
    "Adam": lambda p: torch.optim.Adam(p),
    "AdamW foreach": lambda p: torch.optim.AdamW(p, foreach=True),
    "Adam fused": lambda p: torch.optim.Adam(p, fused=True),
}
TRAINING = """
for step in range(12):
    optimizer.zero_grad()
    out = net(x)
    loss = ((out - y) ** 2).mean()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    optimizer.step()
    with torch.no_grad():
        for old, new in zip(target.parameters(), net.parameters()):
            old.mul_(0.9).add_(new, alpha=0.1)
    total = total + loss.item()
"""


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
@pytest.mark.parametrize("model", [mlp, cnn, transformer, Recurrent, Vae])
def test_a_correct_training_is_not_accused(model: Any, optimizer: str) -> None:
    net = model()
    names = {
        "torch": torch, "net": net, "optimizer": OPTIMIZERS[optimizer](net.parameters()),
        "x": torch.randn(6, 4), "y": torch.randn(6, 2), "total": 0.0, "__name__": "__main__",
        "target": copy.deepcopy(net),
    }  # fmt: skip
    with graphwidget.diagnose() as found:
        exec(compile(TRAINING, "<training>", "exec"), names)
    assert found.findings == []


GAN = """
for step in range(12):
    z = torch.randn(6, 3)
    fake = G(z)
    d_loss = (D(real) - 1).pow(2).mean() + D(fake.detach()).pow(2).mean()
    d_opt.zero_grad()
    d_loss.backward()
    d_opt.step()
    g_loss = (D(fake) - 1).pow(2).mean()
    g_opt.zero_grad()
    g_loss.backward()
    g_opt.step()
"""


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_a_correct_gan_is_not_accused(optimizer: str) -> None:
    d, g = nn.Sequential(nn.Linear(4, 5), nn.LeakyReLU(), nn.Linear(5, 1)), nn.Linear(3, 4)
    make = OPTIMIZERS[optimizer]
    names = {
        "torch": torch, "D": d, "G": g, "d_opt": make(d.parameters()), "real": torch.randn(6, 4),
        "g_opt": make(g.parameters()), "__name__": "__main__",
    }  # fmt: skip
    with graphwidget.diagnose() as found:
        exec(compile(GAN, "<gan>", "exec"), names)
    assert found.findings == []
