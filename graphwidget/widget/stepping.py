"""Live backward runs: paused between steps, advanced by commands or from code."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from ..adapters.composite import Adapter
from ..adapters.imported_torch import is_real
from ..adapters.pytorch.live import LiveRun
from ..autograd.backward import make_run
from ..autograd.engine import Run
from ..graph.tensor import Tensor
from ..recording.commands import Abandon, Backward, Command, Peek, Rejected, RetainGrad, Step, Until
from ..recording.language import say

GONE = "The program no longer keeps this value."


class Stepper:
    """A backward run paused between its steps. One step runs one node of the graph."""

    def __init__(self, run: Run | LiveRun, adapter: Adapter) -> None:
        self.run = run
        self._adapter = adapter
        self._steps = run.steps()
        self.moved: Callable[[], None] = lambda: None
        self.hold: Callable[[Stepper], None] = lambda stepper: None
        self.show: Callable[[], bool] = lambda: False
        """Draws the picture, unless it stands somewhere already: then it says False."""

    @property
    def status(self) -> str:
        """``ready``, ``running``, ``ok``, ``failed`` or ``abandoned``."""
        return self.run.status

    @property
    def over(self) -> bool:
        """True if there is nothing left to run."""
        return self.run.status not in ("ready", "running")

    def next(self, count: int = 1) -> Stepper:
        """Run the next ``count`` nodes, or as many as are left. Raises what they raise."""
        return self._advance(count, None)

    def until(self, node: Any) -> Stepper:
        """Run up to and with ``node`` (a ``grad_fn``)."""
        return self._advance(None, lambda ran: ran is node)

    def finish(self) -> Stepper:
        """Run to the end."""
        return self._advance(None, None)

    def wait(self) -> Stepper:
        """Let the picture take the steps while the cell that calls this goes on running; returns
        when the run is over. Where no picture can answer, the rest runs through.

        Raises:
            KeyboardInterrupt: the run was abandoned in the picture, or the kernel interrupted.
        """
        self.hold(self)
        return self if self.over else self.finish()

    def obey(self, command: Step | Until | Abandon) -> None:
        """Carry out a command that concerns this run. Raises what its nodes raise."""
        __tracebackhide__ = True
        if isinstance(command, Step):
            self.next(command.count)
        elif isinstance(command, Until):
            self._until_id(command.node)
        else:
            self.abandon()

    def abandon(self) -> Stepper:
        """Stop here: what was accumulated stays, the rest of the graph is untouched."""
        with self._adapter.observing():
            if self.run.status == "ready":
                self._adapter.run_ends(self.run, "abandoned", None)
            self.run.abandon()
        self.moved()
        return self

    def _until_id(self, node: int) -> Stepper:
        """Run up to and with the node that has this id in the recording."""
        return self._advance(None, lambda ran: self._adapter.node_id(ran) == node)

    def _advance(self, count: int | None, last: Callable[[Any], bool] | None) -> Stepper:
        try:
            with self._adapter.observing():
                left = count
                for ran in self._steps if left != 0 else ():
                    left = None if left is None else left - 1
                    if left == 0 or (last is not None and last(ran)):
                        if self.run.pending is None:
                            continue  # nothing is left: let the run end
                        break
        finally:
            self.moved()
        return self

    def __repr__(self) -> str:
        return f"<backward run, {self.status}>"

    def _ipython_display_(self) -> None:
        """Display the run's picture, from which its steps can be taken."""
        if not self.show():
            raise NotImplementedError  # which tells IPython to write its repr


class Steppers:
    """The live runs of one widget, and the commands that concern them."""

    def __init__(self, adapter: Adapter) -> None:
        self._adapter = adapter
        self._live: dict[int, Stepper] = {}

    def begin(
        self,
        y: Tensor,
        gradient: Tensor | None = None,
        retain_graph: bool | None = None,
        create_graph: bool = False,
    ) -> Stepper:
        """A run from ``y``, emitted and paused before its first node."""
        if is_real(y):
            return self.adopt(LiveRun(partial(y.backward, gradient, retain_graph, create_graph)))
        return self.adopt(make_run(y, gradient, retain_graph, create_graph))

    def adopt(self, run: Run | LiveRun) -> Stepper:
        """Like ``begin``, of a run that is not begun."""
        run.live = True
        stepper = Stepper(run, self._adapter)
        self._adapter.run_begins(run)  # the engine says so only when the first node runs
        self._live = {key: each for key, each in self._live.items() if not each.over}
        self._live[run._rec] = stepper
        return stepper

    def execute(self, command: Command) -> None:
        """Carry out a command from the page.

        Raises:
            Rejected: it makes no sense (any more).
            RuntimeError: PyTorch's errors, as the same call in a cell would raise them.
        """
        if isinstance(command, (Step, Until, Abandon)):
            self._stepper(command.run).obey(command)
        elif isinstance(command, Backward):
            self.begin(self._tensor(command.value))
        elif isinstance(command, RetainGrad):
            self._retain(command)
        elif isinstance(command, Peek):
            self._adapter.peek(self._tensor(command.value))

    def _retain(self, command: RetainGrad) -> None:
        tensor = self._tensor(command.value)
        if tensor.is_leaf:
            raise Rejected(say("A leaf always keeps its gradient; retain_grad() changes nothing."))
        if command.on:
            tensor.retain_grad()
        elif is_real(tensor):
            raise Rejected(say("PyTorch cannot undo retain_grad()."))
        else:
            tensor._release_grad()

    def _stepper(self, run: int) -> Stepper:
        stepper = self._live.get(run)
        if stepper is None or stepper.over:
            raise Rejected(say("This run has ended."))
        return stepper

    def _tensor(self, value: int) -> Tensor:
        tensor = self._adapter.object(value)
        if tensor is None:
            raise Rejected(say(GONE))
        found: Tensor = tensor
        return found
