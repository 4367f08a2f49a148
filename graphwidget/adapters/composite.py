"""The adapter that widgets use: it joins those of our engine, of PyTorch and of static graphs."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Self
from weakref import WeakKeyDictionary

from ..graph import listeners
from ..recording.findings import Finding
from ..recording.fold import Model
from ..recording.recorder import Recorder
from .imported_torch import is_real, no_longer, real_torch, when_imported
from .names import is_symbol
from .native import NativeAdapter
from .pytorch.live import LiveRun
from .sorting import TICK

if TYPE_CHECKING:
    from .pytorch.watcher import TorchAdapter
    from .static_graphs import StaticAdapter


REFUSED = (
    "graphwidget cannot watch this version of PyTorch, which lacks something that it needs "
    "({error}); graphwidget's own tensors are recorded all the same."
)


class Adapter(NativeAdapter):
    """The native adapter; and beside it, once the program has imported PyTorch, PyTorch's."""

    def __init__(self, recorder: Recorder) -> None:
        self._pulse: Callable[[float], None] | None = None
        self.on_asked: Callable[[], None] | None = None
        """Called before the log is read, to emit the present bindings of variables."""
        self.pytorch: TorchAdapter | None = None
        self._refused = False
        self.light = False
        """True if only what explains errors is wanted, and no picture: see ``lighten``."""
        self.static: StaticAdapter | None = None
        super().__init__(recorder)

    def _arrived(self) -> None:
        """The program has just imported PyTorch."""
        if self.active:
            pytorch = self._join(arrived=True)
            if pytorch is not None:
                pytorch.start()

    def _join(self, arrived: bool = False) -> TorchAdapter | None:
        """The adapter of the program's PyTorch, if there is one by now."""
        if self.pytorch is None and not self._refused and (arrived or real_torch() is not None):
            try:
                from .pytorch.watcher import TorchAdapter

                self.pytorch = TorchAdapter(self.recorder, self.sorter, self.calls)
                self.pytorch.on_pulse = self._pulse
                self.pytorch.faults = self.faults
                if self.light:
                    self.pytorch.lighten()
            except (ImportError, AttributeError) as error:
                self._refused = True
                warnings.warn(REFUSED.format(error=error), stacklevel=3)
        return self.pytorch

    def _join_static(self) -> StaticAdapter | None:
        """The adapter of static graphs, if the program has imported them by now."""
        if self.static is None and "graphwidget.static" in sys.modules:
            from .static_graphs import StaticAdapter

            self.static = StaticAdapter(self.recorder)
        return self.static

    def fork(self) -> Self:
        other = super().fork()
        if self.pytorch is not None:
            other.pytorch = self.pytorch.fork(other.recorder, other.sorter, other.calls)
            other.pytorch.faults = other.faults
        return other

    # Switching on and off ------------------------------------------------------------------
    @property
    def on_pulse(self) -> Callable[[float], None] | None:
        """Called while ops run, see ``NativeAdapter``."""
        return self._pulse

    @on_pulse.setter
    def on_pulse(self, pulse: Callable[[float], None] | None) -> None:
        self._pulse = pulse
        if self.pytorch is not None:
            self.pytorch.on_pulse = pulse

    def start(self) -> None:
        before = listeners.get_observer()
        if isinstance(before, Adapter) and before is not self and before.pytorch is not None:
            before.pytorch.stop()
        super().start()
        _begins(self)
        pytorch = self._join()
        if pytorch is not None:
            pytorch.start()
        else:
            when_imported(self._arrived)
        static = self._join_static()
        if static is not None:
            static.start()

    def settle(self) -> None:
        if self.static is not None:
            self.static.settle()
        for adapter in (self, self.pytorch):
            ticks = None if adapter is None else adapter.positions.left_loops()
            if ticks is not None:
                self.raw.append((TICK, ticks))
        if self.pytorch is not None:
            self.pytorch.resume()
        super().settle()

    def stop(self) -> None:
        super().stop()
        no_longer(self._arrived)
        if self.static is not None:
            self.static.stop()
        if self.pytorch is not None:
            self.pytorch.stop()

    @contextmanager
    def observing(self, commanded: bool = False) -> Iterator[None]:
        before = listeners.get_observer()
        other = before.pytorch if isinstance(before, Adapter) and before is not self else None
        on = other is not None and other.active
        if on and other is not None:
            other.stop()
        pytorch = self._join()
        if not commanded:
            _begins(self)
        try:
            with super().observing(commanded):
                if pytorch is None:
                    when_imported(self._arrived)
                    yield
                else:
                    with pytorch.observing(commanded):
                        yield
        finally:
            if pytorch is None:
                no_longer(self._arrived)
                if self.pytorch is not None and not self.active:
                    self.pytorch.stop()
            if on and other is not None:
                other.start()

    def drain(self, live: bool = False) -> None:
        if self.pytorch is None:
            super().drain(live)
        else:
            self._next = 0
            self.pytorch.drain(live)

    def raised(self, error: BaseException) -> None:
        super().raised(error)
        if self.pytorch is not None:
            self.pytorch.raised(error)
        if self.static is not None:
            self.static.raised(error)

    # What is asked -------------------------------------------------------------------------
    def bind(self, names: Iterable[tuple[str, str, Any]]) -> None:
        own: list[Any] = []
        real: list[Any] = []
        symbols: list[Any] = []
        for each in names:
            kind = real if is_real(each[2]) else symbols if is_symbol(each[2]) else own
            kind.append(each)
        super().bind(own)
        if symbols and self.static is not None:
            self.static.bind(symbols)
        if real and self.pytorch is not None:
            self.pytorch.bind(real)

    def peek(self, tensor: Any) -> None:
        if is_real(tensor) and self.pytorch is not None:
            self.pytorch.peek(tensor)
        else:
            super().peek(tensor)

    def value_of(self, tensor: Any) -> int | None:
        if self.active and self.on_asked is not None:
            self.on_asked()
        if is_real(tensor):
            return None if self.pytorch is None else self.pytorch.value_of(tensor)
        return super().value_of(tensor)

    def object(self, value: int) -> Any:
        ref = self.recorder.refs.get(value)
        if self.pytorch is not None and ref is not None and is_real(ref()):
            return self.pytorch.object(value)
        return super().object(value)

    @property
    def awaits_result(self) -> bool:
        pytorch = self.pytorch is not None and self.pytorch.positions.asks is not None
        return pytorch or super().awaits_result

    def findings(self, over: bool = False) -> list[Finding]:
        """Return the findings about the program, the newest first."""
        return [] if self.pytorch is None else self.pytorch.findings(over)

    # Live runs -----------------------------------------------------------------------------
    def run_begins(self, run: Any) -> None:
        if isinstance(run, LiveRun):
            with self.observing():
                run.begin(None if self.pytorch is None else self.pytorch.positions.here())
        else:
            super().run_begins(run)

    def run_ends(self, run: Any, status: str, error: BaseException | None) -> None:
        if not isinstance(run, LiveRun):
            super().run_ends(run, status, error)

    def node_id(self, node: Any) -> int | None:
        """The id of a node in this recording."""
        if self.pytorch is not None and not hasattr(node, "_rec"):
            return self.pytorch.identity.edge(node)
        ref = node._rec
        return None if ref is None else int(ref.id)


_newest: list[Adapter] = []
_living: WeakKeyDictionary[Adapter, None] = WeakKeyDictionary()
"""The recordings that are alive, the newest last."""


def _begins(adapter: Adapter) -> None:
    _newest[:] = [adapter]
    _living.pop(adapter, None)
    _living[adapter] = None


def newest() -> Adapter | None:
    """The adapter that records, or did so last."""
    return _newest[-1] if _newest else None


def _forked() -> None:
    """Stop in a forked process, as a worker that loads data: its recording is never read, and
    PyTorch warns of some of its calls while a function mode is active."""
    adapter = newest()
    if adapter is not None:
        adapter.stop()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)


def model_of(tensor: Any) -> tuple[Model, int]:
    """The model that shows a tensor of either kind, and its value there."""
    adapter, value = recording_of(tensor)
    return adapter.recorder.latest(), value


def recording_of(tensor: Any) -> tuple[Adapter, int]:
    """The newest recording that knows a tensor of either kind, whether it is over or not, else one
    of its own with the tensor's graph; and its value there."""
    for adapter in reversed(list(_living)):
        value = adapter.value_of(tensor)
        if value is not None:
            return adapter, value
    adapter = Adapter(Recorder())
    pytorch = adapter._join() if is_real(tensor) else None
    value = adapter.identity.current(tensor).id if pytorch is None else pytorch.shown(tensor)
    adapter.drain()
    return adapter, value
