"""Wraps PyTorch's entry to its engine while a program is watched: each run is a ``BackwardRun``.

The entry is a private function that two modules import. ``autograd.Function.apply`` is wrapped as
well: no function mode sees it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
import torch.autograd
import torch.autograd.graph

from ...graph import runtime
from .backward_run import BackwardRun
from .live import Abandoned, LiveRun, gate_of_this_thread
from .ops import tensors_in
from .run_context import RunContext

ENTRY = "_engine_run_backward"
Function: Any = torch.autograd.Function
HOLDERS = (torch.autograd.graph, torch.autograd)
"""The modules that have PyTorch's entry to its engine."""


class EngineEntry(RunContext):
    """Wraps the engine while it is installed, and records each run."""

    _entry: Callable[..., Any] | None = None

    def install(self) -> None:
        """Observe the runs from now on."""
        entry = getattr(torch.autograd.graph, ENTRY, None)
        if entry is None or self._entry is not None:
            return  # another PyTorch: forward is observed all the same
        self._entry = entry

        def run(t_outputs: Sequence[Any], *args: Any, **kwargs: Any) -> Any:
            return self._run(entry, t_outputs, args, kwargs)

        for module in HOLDERS:
            if getattr(module, ENTRY, None) is entry:
                setattr(module, ENTRY, run)
        apply = self._apply = Function.__dict__["apply"]

        def applied(cls: type[Function], /, *args: Any, **kwargs: Any) -> Any:
            if self.elsewhere():
                return apply.__get__(None, cls)(*args, **kwargs)
            return self.calls.applied(cls, apply.__get__(None, cls), args, kwargs)

        self._applied = classmethod(applied)
        Function.apply = self._applied

    def remove(self) -> None:
        """Leave the engine as it was."""
        if self._entry is not None:
            for module in HOLDERS:
                if hasattr(module, ENTRY):
                    setattr(module, ENTRY, self._entry)
            if Function.__dict__["apply"] is self._applied:  # the program has not replaced it since
                Function.apply = self._apply
            self._entry = None

    def _run(
        self,
        entry: Callable[..., Any],
        t_outputs: Sequence[Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> Any:
        gate = gate_of_this_thread()
        if gate is None and self.elsewhere():
            return entry(t_outputs, *args, **kwargs)
        if gate is None and not self.calls.off:
            self.about_to_run()
        if gate is None and runtime.drive is not None:
            live = LiveRun(lambda: self._run(entry, t_outputs, args, kwargs))
            runtime.drive(live)  # type: ignore[arg-type]  # it is driven like the core's own
            if live.status != "ready":
                for _ in live.steps():
                    pass  # what the page did not take
                return live.result
        if gate is not None:
            gate.depth += 1
        try:
            with torch._C.DisableTorchFunction():
                run = self.begun(entry, t_outputs, args, kwargs)
        except Exception as error:
            self.fault(error)
            return entry(t_outputs, *args, **kwargs)
        status = "failed"
        try:
            off = self.calls.off
            # another thread has no function mode, and the program goes on meanwhile
            self.calls.off = off or gate is None
            try:
                result = entry(t_outputs, *args, **kwargs)
            finally:
                self.calls.off = off
            status = "ok"
            self._over(run, result)
            self.checks.earlier.clear()
            return result
        except (KeyboardInterrupt, Abandoned):
            status = "abandoned"
            raise
        except Exception as error:
            run.failed(error)
            raise
        finally:
            if gate is not None:
                gate.depth -= 1
            run.ended(status)

    def begun(
        self, entry: Callable[..., Any], outputs: Sequence[Any], args: tuple[Any, ...],
        kwargs: Mapping[str, Any],
    ) -> BackwardRun:  # fmt: skip
        """Record that a run begins."""
        run = BackwardRun(self, outputs, args, kwargs)
        run.begin(outputs)
        self.calls.run(run.position, entry, (tuple(outputs), *args), kwargs)
        return run

    def _over(self, run: BackwardRun, result: Any) -> None:
        """Record that a run has succeeded."""
        try:
            with torch._C.DisableTorchFunction():
                grads = [leaf.grad for leaf in run.learning]
                run.succeeded(result)
                self.checks.check_gradients_finite([*grads, *tensors_in(result)])
                self.checks.check_gradients_zero(run.position, grads)
                self.calls.returned(result)
        except Exception as error:
            self.fault(error)
