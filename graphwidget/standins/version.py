"""`torch.version`: what the package is built with, which is neither CUDA nor anything like it."""

from __future__ import annotations

__all__ = ["cuda", "debug", "hip", "xpu"]

cuda: str | None = None
hip: str | None = None
xpu: str | None = None
debug = False
