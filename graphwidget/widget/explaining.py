"""``explain()`` and ``diagnose()``: what is wrong with a program on the real PyTorch, in words."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ..adapters import composite
from ..recording.findings import Findings
from ..recording.recorder import Recorder
from .tracebacks import leave_out_own

OF_PYTORCH = (
    "Nothing was found. explain() is about watched programs on the real PyTorch; errors of "
    "graphwidget's own engine carry their explanation themselves, as notes."
)


def explain() -> Findings:
    """Return what is wrong in the program on the real PyTorch that the newest ``watch()`` or
    ``diagnose()`` watches or has watched, the newest finding first.

    Each has its ``kind``, the lines of the ``reader`` and the ``culprit``, a ``fix`` as code and
    a ``text``. Needs ``%load_ext graphwidget``, ``graphwidget.watch()`` or ``diagnose()`` around
    what ran."""
    adapter = composite.newest()
    found = Findings([] if adapter is None else adapter.findings())
    if adapter is None or adapter.pytorch is None or adapter.erred:
        found.nothing = OF_PYTORCH
    return found


@contextmanager
def diagnose() -> Iterator[Diagnosis]:
    """Say what is wrong with the PyTorch program in the block: attached to its error as notes,
    and, where no error is raised, printed at the end. ``as found`` gives the findings."""
    adapter = composite.Adapter(Recorder())
    adapter.light = True
    found = Diagnosis(adapter)
    with adapter.observing():
        try:
            yield found
        except Exception as error:
            adapter.raised(error)
            leave_out_own(error)
            raise
    found.over = True
    if found.findings:
        print(found.findings, file=sys.stderr)


class Diagnosis:
    """Findings of ``diagnose`` so far."""

    def __init__(self, adapter: composite.Adapter) -> None:
        self.adapter = adapter
        self.over = False
        """True if the block has ended well."""

    @property
    def findings(self) -> Findings:
        """The newest finding first."""
        return Findings(self.adapter.findings(self.over))

    def __iter__(self) -> Iterator[Any]:
        return iter(self.findings)

    def __repr__(self) -> str:
        return repr(self.findings)
