"""Iterations are those of the loops that the user wrote, on both engines: what libraries do between
them starts none, and a loop's newest iteration is the one that computed its last loss."""

from __future__ import annotations

import re
from typing import Any

import pytest

from .engines import native, real

SETUP = """
import itertools
nn, functional, data = torch.nn, torch.nn.functional, torch.utils.data
torch.manual_seed(0)
X, Y = torch.randn(24, 4), torch.randn(24, 1)
rows = data.TensorDataset(X, Y)
loader = data.DataLoader(rows, batch_size=4, shuffle=True)
model = nn.Sequential(nn.Linear(4, 3), nn.Tanh(), nn.Linear(3, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
schedule = torch.optim.lr_scheduler.StepLR(optimizer, 2)
losses = []
"""

STEP = """
optimizer.zero_grad()
loss = functional.mse_loss(model(x), y)
loss.backward()
optimizer.step()
losses.append(loss.item())
"""

# `...` stands for these lines; the comments say how many iterations each loop has.
PROGRAMS = """
# loader
for x, y in loader:  # 6
    ...

# epochs
for epoch in range(2):  # 2
    for x, y in loader:  # 6
        ...
    schedule.step()

# enumerate
for i, (x, y) in enumerate(loader):  # 6
    ...

# zip
for (x, y), n in zip(loader, range(4)):  # 4
    ...

# tqdm
from tqdm import tqdm
for x, y in tqdm(loader, disable=True):  # 6
    ...

# cycle
for x, y in itertools.islice(itertools.cycle(loader), 9):  # 9
    ...

# next
batches = iter(loader)
for step in range(6):  # 6
    x, y = next(batches)
    ...

# generator
def batches():
    for i in range(0, 24, 4):
        yield rows[i:i + 4]
for x, y in batches():  # 6
    ...

# generator that draws each batch
def batches():
    while True:
        part = torch.randint(0, 24, (4,))
        yield X[part], Y[part]
for x, y in itertools.islice(batches(), 6):  # 6
    ...

# accumulation
for i, (x, y) in enumerate(loader):  # 6
    loss = functional.mse_loss(model(x), y) / 3
    loss.backward()
    losses.append(loss.item())
    if i % 3 == 2:
        optimizer.step()
        optimizer.zero_grad()

# micro-batches
for x, y in loader:  # 6
    optimizer.zero_grad()
    for u, v in zip(x.split(2), y.split(2)):  # 2
        loss = functional.mse_loss(model(u), v) / 2
        loss.backward()
        losses.append(loss.item())
    optimizer.step()

# validation
for epoch in range(2):  # 2
    model.train()
    for x, y in loader:  # 6
        ...
    model.eval()
    with torch.no_grad():
        for u, v in data.DataLoader(rows, batch_size=8):  # 3
            wrong = functional.mse_loss(model(u), v)

# early stopping
bad = 0
while bad < 2:  # 2
    for x, y in loader:  # 6
        ...
    with torch.no_grad():
        wrong = functional.mse_loss(model(x), y).item()
    bad += wrong >= 0

# function
def fit(model, loader, epochs):
    for epoch in range(epochs):  # 2
        for x, y in loader:  # 6
            ...
fit(model, loader, 2)

# class of the user's
class Trainer:
    def step(self, batch):
        x, y = batch
        ...
    def fit(self, epochs):
        for epoch in range(epochs):  # 2
            for batch in loader:  # 6
                self.step(batch)
Trainer().fit(2)

# dataset of the user's
class Squares(data.Dataset):
    def __len__(self):
        return 24
    def __getitem__(self, i):
        x = torch.randn(4)
        return x, (x * x).sum(0, keepdim=True)
for x, y in data.DataLoader(Squares(), batch_size=4, shuffle=True):  # 6
    ...
"""

LOOP = re.compile(r"^ *((?:for|while) .*:)  # (\d+)$", re.MULTILINE)


def written() -> dict[str, tuple[str, dict[str, int]]]:
    """The programs by their titles, each with how often its loops run."""
    found = {}
    for part in PROGRAMS.split("\n# ")[1:]:
        title, text = part.split("\n", 1)
        program = re.sub(r"^( *)\.\.\.$", lambda x: _step(x[1]), text, flags=re.MULTILINE)
        found[title] = program, {loop: int(count) for loop, count in LOOP.findall(text)}
    return found


def _step(indent: str) -> str:
    return "\n".join(indent + line for line in STEP.strip().splitlines())


WRITTEN = written()


@pytest.mark.parametrize("engine", [native, real])
@pytest.mark.parametrize("title", WRITTEN)
def test_iterations_are_those_of_the_users_loops(engine: Any, title: str) -> None:
    program, expected = WRITTEN[title]
    model, namespace = engine(SETUP + program)
    assert "error" not in namespace
    found: dict[str, set[int]] = {}
    for loop in model.loops.values():
        text = model.scopes[loop["loop"]]["text"].partition("  # ")[0]
        found.setdefault(text, set()).add(loop["count"])
    generators = {text for text in found if text not in expected}
    assert {text: {count} for text, count in expected.items()}.items() <= found.items()
    assert all(f"    {text}" in program for text in generators)
    ran = [loop for loop in model.loops.values() if "loss" in loop["curves"]]
    newest = max(ran, key=lambda loop: loop["turns"][-1]["from"])
    assert newest["curves"]["loss"][-1] == pytest.approx(namespace["losses"][-1])
