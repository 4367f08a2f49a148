"""``torch.autograd.grad_mode``."""

from ..core.modes import (
    enable_grad,
    enforce_grad_layout_policy,
    force_original_view_tracking,
    inference_mode,
    no_grad,
    set_grad_enabled,
    set_multithreading_enabled,
    unsafe_preserve_version_counter,
)

__all__ = [
    "enable_grad", "enforce_grad_layout_policy", "inference_mode", "no_grad", "set_grad_enabled",
    "set_multithreading_enabled",
]  # fmt: skip

_force_original_view_tracking = force_original_view_tracking
_unsafe_preserve_version_counter = unsafe_preserve_version_counter
