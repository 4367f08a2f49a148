"""Rules of autograd that a program may relax for a while: where gradients lie in memory, which
versions count, and how many threads run backward."""

from __future__ import annotations

import threading
from typing import Any

from .modes import _Mode, wanted_bool
from .tensor import Tensor
from .version import counter_of


class Policy(threading.local):
    """What holds in a thread: whether first gradients that lie in memory otherwise than their
    leaves are copied, and whether other threads may run parts of backward."""

    layout = True
    threads = True


policy = Policy()


class enforce_grad_layout_policy(_Mode):
    """Whether a leaf's gradient must lie in memory as promised. Without that one which nobody else
    has is taken over as it is, and there are no warnings of sums that lie otherwise. A plain call,
    a context manager or a decorator; it concerns the thread that calls it."""

    def __init__(self, enable: bool = True) -> None:
        wanted_bool("set_grad_layout_enforcement_enabled", enable)
        self.mode, self.prev = enable, policy.layout
        policy.layout = enable

    def __enter__(self) -> None:
        policy.layout = self.mode

    def __exit__(self, *exc: object) -> None:
        policy.layout = self.prev

    def __call__(self, function: Any) -> Any:
        policy.layout = self.prev  # as a decorator it changes nothing outside
        return super().__call__(function)

    def clone(self) -> _Mode:
        return type(self)(self.mode)


class set_multithreading_enabled(_Mode):
    """PyTorch's switch of the threads that run backward on other devices. There are none here, so
    it only says what it was told."""

    def __init__(self, mode: bool) -> None:
        wanted_bool("set_multithreading_enabled", mode)
        self.mode, self.prev = mode, policy.threads
        policy.threads = mode

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exc: object) -> None:
        policy.threads = self.prev

    def clone(self) -> _Mode:
        return type(self)(self.mode)


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
for _kind in (
    enforce_grad_layout_policy, set_multithreading_enabled, unsafe_preserve_version_counter
):  # fmt: skip
    _kind.__module__ = "torch.autograd.grad_mode"
