"""``torch.amp``: mixed precision, with ``autocast`` and ``GradScaler``.

There is one precision here, so ``autocast`` only marks regions (see
``functions.tensor.autocast``); ``GradScaler`` scales as PyTorch's, on the CPU.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import numpy as np

from .absent import refuse_others
from .arrays.devices import device as Device
from .arrays.warnings import warn
from .autograd.grad_mode import no_grad
from .functions.tensor.autocast import autocast
from .graph.tensor import Tensor

__all__ = ["GradScaler", "autocast", "custom_bwd", "custom_fwd", "is_autocast_available"]

Decorated = TypeVar("Decorated", bound=Callable[..., Any])
NOT_SCALED = (
    "Attempted {} but _scale is None.  This may indicate your script did not use "
    "scaler.scale(loss or outputs) earlier in the iteration."
)
READY, UNSCALED, STEPPED = range(3)


def is_autocast_available(device_type: str) -> bool:
    """Whether ``autocast`` knows the device: "cpu" and "cuda"."""
    return device_type in ("cpu", "cuda")


class GradScaler:
    """Multiplies losses, so that small gradients do not vanish in a narrow type, and divides the
    gradients again before the optimizer's step; a step with inf or nan gradients is left out.

    Args:
        device: "cuda" (there is none, so the scaler is disabled, with a warning) or "cpu".
        init_scale: the first factor.
        growth_factor, growth_interval: what it is multiplied with after so many good steps.
        backoff_factor: what it is multiplied with after a bad one.
        enabled: False makes all methods hand through.
    """

    def __init__(
        self,
        device: str = "cuda",
        init_scale: float = 2.0**16,
        growth_factor: float = 2.0,
        backoff_factor: float = 0.5,
        growth_interval: int = 2000,
        enabled: bool = True,
    ) -> None:
        self._device = Device(device).type
        self._enabled = enabled
        if enabled and self._device == "cuda":
            warn(
                "torch.cuda.amp.GradScaler is enabled, but CUDA is not available.  Disabling.",
            )
            self._enabled = False
        if self._enabled:
            assert growth_factor > 1.0, "The growth factor must be > 1.0."
            assert backoff_factor < 1.0, "The backoff factor must be < 1.0."
        self._init_scale, self._scale = init_scale, None if self._enabled else init_scale
        self._growth_factor, self._backoff_factor = growth_factor, backoff_factor
        self._growth_interval, self._growth_tracker = growth_interval, 0
        self._stages: dict[int, int] = {}
        self._bad: dict[int, bool] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        return rebuild_scaler, (self.__dict__,)

    def scale(self, outputs: Any) -> Any:
        """A tensor times the factor, or a list or tuple of them."""
        if not self._enabled:
            return outputs
        if self._scale is None:
            self._scale = self._init_scale
        if isinstance(outputs, Tensor):
            return outputs * Tensor._wrap(np.asarray(self._scale, outputs._data.dtype))
        if isinstance(outputs, Iterable):
            return type(outputs)(self.scale(each) for each in outputs)  # type: ignore[call-arg]
        raise ValueError("outputs must be a Tensor or an iterable of Tensors")

    def unscale_(self, optimizer: Any) -> None:
        """Divide the gradients of the optimizer's parameters by the factor.

        Raises:
            RuntimeError: it was done already, or the step was.
        """
        if not self._enabled:
            return
        self._need_scale("unscale_")
        stage = self._stages.get(id(optimizer), READY)
        if stage == UNSCALED:
            raise RuntimeError(
                "unscale_() has already been called on this optimizer since the last update()."
            )
        if stage == STEPPED:
            raise RuntimeError("unscale_() is being called after step().")
        bad = False
        with no_grad():
            for group in optimizer.param_groups:
                for each in group["params"]:
                    if each.grad is not None:
                        bad = bad or not bool(np.isfinite(each.grad._data).all())
                        each.grad.mul_(1.0 / (self._scale or 1.0))
        self._bad[id(optimizer)], self._stages[id(optimizer)] = bad, UNSCALED

    def step(self, optimizer: Any, *args: Any, **kwargs: Any) -> Any:
        """The optimizer's step, unless a gradient is inf or nan; what it returns, or None.

        Raises:
            RuntimeError: called twice without ``update``.
        """
        if not self._enabled:
            return optimizer.step(*args, **kwargs)
        if "closure" in kwargs:
            raise RuntimeError("Closure use is not currently supported if GradScaler is enabled.")
        self._need_scale("step")
        if self._stages.get(id(optimizer), READY) == STEPPED:
            raise RuntimeError("step() has already been called since the last update().")
        if self._stages.get(id(optimizer), READY) == READY:
            self.unscale_(optimizer)
        self._stages[id(optimizer)] = STEPPED
        return None if self._bad[id(optimizer)] else optimizer.step(*args, **kwargs)

    def update(self, new_scale: Any = None) -> None:
        """The factor of the next step: larger after many good ones, smaller after a bad one, or as
        given."""
        if not self._enabled:
            return
        scale = self._need_scale("update")
        if new_scale is not None:
            self._scale = float(new_scale)
        else:
            assert self._bad, "No inf checks were recorded prior to update."
            if any(self._bad.values()):
                self._scale, self._growth_tracker = scale * self._backoff_factor, 0
            else:
                self._growth_tracker += 1
                if self._growth_tracker == self._growth_interval:
                    self._scale, self._growth_tracker = scale * self._growth_factor, 0
        self._stages, self._bad = {}, {}

    def _need_scale(self, what: str) -> float:
        assert self._scale is not None, NOT_SCALED.format(what)
        return self._scale

    def get_scale(self) -> float:
        """The factor (1 when disabled)."""
        if not self._enabled:
            return 1.0
        return self._init_scale if self._scale is None else self._scale

    def get_growth_factor(self) -> float:
        """What the factor is multiplied with after many good steps."""
        return self._growth_factor

    def set_growth_factor(self, new_factor: float) -> None:
        """Set it."""
        self._growth_factor = new_factor

    def get_backoff_factor(self) -> float:
        """What the factor is multiplied with after a bad step."""
        return self._backoff_factor

    def set_backoff_factor(self, new_factor: float) -> None:
        """Set it."""
        self._backoff_factor = new_factor

    def get_growth_interval(self) -> int:
        """How many good steps it takes."""
        return self._growth_interval

    def set_growth_interval(self, new_interval: int) -> None:
        """Set it."""
        self._growth_interval = new_interval

    def is_enabled(self) -> bool:
        """Whether it scales."""
        return self._enabled

    def state_dict(self) -> dict[str, Any]:
        """The factor and how it changes; empty when disabled."""
        if not self._enabled:
            return {}
        return {
            "scale": self.get_scale(),
            "growth_factor": self._growth_factor,
            "backoff_factor": self._backoff_factor,
            "growth_interval": self._growth_interval,
            "_growth_tracker": self._growth_tracker,
        }

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over a state.

        Raises:
            RuntimeError: it is empty, of a disabled scaler.
        """
        if not self._enabled:
            return
        if not state_dict:
            raise RuntimeError(
                "The source state dict is empty, possibly because it was saved from a disabled "
                "instance of GradScaler."
            )
        self._init_scale = state_dict["scale"]
        if self._scale is not None:
            self._scale = state_dict["scale"]
        self._growth_factor = state_dict["growth_factor"]
        self._backoff_factor = state_dict["backoff_factor"]
        self._growth_interval = state_dict["growth_interval"]
        self._growth_tracker = state_dict["_growth_tracker"]


def rebuild_scaler(state: dict[str, Any]) -> GradScaler:
    """A scaler out of a pickle, or a copy."""
    made = GradScaler.__new__(GradScaler)
    made.__dict__.update(state)
    return made


GradScaler.__module__ = "torch.amp.grad_scaler"


def custom_fwd(fwd: Decorated | None = None, *, device_type: str, cast_inputs: Any = None) -> Any:
    """For a Function's ``forward``: as it is, for no region is ever on."""
    if fwd is None:
        return functools.partial(custom_fwd, device_type=device_type, cast_inputs=cast_inputs)
    return fwd


def custom_bwd(bwd: Decorated | None = None, *, device_type: str) -> Any:
    """For a Function's ``backward``: as it is, for no region is ever on."""
    if bwd is None:
        return functools.partial(custom_bwd, device_type=device_type)
    return bwd


refuse_others(__name__)
