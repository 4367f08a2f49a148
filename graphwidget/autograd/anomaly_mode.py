"""``detect_anomaly``: nodes remember the lines that made them, and NaN in backward is an error."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ..arrays.warnings import PACKAGE, user_frame, warn
from ..graph import runtime
from ..graph.listeners import switch_listener
from ..graph.node import Node
from ..graph.tensor import Tensor
from ..optable.declare import Op
from .engine import Run, current_node

ENABLED = (
    "Anomaly Detection has been enabled. This mode will increase the runtime and should only be "
    "enabled for debugging."
)
DETECTED = "Error detected in {}. "
CAUSED = "Traceback of forward call that caused the error:\n"
UNKNOWN = (
    "No forward pass information available. Enable detect anomaly during forward pass for more "
    "information."
)
INDUCED = "\n\nPrevious calculation was induced by {}. "
INDUCED_BY = "Traceback of forward call that induced the previous calculation:\n"
TRACEBACK, PARENT = "traceback_", "parent_"
"""PyTorch's names in a node's ``metadata`` for its lines, and for the node in whose backward it
was made."""


class Anomaly:
    """Observer of anomaly mode while it is on, in every thread."""

    check_nan = True

    def called(
        self,
        op: Op,
        inputs: Sequence[Any],
        params: Mapping[str, Any],
        outputs: tuple[Tensor, ...],
        node: Node | None,
    ) -> None:
        if node is not None:
            remember_traceback(node)

    def wrote(
        self,
        op: Op,
        tensor: Tensor,
        inputs: Sequence[Any],
        params: Mapping[str, Any],
        base: Tensor | None,
        node: Node | None,
    ) -> None:
        for made in (node, tensor._node, None if base is None else base._node):
            if node is not None and made is not None and TRACEBACK not in made.metadata:
                remember_traceback(made)

    def node_finishes(self, run: Run, node: Node, grads: tuple[Any, ...], _freed: bool) -> None:
        if not self.check_nan:
            return
        left = iter(grads)
        for place, slot in enumerate(node.input_targets):
            grad = None if slot is None else next(left)
            data = grad._data if isinstance(grad, runtime.Tensor) else grad
            if data is not None and data.dtype.kind == "f" and np.isnan(data).any():
                raise RuntimeError(
                    f"Function '{node.name()}' returned nan values in its {place}th output."
                )

    def run_ends(self, run: Run, status: str, error: BaseException | None) -> None:
        node = run.current
        if status == "failed" and node is not None:
            for text in warnings_about(node):
                warn_or_print(text)


def warn_or_print(text: str) -> None:
    """Warn; a filter that makes an error of it only lets it be printed, because there is one that
    must not be hidden."""
    try:
        warn(text)
    except Warning as raised:
        raised.__context__ = None
        sys.excepthook(type(raised), raised.with_traceback(None), None)


def remember_traceback(node: Node) -> None:
    """Note where the program stands, as the place where the node was made."""
    frames = traceback.extract_stack(user_frame())
    lines = [frame for frame in frames if not frame.filename.startswith((PACKAGE, "<graphwidget"))]
    node.metadata[TRACEBACK] = traceback.format_list(lines)
    parent = current_node()
    if parent is not None:
        node.metadata[PARENT] = parent


def warnings_about(node: Node) -> Iterator[str]:
    """The warnings about a node whose backward failed: its lines, then those of the node in whose
    backward it was made, and so on."""
    start, caused, unknown = DETECTED, CAUSED, UNKNOWN
    each: Node | None = node
    while each is not None:
        lines = each.metadata.get(TRACEBACK)
        yield start.format(each.name()) + (unknown if lines is None else caused + "".join(lines))
        each = each.metadata.get(PARENT) if lines is not None else None
        start, caused = INDUCED, INDUCED_BY


ANOMALY = Anomaly()


def is_anomaly_enabled() -> bool:
    """Return whether anomaly mode is on."""
    return runtime.anomaly


def is_anomaly_check_nan_enabled() -> bool:
    """Return whether NaN in backward is an error while anomaly mode is on."""
    return ANOMALY.check_nan


def set_anomaly_enabled(enabled: bool, check_nan: bool = True) -> None:
    """Switch anomaly mode, for all threads.

    Raises:
        TypeError: no bools.
    """
    for place, (name, value) in enumerate((("enabled", enabled), ("check_nan", check_nan)), 1):
        if not isinstance(value, bool):
            raise TypeError(
                f"set_anomaly_enabled(): argument '{name}' (position {place}) must be bool, "
                f"not {type(value).__name__}"
            )
    if enabled != runtime.anomaly:
        switch_listener(ANOMALY, enabled)
    runtime.anomaly, ANOMALY.check_nan = enabled, check_nan


class detect_anomaly:
    """Look for the op that went wrong: inside, an error in backward is preceded by a warning that
    shows the lines of the forward call, and NaN in a gradient is an error. A context manager."""

    def __init__(self, check_nan: bool = True) -> None:
        self.check_nan = check_nan
        warn(ENABLED)

    def __enter__(self) -> None:
        self._before = runtime.anomaly, ANOMALY.check_nan
        set_anomaly_enabled(True, self.check_nan)

    def __exit__(self, *exc: object) -> None:
        set_anomaly_enabled(*self._before)


class set_detect_anomaly:
    """Switch anomaly mode by a bool: as a plain call, or for a ``with`` block."""

    def __init__(self, mode: bool, check_nan: bool = True) -> None:
        self._before = runtime.anomaly, ANOMALY.check_nan
        set_anomaly_enabled(mode, check_nan)

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exc: object) -> None:
        set_anomaly_enabled(*self._before)
