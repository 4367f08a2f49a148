"""``torch.utils.checkpoint``: parts of a model that are computed again in backward.

They keep nothing for backward meanwhile (Chen et al., 2016). With reentrance the part is one node,
whose backward runs it again and then backward through it. Without, empty holders replace what its
nodes would save; the first that backward opens runs the part again and fills them all.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from ..absent import not_here, refuse_others
from ..arrays.warnings import warn
from ..autograd.backward import backward
from ..autograd.engine import current_run
from ..autograd.function import Function
from ..autograd.grad_mode import enable_grad, no_grad
from ..functions.creation.factories import empty
from ..functions.random.generator import default as generator
from ..graph import runtime, saved_hooks
from ..graph.listeners import get_observer, set_observer
from ..graph.tensor import Tensor

# checkpoint(use_reentrant=False) -----------------------------------------------------------------

TWICE = (
    "torch.utils.checkpoint: Unpack is being triggered for a tensor that was already unpacked "
    "once. If you are calling ctx.saved_tensors in backward, make sure to do so only once. "
    "Otherwise please open an issue with details on your use case."
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
        """Required by the interface; never called, as the tensor is unreachable."""
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


class Alone:
    """Stands for a run where none is: a saved tensor is read outside of backward."""


def metadata_of(tensor: Tensor) -> dict[str, Any]:
    """Return the properties of a saved tensor that are compared with the recomputed one."""
    return {"shape": tensor.shape, "dtype": tensor.dtype, "device": tensor.device}


class Part:
    """One call of `checkpoint`. While it is not ``complete``, a backward inside of it computes what
    was computed so far, and the rest of it; nothing is ``compared`` from then on."""

    def __init__(self, compute: Callable[[list[Any]], None], saver: Any, early_stop: bool) -> None:
        self.compute = compute
        self.saver = saver
        self.early_stop = early_stop
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
        run: Any = current_run() or Alone()
        if run not in self.done:
            self._recompute(run)
            self.done.add(run)
        if run not in holder.found:
            raise CheckpointError(TWICE)
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
        text = ""
        for place, (first, again) in enumerate(zip(part.metadata, self.metadata, strict=True)):
            if first != again and part.holders[place]() is not None:
                text += (
                    f"tensor at position {place}:\nsaved metadata: {first}\nrecomputed metadata: "
                    f"{again}\n"
                )
        if text:
            raise CheckpointError(
                "torch.utils.checkpoint: Recomputed values for the following tensors have "
                f"different metadata than during the forward pass.\n{text}.{TIP}"
            )


CheckpointError.__module__ = __package__ + ".checkpoint"  # for users


# -------------------------------------------------------------------------------------------------
__all__ = [
    "CheckpointError", "CheckpointFunction", "check_backward_validity", "checkpoint",
    "detach_variable",
]  # fmt: skip

_EXPLICIT = (
    "torch.utils.checkpoint: the use_reentrant parameter should be passed explicitly. Starting in "
    "PyTorch 2.9, calling checkpoint without use_reentrant will raise an exception. "
    "use_reentrant=False is recommended, but if you need to preserve the current default behavior, "
    "you can pass use_reentrant=True. Refer to docs for more details on the differences between "
    "the two variants."
)
_NOT_PARTLY = (
    "When use_reentrant=True, torch.utils.checkpoint is incompatible with .grad() or passing an "
    "`inputs` parameter to .backward(). To resolve this error, you can either set "
    "use_reentrant=False, or call .backward() without passing the `inputs` argument."
)


def checkpoint(
    function: Callable[..., Any],
    *args: Any,
    use_reentrant: bool | None = None,
    early_stop: bool = True,
    **kwargs: Any,
) -> Any:
    """`function(*args, **kwargs)`, whose nodes keep nothing: backward computes it again.

    Args:
        use_reentrant: as one node (only for whole backward runs), or node by node.
        preserve_rng_state: draw the same random numbers again (default True).
        early_stop: compute again only as far as backward needs it.

    Raises:
        ValueError: options that do not go together.
        NotImplementedError: an option that only PyTorch has.
        CheckpointError: in backward, when the part computes something else the second time.
    """
    if use_reentrant is None:
        warn(_EXPLICIT)
        use_reentrant = True
    preserve = kwargs.pop("preserve_rng_state", True)
    kwargs.pop("debug", None)  # errors say the same with and without it
    for option in kwargs.keys() & {"context_fn", "determinism_check"}:
        raise NotImplementedError(not_here(f"torch.utils.checkpoint.checkpoint's {option}="))
    if kwargs and use_reentrant:
        raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))
    if use_reentrant and runtime.reading is None:
        return CheckpointFunction.apply(function, preserve, *args)
    if runtime.reading is not None:  # a graph that is recorded remembers as it likes
        return function(*args, **kwargs)
    saver = saved_inputs(args)
    if saver is None:  # nothing is recorded
        return function(*args, **kwargs)
    state = generator.get_state() if preserve else None

    def compute(inputs: list[Any]) -> None:
        with _random_numbers(state):
            function(*inputs, **kwargs)

    part = Part(compute, saver, early_stop)
    saved_hooks.push(part.pack, part.unpack)
    try:
        found = function(*args, **kwargs)
    finally:
        saved_hooks.pop()
    part.complete = True
    return found


@contextmanager
def _random_numbers(state: Any) -> Iterator[None]:
    """The random numbers that came after a state; outside they go on as if nothing was drawn."""
    if state is None:
        yield
        return
    now = generator.get_state()
    generator.set_state(state)
    try:
        yield
    finally:
        generator.set_state(now)


# As one node --------------------------------------------------------------------------------------
def check_backward_validity(inputs: Any) -> None:
    """Warn if no argument requires grad."""
    if not any(isinstance(each, Tensor) and each.requires_grad for each in inputs):
        warn("None of the inputs have requires_grad=True. Gradients will be None")


def _like(tensor: Tensor) -> Tensor:
    """An argument for computing again."""
    return tensor.detach().requires_grad_(tensor.requires_grad)


def detach_variable(inputs: tuple[Any, ...]) -> tuple[Any, ...]:
    """Arguments whose tensors are leaves."""
    if not isinstance(inputs, tuple):
        raise RuntimeError(
            "Only tuple of tensors is supported. Got Unsupported input type: ",
            type(inputs).__name__,
        )
    return tuple(_like(each) if isinstance(each, Tensor) else each for each in inputs)


class CheckpointFunction(Function):
    """A part as one node: `CheckpointFunction.apply(function, preserve_rng_state, *args)`."""

    @staticmethod
    def forward(ctx: Any, run_function: Any, preserve_rng_state: bool, *args: Any) -> Any:
        """The function's result."""
        check_backward_validity(args)
        ctx.run_function = run_function
        ctx.state = generator.get_state() if preserve_rng_state else None
        ctx.inputs = [None if isinstance(each, Tensor) else each for each in args]
        ctx.places = [place for place, each in enumerate(args) if isinstance(each, Tensor)]
        ctx.save_for_backward(*(args[place] for place in ctx.places))
        with no_grad():
            return run_function(*args)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        """Run the function again, then backward through it.

        Raises:
            RuntimeError: the run wants the gradients of some tensors only, or nothing that was
                computed requires grad.
        """
        run = current_run()
        if run is not None and run.captures is not None:
            raise RuntimeError(_NOT_PARTLY)
        inputs = list(ctx.inputs)
        for place, tensor in zip(ctx.places, ctx.saved_tensors, strict=True):
            inputs[place] = tensor
        leaves = detach_variable(tuple(inputs))
        with _random_numbers(ctx.state), enable_grad():
            outputs = ctx.run_function(*leaves)
        outputs = (outputs,) if isinstance(outputs, Tensor) else outputs
        pairs = [
            (output, grad)
            for output, grad in zip(outputs, grads, strict=False)
            if isinstance(output, Tensor) and output.requires_grad
        ]
        if not pairs:
            raise RuntimeError(
                "none of output has requires_grad=True, this checkpoint() is not necessary"
            )
        backward([output for output, _ in pairs], [grad for _, grad in pairs])
        return None, None, *(each.grad if isinstance(each, Tensor) else None for each in leaves)


refuse_others(__name__)
