"""Saved values of nodes: versions, how they are read back, and the ``_saved_*`` attributes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from math import prod
from typing import Any, ClassVar

import numpy as np

from ..arrays.memory_order import torch_strides
from ..optable.declare import GIVEN, Op
from ..optable.layers.pooling import flat_indices
from . import errors, runtime
from .base import NodeBase
from .saved_hooks import Packed, PackedIndices, SavedTensor, pack_slot
from .version import VersionCounter, counter_of, version_of

# The _saved_* attributes of nodes, under PyTorch's names -----------------------------------------


def saved_attribute_names(op: Op) -> list[str]:
    """Return the names of the ``_saved_*`` attributes: all inputs that any of the op's derivatives
    reads."""
    names: list[str] = []
    for target, derivative in op.derivatives.items():
        for need in derivative.needs:
            source = need.removesuffix("_shape")
            sized = need.endswith("_shape") and need not in op.params
            single = sized and source in op.saved_sizes
            if single or need.startswith("_") or need.endswith("_dtype"):
                continue
            if sized:
                names += [f"{source}_sym_sizes", *([f"{source}_sym_numel"] * (op.name == "mean"))]
            elif need.endswith("_strides"):
                names += [f"{target}_sym_sizes", f"{target}_sym_strides"]
            elif need in op.inputs or need not in GIVEN:
                names.append(op.saved_choice or need if need == "choice" else need)
    for source, dims in op.saved_sizes.items():
        names += [f"{source}_sym_argsize_{'minus_' * (d < 0)}{abs(d)}" for d in dims]
    asked = {need for derivative in op.derivatives.values() for need in derivative.needs}
    names += [f"{each}_sym_sizes_opt" for each in op.optional if f"_{each}_shape" in asked]
    names += op.saved_constants
    return list(dict.fromkeys(names))


def max_pool_indices(node: Any) -> Any:
    """The chosen places of windows as flat indices into the dims that were pooled."""
    choice, _ = node.unpack("choice")
    hidden = hasattr(node, "p__kernel")
    names = ("_kernel", "_stride", "_padding", "_dilation")
    sizes = [getattr(node, f"p_{name}") for name in (names if hidden else PARTS)]
    return runtime.Tensor._wrap(flat_indices(choice._data, shape_of_operand(node, "self"), *sizes))


PARTS = ("kernel_size", "stride", "padding", "dilation")


def shape_of_operand(node: NodeBase, name: str) -> Any:
    """The shape of an input or output, wherever the node has it from."""
    for slot in (f"p_{name}_shape", f"p__{name}_shape"):
        if hasattr(node, slot):
            return getattr(node, slot)
    return getattr(node, f"saved_{name}").shape


def saved_sym_sizes(node: NodeBase, name: str, what: str) -> Any:
    """The ``sizes`` of an input, one size, its ``numel``, or its ``strides`` in items; no strides
    where its gradient is not wanted."""
    if what.startswith("argsize_"):
        number = what.removeprefix("argsize_").replace("minus_", "-")
        return shape_of_operand(node, name)[int(number)]
    if what == "sizes_opt":
        return getattr(node, f"p__{name}_shape") or (0,)
    shape = getattr(node, f"p_{name}_shape")
    if what == "strides" and name not in node.targets:
        return ()
    if what != "strides":
        return prod(shape) if what == "numel" else tuple(shape)
    itemsize = getattr(node, f"p_{name}_dtype").itemsize
    strides = torch_strides(shape, getattr(node, f"p_{name}_strides"), itemsize)
    return tuple(step // itemsize for step in strides)


NUMBERS = (
    "alpha", "beta", "correction", "exponent", "lambd", "max", "max_val", "maxnorm", "min",
    "min_val", "negative_slope", "ord", "other", "p", "threshold", "value",
)  # fmt: skip
"""Metadata that are numbers, not dims or sizes."""


def as_unsigned(name: str, value: Any) -> Any:
    """Metadata as PyTorch shows it: negative dims and sizes as 64-bit words without a sign."""
    if name in NUMBERS:
        return value.item() if isinstance(value, (np.generic, runtime.Tensor)) else value
    if value.__class__ is tuple:
        return tuple(as_unsigned(name, each) for each in value)
    if isinstance(value, int) and not isinstance(value, bool):
        return int(value) % 2**64
    return value


def saved_statistics(node: NodeBase, name: str, tensor: Any) -> Any:
    """Return statistics that a kernel kept for derivatives in PyTorch's form: without dims of size
    1, and none of a batch where they were given."""
    if node.op is None or name not in node.op.kept:
        return tensor
    if node.op.name == "native_batch_norm":
        return tensor.reshape(-1) if node.p_training else tensor.reshape(-1)[:0]
    return tensor


# -------------------------------------------------------------------------------------------------
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
        """The counter of a saved output, made when it is first needed."""
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
        """True if there is anything to release."""
        return bool(self.saves or self.held)

    def release(self) -> None:
        """Release what was saved."""
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
