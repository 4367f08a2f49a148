"""Hears backward runs of the real engine: nodes starting and finishing, gradients, errors.

PyTorch's entry to its engine is a private function that two modules import; it is wrapped while
somebody watches. Around a run every node that it can reach gets a hook before and a hook after,
which are taken away when the run is over. Hooks that return None change nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import nullcontext, suppress
from functools import partial
from typing import Any

import torch
import torch.autograd
import torch.autograd.graph

from ...graph import runtime
from ...recording import events as ev
from ...recording.positions import Position
from ...recording.recorder import NodeRef, Recorder
from . import causes, second
from .calls import Calls
from .diagnosis import NO_GRAPH, diagnose
from .finder import Finder
from .identity import TOKEN, Identity
from .lines import place_of
from .live import Abandoned, LiveRun, gate_of_this_thread
from .node_facts import leaf_of
from .tensor_facts import Captured, asked, grad_fn_of, summarized
from .trying import tried

MAX_FIRST = 20_000

Grads = Sequence[Captured | None]
ENTRY = "_engine_run_backward"
Function: Any = torch.autograd.Function
HOLDERS = (torch.autograd.graph, torch.autograd)
"""The modules that hold PyTorch's entry to its engine."""


class Runs:
    """Wraps the engine while it is installed, and tells each run."""

    def __init__(
        self,
        recorder: Recorder,
        identity: Identity,
        calls: Calls,
        place: Callable[[], Position | None],
        fault: Callable[[BaseException], None],
    ) -> None:
        self.recorder = recorder
        self.identity = identity
        self.calls = calls
        self.place = place
        self.fault = fault
        self._entry: Callable[..., Any] | None = None
        self.finder = Finder(recorder, identity, calls)
        self.brief = False
        """Whether nodes are told to run only where their gradients are told with numbers."""
        self.about_to_run: Callable[[], None] = lambda: None
        """Called before a run of the program's begins."""
        self.begins, self.starts, self.finishes = self._begin, self._start, self._finish
        self.accumulates, self.errs = self._accumulated, self._error

    def _begin(self, place: Position | None, _what: str, event: ev.Backward) -> None:
        self.calls.names.settle()
        if self.recorder.lost:
            self.calls.names.recall(value for value, _node in event.roots)
        source = None if place is None else self.recorder.source(place.site)
        self.recorder.tell(event._replace(source=source))

    def _start(self, run: int, node: NodeRef, grads: Grads) -> None:
        self.recorder.tell(ev.Start(run, node.id, _summaries(grads)))

    def _finish(self, run: int, node: NodeRef, grads: Grads) -> None:
        self.recorder.tell(ev.Finish(run, node.id, _summaries(grads), None))

    def _accumulated(self, how: str, value: int, data: Captured, run: int) -> None:
        if self.recorder.lost:
            self.calls.names.recall((value,))
        self.recorder.tell(ev.Grad(value, how, summarized(data), None, run, None))

    def _error(self, _: None, event: ev.Error, place: Position | None) -> None:
        source = None if place is None else self.recorder.source(place.site)
        self.recorder.tell(event._replace(source=source))

    def install(self) -> None:
        """Hear the runs from now on."""
        entry = getattr(torch.autograd.graph, ENTRY, None)
        if entry is None or self._entry is not None:
            return  # another PyTorch: forward is heard all the same
        self._entry = entry

        def run(t_outputs: Sequence[Any], *args: Any, **kwargs: Any) -> Any:
            return self._run(entry, t_outputs, args, kwargs)

        for module in HOLDERS:
            if getattr(module, ENTRY, None) is entry:
                setattr(module, ENTRY, run)
        apply = self._apply = Function.__dict__["apply"]

        def applied(cls: type[Function], /, *args: Any, **kwargs: Any) -> Any:
            return self.calls.applied(cls, apply.__get__(None, cls), args, kwargs)

        Function.apply = classmethod(applied)

    def remove(self) -> None:
        """Leave the engine as it was."""
        if self._entry is not None:
            for module in HOLDERS:
                if hasattr(module, ENTRY):
                    setattr(module, ENTRY, self._entry)
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
        if gate is None and not self.calls.off:
            self.about_to_run()
        if gate is None and runtime.drive is not None:
            held = LiveRun(lambda: self._run(entry, t_outputs, args, kwargs))
            runtime.drive(held)  # type: ignore[arg-type]  # it is driven like the core's own
            if held.status != "ready":
                for _ in held.steps():
                    pass  # what the page did not take
                return held.result
        if gate is not None:
            gate.depth += 1
        try:
            with torch._C.DisableTorchFunction():
                run = _Run(self, t_outputs, args, kwargs)
                given = (tuple(t_outputs), *args)
                self.calls.tape.heard(run.place, entry, given, kwargs, None, (), run=True)
        except Exception as error:
            self.fault(error)
            return entry(t_outputs, *args, **kwargs)
        status = "failed"
        try:
            # another thread has no function mode, and the program goes on meanwhile
            with self.calls.silent() if gate is None else nullcontext():
                result = entry(t_outputs, *args, **kwargs)
            status = "ok"
            self._over(run, result)
            self.finder.earlier.clear()
            return result
        except RuntimeError as error:
            run.failed(error)
            raise
        except (KeyboardInterrupt, Abandoned):
            status = "abandoned"
            raise
        finally:
            if gate is not None:
                gate.depth -= 1
            run.ended(status)

    def _over(self, run: _Run, result: Any) -> None:
        """A run has succeeded."""
        try:
            with torch._C.DisableTorchFunction():
                self.finder.nan_in_gradients(run.learning)
                self.calls.tape.returned(result)
        except Exception as error:
            self.fault(error)


class _Run:
    """One run: its hooks, and what they tell."""

    def __init__(
        self, runs: Runs, outputs: Sequence[Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> None:
        self.runs = runs
        self.identity, self.recorder = runs.identity, runs.recorder
        self.id = self.recorder.ids.run()
        gate = gate_of_this_thread()
        self.gate = gate if gate is not None and gate.depth == 1 else None
        if self.gate is not None:
            self.gate.number = self.id
        keep, create = bool(args[1]), bool(args[2])
        self.keeps = keep
        wanted = args[3] if len(args) > 3 else ()
        tensors = [each for each in outputs if isinstance(each, torch.Tensor)]
        nodes = [_node_of(each) for each in outputs]
        self.identity.tell_nodes(nodes, tensors, None)
        self.root: int | None = None
        roots = []
        for each, node in zip(outputs, nodes, strict=True):
            value = self.identity.current(each).id if isinstance(each, torch.Tensor) else None
            self.root = value if self.root is None else self.root
            number = self.identity.edge(node)
            if number is not None:
                roots.append((value, number))
        inputs = None
        if wanted:
            inputs = tuple(
                self.identity.current(each).id for each in wanted if isinstance(each, torch.Tensor)
            )
        event = ev.Backward(
            self.id, tuple(roots), keep, create, self.gate is not None, inputs, None
        )
        self.place = runs.place() if self.gate is None else self.gate.place
        self.recorder.raw.append((self.runs.begins, self.place, "backward", event))
        self.asks = self.gate is not None or bool(wanted)  # whether nodes say that they start
        self.left: dict[int, NodeRef] = {}  # those that said so and have not finished, in order
        self.ran: set[int] = set()
        self.done: list[int] = []  # nodes that ran and are no leaf's
        self.emptied: list[int] = []  # nodes that ran and had saved something
        self.reached = list(_reachable(nodes))
        runs.finder.silent_writes(self)
        runs.finder.grows(self, [number for _value, number in roots])
        runs.finder.nan_at_root(tensors)
        self.learning: list[torch.Tensor] = []
        self.handles = [handle for node in self.reached for handle in self._hook(node)]

    def _hook(self, node: Any) -> Iterator[Any]:
        token = node.metadata.get(TOKEN)
        known = None if token is None else token.ref
        if known is None or known.id not in self.recorder.nodes:
            return
        leaf = leaf_of(node)
        if leaf is not None:
            self.learning.append(leaf)
        if self.asks:

            def starts(_grads: Sequence[Any]) -> None:
                if self.gate is not None:
                    if not self.gate.of_this_run():
                        return
                    self.gate.before(node)
                self.left[known.id] = known

            yield node.register_prehook(starts)
        # one hook hears what came in and what went out: two would cost twice as much
        yield node.register_hook(partial(self._has_run, known, token.saves, leaf))

    def _has_run(
        self, ref: NodeRef, saves: bool, leaf: torch.Tensor | None, into: Any, out: Any
    ) -> None:
        if self.gate is not None and not self.gate.of_this_run():
            return
        try:
            number, raw = ref.id, self.recorder.raw
            self.ran.add(number)
            self.left.pop(number, None)
            if saves:
                self.emptied.append(number)
            if leaf is None:
                self.done.append(number)
            with torch._C.DisableTorchFunction():
                into, out = _tensors(into), _tensors(out)
                if self.runs.brief and not self._small(*out, *into):
                    if leaf is not None and leaf.grad is not None:
                        self.runs.finder.graded.add(self.identity.current(leaf).storage)
                    return
                raw.append((self.runs.starts, self.id, ref, self._taken(out)))
                if leaf is not None and leaf.grad is not None:
                    known = self.identity.current(leaf)
                    self.runs.finder.graded.add(known.storage)
                    now = self.identity.captured(leaf.grad)
                    raw.append((self.runs.accumulates, "accumulated", known.id, now, self.id))
                raw.append((self.runs.finishes, self.id, ref, self._taken(into)))
        except Exception as error:
            self.runs.fault(error)

    def _taken(self, grads: Iterable[torch.Tensor | None]) -> Grads:
        return [None if each is None else self.identity.captured(each) for each in grads]

    def _small(self, *grads: torch.Tensor | None) -> bool:
        """Whether numbers of one of these are told."""
        limit = self.identity.limit
        return any(each is not None and each.numel() <= limit for each in grads)

    def _standing(self) -> NodeRef | None:
        """The node that the run has come to when it fails: of those that had all their gradients
        the one made last, as the engine takes them."""
        if self.asks:
            return next(reversed(self.left.values()), None)
        waiting: list[tuple[int, NodeRef]] = []
        blocked: set[Any] = set()
        for node in self.reached:
            if self.identity.edge(node) not in self.ran:
                blocked.update(before for before, _nr in node.next_functions)
        for node in self.reached:
            known = self.identity.known_node(node)
            if known is not None and known.id not in self.ran and node not in blocked:
                waiting.append((getattr(node, "_sequence_nr", int)(), known))
        return max(waiting, key=lambda each: each[0], default=(0, None))[1]

    # The end -------------------------------------------------------------------------------
    def failed(self, error: RuntimeError) -> None:
        """Say why the run failed, as notes of the error and in the log."""
        try:
            with torch._C.DisableTorchFunction():
                node = self._standing()
                if node is not None:
                    self.recorder.raw.append((self.runs.starts, self.id, node, ()))
                self.recorder.drain()
                event = diagnose(
                    error, self.id, None if node is None else node.id, self.recorder.log.model(),
                    self.runs.calls.write_times,
                )  # fmt: skip
                event = self._explain(error, event)
                self.recorder.raw.append((self.runs.errs, None, event, self.place))
        except Exception as fault:
            self.runs.fault(fault)

    def _explain(self, error: RuntimeError, event: ev.Error) -> ev.Error:
        """Find the cause, and tell it with the error; the event with it."""
        model, runs, message = self.recorder.log.model(), self.runs, str(error)
        node = model.nodes.get(event.node) if event.node is not None else None
        site = None if self.place is None else self.place.site
        finding = None
        if event.kind == "version" and node is not None and event.slot is not None:
            slot = next(each for each in node["saved"] if each["slot"] == event.slot)
            finding = causes.stale(model, self.id, node, slot, place_of(site))
        elif event.kind == "freed":
            finding = second.freed(model, self.id, node, runs.finder.first)
        elif NO_GRAPH in message:
            calls = runs.calls
            finding = causes.no_graph(
                model, self.root, site, calls.origins, calls.leaks, calls.frozen
            )
        finding = None if finding is None else tried(finding, runs.calls.tape)
        runs.finder.found(finding)
        for note in event.help if finding is None else finding.lines():
            error.add_note(note)
        return event if finding is None else event._replace(help=finding.help())

    def ended(self, status: str) -> None:
        """Take the hooks away, and tell the end and what was freed."""
        for handle in self.handles:
            with suppress(Exception):
                handle.remove()
        try:
            if not self.keeps:
                first, site = (
                    self.runs.finder.first,
                    None if self.place is None else self.place.site,
                )
                for number in self.done:
                    first.setdefault(number, site)
                while len(first) > MAX_FIRST:
                    del first[next(iter(first))]
            if status == "ok" and not self.keeps:
                for number in self.emptied:
                    self.recorder.raw.append((self.recorder.free, number))
            self.recorder.raw.append((self.recorder.tell, ev.Done(self.id, status)))
            self._retained()
        except Exception as error:
            self.runs.fault(error)

    def _retained(self) -> None:
        """Tell the gradients that tensors inside the graph were asked to keep."""
        with torch._C.DisableTorchFunction():
            kept = {ref.id: ref for ref in self.identity.retaining if ref() is not None}
            self.identity.retaining[:] = kept.values()
            for ref in kept.values():
                tensor = ref()
                if tensor is None or tensor.grad is None or ref.id not in self.recorder.values:
                    continue
                taken = self.identity.captured(tensor.grad)
                self.recorder.raw.append(
                    (self.runs.accumulates, "retained", ref.id, taken, self.id)
                )


def _tensors(grads: Any) -> list[torch.Tensor | None]:
    """What a hook was given, where something else than a tensor is nothing."""
    given = (grads,) if isinstance(grads, torch.Tensor) else grads
    return [each if isinstance(each, torch.Tensor) else None for each in given]


def _node_of(output: Any) -> Any:
    """The node that a run begins at: of a tensor, or of an edge."""
    if not isinstance(output, torch.Tensor):
        return output.node
    node = grad_fn_of(output)
    if node is not None or not asked(output, "requires_grad"):
        return node
    try:
        return torch.autograd.graph.get_gradient_edge(output).node
    except (AssertionError, RuntimeError):  # its history was lost: the engine will say so
        return None


def _reachable(roots: Sequence[Any]) -> Iterator[Any]:
    """The nodes that a run from ``roots`` can reach, each once."""
    seen: set[Any] = set()
    waiting = [node for node in roots if node is not None]
    while waiting:
        node = waiting.pop()
        if node in seen:
            continue
        seen.add(node)
        yield node
        waiting.extend(before for before, _ in node.next_functions if before is not None)


def _summaries(grads: Grads) -> tuple[ev.Summary | None, ...]:
    return tuple(None if each is None else summarized(each) for each in grads)
