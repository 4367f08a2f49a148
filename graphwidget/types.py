"""Types to annotate with, as in `torch.types`."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import IO, TypeAlias

from .absent import refuse_others
from .arrays.devices import device as _device
from .arrays.dtypes import dtype as _dtype  # noqa: F401
from .arrays.memory_formats import layout as _layout  # noqa: F401  (programs annotate with it)
from .arrays.size import Size
from .autograd.roots import GradientEdge
from .graph.tensor import Tensor

__all__ = ["Device", "FileLike", "Number"]

_bool, _bytes, _complex, _float, _int, _str = bool, bytes, complex, float, int, str

Number: TypeAlias = int | float | bool
"""A Python number."""
_Number = (int, float, bool)

Device: TypeAlias = _device | str | int | None
"""Types that name a device; None is the default one."""

FileLike: TypeAlias = str | os.PathLike[str] | IO[bytes]
"""A file, or the path of one."""

_size: TypeAlias = Size | list[int] | tuple[int, ...]
_TensorOrTensors: TypeAlias = Tensor | Sequence[Tensor]
_TensorOrOptionalTensors: TypeAlias = Tensor | Sequence[Tensor | None]
_TensorOrTensorsOrGradEdge: TypeAlias = (
    Tensor | Sequence[Tensor] | GradientEdge | Sequence[GradientEdge]
)

refuse_others(__name__)
