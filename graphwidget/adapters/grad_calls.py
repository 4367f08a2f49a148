"""Calls of ``autograd.grad``, recorded as one op on the outputs and the inputs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

GRAD = "grad"


def grad_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """Those of its options that the user did not leave as they are."""
    return {
        name: value
        for name, value in options.items()
        if value is not None
        and value is not False
        and name != "only_inputs"
        and not _nothing(value)
    }


def _nothing(value: Any) -> bool:
    """Return whether it is what PyTorch makes of ``grad_outputs`` that were not given."""
    return isinstance(value, tuple) and all(each is None for each in value)
