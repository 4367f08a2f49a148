"""`torch.storage`: the kinds of storages."""

from .core.storages import TypedStorage, UntypedStorage

__all__ = ["TypedStorage", "UntypedStorage"]
