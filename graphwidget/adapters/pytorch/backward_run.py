"""One backward run of the real engine: its roots, its results, and its error.

Hooks observe its nodes (``node_hooks.py``). A run that is emitted later has no hooks: the node that
raised is found from the graph.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import torch

from ...recording import events as ev
from ...recording.findings import Finding, has_finding
from ...recording.fold import Model, Row
from ...recording.looking import add_note, message_of
from ...recording.positions import Position
from ...recording.recorder import NodeRef, Ref
from ...recording.sites import Site
from . import own_backwards, second_backward, stale_values
from .backward_errors import NO_GRAPH, STALE, error_event
from .call_recorder import number_of
from .checkpoints import overwritten_input
from .fix_trials import tried
from .lines import place_of, way_of
from .live import gate_of_this_thread
from .no_graph import cut, lost_history, no_graph
from .node_facts import class_of, leafy, sequence_of, sequences_of
from .node_hooks import NodeHooks
from .reachable_nodes import reachable
from .run_checks import Ran
from .run_context import RunContext
from .saved_tensors import slots_of
from .tensor_facts import asked, grad_fn_of
from .unreached_inputs import UNREACHED, index_in, unreached

MAX_FIRST = 20_000

BACKWARD = torch.Tensor.backward.__code__


class BackwardRun:
    """One run, with its hooks and their records."""

    def __init__(
        self,
        runs: RunContext,
        outputs: Sequence[Any],
        args: tuple[Any, ...],
        kwargs: Mapping[str, Any],
    ) -> None:
        self.runs = runs
        self.identity, self.recorder = runs.identity, runs.recorder
        self.id = self.recorder.ids.run()
        gate = gate_of_this_thread()
        self.gate = gate if gate is not None and gate.depth == 1 else None
        if self.gate is not None:
            self.gate.number = self.id
        self.deferred = self.identity.defers and self.gate is None
        if self.identity.defers and not self.deferred:
            # The page steps it, so it is emitted as it goes: earlier records are emitted now, so
            # that these calls get smaller ids than later ones.
            self.recorder.drain()
        self.options = bool(args[1]), bool(args[2])
        self.keeps = self.options[0]
        wanted = args[3] if len(args) > 3 else ()
        self.nodes = [_node_of(each) for each in outputs]
        self.roots = [
            self.identity.current(each) if isinstance(each, torch.Tensor) else None
            for each in outputs
        ]
        known = [ref.id for ref in self.roots if ref is not None]
        self.root = known[0] if known else None
        self.inputs: tuple[Ref, ...] | None = None
        if wanted:
            self.inputs = tuple(
                self.identity.current(each) for each in wanted if isinstance(each, torch.Tensor)
            )
        self.position = runs.position() if self.gate is None else self.gate.position
        self.asks = self.gate is not None or bool(wanted)  # whether nodes say that they start
        self.hooks = NodeHooks(runs, self.id, self.keeps, self.gate, self.asks)
        self.ran = self.hooks.ran
        """The nodes that have run; of a run that is emitted later, as far as known."""
        self.grads = [self.hooks.taken(each) for each in args[0]]
        self.reached = reachable(self.nodes)
        """The nodes that it can reach, and their leaves."""
        self.learning = [leaf for leaf in self.reached.values() if leaf is not None]

    def begin(self, outputs: Sequence[Any]) -> None:
        """Emit that it begins, at once or later; look for what is wrong before PyTorch does; and
        hook the nodes whose running is recorded. ``outputs`` are those that it was made with: a run
        that is emitted later keeps none of them alive."""
        runs = self.runs
        if self.deferred:
            self.recorder.raw.append(self)
            runs.going_on.append(self)
        else:
            self.emit()
        runs.checks.check_silent_writes(self)
        runs.checks.check_growth(self)
        runs.checks.check_terms(self)
        if self.options[1]:
            runs.checks.check_second_order(self)
        runs.checks.check_roots_finite(outputs, self.roots, self.position)
        if not self.deferred:
            self.hooks.install(self.reached)

    def emit(self) -> None:
        """Emit that the run begins."""
        identity = self.identity
        refs = [ref for ref in self.roots if ref is not None]
        identity.assure(*refs, *(self.inputs or ()))
        identity.emit_nodes([(node, -1, None) for node in self.nodes], refs, None)
        roots = [
            (None if ref is None else ref.id, number)
            for ref, node in zip(self.roots, self.nodes, strict=False)
            if (number := identity.edge(node)) is not None
        ]
        inputs = None if self.inputs is None else tuple(ref.id for ref in self.inputs)
        event = ev.Backward(
            self.id, tuple(roots), *self.options, self.gate is not None, inputs, None, None
        )
        self._name_root(refs)
        self.recorder.raw.append((self.runs.begins, self.position, "backward", event, self.grads))

    def _name_root(self, refs: list[Ref]) -> None:
        """The root is called what the program writes before ``.backward()``."""
        at = self.position
        if at is None or at.site is None or len(refs) != 1 or not _is_method(at):
            return
        text, calls = at.site.spelling.receiver, self.runs.calls
        if text is None:
            return
        name = at.site.scope_of(text), text
        newest = next(reversed(calls.tape.calls), None)
        if newest and name in newest.names and any(ref is refs[0] for ref in newest.made):
            return  # the call that made it has said so
        content = number_of(self.identity.content(refs[0]))
        self.recorder.raw.append((calls.records.names.gave, None, refs[0], (name,), content))

    def _standing(self) -> NodeRef | None:
        """The node that the run has reached when it fails: of those that had all their gradients
        the one made last, as the engine takes them."""
        if self.asks and not self.deferred:
            return next(reversed(self.hooks.left.values()), None)
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

    def _ran_before(self, message: str) -> None:
        """Find the nodes that ran before the one that raised, as the engine takes them: of those
        that can run the one made last, leaves first."""
        model, identity = self.recorder.log.model(), self.identity
        stale = {node["node"] for node, _slot in model.hazards()}
        ran = self.runs.ran_nodes.where()
        waits: dict[Any, int] = {}
        for node in self.reached:
            for before, _nr in node.next_functions:
                waits[before] = waits.get(before, 0) + 1
        ready = [node for node in self.reached if not waits.get(node)]
        while ready:
            node = max(ready, key=lambda each: (leafy(each), sequence_of(each)))
            ready.remove(node)
            number = identity.edge(node)
            freed = sequence_of(node) in ran and slots_of(class_of(node))
            if number is None or (number in stale if STALE in message else freed):
                break
            self.ran.add(number)
            for before, _nr in node.next_functions:
                if before is not None:
                    waits[before] -= 1
                    if not waits[before]:
                        ready.append(before)

    # The end -------------------------------------------------------------------------------
    def succeeded(self, result: Any) -> None:
        """Record the end of the run, which returned ``result``."""
        site = None if self.position is None else self.position.site
        roots = tuple([ref.id for ref in self.roots if ref is not None])
        nones = [nr for nr, each in enumerate(result or ()) if each is None]
        ran = Ran(site, roots, tuple([ref.id for ref in self.inputs or ()]), nones)
        if self.inputs is None:
            self.runs.checks.left(ran)
        else:
            self.runs.checks.gave(ran, result or ())

    def failed(self, error: Exception) -> None:
        """Say why the run failed, as notes of the error and in the log; but of an exception of the
        program's own, which is meant to end it."""
        if not isinstance(error, RuntimeError) and type(error).__module__ != "builtins":
            return
        try:
            with torch._C.DisableTorchFunction():
                if self.deferred:
                    self.recorder.drain()
                    self._ran_before(message_of(error))
                node = self._standing()
                if node is not None:
                    self.recorder.raw.append((self.runs.starts, self.id, node, ()))
                self.recorder.drain()
                number, model = None if node is None else node.id, self.recorder.log.model()
                event = error_event(error, self.id, self.root, number, model)
                if not has_finding(error):
                    event = self._explain(error, event)
                elif event.kind == "no_grad":  # so it was of a run that a hook began
                    event = event._replace(kind="other", value=None)
                self.recorder.raw.append((self.runs.errs, None, event, self.position))
        except Exception as fault:
            self.runs.fault(fault)

    def _explain(self, error: Exception, event: ev.Error) -> ev.Error:
        """Find the cause, and report it with the error; the event with it."""
        model, runs, message = self.recorder.log.model(), self.runs, message_of(error)
        node = model.nodes.get(event.node) if event.node is not None else None
        way = way_of(self.position, self.recorder.sites)
        finding = None
        if event.kind == "version" and node is not None and event.slot is not None:
            slot = next(each for each in node["saved"] if each["slot"] == event.slot)
            owned = runs.checks.learners.in_optimizers
            finding = stale_values.explain_stale(model, self.id, node, slot, way, owned)
        elif event.kind == "version" and (lost := overwritten_input(model, error)) is not None:
            finding = stale_values.explain_stale(model, self.id, *lost[:2], way, set)
            finding = finding._replace(reader=lost[2])
        elif event.kind == "freed":
            node = self._ran_already(model) if node is None else node
            first = runs.checks.freed_by
            finding = second_backward.freed(model, self.id, node, first, way)
            finding = finding or second_backward.of_earlier_cell(model, self._numbers(), first)
        elif NO_GRAPH in message:
            finding = self._without_graph(model, message)
        elif UNREACHED in message and self.inputs:
            of = [ref.id for ref in self.roots if ref is not None]
            wanted = [ref.id for ref in self.inputs]
            site = None if self.position is None else self.position.site
            nr, numbers = index_in(message), runs.calls.became_numbers
            finding = unreached(model, nr, of, wanted, site, numbers)
        elif event.kind == "other":
            finding = self._by_own_code(model, error)
        if finding is None:
            return event
        finding = tried(finding, runs.calls.tape)
        runs.checks.add(finding)
        for note in finding.lines():
            add_note(error, note)
        return event._replace(finding=finding.as_json())

    def _by_own_code(self, model: Model, error: Exception) -> Finding | None:
        sites, edge = self.recorder.sites, self.identity.edge
        site = None if self.position is None else self.position.site
        found = own_backwards.of_function(error, model, self.reached, edge, sites)
        return found or own_backwards.of_hook(error, self.runs.calls.hooks.values(), site, sites)

    def _ran_already(self, model: Model) -> Row | None:
        """The newest node that ran before, of those that the log still knows: it drops what
        ran in earlier cells, except what made the values of variables."""
        known = self._numbers() & self.runs.checks.freed_by.keys() & model.nodes.keys()
        return model.nodes[max(known)] if known else None

    def _numbers(self) -> set[int]:
        """Return the ids of the nodes that it can reach, except those of leaves."""
        found = [self.identity.edge(node) for node in self.reached if not leafy(node)]
        return {each for each in found if each is not None}

    def _without_graph(self, model: Model, message: str) -> Finding:
        calls, site = self.runs.calls, None if self.position is None else self.position.site
        constant = [ref for ref in self.inputs or () if not ref.facts.requires_grad]
        asked_for = bool(constant) and message.startswith("One of the differentiated")
        root = constant[0].id if asked_for else self.root
        owned = self.runs.checks.learners.in_optimizers
        tables = calls.origins, calls.became_numbers, calls.frozen
        found = no_graph(model, root, site, *tables, owned, calls.left_off())
        if not asked_for or found.culprit is None:
            return found
        return found._replace(text=f"A gradient is asked for by what needs none. {found.text}")

    def _learns_nothing(self) -> None:
        """Report a loss whose history was cut, with ``requires_grad`` set: no error is raised, and
        no parameter gets a gradient."""
        calls, checks = self.runs.calls, self.runs.checks
        only_a_leaf = len(self.reached) == len(self.learning) == 1 and self.inputs is None
        looked = self.position in checks.without_history
        if not only_a_leaf or looked or not (calls.became_numbers or self.identity.aliases):
            return
        checks.without_history.add(self.position)
        self.recorder.drain()
        model = self.recorder.log.model()
        site = None if self.position is None else self.position.site
        tables = calls.origins, calls.became_numbers, calls.frozen
        found = self._detach_of_loss(model) or lost_history(model, self.root, site, *tables)
        if found is not None and found.culprit is not None:
            text = f"No error is raised, and no parameter learns from this loss. {found.text}"
            checks.add(found._replace(text=text))

    def _detach_of_loss(self, model: Model) -> Finding | None:
        """Return where a tensor was detached whose numbers are the loss's."""
        root = next((ref for ref in self.roots if ref is not None), None)
        of = [
            alias.of.id
            for alias in self.identity.aliases.values()
            if root is not None and alias.of.facts.address == root.facts.address
            if alias.of.facts.requires_grad and not alias.of.facts.leaf
        ]
        for call in reversed(list(model.calls.values()) if of else []):
            if call["op"] in ("data", "detach") and call["inputs"] and call["inputs"][0] in of:
                made = model.values[call["outputs"][0]]
                site = None if self.position is None else self.position.site
                return cut(model, call, made, place_of(site))
        return None

    def ended(self, status: str) -> None:
        """Remove the hooks, and emit the end and what was freed."""
        try:
            self.hooks.remove()
            if status == "ok":
                self._learns_nothing()
            if self.deferred:
                for number in self._over(status):
                    self.recorder.raw.append((self.recorder.free, number))
            elif not self.keeps:
                site = None if self.position is None else self.position.site
                _record_first(self.runs.checks.freed_by, self.hooks.done, site)
            self.recorder.raw.append((self.recorder.emit, ev.Done(self.id, status)))
            self._retained()
            self.runs.is_over()
        except Exception as error:
            self.runs.fault(error)

    def _over(self, status: str) -> list[int]:
        """End a run that is emitted later: drop what it reached, and record the leaves that got a
        gradient. Return the emitted nodes whose saved values it freed."""
        runs, emptied = self.runs, []
        if status == "ok" and not self.keeps:
            site = None if self.position is None else self.position.site
            ran = sequences_of([node for node, leaf in self.reached.items() if leaf is None])
            runs.ran_nodes.record(ran, site)
            if min(ran, default=0) <= self.identity.newest:
                found = [self.identity.known_node(node) for node in self.reached]
                emptied = [ref.id for ref in found if ref is not None]
        for leaf in self.learning:
            if leaf.grad is not None:
                known = self.identity.known(leaf) or self.identity.current(leaf)
                runs.checks.graded.add(known.storage)
        runs.going_on.remove(self)
        self.reached, self.nodes, self.learning = {}, [], []
        return emptied

    def _retained(self) -> None:
        """Emit the retained gradients of tensors inside the graph. (`inputs=` of a backward
        retains those of tensors that are no leaves.)"""
        for ref in self.inputs or ():
            tensor = None if ref.facts.leaf else ref()
            # (to compare references would compare tensors)
            known = any(each is ref for each in self.identity.retaining)
            if tensor is not None and tensor.retains_grad and not known:
                self.identity.retaining.append(ref)
                self.recorder.raw.append((self.recorder.emit, ev.Flag(ref.id, True, True)))
        if not self.identity.retaining:
            return
        with torch._C.DisableTorchFunction():
            kept = {ref.id: ref for ref in self.identity.retaining if ref() is not None}
            self.identity.retaining[:] = kept.values()
            for ref in kept.values():
                tensor = ref()
                if tensor is None or tensor.grad is None or ref.id not in self.recorder.values:
                    continue
                if self.identity.known(tensor) is not ref:
                    continue  # what it was before a write
                taken = self.identity.captured(tensor.grad)
                self.recorder.raw.append(
                    (self.runs.accumulates, "retained", ref.id, taken, self.id)
                )


def _record_first(table: dict[int, Site | None], nodes: Iterable[int], site: Site | None) -> None:
    """Record where nodes ran, if they did not before; of too many the older half is forgotten."""
    for node in nodes:
        if node not in table:
            table[node] = site
    if len(table) > MAX_FIRST:
        for node in list(table)[: MAX_FIRST // 2]:
            del table[node]


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


def _is_method(at: Position) -> bool:
    """Return whether the user's own code calls ``loss.backward()`` there."""
    pairs = zip(at.levels, at.levels[1:], strict=False)
    calls = [(level, inner) for level, inner in pairs if not level.ours]
    return bool(calls) and not calls[-1][0].library and calls[-1][1].code is BACKWARD
