"""``checkpoint(use_reentrant=False)``: parts of a model that backward computes again.

What the part's nodes would save is replaced by empty holders; the first that backward opens runs
the part again and fills them all.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

from ..autograd.engine import current_run
from ..autograd.function import Function
from ..autograd.grad_mode import enable_grad
from ..functions.creation.factories import empty
from ..graph import saved_hooks
from ..graph.listeners import get_observer, set_observer
from ..graph.tensor import Tensor

TWICE = (
    "torch.utils.checkpoint: Unpack is being triggered for a tensor that was already unpacked "
    "once. {}If you are calling ctx.saved_tensors in backward, make sure to do so only once. "
    "Otherwise please open an issue with details on your use case."
)
OVERLAP = (
    "Performing two backward calls that overlap (i.e. require the same saved activation in order "
    "to compute gradients) is not allowed while under the torch.utils.checkpoint.GraphExecGroup "
    "context. "
)
TIP = """

Tip: To see a more detailed error message, either pass `debug=True` to
`torch.utils.checkpoint.checkpoint(...)` or wrap the code block
with `with torch.utils.checkpoint.set_checkpoint_debug_enabled(True):` to
enable checkpoint\u2011debug mode globally.

If this error occurs under torch.compile with automatic_dynamic_shapes enabled,
it may be because the recomputation selected a different compiled graph than the
forward pass (e.g., a dynamic graph instead of the original static graph).
To fix this, either:
  - Use torch._dynamo.mark_dynamic() to explicitly mark varying dimensions as
    dynamic upfront, avoiding the static-to-dynamic transition.
  - Call torch._C._dynamo.eval_frame._set_lru_cache(False) to disable LRU cache
    reordering, which can change which graph is checked first between forward
    and recompute.
See https://github.com/pytorch/pytorch/issues/166926 for more details and
workaround examples.
"""


class CheckpointError(RuntimeError):
    """Error: the recomputed values differ from those computed first."""


class Stop(Exception):
    """All that backward needs has been computed again."""


class Inputs(Function):
    """Keeps a part's arguments as nodes keep what they save: with hooks and version checks."""

    @staticmethod
    def forward(ctx: Any, mark: Tensor, *args: Any) -> Tensor:
        """An empty tensor, whose node has the arguments."""
        ctx.save_for_backward(*(each for each in args if isinstance(each, Tensor)))
        ctx.others = [None if isinstance(each, Tensor) else each for each in args]
        ctx.tensors = [isinstance(each, Tensor) for each in args]
        return empty(0)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        """Nobody has the tensor."""
        raise AssertionError("Did not expect to backward on this graph")


def saved_inputs(args: tuple[Any, ...]) -> Any:
    """The node that keeps the arguments; None when nothing is recorded."""
    observer = get_observer()
    set_observer(None)  # it is no part of the user's graph
    try:
        return Inputs.apply(empty(0, requires_grad=True), *args).grad_fn
    finally:
        set_observer(observer)


class Holder:
    """Stands for a saved tensor: what the part computed again for it, by backward run."""

    def __init__(self) -> None:
        self.found: weakref.WeakKeyDictionary[Any, Tensor] = weakref.WeakKeyDictionary()


class GraphExecGroup:
    """Inside, parts without reentrance are computed again at most once, however often backward
    runs. The runs must not need the same saved tensors.

    Raises:
        RuntimeError: inside another one.
    """

    _current: GraphExecGroup | None = None

    def __enter__(self) -> GraphExecGroup:
        if GraphExecGroup._current is not None:
            raise RuntimeError(
                "GraphExecGroup contexts cannot be nested. Already inside group "
                f"{GraphExecGroup._current}"
            )
        GraphExecGroup._current = self
        return self

    def __exit__(self, *exc: object) -> None:
        GraphExecGroup._current = None


class Alone:
    """Stands for a run where none is: a saved tensor is read outside of backward."""


def metadata_of(tensor: Tensor) -> dict[str, Any]:
    """Return the properties of a saved tensor that are compared with the recomputed one."""
    return {"shape": tensor.shape, "dtype": tensor.dtype, "device": tensor.device}


class Part:
    """One call of `checkpoint`. While it is not ``complete``, a backward inside of it computes what
    was computed so far, and as much more as it comes to; nothing is ``compared`` from then on."""

    def __init__(
        self, compute: Callable[[list[Any]], None], saver: Any, early_stop: bool, check: bool
    ) -> None:
        self.compute = compute
        self.saver = saver
        self.early_stop = early_stop
        self.check = check
        self.complete = False
        self.compared = True
        self.holders: list[weakref.ref[Holder]] = []
        self.metadata: list[dict[str, Any]] = []
        self.done: weakref.WeakSet[Any] = weakref.WeakSet()

    def pack(self, tensor: Tensor) -> Holder:
        """A holder in the place of what a node saves."""
        holder = Holder()
        self.holders.append(weakref.ref(holder))
        self.metadata.append(metadata_of(tensor))
        return holder

    def unpack(self, holder: Holder) -> Tensor:
        """Return the recomputed tensor of a holder; the first in a run recomputes all."""
        run: Any = GraphExecGroup._current or current_run() or Alone()
        if run not in self.done:
            self._recompute(run)
            self.done.add(run)
        if run not in holder.found:
            raise CheckpointError(TWICE.format(OVERLAP if run is GraphExecGroup._current else ""))
        return holder.found.pop(run)

    def _recompute(self, run: Any) -> None:
        ctx = self.saver
        saved = iter(ctx.saved_tensors)
        inputs = [
            next(saved) if is_tensor else other
            for is_tensor, other in zip(ctx.tensors, ctx.others, strict=True)
        ]
        filling = Filling(self, run)
        saved_hooks.push(filling.pack, lambda tensor: tensor)
        try:
            with enable_grad():
                self.compute(inputs)
        except Stop:
            pass
        finally:
            saved_hooks.pop()
        filling.compare()


class Filling:
    """A part that is computed again: what its nodes save goes to the holders."""

    def __init__(self, part: Part, run: Any) -> None:
        self.part = part
        self.run = run
        self.metadata: list[dict[str, Any]] = []

    def pack(self, tensor: Tensor) -> Tensor:
        """Fill the next holder. What is kept has no history: that would hold itself."""
        tensor = tensor.detach() if tensor.requires_grad else tensor
        part, place = self.part, len(self.metadata)
        if place >= len(part.holders) and not part.complete:
            part.compared = False
            return tensor
        if place >= len(part.holders):
            raise CheckpointError(
                "torch.utils.checkpoint: trying to save more tensors during recomputation than "
                f"during the original forward pass.{TIP}"
            )
        self.metadata.append(metadata_of(tensor))
        holder = part.holders[place]()
        if holder is not None:
            holder.found[self.run] = tensor
        if part.early_stop and place + 1 == len(part.holders):
            raise Stop
        return tensor

    def compare(self) -> None:
        """Compare what was saved both times.

        Raises:
            CheckpointError: their numbers, shapes or dtypes differ.
        """
        part = self.part
        if not part.compared:
            return
        if len(self.metadata) != len(part.holders):
            raise CheckpointError(
                "torch.utils.checkpoint: A different number of tensors was saved during the "
                "original forward and recomputation.\n"
                f"Number of tensors saved during forward: {len(part.holders)}\n"
                f"Number of tensors saved during recomputation: {len(self.metadata)}.{TIP}"
            )
        if not part.check:
            return
        told = ""
        for place, (first, again) in enumerate(zip(part.metadata, self.metadata, strict=True)):
            if first != again and part.holders[place]() is not None:
                told += (
                    f"tensor at position {place}:\nsaved metadata: {first}\nrecomputed metadata: "
                    f"{again}\n"
                )
        if told:
            raise CheckpointError(
                "torch.utils.checkpoint: Recomputed values for the following tensors have "
                f"different metadata than during the forward pass.\n{told}.{TIP}"
            )


CheckpointError.__module__ = GraphExecGroup.__module__ = __package__ + ".checkpoint"  # for users
