"""Checks made at each backward run before PyTorch can complain; keeps what was found.

Each look is cheap as long as nothing is wrong: a count, or a table that is empty.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from sys import _getframe
from typing import Any, NamedTuple, Protocol

import torch

from ...recording.findings import Finding
from ...recording.positions import Position
from ...recording.recorder import Recorder, Ref
from ...recording.sites import Site
from . import nans, second_backward
from .constant_terms import constant_term, lost_term
from .gradient_sums import GradientSums, never_reset
from .identity import TOKEN, Identity
from .idle_steps import cast_once, dropped_before, no_backward, no_step
from .leaks import Count, leak, with_history
from .lines import name_of_value, place_of, way_of
from .loss_inputs import odd_input
from .node_facts import leafy
from .observed_calls import ObservedCalls
from .saved_tensors import saved_tensors
from .second_order import kept_constant
from .stale_values import silently_stale
from .tensor_facts import copyable, storage_of
from .unused_parameters import Learners
from .zero_gradients import ALWAYS, all_zero, made_zero

MAX_FINDINGS, MAX_PLACES, MAX_GROWN = 100, 1_000, 50_000
GROWING = 6
"""Runs after each other, every one larger than the one before, that are no chance any more; of a
line whose graphs have become smaller too, as those of texts of all lengths, twice as many."""
LOOKS = 3
"""Number of times that the origin of a NaN is looked for; later ones come from it."""
MAX_SCALED = 30
"""The same if a scaler multiplies losses by a factor that may be too large."""


class BeginningRun(Protocol):
    """A run that begins: its first nodes, all that it can reach, and where it stands."""

    id: int
    nodes: list[Any]
    reached: dict[Any, torch.Tensor | None]
    position: Position | None
    roots: list[Ref | None]
    inputs: tuple[Ref, ...] | None


class Ran(NamedTuple):
    """A run that went well: its line, the values that it went back from, those whose gradients it
    was to give, and which of these it gave as None."""

    site: Site | None
    roots: tuple[int, ...]
    wanted: tuple[int, ...]
    nones: list[int]


class RunChecks:
    """Collects findings, and looks for more."""

    def __init__(self, recorder: Recorder, identity: Identity, calls: ObservedCalls) -> None:
        self.recorder = recorder
        self.identity = identity
        self.calls = calls
        self.findings: list[Finding] = []
        self.earlier: list[Finding] = []
        """Findings of earlier cells, until a backward of this one succeeds."""
        self.freed_by: dict[int, Site | None] = {}
        """Of nodes whose saved values are freed: the line of the run that did it."""
        self.graded: set[int] = set()
        """Storages of leaves that got a gradient."""
        self.last_run: Ran | None = None
        """The last one that left gradients at leaves."""
        self.ran_at: dict[Site | None, Ran] = {}
        """The last one from each line."""
        self.gave_none: Ran | None = None
        """The last one that gave a gradient as None."""
        self.learners = Learners(identity)
        self.sums = GradientSums()
        self.zeros: dict[Position | None, int] = {}
        """By position: how many runs gave gradients of zeros alone; -1 if one gave others."""
        self.loss_is_zero = False
        self.unknown: Finding | None = None
        """A NaN in a loss whose birthplace is not known."""
        self.grown: dict[Any, tuple[int, int, set[int], int]] = {}
        """By position: how many nodes its last run reached, how often that was more than before,
        which they were, and how often it must be more to be no chance."""
        self.kept = Count()
        self.waiting: dict[Position, tuple[list[Finding], set[int]]] = {}
        """By position of a module's calls: what keeps graphs, and those of its nodes that no
        backward has run through."""
        self.looks: float = LOOKS
        self.plain = False
        """True if gradients were given without a graph of their own, since terms were looked at."""
        self.termed: set[Position | None] = set()
        """Positions of runs whose losses' terms were looked at."""
        self.functions: set[type] = set()
        """The classes of Functions whose code was read."""
        self.without_history: set[Position | None] = set()
        """Positions of runs whose loss has no history."""

    def go_on_from(self, before: RunChecks) -> None:
        """Know what another one has found out."""
        self.earlier = [*before.earlier, *before.findings]
        self.freed_by, self.graded, self.grown = before.freed_by, before.graded, before.grown
        self.last_run, self.gave_none = before.last_run, before.gave_none
        self.learners.go_on_from(before.learners)
        self.sums = before.sums

    def check_silent_writes(self, run: BeginningRun) -> None:
        """Look for saved values that were written without PyTorch's notice."""
        silent = self.identity.silent
        if not silent:
            return
        if self.identity.defers and any(
            storage_of(raw) in silent for node in run.reached for _slot, raw in saved_tensors(node)
        ):
            self.recorder.drain()
        reported: set[Site | None] = set()
        for node in run.reached:
            known = self.identity.known_node(node)
            if known is None or getattr(node, "_saved_training", False):
                continue  # a batch norm in training keeps its running numbers, and needs them not
            for _slot, raw in saved_tensors(node):
                write = silent.get(storage_of(raw))
                if write is None or write.site in reported:  # a loop writes all that a model has
                    continue
                if write.time > node.metadata[TOKEN].made:
                    reported.add(write.site)
                    self.recorder.drain()
                    model = self.recorder.log.model()
                    name = name_of_value(model, write.value)
                    way = way_of(run.position, self.recorder.sites)
                    owned = self.learners.in_optimizers
                    self.add(silently_stale(model, run.id, known.id, write, name, way, owned))

    @property
    def awaits_a_run(self) -> bool:
        """True if graphs are kept that a run may still go through."""
        return any(found for found, _nodes in self.waiting.values())

    def check_growth(self, run: BeginningRun) -> None:
        """Notice a graph that is larger with every run from the same line."""
        if self.awaits_a_run:
            self._runs_through(run)
        if run.position is None:
            return
        count = len(run.reached)
        unknown: tuple[int, int, set[int], int] = (count, 0, set(), GROWING)
        last, streak, before, enough = self.grown.get(run.position, unknown)
        streak = streak + 1 if count > last else 0
        enough = 2 * GROWING if count < last else enough
        if len(self.grown) > MAX_PLACES:
            self.grown.clear()
        now: set[int] = set()
        if streak >= enough - 1 and count < MAX_GROWN:  # the next may be one too many
            if self.identity.defers:
                self.recorder.drain()
            now = {each for node in run.reached if (each := self.identity.edge(node)) is not None}
        self.grown[run.position] = count, streak, now, enough
        if streak < enough and self.kept.rises(run.position, self.identity.living):
            self._find_leaks(run.position)
        if streak == enough:
            self.recorder.drain()
            inner = before - {self.identity.edge(node) for node in run.reached if leafy(node)}
            roots = [each for node in run.nodes if (each := self.identity.edge(node)) is not None]
            self.add(second_backward.growing(self.recorder.log.model(), roots, inner, count))

    def left(self, ran: Ran) -> None:
        """A run has left gradients at leaves."""
        self.last_run = ran
        self.ran_at[ran.site] = ran
        if len(self.ran_at) > MAX_PLACES:
            self.ran_at.clear()

    def steps(
        self, optimizer: Any, stepping: Sequence[Ref], position: Position | None,
        graded: Sequence[torch.Tensor],
    ) -> None:  # fmt: skip
        """An optimizer makes a step, in which it writes those that are ``stepping``."""
        losses = () if self.last_run is None else self.last_run.roots
        self.learners.steps(optimizer, stepping, position, losses)
        self.sums.step(optimizer, graded, position)

    def lost_terms(self) -> list[Finding]:
        """Terms of losses that lost their history, or else a loss that expects another input. The
        records have to be drained before."""
        model, numbers = self.recorder.latest(), self.calls.became_numbers
        found = (lost_term(model, ran.roots, numbers) for ran in reversed(self.ran_at.values()))
        terms = [each for each in found if each is not None]
        odd = odd_input(self.recorder.latest()) if not terms else None
        return terms if odd is None else [odd]

    def idle_steps(self) -> Finding | None:
        """Steps that changed nothing that a loss sees, or that used the sum of all gradients."""
        learners, sites = self.learners, self.recorder.sites
        for place in (place_of(each.site) for each in self.sums.positions()):
            self.recorder.drain()
            summed = None if place is None else never_reset(place, self.recorder.latest())
            if summed is not None:
                return summed
        if learners.cast_at is not None:
            found = cast_once(way_of(learners.cast_at, sites))
            if found is not None:
                return found
        backward = None if self.last_run is None else place_of(self.last_run.site)
        step = place_of(None if learners.stepped_at is None else learners.stepped_at.site)
        bare: set[int] = set().union(*learners.bare.values())
        if backward is None and step is not None and not self.graded:
            self.recorder.drain()
            return no_backward(step, self.recorder.latest())
        if backward is not None and not learners.owned:
            self.recorder.drain()
            return no_step(backward, self.recorder.latest())
        if backward is None or step is None or not bare & self.graded or bare != learners.owned:
            return None
        return dropped_before(step, backward)

    def gave(self, ran: Ran, gradients: Iterable[torch.Tensor | None]) -> None:
        """A run has given these gradients; none, where it left them at its inputs."""
        if ran.nones:
            self.gave_none = ran
        given = [each for each in gradients if each is not None]
        self.plain |= bool(given) and not any(each.requires_grad for each in given)

    def check_terms(self, run: BeginningRun) -> None:
        """Look, once a position, whether the loss adds gradients that have no graph."""
        if self.plain and run.inputs is None and run.position not in self.termed:
            self.plain = False
            self.termed.add(run.position)
            self.recorder.drain()
            roots = [ref.id for ref in run.roots if ref is not None]
            self.add(constant_term(self.recorder.log.model(), roots))

    def check_second_order(self, run: BeginningRun) -> None:
        """Look, in a run that records a graph, for Functions that keep constants."""
        for node in run.reached:
            self.add(kept_constant(node, self.functions))

    def _find_leaks(self, position: Position) -> None:
        """Look for what keeps the graphs of earlier iterations."""
        self.recorder.drain()
        model = self.recorder.log.model()
        source = None if position.site is None else position.site.id
        starts = [row["time"] for row in model.runs.values() if row["source"] == source]
        ran = self.recorder.nodes & self.freed_by.keys()
        for found in leak(model, ran, starts, with_history(self.identity), _getframe()):
            self.add(found)

    def check_unrun_graphs(self, position: Position) -> None:
        """A module was called by the program: look, once a position, whether graphs of its calls
        are kept that no backward ran through. None may run yet: what is found has to wait."""
        if position in self.waiting or not self.kept.rises((position,), self.identity.living):
            return
        self.recorder.drain()
        model = self.recorder.log.model()
        source = None if position.site is None else position.site.id
        starts: dict[int, int] = {}
        for call in model.calls.values():
            scope, outermost = call["scope"], None
            while scope in model.scopes:  # older ones may be forgotten
                outermost = scope if model.scopes[scope]["source"] == source else outermost
                scope = model.scopes[scope]["parent"]
            if outermost is not None:
                starts.setdefault(outermost, call["time"])
        nodes = {
            number
            for number in self.recorder.nodes - self.freed_by.keys()
            if number in model.nodes and model.nodes[number]["variable"] is None
        }
        began = [*starts.values()]
        found = leak(model, nodes, began, with_history(self.identity), _getframe(), waits=True)
        if len(self.waiting) < MAX_PLACES:
            self.waiting[position] = found, nodes

    def _runs_through(self, run: BeginningRun) -> None:
        """Clear the waiting graphs that a run reaches: they were kept for it."""
        reached = {self.identity.edge(node) for node in run.reached}
        for position, (found, nodes) in self.waiting.items():
            if found and not nodes.isdisjoint(reached):
                self.waiting[position] = [], set()

    def kept_for_nothing(self) -> list[Finding]:
        """The graphs that are kept and that no backward has run through, each once."""
        found = [each for some, _nodes in self.waiting.values() for each in some]
        return list({(each.kind, each.culprit): each for each in found}.values())

    def check_roots_finite(
        self, tensors: Sequence[Any], roots: Sequence[Ref | None], position: Position | None
    ) -> None:
        """Look for the birthplace of a NaN or an infinity that has come as far as the loss."""
        for tensor, ref in zip(tensors, roots, strict=True):
            if ref is None or self.looks <= 0:  # an edge, or enough was looked for
                continue
            if tensor.numel() != 1 or not copyable(tensor):
                continue
            number = tensor.item()
            self.loss_is_zero = number == 0
            if number - number != 0:  # not finite
                self.recorder.drain()
                tape, model = self.calls.tape, self.recorder.log.model()
                value = self.identity.current(tensor).id
                found = nans.in_forward(tape, len(tape.entries), tensor, model, value)
                if found is None and number != number:
                    site = None if position is None else position.site
                    self.unknown = nans.unknown_birth(site)
                self._born(found)

    def check_gradients_finite(self, grads: Iterable[torch.Tensor | None]) -> None:
        """Look for it when one is in a gradient."""
        bad = nans.bad_gradient(grads) if self.looks > 0 else None
        if bad is not None:
            if self.identity.defers:
                self.recorder.drain()
            self._born(nans.in_backward(self.calls.tape, bad))

    def check_gradients_zero(
        self, position: Position | None, grads: Sequence[torch.Tensor | None]
    ) -> None:
        """Look, at the first runs from a position, whether all gradients are 0 each time."""
        count = self.zeros.get(position, 0)
        if count < 0 or count >= ALWAYS or not grads:
            return
        if len(self.zeros) > MAX_PLACES:
            self.zeros.clear()
        count = self.zeros[position] = count + 1 if all_zero(grads) else -1
        if count == ALWAYS:
            self.add(made_zero(self.calls.tape, self.loss_is_zero))

    def _born(self, finding: Finding | None) -> None:
        if finding is not None:
            self.looks = 0
            self.add(finding)
        else:  # a scale that is too large is to be expected now and then
            self.looks -= 1 if not nans.scales() else LOOKS / MAX_SCALED

    def add(self, finding: Finding | None) -> None:
        """Keep what was found; of the same thing at the same lines only what was found last."""
        if finding is None:
            return
        same = (finding.kind, finding.reader, finding.culprit)
        if finding.reader or finding.culprit:
            self.findings[:] = [
                each for each in self.findings if (each.kind, each.reader, each.culprit) != same
            ]
        if finding not in (*self.findings, *self.earlier):
            self.findings.append(finding)
            del self.findings[:-MAX_FINDINGS]
