"""Max pooling over windows at random places (Graham, 2014)."""

from __future__ import annotations

from typing import Any, ClassVar

from ..core.tensor import Tensor
from . import functional
from .functional.sizes import each_dim
from .module import Module
from .registers import OwnMethods


class _Fractional(OwnMethods, Module):
    """What both share.

    Raises:
        ValueError: neither or both of size and ratio, or a ratio outside of (0, 1).
    """

    _dims: ClassVar[int]

    def __init__(
        self, kernel_size: Any, output_size: Any = None, output_ratio: Any = None,
        return_indices: bool = False, _random_samples: Tensor | None = None,
    ) -> None:  # fmt: skip
        super().__init__()
        dims, name = self._dims, type(self).__name__
        self.kernel_size = each_dim(kernel_size, dims)
        self.return_indices = return_indices
        self.register_buffer("_random_samples", _random_samples)
        self.output_size = None if output_size is None else each_dim(output_size, dims)
        listed = isinstance(output_ratio, list | tuple)
        self.output_ratio = (
            None if output_ratio is None
            else tuple(output_ratio) if listed else (output_ratio,) * dims
        )  # fmt: skip
        if output_size is None and output_ratio is None:
            raise ValueError(
                f"{name} requires specifying either an output size, or a pooling ratio"
            )
        if output_size is not None and output_ratio is not None:
            raise ValueError("only one of output_size and output_ratio may be specified")
        if self.output_ratio is not None and not all(0 < each < 1 for each in self.output_ratio):
            told = self.output_ratio if listed else output_ratio
            raise ValueError(f"output_ratio must be between 0 and 1 (got {told})")

    def forward(self, input: Tensor) -> Any:
        """The largest items, and with `return_indices` their places."""
        pool = getattr(functional, f"fractional_max_pool{self._dims}d")
        return pool(
            input, self.kernel_size, self.output_size, self.output_ratio, self.return_indices,
            self._random_samples,
        )  # fmt: skip


class FractionalMaxPool2d(_Fractional):
    """The largest items of windows at random places over the last two dims."""

    _dims = 2


class FractionalMaxPool3d(_Fractional):
    """The largest items of windows at random places over the last three dims."""

    _dims = 3
