"""Settings of malloc and of Python's garbage collector that suit arrays and graphs.

Freed memory is kept for the next arrays, and cycles are looked for less often.

glibc returns large pieces to the kernel at once, which zeroes every page anew when the next array
asks for it: half of the time of a training step on arrays of megabytes. PyTorch lives with that;
numpy, which makes more arrays for the same work, would suffer more.

Python looks through the young objects after every 700 new ones, and through all that there are
after some ten thousand. A graph that grows is such objects, all of them in use: to look at them
takes two thirds of the time in which 100,000 nodes are made. The engine itself leaves no cycles.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import os

M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3
"""Parameters of ``mallopt`` (glibc's malloc.h)."""
KEPT = 256 << 20
"""Bytes of free memory to keep for the next arrays."""
LARGEST = 32 << 20
"""Arrays of this many bytes get memory of their own, which goes back at once: glibc's most."""


def keep_freed_memory() -> None:
    """Let malloc keep freed memory for the next arrays; nothing where the C library is another, or
    where the user has configured it."""
    if any(name.startswith(("MALLOC_", "GLIBC_TUNABLES")) for name in os.environ):
        return
    with contextlib.suppress(OSError, AttributeError, TypeError):
        library = ctypes.CDLL(None)
        library.mallopt(M_TRIM_THRESHOLD, KEPT)
        library.mallopt(M_MMAP_THRESHOLD, LARGEST)


YOUNG = 10_000
"""New objects after which Python looks for cycles among them."""
RARER = 2
"""Factor by which the collector looks less often at objects that survived: in a graph that is all
of them, and by then they are far from the processor's caches, so that a look takes four times as
long. Full collections are as frequent as before."""
PYTHONS_OWN = (700, 2_000)
"""Thresholds that Python's garbage collector has by default, in its versions."""


def collect_garbage_rarely() -> None:
    """Let the garbage collector run less often; nothing where the user has said how often."""
    young, again, always = gc.get_threshold()
    if young in PYTHONS_OWN:
        gc.set_threshold(YOUNG, again * RARER, always // RARER)
