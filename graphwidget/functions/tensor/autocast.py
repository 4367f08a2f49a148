"""``torch.autocast``: the switch, which is never on here.

On a CPU PyTorch's autocast computes in bfloat16, a type that numpy does not have. So it refuses,
unless it is switched off; for CUDA it warns that there is none and does nothing, as PyTorch does.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import TracebackType
from typing import Any, TypeVar

from ...arrays import devices, dtypes
from ...arrays.warnings import warn
from ...dispatch.offer import FUNCTIONS, offer

Called = TypeVar("Called", bound=Callable[..., Any])

REFUSED = (
    "autocast on the CPU computes in torch.bfloat16, which graphwidget does not have (numpy has no "
    "such type). Use autocast(..., enabled=False), or leave it out: float32 gives the same graph."
)
NOT_OFFERED = (
    "autocast on the CPU in torch.float16 is not offered. Cast with .half() where that is wanted, "
    "use autocast(..., enabled=False), or leave it out: float32 gives the same graph."
)


class autocast:
    """A region in which ops would be computed in a narrower type; also a decorator.

    Args:
        device_type: "cpu", or another of PyTorch's words, which disables it.
        dtype: float32 disables it, with a warning.
        enabled: False makes the region do nothing.

    Raises:
        NotImplementedError: it would compute in bfloat16 or float16 on the CPU.
    """

    def __init__(
        self,
        device_type: str,
        dtype: Any = None,
        enabled: bool = True,
        cache_enabled: bool | None = None,
    ) -> None:
        if not isinstance(device_type, str):
            raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")
        self.device = devices.device(device_type).type
        self.fast_dtype = dtype
        if enabled and self.device == "cuda":
            warn("CUDA is not available or torch_xla is imported. Disabling autocast.")  # fmt: skip
            enabled = False
        elif enabled and dtype not in (None, dtypes.float16, dtypes.ABSENT["bfloat16"]):
            warn(
                "In CPU autocast, but the target dtype is not supported. Disabling autocast.\n"
                "CPU Autocast only supports dtypes of torch.bfloat16, torch.float16 currently.",
            )
            enabled = False
        if enabled:
            raise NotImplementedError(NOT_OFFERED if dtype is dtypes.float16 else REFUSED)

    def __enter__(self) -> autocast:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        return None

    def __call__(self, function: Called) -> Called:
        @functools.wraps(function)
        def inside(*args: Any, **kwargs: Any) -> Any:
            with self:
                return function(*args, **kwargs)

        return inside  # type: ignore[return-value]


autocast.__module__ = "torch.amp.autocast_mode"
FUNCTIONS["autocast"] = autocast


@offer(method=False)
def is_autocast_enabled(device_type: str = "cuda", /) -> bool:
    """Return whether a region of ``autocast`` is on: never."""
    return False


@offer(method=False)
def is_autocast_cpu_enabled() -> bool:
    """Return whether a region of ``autocast`` for the CPU is on: never."""
    return False


@offer(method=False)
def is_autocast_cache_enabled() -> bool:
    """True, PyTorch's default: whether casts of weights would be kept."""
    return True


@offer(method=False)
def clear_autocast_cache() -> None:
    """Does nothing: no casts are kept."""
