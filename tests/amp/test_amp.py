"""Mixed precision as programs use it: regions that do nothing, and scaled losses."""

from __future__ import annotations

from typing import Any

import pytest

from tests.both import both, source

CALLS = [
    "torch.amp.GradScaler('cuda').is_enabled()", "torch.amp.GradScaler().state_dict()",
    "torch.amp.GradScaler('cuda').get_scale()", "torch.amp.GradScaler('cuda').scale(x * 1)",
    "torch.cuda.amp.GradScaler().is_enabled()", "torch.cuda.amp.autocast().__enter__() is None",
    "torch.cuda.amp.autocast(enabled=False).__enter__() is None",
    "torch.amp.GradScaler('cpu').state_dict()", "torch.amp.GradScaler('cpu').scale([x * 1])",
    "torch.amp.GradScaler('cpu').update()", "torch.amp.GradScaler('cpu').step(o)",
    "torch.amp.GradScaler('cpu', growth_factor=1.0)",
    "torch.amp.GradScaler('cpu', backoff_factor=2.0)",
    "torch.amp.GradScaler('cpu').get_growth_factor()", "torch.amp.is_autocast_available('cpu')",
    "torch.amp.GradScaler('cpu', enabled=False).state_dict()",
]  # fmt: skip
SETUP = "x = torch.ones(2, requires_grad=True)\no = torch.optim.SGD([x], 0.1)\n"


@pytest.mark.parametrize("call", CALLS)
def test_call(call: str) -> None:
    both(source(f"{SETUP}result = attempt(lambda: {call})"))


def test_training() -> None:
    def program(torch: Any) -> Any:
        w = torch.zeros(2, requires_grad=True)
        optimizer = torch.optim.SGD([w], 0.1)
        scaler = torch.amp.GradScaler("cpu", init_scale=4.0, growth_interval=1)
        shown = []
        for factor in (2.0, 2.0, float("inf"), 1.0):
            optimizer.zero_grad()
            with torch.amp.autocast("cpu", enabled=False):
                loss = (w * factor + 1).sum()
            scaler.scale(loss).backward()
            scaler.unscale_(optimizer)
            shown.append(w.grad.clone())
            scaler.step(optimizer)
            scaler.update()
            shown += [w.detach().clone(), scaler.get_scale(), scaler.state_dict()]
        return shown

    both(program)


def test_twice() -> None:
    def program(torch: Any) -> Any:
        w = torch.zeros(2, requires_grad=True)
        optimizer = torch.optim.SGD([w], 0.1)
        scaler = torch.amp.GradScaler("cpu")
        scaler.scale(w.sum()).backward()
        scaler.unscale_(optimizer)
        scaler.unscale_(optimizer)

    both(program)


def test_disabled_scaler_in_a_loop() -> None:
    def program(torch: Any) -> Any:
        w = torch.zeros(2, requires_grad=True)
        optimizer = torch.optim.SGD([w], 0.1)
        scaler = torch.amp.GradScaler("cuda", enabled=torch.cuda.is_available())
        with torch.autocast("cuda", enabled=torch.cuda.is_available()):
            loss = (w - 1).square().sum()
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        return w

    both(program)
