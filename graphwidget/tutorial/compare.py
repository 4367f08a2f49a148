"""Compares an answer with a hashed one."""

from __future__ import annotations

import ast
import hashlib
import math
from collections.abc import Callable
from typing import Any, TypeAlias

Plain: TypeAlias = "bool | float | str | list[Plain]"
Expected: TypeAlias = "str | list[Expected]"
"""A hash, or a list with one entry for each entry of the answer.

``n:`` comes before the hash of a number, ``b:`` before True or False, ``t:`` before a text.
"""

STEP, REACH = 0.0005, 2
"""Numbers are hashed as multiples of STEP; those up to REACH steps away count as equal."""
KINDS = ("n:", "b:", "t:")
YES, NO = {"true", "yes", "是", "对"}, {"false", "no", "否", "不"}
IGNORED = "'\"`.,;，、。“”"
LARGEST, DEEPEST = 10_000, 8  # entries and axes: no answer of the course has nearly as many


class Unfit(Exception):
    """An answer that cannot be compared; its text is the key of the sentence that says why."""


def plain(answer: Any) -> Plain:
    """Return an answer as a bool, float, text, or nested list of these."""
    try:
        return _plain(answer, [0], 0)
    except Unfit:
        raise
    except Exception:  # a tensor without numbers, an object that pretends to be a list
        raise Unfit("strange") from None


def _plain(answer: Any, seen: list[int], depth: int) -> Plain:
    seen[0] += 1
    if seen[0] > LARGEST or depth > DEEPEST:
        raise Unfit("strange")
    if isinstance(answer, str):
        return answer
    if isinstance(answer, bool):
        return answer
    if isinstance(answer, (int, float)):
        return float(answer)
    if isinstance(answer, (list, tuple)):
        return [_plain(entry, seen, depth + 1) for entry in answer]
    if callable(getattr(answer, "tolist", None)):  # tensors of both engines, numpy's arrays
        if math.prod(getattr(answer, "shape", ())) > LARGEST:
            raise Unfit("strange")
        return _plain(answer.tolist(), seen, depth)
    raise Unfit("none" if answer is None else "strange")


def matches(question: str, expected: Expected, answer: Plain) -> bool:
    """Return whether a plain answer is the expected one."""
    if isinstance(answer, str) and _kind(expected) != "t":
        answer = _read(answer)
    return _same(question, _squeezed(expected), _squeezed(answer), "")


def _same(salt: str, expected: Expected, answer: Plain, place: str) -> bool:
    if isinstance(expected, list):
        return (
            isinstance(answer, list)
            and len(answer) == len(expected)
            and all(
                _same(salt, one, other, f"{place}.{i}")
                for i, (one, other) in enumerate(zip(expected, answer, strict=True))
            )
        )
    if isinstance(answer, list):
        return False
    return COMPARE[expected[0]](salt + place, expected[2:], answer)


def _number(salt: str, expected: str, answer: Plain) -> bool:
    if isinstance(answer, (bool, str)) or not isinstance(answer, float):
        raise Unfit("number")
    if not math.isfinite(answer):
        return False
    near = round(answer / STEP)
    return any(digest(salt, k) == expected for k in range(near - REACH, near + REACH + 1))


def _truth(salt: str, expected: str, answer: Plain) -> bool:
    if isinstance(answer, str):
        word = answer.strip().lower()
        answer = word in YES if word in YES | NO else answer
    if not isinstance(answer, bool):
        raise Unfit("truth")
    return digest(salt, answer) == expected


def _text(salt: str, expected: str, answer: Plain) -> bool:
    if not isinstance(answer, str):
        raise Unfit("text")
    return digest(salt, normal(answer)) == expected


COMPARE: dict[str, Callable[[str, str, Plain], bool]] = {"n": _number, "b": _truth, "t": _text}


def normal(answer: str) -> str:
    """Return a text without case, spaces and quotes, as it is hashed."""
    return "".join(
        letter for letter in answer.casefold() if not letter.isspace() and letter not in IGNORED
    )


def digest(salt: str, value: object) -> str:
    """Return the hash of a number of steps, a truth value or a normal text."""
    return hashlib.sha256(f"{salt}|{value}".encode()).hexdigest()[:10]


def hashed(question: str, answer: Plain) -> Expected:
    """Return an answer as it stands in the table of answers."""
    return _hashed(question, _squeezed(answer), "")


def _hashed(salt: str, answer: Plain, place: str) -> Expected:
    if isinstance(answer, list):
        return [_hashed(salt, entry, f"{place}.{i}") for i, entry in enumerate(answer)]
    if isinstance(answer, str):
        return "t:" + digest(salt + place, normal(answer))
    if isinstance(answer, bool):
        return "b:" + digest(salt + place, answer)
    return "n:" + digest(salt + place, round(answer / STEP))


def _kind(expected: Expected) -> str:
    while isinstance(expected, list):
        expected = expected[0] if expected else "?"
    return expected[0]


def _squeezed(value: Any) -> Any:
    """Return a nested list without axes of length 1: ``[5.]`` is as good as 5.

    Lists of texts are sorted, so that their order does not matter.
    """
    if not isinstance(value, list):
        return value
    if all(isinstance(entry, str) and entry[:2] not in KINDS for entry in value):
        value = sorted(value, key=normal)  # texts in any order
    entries = [_squeezed(entry) for entry in value]
    return entries[0] if len(entries) == 1 else entries


def _read(answer: str) -> Plain:
    """Return the number or list that a text spells, or the text."""
    try:
        return plain(ast.literal_eval(answer.strip()))
    except (SyntaxError, ValueError, RecursionError, MemoryError, Unfit):
        return answer
