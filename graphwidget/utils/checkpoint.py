"""``torch.utils.checkpoint``: parts of a model that are computed again in backward.

They keep nothing for backward meanwhile.

As `torch.utils.checkpoint` (Chen et al., 2016). With reentrance the part is one node, whose
backward runs it again and then backward through it. Without, its nodes are computed again one by
one (``non_reentrant_checkpoint.py``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

from ..absent import refuse_others
from ..arrays.warnings import warn
from ..autograd.backward import backward
from ..autograd.engine import current_run
from ..autograd.function import Function
from ..autograd.grad_mode import enable_grad, no_grad
from ..functions.random.generator import default as generator
from ..graph import runtime, saved_hooks
from ..graph.tensor import Tensor
from .non_reentrant_checkpoint import CheckpointError, GraphExecGroup, Part, saved_inputs

__all__ = [
    "CheckpointError", "CheckpointFunction", "GraphExecGroup", "check_backward_validity",
    "checkpoint",
    "checkpoint_sequential", "detach_variable", "noop_context_fn", "set_checkpoint_debug_enabled",
    "set_checkpoint_early_stop",
]  # fmt: skip

Contexts = tuple[AbstractContextManager[Any], AbstractContextManager[Any]]

_EXPLICIT = (
    "torch.utils.checkpoint: the use_reentrant parameter should be passed explicitly. Starting in "
    "PyTorch 2.9, calling checkpoint without use_reentrant will raise an exception. "
    "use_reentrant=False is recommended, but if you need to preserve the current default behavior, "
    "you can pass use_reentrant=True. Refer to docs for more details on the differences between "
    "the two variants."
)
_EXPLICIT_SEQUENTIAL = (
    "torch.utils.checkpoint.checkpoint_sequential: the use_reentrant parameter should be passed "
    "explicitly. In version 2.9 we will raise an exception if use_reentrant is not passed. "
    "use_reentrant=False is recommended, but if you need to preserve the current default behavior, "
    "you can pass use_reentrant=True. Refer to docs for more details on the differences between "
    "the two variants."
)
_NOT_PARTLY = (
    "When use_reentrant=True, torch.utils.checkpoint is incompatible with .grad() or passing an "
    "`inputs` parameter to .backward(). To resolve this error, you can either set "
    "use_reentrant=False, or call .backward() without passing the `inputs` argument."
)


def noop_context_fn() -> Contexts:
    """No contexts around the part, the first time and again."""
    return nullcontext(), nullcontext()


_early_stop: bool | None = None


@contextmanager
def set_checkpoint_early_stop(enable: bool) -> Iterator[None]:
    """Inside, whether a part is computed again only as far as backward needs it."""
    global _early_stop
    before, _early_stop = _early_stop, enable
    try:
        yield
    finally:
        _early_stop = before


@contextmanager
def set_checkpoint_debug_enabled(enabled: bool | None) -> Iterator[None]:
    """Accepted for PyTorch's programs: errors say the same with and without it."""
    yield


def checkpoint(
    function: Callable[..., Any],
    *args: Any,
    use_reentrant: bool | None = None,
    context_fn: Callable[[], Contexts] = noop_context_fn,
    determinism_check: str = "default",
    debug: bool = False,
    early_stop: bool = True,
    **kwargs: Any,
) -> Any:
    """`function(*args, **kwargs)`, whose nodes keep nothing: backward computes it again.

    Args:
        use_reentrant: as one node (only for whole backward runs), or node by node.
        context_fn: gives the contexts to be around the part, the first time and again.
        determinism_check: "none" does not compare shapes and dtypes of what is computed again.
        preserve_rng_state: draw the same random numbers again (default True).
        early_stop: compute again only as far as backward needs it.

    Raises:
        ValueError: options that do not go together.
        CheckpointError: in backward, when the part computes something else the second time.
    """
    if use_reentrant is None:
        warn(_EXPLICIT)
        use_reentrant = True
    preserve = kwargs.pop("preserve_rng_state", True)
    if kwargs and use_reentrant:
        raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))
    if use_reentrant:
        if context_fn is not noop_context_fn or debug:
            raise ValueError(
                "Passing `context_fn` or `debug` is only supported when use_reentrant=False."
            )
        if runtime.reading is None:
            return CheckpointFunction.apply(function, preserve, *args)
    if runtime.reading is not None:  # a graph that is recorded remembers as it likes
        return function(*args, **kwargs)
    if determinism_check not in ("default", "none"):
        raise ValueError(
            f"determinism_check should be one of ['default', 'none'], but got {determinism_check}"
        )
    first, again = context_fn()
    saver = saved_inputs(args)
    if saver is None:  # nothing is recorded
        with first:
            return function(*args, **kwargs)
    state = generator.get_state() if preserve else None

    def compute(inputs: list[Any]) -> None:
        with _random_numbers(state), again:
            function(*inputs, **kwargs)

    early = early_stop if _early_stop is None else _early_stop
    part = Part(compute, saver, early, determinism_check == "default")
    saved_hooks.push(part.pack, part.unpack)
    try:
        with first:
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


def checkpoint_sequential(
    functions: Any, segments: int, input: Any, use_reentrant: bool | None = None, **kwargs: Any
) -> Any:
    """The modules of a `Sequential`, or functions in a list, one after another in `segments`
    checkpoints; the last segment keeps what it saves.

    Raises:
        ValueError: unknown options, or more segments than functions.
    """
    if use_reentrant is None:
        warn(_EXPLICIT_SEQUENTIAL)
        use_reentrant = True
    preserve = kwargs.pop("preserve_rng_state", True)
    if kwargs:
        raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))
    listed = functions if isinstance(functions, list) else list(functions.children())
    size = len(listed) // segments

    def segment(start: int, end: int) -> Callable[[Any], Any]:
        def forward(input: Any) -> Any:
            for each in listed[start:end]:
                input = each(input)
            return input

        return forward

    end = size * (segments - 1)
    for start in range(0, end, size):
        input = checkpoint(
            segment(start, start + size), input, use_reentrant=use_reentrant,
            preserve_rng_state=preserve,
        )  # fmt: skip
    return segment(end, len(listed))(input)


refuse_others(__name__)
