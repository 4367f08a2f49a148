"""`torch.storage`: the kinds of storages."""

from .functions.memory.storage import TypedStorage, UntypedStorage

__all__ = ["TypedStorage", "UntypedStorage"]
