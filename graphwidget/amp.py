"""``torch.amp``: regions of mixed precision, and scaled losses.

There is one precision here: ``autocast`` marks a region in which ops compute as elsewhere, and
``GradScaler`` hands through, as PyTorch's does where there is no GPU.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

from .absent import not_here, refuse_others
from .arrays import devices
from .arrays.warnings import warn

__all__ = ["GradScaler", "autocast", "is_autocast_available"]

Called = TypeVar("Called", bound=Callable[..., Any])
SAME = (
    "autocast has no effect in graphwidget: numpy has no bfloat16, and all is computed in the "
    "types that tensors have."
)


def is_autocast_available(device_type: str) -> bool:
    """Return whether ``autocast`` takes the device: "cpu" and "cuda"."""
    return device_type in ("cpu", "cuda")


class autocast:
    """Region of mixed precision, where ops compute as elsewhere; also a decorator.

    Args:
        device_type: "cpu", or another of PyTorch's words.
        dtype, cache_enabled: without effect.
        enabled: False makes the region do nothing.

    Warns:
        UserWarning: the region would be on in PyTorch.
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
        self.device, self.fast_dtype = devices.device(device_type).type, dtype
        if enabled:
            warn(SAME)

    def __enter__(self) -> autocast:
        return self

    def __exit__(self, *error: object) -> None:
        return None

    def __call__(self, function: Called) -> Called:
        @functools.wraps(function)
        def inside(*args: Any, **kwargs: Any) -> Any:
            with self:
                return function(*args, **kwargs)

        return inside  # type: ignore[return-value]


class GradScaler:
    """Scaler of losses that is disabled: it hands through.

    Args:
        device: "cuda", of which there is none.
        options: those of PyTorch's scaler.
        enabled: whether it would scale if there were a GPU.

    Raises:
        NotImplementedError: it would scale on the CPU.

    Warns:
        UserWarning: it is enabled, but there is no GPU.
    """

    def __init__(self, device: str = "cuda", *options: Any, enabled: bool = True, **more: Any):
        if enabled and devices.device(device).type == "cpu":
            raise NotImplementedError(not_here("torch.amp.GradScaler('cpu')"))
        if enabled:
            warn("torch.cuda.amp.GradScaler is enabled, but CUDA is not available.  Disabling.")

    def scale(self, outputs: Any) -> Any:
        """Return the outputs."""
        return outputs

    def unscale_(self, optimizer: Any) -> None:
        """Do nothing: gradients are as they are."""

    def step(self, optimizer: Any, *args: Any, **kwargs: Any) -> Any:
        """Return what the optimizer's step returns."""
        return optimizer.step(*args, **kwargs)

    def update(self, new_scale: Any = None) -> None:
        """Do nothing: there is no scale."""

    def get_scale(self) -> float:
        """Return 1."""
        return 1.0

    def is_enabled(self) -> bool:
        """Return False."""
        return False

    def state_dict(self) -> dict[str, Any]:
        """Return an empty state."""
        return {}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Do nothing: there is no state."""


refuse_others(__name__)
