"""The state of the random numbers, as in `torch.random`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from .absent import refuse_others
from .functions.random.generator import default as default_generator
from .functions.random.generator import initial_seed, manual_seed, seed
from .graph.tensor import Tensor

__all__ = [
    "default_generator",
    "fork_rng",
    "get_rng_state",
    "initial_seed",
    "manual_seed",
    "seed",
    "set_rng_state",
]


def get_rng_state() -> Tensor:
    """The default generator's state as a uint8 tensor, in PyTorch's layout."""
    return default_generator.get_state()  # type: ignore[no-any-return]


def set_rng_state(new_state: Tensor) -> None:
    """Put the default generator into a state that `get_rng_state` gave."""
    default_generator.set_state(new_state)


@contextmanager
def fork_rng(
    devices: Any = None, enabled: bool = True, device_type: str = "cuda", **kwargs: Any
) -> Iterator[None]:
    """Random numbers drawn inside leave the default generator as it was outside."""
    state = get_rng_state()
    try:
        yield
    finally:
        if enabled:
            set_rng_state(state)


refuse_others(__name__)
