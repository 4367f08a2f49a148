"""Mixed precision as programs use it: regions that do nothing, and scalers that hand through."""

from __future__ import annotations

from typing import Any

import pytest

import graphwidget
from tests.compare_engines import both


def test_a_loop_that_scales_where_there_is_a_gpu() -> None:
    def program(torch: Any) -> Any:
        w = torch.zeros(2, requires_grad=True)
        optimizer = torch.optim.SGD([w], 0.1)
        scaler = torch.amp.GradScaler("cuda", enabled=torch.cuda.is_available())
        with torch.autocast("cuda", enabled=torch.cuda.is_available()):
            loss = (w - 1).square().sum()
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        scaler.step(optimizer)
        scaler.update()
        return w, scaler.get_scale(), scaler.is_enabled(), scaler.state_dict()

    both(program)


def test_what_would_be_on_says_that_it_is_not() -> None:
    x = graphwidget.ones(2)
    with pytest.warns(UserWarning, match="no effect"), graphwidget.autocast("cpu"):
        assert (x * x).dtype == graphwidget.float32
    with pytest.warns(UserWarning, match="Disabling"):
        assert not graphwidget.amp.GradScaler().is_enabled()
    with pytest.raises(NotImplementedError, match="is not part of graphwidget's engine"):
        graphwidget.GradScaler("cpu")
