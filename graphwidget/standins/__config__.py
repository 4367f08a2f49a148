"""`torch.__config__`: how the package is built, which is to say, numpy."""

from __future__ import annotations

import contextlib
import io
import os

import numpy as np

__all__ = ["parallel_info", "show"]


def show() -> str:
    """Return numpy's description of its build."""
    told = io.StringIO()
    with contextlib.redirect_stdout(told):
        np.show_config()
    return f"graphwidget on numpy {np.__version__}:\n{told.getvalue()}"


def parallel_info() -> str:
    """Return how many processors there are."""
    return f"numpy {np.__version__} on {os.cpu_count()} processors"
