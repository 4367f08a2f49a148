"""Watching keeps nothing of the program alive: weak references see no difference."""

from __future__ import annotations

import linecache
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import pytest
import torch
from IPython.core.interactiveshell import InteractiveShell

import graphwidget

PROGRAM = """
import gc, weakref
torch.manual_seed(0)
x = torch.randn(4, 3)
net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU(), torch.nn.Linear(4, 1))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
made, alive = [], []
def note(*tensors):
    made.extend(map(weakref.ref, tensors))
    alive.append(sum(each() is not None for each in made))
for step in range(25):
    h = x * step
    out = net(h)
    note(h, out, out.detach())
    out = out * 2
    note(out)
    loss = out.pow(2).mean()
    optimizer.zero_grad()
    note(loss)
    loss.backward()
    note(*[p.grad for p in net.parameters()])
    optimizer.step()
    for p in net.parameters():
        p.grad = None
    note(loss.detach())
    parts = [h[n] for n in range(4)]
    note(*parts)
    del parts, loss
    note()
del h, out
gc.collect()
note()
"""


def alive(library: Any, way: AbstractContextManager[Any]) -> list[int]:
    """Return how many of the tensors made so far were alive, again and again."""
    linecache.cache["<lifetimes>"] = (len(PROGRAM), None, PROGRAM.splitlines(True), "<lifetimes>")
    space: dict[str, Any] = {"torch": library, "__name__": "__main__"}
    with way:
        exec(compile(PROGRAM, "<lifetimes>", "exec"), space)
    found: list[int] = space["alive"]
    return found


@pytest.mark.parametrize("way", [graphwidget.watch, graphwidget.diagnose])
@pytest.mark.parametrize("library", [torch, graphwidget])
def test_tensors_die_when_they_would_without_watching(library: Any, way: Any) -> None:
    plain = alive(library, nullcontext())
    assert plain[-1] == 0
    assert alive(library, way()) == plain


@pytest.mark.parametrize("library", [torch, graphwidget])
def test_so_they_do_with_the_extension(library: Any) -> None:
    plain = alive(library, nullcontext())
    shell = InteractiveShell.instance()
    shell.run_line_magic("load_ext", "graphwidget")
    try:
        shell.user_ns["torch"] = library
        assert shell.run_cell(PROGRAM).success
        assert shell.user_ns["alive"] == plain
    finally:
        shell.run_line_magic("unload_ext", "graphwidget")
        InteractiveShell.clear_instance()
