"""Sites: where in the user's program a call stands, and what its result is bound to.

A call is known by its code object and the offset of its instruction. The source line follows
from the code's line table; the variable follows from the *bytecode after the call*: the result
is followed, as an item of the interpreter's stack, to the store that takes it. So a value has
its user's name before the cell is over, inside functions and loops too. Both are found once
for each site and cached. Works on CPython 3.11 and later.
"""

from __future__ import annotations

import dis
import linecache
from bisect import bisect_right
from collections.abc import Callable, Iterator
from functools import wraps
from itertools import pairwise
from types import CodeType, FrameType
from typing import Any, NamedTuple, TypeVar

from .places import cell_of
from .spelling import Spelling, spelling

Found = TypeVar("Found")

MAX_STEPS = 200
"""Instructions looked at after a call before giving up on its name."""

MAX_TEXT = 200

Path = tuple[int | str, ...]
"""Path of the value within the result: ``()`` the result itself, ``(1,)`` its second item,
``("loss",)`` its attribute or its item of that name."""


Names = tuple[tuple[str, str], ...]
"""(scope, name) pairs."""


class Binding(NamedTuple):
    """Use of a result: the (scope, name) pairs it is bound to, and, when the function returns
    it, its path within the function's own result (else None)."""

    names: Names
    returned: Path | None


def once_for_code(
    most: int,
) -> Callable[[Callable[[CodeType], Found]], Callable[[CodeType], Found]]:
    """Do something once for a code object, and remember a number of them. They are compared as
    objects: to compare or to hash one, as a dictionary of them would, takes as long as the code."""

    def decorate(find: Callable[[CodeType], Found]) -> Callable[[CodeType], Found]:
        known: dict[int, tuple[CodeType, Found]] = {}  # by address, their own while they are kept

        @wraps(find)
        def remembered(code: CodeType) -> Found:
            entry = known.get(id(code))
            if entry is None:
                if len(known) >= most:
                    known.clear()
                entry = known[id(code)] = code, find(code)
            return entry[1]

        return remembered

    return decorate


class Site:
    """A call in the user's program. ``id`` is 0 until the recorder has emitted the site."""

    __slots__ = (
        "_spelling", "_variables", "bindings", "cell", "code", "file", "function", "id",
        "lasti", "line", "names", "text",
    )  # fmt: skip

    def __init__(self, code: CodeType, lasti: int) -> None:
        self.id = 0
        self.code = code  # kept, so that its address stays its own
        self.lasti = lasti
        self.bindings: dict[Path, Binding] = {}
        self.names: Names = ()  # of the result, where the callers have no say in it
        self._variables: Names | None = None
        self._spelling: Spelling | None = None
        self.line = line_of(code, lasti)
        self.cell = cell_of(code.co_filename)
        self.file = None if self.cell is not None else code.co_filename
        self.function = function_of(code)
        self.text = text_of(code, lasti)

    def scope_of(self, text: str) -> str:
        """The scope of a path that the program reads there: an argument of a lambda is no variable
        of the program's top level."""
        name = text.partition(".")[0].partition("[")[0]
        return self.function or (self.code.co_qualname if name in self.code.co_varnames else "")

    def binding(self, path: Path) -> Binding:
        """Return the use of the part ``path`` of the call's result."""
        found = self.bindings.get(path)
        if found is None:
            found = self.bindings[path] = bound(self.code, self.lasti, path)
        return found

    @property
    def spelling(self) -> Spelling:
        """Text of the call's arguments in the program."""
        if self._spelling is None:
            self._spelling = spelling(self.code, self.lasti)
        return self._spelling

    @property
    def variables(self) -> Names:
        """The variables that the call's result is bound to: ``out, (h, c) = lstm(x)``."""
        if self._variables is None:
            names = [each for each in self.binding(()).names if each[1].isidentifier()]
            self._variables = unpacked(self.code, self.lasti) or tuple(names)
        return self._variables


class Sites:
    """The sites seen so far, each found once."""

    def __init__(self) -> None:
        self._sites: dict[tuple[int, int], Site] = {}

    def at(self, code: CodeType, lasti: int) -> Site:
        """The site of the instruction at ``lasti`` of ``code``."""
        key = (id(code), lasti)
        site = self._sites.get(key)
        if site is None:
            site = self._sites[key] = Site(code, lasti)
        return site

    def names(
        self, frame: FrameType, path: Path = (), skip: Callable[[str], bool] = lambda file: False
    ) -> tuple[Names, FrameType, Path]:
        """Return the names that the result of the call made by ``frame`` will be bound to,
        followed through the callers it is returned to; the frame where that ends; and the
        path of the value there. Names in files that ``skip`` accepts do not count."""
        where = frame
        names, returned = self.at(where.f_code, where.f_lasti).binding(path)
        while True:
            if skip(where.f_code.co_filename):
                names = ()
            if returned is None or where.f_back is None:
                return names, where, path
            where, path = where.f_back, returned
            more, returned = self.at(where.f_code, where.f_lasti).binding(returned)
            names = more if skip(where.f_code.co_filename) else names + more


def line_of(code: CodeType, lasti: int) -> int:
    """The line of the instruction at offset ``lasti``: the first line of its expression."""
    lines = lines_of(code)
    line = lines[lasti // 2] if lasti // 2 < len(lines) else 0
    return line or code.co_firstlineno


def text_of(code: CodeType, lasti: int) -> str:
    """The text of that line."""
    return linecache.getline(code.co_filename, line_of(code, lasti)).strip()[:MAX_TEXT]


@once_for_code(256)
def lines_of(code: CodeType) -> list[int]:
    """The line of each code unit, 0 where it has none."""
    return [line or 0 for line, *_ in code.co_positions()]


def function_of(code: CodeType) -> str:
    """The qualified name of the function, ``""`` at top level."""
    return "" if code.co_name.startswith("<") and "." not in code.co_qualname else code.co_qualname


def bound(code: CodeType, lasti: int, path: Path) -> Binding:
    """Follow the result of the instruction at ``lasti`` (its part ``path``) to where it goes."""
    scope = function_of(code)
    names: list[tuple[str, str]] = []
    depth: int | None = 0  # of the result on the stack, counted from the top
    spelled: list[str] = []  # what was loaded since the call, as the user wrote it
    before = _END
    for step, following in pairwise(_after(code, lasti)):
        if step.name == "RETURN_VALUE":
            return Binding(tuple(names), path if depth == 0 else None)
        if step.name in _STORES:
            if depth == 0 and not path and step.value != "_":
                names.append(_named(step, scope))
            depth = depth - 1 if depth else None
        elif step.name == "STORE_ATTR" and depth == 1 and len(spelled) == 1 and not path:
            names.append((scope, f"{spelled[0]}.{step.value}"))
            depth = None
        elif step.name == "COPY" and depth is not None and step.arg == depth + 1:
            # the copy on top goes to a name first, the original stays for what follows
            if following.name in _STORES and not path and following.value != "_":
                names.append(_named(following, scope))
            depth += 1
        elif depth == 1 and path and _takes_item(step, before, path[0]):
            depth, path = 0, path[1:]
        elif depth == 0 and path and step.name == "LOAD_ATTR" and step.value == path[0]:
            path = path[1:]
        elif depth is not None:
            depth, path = _moved(step, depth, path)
        if depth is None:
            break
        before = step
        spelled = _spell(step, spelled)
    return Binding(tuple(names), None)


def unpacked(code: CodeType, lasti: int) -> Names:
    """The variables to which the result of the instruction at ``lasti`` is unpacked."""
    scope, names, left = function_of(code), [], 1
    for step in _after(code, lasti):
        if step.name == "UNPACK_SEQUENCE":
            left += step.arg - 1
        elif step.name in _STORES and left > 0:
            names.append(_named(step, scope))
            left -= 1
        else:
            break
    return tuple([each for each in names if each[1] != "_"]) if len(names) > 1 else ()


class _Step(NamedTuple):
    """An instruction of the interpreter, without what only speed asks for."""

    name: str
    arg: int
    value: Any
    effect: int


_END = _Step("", 0, None, 0)


def _named(step: _Step, scope: str) -> tuple[str, str]:
    return ("" if step.name == "STORE_GLOBAL" else scope), str(step.value)


@once_for_code(32)
def _instructions(code: CodeType) -> tuple[list[dis.Instruction], dict[int, int]]:
    """The instructions of a code object, and their numbers by offset: a function has many sites."""
    steps = list(dis.get_instructions(code))
    return steps, {step.offset: number for number, step in enumerate(steps)}


def _after(code: CodeType, lasti: int) -> Iterator[_Step]:
    """The instructions after offset ``lasti`` that run whatever happens, then ``_END``."""
    steps, index = _instructions(code)
    at = bisect_right(steps, lasti, key=lambda step: step.offset)
    for _ in range(MAX_STEPS):
        if at >= len(steps):
            break
        step = steps[at]
        at = index[step.argval] if step.opname == "JUMP_FORWARD" else at + 1
        if step.opname in _QUIET:
            continue
        if "JUMP" in step.opname:
            break
        yield from _simple(step)
        if step.opname == "RETURN_VALUE":
            break
    yield _END


def _simple(step: dis.Instruction) -> Iterator[_Step]:
    """The instruction, or the two that 3.13 writes as one."""
    first, _, second = step.opname.partition("_FAST_")
    if second in ("STORE_FAST", "LOAD_FAST") and isinstance(step.argval, tuple):
        for name, value in zip((f"{first}_FAST", second), step.argval, strict=True):
            yield _Step(name, 0, value, 1 if name == "LOAD_FAST" else -1)
    else:
        yield _Step(step.opname, step.arg or 0, step.argval, _effect(step))


def _effect(step: dis.Instruction) -> int:
    if step.opname in _CALLS:  # 3.11 counts part of it for PRECALL
        return 1 - _CALLS[step.opname] - (step.arg or 0)
    return dis.stack_effect(step.opcode, step.arg, jump=False)


def _takes_item(step: _Step, before: _Step, nr: int | str) -> bool:
    """Return whether an instruction takes an item of a tuple or a dictionary, by a constant that
    was just loaded."""
    subscribes = step.name == "BINARY_SUBSCR" or (step.name, step.arg) == SUBSCRIPT
    return subscribes and before.name in _NUMBERS and before.value == nr


def _moved(step: _Step, depth: int, path: Path) -> tuple[int | None, Path]:
    """Return where the result is after an instruction that is no store; None when it is used up."""
    if step.name == "SWAP":
        other = step.arg - 1
        return (other if depth == 0 else 0 if depth == other else depth), path
    if step.name in ("BUILD_TUPLE", "BUILD_LIST") and depth < step.arg:
        return 0, (step.arg - 1 - depth, *path)
    if step.name == "UNPACK_SEQUENCE" and depth == 0:
        nr = path[0] if path else None
        return (nr, path[1:]) if isinstance(nr, int) else (None, path)
    pops = _pops(step)
    if pops is None or pops > depth:
        return None, path
    return depth + step.effect, path


def _pops(step: _Step) -> int | None:
    """Return how many items the instruction takes off the stack; None where that is not known
    here."""
    if step.name in _POPS:
        return _POPS[step.name]
    if step.name.startswith("LOAD_"):
        return 0
    if step.name in _CALLS:
        return step.arg + _CALLS[step.name]
    if step.name == "BUILD_CONST_KEY_MAP":
        return step.arg + 1
    if step.name.startswith("BUILD_"):
        return step.arg * (2 if step.name == "BUILD_MAP" else 1)
    return None


def _spell(step: _Step, spelled: list[str]) -> list[str]:
    """The dotted names loaded since the call, as far as they are plain names."""
    if step.name in _VARIABLES:
        return [*spelled, str(step.value)]
    if step.name == "LOAD_ATTR" and spelled:
        return [*spelled[:-1], f"{spelled[-1]}.{step.value}"]
    return []


_QUIET = frozenset(
    {"CACHE", "EXTENDED_ARG", "NOP", "RESUME", "PRECALL", "KW_NAMES", "JUMP_FORWARD"}
)
_STORES = frozenset({"STORE_NAME", "STORE_FAST", "STORE_GLOBAL", "STORE_DEREF"})
_VARIABLES = frozenset({"LOAD_NAME", "LOAD_FAST", "LOAD_GLOBAL", "LOAD_DEREF", "LOAD_FAST_CHECK"})
_NUMBERS = frozenset({"LOAD_CONST", "LOAD_SMALL_INT"})
SUBSCRIPT = ("BINARY_OP", 26)
"""``[]`` as 3.14 writes it."""
_CALLS = {"CALL": 2, "CALL_KW": 3}
"""Items that a call takes besides its arguments."""
_POPS = {
    "PUSH_NULL": 0, "COPY": 0, "BINARY_OP": 2, "BINARY_SUBSCR": 2, "BINARY_SLICE": 3,
    "COMPARE_OP": 2, "IS_OP": 2, "CONTAINS_OP": 2, "UNARY_NEGATIVE": 1, "UNARY_NOT": 1,
    "UNARY_INVERT": 1, "LOAD_ATTR": 1, "LOAD_METHOD": 1, "LOAD_SUPER_ATTR": 3, "POP_TOP": 1,
    "STORE_SUBSCR": 3, "STORE_ATTR": 2, "FORMAT_VALUE": 1, "FORMAT_SIMPLE": 1, "MAKE_CELL": 0,
    "UNPACK_SEQUENCE": 1,
}  # fmt: skip
