"""``op(...)``, which declares an op in one statement, and the table of all ops.

    op("mul(self, other, /)", np.multiply, inplace=True, pointwise=True,
       d_self=lambda grad, other: grad * other,
       d_other=lambda grad, self: grad * self,
       sign="×", onnx="Mul")

Names before ``/`` are tensors, names after it metadata; ``bias=None`` is a tensor that may be left
out, ``*tensors`` a list of tensors; ``-> values, indices`` names several outputs, ``-> *outputs``
any number, and ``-> result; mean`` one output and, after it, what the kernel computes besides and
only derivatives read; ``; _mean`` is hidden from all others, users and their hooks, as PyTorch
computes it again. A derivative's parameter names say what it needs:

* ``grad``: the gradient of the output (``grads``: the tuple of them, several outputs;
  ``some_grads``: with None, not zeros, for those that nothing was made of);
* an input's name: its value, saved and version-checked (None where it was left out);
* ``result`` or an output's name: the output's value, saved; so is what stands after ``;``;
* ``<input>_shape``, ``<input>_strides`` (in bytes), ``<input>_dtype``, ``<input>_dim`` (how many
  dims it has) and metadata names: nothing saved. With a ``_`` before it ``_<input>_shape`` is not
  shown to users either (as ``node._saved_self_sym_sizes``), nor is metadata named so.

An op that has a form ``<name>.number`` is that form in derivatives, where it is given a Python
number: that has no slot in the node then (``MulBackward1``).

``d_query__key`` is one formula that gives both derivatives, as a tuple, where they share most of
their work; ``targets`` says whose are wanted. Derivatives are written with operators and
``F.<op>`` only. ``F`` is not a module: the same function is bound to one ``F`` of array kernels,
one of Tensor functions and one of text, so that one formula computes, records and explains.
"""

from __future__ import annotations

import ast
import inspect
import re
import types
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from ..arrays.kernel_errors import refuse_types
from .out import Out, declared_out

REQUIRED = inspect.Parameter.empty

Formula = Callable[..., Any]


class Namespace:
    """An ``F``: the ops under their names, for one kind of operand."""

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...


ARRAYS = Namespace()
"""``F`` on ndarrays: the kernels themselves."""


def bind(function: Formula, namespace: Namespace) -> Formula:
    """The same function with ``F`` meaning ``namespace``."""
    bound = types.FunctionType(
        function.__code__,
        {**function.__globals__, "F": namespace},
        function.__name__,
        function.__defaults__,
        function.__closure__,
    )
    bound.__kwdefaults__ = function.__kwdefaults__
    return bound


class Derivative(NamedTuple):
    """The derivative of an op by one input: its formula and what it needs, in order.

    ``place`` is where this derivative lies in what the formula gives, when it gives several.
    """

    input: str
    formula: Formula
    needs: tuple[str, ...]
    place: int | None = None


@dataclass(frozen=True, eq=False, repr=False)
class Op:
    """An op of the table. See the module's text for the meaning of a declaration.

    What is a fact about an op stands here, in its declaration.
    """

    key: str
    """Unique (``pow.scalar``)."""
    name: str
    """Name that users call."""
    kernel: Callable[..., Any]
    """Computes on ndarrays (a numpy ufunc, say); takes the inputs, then the metadata."""
    inputs: tuple[str, ...]
    optional: tuple[str, ...]
    variadic: bool
    params: dict[str, Any]
    outputs: tuple[str, ...]
    kept: tuple[str, ...]
    node: str
    """The class name of its ``grad_fn``; declared where PyTorch's differs from the rule."""
    derivatives: dict[str, Derivative]
    pointwise: bool
    """Works item by item, so inputs broadcast and promote."""
    dtype: str
    """Of a pointwise result: ``same``, ``float`` (of integers: the default), ``bool``."""
    inplace: bool
    """``name_`` is derived."""
    view: bool
    """The kernel returns a view of the first input."""
    nograd: bool
    """States that there is no derivative."""
    public: bool
    """Users may call it by this name, as a function and as a method; False for ops that only
    derivatives or other functions are made of."""
    out: Out | None
    """Kind of ``out=`` that the function takes; None without it."""
    also: tuple[str, ...]
    """Further names for users (``special.x``), offered even if its own is not."""
    numbers: bool | str
    """A Python number may stand for one of the tensors (pointwise ops); for the ``last`` only; or
    numbers for ``all``."""
    guard: Callable[..., None] | None
    """Called with the operands' numpy dtypes when they are not one floating type; raises for those
    that the op refuses."""
    refuses: str
    """PyTorch's name of the kernel and the types (``KINDS``) that it does not know."""
    sign: str
    """Sign on the picture's pill; the op's name when empty."""
    text: str
    """The formula in words of the inputs (``{self} × {other}``). The page typesets it."""
    onnx: str | None
    """The ONNX operator, or None where one op is not enough."""
    order: tuple[str, ...] = ()
    """Whom a pointwise result follows in its order in memory, where that is not all operands, first
    to last."""
    overlap: str = ""
    """Operands that may share memory with the target of an in-place write: ``anything``, as all
    items receive one number, or its ``operands``, which PyTorch does not check; else nothing."""
    mutates: tuple[str, ...] = ()
    """Inputs that the kernel itself may change."""
    borrows: bool = False
    """The result's memory may be another's: an operand's, as that of all views, or a constant's."""
    reshapes: bool = False
    """The result holds the items of the first input in their order; only its shape may differ."""
    uniform: int | None = None
    """The number that all items of the result are, whatever the inputs hold."""
    overwrites: bool = False
    """In place it writes what it is given, and does not read what was there."""
    writes_leaves: bool = False
    """In place it writes leaves that require grad too, as PyTorch knows no derivative of it."""
    sized_by_values: bool = False
    """True if the size of the first output depends on the values of the inputs."""
    warns: bool = True
    """numpy's warnings of nan and inf in the kernel or the derivative are suppressed."""
    saved_constants: dict[str, Any] = field(default_factory=dict)
    """Attributes of nodes (``_saved_alpha``) that this form of the op cannot choose."""
    saved_sizes: dict[str, tuple[int, ...]] = field(default_factory=dict)
    """Of these inputs nodes show single sizes, each under a name of its own
    (``_saved_weight_sym_argsize_0``)."""
    saved_choice: str = ""
    """Name under which nodes show the flat indices in place of ``choice``."""

    @cached_property
    def many(self) -> bool:
        """The number of outputs depends on the call (``-> *outputs``)."""
        return self.outputs[0].startswith("*")

    @cached_property
    def single(self) -> bool:
        """True if there is exactly one output."""
        return len(self.outputs) == 1 and self.outputs[0][0] != "*"

    @cached_property
    def tensors(self) -> tuple[str, ...]:
        """All that a derivative may read and a node then saves, for all to see."""
        seen = (name for name in self.kept if name not in self.hidden)
        return (*self.inputs, *self.outputs, *seen)

    @property
    def hidden(self) -> tuple[str, ...]:
        """Outputs that the kernel computes for derivatives only."""
        return tuple(name for name in self.kept if name.startswith("_"))

    def signature(self) -> inspect.Signature:
        """The parameters of the functions that users call."""
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        parameters = [inspect.Parameter(name, kind) for name in self.inputs]
        parameters += [inspect.Parameter(n, kind, default=d) for n, d in self.params.items()]
        return inspect.Signature(parameters)

    def saved_by(self, targets: tuple[str, ...]) -> tuple[str, ...]:
        """The inputs and outputs that must be saved when ``targets`` need gradients, in the order
        in which PyTorch unpacks them: the inputs by name, then the outputs.

        Like PyTorch, it saves an input that one formula alone needs only if that is a target's,
        all else if any formula needs it (gen_variable_type.py, ``guard_for``).
        """
        saved: list[str] = []
        for target, derivative in self.derivatives.items():
            for need in derivative.needs:
                wanted = need in self.tensors and (target in targets or not self.guarded(need))
                if wanted and need not in saved:
                    saved.append(need)
        return tuple(sorted(saved, key=lambda name: (name not in self.inputs, name)))

    def differentiable(self, output: str) -> bool:
        """Return whether there is a gradient of an output: a formula that asks for ``grad`` alone
        knows that of the first only."""
        alone = any("grad" in each.needs for each in self.derivatives.values())
        return output == self.outputs[0] or not alone

    def guarded(self, need: str) -> bool:
        """Return whether an input is saved only for the one formula that needs it. What may be left
        out is saved for all, and the derivatives of derivatives save all they have."""
        if need not in self.inputs or need in self.optional:
            return False
        if self.variadic or "backward" in self.name:
            return False
        users = [each for each in self.derivatives.values() if need in each.needs]
        return len(users) == 1 and users[0].place is None

    def metadata(self, targets: tuple[str, ...]) -> tuple[str, ...]:
        """Return the metadata that derivatives read: strides and types of ``targets``, params of
        all. As in PyTorch, the sizes that it shows are kept for all inputs."""
        names: list[str] = []
        for target, derivative in self.derivatives.items() if targets else ():
            for need in derivative.needs:
                shown = need.endswith(("_shape", "_dim")) and not need.startswith("_")
                wanted = target in targets or need in self.params or shown
                if wanted and need not in (*self.tensors, *GIVEN, *names):
                    names.append(need)
        return tuple(names)

    def __repr__(self) -> str:
        return f"<op {self.key}>"


GRADIENTS = ("grad", "grads", "some_grads")
"""The names of what flows into a derivative."""

GIVEN = (*GRADIENTS, "targets")
"""Parameters of derivatives that no node needs to save."""

UNTYPED = ("condition", "mask", "filler")
"""Inputs of pointwise ops, by name, that take part in broadcasting, not in promotion."""

TABLE: dict[str, Op] = {}
"""Every op by its key."""


def names_in(text: str) -> tuple[str, ...]:
    """The names of a list with commas."""
    return tuple([name for part in text.split(",") if (name := part.strip())])


def parse_signature(signature: str) -> dict[str, Any]:
    """``"max.dim(self, /, dim, keepdim=False) -> values, indices"``: the fields of the Op."""
    head, _, outs = signature.partition("->")
    key, _, inner = head.strip().partition("(")
    tensors, slash, rest = inner.removesuffix(")").partition("/")
    if not slash:
        raise ValueError(f"{signature!r}: put '/' after the tensor inputs")
    inputs = names_in(tensors)
    variadic = any(name.startswith("*") for name in inputs)
    if variadic and len(inputs) != 1:
        raise ValueError(f"{signature!r}: a list of tensors must be the only tensor input")
    shown, _, kept = outs.partition(";")
    return {
        "key": key,
        "inputs": tuple(name.lstrip("*").partition("=")[0] for name in inputs),
        "optional": tuple(name.partition("=")[0] for name in inputs if "=" in name),
        "variadic": variadic,
        "params": params_in(rest),
        "outputs": names_in(shown) or ("result",),
        "kept": names_in(kept),
    }


def params_in(text: str) -> dict[str, Any]:
    """Metadata with its defaults: ``dim, keepdim=False, dims=(0, 1)``."""
    separate = re.split(r",(?![^(]*\))", text) if "(" in text else text.split(",")
    parts = [part.strip().partition("=") for part in separate]
    return {name: value(default) if equals else REQUIRED for name, equals, default in parts if name}


@cache
def value(literal: str) -> Any:
    """Return the value of a default's text. A few dozen serve hundreds of ops."""
    return ast.literal_eval(literal)


def parameters_of(function: Any) -> dict[str, Any]:
    """The parameters of a function with their defaults. There are a thousand to read at import,
    for which ``inspect.signature`` would take most of it."""
    if vars(function):  # its signature is not that of its code
        return {p.name: p.default for p in inspect.signature(function).parameters.values()}
    code, defaults = function.__code__, function.__defaults__ or ()
    names = code.co_varnames[: code.co_argcount]
    first = len(names) - len(defaults)
    return {
        name: REQUIRED if i < first else defaults[i - first] for i, name in enumerate(names)
    }


def node_name(name: str) -> str:
    """``nll_loss`` -> ``NllLossBackward0``, PyTorch's rule for the names of nodes."""
    return "".join(part[:1].upper() + part[1:] for part in name.split("_")) + "Backward0"


def parse_formulas(parts: dict[str, Any], formulas: dict[str, Formula]) -> dict[str, Derivative]:
    """The derivatives of an op by input, each formula's parameters checked against the names of
    its signature."""
    key, inputs = parts["key"], parts["inputs"]
    known = {*GIVEN, *inputs, *parts["outputs"], *parts["kept"], *parts["params"]}
    derivatives: dict[str, Derivative] = {}
    for label, formula in formulas.items():
        # Of three _ in a row the first ends a name (hx_).
        targets = re.split("__(?!_)", label[2:]) if "__" in label else [label[2:]]
        needs = tuple(parameters_of(formula))
        strangers = [n for n in needs if n not in known and not is_fact_of_input(n, inputs)]
        strangers += [target for target in targets if target not in inputs]
        if strangers:
            raise ValueError(f"{key}: {label} speaks of unknown {strangers}")
        for place, target in enumerate(targets):
            part = place if len(targets) > 1 else None
            derivatives[target] = Derivative(target, formula, needs, part)
    return derivatives


def is_fact_of_input(need: str, inputs: tuple[str, ...]) -> bool:
    """Return whether a derivative's parameter is named ``<input>_shape``, ``_<input>_shape`` or the
    like."""
    name, _, what = need.rpartition("_")
    if what == "shape" and name not in inputs:
        name = name.removeprefix("_")
    return what in ("shape", "strides", "dtype", "dim") and name in inputs


def op(
    signature: str,
    kernel: Callable[..., Any],
    *,
    node: str | None = None,
    pointwise: bool = False,
    dtype: str = "same",
    inplace: bool = False,
    view: bool = False,
    nograd: bool = False,
    public: bool = True,
    out: Out | bool = True,
    also: tuple[str, ...] = (),
    numbers: bool | str = True,
    guard: Callable[..., None] | None = None,
    refuses: str = "",
    sign: str = "",
    text: str = "",
    onnx: str | None,
    order: tuple[str, ...] | None = None,
    overlap: str = "",
    mutates: tuple[str, ...] = (),
    borrows: bool = False,
    reshapes: bool = False,
    uniform: int | None = None,
    overwrites: bool = False,
    writes_leaves: bool = False,
    sized_by_values: bool = False,
    warns: bool = True,
    saved_constants: dict[str, Any] | None = None,
    saved_sizes: dict[str, tuple[int, ...]] | None = None,
    saved_choice: str = "",
    **formulas: Formula,
) -> Op:
    """Declare an op.

    Args:
        signature: see the module's text.
        kernel, node, ...: as the fields of ``Op``.
        **formulas: ``d_<input>`` for each differentiable input, or ``d_<input>__<input>``.

    Raises:
        ValueError: a formula asks for a name that the declaration does not have, or the
            declaration states neither derivatives nor ``nograd``.
    """
    parts = parse_signature(signature)
    key, inputs = parts["key"], parts["inputs"]
    name = key.partition(".")[0]
    derivatives = parse_formulas(parts, formulas)
    if bool(derivatives) == nograd:
        raise ValueError(f"{key}: state either derivatives or nograd=True")
    if key in TABLE:
        raise ValueError(f"{key} is declared twice")
    shown = ", ".join("{" + each + "}" for each in inputs)
    declared = Op(
        **parts, name=name, kernel=refuse_types(kernel, refuses), node=node or node_name(name),
        derivatives=derivatives, pointwise=pointwise, dtype=dtype, inplace=inplace, view=view,
        nograd=nograd, public=public, out=declared_out(out, pointwise), also=also, numbers=numbers,
        guard=guard, refuses=refuses, sign=sign or name, text=text or f"{name}({shown})",
        onnx=onnx, order=inputs if order is None else order, overlap=overlap, mutates=mutates,
        borrows=borrows or view, reshapes=reshapes, uniform=uniform, overwrites=overwrites,
        writes_leaves=writes_leaves, sized_by_values=sized_by_values,
        warns=warns and not view and dtype != "bool", saved_constants=saved_constants or {},
        saved_sizes=saved_sizes or {}, saved_choice=saved_choice,
    )  # fmt: skip
    TABLE[key] = declared
    ARRAYS.__dict__[key.replace(".", "_")] = declared.kernel
    return declared


def also_in_place(key: str, node: str) -> None:
    """Let a view op change the tensor itself (``t_``); its node has a name of its own."""
    view = TABLE[key]
    written = key.replace(".", "_inplace.") if "." in key else key + "_inplace"
    TABLE[written] = replace(view, key=written, node=node, view=False, public=False)
    ARRAYS.__dict__[written.replace(".", "_")] = view.kernel


def describe_function(name: str) -> Op:
    """An Op, outside the table, that stands for a user's own function in the picture."""
    return Op(
        key=name, name=name, kernel=tuple, inputs=("inputs",), optional=(), variadic=True,
        params={}, outputs=("result",), kept=(), node=f"{name}Backward", derivatives={},
        pointwise=False,
        dtype="same", inplace=False, view=False, nograd=True, public=False, out=None,
        also=(), numbers=False, guard=None, refuses="", sign=name,
        text=f"{name}({{inputs}})", onnx=None,
    )  # fmt: skip


COMPOSITES: dict[str, Formula] = {}
"""Functions of ``F`` alone that formulas share, by name; they work on every kind of operand."""


def composite(function: Formula) -> Formula:
    """Make a function written with ``F`` available to formulas as ``F.<its name>``. A kernel that
    was put into ``ARRAYS`` under that name does the same on arrays, faster."""
    if function.__name__ in COMPOSITES:
        raise ValueError(f"two shared functions are called {function.__name__}")
    COMPOSITES[function.__name__] = function
    return function
