"""Trials of fixes: the newest calls are played again with the line changed, on stand-ins.

No code of the user's runs again. The calls on the tape are repeated on tensors of the same shapes
with other numbers, first as they were. Only if they fail as the program did is the change tried. A
fix is called checked if the calls raise no error with it, and their results and gradients are those
of the program as it was meant: of a saved value that was overwritten, those of a run in which each
call saves copies; else those of the backward runs that went well.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Iterator
from contextlib import contextmanager, nullcontext
from math import prod
from typing import Any, NamedTuple

import torch

from ...recording.findings import Finding, Place
from ...recording.places import file_in_words
from .ops import tensors_in
from .statements import parts, writes
from .tape import Entry, Look, Tape, TensorNumber
from .tensor_facts import storage_of

NEAR = 2**20
"""Items of stand-ins in all up to which they hold numbers."""

WORKED = (
    "Checked: the last calls, run again with this change on other numbers, raise no error, and "
    "the gradients are right."
)
BARE = (
    "Tried without numbers, as the tensors are large: the last calls raise no error with this "
    "change. Their gradients were not compared."
)
OTHERS = (
    "Not checked: with this change the last calls raise no error, but gradients or results are "
    "other ones than before."
)
STOPPED = (
    "Not checked: the program stopped at this line, before a loss whose gradients could be "
    "compared."
)
FAILED = "Tried: with this change the last calls still fail: {error}."

REPEATED = {
    "stale": "modified by an inplace operation",
    "freed": "backward through the graph a second time",
    "leaf": "a leaf Variable that requires grad",
    "no_grad": "does not require grad",
}
"""Part of PyTorch's message for each kind of failure."""


ELSEWHERE = re.compile(r"  # (after|before|line) .+$", re.MULTILINE)
"""Marks code that does not stand in the place of the culprit's line."""


DETACHES = re.compile(r"(if .+\n +)?(\S+) = (tuple|\2\.detach)\b")
"""Code that cuts a state off from its history."""


ASKING = (torch.autograd.grad, torch.autograd.backward, torch.Tensor.backward)
"""Functions that the program calls for a backward run."""


class Unfit(Exception):
    """The tape cannot be played."""


class Change(NamedTuple):
    """Change to a replay: ``at`` selects the entries, ``how`` is called before each of them, or
    is a context around it."""

    at: Callable[[Entry], bool]
    how: Callable[[Player, int], Any]


class Gradients(NamedTuple):
    """Start and result of a backward run: its roots' numbers, and the leaves' gradients."""

    roots: list[torch.Tensor]
    leaves: dict[int, torch.Tensor]


class Player:
    """Repeats the calls of a tape on stand-ins. ``copies`` says that each call saves copies."""

    def __init__(self, entries: list[Entry], looks: dict[int, Look], copies: bool = False) -> None:
        self.entries, self.looks, self.copies = [*entries], looks, copies
        items = sum(prod(look.shape) for look in looks.values())
        self.device = "cpu" if items <= NEAR else "meta"
        self.tensors: dict[int, torch.Tensor] = {}
        self.given_back: list[torch.Tensor] = []
        self.ran: list[Gradients] = []
        """Of each backward run that went well."""

    def play(self, change: Change | None = None) -> str:
        """The error that the calls end with; empty if there is none.

        Raises:
            Unfit: something is on the tape that cannot be repeated.
        """
        torch.manual_seed(0)
        for at, entry in enumerate(self.entries):
            if entry.made:
                continue  # what it made is among the looks
            last = at == len(self.entries) - 1
            around: Any = nullcontext()
            if change is not None and change.at(entry):
                around = change.how(self, at) or around
                entry = self.entries[at]
            try:
                with torch.set_grad_enabled(entry.grad_mode), around:
                    self.repeat(entry)
                if entry.run:
                    self.ran.append(self._gradients(entry))
            except RuntimeError as error:
                if last or change is not None:
                    return str(error)
                raise Unfit from error
        return ""

    def _gradients(self, entry: Entry) -> Gradients:
        roots = [self.tensor(number).detach().clone() for number in numbers_in(entry.args)]
        leaves = {
            number: tensor.grad.clone()
            for number, tensor in self.tensors.items()
            if tensor.is_leaf and tensor.grad is not None
        }
        return Gradients(roots + [each.detach().clone() for each in self.given_back], leaves)

    def repeat(self, entry: Entry) -> None:
        """Make the call of an entry."""
        if entry.func is None:
            with torch.no_grad():
                for number in entry.written:
                    self.tensor(number).add_(0)
            return
        if entry.func in ASKING:  # the run of it was an entry of its own
            given = tuple(self.given_back)
            self._bind(entry.result, given if isinstance(entry.result, tuple) else given[:1])
            return
        if entry.args is None:
            raise Unfit
        args, kwargs = self._given(entry.args), self._given(entry.kwargs)
        if self.copies and not entry.run:
            result = self._saving_copies(entry, args, kwargs)
        else:
            result = entry.func(*args, **kwargs)
        if entry.run:
            self.given_back = list(tensors_in(result))
        self._bind(entry.result, result)

    def _saving_copies(self, entry: Entry, args: Any, kwargs: Any) -> Any:
        """Make a call with copies of what it does not write, and copy what it gives; but one that
        gives parts of what it is given, as it was: it saves no numbers."""
        assert entry.func is not None
        keep = {id(self.tensor(number)) for number in entry.written}
        copies = _copied((args, kwargs), keep)
        result = entry.func(*copies[0], **copies[1])
        if entry.written:
            return result
        lent = {storage_of(each) for each in tensors_in(copies)}
        if any(storage_of(each) in lent for each in tensors_in(result)):
            return entry.func(*args, **kwargs)
        return _copied(result, set())

    def _bind(self, made: Any, result: Any) -> None:
        if isinstance(made, TensorNumber):
            if not isinstance(result, torch.Tensor):
                raise Unfit
            self.tensors[made] = result
        elif isinstance(made, tuple):
            if not isinstance(result, (list, tuple)) or len(made) != len(result):
                raise Unfit
            for number, each in zip(made, result, strict=True):
                self._bind(number, each)

    def _given(self, value: Any) -> Any:
        if isinstance(value, TensorNumber):
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
            with torch.no_grad():
                new.uniform_(0.5, 1.5) if kind.is_floating_point else new
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
            before = Player(tape.entries, tape.looks)
            if message not in before.play():
                return finding
            after = Player(tape.entries, tape.looks)
            error = after.play(change)
            if finding.kind == "stale" and not error:
                before = Player(tape.entries, tape.looks, copies=True)
                if before.play():
                    return finding
    except Exception:  # stand-ins are not what the program had: then nothing is said
        return finding
    if error and not any(each in error for each in REPEATED.values()):
        return finding
    if error:
        error = error.partition(". ")[0].rstrip(".")
        return finding._replace(tried=FAILED.format(error=error))
    return finding._replace(tried=_verdict(before, after))


def _verdict(before: Player, after: Player) -> str:
    """Return the verdict on a fix that removes the error: the gradients that were right
    ``before`` must be the same ``after``."""
    if not before.ran:
        return STOPPED
    if before.device == "meta":
        return BARE
    pairs = zip(before.ran, after.ran, strict=False)
    same = len(before.ran) <= len(after.ran) and all(_alike(*pair) for pair in pairs)
    return WORKED if same else OTHERS


def _alike(one: Gradients, other: Gradients) -> bool:
    if len(one.roots) != len(other.roots) or not one.leaves.keys() <= other.leaves.keys():
        return False
    pairs = [*zip(one.roots, other.roots, strict=True)]
    pairs += [(grad, other.leaves[number]) for number, grad in one.leaves.items()]
    return all(
        a.shape == b.shape and torch.allclose(a, b, 1e-4, 1e-6, equal_nan=True) for a, b in pairs
    )


def _change(finding: Finding) -> Change | None:
    place, fix = finding.culprit, finding.fix
    if place is None:
        return None
    at = _on(place)
    if finding.kind == "leaf":
        # of several statements on the line those that write, and the one that failed
        off = "no_grad()" in fix
        return Change(
            lambda entry: at(entry) and (bool(entry.written) or entry.result is None),
            lambda player, nr: torch.no_grad() if off else _cloned(player, nr),
        )
    reader = finding.reader
    if finding.kind == "stale" and reader and re.fullmatch(rf".*  # line {reader.line}", fix):
        return Change(_on(reader), _kept) if ".clone()" in fix else None
    if finding.kind == "freed" and "retain_graph=True" in fix and "\n" not in fix:
        return Change(lambda entry: at(entry) and entry.run, _retained)
    if ELSEWHERE.search(fix):
        return None
    if fix.splitlines()[:1] == [place.text]:  # something more is to be done after it
        return None
    if finding.kind == "stale" and sum(map(writes, parts(place.text)[1])) > 1:
        return None  # not all writes of the line are changed
    if finding.kind == "stale":
        return Change(lambda entry: at(entry) and bool(entry.written), _cloned)
    if finding.kind == "freed" and DETACHES.match(fix):
        return Change(at, _detached)
    return None


def _on(place: Place) -> Callable[[Entry], bool]:
    """Return whether an entry stands on a line."""

    def on(entry: Entry) -> bool:
        site = None if entry.position is None else entry.position.site
        if site is None or site.line != place.line:
            return False
        return file_in_words(site.cell, site.file) == place.file

    return on


def _cloned(player: Player, nr: int) -> None:
    """Replace the tensor that the entry is about to write by a clone; if the line writes through
    views that it makes, the tensor that the line names."""
    entry = player.entries[nr]
    failed = not entry.written and entry.result is None
    for written in [*numbers_in(entry.args)][:1] if failed else entry.written:
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


def _kept(player: Player, nr: int) -> Any:
    """Return a context in which calls save copies."""

    @contextmanager
    def copying() -> Iterator[None]:
        player.copies = True
        try:
            yield
        finally:
            player.copies = False

    return copying()


def _retained(player: Player, nr: int) -> None:
    """A backward run keeps the graph."""
    entry = player.entries[nr]
    if entry.args is None or len(entry.args) < 3:
        raise Unfit
    player.entries[nr] = entry._replace(args=(*entry.args[:2], True, *entry.args[3:]))


def _copied(value: Any, keep: Container[int]) -> Any:
    """The same with copies of the tensors, but of those at the addresses ``keep``."""
    if isinstance(value, torch.Tensor):
        return value if id(value) in keep else value.clone()
    if type(value) is dict:
        return {key: _copied(each, keep) for key, each in value.items()}
    kind = type(value)
    return kind([_copied(each, keep) for each in value]) if kind in (list, tuple) else value


def _same_line(one: Entry, other: Entry) -> bool:
    if one.position is None or other.position is None or one.position.site is None:
        return False
    site = other.position.site
    return site is not None and (one.position.site.code, one.position.site.line) == (
        site.code,
        site.line,
    )


def _detached(player: Player, nr: int) -> None:
    """Detach the arguments of this entry that an earlier iteration made."""
    run = max((at for at, each in enumerate(player.entries[:nr]) if each.run), default=-1)
    since = {n for each in player.entries[run + 1 : nr] for n in numbers_in(each.result)}
    for number in numbers_in(player.entries[nr].args):
        tensor = player.tensor(number)
        if number not in since and tensor.grad_fn is not None:
            player.tensors[number] = tensor.detach()


def numbers_in(value: Any) -> Iterable[int]:
    """The tensors in arguments or results."""
    if isinstance(value, TensorNumber):
        yield value
    elif isinstance(value, (list, tuple)):
        for each in value:
            yield from numbers_in(each)
    elif isinstance(value, dict):
        for each in value.values():
            yield from numbers_in(each)
