"""``torch.from_file``: tensors whose memory is a file."""

from __future__ import annotations

from typing import Any

from ...arrays import devices, dtypes
from ...arrays.layouts import require_strided
from ...dispatch.offer import offer
from ...graph.tensor import Tensor
from ..memory.storage import mapped_memory
from .factory_decorator import new_leaf


@offer(method=False)
def from_file(
    filename: Any, shared: bool | None = None, size: int = 0, *, dtype: Any = None,
    layout: Any = None, device: Any = None, requires_grad: bool = False, pin_memory: bool = False,
) -> Tensor:  # fmt: skip
    """A vector of so many items of a file. Where it is ``shared``, writes go to the file, which is
    made or lengthened as needed; else they stay in memory.

    Raises:
        RuntimeError: there is no such file, or it is too short (PyTorch's texts).
    """
    devices.require_cpu(device)
    require_strided(layout)
    kind = (dtype or dtypes.get_default_dtype()).numpy
    return new_leaf(mapped_memory(filename, bool(shared), size, kind), requires_grad)
