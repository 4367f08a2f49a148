"""Version counters: how often a storage was written in place, and by which lines.

One counter per storage, shared by a tensor, its views and its ``detach()``ed aliases. A counter
is made when it is first asked for; most intermediate results never need one.
"""

from __future__ import annotations

from collections import deque
from types import CodeType
from typing import NamedTuple

from ..arrays.warnings import CallSite, user_frame
from . import runtime
from .base import TensorBase

REMEMBERED_WRITES = 16
"""Number of the latest writes that a counter can name; a parameter is written without end."""


class WriteRecord(NamedTuple):
    """The write that raised a storage to ``version``, the op that did it and where."""

    version: int
    op: str
    site: CallSite | None


Write = tuple[int, str, tuple[CodeType, int] | None]
"""The same as plain tuples, of which one is made for every write."""


class VersionCounter:
    """The version of one storage and its latest writes.

    The defaults stand on the class and there is no ``__init__``: most counters are made because
    a result is saved, and are never written.

    ``version_to_save`` is the version as a node may save it: it equals ``version``, but inference
    tensors do not give it, which is how nodes refuse to save them without asking.
    """

    version: int = 0
    version_to_save: int = 0
    writes: deque[Write] | None = None
    _rec: int | None = None
    """Data of the observer."""

    def writes_after(self, version: int) -> list[WriteRecord]:
        """The remembered writes that made the storage newer than ``version``, oldest first."""
        return [
            WriteRecord(reached, op, None if site is None else CallSite(*site))
            for reached, op, site in self.writes or ()
            if reached > version
        ]


def counter_at_version(version: int = 1) -> VersionCounter:
    """The counter of a tensor that was made empty and then filled, or written more often before
    anyone saw it: PyTorch counts that."""
    counter = VersionCounter()
    counter.version = counter.version_to_save = version
    return counter


def counter_for_grad(sums: int = 0) -> VersionCounter | None:
    """Return the counter of a gradient that was added to in place ``sums`` times: in inference mode
    that of all that is made there."""
    if runtime.mode.inference:
        return InferenceCounter()
    return counter_at_version(sums) if sums else None


class InferenceCounter(VersionCounter):
    """The counter of tensors made in inference mode: it counts writes, but nodes
    cannot save what has it."""

    @property
    def version_to_save(self) -> int:  # type: ignore[override]
        """Refused.

        Raises:
            RuntimeError: always (PyTorch's text).
        """
        raise RuntimeError(
            "Inference tensors cannot be saved for backward. Please do not use Tensors created in "
            "inference mode in computation tracked by autograd. To work around this, you can make "
            "a clone to get a normal tensor and use it in autograd, or use `torch.no_grad()` "
            "instead of `torch.inference_mode()`."
        )


class DetachedInference(InferenceCounter):
    """The counter of what was detached from such a tensor outside of inference mode: it may be
    written there, and has a version."""

    @property
    def version_to_save(self) -> int:
        """Refused."""
        return super().version_to_save

    @version_to_save.setter
    def version_to_save(self, value: int) -> None:
        """Raise: such a value is never saved."""


def detached_inference() -> InferenceCounter:
    """The counter of what is detached from an inference tensor."""
    return InferenceCounter() if runtime.mode.inference else DetachedInference()


class VersionAfterDetach(int):
    """The version of a tensor after ``detach_`` cut it from its history: equal to none that was
    saved before."""

    def __eq__(self, other: object) -> bool:
        return other.__class__ is VersionAfterDetach and int(self) == int(other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = int.__hash__


class DetachedCounter(VersionCounter):
    """Counter of a tensor that was cut from its history: the storage's counter, which its aliases
    share, while earlier saves are still checked when they are unpacked."""

    def __init__(self, shared: VersionCounter) -> None:
        self.shared = shared

    @property
    def version(self) -> int:
        """The storage's version, as a ``VersionAfterDetach``."""
        return VersionAfterDetach(self.shared.version)

    @version.setter
    def version(self, value: int) -> None:
        self.shared.version = int(value)

    @property
    def version_to_save(self) -> int:
        """Like ``version``, for nodes to save."""
        return VersionAfterDetach(self.shared.version_to_save)

    @version_to_save.setter
    def version_to_save(self, value: int) -> None:
        self.shared.version_to_save = int(value)

    @property
    def writes(self) -> deque[Write] | None:
        """The storage's."""
        return self.shared.writes

    @writes.setter
    def writes(self, value: deque[Write] | None) -> None:
        self.shared.writes = value


INFERENCE_WRITE = (
    "Inplace update to inference tensor outside InferenceMode is not allowed."
    "You can make a clone to get a normal tensor before doing inplace update."
    "See https://github.com/pytorch/rfcs/pull/17 for more details."
)


def counter_of(tensor: TensorBase) -> VersionCounter:
    """The tensor's counter, made now if this is the first question."""
    counter: VersionCounter | None = tensor._counter
    if counter is None:
        node = tensor._node
        own = None if node is None or node.own is None else node.own_counter()
        made = own or VersionCounter()
        # Nothing is called within this line, so no other thread comes in between.
        counter = tensor._counter = tensor._counter or made
    return counter


def version_of(tensor: TensorBase) -> int:
    """The tensor's version, also that of an inference tensor."""
    return 0 if tensor._counter is None else int(tensor._counter.version)


def bump(tensor: TensorBase, op: str, site: tuple[CodeType, int] | None = None) -> None:
    """Count one in-place write: the only place where a version changes.

    ``site`` says where the user's program stands; found out here unless it is given.

    Raises:
        RuntimeError: an inference tensor, outside of inference mode (PyTorch's text; there too the
            values are written by then).
    """
    counter = tensor._counter or counter_of(tensor)
    counter.version += 1
    if counter.__class__ is not InferenceCounter:
        counter.version_to_save = counter.version
    elif not runtime.mode.inference:
        raise RuntimeError(INFERENCE_WRITE)
    if counter.writes is None:
        counter.writes = deque(maxlen=REMEMBERED_WRITES)
    if site is None and (frame := user_frame(2)) is not None:
        site = (frame.f_code, frame.f_lasti)
    counter.writes.append((counter.version, op, site))
