"""Arrays as PyTorch has them: dtypes, devices, memory order, and the texts of errors.

At the bottom: these files import numpy and each other, nothing else of the package.
"""

from .malloc_gc import collect_garbage_rarely, keep_freed_memory

keep_freed_memory()
collect_garbage_rarely()
