"""The globals of the generated code: what every op must reach without looking anywhere else.

The functions that ``compile`` writes have this module's namespace as their globals, so that
the observer and the grad mode are plain global loads, the cheapest that Python has.
"""

from __future__ import annotations

import itertools
import threading
from typing import Any

from .meta import Meta, meta, meta_of
from .observer import Observer

__all__ = ["Meta", "meta", "meta_of"]

# Filled in by the modules that define them; generated code finds them here.
Tensor: Any
Constant: Any
Output: Any
VersionCounter: Any
tensors: Any
"""``F`` on Tensors."""
new: Any
ndarray: Any
array: Any
current_run: Any
nothing: Any
wrap: Any
legacy_array: Any
uniform: Any
"""Uniform random arrays."""
ABSENT: Any
"""What stands for a tensor that was left out."""
accumulator: Any
edgeless: Any
accumulate: Any
target_of: Any
counter_of: Any
save_input: Any
save_output: Any
as_view: Any
alias_as: Any
refresh: Any
coerce: Any
promote: Any
ordered: Any
broadcast: Any
fit_to: Any
checked_fit: Any
not_tensor: Any
not_differentiable: Any
hush: Any
unhush: Any
QUIET: Any
written: Any
copied: Any
dtype_of_grad: Any
as_strided: Any
DETACH: Any
awaken: Any
"""Sets fronts before public functions (see ``fronts``)."""
left_alone: Any

observer: Observer | None = None

anomaly = False
"""Whether anomaly mode is on (see ``core.anomaly``)."""

grad_everywhere = True
"""True while no thread has switched gradients off: then nobody asks for the thread's mode."""

derived = False
"""Whether any thread ever recorded a derivative (before that, nobody asks if it is at it)."""

next_sequence = itertools.count(0.0).__next__
"""Sequence numbers of nodes, one count for all threads: floats, because leaves are put between."""


class Mode(threading.local):
    """The grad mode of a thread: ``enabled`` says whether ops are recorded. In ``inference`` mode
    they never are, whatever was ``asked``."""

    enabled = True
    asked = True
    inference = False
    deriving = False
    """Whether a derivative's formula is running, and what it computes is recorded."""


mode = grad_mode = Mode()  # by the longer name in written functions: ops have params called mode
thread_states: list[threading.local] = [mode]
"""What holds in one thread, and goes along when that has another one do a part of its work."""
_disabled_threads: set[int] = set()

lock = threading.RLock()
"""Held by a thread that makes or changes what belongs to all threads: the end of a leaf's graph,
its ``.grad``, a storage's counter, the order of a run. Reentrant: what is collected as garbage
meanwhile may run any code."""


def grad_enabled() -> bool:
    """Whether this thread records."""
    return mode.enabled


def set_grad_enabled(on: bool) -> None:
    """Set this thread's mode (the public face is ``core.modes``)."""
    global grad_everywhere
    mode.asked = on
    on = on and not mode.inference
    mode.enabled = on
    ident = threading.get_ident()
    if on and ident not in _disabled_threads:
        return
    with lock:
        (_disabled_threads.discard if on else _disabled_threads.add)(ident)
        grad_everywhere = not _disabled_threads
