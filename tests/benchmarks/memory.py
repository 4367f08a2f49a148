"""Memory of a few rows, each engine in a process of its own.

Python's tracemalloc does not see PyTorch's storages, so this asks the kernel: the resident set's
high-water mark during the steps (``VmHWM``), and the resident set after it, both above the level
before them, once the allocator has given back what it can (``malloc_trim``).
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from tests.benchmarks.engines import Engine, load

ROWS = (
    "1e6 elementwise", "1024 matmul", "deep chain", "MLP, SGD", "MLP, Adam", "CNN, SGD",
    "transformer, AdamW",
)  # fmt: skip
STEPS = 3
MEGA = 1 << 20


def resident() -> int:
    """Bytes of this process in memory now, after giving back what is free."""
    gc.collect()
    with contextlib.suppress(OSError, AttributeError):  # glibc only
        ctypes.CDLL(None).malloc_trim(0)
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def reset_highest() -> None:
    """Forget the high-water mark (Linux)."""
    Path("/proc/self/clear_refs").write_text("5")


def peak_resident() -> int:
    """The high-water mark of the resident set since it was reset."""
    status = Path("/proc/self/status").read_text()
    (line,) = (line for line in status.splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) * 1024


def child(engine: str, row: str) -> None:
    """Print "peak after" in bytes for a row's later steps: the first one fills caches."""
    if engine == "torch":
        import torch

        torch.set_num_threads(1)
    step = load(engine).rows[row]()
    step()
    before = resident()
    reset_highest()
    for _ in range(STEPS):
        step()
    peak = peak_resident()
    print(peak - before, resident() - before)


def measure(engine: str, row: str) -> tuple[int, int]:
    """(peak, after) in bytes above the level before the steps."""
    command = [sys.executable, "-m", "tests.benchmarks.memory", engine, row]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    peak, after = done.stdout.split()
    return int(peak), int(after)


def table(rows: Sequence[str], engines: dict[str, Engine]) -> list[list[str]]:
    """The table's lines: peak and remaining megabytes by engine."""
    lines = [["memory, MB: peak / after", *engines]]
    for row in rows:
        cells = []
        for name, engine in engines.items():
            if row in engine.rows:
                peak, after = measure(name, row)
                cells.append(f"{peak / MEGA:.1f} / {after / MEGA:.1f}")
            else:
                cells.append("-")
        lines.append([row, *cells])
    return lines


if __name__ == "__main__":
    child(sys.argv[1], sys.argv[2])
