"""Saved values: what nodes keep for backward, at which versions, and how it is read back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, ClassVar

from ..optable.declare import Op
from . import errors, runtime
from .base import NodeBase
from .saved_attributes import (
    as_unsigned,
    max_pool_indices,
    saved_attribute_names,
    saved_statistics,
    saved_sym_sizes,
)
from .saved_hooks import Packed, PackedIndices, SavedTensor, pack_slot
from .version import VersionCounter, counter_of, version_of


class SavedValues(NodeBase):
    """The part of a node that keeps values: ``saved_NAME`` for each of ``saves``, and what it
    shows of them as ``_saved_NAME``."""

    __slots__ = ()

    op: ClassVar[Op | None] = None
    targets: ClassVar[tuple[str, ...]] = ()
    saves: ClassVar[tuple[str, ...]] = ()
    held: ClassVar[tuple[str, ...]] = ()
    """Metadata that PyTorch keeps as saved tensors, so that they go when the node has run."""
    own: ClassVar[str | None] = None

    def __init_subclass__(cls) -> None:
        # A ``__getattr__`` would make Python read every attribute of nodes six times as slowly.
        for name in cls.saved_names():
            setattr(cls, "_saved_" + name, property(partial(cls.read_saved, name=name)))
            if cls.op is not None and name in cls.op.tensors:
                setattr(cls, "_raw_saved_" + name, property(partial(SavedTensor.of, slot=name)))
            elif name in cls.held:
                setattr(cls, "_raw_saved_" + name, property(partial(cls.raw_held, name=name)))

    @classmethod
    def saved_names(cls) -> list[str]:
        """Return the names of the ``_saved_*`` attributes: all inputs that any of the op's
        derivatives reads."""
        return [] if cls.op is None else saved_attribute_names(cls.op)

    def read_saved(self: Any, name: str) -> Any:
        """A saved value or piece of metadata by name, version-checked as backward does.

        Raises:
            RuntimeError: it was freed, or written in place since it was saved.
        """
        if "_sym_" in name and name in self.saved_names():
            return saved_sym_sizes(self, *name.split("_sym_"))
        op = self.op
        if op is not None and name == op.saved_choice:
            if self.saved_choice is None:
                raise errors.freed_error(self)
            return max_pool_indices(self)
        if name in self.saves:
            if getattr(self, "saved_" + name) is None:
                raise errors.freed_error(self)
            tensor, version = self.unpack(name)
            if version_of(tensor) != int(version):
                raise errors.version_error(self, name, tensor, version)
            tensor = saved_statistics(self, name, tensor)
            return tensor.as_saved() if tensor._number else tensor
        if op is not None and name in op.metadata(self.targets):
            value = getattr(self, "p_" + name)
            if name not in self.held:
                return as_unsigned(name, value)
            if value is None:
                raise errors.freed_error(self)
            if isinstance(value, PackedIndices):
                return value.restored()
            value.check(self)
            return value.tensors
        if op is not None and name in op.saved_constants:
            return op.saved_constants[name]
        if op is not None and name in op.tensors:
            return None
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '_saved_{name}'")

    def unpack(self, name: str) -> tuple[Any, int]:
        """The Tensor in a saved slot, which is not freed, and the version at which it was saved,
        unchecked.

        An input is kept as the Tensor it was. An output is kept as its array (keeping the
        Tensor would be a cycle) and is given its history back here.
        """
        saved = getattr(self, "saved_" + name)
        if isinstance(saved, Packed):
            tensor = saved.restore(self.output_edge(name) if saved.own else None)
            return tensor, counter_of(tensor).version
        version = getattr(self, "version_" + name)
        if not self.is_own(name):
            return saved, version
        tensor = runtime.Tensor._wrap(saved)
        tensor._counter = self.own_counter(name)
        if tensor._meta.floating and (self.op is None or self.op.differentiable(name)):
            tensor._node = self.output_edge(name)
            tensor._requires_grad = True
        return tensor, version

    def own_counter(self, name: str | None = None) -> VersionCounter:
        """The counter of a saved output, made now if nobody needed it before."""
        slot = f"counter_{name or self.own}"
        with runtime.lock:
            counter: VersionCounter | None = getattr(self, slot)
            if counter is None:
                counter = VersionCounter()
                setattr(self, slot, counter)
        return counter

    def is_own(self, name: str) -> bool:
        """Return whether a saved slot holds one of the node's own outputs."""
        return self.op is not None and name in self.op.outputs

    def output_edge(self, name: str) -> Any:
        """Return where the gradient of the output of this name collects: of a view that was
        written, at its own history for as long as that lives."""
        assert self.op is not None
        outputs = self.op.outputs
        if len(outputs) > 1:
            return self.output(outputs.index(name))
        view: Callable[[], Any] | None = getattr(self, "written_view", None)
        return self if view is None else view() or self

    def raw_held(self: Any, name: str) -> tuple[SavedTensor, ...]:
        """A list of tensors, each as an object.

        Raises:
            RuntimeError: they were freed.
        """
        value = getattr(self, "p_" + name)
        if value is None:
            raise errors.freed_error(self)
        return tuple(SavedTensor.of(self, (name, place)) for place in range(len(value.tensors)))

    def raw_saved(self, slot: Any) -> Any:
        """Return the content of a slot: None for nothing, and the empty tuple once freed."""
        if slot.__class__ is tuple:
            value = getattr(self, "p_" + slot[0])
            return () if value is None else value.tensors[slot[1]]
        if slot not in self.saves:
            return None
        saved = getattr(self, "saved_" + slot)
        if (
            isinstance(saved, runtime.Tensor) and saved._data is None
        ):  # an operand that was left out
            return None
        return () if saved is None else saved

    def read_slot(self, slot: Any) -> Any:
        """A saved tensor as ``read_saved`` gives it, by its slot."""
        return (
            self.read_saved(slot[0])[slot[1]] if slot.__class__ is tuple else self.read_saved(slot)
        )

    def hook_saved(self: Any, slot: Any, both: Any) -> None:
        """Let a pair of hooks keep what a slot holds."""
        if slot.__class__ is not tuple:
            pack_slot(self, slot, both)
            return
        name, place = slot
        kept = list(getattr(self, "p_" + name).tensors)
        kept[place] = Packed(kept[place], kept[place].detach(), False, both)
        setattr(self, "p_" + name, PackedIndices(kept))

    def pass_nothing(self, keep: bool) -> None:
        """Finish a node to which no gradient came: check its saved values (which may raise) and
        free them.

        Raises:
            RuntimeError: it was freed, or written in place since it was saved.
        """
        for name in (*self.saves, *self.held):
            self.read_saved(name)
        if not keep:
            self.release()

    @property
    def holds(self) -> bool:
        """True if there is anything to let go of."""
        return bool(self.saves or self.held)

    def release(self) -> None:
        """Let go of what was saved."""
        for name in self.saves:
            setattr(self, "saved_" + name, None)
        for name in self.held:
            setattr(self, "p_" + name, None)

    def iter_packed(self) -> Iterator[tuple[str, Packed]]:
        """``(slot, what hooks keep)`` of what ``iter_saved`` leaves out, as hooks have it."""
        for name in self.saves:
            saved = getattr(self, "saved_" + name, None)
            if isinstance(saved, Packed):
                yield name, saved

    def iter_saved(self) -> Iterator[tuple[str, Any, int]]:
        """``(slot, Tensor, version)`` for what is saved and not freed, unchecked; without what
        no variable of the program ever was."""
        for name in self.saves:
            saved = getattr(self, "saved_" + name, None)
            if isinstance(saved, Packed):
                continue  # the user's hooks are not called to be watched
            if saved is not None and (self.op is None or name not in self.op.kept):
                tensor, version = self.unpack(name)
                yield name, tensor, version
