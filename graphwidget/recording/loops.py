"""Loops: which instructions of a code object run again, and when an iteration of them begins.

What is known of a running program is a row of offsets in its bytecode. From the control flow
between two of them follows whether the program went on within the same iteration of a loop, began
another iteration, or came in anew: no value is looked at, and nothing traces the program.
"""

from __future__ import annotations

import dis
import linecache
from bisect import bisect_right
from types import CodeType
from weakref import WeakValueDictionary

from .sites import function_of, lines_of, once_for_code

MAX_TEXT = 200
ENDS = frozenset({"RETURN_VALUE", "RETURN_CONST", "RAISE_VARARGS", "RERAISE"})
ALWAYS = frozenset({"JUMP_FORWARD", "JUMP_BACKWARD", "JUMP_BACKWARD_NO_INTERRUPT", "JUMP_ABSOLUTE"})
GLOBAL = frozenset({"STORE_NAME", "STORE_GLOBAL"})
STORES = GLOBAL | {"STORE_FAST", "STORE_DEREF"}
JUMPS = frozenset((*dis.hasjrel, *dis.hasjabs))


class Loop:
    """A loop of a code object: ``header`` is the offset of its first instruction, ``body`` has
    those of all; ``entry`` those of the test of a ``while`` before its first iteration, which is
    part of that iteration; ``line`` is its line and ``text`` the text; ``target`` the variable
    that a ``for`` binds first, in globals or (``local``) not, if nothing else in the loop does:
    its value tells apart the iterations in which nothing is done outside of inner loops."""

    __slots__ = (
        "__weakref__", "body", "bound", "code", "counts", "entry", "function", "header", "line",
        "local", "target", "text",
    )  # fmt: skip

    def __init__(
        self,
        code: CodeType,
        header: int,
        body: frozenset[int],
        line: int,
        entry: frozenset[int] = frozenset(),
    ) -> None:
        self.target: str | None = None
        self.local = False
        self.counts = False
        """True if it is a ``for``, whose first instruction gets the next item."""
        self.bound: tuple[str, ...] | None = None  # see `bound_in`
        self.code = code
        self.function = function_of(code)
        self.header = header
        self.body = body | entry
        self.entry = entry
        self.line = line
        self.text = linecache.getline(code.co_filename, line).strip()[:MAX_TEXT]


_living: WeakValueDictionary[tuple[int, int], Loop] = WeakValueDictionary()
"""The living loops, by the address of the code (which they refer to) and the header. They are
compared as objects, so they must be the same when a forgotten flow is found again."""


def bound_in(loop: Loop) -> tuple[str, ...]:
    """The variables that a loop binds on its own level, but for the one that it counts with."""
    if loop.bound is None:
        around = flow(loop.code).around
        own = (
            str(step.argval)
            for step in dis.get_instructions(loop.code)
            if step.opname in STORES
            and step.offset in loop.body
            and around(step.offset)[-1] is loop
        )
        names = dict.fromkeys(name for name in own if name != loop.target)
        loop.bound = tuple(names)
    return loop.bound


class Flow:
    """The control flow of a code object."""

    def __init__(self, code: CodeType) -> None:
        steps = list(dis.get_instructions(code))
        self.offsets = [step.offset for step in steps]
        self.following = _following(code, steps)
        found = sorted(_loops(code, steps, self.following), key=lambda loop: -len(loop.body))
        self.loops = [_living.setdefault((id(code), loop.header), loop) for loop in found]
        self._between: dict[tuple[int, int], Loop | bool] = {}
        self._around: dict[int, tuple[Loop, ...]] = {}

    def around(self, offset: int) -> tuple[Loop, ...]:
        """The loops around an instruction, the outermost first."""
        found = self._around.get(offset)
        if found is None:
            at = self._at(offset)
            found = tuple(loop for loop in self.loops if at in loop.body)
            self._around[offset] = found
        return found

    def fetched_at(self, offset: int) -> Loop | None:
        """The loop whose next item is got by an instruction."""
        at = self._at(offset)
        return next((loop for loop in self.loops if loop.counts and loop.header == at), None)

    def between(self, before: int, after: int) -> Loop | bool:
        """Return the loop that began another iteration between two offsets; else, True if the
        program can go from one to the other without one."""
        found = self._between.get((before, after))
        if found is None:
            found = self._between[before, after] = self._find(self._at(before), self._at(after))
        return found

    def _at(self, offset: int) -> int:
        """The instruction to which an offset belongs (caches follow it)."""
        return self.offsets[max(0, bisect_right(self.offsets, offset) - 1)]

    def _find(self, before: int, after: int) -> Loop | bool:
        for loop in reversed(self.loops):  # the innermost first
            if before in loop.body and after in loop.body:
                if before in loop.entry:
                    return True
                return self._reaches(before, after, loop) or loop
        return self._reaches(before, after, None)

    def _reaches(self, before: int, after: int, loop: Loop | None) -> bool:
        seen: set[int] = set()
        waiting = [before]
        while waiting:
            for each in self.following[waiting.pop()]:
                if loop is not None and (each == loop.header or each not in loop.body):
                    continue
                if each == after:
                    return True
                if each not in seen:
                    seen.add(each)
                    waiting.append(each)
        return False


@once_for_code(256)
def flow(code: CodeType) -> Flow:
    """The control flow of a code object, found once."""
    return Flow(code)


def _following(code: CodeType, steps: list[dis.Instruction]) -> dict[int, list[int]]:
    """For each instruction, those that may run next, by their offsets."""
    found: dict[int, list[int]] = {}
    for at, step in enumerate(steps):
        nexts = found[step.offset] = []
        if step.opname not in ENDS | ALWAYS and at + 1 < len(steps):
            nexts.append(steps[at + 1].offset)
        if step.opcode in JUMPS:
            nexts.append(step.argval)
    for entry in getattr(dis.Bytecode(code), "exception_entries", None) or ():
        for step in steps:
            if entry.start <= step.offset < entry.end:
                found[step.offset].append(entry.target)
    return found


def _loops(
    code: CodeType, steps: list[dis.Instruction], following: dict[int, list[int]]
) -> list[Loop]:
    """The loops: what lies between the target of a jump backward and that jump."""
    tails: dict[int, list[dis.Instruction]] = {}
    for step in steps:
        waits = step.opname == "JUMP_BACKWARD_NO_INTERRUPT"  # for what is awaited
        if step.opcode in JUMPS and step.argval <= step.offset and not waits:
            tails.setdefault(step.argval, []).append(step)
    leading: dict[int, list[int]] = {}
    for offset, nexts in following.items():
        for each in nexts:
            leading.setdefault(each, []).append(offset)
    lines = lines_of(code)
    loops = []
    for header, jumps in tails.items():
        body, waiting = {header}, [jump.offset for jump in jumps]
        while waiting:
            each = waiting.pop()
            if each not in body:
                body.add(each)
                waiting.extend(leading.get(each, ()))
        counts = _named(steps, header) == "FOR_ITER"
        line = _line(code, header, jumps, lines, counts)
        entry = frozenset[int]() if counts else _entry(steps, body, line)
        loop = Loop(code, header, frozenset(body), line, entry)
        loop.counts = counts
        store = next((x for x in steps if x.offset > header and "STORE" in x.opname), None)
        if store is not None and counts:
            first = str(store.argval[0] if isinstance(store.argval, tuple) else store.argval)
            if not any(_binds(x, first) for x in steps if x.offset in body and x is not store):
                loop.target, loop.local = first, store.opname not in GLOBAL
        loops.append(loop)
    return loops


def _binds(step: dis.Instruction, name: str) -> bool:
    """Return whether an instruction gives a variable another value, or none."""
    return step.opname.startswith(("STORE_", "DELETE_")) and step.argval == name


def _entry(steps: list[dis.Instruction], body: set[int], line: int) -> frozenset[int]:
    """The test of a ``while`` as it stands before the loop: Python compiles it twice, there and
    at the loop's end, from the same place in the source."""
    tests = {
        step.positions
        for step in steps
        if step.offset in body and step.positions is not None and step.positions.lineno == line
    }
    return frozenset(
        step.offset for step in steps if step.offset not in body and step.positions in tests
    )


def _named(steps: list[dis.Instruction], offset: int) -> str:
    return next(step.opname for step in steps if step.offset == offset)


def _line(
    code: CodeType, header: int, jumps: list[dis.Instruction], lines: list[int], counts: bool
) -> int:
    """The line of a loop's ``for`` or ``while``: that of its first instruction; of the test at its
    end; or, of an endless one, the nearest above that says so."""
    first: int = lines[header // 2] or code.co_firstlineno
    if counts or (code.co_name.startswith("<") and code.co_name != "<module>"):
        return first  # a `for`, or a comprehension
    if all(jump.opname in ALWAYS for jump in jumps):
        candidates = [*range(first - 1, max(0, first - 4), -1), first]
    else:
        candidates = [*(lines[jump.offset // 2] for jump in jumps), first]
    for line in map(int, candidates):
        text = linecache.getline(code.co_filename, line).lstrip() if line else ""
        if text.startswith(("while ", "while(")):
            return line
    return first
