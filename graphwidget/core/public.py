"""The public face: which functions the package offers, and which methods Tensor has.

A function is offered where it is written, and nowhere else:

    @offer(out=True)
    def logsumexp(input: Tensor, dim: Any, keepdim: bool = False) -> Tensor: ...

gives ``torch.logsumexp(input, dim, keepdim=False, *, out=None)`` and the method of the same name.
``offer("clip")`` adds another name, ``method=False`` or ``function=False`` leaves one of the two
out, ``space="linalg"`` puts the function into ``torch.linalg`` and not on the top.

Public ops of the table that nobody wrote by hand are offered as they are (``offer_table``): the
function with ``out=``, the method, and ``name_`` for those that may be written in place.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from itertools import takewhile
from typing import Any, TypeVar

from ..optable import TABLE, Op
from . import docs
from .arguments import Kinds, explained
from .compile import TENSORS
from .inplace import writer
from .later import compiled, first_named, first_names, later, parameter_names
from .out import into

Offered = TypeVar("Offered", bound=Callable[..., Any])

FUNCTIONS: dict[str, Callable[..., Any]] = {}
"""What the package offers, by name."""

METHODS: dict[str, Any] = {}
"""What Tensor offers, by name."""

SPACES: dict[str, dict[str, Callable[..., Any]]] = {"linalg": {}, "special": {}}
"""What the packages within the package offer, by name."""


def offer(
    *also: str,
    function: bool = True,
    method: bool = True,
    out: bool = False,
    space: str = "",
    first: str = "",
) -> Callable[[Offered], Offered]:
    """Offer a function to users under its own name and those in ``also``.

    Args:
        function: as a function of the package (of ``space``, when given).
        method: as a method of Tensor (never when ``space`` is given).
        out: the function takes ``out=``.
        first: what users call the function's first parameter, if not as it is written.
    """

    def register(offered: Offered) -> Offered:
        place = SPACES[space] if space else FUNCTIONS
        names = parameter_names(offered)
        offered.__doc__ = docs.describe_written(offered.__doc__, offered.__name__, names)
        for name in (offered.__name__, *also):
            if function:
                place[name] = face(offered, offered.__name__, first) if out else offered
            if method and not space:
                METHODS[name] = offered
        return offered

    return register


NUMPY_NAMES = {"axis": "dim", "keepdims": "keepdim", "axis0": "dim0", "axis1": "dim1"}
"""What numpy calls some parameters: PyTorch takes these names too."""

NUMPY_NAMES_OF = frozenset(NUMPY_NAMES.values())

WRITTEN_IN_PYTHON = ("norm", "split")
"""Functions of PyTorch that know their parameters by one name only."""

ONE_BY_ONE = ("count_nonzero", "squeeze", "squeeze_")
"""Methods that take several dims as arguments of their own: ``x.squeeze(0, 1)``."""

MISSING = object()
"""What a parameter without a default holds until its value comes by another name."""


def face(
    target: Callable[..., Any], name: str, first: str = "", out: bool = True, method: bool = False
) -> Any:
    """A function with the target's parameters, which takes numpy's names for them as well, and
    ``out=``.

    ``first`` renames the first parameter: functions say ``input`` where methods say ``self``.
    ``method``: it is a method, whose own tensor errors do not count.
    """
    signature = inspect.signature(target)
    parameters = list(signature.parameters.values())
    if first:
        parameters[0] = parameters[0].replace(name=first)
    args = ", ".join(
        f"{p.name}={p.name}" if p.kind is p.KEYWORD_ONLY else
        f"*{p.name}" if p.kind is p.VAR_POSITIONAL else p.name
        for p in parameters
    )  # fmt: skip
    if out:
        parameters.append(inspect.Parameter("out", inspect.Parameter.KEYWORD_ONLY, default=None))
    scope: dict[str, Any] = {
        "target": target, "into": into, "explained": explained, "renamed": renamed,
        "MISSING": MISSING,
        "kinds": {p.name: (p.annotation, p.kind is p.KEYWORD_ONLY) for p in parameters},
    }  # fmt: skip
    given = ", ".join(f"{p.name!r}: {p.name}" for p in parameters if p.kind is not p.VAR_POSITIONAL)
    failed = [
        "except (TypeError, AttributeError) as error:",
        f"    raise explained(error, {name!r}, {{{given}}}, kinds, {int(not method)}) from None",
    ]
    lines = []
    if name not in WRITTEN_IN_PYTHON and takes_dims(parameters):
        lines = renaming_source(name, parameters, int(not method))
        shown = signature_text([required(p) for p in parameters], scope)
        shown = shown.replace(" *, ", " *more, ") if " *, " in shown else shown + ", *more"
        places = [p for p in parameters[method:] if p.kind is p.POSITIONAL_OR_KEYWORD]
        needed = sum(p.default is p.empty for p in places)
        if method and name in ONE_BY_ONE:
            parameters.append(inspect.Parameter("more", inspect.Parameter.VAR_POSITIONAL))
            lines.insert(0, "if more: dim = (dim, *more)")
        else:
            scope["too_many"] = too_many
            lines.insert(
                0, f"if more: raise too_many({name!r}, {needed}, {len(places)}, len(more))"
            )
        shown += ", **named"
    else:
        shown = signature_text(parameters, scope)
    if out:
        lines += [
            "if out is None:",
            f"    try: return target({args})",
            *(f"    {line}" for line in failed),
            f"return into({name!r}, out, target, {args})",
        ]
    else:
        lines += [f"try: return target({args})", *failed]
    source = "\n    ".join([f"def {name}({shown}):", *lines])
    made: Any = later(name, lambda: compiled(source, name, scope), scope)
    scope[name] = made  # it may call itself
    made.__signature__ = signature.replace(parameters=parameters)
    made.__doc__ = docs.with_out(target.__doc__) if out else target.__doc__
    made.__module__ = "graphwidget" if out else target.__module__
    return made


def too_many(name: str, needed: int, places: int, more: int) -> TypeError:
    """The error for more arguments than a function has places for."""
    given = places + more
    least = f"from {needed} to " if needed < places else ""
    return TypeError(
        f"{name}() takes {least}{places} positional argument{'s' * (bool(least) or places != 1)} "
        f"but {given} {'was' if given == 1 else 'were'} given"
    )


def takes_dims(parameters: list[inspect.Parameter]) -> bool:
    """Whether numpy has another name for one of the parameters."""
    names = {p.name for p in parameters if p.kind is not p.VAR_POSITIONAL}
    return len(names) == len(parameters) and not names.isdisjoint(NUMPY_NAMES_OF)


def required(parameter: inspect.Parameter) -> inspect.Parameter:
    """The parameter with a default where it has none, as its value may come by another name."""
    return parameter.replace(
        default=MISSING if parameter.default is parameter.empty else parameter.default
    )


def renaming_source(name: str, parameters: list[inspect.Parameter], first: int) -> list[str]:
    """The lines of a function that serve calls by numpy's names."""
    asked = [f"{p.name} is MISSING" for p in parameters if p.default is p.empty]
    given = ", ".join(f"{p.name!r}: {p.name}" for p in parameters)
    return [
        f"if {' or '.join(['named', *asked])}:",
        f"    return {name}(**renamed({name!r}, {{{given}}}, named, kinds, {first}))",
    ]


def renamed(
    name: str, given: dict[str, Any], named: dict[str, Any], kinds: Kinds, first: int
) -> dict[str, Any]:
    """The arguments of a call under the names that the function has for them.

    Raises:
        TypeError: a name is unknown, or an argument is missing, and those before it are of the
            right types (PyTorch's texts).
    """
    known = {NUMPY_NAMES.get(key): value for key, value in named.items()}
    filled = given | {key: value for key, value in known.items() if key in given}
    missing = [f'"{key}"' for key, value in filled.items() if value is MISSING]
    if missing:
        ending = "s" if len(missing) == 1 else ""  # so PyTorch spells it
        error = TypeError(
            f"{name}() missing {len(missing)} required positional argument{ending}: "
            + ", ".join(missing)
        )
        before = dict(takewhile(lambda item: item[1] is not MISSING, filled.items()))
        raise explained(error, name, before, kinds, first)
    if not given.keys() >= known.keys():
        raise TypeError(f"{name}() got an unexpected keyword argument {next(iter(named))!r}")
    return filled


def complete() -> None:
    """Let all that takes a dim take it by numpy's name too."""
    for offered in (METHODS, FUNCTIONS, *SPACES.values()):
        for name, target in offered.items():
            if not inspect.isfunction(target) or "renamed" in target.__globals__:
                continue
            names = first_names(target)
            if names is not None and not NUMPY_NAMES_OF.intersection(names):
                continue
            known = list(inspect.signature(target).parameters.values())
            if name not in WRITTEN_IN_PYTHON and takes_dims(known):
                method = offered is METHODS
                offered[name] = face(target, target.__name__, out=False, method=method)


def signature_text(parameters: list[inspect.Parameter], scope: dict[str, Any]) -> str:
    """Parameters as source; their defaults are put into ``scope``."""
    parts, keywords = [], False
    for each in parameters:
        if each.kind is each.VAR_POSITIONAL:
            parts.append(f"*{each.name}")
            keywords = True
            continue
        if each.kind is each.KEYWORD_ONLY and not keywords:
            parts.append("*")
            keywords = True
        if each.default is each.empty:
            parts.append(each.name)
        else:
            scope[f"default_{each.name}"] = each.default
            parts.append(f"{each.name}=default_{each.name}")
    return ", ".join(parts)


IN_PLACE_FUNCTIONS = (
    "abs", "acos", "acosh", "arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctanh",
    "asin", "asinh", "atan", "atanh", "ceil", "clamp", "clamp_max", "clamp_min", "clip",
    "cos", "cosh", "deg2rad", "erf", "erfc", "exp", "exp2", "expm1", "fix", "floor", "frac",
    "gcd", "i0", "lcm", "ldexp", "log", "log10", "log1p", "log2", "logit", "nan_to_num",
    "neg", "negative", "rad2deg", "reciprocal", "relu", "round", "rsqrt", "sigmoid", "sin",
    "sinc", "sinh", "sqrt", "square", "tan", "tanh", "trunc", "xlogy",
)  # fmt: skip
"""Ops whose in-place form PyTorch offers as a function too (``torch.exp_``)."""


def offer_table() -> None:
    """Offer the public ops of the table that are not written by hand."""
    for key, op in TABLE.items():
        if "." in key:
            continue
        offer_op(op)
        if op.inplace and op.public:
            written = METHODS.get(key + "_")
            if written is None:
                written = METHODS[key + "_"] = writer(key)
                written.__doc__ = docs.describe_in_place(op)
            for name in op.also:
                if "." not in name:
                    METHODS.setdefault(name + "_", written)
    for name in IN_PLACE_FUNCTIONS:
        if name + "_" in METHODS:
            FUNCTIONS.setdefault(name + "_", METHODS[name + "_"])
    for name, function in FUNCTIONS.items():
        FUNCTIONS[name] = with_input(function)
    complete()


def with_input(function: Callable[..., Any]) -> Callable[..., Any]:
    """The same function with its first parameter called ``input``, where methods say ``self``."""
    if not inspect.isfunction(function):
        return function
    names = first_names(function)
    if names is not None and names[:1] != ("self",):
        return function
    shown = inspect.signature(function)
    first, *rest = shown.parameters.values() or (None,)
    if first is None or first.name != "self":
        return function
    made = first_named(function, "input")
    made.__signature__ = shown.replace(  # type: ignore[attr-defined]
        parameters=[first.replace(name="input"), *rest]
    )
    return made


def offer_op(op: Op) -> None:
    """Offer the record function of an op under its names. A function that was written by hand
    under the op's own name stands for all of them."""
    record = getattr(TENSORS, op.key)
    function, method = FUNCTIONS.get(op.key), METHODS.get(op.key)
    if function is None and method is None and (op.public or op.also):
        record.__doc__ = docs.describe(op)
        plain = op.variadic or op.view or not op.out
        function, method = (
            record if plain else face(record, op.key, "input" if op.inputs[0] == "self" else ""),
            record,
        )
        if op.public:
            FUNCTIONS[op.key], METHODS[op.key] = function, method
    for name in op.also:
        space, _, own = name.rpartition(".")
        if function is not None:
            (SPACES[space] if space else FUNCTIONS).setdefault(own, function)
        if method is not None and not space:
            METHODS.setdefault(own, method)
