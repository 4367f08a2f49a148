"""Finds the call that made the first NaN or infinity.

When a loss or a gradient is not finite, the calls of that iteration are replayed from the tape, on
copies of the program's tensors, and each result is checked; before that none is. If the tape cannot
be replayed, the recorded numbers are used. The factor of a ``GradScaler`` is one in the replay: the
scaler itself skips a step in which only its factor makes infinities.
"""

from __future__ import annotations

import ast
import gc
from collections.abc import Callable, Iterable, Sequence
from typing import Any
from weakref import WeakSet

import torch
from torch.amp import GradScaler

from ...recording.findings import Finding, Place
from ...recording.fold import Model
from ...recording.sites import Site
from . import domain_fixes
from .fix_trials import Player, Unfit, numbers_in
from .lines import place_in, place_of, siblings, source_of, statement, tree_of
from .ops import plain_name
from .tape import Entry, Tape
from .tensor_facts import copyable_of

MAX_SUMMED = 2**16
"""Numbers of gradients that are copied to be looked at in one call."""
_FLAT = torch._C._nn.flatten_dense_tensors

MAX_ITEMS = 2**24
"""Of the tensors that an iteration begins with: a larger one is not repeated."""


class Repetition(Player):
    """Replays the last iteration on copies, and records the results of each call."""

    def __init__(
        self, tape: Tape, upto: int, bad: Callable[[torch.Tensor], bool] | None = None
    ) -> None:
        self.bad = has_nan if bad is None else bad
        entries = tape.entries[:upto]
        starts = [nr for nr, each in enumerate(entries) if each.run or each.func is None]
        super().__init__(entries[starts[-1] + 1 if starts else 0 :], tape.looks)
        self.living, self.device = tape.living(), "cpu"
        self.scales = {id(each) for each in scales()}
        self.items = 0
        self.maker: dict[int, int] = {}
        self.makes_bad: dict[
            int, bool
        ] = {}  # by entry, whether it made what is bad of what is good
        self.nodes: dict[Any, int] = {}

    def tensor(self, number: int) -> torch.Tensor:
        """A copy of what the program has."""
        found = self.tensors.get(number)
        if found is None:
            tensor = self.living.get(number)
            if tensor is None or tensor.device.type != "cpu":
                raise Unfit
            self.items += tensor.numel()
            if self.items > MAX_ITEMS:
                raise Unfit
            found = tensor.detach().clone()
            found = self.tensors[number] = found.fill_(1) if id(tensor) in self.scales else found
            if tensor.requires_grad:
                found.requires_grad_()
        return found

    def forward(self) -> None:
        """Repeat the calls, and see which ones make what is bad of what is good."""
        for nr, entry in enumerate(self.entries):
            if entry.made and all(each in self.living for each in numbers_in(entry.result)):
                continue
            if entry.args is None:
                raise Unfit
            given = any(map(self.bad, map(self.tensor, numbers_in(entry.args))))
            with torch.set_grad_enabled(entry.grad_mode):
                self.repeat(entry)
            made = [self.tensor(each) for each in (*numbers_in(entry.result), *entry.written)]
            self.makes_bad[nr] = not given and any(map(self.bad, made))
            for each in (*numbers_in(entry.result), *entry.written):
                self.maker[each] = nr
            for tensor in made:
                self._claim(tensor.grad_fn, nr)

    def _claim(self, node: Any, nr: int) -> None:
        waiting = [node]
        while waiting:
            node = waiting.pop()
            if node is not None and node not in self.nodes:
                self.nodes[node] = nr
                waiting.extend(before for before, _ in node.next_functions)

    def born(self, root: int) -> Entry | None:
        """The call in which what is bad of ``root`` was born."""
        waiting, seen = [root], set()
        while waiting:
            number = waiting.pop()
            if number in seen or number not in self.maker or not self.bad(self.tensor(number)):
                continue
            seen.add(number)
            nr = self.maker[number]
            if self.makes_bad[nr]:
                return self.entries[nr]
            waiting.extend(numbers_in(self.entries[nr].args))
        return None

    def backward(self, run: Entry) -> Entry | None:
        """The call whose derivative is the first that is not finite: NaN come of infinities."""

        def born(into: Sequence[Any], out: Sequence[Any]) -> bool | None:
            if not any_not_finite(into) or any_not_finite(out):
                return False
            return None if any(map(_overflown, into)) else True

        return self.first_run(run, lambda into, out: born(out, into))

    def first_run(
        self, run: Entry, wanted: Callable[[Sequence[Any], Sequence[Any]], bool | None]
    ) -> Entry | None:
        """The call of the first node for which ``wanted`` is true of the gradients that it is
        given and gives; none if it is None of one before."""
        found: list[int] = []

        def watch(nr: int) -> Any:
            def ran(gave: Sequence[Any], given: Sequence[Any]) -> None:
                answer = None if found else wanted(given, gave)
                if not found and answer is not False:
                    found.append(-1 if answer is None else nr)

            return ran

        handles = [node.register_hook(watch(nr)) for node, nr in self.nodes.items()]
        try:
            self.repeat(run)
        finally:
            for handle in handles:
                handle.remove()
        return self.entries[found[0]] if found and found[0] >= 0 else None


def has_nan(tensor: torch.Tensor) -> bool:
    """Return whether one of its numbers is NaN."""
    if not (tensor.is_floating_point() or tensor.is_complex()) or tensor.layout != torch.strided:
        return False
    return bool(tensor.detach().isnan().any())


def not_finite(tensor: torch.Tensor) -> bool:
    """Return whether one of its numbers is NaN or infinite."""
    if not (tensor.is_floating_point() or tensor.is_complex()) or tensor.layout != torch.strided:
        return False
    return not bool(tensor.detach().isfinite().all())


def _overflown(tensor: Any) -> bool:
    """Return whether it may be too large for half precision alone, as gradients of a scaled loss
    are at times: the program's scaler skips such a step."""
    half = isinstance(tensor, torch.Tensor) and tensor.dtype is torch.float16
    return half and not has_nan(tensor)


def any_not_finite(tensors: Iterable[Any]) -> bool:
    """Return whether any of several tensors is not finite."""
    return any(isinstance(each, torch.Tensor) and not_finite(each) for each in tensors)


_scalers: WeakSet[GradScaler] = WeakSet()


def scales() -> list[torch.Tensor]:
    """Return the factors by which the program's ``GradScaler``s multiply losses."""
    if not _scalers:  # there is no list of them
        _scalers.update(each for each in gc.get_objects() if issubclass(type(each), GradScaler))
    return [each._scale for each in _scalers if each._scale is not None]


def bad_gradient(grads: Iterable[torch.Tensor | None]) -> torch.Tensor | None:
    """A gradient that is not finite, in one pass over all: the sum of few numbers is looked at, and
    the norms of many, which are not finite then."""
    gradients = copyable_of(grads)
    if not gradients:
        return None
    try:
        if sum([grad.numel() for grad in gradients]) <= MAX_SUMMED:
            number = _FLAT([x.detach() if x.requires_grad else x for x in gradients]).sum().item()
            if number - number == 0:
                return None
        with torch.no_grad():
            norms = _FLAT(list(torch._foreach_norm(gradients))).tolist()
    except (RuntimeError, TypeError):  # the old vmap's tensors look like others
        return None
    for grad, norm in zip(gradients, norms, strict=True):
        if norm - norm != 0 and not_finite(grad):  # inf - inf is NaN too
            return grad
    return None


def in_forward(
    tape: Tape, upto: int, root: torch.Tensor, model: Model, value: int
) -> Finding | None:
    """Return where the NaN or the infinity was born that came as far as ``root``."""
    number, nan = tape.number(root), has_nan(root)
    entry = _born(tape, upto, [] if number is None else [number], has_nan if nan else not_finite)
    place, op = place_of_entry(entry), ""
    if place is None and nan:
        place, op = _recorded(model, value)
    if place is None:
        return None
    if not nan:
        text = "The infinite loss was born here: what this line was given was finite."
        return Finding("nan", None, place, _guarded(place, entry), text)
    text = "The NaN that reaches the loss was born here: what this line was given had none."
    if op:
        return Finding("nan", None, place, _guarded_op(place, op), text)
    return _made_of_infinity(tape, upto, entry, place, text)


def _made_of_infinity(
    tape: Tape, upto: int, entry: Entry | None, place: Place, text: str
) -> Finding:
    """The line where a NaN was born, or the one before it by which it was given an infinity."""
    first = _born(tape, upto, [] if entry is None else numbers_in(entry.args), not_finite)
    before = place_of_entry(first)
    masked = entry is not None and entry.func is not None
    masked = masked and plain_name(entry.func).strip("_") in domain_fixes.MASKED  # type: ignore[union-attr, arg-type]
    if masked and (fix := _guarded(place, entry)):
        return Finding("nan", None, place, fix, f"{text} It compares nothing but infinities.")
    if before == place:
        entry = first
    elif before is not None and (fix := _guarded(before, first)):
        text = "This line makes an infinity of finite numbers, and of that came a NaN."
        return Finding("nan", place, before, fix, text)
    elif before is not None:
        text += f" But it was given an infinity, by `{before.text}` (line {before.line})."
    return Finding("nan", None, place, _guarded(place, entry), text)


def _born(
    tape: Tape, upto: int, numbers: Iterable[int], bad: Callable[[torch.Tensor], bool]
) -> Entry | None:
    """The call that made the first bad number of those that came as far as these tensors."""
    try:
        with torch.random.fork_rng(devices=[]), torch.enable_grad():
            player = Repetition(tape, upto, bad)
            player.forward()
            return next(filter(None, map(player.born, numbers)), None)
    except Exception:  # the program has not all that it began with any more
        return None


def place_of_entry(entry: Entry | None) -> Place | None:
    """The line of a call on the tape."""
    return None if entry is None or entry.position is None else place_of(entry.position.site)


def _guarded(place: Place, entry: Entry | None) -> str:
    func = None if entry is None else entry.func
    if func is not None:
        return _guarded_op(place, plain_name(func).strip("_"))
    line, after = statement(None, place), siblings(source_of(None, place), place)
    fixes = (domain_fixes.guarded(line, op, after) for op in domain_fixes.ROOTS)
    return next(filter(None, fixes), "")


def _guarded_op(place: Place, op: str) -> str:
    """The line with what is given to an op made safe, or the lines that make its masks."""
    source, line = source_of(None, place), statement(None, place)
    if op in domain_fixes.MASKED:
        around = [each for each in ast.walk(tree_of(source)) if isinstance(each, ast.stmt)]
        if fix := domain_fixes.finite_masks(line, around):
            return fix
    return domain_fixes.guarded(line, op, siblings(source, place))


def unknown_birth(site: Site | None) -> Finding:
    """A loss is NaN for an unknown reason."""
    text = "The loss is NaN. The calls of this iteration could not be run again, since what they "
    text += (
        "began with is gone, and their numbers were not recorded: where the NaN was born is not "
    )
    text += "known."
    return Finding("nan", place_of(site), None, "", text)


def in_backward(tape: Tape, grad: torch.Tensor) -> Finding | None:
    """Return where the NaN or the infinity was born that a gradient has since the last run."""
    run = next(nr for nr in reversed(range(len(tape.entries))) if tape.entries[nr].run)
    try:
        with torch.random.fork_rng(devices=[]), torch.enable_grad():
            player = Repetition(tape, run)
            player.forward()
            entry = player.backward(tape.entries[run])
    except Exception:  # as above
        return None
    place = place_of_entry(entry)
    if place is None or entry is None:
        return None
    given = (*numbers_in(entry.args), *numbers_in(entry.result))
    first = next(filter(None, map(player.born, given)), None)
    born = place_of_entry(first)
    if first is not None and born is not None:
        text = "The NaN in the gradients was born here, in forward: what this line was given had "
        text += "none. The loss does not use it, but backward does: zero times NaN is NaN."
        return _made_of_infinity(tape, run, first, born, text)
    what = "The first NaN" if has_nan(grad) else "An infinite gradient"
    text = f"{what} was born in backward: the derivative of this line is not finite where it was "
    text += "used."
    if _given_to_where(player, entry):
        text += " That torch.where does not take its result there is no help: zero times infinity "
        text += "is NaN. Make its input safe."
    return Finding("nan", None, place, _guarded(place, entry), text)


def _given_to_where(player: Player, entry: Entry) -> bool:
    """Return whether ``torch.where`` was given what a call made."""
    made = set(numbers_in(entry.result))
    return any(
        each.func is not None and plain_name(each.func) == "where"
        and not made.isdisjoint(numbers_in(each.args))
        for each in player.entries
    )  # fmt: skip


def _recorded(model: Model, value: int) -> tuple[Place | None, str]:
    """The line and the op of the call that made a NaN of numbers, where all that it was given was
    recorded."""
    row = model.values.get(value)
    seen: set[int] = set()
    while row is not None and row["call"] is not None and row["value"] not in seen:
        seen.add(row["value"])
        call = model.calls.get(row["call"])
        if call is None:
            return None, ""
        given = [model.values.get(each) for each in call["inputs"] if isinstance(each, int)]
        known = [_nan(each["summary"]) if each is not None else None for each in given]
        if True not in known:
            place = None if None in known else place_in(model, call["source"])
            return place, str(call["op"]).strip("_")
        row = given[known.index(True)]
    return None, ""


def _nan(summary: Any) -> bool | None:
    """Return whether a NaN is among the numbers; None where they were not recorded."""
    return None if summary[2] is None else "nan" in summary[2]
