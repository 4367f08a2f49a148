"""The page is true: formulas, cards, names, gradients and what is saved, on both engines.

``TRUTH=N`` tries N times as many random programs, and every op on both engines.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.extent import FULL
from tests.optable.samples import SAMPLES
from tests.tutorials.test_course import NOTEBOOKS

from .checks import wrong
from .recorded import Program, module_of, of_fuzz, of_op, record, record_cells, told

TIMES = int(os.environ.get("TRUTH", "1"))
ENGINES = ("graphwidget", "torch")
RANDOM = 15
"""Random programs tried on each engine."""

LOOPS = {
    "by hand": """
w = torch.tensor([1., 2.], requires_grad=True)
t = torch.zeros(2)
for i in range(3):
    loss = torch.nn.functional.mse_loss(w * 1.5, t)
    loss.backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
        w.grad.zero_()
""",
    "an optimizer": """
w = torch.tensor([1., 2.], requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.1, weight_decay=0.1)
for i in range(3):
    optimizer.zero_grad()
    loss = torch.nn.functional.huber_loss(w * w, torch.ones(2), reduction="sum")
    loss.backward()
    optimizer.step()
""",
    "several results": """
x = torch.tensor(2., requires_grad=True)
square, cube = x ** 2, x ** 3
torch.autograd.backward([square, cube], [torch.tensor(1.), torch.tensor(10.)])
y = torch.tensor([[1., 2.]], requires_grad=True)
z = y - y * y
z.backward(torch.tensor([[1., 0.]]))
""",
    "names that move on": """
a = torch.tensor([1., 2.], requires_grad=True)
params = [a]
for p in params:
    b = p * 2
kept = [b]
b = a * 3
other = b
root = b.exp()
saved = root.grad_fn._saved_result
c = saved * 2
""",
    "writes through .data": """
x = torch.tensor([[1., 2.]], requires_grad=True)
y = (x * x * torch.tensor([[2., 1.5]])).sum()
y.backward(retain_graph=True)
g = x.grad
x.grad.data.zero_()
y.backward()
w = torch.tensor([1., 2.], requires_grad=True)
d = w.data
loss = (w * w).sum()
loss.backward()
w.data -= 0.1 * w.grad
loss = (w * w).sum()
d[0] = 5.
w.data[1:].mul_(2)
w[:1].data.add_(1)
w.data = w.data * 2
y = w.exp()
w.data = torch.tensor([3., 4.])
y.data.add_(1)
y.sum().backward()
with torch.no_grad():
    w += 1
""",
    "hooks": """
a = torch.tensor([2.], requires_grad=True)
b = a * 3
b.register_hook(lambda grad: grad * 10)
(b * b).sum().backward()
""",
}
"""Programs of a learner's kind."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("truth")


def untruths(programs: list[Program], folder: Path) -> list[str]:
    """Return what is not true of what the page says of programs, with the line it is about."""
    return [
        f"{program.text[-300:]}\n  {each}"
        for program, facts in zip(programs, told(programs, folder), strict=True)
        for each in wrong(program, facts)
    ]


@pytest.mark.parametrize("engine", ENGINES)
def test_loops_and_names(engine: str, folder: Path) -> None:
    programs = [record(text, module_of(engine)) for text in LOOPS.values()]
    assert [each.error for each in programs] == [None] * len(LOOPS)
    assert untruths(programs, folder) == []


@pytest.mark.parametrize("engine", ENGINES)
def test_ops_of_the_table(engine: str, folder: Path) -> None:
    """A sample of every op, of every other one on each engine."""
    keys = sorted(SAMPLES) if TIMES > 1 else sorted(SAMPLES)[ENGINES.index(engine) :: 2]
    samples = [SAMPLES[key][0] for key in keys if SAMPLES[key]]
    texts = [of_op(sample, sample.shapes[0]) for sample in samples if sample.shapes]
    programs = [record(text, module_of(engine), nr) for nr, text in enumerate(texts)]
    assert untruths(programs, folder) == []


@pytest.mark.parametrize("engine", ENGINES)
def test_random_programs(engine: str, folder: Path) -> None:
    first = 0 if engine == "graphwidget" else RANDOM * TIMES
    texts = {seed: of_fuzz(seed) for seed in range(first, first + RANDOM * TIMES)}
    programs = [record(text, module_of(engine), seed) for seed, text in texts.items()]
    assert untruths(programs, folder) == []


@pytest.mark.parametrize("engine", ENGINES)
def test_notebooks(engine: str, folder: Path) -> None:
    only = {"03": "graphwidget", "07": "torch"}
    if TIMES == 1 and not FULL:  # each on one engine
        only |= {name[:2]: ENGINES[nr % 2] for nr, name in enumerate(NOTEBOOKS)} | only
    names = [each for each in NOTEBOOKS if only.get(each[:2], engine) == engine]
    programs = [record_cells(name, module_of(engine)) for name in names]
    assert untruths(programs, folder) == []
