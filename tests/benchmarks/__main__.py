"""The speed and memory figures, printed: `python -m tests.benchmarks [ROW ...] [--rounds N]`.

Times are CPU times (`process_time`), so a busy machine disturbs them little. Every engine runs on
one thread, which the environment must say before numpy or PyTorch are loaded.
"""

from __future__ import annotations

import argparse
import os
import sys

THREADS = {
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
}


def show(lines: list[list[str]]) -> str:
    """Columns, the first to the left and the others to the right."""
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if i == 0 else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(line, widths, strict=True))
        )
        for line in lines
    )


def main() -> None:
    """Print the tables."""
    if any(name not in os.environ for name in THREADS):
        os.environ.update(THREADS)
        os.execv(sys.executable, [sys.executable, "-m", "tests.benchmarks", *sys.argv[1:]])
    import torch

    from tests.benchmarks import memory, timing, watching
    from tests.benchmarks.engines import engines, static
    from tests.benchmarks.rows import ROWS

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rows", nargs="*", help="rows to measure, by the start of their names")
    parser.add_argument("--rounds", type=int, default=9, help="turns of each engine per row")
    parser.add_argument("--engines", help="engines, separated by commas (default: all there are)")
    given = parser.parse_args()
    torch.set_num_threads(1)
    chosen = engines()
    if given.engines:
        chosen = {name: chosen[name] for name in given.engines.split(",")}
    starts = tuple(given.rows or [""])
    rows = [row for row in ROWS if row.startswith(starts)]
    watched = [row for row in watching.ROWS if row.startswith(starts)]
    if not rows and not watched:
        parser.error(f"no such row; there are: {', '.join([*ROWS, *watching.ROWS])}")
    if watched:
        print("CPU time of a turn of a training loop, and watched as a ratio to it")
        print(show(watching.table(watched, given.rounds)))
    if rows:
        print("CPU time of a step: PyTorch's, and the others' as ratios to it (numpy: by hand)")
        print(show(timing.table(rows, chosen, given.rounds)))
    if any(row in static.ROWS for row in rows):
        print()
        print(show(static.compile_table(given.rounds)))
    remembered = [row for row in memory.ROWS if row in rows]
    if remembered:
        print()
        print(show(memory.table(remembered, chosen)))


if __name__ == "__main__":
    main()
