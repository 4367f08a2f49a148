"""The table of what is written and read, for the docs: ``python -m graphwidget.onnx.coverage``."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable

from ..optable import TABLE
from .control import CONTROL
from .nodes import READERS
from .readers import layers as _layers
from .writers import covered
from .writers.values import FUNCTIONS

_ = _layers  # the readers are known


def listed(names: Iterable[str]) -> str:
    """Names in lines of one width."""
    return textwrap.fill(", ".join(sorted(names)), 118, break_long_words=False,
                         break_on_hyphens=False)  # fmt: skip


def text() -> str:
    """The page."""
    written = covered()
    public = [key for key, op in TABLE.items() if op.public or key in written]
    plain = {f"{key} ({TABLE[key].onnx})" for key in written if key not in FUNCTIONS}
    missing = [key for key in public if key not in written]
    return f"""# ONNX

What `graphwidget.onnx.export` writes and `graphwidget.onnx.load` reads, made by
`python -m graphwidget.onnx.coverage`; a test holds it current. Names of ops are the op table's.

## Ops that are one operator, as their declarations say ({len(plain)})

{listed(plain)}

## Ops that are written as one operator with attributes, or as several ({len(written) - len(plain)})

{listed(key for key in written if key in FUNCTIONS)}

Beside them: constants, placeholders, variables, sizes, `static.cond` (`If`), `static.while_loop`
(`Loop`).

## Ops that no operator or few operators express ({len(missing)})

{listed(missing)}

## Operators that are read ({len(READERS) + len(CONTROL)})

{listed([*READERS, *CONTROL])}
"""


if __name__ == "__main__":
    print(text(), end="")
