// Written by js/generate_events.py from graphwidget/recording/events.py: do not edit.

/** A number as it travels: JSON has no nan and inf, they come as "nan", "inf" and "-inf". */
export type Numeric = number | boolean | string;

export const PROTOCOL = 1;

/** What is told of an array too large to be sent whole, over its finite items. */
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

/** An array as the page sees it. ``values`` holds the items, flat in C order, when there are few; otherwise it is ``None`` and ``stats`` tells the rest. ``histogram`` comes only when the page asked (``peek``). */
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

/** What a node keeps for backward in one slot: a value at a version, or a plain number. ``text`` is the number or metadata as text when no value is kept (``value`` is None). */
export interface Saved {
  readonly slot: string;
  readonly value: number | null;
  readonly storage: number | null;
  readonly version: number | null;
  readonly text: string | null;
}

/** First use of an op. ``sign`` is what its pill shows (``×``), ``text`` the whole formula with placeholders (``{self} × {other}``), ``inputs`` the names of its tensor inputs (one name starting with ``*`` stands for a list). */
export interface DefineEvent {
  readonly event: "define";
  readonly op: string;
  readonly sign: string;
  readonly text: string;
  readonly tex: string;
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

/** A user's variable is bound to a value. ``scope`` is ``""`` for the notebook's own variables, the function's qualified name for its locals, and ``"module"`` when ``name`` is the path of a parameter in a module (``net.0.weight``). */
export interface NameEvent {
  readonly event: "name";
  readonly value: number;
  readonly name: string;
  readonly scope: string;
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

/** A value is known: told just before the op that made it, or when a value made elsewhere is first used, and again whenever its summary was renewed. ``leaf`` is PyTorch's ``is_leaf``; ``parameter`` says it is an ``nn.Parameter``. */
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

/** ``requires_grad`` or ``retains_grad`` of a value is now this. */
export interface FlagEvent {
  readonly event: "flag";
  readonly value: number;
  readonly requires_grad: boolean;
  readonly retains_grad: boolean;
}

/** A backward run begins from ``roots``, (value, node) each. ``live`` runs are advanced by commands; others complete in the user's own call. ``inputs`` is not None when the run computes only these values' gradients (``autograd.grad``). */
export interface BackwardEvent {
  readonly event: "backward";
  readonly run: number;
  readonly roots: readonly (readonly [number | null, number])[];
  readonly retain_graph: boolean;
  readonly create_graph: boolean;
  readonly live: boolean;
  readonly inputs: readonly number[] | null;
  readonly source: number | null;
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

/** No tensor object of the program is this value any more. */
export interface DeadEvent {
  readonly event: "dead";
  readonly value: number;
}

/** A region begins (``open``) or ends. ``kind`` is ``no_grad``, ``module``, ``function``, ``loop`` or ``hook``. */
export interface ScopeEvent {
  readonly event: "scope";
  readonly scope: number;
  readonly parent: number | null;
  readonly kind: string;
  readonly name: string;
  readonly open: boolean;
}

/** The state to which the ``dropped`` oldest events folded: ``state`` is the model as JSON. */
export interface SnapshotEvent {
  readonly event: "snapshot";
  readonly dropped: number;
  readonly state: Readonly<Record<string, unknown>>;
}

/** An autograd error of the user's program, with its explanation. ``kind`` is ``version`` (a saved value was modified in place), ``leaf`` (in-place on a leaf or a view of one), ``freed`` (second backward), ``none`` (``.grad`` of a non-leaf read: a warning in PyTorch) or ``other``. ``help`` are the plain sentences that the exception carries as notes. ``writes`` are the times of the guilty ``write`` events. */
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
  | SnapshotEvent
  | ErrorEvent;

/** How many fields each kind of event has; later protocols may add trailing ones. */
export const FIELDS: Readonly<Record<string, number>> = {
  define: 6,
  cell: 2,
  source: 6,
  name: 3,
  op: 9,
  value: 8,
  write: 8,
  node: 7,
  flag: 3,
  backward: 7,
  start: 3,
  finish: 4,
  done: 2,
  grad: 6,
  free: 1,
  dead: 1,
  scope: 5,
  snapshot: 2,
  error: 12,
};

function list(json: unknown): readonly unknown[] {
  if (!Array.isArray(json)) throw new TypeError("an event is not an array");
  return json;
}

export function decodeStats(json: unknown): Stats {
  const a = list(json);
  return {
    min: a[0] as Numeric,
    max: a[1] as Numeric,
    mean: a[2] as Numeric,
    nonfinite: a[3] as number,
  };
}

export function decodeHistogram(json: unknown): Histogram {
  const a = list(json);
  return {
    low: a[0] as number,
    high: a[1] as number,
    counts: a[2] as readonly number[],
  };
}

export function decodeSummary(json: unknown): Summary {
  const a = list(json);
  return {
    shape: a[0] as readonly number[],
    dtype: a[1] as string,
    values: a[2] as readonly Numeric[] | null,
    stats: a[3] == null ? null : decodeStats(a[3]),
    histogram: a[4] == null ? null : decodeHistogram(a[4]),
  };
}

export function decodeMatrix(json: unknown): Matrix {
  const a = list(json);
  return {
    rows: a[0] as number,
    columns: a[1] as number,
    numbers: a[2] as readonly Numeric[],
  };
}

export function decodeDerivative(json: unknown): Derivative {
  const a = list(json);
  return {
    input: a[0] as string,
    vjp: a[1] as string,
    local: a[2] as string | null,
  };
}

export function decodeSaved(json: unknown): Saved {
  const a = list(json);
  return {
    slot: a[0] as string,
    value: a[1] as number | null,
    storage: a[2] as number | null,
    version: a[3] as number | null,
    text: a[4] as string | null,
  };
}

function decodeDefine(json: unknown): DefineEvent {
  const a = list(json);
  return {
    event: "define",
    op: a[1] as string,
    sign: a[2] as string,
    text: a[3] as string,
    tex: a[4] as string,
    inputs: a[5] as readonly string[],
    derivatives: list(a[6]).map((x) => decodeDerivative(x)),
  };
}

function decodeCell(json: unknown): CellEvent {
  const a = list(json);
  return {
    event: "cell",
    count: a[1] as number,
    source: a[2] as string,
  };
}

function decodeSource(json: unknown): SourceEvent {
  const a = list(json);
  return {
    event: "source",
    source: a[1] as number,
    cell: a[2] as number | null,
    file: a[3] as string | null,
    line: a[4] as number,
    function: a[5] as string,
    text: a[6] as string,
  };
}

function decodeName(json: unknown): NameEvent {
  const a = list(json);
  return {
    event: "name",
    value: a[1] as number,
    name: a[2] as string,
    scope: a[3] as string,
  };
}

function decodeOp(json: unknown): OpEvent {
  const a = list(json);
  return {
    event: "op",
    call: a[1] as number,
    op: a[2] as string,
    inputs: a[3] as readonly (number | string)[],
    params: a[4] as Readonly<Record<string, string>>,
    outputs: a[5] as readonly number[],
    view_of: a[6] as number | null,
    inplace: a[7] as boolean,
    scope: a[8] as number | null,
    source: a[9] as number | null,
  };
}

function decodeValue(json: unknown): ValueEvent {
  const a = list(json);
  return {
    event: "value",
    value: a[1] as number,
    storage: a[2] as number,
    version: a[3] as number,
    requires_grad: a[4] as boolean,
    leaf: a[5] as boolean,
    parameter: a[6] as boolean,
    view_of: a[7] as number | null,
    summary: decodeSummary(a[8]),
  };
}

function decodeWrite(json: unknown): WriteEvent {
  const a = list(json);
  return {
    event: "write",
    storage: a[1] as number,
    version: a[2] as number,
    before: a[3] as number,
    value: a[4] as number,
    base_before: a[5] as number | null,
    base: a[6] as number | null,
    call: a[7] as number | null,
    source: a[8] as number | null,
  };
}

function decodeNode(json: unknown): NodeEvent {
  const a = list(json);
  return {
    event: "node",
    node: a[1] as number,
    name: a[2] as string,
    call: a[3] as number | null,
    outputs: a[4] as readonly number[],
    next: a[5] as readonly (readonly [number | null, number])[],
    saved: list(a[6]).map((x) => decodeSaved(x)),
    variable: a[7] as number | null,
  };
}

function decodeFlag(json: unknown): FlagEvent {
  const a = list(json);
  return {
    event: "flag",
    value: a[1] as number,
    requires_grad: a[2] as boolean,
    retains_grad: a[3] as boolean,
  };
}

function decodeBackward(json: unknown): BackwardEvent {
  const a = list(json);
  return {
    event: "backward",
    run: a[1] as number,
    roots: a[2] as readonly (readonly [number | null, number])[],
    retain_graph: a[3] as boolean,
    create_graph: a[4] as boolean,
    live: a[5] as boolean,
    inputs: a[6] as readonly number[] | null,
    source: a[7] as number | null,
  };
}

function decodeStart(json: unknown): StartEvent {
  const a = list(json);
  return {
    event: "start",
    run: a[1] as number,
    node: a[2] as number,
    grads: list(a[3]).map((x) => x == null ? null : decodeSummary(x)),
  };
}

function decodeFinish(json: unknown): FinishEvent {
  const a = list(json);
  return {
    event: "finish",
    run: a[1] as number,
    node: a[2] as number,
    grads: list(a[3]).map((x) => x == null ? null : decodeSummary(x)),
    local: a[4] == null ? null : list(a[4]).map((x) => x == null ? null : decodeMatrix(x)),
  };
}

function decodeDone(json: unknown): DoneEvent {
  const a = list(json);
  return {
    event: "done",
    run: a[1] as number,
    status: a[2] as string,
  };
}

function decodeGrad(json: unknown): GradEvent {
  const a = list(json);
  return {
    event: "grad",
    value: a[1] as number,
    how: a[2] as string,
    summary: a[3] == null ? null : decodeSummary(a[3]),
    added: a[4] == null ? null : decodeSummary(a[4]),
    run: a[5] as number | null,
    grad_value: a[6] as number | null,
  };
}

function decodeFree(json: unknown): FreeEvent {
  const a = list(json);
  return {
    event: "free",
    node: a[1] as number,
  };
}

function decodeDead(json: unknown): DeadEvent {
  const a = list(json);
  return {
    event: "dead",
    value: a[1] as number,
  };
}

function decodeScope(json: unknown): ScopeEvent {
  const a = list(json);
  return {
    event: "scope",
    scope: a[1] as number,
    parent: a[2] as number | null,
    kind: a[3] as string,
    name: a[4] as string,
    open: a[5] as boolean,
  };
}

function decodeSnapshot(json: unknown): SnapshotEvent {
  const a = list(json);
  return {
    event: "snapshot",
    dropped: a[1] as number,
    state: a[2] as Readonly<Record<string, unknown>>,
  };
}

function decodeError(json: unknown): ErrorEvent {
  const a = list(json);
  return {
    event: "error",
    kind: a[1] as string,
    type: a[2] as string,
    message: a[3] as string,
    help: a[4] as readonly string[],
    run: a[5] as number | null,
    node: a[6] as number | null,
    slot: a[7] as string | null,
    value: a[8] as number | null,
    expected: a[9] as number | null,
    found: a[10] as number | null,
    writes: a[11] as readonly number[],
    source: a[12] as number | null,
  };
}

/** One event from its JSON array. Throws a TypeError that names what is wrong. */
export function decode(json: unknown): Event {
  const a = list(json);
  const kind = String(a[0]);
  const count = FIELDS[kind];
  if (count === undefined) throw new TypeError(`unknown event ${kind}`);
  if (a.length <= count) throw new TypeError(`event ${kind} has too few fields`);
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
    case "snapshot":
      return decodeSnapshot(a);
    case "error":
      return decodeError(a);
    default:
      throw new TypeError(`unknown event ${kind}`);
  }
}
