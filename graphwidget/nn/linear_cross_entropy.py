"""Pieces into which PyTorch cuts a linear layer and its cross entropy to spare memory."""

from __future__ import annotations

import dataclasses
from typing import Any, Literal

from ..arrays import dtypes
from ..arrays.dtypes import dtype

_TYPES = dtypes.float16, dtypes.float32, dtypes.float64


@dataclasses.dataclass(slots=True, frozen=True)
class LinearCrossEntropyOptions:
    """Options of `linear_cross_entropy`. Here it is computed in one piece whatever they are: the
    loss and its gradients do not depend on them.

    Args:
        allow_retain_graph: whether backward may run twice, which it always may here.
        batch_chunk_size: samples of a piece.
        chunking_method: how that is found: "auto", "aspect_ratio" or "aspect_ratio:N".
        acc_policy: in which type the parts of a piece are kept.
        acc_dtype: that type.

    Raises:
        ValueError: none of these.
    """

    allow_retain_graph: bool = False
    batch_chunk_size: int | None = None
    chunking_method: str | None = "auto"
    acc_policy: Literal["accurate", "balanced", "compact", "auto"] = "auto"
    acc_dtype: dtype | None = None

    def __post_init__(self) -> None:
        size: Any = self.batch_chunk_size
        if self.acc_policy not in ("auto", "accurate", "balanced", "compact"):
            raise ValueError(f"invalid acc_policy: {self.acc_policy!r}")
        if self.chunking_method not in (None, "auto"):
            name, parted, factor = self.chunking_method.partition(":")
            counts = factor.isdigit() and int(factor) > 0 if parted else True
            if name != "aspect_ratio" or not counts:
                raise ValueError(f"invalid chunking_method: {self.chunking_method!r}")
        if size is not None and not (isinstance(size, int) and size > 0):
            raise ValueError(f"batch_chunk_size must be positive int or None, got {size!r}")
        if self.acc_dtype is not None and self.acc_dtype not in _TYPES:
            raise ValueError(
                "acc_dtype must be one of {None, torch.float16, torch.bfloat16, torch.float32, "
                f"torch.float64}}, got {self.acc_dtype!r}. Pass acc_dtype=None to let the op pick "
                "automatically."
            )
