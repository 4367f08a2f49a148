"""`torch.profiler`: programs may use it; nothing is measured."""

from __future__ import annotations

import enum
from typing import Any

from graphwidget.absent import refuse_others
from graphwidget.autograd.profiler import NOT_HERE, profile, record_function

__all__ = [
    "ProfilerActivity", "profile", "record_function", "schedule", "tensorboard_trace_handler",
]  # fmt: skip


class ProfilerActivity(enum.Enum):
    """Activities that PyTorch's profiler can record."""

    CPU = 0
    XPU = 1
    MTIA = 2
    CUDA = 3


def schedule(**options: Any) -> None:
    """Not here.

    Raises:
        NotImplementedError: always.
    """
    raise NotImplementedError(NOT_HERE)


def tensorboard_trace_handler(*args: Any, **options: Any) -> None:
    """Not here.

    Raises:
        NotImplementedError: always.
    """
    raise NotImplementedError(NOT_HERE)


refuse_others(__name__)
