"""The globals of generated code, and functions of higher packages that lower ones call.

The functions that ``eager/op_functions.py`` writes have this module's namespace as their globals,
so that the observer and the grad mode are plain global loads, the cheapest that Python has. What is
declared here without a value is a higher package's: ``functions/fill_runtime.py`` gives it.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..arrays.memory_order import ordered
from ..optable.declare import Namespace, Op
from .base import Meta, RunBase, TensorBase, meta, meta_of
from .observer import Observer

__all__ = ["Meta", "meta", "meta_of", "ordered"]

ndarray, array = np.ndarray, np.array
new = object.__new__


def nothing() -> None:
    """Called where a reference would be, were there one."""


def provide(**names: object) -> None:
    """Give values to the names that are declared here without one.

    Raises:
        NameError: a name is not declared, or one that is has no value after this.
    """
    unknown = names.keys() - __annotations__.keys()
    missing = __annotations__.keys() - names.keys() - globals().keys()
    if unknown or missing:
        strangers = ", ".join(sorted(unknown or missing))
        raise NameError(
            f"{'not declared' if unknown else 'without a value'} in {__name__}: {strangers}"
        )
    globals().update(names)


# From graph and eager ---------------------------------------
Tensor: Any
"""The class (``graph/tensor.py``), which no file below it may name as a type."""
wrap: Callable[[Any], Any]
"""``Tensor._wrap``: a new tensor around an array."""
edge_of: Callable[[TensorBase], Any]
"""Function that returns the entry of a node's ``next`` for an input that requires grad
(``graph/node.py``)."""
alias_as: Callable[[type[Any], Any], Any]
"""The same memory and history as an instance of a class of tensors (``eager/op_functions.py``)."""
refresh_for_op: Callable[[TensorBase], None]
"""Brings the history of an operand that is a view up to date (``graph/views.py``)."""
as_view: Callable[..., None]
"""Records that a result is a view of an input (``graph/views.py``)."""
accumulator: Callable[[TensorBase], Any]
"""The AccumulateGrad of a leaf (``graph/node.py``)."""
edgeless: Callable[[str], Any]
"""A node for inputs that require grad, and have no history (``eager/node_classes.py``)."""
tensors: Namespace
"""``F`` on Tensors: the record functions (``eager/node_classes.py``)."""
Constant: Any
"""The class of Python numbers in a tensor's place (``eager/promote.py``)."""
ABSENT: TensorBase
"""Stands for a tensor that was left out (``eager/promote.py``)."""
as_tensors: Callable[[Op, Sequence[Any]], tuple[Any, ...]]
"""Operands as tensors (``eager/promote.py``)."""
promote: Callable[[Op, Sequence[Any]], tuple[list[np.ndarray], Any]]
"""Arrays of one type for the kernel, and what gradients are fitted to (``eager/promote.py``)."""
fit_to: Callable[[Any, Any], Any]
"""A gradient summed and cast to what was broadcast and promoted (``eager/promote.py``)."""
checked_fit: Callable[[Any, Meta, int, str | None], Any]
"""The same for a gradient of any shape, which is refused if it cannot be (``eager/promote.py``)."""
not_a_tensor_error: Callable[[Op, Sequence[Any]], TypeError]
"""The error for an operand that is no tensor (``eager/promote.py``)."""
not_differentiable: Callable[[np.dtype[Any]], RuntimeError]
"""The error for a history of integers (``graph/errors.py``)."""
QUIET: Any
"""The state in which numpy does not complain (``eager/promote.py``)."""
ignore_errors: Callable[[Any], Any]
"""Sets that state, and gives what ``restore_errors`` takes to undo it."""
restore_errors: Callable[[Any], Any]

# From autograd ---------------------------------------------------------------
accumulate: Callable[..., None]
"""Adds what arrives at a leaf into its ``.grad`` (``autograd/accumulate_grad.py``)."""
current_run: Callable[[], RunBase | None]
"""The innermost backward run inside which this thread is."""

# From dispatch -----------------------------------------------
enable_overrides: Callable[[], None]
"""Lets public functions ask for overrides from now on (``dispatch/overriding.py``)."""
ask: Callable[..., Any]
"""Result of a call by objects that override the function; ``NOT_OVERRIDDEN`` without any."""
explain: Callable[[str, dict[str, Any]], bool]
"""Raises PyTorch's error for a failed call of a function that PyTorch writes in Python
(``dispatch/delegates.py``); True if the function is known there."""
has_undeclared_override: Callable[..., bool]
"""True if a call failed because of an object with ``__torch_function__`` that was not asked."""
operator_not_implemented: Callable[..., Any]
"""Result of an operator for operands that it does not know."""

# From functions -----------------------------------------------
legacy_tensor: Callable[..., np.ndarray]
"""The array of ``Tensor(2, 3)`` (``functions/creation/factories.py``)."""
as_strided: Callable[..., Any]
"""A view by sizes and strides in items (``functions/shape/select_diagonal.py``)."""
uniform: Callable[..., np.ndarray]
"""Uniform random numbers (``functions/random/generator.py``)."""

# Observers of numbers that leave tensors ---------------------------------------------------------
reading: Callable[[Sequence[Any], Callable[..., Any] | None, str], None] | None = None
"""Called with tensors whose numbers Python is about to read, with the function of their arrays that
gives what it sees (None where it may be anything), and in which words. Who records a function as a
graph must know: what Python does with the numbers is no part of it."""
drawing: Callable[[Callable[[], np.ndarray]], np.ndarray] | None = None
"""Draws random numbers in the place of the caller, by the function that would: who records
a function as a graph draws again in each run."""

# What is on, and counts ---------------------------------------------------------------------------
observer: Observer | None = None

overridden = False
"""True if there ever was a class, mode or object with ``__torch_function__``: before that, no
function asks for one."""

drive: Callable[[RunBase], None] | None = None
"""Takes steps of each backward run that the program begins, before the engine takes those that
are left: set by the stepper (``widget/pausing.py``)."""

NOT_OVERRIDDEN = object()
"""No object overrides a call: the function itself computes it."""

anomaly = False
"""True while anomaly mode is on (see ``autograd/anomaly_mode.py``)."""

grad_everywhere = True
"""True while no thread has switched gradients off: then the thread's mode is not read."""

derived = False
"""True once any thread has recorded a derivative."""

next_sequence = itertools.count(0.0).__next__
"""Sequence numbers of nodes, one count for all threads: floats, because leaves are put between."""


class Mode(threading.local):
    """The grad mode of a thread: ``enabled`` says whether ops are recorded. In ``inference`` mode
    they never are, whatever was ``requested``."""

    enabled = True
    requested = True
    inference = False
    deriving = False
    """True while a derivative's formula runs and its computation is recorded."""


mode = grad_mode = Mode()  # by the longer name in written functions: ops have params called mode
thread_states: list[threading.local] = [mode]
"""State of one thread that goes along when it has another thread do a part of its work."""
_disabled_threads: set[int] = set()

lock = threading.RLock()
"""Lock of a thread that makes or changes what belongs to all threads: the end of a leaf's graph,
its ``.grad``, a storage's counter, the order of a run. Reentrant: what is collected as garbage
meanwhile may run any code."""


def grad_enabled() -> bool:
    """Return whether this thread records."""
    return mode.enabled


def set_grad_enabled(on: bool) -> None:
    """Set this thread's mode (users call ``autograd/grad_mode.py``)."""
    global grad_everywhere
    mode.requested = on
    on = on and not mode.inference
    mode.enabled = on
    ident = threading.get_ident()
    if on and ident not in _disabled_threads:
        return
    with lock:
        (_disabled_threads.discard if on else _disabled_threads.add)(ident)
        grad_everywhere = not _disabled_threads
