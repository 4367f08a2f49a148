"""Rules of autograd that a program may relax for a while: where gradients lie in memory, which
versions count, and how many threads run backward."""

from __future__ import annotations

from typing import Any

from .modes import _Mode, wanted_bool
from .policy import policy
from .tensor import Tensor
from .version import counter_of


class _Switch(_Mode):
    """Switches a policy by a bool: as a plain call, a context manager or a decorator. It concerns
    the thread that calls it."""

    field: str
    function: str
    """What PyTorch calls what does it, in errors."""

    def __init__(self, mode: bool) -> None:
        wanted_bool(self.function, mode)
        self.mode, self.prev = mode, getattr(policy, self.field)
        setattr(policy, self.field, mode)

    def __enter__(self) -> None:
        setattr(policy, self.field, self.mode)

    def __exit__(self, *exc: object) -> None:
        setattr(policy, self.field, self.prev)

    def __call__(self, function: Any) -> Any:
        setattr(policy, self.field, self.prev)  # as a decorator it changes nothing outside
        return super().__call__(function)

    def clone(self) -> _Mode:
        return type(self)(self.mode)


class enforce_grad_layout_policy(_Switch):
    """Whether a leaf's gradient must lie in memory as promised. Without that one which nobody else
    has is taken over as it is, and there are no warnings of sums that lie otherwise."""

    field, function = "layout", "set_grad_layout_enforcement_enabled"

    def __init__(self, enable: bool = True) -> None:
        super().__init__(enable)


class set_multithreading_enabled(_Switch):
    """PyTorch's switch of the threads that run backward on other devices. There are none here, so
    it only says what it was told."""

    field = "threads"
    function = "set_multithreading_enabled"

    def __init__(self, mode: bool) -> None:
        super().__init__(mode)

    def __enter__(self) -> None:
        pass

    def __call__(self, function: Any) -> Any:
        return _Mode.__call__(self, function)


class force_original_view_tracking(_Switch):
    """Whether views whose base was written get a history of the view ops that made them, rather
    than one of their place in memory."""

    field, function = "replay", "set_view_replay_enabled"

    def __init__(self, mode: bool) -> None:
        super().__init__(mode)


def is_view_replay_enabled() -> bool:
    """Whether ``_force_original_view_tracking`` was last told so."""
    return policy.replay


def is_multithreading_enabled() -> bool:
    """Whether ``set_multithreading_enabled`` was last told so."""
    return policy.threads


class unsafe_preserve_version_counter(_Mode):
    """Hides writes to some tensors: after the block they have the versions that they had before.
    What backward needs of them must be there again by then.

    Raises:
        AssertionError: neither a tensor nor a tuple of them.
    """

    def __init__(self, tensors: Tensor | tuple[Tensor, ...]) -> None:
        self.tensors: Any = (tensors,) if isinstance(tensors, Tensor) else tensors
        assert isinstance(self.tensors, tuple), "Expected tensors to be a tuple"
        self.prev_versions = tuple(each._version for each in self.tensors)

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exc: object) -> None:
        for each, version in zip(self.tensors, self.prev_versions, strict=True):
            counter = counter_of(each)
            counter.version = counter.savable = version

    def clone(self) -> _Mode:
        return type(self)(self.tensors)


unsafe_preserve_version_counter.__name__ = "_unsafe_preserve_version_counter"
force_original_view_tracking.__name__ = "_force_original_view_tracking"
for _kind in (*_Switch.__subclasses__(), unsafe_preserve_version_counter):
    _kind.__module__ = "torch.autograd.grad_mode"
