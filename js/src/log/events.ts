// Written by js/generate_events.py from graphwidget/recording/events.py: do not edit.

import {
  FLAG,
  list,
  many,
  NUMERIC,
  one,
  pair,
  part,
  REAL,
  SIZE,
  soundCurve,
  soundMatrix,
  soundPass,
  soundScope,
  soundSummary,
  table,
  TEXT,
  texts,
  Unreadable,
  WHOLE,
  WHOLE_OR_TEXT,
} from "./checks";

/** A number as it travels: JSON has no nan and inf, they come as "nan", "inf" and "-inf". */
export type Numeric = number | boolean | string;

export const PROTOCOL = 2;

/** Statistics of an array too large to be sent whole, over its finite items. */
export interface Stats {
  readonly min: Numeric;
  readonly max: Numeric;
  readonly mean: Numeric;
  readonly nonfinite: number;
}

/** Counts of the finite items in equal bins between ``low`` and ``high``. */
export interface Histogram {
  readonly low: number;
  readonly high: number;
  readonly counts: readonly number[];
}

/** An array as the page sees it. ``values`` holds the items, flat in C order, when there are few; otherwise it is ``None`` and ``stats`` has the rest. ``histogram`` comes only when the page asked (``peek``). A size of the shape that is not known, or no number, is -1. */
export interface Summary {
  readonly shape: readonly number[];
  readonly dtype: string;
  readonly values: readonly Numeric[] | null;
  readonly stats: Stats | null;
  readonly histogram: Histogram | null;
}

/** A local derivative: rows are items of the node's output, columns of one input; C order. */
export interface Matrix {
  readonly rows: number;
  readonly columns: number;
  readonly numbers: readonly Numeric[];
}

/** The derivative of an op by one input, as text with ``{name}`` placeholders. ``vjp`` is what backward computes, with ``{grad}`` the incoming gradient; ``local`` is the factor that multiplies ``{grad}`` when the op works item by item, else ``None``. */
export interface Derivative {
  readonly input: string;
  readonly vjp: string;
  readonly local: string | null;
}

/** One slot of a node, kept for backward: a value at a version, or a plain number. ``text`` is the number or metadata as text when no value is kept (``value`` is None), or ``PACKED`` or ``RECOMPUTED`` of a tensor that hooks of the program keep elsewhere. */
export interface Saved {
  readonly slot: string;
  readonly value: number | null;
  readonly storage: number | null;
  readonly version: number | null;
  readonly text: string | null;
}

/** A call in a program of a static graph. Fields are those of an ``Op``; ``scope`` is the block that the call is fused into, if it is. */
export interface Step {
  readonly call: number;
  readonly op: string;
  readonly inputs: readonly (number | string)[];
  readonly params: Readonly<Record<string, string>>;
  readonly outputs: readonly number[];
  readonly scope: number | null;
  readonly source: number | null;
}

/** A line of the user's program in a finding; ``file`` is ``cell 3`` for a notebook's cell. */
export interface Place {
  readonly file: string;
  readonly line: number;
  readonly text: string;
  readonly function: string;
}

/** A finding as it travels: its fields are those of ``findings.Finding``. */
export interface Finding {
  readonly kind: string;
  readonly reader: Place | null;
  readonly culprit: Place | null;
  readonly fix: string;
  readonly text: string;
  readonly tried: string;
}

/** First use of an op. ``sign`` is what its pill shows (``×``), ``text`` the whole formula with placeholders (``{self} × {other}``), ``inputs`` the names of its tensor inputs (one name starting with ``*`` stands for a list). */
export interface DefineEvent {
  readonly event: "define";
  readonly op: string;
  readonly sign: string;
  readonly text: string;
  readonly inputs: readonly string[];
  readonly derivatives: readonly Derivative[];
}

/** A notebook cell begins to run. ``count`` is its execution count, ``source`` its text. */
export interface CellEvent {
  readonly event: "cell";
  readonly count: number;
  readonly source: string;
}

/** First sight of a line of the user's program. ``cell`` is the execution count when the line is in a notebook cell (then ``file`` is None); ``function`` is its qualified name, or ``""`` at top level; ``text`` the line itself, stripped. */
export interface SourceEvent {
  readonly event: "source";
  readonly source: number;
  readonly cell: number | null;
  readonly file: string | null;
  readonly line: number;
  readonly function: string;
  readonly text: string;
}

/** A user's variable is bound to a value. ``scope`` is ``""`` for the notebook's own variables, the function's qualified name for its locals, and ``"module"`` when ``name`` is the path of a parameter in a module (``net[0].weight``). ``made_in`` is the innermost open scope where the value is a leaf that the program makes there (``mask = torch.ones(3)``). */
export interface NameEvent {
  readonly event: "name";
  readonly value: number;
  readonly name: string;
  readonly scope: string;
  readonly made_in: number | null;
}

/** A call of an op. ``inputs`` are value ids in signature order, or text where a number stands in a tensor's place; ``params`` the other arguments as text; ``view_of`` the value that the output is a view of; ``scope`` the innermost open scope. */
export interface OpEvent {
  readonly event: "op";
  readonly call: number;
  readonly op: string;
  readonly inputs: readonly (number | string)[];
  readonly params: Readonly<Record<string, string>>;
  readonly outputs: readonly number[];
  readonly view_of: number | null;
  readonly inplace: boolean;
  readonly scope: number | null;
  readonly source: number | null;
}

/** A value is known: emitted just before the op that made it, or when a value made elsewhere is first used, and again whenever its summary was renewed. ``leaf`` is PyTorch's ``is_leaf``; ``parameter`` says it is an ``nn.Parameter``; ``gradient_of`` is the value whose ``.grad`` it is, where it is one. */
export interface ValueEvent {
  readonly event: "value";
  readonly value: number;
  readonly storage: number;
  readonly version: number;
  readonly requires_grad: boolean;
  readonly leaf: boolean;
  readonly parameter: boolean;
  readonly view_of: number | null;
  readonly summary: Summary;
  readonly gradient_of: number | null;
}

/** An in-place write: ``storage`` is now at ``version``, and the written tensor, which was the value ``before``, is now ``value``. When it was a view, its base was ``base_before`` and is now ``base`` (both None otherwise). */
export interface WriteEvent {
  readonly event: "write";
  readonly storage: number;
  readonly version: number;
  readonly before: number;
  readonly value: number;
  readonly base_before: number | null;
  readonly base: number | null;
  readonly call: number | null;
  readonly source: number | null;
}

/** A ``grad_fn`` was made, or a history rebased: ``outputs`` (values) now have this node. ``next`` are its edges, (node or None, output number), one for each differentiable input; ``variable`` is the leaf of an AccumulateGrad; ``call`` the call that made it. */
export interface NodeEvent {
  readonly event: "node";
  readonly node: number;
  readonly name: string;
  readonly call: number | null;
  readonly outputs: readonly number[];
  readonly next: readonly (readonly [number | null, number])[];
  readonly saved: readonly Saved[];
  readonly variable: number | null;
}

/** ``requires_grad`` or ``retains_grad`` of a value is now this. ``grad_fn`` is (node, output number) of a value with a node that was made with another tensor, as by ``_saved_result``. */
export interface FlagEvent {
  readonly event: "flag";
  readonly value: number;
  readonly requires_grad: boolean;
  readonly retains_grad: boolean;
  readonly grad_fn: readonly [number, number] | null;
}

/** A backward run begins from ``roots``, (value, node) each. ``live`` runs are advanced by commands; others complete in the user's own call. ``inputs`` is not None when the run computes only these values' gradients (``autograd.grad``). ``grads`` are the gradients that it begins with, one for each root; None where it begins with the 1 of a single number. */
export interface BackwardEvent {
  readonly event: "backward";
  readonly run: number;
  readonly roots: readonly (readonly [number | null, number])[];
  readonly retain_graph: boolean;
  readonly create_graph: boolean;
  readonly live: boolean;
  readonly inputs: readonly number[] | null;
  readonly source: number | null;
  readonly grads: readonly (Summary | null)[] | null;
}

/** A node runs, with the gradients of its outputs. */
export interface StartEvent {
  readonly event: "start";
  readonly run: number;
  readonly node: number;
  readonly grads: readonly (Summary | null)[];
}

/** The node has run: gradients for its edges, and its local derivatives where they are small enough to show (None, or one Matrix or None for each edge). */
export interface FinishEvent {
  readonly event: "finish";
  readonly run: number;
  readonly node: number;
  readonly grads: readonly (Summary | null)[];
  readonly local: readonly (Matrix | null)[] | null;
}

/** A backward run ended: ``ok``, ``failed`` or ``abandoned``. */
export interface DoneEvent {
  readonly event: "done";
  readonly run: number;
  readonly status: string;
}

/** ``.grad`` of a value is now this. ``how`` is ``accumulated``, ``retained``, ``zeroed``, ``assigned`` or ``cleared`` (then ``summary`` is None). ``added`` is what was added to the former gradient, when there was one. ``grad_value`` is set when the gradient is itself part of a graph (create_graph). */
export interface GradEvent {
  readonly event: "grad";
  readonly value: number;
  readonly how: string;
  readonly summary: Summary | null;
  readonly added: Summary | null;
  readonly run: number | null;
  readonly grad_value: number | null;
}

/** A node released its saved values. */
export interface FreeEvent {
  readonly event: "free";
  readonly node: number;
}

/** The last tensor object that was this value is gone. */
export interface DeadEvent {
  readonly event: "dead";
  readonly value: number;
}

/** A region begins (``open``) or ends; calls and scopes within it name it as their scope or ``parent``. ``source`` is the user's line that opened it. By ``kind``: - ``module``: a call of a module; ``name`` is what the user would type (``net[0]``), ``text`` its class. - ``function``: a call of a user's function; ``name`` is its qualified name. - ``library``: what a library does that the user called, outside of modules. - ``loop``: the same lines run again; ``text`` is the loop's header. - ``fused``: calls of a static graph that run together, block by block. - ``iteration``: one of the loop that is its parent; ``name`` is its number, from 1. - ``step``: an optimizer's step; ``name`` is the optimizer's class, ``text`` its numbers. - ``no_grad``, ``enable_grad``, ``inference_mode``, ``hook``: as PyTorch calls them. When it ends only ``scope`` counts. */
export interface ScopeEvent {
  readonly event: "scope";
  readonly scope: number;
  readonly parent: number | null;
  readonly kind: string;
  readonly name: string;
  readonly text: string;
  readonly source: number | null;
  readonly open: boolean;
}

/** Scalars of consecutive iterations of a loop, from number ``first`` on: ``rows`` has one row each with one number for each of ``names`` (None if that iteration computed none). Iterations that are only here have no details: they were dropped. */
export interface CurveEvent {
  readonly event: "curve";
  readonly loop: number;
  readonly first: number;
  readonly names: readonly string[];
  readonly rows: readonly (readonly (Numeric | null)[])[];
}

/** A pass over a static graph has run. ``steps`` are all calls of the program now, in order (one that only reads other values keeps its number); the first pass of a log is the program as it was built. ``wanted`` is what it gives. ``over`` are results that are written into the memory of an operand, (result, operand) each. ``nodes`` counts calls, those fused into one block as one; ``bytes`` is the most memory that its values hold at a time, ``microseconds`` what a run took and ``spread`` how much that differed (None where it could not be run). */
export interface PassEvent {
  readonly event: "pass";
  readonly name: string;
  readonly steps: readonly Step[];
  readonly wanted: readonly number[];
  readonly over: readonly (readonly [number, number])[];
  readonly nodes: number;
  readonly bytes: number | null;
  readonly microseconds: number | null;
  readonly spread: number | null;
}

/** A row of the table that a program's own listing is (``print_tabular`` of an fx graph), emitted after the value or the call that it is about: ``cells`` are its texts by column. */
export interface RowEvent {
  readonly event: "row";
  readonly value: number | null;
  readonly call: number | null;
  readonly cells: Readonly<Record<string, string>>;
}

/** The state to which the ``dropped`` oldest events folded: ``state`` is the model as JSON. */
export interface SnapshotEvent {
  readonly event: "snapshot";
  readonly dropped: number;
  readonly state: Readonly<Record<string, unknown>>;
}

/** An autograd error of the user's program, with its explanation. ``kind`` is ``version`` (a saved value was modified in place), ``leaf`` (in-place on a leaf or a view of one), ``freed`` (second backward), ``no_grad`` (no graph leads back), ``none`` (``.grad`` of a non-leaf read: a warning in PyTorch) or ``other``. ``help`` are the plain sentences that an exception of this package carries as notes, ``finding`` is what was found of one of PyTorch's. ``writes`` are the times of the ``write`` events that caused it. ``call`` is the kind of a call that raised (wrong shapes): then ``op`` names it, ``inputs`` are the values it was given and ``scope`` is the innermost one that it was made in (else None and empty). */
export interface ErrorEvent {
  readonly event: "error";
  readonly kind: string;
  readonly type: string;
  readonly message: string;
  readonly help: readonly string[];
  readonly run: number | null;
  readonly node: number | null;
  readonly slot: string | null;
  readonly value: number | null;
  readonly expected: number | null;
  readonly found: number | null;
  readonly writes: readonly number[];
  readonly source: number | null;
  readonly op: string | null;
  readonly inputs: readonly number[];
  readonly scope: number | null;
  readonly finding: Finding | null;
}

export type Event =
  | DefineEvent
  | CellEvent
  | SourceEvent
  | NameEvent
  | OpEvent
  | ValueEvent
  | WriteEvent
  | NodeEvent
  | FlagEvent
  | BackwardEvent
  | StartEvent
  | FinishEvent
  | DoneEvent
  | GradEvent
  | FreeEvent
  | DeadEvent
  | ScopeEvent
  | CurveEvent
  | PassEvent
  | RowEvent
  | SnapshotEvent
  | ErrorEvent;

/** The fields of each kind of event; later protocols may add trailing ones. */
export const FIELDS: Readonly<Record<string, readonly string[]>> = {
  define: ["op", "sign", "text", "inputs", "derivatives"],
  cell: ["count", "source"],
  source: ["source", "cell", "file", "line", "function", "text"],
  name: ["value", "name", "scope", "made_in"],
  op: ["call", "op", "inputs", "params", "outputs", "view_of", "inplace", "scope", "source"],
  value: ["value", "storage", "version", "requires_grad", "leaf", "parameter", "view_of", "summary", "gradient_of"],
  write: ["storage", "version", "before", "value", "base_before", "base", "call", "source"],
  node: ["node", "name", "call", "outputs", "next", "saved", "variable"],
  flag: ["value", "requires_grad", "retains_grad", "grad_fn"],
  backward: ["run", "roots", "retain_graph", "create_graph", "live", "inputs", "source", "grads"],
  start: ["run", "node", "grads"],
  finish: ["run", "node", "grads", "local"],
  done: ["run", "status"],
  grad: ["value", "how", "summary", "added", "run", "grad_value"],
  free: ["node"],
  dead: ["value"],
  scope: ["scope", "parent", "kind", "name", "text", "source", "open"],
  curve: ["loop", "first", "names", "rows"],
  pass: ["name", "steps", "wanted", "over", "nodes", "bytes", "microseconds", "spread"],
  row: ["value", "call", "cells"],
  snapshot: ["dropped", "state"],
  error: ["kind", "type", "message", "help", "run", "node", "slot", "value", "expected", "found", "writes", "source", "op", "inputs", "scope", "finding"],
};

/** How many of its fields a kind of event got later: older logs lack them. */
const LATER: Readonly<Record<string, number>> = { name: 1, value: 1, flag: 1, backward: 1, error: 2 };

export function decodeStats(json: unknown): Stats {
  const a = part(json, "stats", 4);
  return {
    min: one(NUMERIC, a[0], "min"),
    max: one(NUMERIC, a[1], "max"),
    mean: one(NUMERIC, a[2], "mean"),
    nonfinite: one(WHOLE, a[3], "nonfinite"),
  };
}

export function decodeHistogram(json: unknown): Histogram {
  const a = part(json, "histogram", 3);
  return {
    low: one(REAL, a[0], "low"),
    high: one(REAL, a[1], "high"),
    counts: many(WHOLE, a[2], "counts"),
  };
}

export function decodeSummary(json: unknown): Summary {
  const a = part(json, "summary", 5);
  return soundSummary({
    shape: many(SIZE, a[0], "shape"),
    dtype: one(TEXT, a[1], "dtype"),
    values: a[2] === null ? null : many(NUMERIC, a[2], "values"),
    stats: a[3] === null ? null : decodeStats(a[3]),
    histogram: a[4] === null ? null : decodeHistogram(a[4]),
  });
}

export function decodeMatrix(json: unknown): Matrix {
  const a = part(json, "matrix", 3);
  return soundMatrix({
    rows: one(WHOLE, a[0], "rows"),
    columns: one(WHOLE, a[1], "columns"),
    numbers: many(NUMERIC, a[2], "numbers"),
  });
}

export function decodeDerivative(json: unknown): Derivative {
  const a = part(json, "derivative", 3);
  return {
    input: one(TEXT, a[0], "input"),
    vjp: one(TEXT, a[1], "vjp"),
    local: a[2] === null ? null : one(TEXT, a[2], "local"),
  };
}

export function decodeSaved(json: unknown): Saved {
  const a = part(json, "saved", 5);
  return {
    slot: one(TEXT, a[0], "slot"),
    value: a[1] === null ? null : one(WHOLE, a[1], "value"),
    storage: a[2] === null ? null : one(WHOLE, a[2], "storage"),
    version: a[3] === null ? null : one(WHOLE, a[3], "version"),
    text: a[4] === null ? null : one(TEXT, a[4], "text"),
  };
}

export function decodeStep(json: unknown): Step {
  const a = part(json, "step", 7);
  return {
    call: one(WHOLE, a[0], "call"),
    op: one(TEXT, a[1], "op"),
    inputs: many(WHOLE_OR_TEXT, a[2], "inputs"),
    params: texts(a[3], "params"),
    outputs: many(WHOLE, a[4], "outputs"),
    scope: a[5] === null ? null : one(WHOLE, a[5], "scope"),
    source: a[6] === null ? null : one(WHOLE, a[6], "source"),
  };
}

export function decodePlace(json: unknown): Place {
  const a = table(json, "place");
  return {
    file: one(TEXT, a.file, "file"),
    line: one(WHOLE, a.line, "line"),
    text: one(TEXT, a.text, "text"),
    function: one(TEXT, a.function, "function"),
  };
}

export function decodeFinding(json: unknown): Finding {
  const a = table(json, "finding");
  return {
    kind: one(TEXT, a.kind, "kind"),
    reader: a.reader === null ? null : decodePlace(a.reader),
    culprit: a.culprit === null ? null : decodePlace(a.culprit),
    fix: one(TEXT, a.fix, "fix"),
    text: one(TEXT, a.text, "text"),
    tried: one(TEXT, a.tried, "tried"),
  };
}

function decodeDefine(a: readonly unknown[]): DefineEvent {
  return {
    event: "define",
    op: one(TEXT, a[1], "op"),
    sign: one(TEXT, a[2], "sign"),
    text: one(TEXT, a[3], "text"),
    inputs: many(TEXT, a[4], "inputs"),
    derivatives: list(a[5], "derivatives").map((x) => decodeDerivative(x)),
  };
}

function decodeCell(a: readonly unknown[]): CellEvent {
  return {
    event: "cell",
    count: one(WHOLE, a[1], "count"),
    source: one(TEXT, a[2], "source"),
  };
}

function decodeSource(a: readonly unknown[]): SourceEvent {
  return {
    event: "source",
    source: one(WHOLE, a[1], "source"),
    cell: a[2] === null ? null : one(WHOLE, a[2], "cell"),
    file: a[3] === null ? null : one(TEXT, a[3], "file"),
    line: one(WHOLE, a[4], "line"),
    function: one(TEXT, a[5], "function"),
    text: one(TEXT, a[6], "text"),
  };
}

function decodeName(a: readonly unknown[]): NameEvent {
  return {
    event: "name",
    value: one(WHOLE, a[1], "value"),
    name: one(TEXT, a[2], "name"),
    scope: one(TEXT, a[3], "scope"),
    made_in: (a[4] ?? null) === null ? null : one(WHOLE, a[4], "made_in"),
  };
}

function decodeOp(a: readonly unknown[]): OpEvent {
  return {
    event: "op",
    call: one(WHOLE, a[1], "call"),
    op: one(TEXT, a[2], "op"),
    inputs: many(WHOLE_OR_TEXT, a[3], "inputs"),
    params: texts(a[4], "params"),
    outputs: many(WHOLE, a[5], "outputs"),
    view_of: a[6] === null ? null : one(WHOLE, a[6], "view_of"),
    inplace: one(FLAG, a[7], "inplace"),
    scope: a[8] === null ? null : one(WHOLE, a[8], "scope"),
    source: a[9] === null ? null : one(WHOLE, a[9], "source"),
  };
}

function decodeValue(a: readonly unknown[]): ValueEvent {
  return {
    event: "value",
    value: one(WHOLE, a[1], "value"),
    storage: one(WHOLE, a[2], "storage"),
    version: one(WHOLE, a[3], "version"),
    requires_grad: one(FLAG, a[4], "requires_grad"),
    leaf: one(FLAG, a[5], "leaf"),
    parameter: one(FLAG, a[6], "parameter"),
    view_of: a[7] === null ? null : one(WHOLE, a[7], "view_of"),
    summary: decodeSummary(a[8]),
    gradient_of: (a[9] ?? null) === null ? null : one(WHOLE, a[9], "gradient_of"),
  };
}

function decodeWrite(a: readonly unknown[]): WriteEvent {
  return {
    event: "write",
    storage: one(WHOLE, a[1], "storage"),
    version: one(WHOLE, a[2], "version"),
    before: one(WHOLE, a[3], "before"),
    value: one(WHOLE, a[4], "value"),
    base_before: a[5] === null ? null : one(WHOLE, a[5], "base_before"),
    base: a[6] === null ? null : one(WHOLE, a[6], "base"),
    call: a[7] === null ? null : one(WHOLE, a[7], "call"),
    source: a[8] === null ? null : one(WHOLE, a[8], "source"),
  };
}

function decodeNode(a: readonly unknown[]): NodeEvent {
  return {
    event: "node",
    node: one(WHOLE, a[1], "node"),
    name: one(TEXT, a[2], "name"),
    call: a[3] === null ? null : one(WHOLE, a[3], "call"),
    outputs: many(WHOLE, a[4], "outputs"),
    next: list(a[5], "next").map((x) => pair(x, "next", (a, b) => [a === null ? null : one(WHOLE, a, "next"), one(WHOLE, b, "next")])),
    saved: list(a[6], "saved").map((x) => decodeSaved(x)),
    variable: a[7] === null ? null : one(WHOLE, a[7], "variable"),
  };
}

function decodeFlag(a: readonly unknown[]): FlagEvent {
  return {
    event: "flag",
    value: one(WHOLE, a[1], "value"),
    requires_grad: one(FLAG, a[2], "requires_grad"),
    retains_grad: one(FLAG, a[3], "retains_grad"),
    grad_fn: (a[4] ?? null) === null ? null : pair(a[4], "grad_fn", (a, b) => [one(WHOLE, a, "grad_fn"), one(WHOLE, b, "grad_fn")]),
  };
}

function decodeBackward(a: readonly unknown[]): BackwardEvent {
  return {
    event: "backward",
    run: one(WHOLE, a[1], "run"),
    roots: list(a[2], "roots").map((x) => pair(x, "roots", (a, b) => [a === null ? null : one(WHOLE, a, "roots"), one(WHOLE, b, "roots")])),
    retain_graph: one(FLAG, a[3], "retain_graph"),
    create_graph: one(FLAG, a[4], "create_graph"),
    live: one(FLAG, a[5], "live"),
    inputs: a[6] === null ? null : many(WHOLE, a[6], "inputs"),
    source: a[7] === null ? null : one(WHOLE, a[7], "source"),
    grads: (a[8] ?? null) === null ? null : list(a[8], "grads").map((x) => x === null ? null : decodeSummary(x)),
  };
}

function decodeStart(a: readonly unknown[]): StartEvent {
  return {
    event: "start",
    run: one(WHOLE, a[1], "run"),
    node: one(WHOLE, a[2], "node"),
    grads: list(a[3], "grads").map((x) => x === null ? null : decodeSummary(x)),
  };
}

function decodeFinish(a: readonly unknown[]): FinishEvent {
  return {
    event: "finish",
    run: one(WHOLE, a[1], "run"),
    node: one(WHOLE, a[2], "node"),
    grads: list(a[3], "grads").map((x) => x === null ? null : decodeSummary(x)),
    local: a[4] === null ? null : list(a[4], "local").map((x) => x === null ? null : decodeMatrix(x)),
  };
}

function decodeDone(a: readonly unknown[]): DoneEvent {
  return {
    event: "done",
    run: one(WHOLE, a[1], "run"),
    status: one(TEXT, a[2], "status"),
  };
}

function decodeGrad(a: readonly unknown[]): GradEvent {
  return {
    event: "grad",
    value: one(WHOLE, a[1], "value"),
    how: one(TEXT, a[2], "how"),
    summary: a[3] === null ? null : decodeSummary(a[3]),
    added: a[4] === null ? null : decodeSummary(a[4]),
    run: a[5] === null ? null : one(WHOLE, a[5], "run"),
    grad_value: a[6] === null ? null : one(WHOLE, a[6], "grad_value"),
  };
}

function decodeFree(a: readonly unknown[]): FreeEvent {
  return {
    event: "free",
    node: one(WHOLE, a[1], "node"),
  };
}

function decodeDead(a: readonly unknown[]): DeadEvent {
  return {
    event: "dead",
    value: one(WHOLE, a[1], "value"),
  };
}

function decodeScope(a: readonly unknown[]): ScopeEvent {
  return soundScope({
    event: "scope",
    scope: one(WHOLE, a[1], "scope"),
    parent: a[2] === null ? null : one(WHOLE, a[2], "parent"),
    kind: one(TEXT, a[3], "kind"),
    name: one(TEXT, a[4], "name"),
    text: one(TEXT, a[5], "text"),
    source: a[6] === null ? null : one(WHOLE, a[6], "source"),
    open: one(FLAG, a[7], "open"),
  });
}

function decodeCurve(a: readonly unknown[]): CurveEvent {
  return soundCurve({
    event: "curve",
    loop: one(WHOLE, a[1], "loop"),
    first: one(WHOLE, a[2], "first"),
    names: many(TEXT, a[3], "names"),
    rows: list(a[4], "rows").map((x) => list(x, "rows").map((x) => x === null ? null : one(NUMERIC, x, "rows"))),
  });
}

function decodePass(a: readonly unknown[]): PassEvent {
  return soundPass({
    event: "pass",
    name: one(TEXT, a[1], "name"),
    steps: list(a[2], "steps").map((x) => decodeStep(x)),
    wanted: many(WHOLE, a[3], "wanted"),
    over: list(a[4], "over").map((x) => pair(x, "over", (a, b) => [one(WHOLE, a, "over"), one(WHOLE, b, "over")])),
    nodes: one(WHOLE, a[5], "nodes"),
    bytes: a[6] === null ? null : one(WHOLE, a[6], "bytes"),
    microseconds: a[7] === null ? null : one(REAL, a[7], "microseconds"),
    spread: a[8] === null ? null : one(REAL, a[8], "spread"),
  });
}

function decodeRow(a: readonly unknown[]): RowEvent {
  return {
    event: "row",
    value: a[1] === null ? null : one(WHOLE, a[1], "value"),
    call: a[2] === null ? null : one(WHOLE, a[2], "call"),
    cells: texts(a[3], "cells"),
  };
}

function decodeSnapshot(a: readonly unknown[]): SnapshotEvent {
  return {
    event: "snapshot",
    dropped: one(WHOLE, a[1], "dropped"),
    state: table(a[2], "state"),
  };
}

function decodeError(a: readonly unknown[]): ErrorEvent {
  return {
    event: "error",
    kind: one(TEXT, a[1], "kind"),
    type: one(TEXT, a[2], "type"),
    message: one(TEXT, a[3], "message"),
    help: many(TEXT, a[4], "help"),
    run: a[5] === null ? null : one(WHOLE, a[5], "run"),
    node: a[6] === null ? null : one(WHOLE, a[6], "node"),
    slot: a[7] === null ? null : one(TEXT, a[7], "slot"),
    value: a[8] === null ? null : one(WHOLE, a[8], "value"),
    expected: a[9] === null ? null : one(WHOLE, a[9], "expected"),
    found: a[10] === null ? null : one(WHOLE, a[10], "found"),
    writes: many(WHOLE, a[11], "writes"),
    source: a[12] === null ? null : one(WHOLE, a[12], "source"),
    op: a[13] === null ? null : one(TEXT, a[13], "op"),
    inputs: many(WHOLE, a[14], "inputs"),
    scope: (a[15] ?? null) === null ? null : one(WHOLE, a[15], "scope"),
    finding: (a[16] ?? null) === null ? null : decodeFinding(a[16]),
  };
}

/** One event from its JSON array. Throws Unreadable, saying what is wrong. */
export function decode(json: unknown): Event {
  if (!Array.isArray(json)) throw new Unreadable("it is no list");
  const a = json as readonly unknown[];
  const kind = typeof a[0] === "string" ? a[0] : "";
  const fields = Object.hasOwn(FIELDS, kind) ? FIELDS[kind] : undefined;
  if (!fields) throw new Unreadable(`it is of no known kind`);
  if (a.length <= fields.length - (LATER[kind] ?? 0)) {
    throw new Unreadable(`'${fields[a.length - 1]}' is missing`);
  }
  switch (kind) {
    case "define":
      return decodeDefine(a);
    case "cell":
      return decodeCell(a);
    case "source":
      return decodeSource(a);
    case "name":
      return decodeName(a);
    case "op":
      return decodeOp(a);
    case "value":
      return decodeValue(a);
    case "write":
      return decodeWrite(a);
    case "node":
      return decodeNode(a);
    case "flag":
      return decodeFlag(a);
    case "backward":
      return decodeBackward(a);
    case "start":
      return decodeStart(a);
    case "finish":
      return decodeFinish(a);
    case "done":
      return decodeDone(a);
    case "grad":
      return decodeGrad(a);
    case "free":
      return decodeFree(a);
    case "dead":
      return decodeDead(a);
    case "scope":
      return decodeScope(a);
    case "curve":
      return decodeCurve(a);
    case "pass":
      return decodePass(a);
    case "row":
      return decodeRow(a);
    case "snapshot":
      return decodeSnapshot(a);
    case "error":
      return decodeError(a);
    default:
      throw new Unreadable("it is of no known kind");
  }
}
