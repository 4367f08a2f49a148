"""The autograd core: Tensor, Node, the engine. It knows nothing of what watches it."""

from .memory import keep_freed

keep_freed()
