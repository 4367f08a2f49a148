"""The signatures of PyTorch's functions, parsed from a table of facts.

``signatures.txt`` holds them, made from PyTorch by ``tests/structure/parsers.py``. It is read when
a call is first asked about.
"""

from __future__ import annotations

import os
import re
from functools import cache
from typing import NamedTuple

PATH = os.path.join(os.path.dirname(__file__), "signatures.txt")

WORDS = {
    "Tensor": "Tensor", "Scalar": "Number", "int64_t": "int", "SymInt": "int", "double": "float",
    "complex": "complex", "bool": "bool", "TensorList": "tuple of Tensors",
    "List<optional<Tensor>>": "tuple of Tensors",
    "IntArrayRef": "tuple of ints",
    "SymIntArrayRef": "tuple of ints", "ArrayRef<double>": "tuple of floats",
    "ScalarList": "tuple of Scalars", "Generator": "torch.Generator", "Storage": "torch.Storage",
    "PyObject*": "object", "ScalarType": "torch.dtype", "Layout": "torch.layout",
    "MemoryFormat": "torch.memory_format", "Device": "torch.device", "string_view": "str",
    "Stream": "torch.Stream",
}  # fmt: skip
"""PyTorch's names of the types of its parameters in messages."""

INTEGERS = ("IntArrayRef", "SymIntArrayRef")
"""The types of lists of integers."""

NUMPY_NAMES = {"dim": ("axis",), "keepdim": ("keepdims",), "input": ("x", "a", "x1"),
               "other": ("x2",)}  # fmt: skip
"""numpy's names of some parameters, which PyTorch takes too."""


class Parameter(NamedTuple):
    """One parameter: its type (``size`` is that of a list for which one number may stand), and
    its default as it is written, None without one."""

    type: str
    size: int
    name: str
    default: str | None
    by_name: bool
    nullable: bool

    @property
    def word(self) -> str:
        """Name of its type in texts."""
        return WORDS[self.type]

    @property
    def names(self) -> tuple[str, ...]:
        """By what names it may be given."""
        return (self.name, *NUMPY_NAMES.get(self.name, ()))

    def __str__(self) -> str:
        default = "" if self.default is None else f" = {self.default}"
        return f"{self.word} {self.name}{default}"


class Signature(NamedTuple):
    """One of the ways in which a function may be called."""

    parameters: tuple[Parameter, ...]
    mark: str
    """``deprecated`` or ``hidden``: not shown to users."""

    @property
    def places(self) -> int:
        """Number of arguments that may be given by position."""
        return sum(not each.by_name for each in self.parameters)

    @property
    def needed(self) -> int:
        """Number of required arguments."""
        return sum(each.default is None for each in self.parameters)

    def __str__(self) -> str:
        shown = [str(each) for each in self.parameters]
        if self.places < len(shown):
            shown.insert(self.places, "*")
        return f"({', '.join(shown)})"


@cache
def table() -> dict[tuple[str, str], list[str]]:
    """Return the text between the parentheses of each signature, and its mark, by section and
    name."""
    found: dict[tuple[str, str], list[str]] = {}
    section, group = "", list[str]()
    reading = False
    with open(PATH, encoding="utf-8") as file:
        lines = file.read().splitlines()
    for line in lines:
        if line.startswith("    "):
            if line != NOTHING:
                inner, _, mark = line.strip()[1:].rpartition(")")
                group.append(inner + mark)
            reading = True
        elif line.startswith("["):
            section, reading = line[1:-1], True
        elif line and not line.startswith("#"):
            if reading:
                group, reading = [], False
            found.update(dict.fromkeys([(section, name) for name in line.split()], group))
    return found


NOTHING = "    -"
"""In the table: no parser binds these."""


def as_method(signatures: list[str]) -> list[str]:
    """A method's signatures from those of the function: without the tensor itself and ``out``."""
    found = []
    for each in signatures:
        inner, bar, mark = each.partition("|")
        parts = inner.split(", ")
        own = next((part for part in parts if part in ("Tensor input", "Tensor self")), "")
        if own:
            parts = [part for part in parts if part != own and not part.endswith(" out=None")]
            if parts[-1:] == ["*"]:
                parts.pop()
            found.append(", ".join(parts) + bar + mark)
    return list(dict.fromkeys(found))


def inner_signatures(section: str, name: str) -> list[str]:
    """The signatures of a function or method, as the table writes them."""
    known = table().get((section, name))
    if known is None and section == "Tensor":
        known = as_method(table().get(("torch", name), []))
        if not known and name.endswith("_"):
            known = inner_signatures(section, name[:-1])
    return known or []


def is_known(section: str, name: str) -> bool:
    """Return whether the table has signatures of a function or method. It is asked of all of them
    at import, so it looks at no signature closer than it must."""
    known = table().get((section, name))
    if known is not None or section != "Tensor":
        return bool(known)
    for signature in table().get(("torch", name), ()):
        inner = f", {signature.partition('|')[0]}, "
        if ", Tensor input, " in inner or ", Tensor self, " in inner:
            return True
    return name.endswith("_") and is_known(section, name[:-1])


@cache
def signatures(section: str, name: str) -> tuple[Signature, ...]:
    """The signatures of a function or method in the order in which they are tried: deprecated ones
    last. None where PyTorch has no parser for it."""
    found = [parsed(inner) for inner in inner_signatures(section, name)]
    return tuple(sorted(found, key=lambda each: each.mark == "deprecated"))


def parsed(inner: str) -> Signature:
    """A signature from its text."""
    inner, _, mark = inner.partition("|")
    parameters, by_name = [], False
    for part in inner.split(", ") if inner else ():
        if part == "*":
            by_name = True
            continue
        kind, named = part.split(" ", 1)
        name, given, default = named.partition("=")
        plain, size = PLAIN.fullmatch(kind.replace("?", "")).groups()  # type: ignore[union-attr]
        parameters.append(
            Parameter(plain, int(size or 0), name, default if given else None, by_name,
                      "?" in kind or default == "None")
        )  # fmt: skip
    return Signature(tuple(parameters), mark)


PLAIN = re.compile(r"(.*?)(?:\[(\d+)\])?")
