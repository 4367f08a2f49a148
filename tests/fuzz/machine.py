"""Runs programs statement by statement on one engine and compares what they show.

A transcript (a list of `Step`) says what PyTorch showed after every statement; `replay` runs the
same statements on graphwidget, `shrink` finds a shorter program that still differs. Run as a
module, this tries the programs of a range: ``python -m tests.fuzz.machine FROM TO``.
"""

from __future__ import annotations

import functools
import re
import types
import warnings
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch

import graphwidget
from tests.compare_engines import (
    TOLERANCE,
    attempt,
    counts,
    describe_graph,
    describe_node,
    flags,
    is_tensor,
    kind_of,
    strides,
)
from tests.fuzz.scope import PREAMBLE

GRADIENT = re.compile(r"\(?((?:\w+,? ?)+)\)? = (torch\.autograd\.grad\(|\w+\.grad$)")
DETACHED = re.compile(r"(\w+) = (\w+)\.detach\(\)$")
VERSIONS = re.compile(r"is at version (\d+); expected version (\d+) instead")
ADDRESS = re.compile(r"0x[0-9a-f]+")
UNFIT = re.compile(
    r"mat1 and mat2 shapes cannot be .*|Expected size for first two dimensions of .*"
    r"|size mismatch, got .*"
)
"""Refusals of products: which one it is may hang on the stride of a dim of size 1."""

GIVER = re.compile(r"Function \w+Backward\d+ returned an (?=invalid gradient)")
"""A gradient that does not fit is refused where it arrives: there nobody knows which op gave it."""

HISTORY = re.compile(
    "modified inplace|that requires grad is being used in an in-place operation"
    "|view of a leaf Variable|written-to tensor"
)
"""Refusals of what became of a tensor, and of how it lies in memory."""

MIDWAY = re.compile(
    r"derivative for \S+ is not implemented|twice a function|ZeroDivisionError"
    "|moved into the graph interior|cannot reshape tensor of 0 elements"
)
"""Refusals that come when part of the work is done. Which gradients have arrived by then, and which
hooks were called, hangs on the order of nodes; a node whose formula failed has let go of what it
saved; PyTorch has divided the integers before a zero. The comparison ends there."""

Value = tuple[str, tuple[int, ...], bytes]
"""A tensor's numbers: type, shape, bytes in C order."""


@dataclass
class Step:
    """A statement and what PyTorch showed after it: the numbers that it changed, what its hooks
    noted, and at checkpoints the `state`. Not everywhere, because looking at a tensor may make
    its history anew and so hide a fault."""

    text: str
    error: Any
    warned: list[Any]
    values: dict[str, Value]
    notes: list[Any] = field(default_factory=list)
    state: dict[str, Any] | None = None
    looked: bool = False
    """True if the writer looked at all tensors before it."""


@functools.lru_cache(maxsize=4096)
def compiled(text: str) -> types.CodeType:
    return compile(text, "<program>", "exec")


def array_of(tensor: Any) -> Any:
    """A tensor's memory as an array; its history is not looked at, which would make it anew."""
    if isinstance(tensor, torch.Tensor):
        if tensor._is_zerotensor():  # without memory
            return np.zeros(tensor.shape, str(tensor.dtype).removeprefix("torch."))
        return tensor.data.numpy()
    return tensor._data


def value_of(tensor: Any) -> Value:
    array = array_of(tensor)
    return str(array.dtype), array.shape, array.tobytes()


OWN_WORDS = re.compile(r"out=o|\.(ldexp|mvlgamma)_\(")
"""Statements whose results must be of another type: what is refused has words of its own here."""


class Machine:
    """Runs statements on one engine."""

    def __init__(self, engine: Any) -> None:
        engine.set_grad_enabled(True)  # a program may leave it off
        self.names: dict[str, Any] = {"torch": engine}
        exec(compiled(PREAMBLE), self.names)
        self.notes: list[Any] = []
        self.names["note"] = self._note
        self.own = set(self.names)
        self.tensors: dict[str, Any] = {}
        self.known: dict[str, Value] = {}
        # How often PyTorch added to a gradient in place on the way is its own affair, so the
        # versions of gradients count from when they are first seen.
        self.gradients: dict[int, tuple[Any, int]] = {}
        self.derived: set[Any] = (
            set()
        )  # their nodes: a derivative's own graph may be made otherwise

    def _note(self, tag: str, *values: Any) -> None:
        self.notes.append((tag, *(
            None if value is None else (*value_of(value), value.requires_grad)
            for value in values
        )))  # fmt: skip

    def execute(self, text: str) -> tuple[Any, list[Any]]:
        """Run a statement; its error (type and text) or None, and its warnings."""
        error = None
        self.notes = []
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                exec(compiled(text), self.names)
            except Exception as raised:
                reported = "" if OWN_WORDS.search(text) else reported_error(str(raised))
                error = (type(raised).__name__, reported)
        self.tensors = {
            name: value
            for name, value in self.names.items()
            if name not in self.own and is_tensor(value)
        }
        if error is None and (gradient := GRADIENT.match(text)):
            self._found(gradient[1])
        if error is None and (detached := DETACHED.search(text)):
            new, old = (self.tensors.get(name) for name in detached.groups())
            if id(old) in self.gradients:  # they share a version
                self.gradients.setdefault(id(new), (new, self.gradients[id(old)][1]))
        return error, [
            (w.category.__name__, str(w.message).partition(" (Triggered internally")[0])
            for w in caught
            if counts(w)
        ]

    def _found(self, names: str) -> None:
        """Variables that hold gradients from now on."""
        for name in names.replace(" ", "").strip(",").split(","):
            values = self.names[name]
            for tensor in values if isinstance(values, tuple) else (values,):
                if is_tensor(tensor):
                    for each in filter(is_tensor, (tensor, attempt(lambda t=tensor: t._base))):
                        version = 0 if tensor.is_inference() else tensor._version
                        self.gradients.setdefault(id(each), (each, version))
                        self.derived.add(attempt(lambda each=each: each.grad_fn))

    def changed(self) -> dict[str, Value]:
        """The numbers that differ from when this was last asked."""
        now = {name: value_of(tensor) for name, tensor in self.tensors.items()}
        found = {name: value for name, value in now.items() if self.known.get(name) != value}
        self.known = now
        return found

    def glance(self) -> None:
        """Look at all tensors' histories, which makes those of views anew."""
        for tensor in self.tensors.values():
            attempt(lambda tensor=tensor: tensor.grad_fn)

    def look(self) -> dict[str, Any]:
        """All variables, described; their numbers apart."""
        reported = {name: self.describe(tensor) for name, tensor in self.tensors.items()}
        for name, value in self.names.items():
            if name not in self.own and not name.startswith("_") and name not in reported:
                reported[name] = self.plain(value)
        return reported

    def describe(self, tensor: Any) -> dict[str, Any]:
        reported = {
            **flags(tensor),
            "base": attempt(lambda: self._name_of(tensor._base)),
            "node": attempt(lambda: type(tensor.grad_fn).__name__),
            "graph": attempt(lambda: describe_graph(tensor.grad_fn, self.derived)),
        }
        found = self.gradients.get(id(tensor)) or (
            tensor._base is not None and self.gradients.get(id(tensor._base))
        )
        if found:
            reported["node"] = attempt(lambda: tensor.grad_fn and kind_of(tensor.grad_fn.name()))
            reported["version"] = not tensor.is_inference() and tensor._version - found[1]
            for layout in ("view", "base", "strides", "contiguous", "offset", "graph"):
                reported[layout] = None
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            grad = attempt(lambda: tensor.grad)
        reported["grad"] = grad
        if is_tensor(grad):
            reported["grad"] = {
                "value": value_of(grad),
                "requires_grad": grad.requires_grad,
                "node": grad.grad_fn and kind_of(grad.grad_fn.name()),
                "strides": strides(grad),
                "contiguous": grad.is_contiguous(),
                "leaf": grad.is_leaf,
                "view": grad._is_view(),
            }
        return reported

    def plain(self, value: Any) -> Any:
        """A variable that is no tensor."""
        if is_tensor(value):
            reported = {**flags(value), "value": value_of(value)}
            if id(value) in self.gradients:
                del reported["version"], reported["view"], reported["node"], reported["strides"]
            return reported
        if isinstance(value, tuple | list):
            return [self.plain(each) for each in value]
        if isinstance(value, dict):
            return {key: self.plain(each) for key, each in value.items()}
        if value is None or isinstance(value, bool | int | float | str):
            return value
        return describe_node(value) if hasattr(value, "next_functions") else None

    def _name_of(self, tensor: Any) -> str | None:
        if tensor is None:
            return None
        return next((n for n, other in self.tensors.items() if other is tensor), "unnamed")


def reported_error(text: str) -> str:
    """An error's text without what differs from run to run."""
    text = GIVER.sub("", UNFIT.sub("do not fit", text))
    return ADDRESS.sub("0x", VERSIONS.sub(_apart, text))


def _apart(versions: re.Match[str]) -> str:
    found, expected = map(int, versions.groups())
    return f"is {found - expected} versions after the expected one"


# ------------------------------------------------------------------------------ comparing


class Scale:
    """Tolerance for numbers: as the coarsest type and the largest number met so far say."""

    def __init__(self) -> None:
        self.tolerance = TOLERANCE["torch.float64"]

    def close(self, ours: Value, theirs: Value) -> bool:
        if ours == theirs:
            return True
        if ours[:2] != theirs[:2]:
            return False
        kind, _, data = theirs
        self.tolerance = max(self.tolerance, TOLERANCE.get("torch." + kind, 0.0))
        if not kind.startswith("float"):
            return False
        mine, their = np.frombuffer(ours[2], kind), np.frombuffer(data, kind)
        finite = np.abs(their[np.isfinite(their)].astype(np.float64))
        largest = max(1.0, float(finite.max()) if finite.size else 1.0)
        with np.errstate(all="ignore"):
            return bool(
                np.allclose(
                    mine, their, rtol=self.tolerance, atol=self.tolerance * largest, equal_nan=True
                )
            )

    def met(self, value: Value) -> None:
        self.tolerance = max(self.tolerance, TOLERANCE.get("torch." + value[0], 0.0))


def is_value(reported: Any) -> bool:
    return (
        isinstance(reported, tuple) and len(reported) in (3, 4) and isinstance(reported[2], bytes)
    )


def shown(reported: Any) -> str:
    """A description for people."""
    if is_value(reported):
        kind, shape, data, *rest = reported
        return f"{kind}{list(shape)} {np.frombuffer(data, kind).tolist()} {rest or ''}"
    text = repr(reported)
    return text if len(text) < 600 else f"{text[:600]} ..."


def unlike(ours: Any, theirs: Any, scale: Scale, path: str) -> list[str]:
    """Return where two descriptions differ, as readable lines; empty when they agree."""
    if is_value(theirs) and is_value(ours):
        if scale.close(ours[:3], theirs[:3]) and ours[3:] == theirs[3:]:
            return []
    elif ours == theirs and type(ours) is type(theirs):
        return []
    elif isinstance(theirs, dict) and isinstance(ours, dict):
        if ours.keys() == theirs.keys():
            lines = [unlike(ours[key], theirs[key], scale, f"{path}.{key}") for key in theirs]
            return [line for each in lines for line in each]
    elif isinstance(theirs, list | tuple) and isinstance(ours, list | tuple):
        if len(ours) == len(theirs):
            pairs = enumerate(zip(ours, theirs, strict=True))
            lines = [unlike(mine, their, scale, f"{path}[{i}]") for i, (mine, their) in pairs]
            return [line for each in lines for line in each]
    elif (
        isinstance(theirs, float)
        and isinstance(ours, float)
        and np.isclose(ours, theirs, scale.tolerance, scale.tolerance, equal_nan=True)
    ):
        return []
    return [f"{path}: ours {shown(ours)} theirs {shown(theirs)}"]


def settle(machine: Machine, values: dict[str, Value], scale: Scale) -> list[str]:
    """Compare the numbers that a statement changed; where they are as near as rounding allows,
    go on with PyTorch's, so that what follows does not hang on how they were rounded."""
    lines = []
    for name, theirs in values.items():
        scale.met(theirs)
        tensor = machine.tensors.get(name)
        if tensor is None:
            return [f"{name} is {machine.names.get(name)!r}, not a tensor"]
        ours = value_of(tensor)
        if ours == theirs:
            continue
        found = unlike(ours, theirs, scale, name)
        if not found and tensor._data.flags.writeable and not chosen(tensor):
            np.copyto(tensor._data, np.frombuffer(theirs[2], theirs[0]).reshape(theirs[1]))
        lines += found
    return lines


CHOOSING = ("amax", "amin", "max", "min", "median", "nanmedian", "linalg_vector_norm")
"""Ops whose derivatives look for the result among the items, so it must stay one of them."""


def chosen(tensor: Any) -> bool:
    """Return whether a tensor is a result of one of these, or a view of one."""
    node = (tensor if tensor._view is None else tensor._view.base)._node
    return node is not None and node.op is not None and node.op.name in CHOOSING


def settle_grads(machine: Machine, state: dict[str, Any]) -> None:
    """The same for the gradients, where a checkpoint saw them."""
    for name, reported in state.items():
        grad = reported.get("grad") if isinstance(reported, dict) else None
        if isinstance(grad, dict):
            ours = machine.tensors[name]._grad
            kind, shape, data = grad["value"]
            if ours is not None and ours._data.flags.writeable:
                np.copyto(ours._data, np.frombuffer(data, kind).reshape(shape))


def comparable(ours: dict[str, Any], theirs: dict[str, Any]) -> tuple[Any, Any]:
    """Two states without the bases that have no name in the program (those of gradients)."""
    unnamed = {
        name
        for name, reported in theirs.items()
        if isinstance(reported, dict) and reported.get("base") == "unnamed"
    }
    without = [
        {
            name: {**reported, "base": None}
            if name in unnamed and isinstance(reported, dict)
            else reported
            for name, reported in state.items()
        }
        for state in (ours, theirs)
    ]
    return without[0], without[1]


def replay(steps: list[Step]) -> list[str]:
    """Run a program on graphwidget; the first differences from PyTorch, if there are any."""
    machine, scale = Machine(graphwidget), Scale()
    for number, step in enumerate(steps):
        if step.looked:
            machine.glance()
        error, warned = machine.execute(step.text)
        found = [] if two_mistakes(error, step.error) else unlike(error, step.error, scale, "error")
        found += unlike(warned, step.warned, scale, "warnings")
        midway = error and step.error and MIDWAY.search(step.error[1])
        if not midway:
            found += unlike(machine.notes, step.notes, scale, "notes")
            found = found or settle(machine, step.values, scale)
        if step.state is not None and not found and not midway:
            found = unlike(*comparable(machine.look(), step.state), scale, "")
            if not found:
                settle_grads(machine, step.state)
        if found or midway:
            return found and [f"after statement {number}: {step.text}", *found]
    return []


def two_mistakes(ours: Any, theirs: Any) -> bool:
    """Return whether a statement is refused for a lost history, or because autograd cannot follow
    it or items share their memory, as well as for something else: which of both is reported is no
    matter."""
    return bool(ours and theirs and (HISTORY.search(theirs[1]) or HISTORY.search(ours[1])))


class Watched(Machine):
    """PyTorch's machine, which writes down what it shows."""

    def __init__(self) -> None:
        super().__init__(torch)

    def step(self, text: str, check: bool, looked: bool = False) -> Step:
        if looked:
            self.glance()
        error, warned = self.execute(text)
        values = self.changed()
        state = self.look() if check else None
        return Step(text, error, warned, values, self.notes, state, looked)


def observe(steps: list[Step]) -> list[Step]:
    """Return what PyTorch shows for a program, of which the texts are given."""
    machine = Watched()
    return [machine.step(s.text, s.state is not None, s.looked) for s in steps]


def shrink(steps: list[Step]) -> list[Step]:
    """A shorter program that still differs: without what comes after, then without chunks of it,
    ever smaller."""
    best = steps
    width = max(1, len(best) // 2)
    while width:
        at, shorter = len(best), False
        while at > 0:
            left = best[: max(0, at - width)] + best[at:]
            tried = observe(left)
            if replay(tried):
                best, shorter = tried, True
            at -= width
        if not shorter or width > len(best):
            width //= 2
    return best


def runnable(steps: list[Step]) -> str:
    """The program as text for either engine."""
    used = PREAMBLE if any(re.search(r"\b[A-Z]\w+\.apply|note|put", s.text) for s in steps) else ""
    return "\n".join(["import torch  # or: import graphwidget as torch", used,
                      *(step.text for step in steps)])  # fmt: skip


if __name__ == "__main__":
    from tests.fuzz.seeds import main

    main()
