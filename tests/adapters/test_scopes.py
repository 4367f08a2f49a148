"""Modules, functions, steps, loops and iterations are reported as the scopes of ops."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from graphwidget.recording import events as ev
from graphwidget.recording.fold import Model

from .engines import native, real
from .record_native import Recorded, record

Engine = Callable[[str], tuple[Model, dict[str, Any]]]

TRAINING = """
torch.manual_seed(0)
X, Y = torch.randn(8, 2), torch.randn(8, 1)
net = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Tanh(), torch.nn.Linear(3, 1))
criterion = torch.nn.MSELoss()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
losses = []
for step in range(4):
    loss = criterion(net(X), Y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
"""


def outline(seen: Recorded) -> list[str]:
    """Scopes and calls in the order of the program, indented by how deep they stand; scopes that
    are open around each call are those that the call and their parents name."""
    lines: list[str] = []
    depth: dict[int | None, int] = {None: 0}
    for event in seen.events:
        if isinstance(event, ev.Scope) and event.open:
            depth[event.scope] = depth[event.parent] + 1
            words = f"{event.kind} {event.name or event.text}"
            lines.append("  " * depth[event.parent] + words)
        elif isinstance(event, ev.Op):
            lines.append("  " * depth[event.scope] + event.op)
    return lines


def iterations(seen: Recorded) -> list[tuple[str, int]]:
    """(header, iterations) of each loop."""
    model = seen.model
    return [(model.scopes[key]["text"], loop["count"]) for key, loop in model.loops.items()]


def test_a_training_loop() -> None:
    seen = record(TRAINING)
    lines = outline(seen)
    start = lines.index("loop for step in range(4):")
    iteration = [
        *("    module net", "      module net[0]", "        t", "        addmm"),
        *("      module net[1]", "        tanh", "      module net[2]", "        t"),
        *("        addmm", "    module criterion", "      mse_loss", "    step SGD"),
        *["      SGD_"] * 4,
    ]
    expected = [lines[start]]
    for number in range(1, 5):
        expected += [f"  iteration {number}", *iteration]
    assert lines[start:] == expected


def test_backward_runs_stand_in_their_turn() -> None:
    seen = record(TRAINING)
    [loop] = seen.model.loops.values()
    runs = [run["time"] for run in seen.model.runs.values()]
    assert len(runs) == 4
    for run, iteration in zip(runs, loop["iterations"], strict=True):
        assert iteration["from"] < run < iteration["to"]


def test_what_opens_a_scope_has_a_line() -> None:
    seen = record(TRAINING)
    model = seen.model
    reported = {
        (scope["kind"], model.sources[scope["source"]]["text"])
        for scope in model.scopes.values()
        if scope["kind"] in ("module", "step", "loop")
    }
    assert reported == {
        ("module", "loss = criterion(net(X), Y)"),
        ("step", "optimizer.step()"),
        ("loop", "for step in range(4):"),
    }


X = "x = torch.ones(2)\n"


@pytest.mark.parametrize(
    ("source", "loops"),
    [
        ("for i in range(3):\n    x = x + 1", [("for i in range(3):", 3)]),
        ("for i in range(1):\n    x = x + 1", []),
        ("for i in range(0):\n    x = x + 1", []),
        ("n = 0\nwhile n < 3:\n    n += 1\n    x = x + 1", [("while n < 3:", 3)]),
        ("n = 0\nwhile True:\n    n += 1\n    x = x + 1\n    if n == 3: break",
         [("while True:", 3)]),
        ("for a, b in zip([1, 2, 3], [4, 5]):\n    x = x * a\n    x = x + b",
         [("for a, b in zip([1, 2, 3], [4, 5]):", 2)]),
        ("for i in range(9):\n    x = x + 1\n    if i == 1:\n        break\n    x = x * 2\nx * 3",
         [("for i in range(9):", 2)]),
        ("for i in range(4):\n    x = x + 1\n    if i % 2:\n        continue\n    x = x * 2",
         [("for i in range(4):", 4)]),
        ("for i in range(3):\n    try:\n        x = x + 1\n        1 / (i - 1)\n"
         "    except ZeroDivisionError:\n        x = x * 2\n    x = x / 3",
         [("for i in range(3):", 3)]),
        ("ys = [x + i for i in range(3)]", [("ys = [x + i for i in range(3)]", 3)]),
        ("y = sum(x * i for i in range(3))", [("y = sum(x * i for i in range(3))", 3)]),
        ("for i in range(2):\n    x = x + 1\n    for j in range(3):\n        x = x * 2",
         [("for i in range(2):", 2), ("for j in range(3):", 3), ("for j in range(3):", 3)]),
        ("for i in range(2):\n    for j in range(3):\n        x = x * 2",
         [("for i in range(2):", 2), ("for j in range(3):", 3), ("for j in range(3):", 3)]),
        ("def f(u):\n    for _ in range(2):\n        u = u + 1\n    return u\n"
         "for i in range(3):\n    x = f(x)",
         [("for i in range(3):", 3), *[("for _ in range(2):", 2)] * 3]),
        ("def f(u, n):\n    return u if n == 0 else f(u + n, n - 1)\nx = f(x, 5)", []),
        ("def f(u):\n    return u * 2 + 1\nx = f(x)\nx = f(x)\n", []),
        ("def f(u):\n    return u * 2 + 1\nfor g in (f, f, f):\n    x = g(x)\n",
         [("for g in (f, f, f):", 3)]),
        ("def parts():\n    yield x + 1\n    yield x + 2\nfor p in parts():\n    p = p * 2\n",
         [("for p in parts():", 2)]),
        ("with torch.no_grad():\n    for i in range(3):\n        x = x + 1",
         [("for i in range(3):", 3)]),
        ("for i in range(3):\n    with torch.no_grad():\n        x = x + 1\n    x = x * 2",
         [("for i in range(3):", 3)]),
        ("list(map(lambda i: x + i, range(3)))", []),
        ("for h in [x, x + 1, x + 2]:\n    h = h + 1\n    for k in range(3):\n        h = h * 2",
         [("for h in [x, x + 1, x + 2]:", 3), *[("for k in range(3):", 3)] * 3]),
        ("for x in [x, x, x, x]:\n    y = x * 3\n    for k in range(3):\n        x = x * 2\n"
         "    z = x + 1", [("for x in [x, x, x, x]:", 4), *[("for k in range(3):", 3)] * 4]),
    ],
)  # fmt: skip
def test_loops_and_their_turns(source: str, loops: list[tuple[str, int]]) -> None:
    assert iterations(record(X + source)) == loops


FIRST_CALLS = """
import graphwidget as torch
from graphwidget.adapters.native import NativeAdapter
from graphwidget.recording.recorder import Recorder

x, adapter = torch.ones(2), NativeAdapter(Recorder())
with adapter.observing():
    for i in range(4):
        for j in range(3):
            z = x.sinh()
adapter.settle()
adapter.drain()
print([loop["count"] for loop in adapter.recorder.log.model().loops.values()])
"""


def test_turns_are_reported_apart_while_ops_are_compiled(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(FIRST_CALLS)
    ran = subprocess.run([sys.executable, program], capture_output=True, text=True, check=True)
    assert ran.stdout == "[4, 3, 3, 3, 3]\n"


def test_functions_are_scopes() -> None:
    seen = record(
        "def double(u):\n    return u * 2\n"
        "def outer(u):\n    return double(u) + double(u)\n"
        "x = torch.ones(2)\ny = outer(x)\n"
    )
    assert outline(seen) == [
        "function outer", "  function double", "    mul", "  function double", "    mul", "  add",
    ]  # fmt: skip


def test_a_recursion_is_as_deep_as_it_is() -> None:
    seen = record(
        "def f(u, n):\n    return u if n == 0 else f(u + n, n - 1)\nx = f(torch.ones(2), 3)"
    )
    depth = 0
    for line in outline(seen):
        if line.endswith("add"):
            depth += 1
            assert line == "  " * depth + "add"
    assert depth == 3


def test_a_loop_within_a_module() -> None:
    seen = record(
        "class Cell(torch.nn.Module):\n"
        "    def forward(self, x):\n"
        "        for i in range(3):\n"
        "            x = x * 2\n"
        "        return x\n"
        "class Model(torch.nn.Module):\n"
        "    def __init__(self):\n"
        "        super().__init__()\n"
        "        self.cells = torch.nn.ModuleList([Cell(), Cell()])\n"
        "    def forward(self, x):\n"
        "        for cell in self.cells:\n"
        "            x = cell(x)\n"
        "        return x\n"
        "model = Model()\ny = model(torch.ones(2))\n"
    )
    cell = ["loop for i in range(3):"]
    for number in (1, 2, 3):
        cell += [f"  iteration {number}", "    mul"]
    assert outline(seen) == [
        "module model", "  loop for cell in self.cells:",
        "    iteration 1", "      module model.cells[0]", *("        " + line for line in cell),
        "    iteration 2", "      module model.cells[1]", *("        " + line for line in cell),
    ]  # fmt: skip


def test_names_of_modules_and_parameters_are_what_one_would_type() -> None:
    source = (
        "import types\n"
        "nets = [torch.nn.Linear(2, 2)]\n"
        "d = torch.nn.ModuleDict({'a b': torch.nn.Linear(2, 2), 'c': torch.nn.Linear(2, 2)})\n"
        "inner = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.ReLU())\n"
        "x = torch.ones(1, 2)\n"
        "def use(m):\n    return m(x)\n"
        "y = nets[0](x) + d['a b'](x) + d['c'](x) + inner(x) + use(torch.nn.Linear(2, 2))\n"
    )
    seen = record(source)
    modules = [scope.name for scope in seen.of(ev.Scope) if scope.open and scope.kind == "module"]
    assert modules == ["nets[0]", "d['a b']", "d['c']", "inner", "inner[0]", "inner[1]", "m"]
    space = dict(seen.namespace)  # type: ignore[attr-defined]
    named = [name for scope, name in seen.names() if scope == "module"]
    assert {"d['a b'].weight", "d['c'].bias", "inner[0].weight"} <= set(named)
    for name in named:
        if name.startswith("m."):  # known in the function only
            continue
        assert isinstance(eval(name, space), space["torch"].nn.Parameter)


def test_scalars_of_turns_belong_to_the_loop_that_computes_them() -> None:
    source = (
        "def f(u):\n    h = u.sum()\n    return h * 2\n"
        "x = torch.ones(2)\n"
        "for i in range(3):\n    s = f(x * i)\n    v = x * i\n"
    )
    [loop] = record(source).model.loops.values()
    assert loop["curves"] == {"s": [0.0, 4.0, 8.0]}


def test_a_scalar_that_a_turn_did_not_compute_is_missing() -> None:
    source = (
        "x = torch.ones(2)\nfor i in range(4):\n    y = x * i\n    if i % 2:\n        s = y.sum()\n"
    )
    [loop] = record(source).model.loops.values()
    assert loop["curves"] == {"s": [None, 2.0, None, 6.0]}


MASKED = """
class Positions(torch.nn.Module):
    def forward(self, x):
        places = torch.arange(3.0)
        return x + places
net = Positions()
x = torch.ones(3)
y = net(x)
"""


@pytest.mark.parametrize("run", [real, native])
def test_a_leaf_that_a_module_makes_is_made_in_it(run: Engine) -> None:
    model, _namespace = run(MASKED)
    within = {row["names"][0][1]: row["made_in"] for row in model.values.values() if row["names"]}
    (net,) = [row["scope"] for row in model.scopes.values() if row["kind"] == "module"]
    assert within == {"x": None, "places": net, "y": None}
