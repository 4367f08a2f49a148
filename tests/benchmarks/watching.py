"""Cost of watching: a training loop's CPU time watched, as a ratio to the same loop unwatched.

The native row trains graphwidget's own tensors for 500 turns under ``graphwidget.watch()``, what
follows the cell included. The others take whole steps (forward, backward, Adam) of real PyTorch,
for comparison also in PyTorch's anomaly mode and in a function mode that does nothing.
"""

from __future__ import annotations

import gc
import linecache
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from statistics import median
from typing import Any, NamedTuple

import torch
from torch.overrides import TorchFunctionMode

import graphwidget

LOOP = """
for turn in range(TURNS):
    optimizer.zero_grad()
    loss = torch.nn.functional.mse_loss(model(x), y)
    loss.backward()
    optimizer.step()
"""
FILE = "<watched loop>"
Way = Callable[[], AbstractContextManager[Any]]


class Empty(TorchFunctionMode):
    """The least that any tool does which observes PyTorch's functions."""

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        return func(*args, **(kwargs or {}))


@contextmanager
def anomaly() -> Iterator[None]:
    """PyTorch's anomaly mode, without its warning that it is slow."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        mode = torch.autograd.detect_anomaly()
    with mode:
        yield


WAYS: dict[str, Way] = {
    "empty mode": Empty, "anomaly mode": anomaly,
    "diagnose": graphwidget.diagnose, "watch": graphwidget.watch,
}  # fmt: skip


class Watched(NamedTuple):
    """A loop: what its code needs, how many turns it takes, and how it can be watched."""

    make: Callable[[], dict[str, Any]]
    turns: int
    ways: tuple[str, ...]


def linear() -> dict[str, Any]:
    """The smallest training of graphwidget's own tensors."""
    graphwidget.manual_seed(0)
    model = graphwidget.nn.Linear(3, 1)
    x, y = graphwidget.randn(16, 3), graphwidget.randn(16, 1)
    optimizer = graphwidget.optim.SGD(model.parameters(), lr=0.01)
    return {"torch": graphwidget, "model": model, "x": x, "y": y, "optimizer": optimizer}


def perceptron(width: int, batch: int) -> dict[str, Any]:
    """A perceptron of the real PyTorch with two hidden layers."""
    nn = torch.nn
    torch.manual_seed(0)
    model = nn.Sequential(
        nn.Linear(width, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU(), nn.Linear(width, 1)
    )
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    x, y = torch.randn(batch, width), torch.randn(batch, 1)
    return {"torch": torch, "model": model, "x": x, "y": y, "optimizer": optimizer}


def cnn() -> dict[str, Any]:
    """A network of two convolutions of the real PyTorch, on images of 28 by 28."""
    nn = torch.nn
    torch.manual_seed(0)
    model = nn.Sequential(
        nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(8, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(16 * 7 * 7, 10),
    )  # fmt: skip
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    x, y = torch.randn(32, 1, 28, 28), torch.randn(32, 10)
    return {"torch": torch, "model": model, "x": x, "y": y, "optimizer": optimizer}


def transformer(width: int, batch: int) -> dict[str, Any]:
    """Two layers of a transformer, over sequences of 16, of the real PyTorch."""
    nn = torch.nn
    torch.manual_seed(0)
    layer = nn.TransformerEncoderLayer(width, 4, 2 * width, dropout=0.0, batch_first=True)
    model = nn.Sequential(nn.TransformerEncoder(layer, 2, enable_nested_tensor=False))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    x, y = torch.randn(batch, 16, width), torch.randn(batch, 16, width)
    return {"torch": torch, "model": model, "x": x, "y": y, "optimizer": optimizer}


ROWS = {
    "watch native, small": Watched(linear, 500, ("watch",)),
    "watch PyTorch, small": Watched(lambda: perceptron(32, 32), 300, tuple(WAYS)),
    "watch PyTorch, large": Watched(lambda: perceptron(1024, 512), 6, tuple(WAYS)),
    "watch PyTorch, CNN": Watched(cnn, 40, tuple(WAYS)),
    "watch PyTorch, transformer": Watched(lambda: transformer(32, 4), 40, tuple(WAYS)),
    "watch PyTorch, large transformer": Watched(lambda: transformer(512, 16), 3, tuple(WAYS)),
}


def run(row: Watched, way: Way = nullcontext) -> tuple[float, float]:
    """CPU seconds of a row's loop under a way of watching, its end included; and its last loss."""
    space = row.make() | {"TURNS": row.turns}
    linecache.cache[FILE] = (len(LOOP), None, LOOP.splitlines(True), FILE)
    code = compile(LOOP, FILE, "exec")
    gc.collect()  # nobody pays for another's garbage
    start = time.process_time()
    with way():
        exec(code, space)
    return time.process_time() - start, space["loss"].item()


def measure(row: Watched, rounds: int) -> dict[str, float]:
    """Medians in seconds for a turn, plain and in each way of watching: they take turns."""
    ways: dict[str, Way] = {"plain": nullcontext} | {name: WAYS[name] for name in row.ways}
    found: dict[str, list[float]] = {name: [] for name in ways}
    for number in range(rounds + 1):
        for name, way in ways.items():
            seconds, _loss = run(row, way)
            if number:  # the first fills caches
                found[name].append(seconds / row.turns)
    return {name: median(each) for name, each in found.items()}


def table(rows: list[str], rounds: int) -> list[list[str]]:
    """The table's lines: the time of a turn, and the watched ones as ratios to it."""
    lines = [["row", "plain", *WAYS]]
    for row in rows:
        found = measure(ROWS[row], rounds)
        ratios = [f"{found[w] / found['plain']:.2f}" if w in found else "-" for w in WAYS]
        lines.append([row, f"{found['plain'] * 1e3:.3f} ms", *ratios])
    return lines
