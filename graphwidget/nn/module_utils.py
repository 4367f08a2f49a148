"""``torch.nn.modules.utils``: helpers for layers that users write."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any


def _ntuple(n: int, name: str = "parse") -> Callable[[Any], tuple[Any, ...]]:
    """A function that makes a tuple of an iterable, or of anything else n times."""

    def parse(x: Any) -> tuple[Any, ...]:
        return tuple(x) if isinstance(x, Iterable) else (x,) * n

    parse.__name__ = name
    return parse


_single, _pair = _ntuple(1, "_single"), _ntuple(2, "_pair")
_triple, _quadruple = _ntuple(3, "_triple"), _ntuple(4, "_quadruple")


def _reverse_repeat_tuple(t: Sequence[Any], n: int) -> tuple[Any, ...]:
    """The items from last to first, each n times: a padding of layers as one of `pad`."""
    return tuple(item for item in reversed(t) for _ in range(n))


def consume_prefix_in_state_dict_if_present(state_dict: dict[str, Any], prefix: str) -> None:
    """Take a prefix off the keys of a state dict, in place, and off those of its metadata."""
    for key in [key for key in state_dict if key.startswith(prefix)]:
        state_dict[key.removeprefix(prefix)] = state_dict.pop(key)
    metadata = getattr(state_dict, "_metadata", {})
    for key in [key for key in metadata if f"{key}.".startswith(prefix)]:
        metadata[key[len(prefix) :]] = metadata.pop(key)
