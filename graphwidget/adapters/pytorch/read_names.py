"""Names of a call's arguments, by the program's text of the call."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from torch.overrides import handle_torch_function

from ...recording.positions import Position
from ...recording.recorder import Ref
from ...recording.spelling import Spelling, Text
from .tape import Call

HANDS_ON = handle_torch_function.__code__


def read_by(call: Call, spelled: Spelling) -> Iterator[tuple[Ref, str]]:
    """(tensor, what the program writes for it) of the arguments of a call of an op."""
    if spelled.empty:
        return
    for place, text in _placed(call, spelled):
        each = call.args[place] if isinstance(place, int) else call.kwargs[place]
        if text is not None and type(each) is Ref and not each.facts.parameter:
            yield each, text


def _placed(call: Call, spelled: Spelling) -> Iterator[tuple[int | str, Text]]:
    given = call.args
    if spelled.operator:
        tensors = [at for at, each in enumerate(given[:2]) if type(each) is Ref]
        if len(tensors) == 2:
            yield from enumerate(spelled.args)
        elif len(tensors) == 1 and spelled.constant:  # 2 * x calls x.__rmul__(2)
            yield tensors[0], next(filter(None, spelled.args), None)
        elif len(tensors) == 1 and call.name not in ("add", "mul"):  # s * x calls x.mul(s)
            yield tensors[0], spelled.args[call.name.startswith("__r")]
        return
    texts = list(spelled.args)
    if spelled.receiver is not None and _is_method(call.func):
        texts.insert(0, spelled.receiver)
    yield from enumerate(texts[: len(given)])
    yield from ((word, spelled.of(word)) for word in call.kwargs)


def by_user(position: Position) -> bool:
    """Return whether the user's own code makes the call. A function of PyTorch's that is written in
    Python hands itself to function modes."""
    levels = position.levels
    if len(levels) > 2 and levels[-1].code is HANDS_ON:
        return not levels[-3].library
    return position.by_user


def _is_method(func: Callable[..., Any] | None) -> bool:
    """Return whether a function is a method of tensors, which are its first argument."""
    if getattr(func, "__objclass__", None) is not None:
        return True
    return str(getattr(func, "__qualname__", "")).startswith("Tensor.")
