"""The stack of function modes: how one is put on it and taken off, wherever it stands there."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import torch
from torch.optim import Optimizer

from .heard_calls import HeardCalls


def enter(mode: HeardCalls) -> None:
    """Put the mode below the program's own, which are taken off from the top when their blocks
    end; above the default device's alone, which PyTorch wants at the bottom."""
    above = []
    while torch._C._len_torch_function_stack():
        above.append(torch._C._pop_torch_function_stack())
    default = getattr(getattr(torch, "_GLOBAL_DEVICE_CONTEXT", None), "device_context", None)
    if above and above[-1] is default:
        torch._C._push_on_torch_function_stack(above.pop())
    torch._C._push_on_torch_function_stack(mode)
    for each in reversed(above):
        torch._C._push_on_torch_function_stack(each)


def leave(mode: HeardCalls) -> bool:
    """Take the mode off the stack of modes, wherever it stands there; whether it did."""
    above = []
    found = False
    while not found and torch._C._len_torch_function_stack():
        top = torch._C._pop_torch_function_stack()
        found = top is mode
        if not found:
            above.append(top)
    for each in reversed(above):
        torch._C._push_on_torch_function_stack(each)
    return found


class ZeroGrad:
    """Optimizers drop gradients without the mode: it would be shown two reads of every parameter,
    and note none. ``elsewhere`` says that it is not the program's own doing."""

    def __init__(self, mode: HeardCalls, elsewhere: Callable[[], bool]) -> None:
        before = self._before = Optimizer.zero_grad

        @wraps(before)
        def zero_grad(self: Any, set_to_none: bool = True) -> None:
            if not set_to_none or elsewhere() or not leave(mode):
                return before(self, set_to_none)
            try:
                return before(self, set_to_none)
            finally:
                if not mode.off:
                    enter(mode)

        self._own = zero_grad
        Optimizer.zero_grad = zero_grad  # type: ignore[method-assign]

    def remove(self) -> None:
        """Leave optimizers as they were."""
        if Optimizer.zero_grad is self._own:
            Optimizer.zero_grad = self._before  # type: ignore[method-assign]
