"""Contents of a still picture: one iteration of a loop, one card a parameter, modules folded."""

from __future__ import annotations

from collections.abc import Iterator, Set
from typing import NamedTuple

from ..recording.fold import Model, Row

MOST = 40
"""The most boxes before modules are folded."""

FRAMES = ("module", "function", "loop", "iteration")
DEEPEST_FRAME = 6

FEW_TURNS = 4
"""Loops of more iterations are folded, as the widget opens with them closed."""


class Pill(NamedTuple):
    """A call, or all calls of a folded scope, within the frames of the scopes around."""

    key: str
    calls: list[Row]
    scope: Row | None
    frames: tuple[int, ...]


class Still(NamedTuple):
    """Cards (by value, with their frames), pills by key, and edges between their keys."""

    cards: dict[int, tuple[int, ...]]
    pills: dict[str, Pill]
    edges: dict[tuple[str, str], None]
    absorbed: dict[str, int]
    """Number of parameters inside a folded pill."""

    def __len__(self) -> int:
        return len(self.cards) + len(self.pills)


class Scopes:
    """The scopes around calls, and which of them are training loops: each iteration has a backward
    or a step."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.training = {
            key for key, loop in model.loops.items() if any(map(self._learns, loop["iterations"]))
        }

    def around(self, scope: int | None) -> list[Row]:
        """The scopes from the outermost in."""
        found: list[Row] = []
        while scope is not None and len(found) < 2000:
            row = self.model.scopes.get(scope)
            if row is None:
                break
            found.append(row)
            scope = row["parent"]
        return found[::-1]

    def _learns(self, iteration: Row) -> bool:
        end = iteration["to"] if iteration["to"] is not None else self.model.time + 1
        if any(iteration["from"] <= run["time"] < end for run in self.model.runs.values()):
            return True
        steps = (row for row in self.model.scopes.values() if row["kind"] == "step")
        return any(
            iteration["scope"] in (each["scope"] for each in self.around(row["scope"]))
            for row in steps
        )

    def iteration_of(self, call: Row | None) -> int | None:
        """The iteration of a training loop that a call belongs to, the outermost; None outside of
        such loops."""
        if call is None or not self.training:
            return None
        around = self.around(call["scope"])
        return next(
            (
                r["scope"]
                for r in around
                if r["kind"] == "iteration" and r["parent"] in self.training
            ),
            None,
        )

    def step(self, call: Row | None) -> Row | None:
        """The optimizer's step that a call belongs to."""
        if call is None:
            return None
        return next((r for r in self.around(call["scope"]) if r["kind"] == "step"), None)

    def frames(self, call: Row) -> list[Row]:
        """The scopes that are drawn as frames or folded: not a training loop and its iteration."""
        return [
            row
            for row in self.around(call["scope"])
            if row["kind"] in FRAMES
            and row["parent" if row["kind"] == "iteration" else "scope"] not in self.training
        ][:DEEPEST_FRAME]


def newest(model: Model, of: dict[int, str]) -> dict[int, int]:
    """For each value of a tensor that is written in place and stays one card, its last value."""
    last: dict[int, int] = {}
    for key in of:
        at, seen = key, {key}
        value = model.values[key]
        while value["leaf"] and value["requires_grad"] and value["next"] not in seen:
            following = model.values.get(value["next"])
            if following is None:
                break
            at, value = following["value"], following
            seen.add(at)
        last[key] = at
    return last


def still(
    model: Model, scopes: Scopes, cards: dict[int, int], calls: dict[int, Row],
    opened: Set[int] = frozenset(),
) -> Still:  # fmt: skip
    """The picture of calls and values, folded until at most ``MOST`` boxes are left.

    ``cards`` has for each value the one whose card is drawn for it; ``calls`` are those drawn. The
    scopes in ``opened`` are not folded.
    """
    chains = {key: scopes.frames(call) for key, call in calls.items()}
    deepest = max((len(chain) for chain in chains.values()), default=0)
    tops = {chain[0]["scope"] if chain else -key for key, chain in chains.items()}
    closed = _closed(model, chains) - opened
    ways = [(deepest, False)] + [(depth, True) for depth in range(deepest, -1, -1)]
    if len(tops) < 3:
        ways = ways[: max(1, len(ways) - 1)]  # a picture of one box would say nothing
    for depth, absorb in ways:
        found = _folded(model, cards, calls, chains, closed, opened, depth, absorb)
        if len(found) <= MOST:
            break
    return found


def _closed(model: Model, chains: dict[int, list[Row]]) -> set[int]:
    """The scopes that are folded at every depth: modules that hold no other, and long loops."""
    rows = [row for chain in chains.values() for row in chain]
    parents = {row["parent"] for row in rows if row["kind"] == "module"}
    modules = {row["scope"] for row in rows if row["kind"] == "module"}
    return modules - parents | {k for k, loop in model.loops.items() if loop["count"] > FEW_TURNS}


def _pills(
    calls: dict[int, Row],
    chains: dict[int, list[Row]],
    closed: Set[int],
    opened: Set[int],
    depth: int,
) -> tuple[dict[str, Pill], dict[int, str]]:
    """The pills of calls and of the scopes that are folded, and in which of them each call is."""
    pills: dict[str, Pill] = {}
    of_call: dict[int, str] = {}
    for key, call in calls.items():
        chain = chains[key]
        cut = len(chain)
        for at, row in enumerate(chain):
            if row["scope"] in closed or (at >= depth and row["scope"] not in opened):
                cut = at
                break
        scope = chain[cut] if cut < len(chain) else None
        name = f"c{key}" if scope is None else f"s{scope['scope']}"
        frames = tuple(row["scope"] for row in chain[:cut])
        pills.setdefault(name, Pill(name, [], scope, frames)).calls.append(call)
        of_call[key] = name
    return pills, of_call


def _folded(
    model: Model, cards: dict[int, int], calls: dict[int, Row], chains: dict[int, list[Row]],
    closed: Set[int], opened: Set[int], depth: int, absorb: bool,
) -> Still:  # fmt: skip
    """The picture with scopes deeper than ``depth`` folded, and those that are ``closed``."""
    pills, of_call = _pills(calls, chains, closed, opened, depth)
    readers: dict[int, dict[str, None]] = {}
    makers: dict[int, str] = {}
    for key, call in calls.items():
        for value in _inputs(call):
            if value in cards:
                readers.setdefault(cards[value], {})[of_call[key]] = None
        for value in call["outputs"]:
            if value in cards:
                makers[cards[value]] = of_call[key]
    found = Still({}, pills, {}, {})
    for value in dict.fromkeys(cards.values()):
        read, made = readers.get(value, {}), makers.get(value)
        inside = len(read) == 1 and next(iter(read)).startswith("s")
        row = model.values[value]
        plain = made is None and not row["names"] and not row["requires_grad"]
        if inside and (made in read or plain):
            continue  # it never leaves its folded scope
        if calls and not read and made is None and (row["parameter"] or _says_nothing(model, row)):
            continue  # nothing that is drawn uses it
        if inside and absorb and made is None and row["parameter"]:
            name = next(iter(read))
            found.absorbed[name] = found.absorbed.get(name, 0) + 1
            continue
        around = [pills[name].frames for name in ([made] if made else []) + list(read)]
        own = made is not None or row["parameter"]
        found.cards[value] = _common(around) if own and around else ()
        if made is not None:
            found.edges[(made, f"v{value}")] = None
        for name in read:
            if name != made:
                found.edges[(f"v{value}", name)] = None
    return found


def _says_nothing(model: Model, value: Row) -> bool:
    """Return whether a value that nothing drawn made or reads is but a part of a call: it has no
    name, and no history beside what was recorded."""
    node = model.nodes.get(value["node"])
    return not value["names"] and (node is None or node["call"] is not None)


def _inputs(call: Row) -> Iterator[int]:
    return (each for each in call["inputs"] if isinstance(each, int))


def _common(chains: list[tuple[int, ...]]) -> tuple[int, ...]:
    """The frames that all have around them."""
    first, *others = chains
    length = 0
    while length < len(first) and all(
        chain[: length + 1] == first[: length + 1] for chain in others
    ):
        length += 1
    return first[:length]


# Which values of a recording a still picture shows, and how far back it goes ---------------------


def iteration_shown(model: Model, scopes: Scopes, roots: set[int] | None) -> int | None:
    """The iteration of a training loop that the picture shows: that of the newest call, or of the
    roots."""
    calls = [model.calls.get(model.values[key]["call"]) for key in roots or ()]
    newest_call = next(reversed(model.calls.values()), None) if roots is None else None
    for call in [newest_call, *calls]:
        iteration = scopes.iteration_of(call)
        if iteration is not None:
            return iteration
    return None


def values_shown(
    model: Model, roots: set[int] | None, scopes: Scopes, iteration: int | None
) -> dict[int, str]:
    """The roots, or what the program still holds (of an iteration: what it made), and all that they
    were computed from: ``made``, or ``given`` where the picture begins."""
    living = {key: value for key, value in model.values.items() if value["alive"]}
    known = {key for key, v in living.items() if v["names"] or v["node"] is not None}
    for run in list(model.runs.values())[-1:]:  # what backward began at is seldom kept
        known |= {value for value, _node in run["roots"] if value in model.values}
    if roots is None and iteration is not None:
        own = {
            k
            for k in known
            if scopes.iteration_of(model.calls.get(model.values[k]["call"])) == iteration
        }
        roots = {key for key in own if not _hidden(model, scopes, model.values[key])} or None
    waiting = [
        key
        for key in roots or known or living
        if not _is_written_gradient(model, scopes, model.values[key])
    ]
    through = base_writes(model)
    shown: dict[int, str] = {}
    while waiting:
        key = waiting.pop()
        value = model.values.get(key)
        if value is None or key in shown:
            continue
        call = model.calls.get(value["call"])
        before = []
        if key in through and through[key]["call"] in model.calls:
            call = model.calls[through[key]["call"]]
            before = [through[key]["base_before"]]
        elsewhere = scopes.iteration_of(call) not in (None, iteration)
        shown[key] = "given" if elsewhere or _hidden(model, scopes, value) else "made"
        if shown[key] == "given":
            continue
        waiting += before
        if call is not None:
            waiting += [each for each in call["inputs"] if isinstance(each, int)]
        else:
            waiting += _leaves(model, value["node"])
        if value["view_of"] is not None:
            waiting.append(value["view_of"])
    return shown


def _hidden(model: Model, scopes: Scopes, value: Row) -> bool:
    """Return whether how a value was made is no part of the picture: an optimizer's work, and
    numbers written into a leaf without a history."""
    call = model.calls.get(value["call"])
    if call is None:
        return False
    written = call["inplace"] and call["node"] is None and value["leaf"] and value["requires_grad"]
    return bool(written) or scopes.step(call) is not None


def _is_written_gradient(model: Model, scopes: Scopes, value: Row) -> bool:
    """Return whether a value is a gradient that was written in place, as to clip it: it has no name
    and no history. What an optimizer writes so is its state."""
    call = model.calls.get(value["call"])
    if call is None or not call["inplace"] or value["requires_grad"] or value["names"]:
        return False
    return scopes.step(call) is None


def base_writes(model: Model) -> dict[int, Row]:
    """For a value that is the base after a write through one of its views: that write."""
    rows = [write for storage in model.storages.values() for write in storage["writes"]]
    return {write["base"]: write for write in rows if write["base"] is not None}


def nodes_behind(model: Model, node: int | None) -> list[Row]:
    """A node whose call was not recorded and all such nodes behind it."""
    found: dict[int, Row] = {}
    waiting = [node]
    while waiting:
        key = waiting.pop()
        row = None if key is None else model.nodes.get(key)
        if row is not None and row["node"] not in found and row["call"] is None:
            found[row["node"]] = row
            waiting += [edge[0] for edge in row["next"]]
    return list(found.values())


def _leaves(model: Model, node: int | None) -> list[int]:
    """The values at the ends of what lies behind an unrecorded node: leaves and saved values."""
    values: list[int | None] = []
    for row in nodes_behind(model, node):
        values += [row["variable"], *row["outputs"]]
        for behind, _nr in row["next"]:
            recorded = model.nodes.get(behind)
            if recorded is not None and recorded["call"] is not None:
                values += recorded["outputs"]
    return [value for value in values if value is not None]
