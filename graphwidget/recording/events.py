"""The events: everything a graph widget knows, in the order in which it happened.

This file is the only definition of the wire format. An event travels as a JSON array, its
kind first and its fields after it in the order given here; ``js/src/log/events.ts`` is generated
from these classes and a test keeps the two equal.

Ids are small integers handed out by the recorder, one count for each of values, storages,
calls, nodes, runs, sources and scopes; they are never reused. The *time* of an event is its
index in the log, counted from the first event ever recorded, dropped ones included.

A field with a default came later: logs kept from before it are read as if it said that.

Events are named tuples and not dataclasses because one is made on the way of every op:
making a frozen dataclass of ten fields costs four times as much, and a tuple is already
the wire format.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypedDict

PROTOCOL = 2
"""Version of the wire format; the page refuses a log of another one."""

Number = int | float | bool | str
"""A number as it travels. JSON has no ``nan`` and ``inf``: they travel as the strings
``"nan"``, ``"inf"`` and ``"-inf"``. Complex numbers do not occur."""


PACKED, RECOMPUTED = "packed by a hook", "recomputed in backward"
"""In the place of a saved tensor: its value is kept by ``saved_tensors_hooks``, or by nothing, as
a checkpoint computes it again."""


class Stats(NamedTuple):
    """Statistics of an array too large to be sent whole, over its finite items."""

    min: Number
    max: Number
    mean: Number
    nonfinite: int


class Histogram(NamedTuple):
    """Counts of the finite items in equal bins between ``low`` and ``high``."""

    low: float
    high: float
    counts: tuple[int, ...]


class Summary(NamedTuple):
    """An array as the page sees it.

    ``values`` holds the items, flat in C order, when there are few; otherwise it is ``None``
    and ``stats`` has the rest. ``histogram`` comes only when the page asked (``peek``). A size
    of the shape that is not known, or no number, is -1.
    """

    shape: tuple[int, ...]
    dtype: str
    values: tuple[Number, ...] | None
    stats: Stats | None
    histogram: Histogram | None


class Matrix(NamedTuple):
    """A local derivative: rows are items of the node's output, columns of one input; C order."""

    rows: int
    columns: int
    numbers: tuple[Number, ...]


class Derivative(NamedTuple):
    """The derivative of an op by one input, as text with ``{name}`` placeholders.

    ``vjp`` is what backward computes, with ``{grad}`` the incoming gradient; ``local`` is the
    factor that multiplies ``{grad}`` when the op works item by item, else ``None``.
    """

    input: str
    vjp: str
    local: str | None


class Saved(NamedTuple):
    """One slot of a node, kept for backward: a value at a version, or a plain number.

    ``text`` is the number or metadata as text when no value is kept (``value`` is None), or
    ``PACKED`` or ``RECOMPUTED`` of a tensor that hooks of the program keep elsewhere.
    """

    slot: str
    value: int | None
    storage: int | None
    version: int | None
    text: str | None


class Step(NamedTuple):
    """A call in a program of a static graph. Fields are those of an ``Op``; ``scope`` is the block
    that the call is fused into, if it is."""

    call: int
    op: str
    inputs: tuple[int | str, ...]
    params: dict[str, str]
    outputs: tuple[int, ...]
    scope: int | None
    source: int | None


class Place(TypedDict):
    """A line of the user's program in a finding; ``file`` is ``cell 3`` for a notebook's cell."""

    file: str
    line: int
    text: str
    function: str


class Finding(TypedDict):
    """A finding as it travels: its fields are those of ``findings.Finding``."""

    kind: str
    reader: Place | None
    culprit: Place | None
    fix: str
    text: str
    tried: str


class Define(NamedTuple):
    """First use of an op. ``sign`` is what its pill shows (``×``), ``text`` the whole formula
    with placeholders (``{self} × {other}``), ``inputs`` the names of its tensor inputs (one
    name starting with ``*`` stands for a list)."""

    op: str
    sign: str
    text: str
    inputs: tuple[str, ...]
    derivatives: tuple[Derivative, ...]


class Cell(NamedTuple):
    """A notebook cell begins to run. ``count`` is its execution count, ``source`` its text."""

    count: int  # type: ignore[assignment]  # a tuple has a method of this name
    source: str


class Source(NamedTuple):
    """First sight of a line of the user's program. ``cell`` is the execution count when the
    line is in a notebook cell (then ``file`` is None); ``function`` is its qualified name,
    or ``""`` at top level; ``text`` the line itself, stripped."""

    source: int
    cell: int | None
    file: str | None
    line: int
    function: str
    text: str


class Name(NamedTuple):
    """A user's variable is bound to a value. ``scope`` is ``""`` for the notebook's own
    variables, the function's qualified name for its locals, and ``"module"`` when ``name``
    is the path of a parameter in a module (``net[0].weight``). ``made_in`` is the innermost open
    scope where the value is a leaf that the program makes there (``mask = torch.ones(3)``)."""

    value: int
    name: str
    scope: str
    made_in: int | None = None


class Op(NamedTuple):
    """A call of an op. ``inputs`` are value ids in signature order, or text where a number
    stands in a tensor's place; ``params`` the other arguments as text; ``view_of`` the value
    that the output is a view of; ``scope`` the innermost open scope."""

    call: int
    op: str
    inputs: tuple[int | str, ...]
    params: dict[str, str]
    outputs: tuple[int, ...]
    view_of: int | None
    inplace: bool
    scope: int | None
    source: int | None


class Value(NamedTuple):
    """A value is known: emitted just before the op that made it, or when a value made elsewhere
    is first used, and again whenever its summary was renewed. ``leaf`` is PyTorch's
    ``is_leaf``; ``parameter`` says it is an ``nn.Parameter``; ``gradient_of`` is the value whose
    ``.grad`` it is, where it is one."""

    value: int
    storage: int
    version: int
    requires_grad: bool
    leaf: bool
    parameter: bool
    view_of: int | None
    summary: Summary
    gradient_of: int | None = None


class Write(NamedTuple):
    """An in-place write: ``storage`` is now at ``version``, and the written tensor, which was
    the value ``before``, is now ``value``. When it was a view, its base was ``base_before``
    and is now ``base`` (both None otherwise)."""

    storage: int
    version: int
    before: int
    value: int
    base_before: int | None
    base: int | None
    call: int | None
    source: int | None


class Node(NamedTuple):
    """A ``grad_fn`` was made, or a history rebased: ``outputs`` (values) now have this node.
    ``next`` are its edges, (node or None, output number), one for each differentiable input;
    ``variable`` is the leaf of an AccumulateGrad; ``call`` the call that made it."""

    node: int
    name: str
    call: int | None
    outputs: tuple[int, ...]
    next: tuple[tuple[int | None, int], ...]
    saved: tuple[Saved, ...]
    variable: int | None


class Flag(NamedTuple):
    """``requires_grad`` or ``retains_grad`` of a value is now this. ``grad_fn`` is (node, output
    number) of a value with a node that was made with another tensor, as by ``_saved_result``."""

    value: int
    requires_grad: bool
    retains_grad: bool
    grad_fn: tuple[int, int] | None = None


class Backward(NamedTuple):
    """A backward run begins from ``roots``, (value, node) each. ``live`` runs are advanced by
    commands; others complete in the user's own call. ``inputs`` is not None when the run
    computes only these values' gradients (``autograd.grad``). ``grads`` are the gradients that
    it begins with, one for each root; None where it begins with the 1 of a single number."""

    run: int
    roots: tuple[tuple[int | None, int], ...]
    retain_graph: bool
    create_graph: bool
    live: bool
    inputs: tuple[int, ...] | None
    source: int | None
    grads: tuple[Summary | None, ...] | None = None


class Start(NamedTuple):
    """A node runs, with the gradients of its outputs."""

    run: int
    node: int
    grads: tuple[Summary | None, ...]


class Finish(NamedTuple):
    """The node has run: gradients for its edges, and its local derivatives where they are
    small enough to show (None, or one Matrix or None for each edge)."""

    run: int
    node: int
    grads: tuple[Summary | None, ...]
    local: tuple[Matrix | None, ...] | None


class Done(NamedTuple):
    """A backward run ended: ``ok``, ``failed`` or ``abandoned``."""

    run: int
    status: str


class Grad(NamedTuple):
    """``.grad`` of a value is now this. ``how`` is ``accumulated``, ``retained``, ``zeroed``,
    ``assigned`` or ``cleared`` (then ``summary`` is None). ``added`` is what was added to the
    former gradient, when there was one. ``grad_value`` is set when the gradient is itself part
    of a graph (create_graph)."""

    value: int
    how: str
    summary: Summary | None
    added: Summary | None
    run: int | None
    grad_value: int | None


class Free(NamedTuple):
    """A node released its saved values."""

    node: int


class Dead(NamedTuple):
    """The last tensor object that was this value is gone."""

    value: int


class Scope(NamedTuple):
    """A region begins (``open``) or ends; calls and scopes within it name it as their scope or
    ``parent``. ``source`` is the user's line that opened it. By ``kind``:

    - ``module``: a call of a module; ``name`` is what the user would type (``net[0]``), ``text``
      its class.
    - ``function``: a call of a user's function; ``name`` is its qualified name.
    - ``library``: what a library does that the user called, outside of modules.
    - ``loop``: the same lines run again; ``text`` is the loop's header.
    - ``fused``: calls of a static graph that run together, block by block.
    - ``iteration``: one of the loop that is its parent; ``name`` is its number, from 1.
    - ``step``: an optimizer's step; ``name`` is the optimizer's class, ``text`` its numbers.
    - ``no_grad``, ``enable_grad``, ``inference_mode``, ``hook``: as PyTorch calls them.

    When it ends only ``scope`` counts."""

    scope: int
    parent: int | None
    kind: str
    name: str
    text: str
    source: int | None
    open: bool


class Curve(NamedTuple):
    """Scalars of consecutive iterations of a loop, from number ``first`` on: ``rows`` has one row
    each with one number for each of ``names`` (None if that iteration computed none). Iterations
    that are only here have no details: they were dropped."""

    loop: int
    first: int
    names: tuple[str, ...]
    rows: tuple[tuple[Number | None, ...], ...]


class Pass(NamedTuple):
    """A pass over a static graph has run. ``steps`` are all calls of the program now, in order (one
    that only reads other values keeps its number); the first pass of a log is the program as it
    was built. ``wanted`` is what it gives. ``over`` are results that are written into the memory
    of an operand, (result, operand) each. ``nodes`` counts calls, those fused into one block as
    one; ``bytes`` is the most memory that its values hold at a time, ``microseconds`` what a run
    took and ``spread`` how much that differed (None where it could not be run)."""

    name: str
    steps: tuple[Step, ...]
    wanted: tuple[int, ...]
    over: tuple[tuple[int, int], ...]
    nodes: int
    bytes: int | None
    microseconds: float | None
    spread: float | None


class Row(NamedTuple):
    """A row of the table that a program's own listing is (``print_tabular`` of an fx graph),
    emitted after the value or the call that it is about: ``cells`` are its texts by column."""

    value: int | None
    call: int | None
    cells: dict[str, str]


class Snapshot(NamedTuple):
    """The state to which the ``dropped`` oldest events folded: ``state`` is the model as JSON."""

    dropped: int
    state: dict[str, Any]


class Error(NamedTuple):
    """An autograd error of the user's program, with its explanation.

    ``kind`` is ``version`` (a saved value was modified in place), ``leaf`` (in-place on a leaf or a
    view of one), ``freed`` (second backward), ``no_grad`` (no graph leads back), ``none``
    (``.grad`` of a non-leaf read: a warning in PyTorch) or ``other``. ``help`` are the plain
    sentences that an exception of this package carries as notes, ``finding`` is what was found of
    one of PyTorch's. ``writes`` are the times of the ``write`` events that caused it. ``call`` is
    the kind of a call that raised (wrong shapes): then ``op`` names it, ``inputs`` are the values
    it was given and ``scope`` is the innermost one that it was made in (else None and empty)."""

    kind: str
    type: str
    message: str
    help: tuple[str, ...]
    run: int | None
    node: int | None
    slot: str | None
    value: int | None
    expected: int | None
    found: int | None
    writes: tuple[int, ...]
    source: int | None
    op: str | None
    inputs: tuple[int, ...]
    scope: int | None = None
    finding: Finding | None = None


Event = (
    Define | Cell | Source | Name | Op | Value | Write | Node | Flag | Backward | Start | Finish
    | Done | Grad | Free | Dead | Scope | Curve | Pass | Row | Snapshot | Error
)  # fmt: skip

KINDS: dict[str, type[Any]] = {
    cls.__name__.lower(): cls
    for cls in (
        Define, Cell, Source, Name, Op, Value, Write, Node, Flag, Backward, Start, Finish, Done,
        Grad, Free, Dead, Scope, Curve, Pass, Row, Snapshot, Error,
    )
}  # fmt: skip
"""Every kind of event by its name on the wire."""
