"""The models by name, and how one is made."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Made = tuple[Any, tuple[Any, ...]]
"""A module and its example inputs."""
MODELS: dict[str, Callable[[Any], Made]] = {}


def model(function: Callable[[Any], Made]) -> Callable[[Any], Made]:
    """Let a function make the model of its name."""
    MODELS[function.__name__] = function
    return function


def build(name: str, torch: Any) -> Made:
    """A model and its inputs, the same numbers on both engines."""
    torch.manual_seed(0)
    return MODELS[name](torch)
