"""Puts PyTorch's parser of arguments in front of the functions that users call.

A parsed function takes what users give, by position or by name, and calls its target. It costs
next to nothing while all arguments are of the plain types that are wanted. Where one is not, or the
target fails, the parser is asked (``parser.py``); if it refuses the call, that is the error.
"""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Iterator, Sequence
from itertools import zip_longest
from types import MappingProxyType
from typing import Any

import numpy as np

from ..arrays.dtypes import dtype, python_type
from ..arrays.kernel_errors import type_name
from ..arrays.size import Size
from ..eager.lazy import Names, compile_function, lazy_function
from ..eager.op_functions import RECORDED, record_body
from ..eager.overridable import TENSOR, ask_source, check_tensors, default, wrapper_source
from ..graph import runtime
from ..graph.tensor import Tensor
from ..optable.out import Out
from . import docstrings
from .delegates import explain
from .out import write_into_out
from .overriding import has_undeclared_override
from .parser import MISSING, Bound, Named, parse
from .signatures import INTEGERS, Parameter, inner_signatures, signatures

NO_NAMES: Named = MappingProxyType({})


class ParsedFunction:
    """A function or method as PyTorch knows it, and the target that computes it here."""

    def __init__(self, section: str, name: str, target: Callable[..., Any]) -> None:
        self.section, self.name, self.target = section, name, target
        self.parameters = shown_parameters(section, name, target)
        self.function: Any = None

    @property
    def places(self) -> list[inspect.Parameter]:
        """The parameters that may be given by position."""
        return [p for p in self.parameters if p.kind <= p.POSITIONAL_OR_KEYWORD]

    @property
    def rest(self) -> str:
        """The parameter that takes all further arguments, if there is one."""
        return next((p.name for p in self.parameters if p.kind is p.VAR_POSITIONAL), "")

    def parse(self, values: Sequence[Any], spelled: Named, left: Named) -> Bound | TypeError | None:
        """Parse a call as PyTorch does.

        Args:
            values: of the parameters that may be given by position, and what is beyond them.
            spelled: what was given by name.
            left: what of it names no parameter, or one that was given by position, too.
        """
        by_place = zip_longest((p.name for p in self.places), values)
        args = [value for name, value in by_place
                if value is not MISSING and (name in left or name not in spelled)]  # fmt: skip
        return parse(self.section, self.name, args[self.section == "Tensor" :], spelled)

    def check(
        self, values: Sequence[Any], spelled: Named = NO_NAMES, left: Named = NO_NAMES
    ) -> None:
        """Raise PyTorch's error for a call, if it has one."""
        if self.section == "Tensor" and not isinstance(values[0], Tensor):
            raise TypeError(
                f"descriptor '{self.name}' for 'torch._C.TensorBase' objects doesn't apply to a "
                f"'{type_name(values[0])}' object"
            ) from None
        found = self.parse(values, spelled, left)
        if isinstance(found, TypeError):
            raise found from None
        if found is None and not explain(self.name, self.arguments(values, spelled)):
            places = zip(self.places, values, strict=False)
            tensors = [
                (p.name, i, v) for i, (p, v) in enumerate(places, 1) if p.annotation in TENSOR
            ]
            check_tensors(self.name, *tensors)

    def arguments(self, values: Sequence[Any], spelled: Named) -> dict[str, Any]:
        """Return the arguments of a call by name, with defaults."""
        given = dict(zip((p.name for p in self.places), values, strict=False)) | dict(spelled)
        return {p.name: p.default if given.get(p.name, MISSING) is MISSING else given[p.name]
                for p in self.parameters}  # fmt: skip

    def has_undeclared_override(
        self, values: Sequence[Any], spelled: Named = NO_NAMES, _: Any = None
    ) -> bool:
        """Return whether the call failed because of an override that was not asked."""
        return has_undeclared_override((*values, *spelled.values()))

    def again(self, values: Sequence[Any], spelled: Named = NO_NAMES, _: Any = None) -> Any:
        """The same call once more."""
        by_place = zip_longest((p.name for p in self.places), values)
        args = [value for name, value in by_place if value is not MISSING and name not in spelled]
        return self.function(*args, **spelled)

    def unusual(self, values: Sequence[Any], spelled: Named = NO_NAMES,
                left: Named = NO_NAMES) -> Any:  # fmt: skip
        """The result of a call with more arguments than there are places, or with names that the
        target does not have: what PyTorch's parser makes of it, by its own names.

        Raises:
            TypeError: it refuses the call.
        """
        bound = self.parse(values, spelled, left)
        if isinstance(bound, TypeError):
            raise bound
        if bound is None:
            raise TypeError(
                f"{self.name}() got an unexpected keyword argument {next(iter(left))!r}"
            )
        own = {self.own_name(name): value for name, value in bound.items()
               if name != "out" or value is not None}  # fmt: skip
        return self.function(*values[: self.section == "Tensor"], **own)

    def own_name(self, name: str) -> str:
        """Return the target's name of a PyTorch parameter: the same, or the one in its place.

        Raises:
            TypeError: the target has no such parameter.
        """
        if any(p.name == name for p in self.parameters):
            return name
        for signature in signatures(self.section, self.name):
            names = [each.name for each in signature.parameters[: signature.places]]
            if name in names:
                place = names.index(name) + (self.section == "Tensor")
                if place < len(self.places):
                    return self.places[place].name
        raise TypeError(f"{self.name}() takes no argument {name!r} here")

    def wanted(self, parameter: inspect.Parameter) -> set[Parameter]:
        """Return the parameters that PyTorch's signatures have in a place, or under a name."""
        place = -1
        if parameter in self.places:
            place = self.places.index(parameter) - (self.section == "Tensor")
        if parameter.kind is parameter.VAR_POSITIONAL:
            place = len(self.places) - (self.section == "Tensor")
        found = set()
        for signature in signatures(self.section, self.name):
            known = signature.parameters
            found |= {each for each in known if each.name == parameter.name}
            found |= set(known[place : place + 1] if 0 <= place < signature.places else ())
        return found


def shown_parameters(section: str, name: str, target: Any) -> list[inspect.Parameter]:
    """A target's parameters under the names that users know: functions say ``input`` where
    methods say ``self``."""
    parameters = list(inspect.signature(target).parameters.values())
    if section != "Tensor" and parameters and parameters[0].name != "input":
        known = inner_signatures(section, name)
        if parameters[0].name == "self" or any(
            f"{each}, ".startswith("Tensor input, ") for each in known
        ):
            parameters[0] = parameters[0].replace(name="input")
    return parameters


def parsed_function(
    section: str, name: str, target: Any, out: tuple[str, Out] | None = None
) -> Any:
    """The function that users call: PyTorch's parser in front of ``target``.

    Args:
        section: where PyTorch has it: ``torch``, ``Tensor``, ``nn``, ``linalg`` or ``special``.
        name: what PyTorch calls it there.
        target: what computes it.
        out: if it takes ``out=`` and its target does not: what ``write_into_out`` calls it, and
            what ``out`` may be.
    """
    made = lazy_function(name, build_parsed, shown_signature, target, section, name, target, out)
    made.__module__ = "graphwidget" if out else target.__module__
    made.__doc__ = docstrings.out_docstring(target.__doc__) if out else target.__doc__
    return made


def shown_signature(section: str, name: str, target: Any, out: Any) -> inspect.Signature:
    """The signature of a parsed function."""
    parameters = shown_parameters(section, name, target)
    if out:
        parameters.append(OUT)
    return inspect.signature(target).replace(parameters=parameters)


OUT = inspect.Parameter("out", inspect.Parameter.KEYWORD_ONLY, default=None)


def build_parsed(
    made: Any, section: str, name: str, target: Any, out: tuple[str, Out] | None
) -> types.FunctionType:
    """The code of a parsed function."""
    parsed = ParsedFunction(section, name, target)
    parsed.function = made
    if out:
        parsed.parameters.append(OUT)
    own = Names(f"{section}_{name}_")
    return compile_function(parsed_source(parsed, own, out), name, runtime.__dict__)


def is_integer_sequence(value: Any) -> bool:
    """Return whether a value is a sequence of integers, as most are."""
    return value.__class__ in SEQUENCES and (not value or value[0].__class__ is int)


SEQUENCES = (tuple, list, Size)


# The source --------------------------------------------------------------------------------------
def parsed_source(parsed: ParsedFunction, own: Names, out: tuple[str, Out] | None) -> str:
    """The source of a parsed function: its parameters are bound by it, not by Python, to know what
    was given by name."""
    parser, missing = own("PARSED", parsed), own("MISSING", MISSING)
    places, rest = parsed.places, parsed.rest
    open_ended = any(p.kind is p.VAR_KEYWORD for p in parsed.parameters)
    keywords = [p.name for p in parsed.parameters if p.kind is p.KEYWORD_ONLY]
    more = rest or "more"
    arguments = values = f"({''.join(f'{p.name}, ' for p in places)}*{more},)"
    taken = [f"{p.name}={missing}" for p in places]
    doubts = list(refusal_conditions(parsed, own))
    if parsed.target in RECORDED and keywords in ([], ["out"]) and only_tensors(parsed):
        taken += [f"*{more}", *(f"{name}=None" for name in keywords)]
        bound = [ask_line(parsed, own, values, "{}"), f"if more: return {parser}.unusual({values})"]
    else:
        taken += ["/"] * bool(places) + [f"*{more}", "**named"]
        defaults = [p for p in parsed.parameters if p.kind is p.KEYWORD_ONLY]
        named = [p.name for p in places[parsed.section == "Tensor" :]]
        surplus = [] if open_ended else ["named"] if rest else ["named", "more"]
        arguments = f"{values}, spelled, named"
        bound = [
            ask_line(parsed, own, values, "named"),
            *(f"{p.name} = {default(p, own)}" for p in defaults),
            *names_source(named, keywords, missing),
            *[f"if {' or '.join(surplus)}: return {parser}.unusual({arguments})"] * bool(surplus),
        ]
        doubts += missing_companion(parsed, missing)
    again = f"if {parser}.has_undeclared_override({arguments}): return {parser}.again({arguments})"
    check = f"{parser}.check({arguments})"
    return wrapper_source(
        [f"def {parsed.name}({', '.join(taken)}):", *bound],
        doubts, [check, *numbers_source(parsed, own)],
        call_source(parsed, own, open_ended, out), [again, check],
    )  # fmt: skip


def ask_line(parsed: ParsedFunction, own: Names, values: str, named: str) -> str:
    """The line that asks who overrides the function: of what was given, as it was given."""
    given = f"*(each for each in {values} if each is not {own('MISSING', MISSING)}),"
    return ask_source(own("FUNCTION", parsed.function), given, named)


def only_tensors(parsed: ParsedFunction) -> bool:
    """Return whether a function takes nothing but tensors: such are the smallest ones, and unknown
    names are left to Python, which says of them what PyTorch does."""
    return all(known.type == "Tensor" for each in parsed.places for known in parsed.wanted(each))


def names_source(places: Sequence[str], keywords: Sequence[str], missing: str) -> Iterator[str]:
    """Lines that put what was given by name into its place, and keep how it was given."""
    yield "spelled = named"
    yield "if named:"
    yield "    spelled = named.copy()"
    for each in places:
        yield f"    if {each!r} in named and {each} is {missing}: {each} = named.pop({each!r})"
    for each in keywords:
        yield f"    if {each!r} in named: {each} = named.pop({each!r})"


def call_source(
    parsed: ParsedFunction, own: Names, open_ended: bool, out: tuple[str, Out] | None
) -> Iterator[str]:
    """Lines that call the target."""
    target, missing = own("TARGET", parsed.target), own("MISSING", MISSING)
    args = [
        p.name if p.default is p.empty
        else f"{default(p, own)} if {p.name} is {missing} else {p.name}" for p in parsed.places
    ]  # fmt: skip
    args += [f"*{parsed.rest}"] if parsed.rest else []
    keywords = [p.name for p in parsed.parameters if p.kind is p.KEYWORD_ONLY and p is not OUT]
    named = [f"{name}={name}" for name in keywords] + ["**named"] * open_ended
    given = ", ".join(args + named)
    if out:
        into, how = own("INTO", write_into_out), own("OUT", out[1])
        yield f"if out is not None: return {into}({out[0]!r}, {how}, out, {target}, {given})"
    inlined = (
        record_body(parsed.target) if all(p.default is p.empty for p in parsed.places) else None
    )
    if inlined is not None:
        first, known = parsed.parameters[0].name, RECORDED[parsed.target].inputs[0]
        if first != known:
            yield f"{known} = {first}"
        yield from (line[4:] for line in inlined)
        return
    if parsed.rest and named:  # names beside a star are dear
        yield f"if not spelled: return {target}({', '.join(args)})"
    yield f"return {target}({given})"


RIGHT: dict[str, tuple[type, ...]] = {
    "int64_t": (int,), "SymInt": (int,), "double": (float, int), "Scalar": (float, int, bool),
    "bool": (bool,), "string_view": (str,), "ScalarType": (dtype,), "Tensor": (Tensor,),
    "MemoryFormat": (), "Layout": (), "TensorList": (tuple, list),
    "List<optional<Tensor>>": (tuple, list),
    **dict.fromkeys(INTEGERS, ()),
}  # fmt: skip
"""The classes whose values are right, by the parameter's type: of the others nothing is asked
before a call."""


def refusal_conditions(parsed: ParsedFunction, own: Names) -> Iterator[str]:
    """Conditions under which a call might be refused though its target would not mind."""
    missing = own("MISSING", MISSING)
    known = signatures(parsed.section, parsed.name)
    beyond = max((each.places for each in known), default=0) + (parsed.section == "Tensor")
    for each in parsed.parameters:
        types = parsed.wanted(each)
        kinds = {one.type for one in types}
        name = each.name
        if each.kind is each.VAR_POSITIONAL and known:
            yield from star_refusal_conditions(parsed, name, kinds, own)
        elif known and each in parsed.places[beyond:]:
            yield f"{name} is not {missing} and {name!r} not in spelled"
        elif kinds == {"Tensor"}:
            if len(parsed.parameters) == 1 and parsed.target not in RECORDED:  # it may do nothing
                yield f"not isinstance({name}, {own('TENSOR', Tensor)})"
        elif kinds and kinds.issubset(RIGHT):
            conditions = not_of_classes(name, types, own)
            if each.kind is each.KEYWORD_ONLY:
                conditions.insert(0, f"spelled and {name!r} in spelled")
            elif each.default is not each.empty:
                conditions.insert(0, f"{name} is not {missing}")
            yield " and ".join(conditions)


def not_of_classes(name: str, types: set[Parameter], own: Names) -> list[str]:
    """Conditions, all of which hold when a value is of none of the classes that are right."""
    kinds = {one.type for one in types}
    sized = any(one.size for one in types if one.type in INTEGERS)
    classes = {kind for one in kinds for kind in RIGHT[one]}
    right = own(f"CLASSES_{name}", (*classes, *(int,) * sized))
    conditions = [f"{name}.__class__ not in {right}"]
    if not kinds.isdisjoint(INTEGERS):
        conditions.append(f"not {own('PLAIN', is_integer_sequence)}({name})")
    if any(one.nullable for one in types):
        conditions.insert(0, f"{name} is not None")
    return conditions


NUMBERS = {"Scalar", "double", "int64_t", "SymInt"}


def numbers_source(parsed: ParsedFunction, own: Names) -> Iterator[str]:
    """Lines that make Python's numbers of others."""
    for each in parsed.parameters:
        if each.kind is not each.VAR_POSITIONAL:
            yield from number_source(each.name, parsed.wanted(each), own)


def number_source(name: str, types: set[Parameter], own: Names) -> Iterator[str]:
    """Lines that make a Python number of one of numpy's, where a number is wanted, and of a 0-d
    tensor, where nothing but a number is (as PyTorch's parser does); and a dtype of ``float``."""
    kinds = {one.type for one in types}
    if not kinds.isdisjoint({*NUMBERS, *INTEGERS}):
        classes = (Tensor, np.generic) if kinds <= NUMBERS else np.generic
        numbers = own(f"NUMBERS_{name}", classes)
        yield f"if isinstance({name}, {numbers}): {name} = {name}.item()"
    if kinds == {"ScalarType"}:
        yield f"if {name}.__class__ is type: {name} = {own('TYPE_OF', python_type)}({name})"


def missing_companion(parsed: ParsedFunction, missing: str) -> Iterator[str]:
    """Conditions under which a name is given that only goes with an argument that is not."""
    known = signatures(parsed.section, parsed.name)
    optional = [p.name for p in parsed.places if p.default is not p.empty]
    for each in parsed.parameters if optional and len(known) > 1 else ():
        names = [
            {one.name for one in signature.parameters if one.default is None}
            for signature in known
            if any(one.name == each.name for one in signature.parameters)
        ]
        needed = set.intersection(*names) if names else set()
        for other in optional:
            if other in needed and other != each.name:
                yield f"spelled and {each.name!r} in spelled and {other} is {missing}"


def star_refusal_conditions(
    parsed: ParsedFunction, name: str, kinds: set[str], own: Names
) -> Iterator[str]:
    """The same, of all further arguments of a function that takes any number of them."""
    known = signatures(parsed.section, parsed.name)
    places = max(signature.places for signature in known)
    spread = kinds <= {*INTEGERS, "ScalarType"} and places == 1
    if not spread:
        yield f"len({name}) > {places - len(parsed.places) + (parsed.section == 'Tensor')}"
    if kinds and kinds.issubset(RIGHT):
        classes = (*(kind for one in kinds for kind in RIGHT[one]), *[int] * spread)
        right, first = own(f"CLASSES_{name}", classes), f"{name}[0]"
        unknown = (
            f"{first}.__class__ not in {right} and not {own('PLAIN', is_integer_sequence)}({first})"
        )
        yield f"not {name} or {unknown}"
