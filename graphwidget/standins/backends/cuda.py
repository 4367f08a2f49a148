"""`torch.backends.cuda`: there is none; its switches may be set and change nothing."""

from __future__ import annotations

from collections.abc import Callable

__all__ = [
    "cudnn_sdp_enabled", "enable_cudnn_sdp", "enable_flash_sdp", "enable_math_sdp",
    "enable_mem_efficient_sdp", "flash_sdp_enabled", "is_available", "is_built",
    "math_sdp_enabled", "matmul", "mem_efficient_sdp_enabled",
]  # fmt: skip


class Matmul:
    """Precision of products on a GPU."""

    allow_tf32 = False
    allow_fp16_reduced_precision_reduction = True
    allow_bf16_reduced_precision_reduction = True
    fp32_precision = "none"


matmul = Matmul()


def is_built() -> bool:
    """False."""
    return False


def is_available() -> bool:
    """False."""
    return False


def switch(name: str) -> tuple[Callable[[], bool], Callable[[bool], None]]:
    """The functions that tell and set whether one of a GPU's attention kernels may be used."""
    state = [True]

    def enabled() -> bool:
        return state[0]

    def enable(enabled: bool) -> None:
        state[0] = bool(enabled)

    enabled.__name__, enable.__name__ = f"{name}_sdp_enabled", f"enable_{name}_sdp"
    enabled.__doc__ = f"What ``enable_{name}_sdp`` has set; True at first."
    enable.__doc__ = "Allow a kind of attention kernels of GPUs; here it changes nothing."
    return enabled, enable


flash_sdp_enabled, enable_flash_sdp = switch("flash")
math_sdp_enabled, enable_math_sdp = switch("math")
mem_efficient_sdp_enabled, enable_mem_efficient_sdp = switch("mem_efficient")
cudnn_sdp_enabled, enable_cudnn_sdp = switch("cudnn")
