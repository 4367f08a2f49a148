"""The engine: a generator that walks the backward graph one node at a time.

``Run.steps()`` is the only place where nodes run. ``backward()`` exhausts it; a caller that wants
to watch takes one step at a time. Nodes run in order of decreasing sequence number, which is always
a topological order, and a leaf accumulates as soon as its last consumer has run.

Nothing here recurses over the graph, so its depth does not matter.
"""

from __future__ import annotations

import contextvars
import threading
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Any

from ..eager.promote import fit_to
from ..graph import runtime, saved_hooks
from ..graph.base import OWN, GradHooks, RunBase
from ..graph.errors import derivative_error
from ..graph.input_buffers import InputBuffers
from ..graph.node import AccumulateGrad, Node, NoGradViewEnd, Output, zeros_where_missing
from ..graph.tensor import Tensor
from .accumulate_grad import accumulate
from .hooks import (
    run_post_accumulate_hooks,
    run_posthooks,
    run_prehooks,
    run_tensor_hooks,
    store_retained_grad,
)
from .roots import collect, nodes_needed_for

# Goes on in a new thread, with an empty stack, where backward runs nest too deep -----------------


def call_in_other_thread(function: Callable[[], None]) -> None:
    """Call a function in a new thread and wait for it. Modes, hooks and context variables are
    this thread's there; what the function raises is raised here."""
    states = [(each, vars(each).copy()) for each in runtime.thread_states]
    raised: list[BaseException] = []

    def work() -> None:
        for each, state in states:
            vars(each).update(state)
        runtime.set_grad_enabled(runtime.mode.requested)
        try:
            function()
        except BaseException as error:
            raised.append(error)
        finally:  # a thread that ends is no more among those that record nothing
            runtime.mode.inference = False
            runtime.set_grad_enabled(True)

    thread = threading.Thread(target=contextvars.copy_context().run, args=(work,))
    thread.start()
    thread.join()
    if raised:
        raise raised.pop()


# -------------------------------------------------------------------------------------------------
_local = threading.local()
_DEEPEST = 60
"""Depth of runs within runs that a thread has, as in PyTorch. The next run gets a thread of its
own, so that Python's recursion limit does not limit runs."""


def _open_runs() -> list[Run]:
    """This thread's runs that began and did not end: an inner backward, or held steppers."""
    runs: list[Run] | None = getattr(_local, "runs", None)
    if runs is None:
        runs = _local.runs = []
    return runs


def current_run() -> Run | None:
    """The innermost run inside which this thread is; None outside of backward."""
    for run in reversed(_open_runs()):
        if run._generator is not None and run._generator.gi_running:  # type: ignore[attr-defined]
            return run
    return None


def current_node() -> Node | None:
    """The node whose backward (or hook) this thread is running."""
    run = current_run()
    return None if run is None else run.current


def queue_callback(callback: Callable[[], Any]) -> None:
    """Call a function when the innermost run inside which this thread is has run all its nodes.

    Raises:
        RuntimeError: there is none.
    """
    run = current_run()
    if run is None:
        raise RuntimeError("Final callbacks can only be installed during backward pass.")
    run.callbacks.append(callback)


PASSING = Output, NoGradViewEnd
"""Targets that compute nothing."""


class Run(RunBase):
    """One backward run.

    Args:
        roots: targets from which gradients flow, with ``seeds`` their gradients (arrays, or
            Tensors when ``create_graph``).
        retain_graph: keep what nodes saved.
        create_graph: compute with Tensors, recording the derivative's own graph.
        captures: targets whose gradients are wanted, and nothing else (``autograd.grad``,
            ``inputs=``); None for all leaves.
        into_grad: add what was captured to ``.grad``.
        live: the run waits between steps for an observer.
        tensors, inputs: the Tensors that the caller named, for observers.
        given: the gradients that the caller gave: where one arrives unchanged, users see it.
    """

    def __init__(
        self,
        roots: Sequence[Any],
        seeds: Sequence[Any],
        retain_graph: bool,
        create_graph: bool,
        captures: Sequence[Any] | None = None,
        into_grad: bool = False,
        live: bool = False,
        tensors: Sequence[Tensor] = (),
        inputs: Sequence[Tensor] | None = None,
        given: Sequence[Any] = (),
    ) -> None:
        self.roots = tuple(roots)
        self.seeds = tuple(seeds)
        self.retain_graph = retain_graph
        self.create_graph = create_graph
        self.captures = None if captures is None else dict.fromkeys(captures)
        self.found: dict[Any, Any] = {}
        self.sums: dict[Any, int] = {}
        self.through: set[Any] = set()
        self.present: set[Any] | None = None
        self.into_grad = into_grad or captures is None
        self.live = live
        self.tensors = tuple(tensors)
        self.inputs = None if inputs is None else tuple(inputs)
        self.given = {id(each._data): each for each in given if isinstance(each, Tensor)}
        self.order: list[Any] = []
        self._left: Iterator[Any] = iter(self.order)
        self.status = "ready"
        self.pauses = True
        """True if ``steps()`` yields every node, or only those that are not the common case."""
        self.buffers = InputBuffers(create_graph)
        self.callbacks: list[Callable[[], Any]] = []
        """Functions to call when all nodes have run; they may queue more."""
        self._generator: Iterator[Node] | None = None
        self._rec: Any = None

    # Driving -------------------------------------------------------------------------------
    def steps(self) -> Iterator[Node]:
        """Advance the engine by one node for each ``next``; yields the node that ran."""
        if self._generator is None:
            self._generator = self._steps()
        return self._generator

    def finish(self) -> None:
        """Run to the end; a stepper (``runtime.drive``) may take the first steps."""
        if len(_open_runs()) > _DEEPEST:
            call_in_other_thread(self.finish)
            return
        contexts = saved_hooks.contexts.stack[:]  # saved_tensors_hooks, which the run restores
        try:
            if runtime.drive is not None:
                runtime.drive(self)
            self.pauses = False
            for _ in self.steps():
                pass
        finally:
            if saved_hooks.contexts.stack != contexts:
                saved_hooks.restore(contexts)

    def abandon(self) -> None:
        """Stop here: what was accumulated stays, the rest of the graph is untouched."""
        if self._generator is not None and self.status == "running":
            self._generator.close()  # type: ignore[attr-defined]
        elif self.status == "ready":
            self.status = "abandoned"

    @property
    def position(self) -> int:
        """Number of targets that were taken, the running one included. The iterator over them
        knows; a counter would cost each node more than its place in the loop does."""
        return len(self.order) - self._left.__length_hint__()  # type: ignore[attr-defined,no-any-return]

    @property
    def pending(self) -> Node | None:
        """The node that the next step will run, or None when the run is over."""
        for target in self.order[self.position :] if self.status == "running" else ():
            if not isinstance(target, (Output, NoGradViewEnd)):
                return target  # type: ignore[no-any-return]
        return None

    @property
    def current(self) -> Node | None:
        """The node that the last step ran, or is running."""
        if not 0 < self.position <= len(self.order):
            return None
        target = self.order[self.position - 1]
        return target.node if isinstance(target, Output) else target

    def reaches(self, node: Node) -> bool:
        """Return whether this run executes the node, or did.

        Raises:
            RuntimeError: it is a leaf's and only its gradient is wanted (PyTorch's text).
        """
        if node not in self._reached:
            return False
        if len(self.roots) == 1 and getattr(self.roots[0], "node", self.roots[0]) is node:
            return False  # PyTorch begins at a single root, so it never reaches it
        if node.__class__ is AccumulateGrad and self._only_captured(node):
            raise RuntimeError(
                "A leaf node was passed to _will_engine_execute_node but we are currently running "
                "autograd.grad(). This is currently not supported."
            )
        return True

    @cached_property
    def _reached(self) -> set[Any]:
        return {each.node if isinstance(each, Output) else each for each in self.order}

    # Beginning and ending -----------------------------------------------------------------------
    def _begin(self) -> None:
        _open_runs().append(self)
        self.status = "running"
        with runtime.lock:  # leaves that threads share carry a run's order for a moment
            found = collect(self.roots)
            self.buffers.open(found)
        if self.captures is not None:
            found, self.through = nodes_needed_for(self.captures, found, self.roots, self.into_grad)
        self.order, self._left = found, iter(found)
        self.present = present = None if self.captures is None else set(found)
        for root, seed in zip(self.roots, self.seeds, strict=True):
            if present is None or root in present:
                self.buffers.add(root, seed)

    def _end(self, status: str, error: BaseException | None) -> None:
        self.status = status
        _open_runs().remove(self)
        self.buffers.close(empty=status == "ok" and self.captures is None)
        try:
            if runtime.observer is not None:
                runtime.observer.run_ends(self, status, error)
        finally:
            self.order, self._left = [], iter(())
            self.__dict__.pop("_reached", None)

    def _only_captured(self, target: Any) -> bool:
        """Do nothing: a target that was wanted for itself alone is complete."""
        return self.captures is not None and target not in self.through

    # The loop ---------------------------------------------------------------------------------
    def _steps(self) -> Iterator[Node]:
        status, error = "abandoned", None
        if runtime.observer is not None:
            runtime.observer.run_begins(self)
        try:
            self._begin()
            captures, buffers = self.captures, self.buffers
            keep = self.retain_graph
            plain = not self.create_graph and buffers.private is None
            for target in self._left:
                observer = runtime.observer
                if (
                    plain
                    and (captures is None or observer is None)
                    and (captures is None or (target in self.through and target not in captures))
                    and target.run_arrays(keep, self, observer)
                ):
                    if self.pauses:
                        yield target
                    continue
                # Whatever is not the common case: what follows does the same, step by step.
                buffer = buffers.buffer_of(target)
                grad, buffer.grad = buffer.grad, None
                if buffer.counts_sums and buffer.sums:
                    self.sums[target], buffer.sums = buffer.sums, 0
                if target.hooks is not None or captures is not None:
                    grad = self._arrive(target, grad)
                    if self._only_captured(target):
                        continue
                if self.create_graph and not (runtime.mode.enabled or target.__class__ in PASSING):
                    self._run_node_differentiably(target, grad)
                elif not target.special:
                    self._run_node(target, grad)
                elif target.__class__ is Output:
                    buffers.add_output(target, grad)
                    continue
                elif target.__class__ is NoGradViewEnd:
                    continue
                else:
                    self._accumulate_leaf(target, grad)
                del grad  # so that the next owner need not copy it
                yield target
            if self.callbacks:
                self._run_callbacks()
            status = "ok"
        except GeneratorExit:
            raise
        except BaseException as exc:
            status, error = "failed", derivative_error(exc)
            if error is not exc:
                raise error from None
            raise
        finally:
            self._end(status, error)
            error = None  # its traceback refers to this frame, which must not keep it in turn

    def _run_callbacks(self) -> None:
        """Call what the user asked for, in the grad mode of derivatives."""
        before = runtime.mode.requested
        runtime.set_grad_enabled(self.create_graph)
        try:
            for callback in self.callbacks:
                callback()
        finally:
            runtime.set_grad_enabled(before)

    def _run_node_differentiably(self, target: Any, grad: Any) -> None:
        """Run one node under create_graph: its gradients get histories, whatever the mode."""
        run = self._accumulate_leaf if target.special else self._run_node
        runtime.set_grad_enabled(True)
        try:
            run(target, grad)
        finally:
            runtime.set_grad_enabled(False)

    def _run_node(self, node: Node, grad: Any) -> None:
        """Run one node on its gradient, and hand its own gradients on."""
        observer, create, keep = runtime.observer, self.create_graph, self.retain_graph
        if observer is not None:
            outs = tuple(grad) if grad.__class__ is list else (grad,)
            observer.node_starts(self, node, outs)
        frees = observer is not None and not keep and node.holds
        hooks, given = node.hooks, grad
        late = not keep and hooks is not None and bool(hooks.post)  # these may fail
        if grad.__class__ is list and not node.takes_none:
            grad = zeros_where_missing(node, grad, create)
        present = None if node.always else self.present
        unwanted = present is not None and present.isdisjoint(node.next)
        if unwanted or (grad is None and not node.takes_none):
            node.pass_nothing(keep or late)
            grads: Any = (None,) * len(node.next)
        else:
            run = node.backward_tensors if create else node.backward_arrays
            grads = run(grad, keep or late)
            if node.fit is not None:
                grads = self._fit_gradients(node, grads)
            if node.single:
                grads = (grads,)
            if present is not None:
                pairs = zip(node.next, grads, strict=True)
                grads = [grad if child in present else None for child, grad in pairs]
        if hooks is not None and hooks.post:
            grads = run_posthooks(self, node, hooks, grads, given)
        if late:
            node.release()
        if observer is not None:
            observer.node_finishes(self, node, tuple(grads), frees)
        found = [*grads][::-1]
        del grads  # the only reference is passed on, so that it can be added to in place
        for child in node.next:
            grad = found.pop()
            if grad is not None:
                self.buffers.add(child, grad)

    @staticmethod
    def _fit_gradients(node: Node, grads: Any) -> Any:
        """Gradients reduced and cast to the inputs they belong to, where that is needed."""
        assert node.fit is not None
        if node.single:
            return fit_gradient(grads, node.fit[0])
        return [fit_gradient(grad, meta) for grad, meta in zip(grads, node.fit, strict=True)]

    def _arrive(self, target: Any, grad: Any) -> Any:
        """Prepare a gradient for its target: run hooks, capture and retain it.

        A captured gradient includes its tensor's hooks, except (as in PyTorch) when the tensor
        lies on the way to another captured one.
        """
        if target.__class__ is AccumulateGrad and grad is not None:
            grad = fit_to_leaf(grad, target.variable)
        hooks, before = target.hooks, grad
        if hooks is not None and hooks.outputs:
            self._run_output_hooks(hooks, grad)
        elif hooks is not None and (target.__class__ is not Output or self._only_captured(target)):
            grad = run_tensor_hooks(self, hooks, grad)
            store_retained_grad(self, hooks, grad)
        if self.captures is not None and target in self.captures and not self.into_grad:
            self.found[target] = before if target in self.through else grad
        if hooks is not None and hooks.pre and not self._only_captured(target):
            grad = run_prehooks(self, target, hooks, grad)
        return grad

    def _run_output_hooks(self, hooks: GradHooks, grads: list[Any]) -> None:
        """The hooks of the outputs of a node with several, before it runs."""
        for nr, each in hooks.outputs.items():
            grads[nr] = run_tensor_hooks(self, each, grads[nr])
        for nr, each in sorted(hooks.outputs.items()):
            store_retained_grad(self, each, grads[nr])

    def _accumulate_leaf(self, target: AccumulateGrad, grad: Any) -> None:
        """Add to a leaf's ``.grad``."""
        observer, hooks, variable = runtime.observer, target.hooks, target.variable
        if observer is not None:
            observer.node_starts(self, target, (grad,))
        if grad is not None and variable._requires_grad:
            sums = self.sums.get(target, 0)
            accumulate(variable, grad, self.create_graph, known=1, sums=sums)
            if observer is not None:
                observer.accumulated(self, variable, "accumulated", grad)
        if hooks is not None and hooks.accumulated:
            run_post_accumulate_hooks(self, hooks, variable)
        if hooks is not None and hooks.post:
            run_posthooks(self, target, hooks, (), grad)
        if observer is not None:
            observer.node_finishes(self, target, (), False)


def fit_to_leaf(grad: Any, leaf: Tensor) -> Any:
    """A gradient in the type that was set for a leaf's gradient."""
    hooks = leaf._hooks
    if hooks is None or hooks.dtype is OWN or hooks.dtype is None:
        return grad
    data = grad._data if isinstance(grad, Tensor) else grad
    return fit_to(grad, runtime.meta(data.shape, hooks.dtype))


def fit_gradient(grad: Any, meta: runtime.Meta | None) -> Any:
    """One gradient reduced and cast, where that is needed."""
    return grad if grad is None or meta is None else fit_to(grad, meta)
