"""What the C library does with memory that arrays gave back.

glibc returns large pieces to the kernel at once, which zeroes every page anew when the next array
asks for it: half of the time of a training step on arrays of megabytes. PyTorch lives with that;
numpy, which makes more arrays for the same work, would suffer more.
"""

from __future__ import annotations

import contextlib
import ctypes
import os

M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3
"""Parameters of ``mallopt`` (glibc's malloc.h)."""
KEPT = 256 << 20
"""Bytes of free memory to keep for the next arrays."""
LARGEST = 32 << 20
"""Arrays of so many bytes get memory of their own, which goes back at once: glibc's most."""


def keep_freed() -> None:
    """Keep what is freed for the next arrays; nothing where the C library is another, or where
    the user has told it what to do."""
    if any(name.startswith(("MALLOC_", "GLIBC_TUNABLES")) for name in os.environ):
        return
    with contextlib.suppress(OSError, AttributeError, TypeError):
        library = ctypes.CDLL(None)
        library.mallopt(M_TRIM_THRESHOLD, KEPT)
        library.mallopt(M_MMAP_THRESHOLD, LARGEST)
