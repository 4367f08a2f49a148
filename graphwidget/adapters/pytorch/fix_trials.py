"""Fixes that are tried: the newest calls are played again with the line changed, on stand-ins.

No code of the user's runs again. The calls on the tape are repeated on tensors of the same shapes
that hold ones (of large programs, on tensors without memory), first as they were: only if they
fail as the program did is the change tried, and what becomes of it told.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from contextlib import nullcontext
from math import prod
from typing import Any, NamedTuple

import torch

from ...recording.findings import Finding, Place
from ...recording.places import file_in_words
from .statements import parts, writes
from .tape import Entry, Held, Look, Tape

NEAR = 2**18
"""Items of stand-ins in all up to which they hold numbers."""

AGAIN = "Checked: the last calls, run again with this change on tensors of ones,"
WORKED = f"{AGAIN} raised no error."
FAILED = f"{AGAIN} still fail: {{error}}."

REPEATED = {
    "stale": "modified by an inplace operation",
    "freed": "backward through the graph a second time",
    "leaf": "a leaf Variable that requires grad",
    "no_grad": "does not require grad",
}
"""What PyTorch says of failures by their kinds."""


ELSEWHERE = re.compile(r"  # (after|before|line) .+$", re.MULTILINE)
"""Marks code that does not stand in the place of the guilty line."""


class Unfit(Exception):
    """The tape cannot be played."""


class Change(NamedTuple):
    """What is done otherwise: ``at`` tells the entries that it is done at, ``how`` is done before
    each of them, or around it."""

    at: Callable[[Entry], bool]
    how: Callable[[Player, int], Any]


class Player:
    """Repeats the calls of a tape on stand-ins."""

    def __init__(self, entries: list[Entry], looks: dict[int, Look]) -> None:
        self.entries, self.looks = entries, looks
        items = sum(prod(look.shape) for look in looks.values())
        self.device = "cpu" if items <= NEAR else "meta"
        self.tensors: dict[int, torch.Tensor] = {}

    def play(self, change: Change | None = None) -> str:
        """The error that the calls end with; empty if there is none.

        Raises:
            Unfit: something is on the tape that cannot be repeated.
        """
        for at, entry in enumerate(self.entries):
            if entry.made:
                continue  # what it made is among the looks
            last = at == len(self.entries) - 1
            around: Any = nullcontext()
            if change is not None and change.at(entry):
                around = change.how(self, at) or around
            try:
                with torch.set_grad_enabled(entry.grad_mode), around:
                    self.repeat(entry)
            except RuntimeError as error:
                if last or change is not None:
                    return str(error)
                raise Unfit from error
        return ""

    def repeat(self, entry: Entry) -> None:
        """Make the call of an entry."""
        if entry.func is None:
            with torch.no_grad():
                for number in entry.written:
                    self.tensor(number).add_(0)
            return
        if entry.args is None:
            raise Unfit
        args = self._given(entry.args)
        result = entry.func(*args, **{key: self._given(x) for key, x in entry.kwargs.items()})
        self._bind(entry.result, result)

    def _bind(self, made: Any, result: Any) -> None:
        if isinstance(made, Held):
            if not isinstance(result, torch.Tensor):
                raise Unfit
            self.tensors[made] = result
        elif isinstance(made, tuple):
            if not isinstance(result, (list, tuple)) or len(made) != len(result):
                raise Unfit
            for number, each in zip(made, result, strict=True):
                self._bind(number, each)

    def _given(self, value: Any) -> Any:
        if isinstance(value, Held):
            return self.tensor(value)
        kind = type(value)
        if kind is list or kind is tuple:
            return kind([self._given(each) for each in value])
        if kind is slice:
            return slice(*map(self._given, (value.start, value.stop, value.step)))
        if kind is dict:
            return {key: self._given(each) for key, each in value.items()}
        return torch.device(self.device) if kind is torch.device else value

    def tensor(self, number: int) -> torch.Tensor:
        """The stand-in of a tensor."""
        found = self.tensors.get(number)
        if found is None:
            look = self.looks.get(number)
            if look is None:
                raise Unfit
            found = self.tensors[number] = self._like(look)
        return found

    def _like(self, look: Look) -> torch.Tensor:
        if look.base is not None:
            with torch.no_grad() if look.leaf else nullcontext():
                return self.tensor(look.base).as_strided(look.shape, look.stride, look.offset)
        kind = look.dtype
        new = torch.ones(look.shape, dtype=kind, device=self.device)
        if kind.is_floating_point or kind.is_complex:
            new.requires_grad_(look.requires_grad)
        elif kind is not torch.bool:
            new.zero_()  # as indices these fit
        return new if look.leaf or not look.requires_grad else new.clone()


def tried(finding: Finding, tape: Tape) -> Finding:
    """The finding, with what became of its fix when it was tried; as it was where it cannot be."""
    change = _change(finding)
    if (
        change is None
        or not finding.fix
        or not any(map(change.at, tape.entries))
        or any(entry.args is None and not entry.made for entry in tape.entries)
    ):
        return finding
    message = REPEATED[finding.kind]
    try:
        with torch.random.fork_rng(devices=[]), torch.enable_grad():
            if message not in Player(tape.entries, tape.looks).play():
                return finding
            error = Player(tape.entries, tape.looks).play(change)
    except Exception:  # stand-ins are not what the program had: then nothing is said
        return finding
    if error and not any(each in error for each in REPEATED.values()):
        return finding
    told = FAILED.format(error=error.partition(". ")[0].rstrip(".")) if error else WORKED
    return finding._replace(tried=told)


def _change(finding: Finding) -> Change | None:
    place = finding.culprit
    if place is None:
        return None
    at = _on(place)
    if finding.kind == "leaf":
        # of several statements on the line those that write, and the one that failed
        return Change(
            lambda entry: at(entry) and (bool(entry.written) or entry.result is None),
            lambda player, nr: torch.no_grad(),
        )
    if ELSEWHERE.search(finding.fix):
        return None
    if finding.fix.splitlines()[:1] == [place.text]:  # something more is to be done after it
        return None
    if finding.kind == "stale" and sum(map(writes, parts(place.text)[1])) > 1:
        return None  # not all writes of the line are changed
    if finding.kind == "stale":
        return Change(lambda entry: at(entry) and bool(entry.written), _cloned)
    if finding.kind == "freed" and re.match(
        r"(if .+\n +)?(\S+) = (tuple|\2\.detach)\b", finding.fix
    ):
        return Change(at, _detached)
    return None


def _on(place: Place) -> Callable[[Entry], bool]:
    """Whether an entry stands on a line."""

    def on(entry: Entry) -> bool:
        site = None if entry.position is None else entry.position.site
        if site is None or site.line != place.line:
            return False
        return file_in_words(site.cell, site.file) == place.file

    return on


def _cloned(player: Player, nr: int) -> None:
    """What the entry is about to write is a clone from here on: the tensor whose name stands on
    the line, when it is written through views that the line makes."""
    entry = player.entries[nr]
    for written in entry.written:
        whole, before = written, nr
        while before > 0 and _same_line(player.entries[before - 1], entry):
            if not player.tensor(whole)._is_view():
                break
            before -= 1
            earlier = player.entries[before]
            given = list(numbers_in(earlier.args))
            if whole in numbers_in(earlier.result) and given and whole not in given:
                whole = given[0]
        with torch.set_grad_enabled(entry.grad_mode):
            new = player.tensor(whole).clone()
        player.tensors[whole] = new
        for again in player.entries[before:nr] if whole != written else ():
            player.repeat(again)


def _same_line(one: Entry, other: Entry) -> bool:
    if one.position is None or other.position is None or one.position.site is None:
        return False
    site = other.position.site
    return site is not None and (one.position.site.code, one.position.site.line) == (
        site.code,
        site.line,
    )


def _detached(player: Player, nr: int) -> None:
    """What an earlier turn made and this entry is given comes without its history."""
    run = max((at for at, each in enumerate(player.entries[:nr]) if each.run), default=-1)
    since = {n for each in player.entries[run + 1 : nr] for n in numbers_in(each.result)}
    for number in numbers_in(player.entries[nr].args):
        tensor = player.tensor(number)
        if number not in since and tensor.grad_fn is not None:
            player.tensors[number] = tensor.detach()


def numbers_in(value: Any) -> Iterable[int]:
    """The tensors in arguments or results."""
    if isinstance(value, Held):
        yield value
    elif isinstance(value, (list, tuple)):
        for each in value:
            yield from numbers_in(each)
    elif isinstance(value, dict):
        for each in value.values():
            yield from numbers_in(each)
