"""DLPack, as in `torch.utils.dlpack`: tensors and other libraries' arrays that share memory."""

from ..dispatch.offer import FUNCTIONS
from ..functions.tensor import attach_methods as _methods  # noqa: F401  (all that is offered is there)

from_dlpack, to_dlpack = FUNCTIONS["from_dlpack"], FUNCTIONS["to_dlpack"]

__all__ = ["from_dlpack", "to_dlpack"]
