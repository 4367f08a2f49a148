"""Turns of the real PyTorch that ``diagnose()`` holds: what is told of them, and what is found."""

from __future__ import annotations

import gc
import linecache
from collections.abc import Callable
from typing import Any

import pytest
import torch

from graphwidget.adapters.pytorch import held_turns
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
act = nn.LeakyReLU()
net = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), act, nn.Linear(3, 1))
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
    "a weight written": "with torch.no_grad(): net[3].weight += 1",
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
    "a hook of a module": "net[1].register_forward_hook(lambda module, given, made: made * 2)",
    "a forward of its own": "net[1].forward = lambda given: given.sin() * 2",
    "another attribute": "act.negative_slope = 0.5",
    "in place": "act.inplace = True",
    "another weight": "net[0].weight = nn.Parameter(torch.ones(3, 2))",
    "a wrong shape": "x = torch.randn(4, 3); w = torch.ones(3, requires_grad=True)",
    "a module more": "net.append(nn.Identity())",
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
    "two losses": LOOP + PLAIN + "    optimizer.zero_grad()\n    g = torch.sigmoid(x + w)\n"
    "    other = (g ** 2).sum()\n    other.backward()\n    optimizer.step()\n",
    "many calls": LOOP + PLAIN.replace(
        "    out = net(h)\n", "    for _ in range(300):\n        h = h + 0.001\n    out = net(h)\n"
    ),
    "a function": "def train():\n    global old, h, out, loss\n"
    + "".join(f"    {line}\n" for line in (LOOP + PLAIN).splitlines())
    + "train()\n",
    "a function for a turn": "def turn(n):\n    global old, h, out, loss, x, y, net\n"
    "    while True:\n"
    + "".join(f"    {line}\n" for line in PLAIN.splitlines())
    + f"        break\nfor n in range({TURNS}):\n    turn(n)\n",
    "a function of a layer": LOOP + PLAIN.replace("net(h)", "net(F.relu(h, inplace=False))"),
    "dropout": LOOP + PLAIN.replace("net(h)", "net(F.dropout(h, 0.0))"),
    "batch norm": "norm = nn.BatchNorm1d(2)\n" + LOOP + PLAIN.replace("net(h)", "net(norm(h))"),
    "clipping": LOOP
    + PLAIN.replace("    optimizer.s", "    nn.utils.clip_grad_norm_([w], 1.)\n    optimizer.s"),
    "two optimizers": "other = torch.optim.SGD([w], lr=0.1)\n"
    + LOOP + PLAIN + "    other.step()\n",
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
    """What was told of a program that is diagnosed (or watched, if it is not ``light``), what was
    found, and the notes of its error."""

    def __init__(
        self, source: str, holding: bool, optimizer: str = "SGD", light: bool = True,
        space: dict[str, Any] | None = None, begun: Callable[[TorchAdapter], None] | None = None,
    ) -> None:  # fmt: skip
        source = MODEL.replace("OPTIMIZER", OPTIMIZERS[optimizer]) + "DATA = x, y\n" + source
        adapter = TorchAdapter(Recorder())
        if light:
            adapter.lighten()
        if begun is not None:
            begun(adapter)
        file = f"<held {hash(source)}>"
        linecache.cache[file] = (len(source), None, source.splitlines(True), file)
        self.space: dict[str, Any] = {"torch": torch, "__name__": "__main__"} | (space or {})
        self.error: list[Any] = []
        held: list[int] = []
        stretch_over = SteadyTurns.stretch_over
        with pytest.MonkeyPatch.context() as patch:
            if not holding:
                patch.setattr(SteadyTurns, "ran", lambda self, run: self.forget())
            patch.setattr(
                SteadyTurns, "stretch_over", lambda *given: (held.append(1), stretch_over(*given))
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
            if row is None:
                return None
            # whether a leaf's numbers are known, that a step writes, depends on when it is told
            numbers = None if row["requires_grad"] and row["leaf"] else row["summary"]
            return [numbers, row["version"], row["requires_grad"], row["leaf"]]

        calls = [
            [call["op"], [facts(each) for each in (*call["inputs"], *call["outputs"])]]
            for call in sorted(model.calls.values(), key=lambda call: call["time"])
            if call["time"] >= start
        ]
        names = {name: facts(value) for name, value in model.names.items() if value in model.values}
        loops = [(loop["count"], loop["curves"]) for loop in model.loops.values()]
        told = [each for each in story(self.recorded, start) if each not in OTHERS]
        told = [each for each in told if each[0] not in ("Value", "Grad") and not is_curve(each)]
        return [told, calls, names, loops, len(model.hazards())]


OTHERS = "Node", "Source", "Define"
"""What is told once, and where, depends on what was told before."""


def is_curve(told: Any) -> bool:
    """Whether it is the rows of a curve: when these are told may differ."""
    return isinstance(told, tuple) and isinstance(told[0], tuple)


def within(loop: str, event: str, place: int, often: str) -> str:
    """A loop in which something happens before its line with that number."""
    lines = LOOPS[loop].splitlines(True)
    begin = next(nr for nr, line in enumerate(lines) if "zero_grad" in line or "torch.sig" in line)
    indent = lines[begin][: -len(lines[begin].lstrip())]
    body = [nr for nr, line in enumerate(lines) if nr >= begin and line.startswith(indent)]
    at = body[place % len(body)] if place < len(body) else body[-1] + 1
    lines.insert(at, f"{indent}if n {often}: {EVENTS[event]}\n")
    return "".join(lines).replace(": with ", f":\n{indent}    with ")


HELD = [
    "training", "all losses noted", "some losses noted", "gradients that add up", "slices",
    "new data", "data that was made", "a metric", "two models", "a function",
    "a function for a turn", "dropout", "two optimizers", "a scheduler", "unused", "attention",
    "a schedule of data", "a function of a layer", "two losses", "many calls",
    "a loss that is cut off", "hidden state",
]  # fmt: skip
KEPT = ["all losses kept", "the last result"]
"""Loops of which the program keeps what they made."""


@pytest.mark.parametrize("name", HELD)
def test_turns_that_repeat_are_held(name: str) -> None:
    told = Told(LOOPS[name], True)
    assert told.held > TURNS // 3
    assert [told.findings, told.faults, told.error] == [[], [], []]


@pytest.mark.parametrize("name", sorted(LOOPS.keys() - set(HELD)))
def test_others_are_noted(name: str) -> None:
    told = Told(LOOPS[name], True)
    assert told.held <= 2 * (name in KEPT)
    assert [told.faults, told.error] == [[], []]


@pytest.mark.parametrize("often", [f"== {AT}", f"> {AT}"])
@pytest.mark.parametrize("place", [3, 9])
@pytest.mark.parametrize("event", EVENTS)
def test_whatever_happens_is_found_as_if_no_turn_was_held(
    event: str, place: int, often: str
) -> None:
    _alike(within("training", event, place, often), "Adam")


@pytest.mark.parametrize(
    "event", ["a saved value written", "a weight written", "a backward twice", "an error", "a leaf"]
)
@pytest.mark.parametrize("loop", sorted(LOOPS.keys() - {"training"}))
def test_so_it_is_in_all_kinds_of_loops(loop: str, event: str) -> None:
    _alike(within(loop, event, 5, f"== {AT}"), "SGD", story=False)


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_so_it_is_with_all_kinds_of_optimizers(optimizer: str) -> None:
    for event in ("nothing", "a weight written", "a backward twice", "an eager step"):
        _alike(within("training", event, 4, f"== {AT}"), optimizer, story=False)


def _alike(source: str, optimizer: str, story: bool = True) -> None:
    one, other = Told(source, True, optimizer), Told(source, False, optimizer)
    assert not one.faults
    assert one.error == other.error
    assert one.findings == other.findings
    if story:
        for told, wanted in zip(one.end(1), other.end(1), strict=True):
            if isinstance(told, dict):  # what happened once in turns that were let go of has none
                made = {name for name, facts in told.items() if not facts[2] or not facts[3]}
                made -= {"\0x", "\0y"}
                assert {name: told[name] for name in made} == {name: wanted[name] for name in made}
            else:
                assert told == wanted


@pytest.mark.parametrize("name", HELD)
@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_the_program_computes_the_same(name: str, optimizer: str) -> None:
    source = MODEL.replace("OPTIMIZER", OPTIMIZERS[optimizer]) + "DATA = x, y\n" + LOOPS[name]
    space: dict[str, Any] = {"torch": torch}
    exec(compile(source, "<plain>", "exec"), space)
    watched = Told(LOOPS[name], True, optimizer).space
    for tensor, other in zip(
        [space["w"], *space["net"].parameters(), space["loss"]],
        [watched["w"], *watched["net"].parameters(), watched["loss"]], strict=True,
    ):  # fmt: skip
        assert torch.equal(tensor, other)


def test_the_curve_has_the_numbers_of_all_turns() -> None:
    told = Told(LOOPS["all losses noted"], True)
    (loop,) = told.recorded.model.loops.values()
    assert loop["count"] == TURNS
    shown = torch.tensor([float(each) for each in loop["curves"]["loss"]])
    assert torch.equal(shown, torch.tensor(told.space["kept"]))


@pytest.mark.parametrize(("light", "most"), [(True, 3), (False, held_turns.NEWEST_HELD + 1)])
def test_few_turns_are_kept_alive_and_nothing_when_it_is_over(light: bool, most: int) -> None:
    source = """
import weakref
made = []
for n in range(40):
    optimizer.zero_grad()
    loss = ((net(x * w) - y) ** 2).mean()
    loss.backward()
    optimizer.step()
    made.append(weakref.ref(loss))
    kept.append(sum(each() is not None for each in made))
del loss
"""
    told = Told(source, True, light=light)
    assert told.held
    assert max(told.space["kept"]) <= most
    gc.collect()
    assert not any(each() is not None for each in told.space["made"])


def test_nothing_of_it_is_left() -> None:
    patched = (
        (torch.nn.Module, "__call__"), (torch.optim.SGD, "step"),
        (torch.optim.Optimizer, "zero_grad"),
    )  # fmt: skip
    before = [getattr(owner, name) for owner, name in patched]
    Told(LOOPS["training"], True)
    assert [getattr(owner, name) for owner, name in patched] == before
    assert not torch._C._len_torch_function_stack()


def test_a_module_with_an_error_leaves_the_mode_where_it_was() -> None:
    source = LOOP + PLAIN.replace(
        "    out = net(h)\n",
        "    try:\n        out = net(h if n != 25 else h[:, :1])\n"
        "    except RuntimeError:\n        kept.append(n)\n        out = net(h)\n"
        "    kept.append(torch._C._len_torch_function_stack())\n",
    )
    _alike(source, "SGD")
    told = Told(source, True)
    assert told.held
    assert told.space["kept"] == [*[1] * 25, 25, *[1] * (TURNS - 25)]


def test_a_deepcopy_of_a_model_is_another_model() -> None:
    source = (
        LOOP + PLAIN + f"    if n == {AT}:\n        import copy\n        net = copy.deepcopy(net)\n"
    )
    _alike(source, "SGD")


LATE = {
    "a result that has more numbers later": "b = 1\n" + LOOP + PLAIN.replace(
        "    out = net(h)\n", "    out = net(h[:b]).squeeze(1)\n    b = 1 if n < 24 else 4\n"
    ).replace("out - y", "out - y[:b, 0].mean()"),
    "a root of more numbers later": "b = 1\n" + LOOP + PLAIN.replace(
        "loss.backward()", "(out[:b] * w.sum()).backward(torch.ones(b, 1))\n    b = 1 + (n > 23)"
    ),
    "an index of tensors, and no number": "i = torch.tensor([0, 1])\n" + LOOP
    + PLAIN.replace("    out", "    part = h[i, i].sum()\n    h = h + part\n    out")
    + f"    if n == {AT}:\n        y = y * float('nan')\n",
    "a tensor as a module's attribute": LOOP + PLAIN + "    net[0].cache = x\n",
    "a parameter that comes late": "net[3] = nn.Linear(3, 1, bias=False)\n" + LOOP + PLAIN
    + f"    if n == {AT}:\n        net[3].bias = nn.Parameter(torch.ones(1))\n",
    "a leak that begins late": LOOP.replace(str(TURNS), "70") + PLAIN.replace(
        "net(h)", "net(F.dropout(h, 0.0))"
    ) + "    if n > 20:\n        kept.append(loss)\n",
    "a graph that is kept and run late": LOOP + PLAIN.replace(
        "net(h)", "net(F.dropout(h, 0.0))"
    ).replace("    loss.backward()\n", "    loss.backward()\n    old = old or loss\n")
    + f"    if n == {AT}:\n        old.backward()\n",
    "a loss that is asked again and again": LOOP + PLAIN + "    [loss.item() for _ in range(50)]\n",
    "a second model in the same function": "def train(p):\n    o = torch.optim.SGD([p], lr=0.1)\n"
    + "    " + LOOP + "        o.zero_grad()\n        loss = (p * x).square().mean()\n"
    "        loss.backward()\n        o.step()\n"
    "for p in (w, torch.zeros(2, requires_grad=True)):\n    train(p)\n",
}  # fmt: skip


@pytest.mark.parametrize("name", LATE)
def test_what_comes_late_is_found_as_if_no_turn_was_held(name: str) -> None:
    _alike(LATE[name], "SGD", story=False)


def test_what_is_held_of_a_turn_stays_small() -> None:
    told = Told(LATE["a loss that is asked again and again"], True)
    steady = told.recorded.adapter.steady  # type: ignore[attr-defined]  # PyTorch's
    assert told.held
    assert len(steady.steps._own) == 0
    assert not steady.last


def test_large_turns_are_not_held() -> None:
    large = "x, y = torch.ones(300_000, 2), torch.ones(300_000, 1)\n" + LOOP.replace("30", "14")
    assert Told(large + PLAIN, True).held == 0
