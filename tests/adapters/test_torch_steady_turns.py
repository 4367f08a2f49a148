"""Turns of the real PyTorch that ``diagnose()`` holds: what is told of them, and what is found."""

from __future__ import annotations

import gc
import linecache
import weakref
from typing import Any

import pytest
import torch

from graphwidget.adapters.pytorch.steady_turns import SteadyTurns
from graphwidget.adapters.pytorch.watcher import TorchAdapter
from graphwidget.recording import events as ev
from graphwidget.recording.findings import Finding
from graphwidget.recording.recorder import Recorder

from .recorded import Recorded
from .test_repeats import story

TURNS, AT = 30, 24
MODEL = """
torch.manual_seed(0)
nn, F = torch.nn, torch.nn.functional
x, y = torch.randn(4, 2), torch.randn(4, 1)
net = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1))
w = torch.ones(2, requires_grad=True)
optimizer = torch.optim.OPTIMIZER
kept, old = [], None
"""
BODY = """    optimizer.zero_grad()
    h = torch.sigmoid(x * w)
    out = net(h)
    loss = ((out - y) ** 2).mean()
    loss.backward()
    optimizer.step()
    old = loss.detach()
"""
PLAIN = BODY.replace("    old = loss.detach()\n", "")
LOOP = f"for n in range({TURNS}):\n"
OPTIMIZERS = {
    "SGD": "SGD([w, *net.parameters()], lr=0.1)",
    "Adam": "Adam([w, *net.parameters()])",
    "AdamW": "AdamW([w, *net.parameters()], foreach=True)",
    "fused": "AdamW([w, *net.parameters()], fused=True)",
    "momentum": "SGD([{'params': [w]}, {'params': net.parameters()}], lr=0.1, momentum=0.9)",
}
EVENTS = {
    "nothing": "pass",
    "another op": "q = (w * 3).sum()",
    "a write": "x.mul_(1.01)",
    "a saved value written": "h.mul_(2)",
    "a result written": "out += 1",
    "a parameter written": "net[0].weight.data.mul_(1.5)",
    "a bias written": "with torch.no_grad(): net[0].bias += 1",
    "a weight written": "with torch.no_grad(): net[2].weight += 1",
    "a copy written": "h.detach().zero_()",
    "data written": "h.data.zero_()",
    "another rate": "optimizer.param_groups[0]['lr'] = 0.01",
    "a frozen layer": "net[0].requires_grad_(False)",
    "a gradient of its own": "w.grad = torch.ones(2)",
    "a hook": "net[0].weight.register_hook(lambda grad: grad * 2)",
    "a hook of a result": "h.register_hook(lambda grad: grad * 2)",
    "a hook that fails": "h.register_hook(lambda grad: grad @ torch.ones(9))",
    "a graph that is kept": "kept.append(net(x))",
    "a loss that is kept": "kept.append(loss)",
    "a number": "kept.append(loss.item())",
    "a loss made anew": "loss = torch.tensor(loss.item(), requires_grad=True)",
    "the end": "break",
    "the next": "continue",
    "another model": "net = nn.Linear(2, 1)",
    "a leaf": "k = torch.randn(3)",
    "new data": "x = torch.randn(4, 2)",
    "more data": "x, y = torch.randn(6, 2), torch.randn(6, 1)",
    "data of a graph": "x = (w * 2).expand(4, 2)",
    "what was made": "x = h",
    "what was made, cut off": "x = h.detach()",
    "an error": "x @ torch.ones(7, 7)",
    "an error of another kind": "x[7]",
    "a retained gradient": "h.retain_grad()",
    "a backward twice": "loss.backward()",
    "a backward that keeps": "loss.backward(retain_graph=True)",
    "a backward of another": "w.exp().sum().backward()",
    "gradients asked for": "torch.autograd.grad(w.exp().sum(), w)",
    "no gradients": "torch.set_grad_enabled(False)",
    "infinity": "with torch.no_grad(): w.fill_(float('inf'))",
    "not a number": "y = y * float('nan')",
    "a root of nothing": "x = x * 0; h = torch.sqrt(x * w)",
    "evaluation": "with torch.no_grad(): error = (net(x) - y).abs().mean()",
    "a function of its own": "c = Double.apply(w)",
    "an eager step": "optimizer.step()",
    "training mode": "net.train(n % 2 == 0)",
    "dropped gradients": "w.grad = None",
    "a group more": "optimizer.add_param_group({'params': [torch.zeros(1, requires_grad=True)]})",
}
DOUBLE = """
class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        return a * 2
    @staticmethod
    def backward(ctx, g):
        return g * 2
"""
LOOPS = {
    "training": LOOP + PLAIN,
    "a loss that is cut off": LOOP + BODY,
    "all losses kept": LOOP + PLAIN + "    kept.append(loss)\n",
    "all losses noted": LOOP + PLAIN + "    kept.append(loss.item())\n",
    "some losses noted": LOOP + PLAIN + "    if n % 5 == 0:\n        kept.append(float(loss))\n",
    "the last result": LOOP + PLAIN + "    old = out\n",
    "gradients that add up": LOOP + "    h = torch.sigmoid(x * w)\n    out = net(h)\n"
    "    loss = out.mean()\n    loss.backward()\n",
    "slices": LOOP + PLAIN.replace("x * w", "x[n % 3:n % 3 + 2] * w").replace("- y", "- y[:2]"),
    "new data": LOOP + "    x = DATA[0].clone()\n    y = DATA[1].clone()\n" + PLAIN,
    "data that was made": LOOP + "    x = DATA[0] + n\n" + PLAIN,
    "a metric": LOOP + PLAIN + "    right = (out.argmax(1) == 0).float().mean()\n",
    "two models": LOOP + PLAIN + "    optimizer.zero_grad()\n    h = torch.sigmoid(x + w)\n"
    "    out = h.sum(1)\n    loss = (out ** 2).sum()\n    loss.backward()\n    optimizer.step()\n",
    "a function": "def train():\n    global old, h, out, loss\n"
    + "".join(f"    {line}\n" for line in (LOOP + PLAIN).splitlines())
    + "train()\n",
    "a function for a turn": "def turn(n):\n    global old, h, out, loss, x, y, net\n    while True:\n"
    + "".join(f"    {line}\n" for line in PLAIN.splitlines())
    + f"        break\nfor n in range({TURNS}):\n    turn(n)\n",
    "a layer in place": LOOP + PLAIN.replace("net(h)", "net(F.relu(h, inplace=False))"),
    "dropout": LOOP + PLAIN.replace("net(h)", "net(F.dropout(h, 0.0))"),
    "batch norm": "norm = nn.BatchNorm1d(2)\n" + LOOP + PLAIN.replace("net(h)", "net(norm(h))"),
    "clipping": LOOP
    + PLAIN.replace("    optimizer.step", "    nn.utils.clip_grad_norm_([w], 1.)\n    optimizer.step"),
    "two optimizers": "other = torch.optim.SGD([w], lr=0.1)\n" + LOOP + PLAIN + "    other.step()\n",
    "a scheduler": "plan = torch.optim.lr_scheduler.StepLR(optimizer, 3)\n"
    + LOOP + PLAIN + "    plan.step()\n",
    "a schedule of data": LOOP + "    x = x.clone()\n" + PLAIN,
    "unused": "v = torch.ones(2, requires_grad=True)\noptimizer.add_param_group({'params': [v]})\n"
    + LOOP + PLAIN,
    "attention": "layer = nn.TransformerEncoderLayer(2, 1, 4, dropout=0.0, batch_first=True)\n"
    + LOOP + PLAIN.replace("net(h)", "net(layer(h[None])[0])"),
    "hidden state": "s = torch.zeros(4, 2)\n" + LOOP
    + PLAIN.replace("net(h)", "net(h + s)") + "    s = h.detach()\n",
}  # fmt: skip


class Told:
    """What was told of a program that is diagnosed, what was found, and the notes of its error."""

    def __init__(self, source: str, holding: bool, optimizer: str = "SGD") -> None:
        source = MODEL.replace("OPTIMIZER", OPTIMIZERS[optimizer]) + "DATA = x, y\n" + source
        adapter = TorchAdapter(Recorder())
        adapter.lighten()
        file = f"<held {hash(source)}>"
        linecache.cache[file] = (len(source), None, source.splitlines(True), file)
        self.space: dict[str, Any] = {"torch": torch, "__name__": "__main__"}
        self.error: list[Any] = []
        held: list[int] = []
        turn_over = SteadyTurns.turn_over
        with pytest.MonkeyPatch.context() as patch:
            if not holding:
                patch.setattr(SteadyTurns, "ran", lambda self, run: self.forget())
            patch.setattr(
                SteadyTurns, "turn_over", lambda *given: (held.append(1), turn_over(*given))
            )
            try:
                with adapter.observing():
                    exec(compile(DOUBLE + source, file, "exec"), self.space)
            except Exception as error:
                adapter.raised(error)
                self.error = [type(error), str(error), getattr(error, "__notes__", [])]
            finally:
                torch.set_grad_enabled(True)
        self.held = len(held)
        self.findings: list[Finding] = adapter.findings(over=True)
        self.faults = adapter.faults
        self.recorded = Recorded(adapter)  # type: ignore[arg-type]  # it has a recorder too

    def end(self, runs: int = 2) -> list[Any]:
        """What happened since so many runs ended."""
        events = self.recorded.events
        done = [nr for nr, event in enumerate(events) if isinstance(event, ev.Done)]
        start = done[-runs] if len(done) >= runs else 0
        model = self.recorded.model

        def facts(value: Any) -> Any:
            row = model.values.get(value)
            keys = ("summary", "version", "requires_grad", "leaf")
            return value if row is None else [row.get(key) for key in keys]

        calls = [
            [call["op"], [facts(each) for each in (*call["inputs"], *call["outputs"])]]
            for call in sorted(model.calls.values(), key=lambda call: call["time"])
            if call["time"] >= start
        ]
        names = {
            name: facts(value) for name, value in model.names.items() if value in model.values
        }
        loops = [(loop["count"], loop["curves"]) for loop in model.loops.values()]
        told = [each for each in story(self.recorded, start) if each not in OTHERS]
        told = [each for each in told if each[0] not in ("Value", "Grad") and not is_curve(each)]
        return [told, calls, names, loops, len(model.hazards())]


OTHERS = "Node", "Source", "Define"
"""What is told once, and where, depends on what was told before."""


def is_curve(told: Any) -> bool:
    """Whether it is the rows of a curve: when these are told may differ."""
    return isinstance(told, tuple) and isinstance(told[0], tuple)


def _with(loop: str, event: str, place: int, often: str) -> str:
    """A loop in which something happens before its line with that number."""
    lines = LOOPS[loop].splitlines(True)
    begin = next(nr for nr, line in enumerate(lines) if "zero_grad" in line or "torch.sig" in line)
    indent = lines[begin][: -len(lines[begin].lstrip())]
    body = [nr for nr, line in enumerate(lines) if nr >= begin and line.startswith(indent)]
    at = body[place % len(body)] if place < len(body) else body[-1] + 1
    lines.insert(at, f"{indent}if n {often}: {EVENTS[event]}\n")
    return "".join(lines).replace(": with ", f":\n{indent}    with ")
