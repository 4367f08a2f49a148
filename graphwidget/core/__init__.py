"""The autograd core: Tensor, Node, the engine. It knows nothing of what watches it."""

from .memory import collect_rarely, keep_freed

keep_freed()
collect_rarely()
