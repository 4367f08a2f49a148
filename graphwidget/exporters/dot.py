"""Graphviz's program ``dot``, which renders pictures."""

from __future__ import annotations

import shutil

NO_DOT = (
    "The picture needs Graphviz's program 'dot', which was not found. Install Graphviz "
    "(Debian, Ubuntu: apt install graphviz; macOS: brew install graphviz; conda: conda install "
    "graphviz; Windows: winget install graphviz). The widget itself does not need it."
)


def require_dot() -> None:
    """Raise RuntimeError, naming the package to install, when there is no ``dot``."""
    if shutil.which("dot") is None:
        raise RuntimeError(NO_DOT)


def has_dot() -> bool:
    """Return whether pictures can be rendered here."""
    return shutil.which("dot") is not None
