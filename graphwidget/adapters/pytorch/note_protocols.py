"""What ``held_turns.py`` asks of the classes that make notes, as ``typing.Protocol``s.

The classes themselves need that file, so it cannot import them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import torch

from ...recording.positions import Position
from ...recording.recorder import Ref
from ...recording.sites import Names, Site
from .identity import Slots
from .leaks import Count
from .node_hooks import NodeRan
from .reachable_nodes import RanNodes, RepeatedRuns
from .steady_plan import Enter
from .tape import Write


class Calls(Protocol):
    """What notes calls."""

    def note_made(
        self, func: Callable[..., Any], name: str,
        before: tuple[Sequence[Ref], tuple[Any, ...], Mapping[str, Any]], result: torch.Tensor,
        enabled: bool, position: Position | None, names: Names, late: Names, node: Any,
        pair: bool = False, saves: Sequence[Slots] | None = None, made: Ref | None = None,
    ) -> Ref:  # fmt: skip
        """A call that made one tensor."""

    def note_factory(
        self, func: Callable[..., Any], name: str, args: tuple[Any, ...],
        kwargs: Mapping[str, Any], result: torch.Tensor, enabled: bool, position: Position | None,
        names: Names, late: Names,
    ) -> Ref:  # fmt: skip
        """A call that made a tensor of none."""

    def note_alias(self, tensor: torch.Tensor, of: Ref, how: str) -> None:
        """A tensor has the memory of another one."""

    def note_number(self, tensor: torch.Tensor, site: Site) -> None:
        """A tensor became a number."""

    def note_passed_write(self, name: str, position: Position | None, write: Write) -> None:
        """What several steps wrote."""

    def returned(self, result: Any) -> None:
        """A run is over."""


class Scopes(Protocol):
    """What notes modules and steps."""

    thread: int
    """The thread whose program is heard."""

    @property
    def installed(self) -> bool:
        """Whether it is heard still."""

    def note_module(self, event: Enter) -> None:
        """A module is called."""

    def note_end(self) -> None:
        """Its call ends."""

    def note_step(
        self, name: str, numbers: str, position: Position | None, writes: list[Write]
    ) -> None:
        """An optimizer's step."""


class NodeTeller(Protocol):
    """What tells of the nodes of a run."""

    def has_run(self, heard: NodeRan, moved: Mapping[int, Ref] | None = None) -> None:
        """A node has run."""


class NotedRun(Protocol):
    """A run that is noted."""

    @property
    def told(self) -> NodeTeller | None:
        """What tells of its nodes, if these are told."""

    def succeeded(self, result: Any) -> None:
        """It has ended well."""

    def failed(self, error: Exception) -> None:
        """It has raised."""

    def ended(self, status: str) -> None:
        """It is over."""


class Checks(Protocol):
    """What is looked at when runs begin."""

    @property
    def kept(self) -> Count:
        """Counts the nodes that live."""

    @property
    def awaits_a_run(self) -> bool:
        """Whether graphs are kept that a run may still go through."""

    @property
    def plain(self) -> bool:
        """Whether gradients were given that have no graph."""


class Runs(Protocol):
    """What notes runs."""

    @property
    def calls(self) -> Calls:
        """What notes calls."""

    @property
    def checks(self) -> Checks:
        """What looks at them."""

    @property
    def repeats(self) -> RepeatedRuns:
        """What the last runs did."""

    @property
    def ran_nodes(self) -> RanNodes:
        """Which nodes ran."""

    def begun(
        self, entry: Callable[..., Any], outputs: Sequence[Any], args: tuple[Any, ...],
        kwargs: Mapping[str, Any], position: Position | None = None,
    ) -> NotedRun:  # fmt: skip
        """A run has begun."""
