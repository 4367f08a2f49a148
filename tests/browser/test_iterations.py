"""Each iteration of a loop that fits is a picture of its own that the slider reaches."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from playwright.sync_api import Page, expect

import graphwidget

from .pages import Show, record

LOOP = """
torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Linear(2, 8), torch.nn.ReLU(), torch.nn.Linear(8, 1))
optimizer = torch.optim.Adam(net.parameters(), lr=0.1)
batches = [(torch.randn(8, 2), torch.randn(8, 1)) for _ in range({count})]
losses = []
for x, y in batches:
    optimizer.zero_grad()
    loss = torch.nn.functional.mse_loss(net(x), y)
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
"""


@pytest.mark.parametrize("count", [5, 30])
@pytest.mark.parametrize("library", [torch, graphwidget])
def test_every_iteration_is_reached_and_shows_its_own_loss_and_gradients(
    show: Show, quiet_page: Page, library: Any, count: int
) -> None:
    space: dict[str, Any] = {"torch": library}
    code = compile(LOOP.format(count=count), "loop.py", "exec")
    picture = show(record(lambda: exec(code, space)), 1200, 800)
    bar = picture.root.get_by_test_id("loop")
    slider = bar.locator("[data-action=iterations]")
    expect(bar.get_by_test_id("iterations-kept")).to_have_count(0)  # all are
    for number, loss in enumerate(space["losses"], 1):
        slider.evaluate(
            "(e, n) => { e.value = n; e.dispatchEvent(new Event('input', {bubbles: true})); }",
            number,
        )
        expect(bar.get_by_test_id("iteration-count")).to_have_text(f"iteration {number} / {count}")
        expect(picture.card("loss")).to_contain_text(f"{loss:.4g}")
