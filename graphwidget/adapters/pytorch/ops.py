"""Definitions of PyTorch's ops for the page, from graphwidget's own op table if it has them.

A call is of a function (``torch.relu``, ``Tensor.__add__``, ``F.cross_entropy``) and the op table
has ops; names match without the underscores of operators and in-place variants.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

import torch

from ...optable import TABLE, Op
from ...optable.derivative_text import derivatives
from ...recording import events as ev
from ...recording.looking import is_a, items
from ...recording.looking import text as safe_text
from ...recording.recorder import Ref
from ..grad_calls import GRAD, grad_options
from .tape import refs_in

MAX_TEXT = 120

OPERATORS = {
    "truediv": "div", "rtruediv": "div", "floordiv": "floor_divide", "mod": "remainder",
    "matmul": "matmul", "rmatmul": "matmul", "radd": "add", "rmul": "mul", "rpow": "pow.base",
    "getitem": "index", "setitem": "copy", "iadd": "add", "isub": "sub", "imul": "mul",
    "itruediv": "div", "ipow": "pow", "invert": "bitwise_not", "and": "bitwise_and",
    "or": "bitwise_or", "xor": "bitwise_xor", "multiply": "mul", "subtract": "sub",
    "divide": "div", "negative": "neg", "absolute": "abs",
}  # fmt: skip
"""Python's operators, and second names, by the names of the table's ops."""

SIGNS = {
    "linear": "W·x+b", "getitem": "[…]", "setitem": "[…]=", "cross_entropy": "cross entropy",
    "scaled_dot_product_attention": "attention",
}  # fmt: skip
"""Signs of calls that are no ops of the table."""

MATMUL = "@", "{self} @ {other}", ("self", "other")
"""Definition of a product of matrices, as the program writes it."""


PAIRS = {"max": "maximum", "min": "minimum"}
"""Functions that are another op with a second tensor."""

SCALES = ("alpha", "beta", "value")
"""Factors that are 1 where they are not given."""


class Called(NamedTuple):
    """A call as it is emitted: the op's key, its inputs (references to tensors, or numbers in their
    place) and the rest of the arguments as text."""

    key: str
    inputs: list[Ref | str]
    params: dict[str, str]


def plain_name(function: Callable[..., Any]) -> str:
    """``add`` for ``Tensor.__radd__``, ``torch.add`` and ``Tensor.add``; ``T`` for the property."""
    name = getattr(function, "__name__", type(function).__name__)
    if name in ("__get__", "__set__"):
        owner = getattr(function, "__self__", None)
        name = getattr(owner, "__name__", name)
    return str(name)


@cache
def op_of(name: str) -> Op | None:
    """The table's op for a function's name."""
    bare = name.strip("_")
    bare = OPERATORS.get(bare, bare)
    return TABLE.get(bare)


def called(name: str, args: Sequence[Any], kwargs: Mapping[str, Any], written: bool) -> Called:
    """A call's arguments in the order of the op's signature; of an unknown op, its tensors. In
    ``args`` and ``kwargs`` references stand for tensors."""
    if name.strip("_") == "setitem" and len(args) == 3:
        return _assigned(*args)
    op = _variant(op_of(name), args, kwargs)
    key = name.strip("_") if op is None else op.key
    if written:
        key = f"{key}_" if op is None else op.key.replace(op.name, f"{op.name}_", 1)
    params: dict[str, str] = {}
    inputs: list[Ref | str] = []
    names = () if op is None or op.variadic else op.inputs
    args = args if op is None else _sizes_together(op, args)
    kwargs = grad_options(kwargs) if name == GRAD else kwargs
    rest = [*names[len(args) :]]
    for nr, value in enumerate(args):
        if nr < len(names) and isinstance(value, (int, float, bool)):
            inputs.append(text(value))
        elif value is None and name.strip("_") == "getitem":
            params[_param(op, nr) if op else f"arg{nr}"] = "None"  # x[None]
        else:
            _sort(f"arg{nr}" if op is None else _param(op, nr), value, inputs, params)
    for word, value in kwargs.items():
        if value is None:
            continue
        if word in rest and isinstance(value, (int, float, bool)):
            inputs.append(text(value))
        else:
            _sort(word, value, inputs, params)
    if op is not None:  # a formula shows the numbers that it was left to as well
        for word, default in op.params.items():
            if isinstance(default, (int, float)) and f"{{{word}}}" in op.text:
                params.setdefault(word, text(default))
        for word in SCALES:
            if f"{{{word}}}" in op.text:
                params.setdefault(word, "1")
    return Called(key, inputs, params)


def _variant(op: Op | None, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Op | None:
    """The overload of an op that fits what a call was given: ``sum.dim``, ``add.alpha``."""
    if op is None or op.variadic:
        return op
    beyond = args[len(op.inputs) :]
    given = {"dim" if word == "axis" else word for word, each in kwargs.items() if each is not None}
    number = isinstance(beyond[0], (int, tuple, list)) if beyond else False
    if number and next(iter(op.params), "dtype") == "dtype":
        given.add("dim")
    words = dict(zip(op.params, beyond, strict=False)) | dict(kwargs)
    tensors = {word for word, each in words.items() if isinstance(each, Ref)} - {*op.inputs}
    if op.name in PAIRS and beyond and isinstance(beyond[0], Ref):
        return TABLE[PAIRS[op.name]]
    if tensors and given <= {*op.inputs, *op.params}:
        return TABLE.get(f"{op.name}.tensor", op)
    if given <= {*op.inputs, *op.params}:
        return op
    fitting = (TABLE.get(f"{op.name}.{word}") for word in ("dim", "alpha", "mode", "scaled"))
    return next((each for each in fitting if each and given <= {*each.inputs, *each.params}), op)


def _assigned(target: Ref, index: Any, value: Any) -> Called:
    """``target[index] = value``: what is written into the target, and where, as it is typed."""
    number = isinstance(value, (int, float, bool))
    inputs: list[Ref | str] = [target]
    inputs += [text(value)] if number else refs_in(value)
    return Called("copy_", inputs, {"index": _index(index)})


def _sizes_together(op: Op, args: Sequence[Any]) -> Sequence[Any]:
    """``x.view(2, 3)`` as ``x.view((2, 3))``: sizes that stand one by one are one parameter."""
    last = len(op.inputs) + len(op.params) - 1
    if len(args) <= last + 1 or not all(isinstance(each, int) for each in args[last:]):
        return args
    return (*args[:last], tuple(args[last:]))


def _index(index: Any) -> str:
    if isinstance(index, tuple):
        return ", ".join(map(_index, index))
    return "…" if any(refs_in(index)) else text(index)


def _param(op: Op, nr: int) -> str:
    names = [*op.inputs, *op.params]
    return names[nr] if nr < len(names) else f"arg{nr}"


def _sort(name: str, value: Any, inputs: list[Ref | str], params: dict[str, str]) -> None:
    found = list(refs_in(value))
    if found:
        inputs.extend(found)
    elif value is not None:
        params[name] = text(value)


def tensors_in(value: Any, depth: int = 3) -> list[torch.Tensor]:
    """The tensors of an argument or a result, also in lists, tuples and dictionaries."""
    if is_a(value, torch.Tensor):
        return [value]
    within = items(value) if depth else ()
    return [found for _, item in within for found in tensors_in(item, depth - 1)]


def text(value: Any) -> str:
    """An argument that is no tensor, as the user is likely to have typed it."""
    if is_a(value, slice):
        parts = ["" if part is None else text(part) for part in (value.start, value.stop)]
        plain = value.step is None or (type(value.step) is int and value.step == 1)
        return ":".join(parts if plain else [*parts, text(value.step)])
    if is_a(value, tuple):
        return ", ".join([text(each) for _, each in items(value)])
    return "..." if value is Ellipsis else safe_text(value, str)[:MAX_TEXT]


def definition(name: str, key: str) -> ev.Define:
    """Return the definition of an op, emitted at its first use."""
    op = TABLE.get(key) or TABLE.get(key.replace("_.", ".", 1)) or op_of(name)
    if op is None:
        bare = name.strip("_")
        if bare == "matmul":
            return ev.Define(key, *MATMUL, ())
        return ev.Define(key, SIGNS.get(bare, bare), "", (), ())
    inputs = tuple("*" + each if op.variadic else each for each in op.inputs)
    return ev.Define(
        key, op.sign, op.text, inputs,
        tuple(ev.Derivative(*each) for each in derivatives(op)),
    )  # fmt: skip
