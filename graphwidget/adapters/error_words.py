"""Saved values and failures of our own in words, for messages."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..recording import events as ev
from ..recording.fold import Model
from ..recording.language import say
from ..recording.places import place_in_words

CHECKPOINTS = {"torch.utils.checkpoint", "graphwidget.utils.checkpoint"}
"""Their hooks keep nothing of a tensor: it is computed again in backward."""


def stopped(error: BaseException) -> str:
    """Return the message for a failure of the recording itself."""
    return say("graphwidget stopped recording after an internal error: {error}", error=repr(error))


def words_of_saved(model: Model, node: int, slot: str) -> tuple[str, str]:
    """``("b", "`loss = (b * b).mean()` (cell 3, line 2)")``; what is unknown is empty."""
    row = model.nodes[node]
    saved = next((each for each in row["saved"] if each["slot"] == slot), None)
    value = model.values.get(saved["value"]) if saved is not None else None
    name = value["names"][-1][1] if value is not None and value["names"] else ""
    call = model.calls.get(row["call"])
    source = model.sources.get(call["source"]) if call is not None else None
    if source is None:
        return name, ""
    place = place_in_words(source["cell"], source["file"], source["line"])
    return name, f"`{source['text']}` ({place})"


def full_name(kind: type) -> str:
    """A class with its module, as ``numpy.ndarray``; one of Python's own without."""
    own = kind.__module__ == "builtins"
    return kind.__qualname__ if own else f"{kind.__module__}.{kind.__qualname__}"


def word_of(unpack: Any) -> str:
    """Return the text for a value that this hook returns in backward."""
    known = getattr(unpack, "__module__", None) in CHECKPOINTS
    return ev.RECOMPUTED if known else ev.PACKED


def packed(saved: Iterable[ev.Saved], word: str | None) -> tuple[ev.Saved, ...]:
    """The slots with this word in the place of each tensor; None leaves them as they are."""
    if word is None:
        return tuple(saved)
    return tuple(
        each if each.storage is None else ev.Saved(each.slot, None, None, None, word)
        for each in saved
    )
