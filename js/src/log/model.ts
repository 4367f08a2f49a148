/*
 * What a log folds to. Rows that two models share are never changed but replaced, so a model is
 * forked by copying its tables (microseconds), and a component whose row is the same object need
 * not be drawn again.
 */

import type {
  BackwardEvent,
  CellEvent,
  DefineEvent,
  ErrorEvent,
  Event,
  Matrix,
  NodeEvent,
  Numeric,
  OpEvent,
  PassEvent,
  RowEvent,
  Saved,
  ScopeEvent,
  SourceEvent,
  Summary,
  ValueEvent,
} from "./events";
import { rare, Table } from "./table";

type Row<E> = Readonly<Omit<E, "event">>;

export interface ValueRow extends Row<ValueEvent> {
  readonly retains_grad: boolean;
  /** Every name it had, [scope, name], oldest first. */
  readonly names: readonly (readonly [string, string])[];
  readonly alive: boolean;
  /** The call and the node that made it, and which output of the node it is. */
  readonly call: number | null;
  readonly node: number | null;
  readonly nr: number;
  readonly grad: Summary | null;
  readonly how: string | null;
  /** The value that took its place by an in-place write. */
  readonly next: number | null;
  /** Of a leaf that the program made and named: the innermost scope that was open. */
  readonly made_in: number | null;
  readonly time: number;
}

export interface CallRow extends Row<OpEvent> {
  readonly node: number | null;
  readonly time: number;
}

export interface WriteRow {
  readonly time: number;
  readonly version: number;
  readonly before: number;
  readonly value: number;
  readonly base_before: number | null;
  readonly base: number | null;
  readonly call: number | null;
  readonly source: number | null;
}

export interface StorageRow {
  readonly version: number;
  readonly writes: readonly WriteRow[];
}

export interface SlotRow extends Saved {
  /** Times of the writes after it was saved. */
  readonly stale: readonly number[];
}

/** A slot that holds a tensor; the others hold plain numbers. */
export interface SavedTensor extends SlotRow {
  readonly value: number;
  readonly storage: number;
  readonly version: number;
}

export function holdsTensor(slot: SlotRow): slot is SavedTensor {
  return slot.value !== null && slot.storage !== null && slot.version !== null;
}

/** Words in the place of a saved tensor that is not kept: hooks keep it, or it is computed again. */
export type Packing = "packed by a hook" | "recomputed in backward";

export function packingOf({ text }: SlotRow): Packing | null {
  return text === "packed by a hook" || text === "recomputed in backward" ? text : null;
}

export interface NodeRow extends Omit<Row<NodeEvent>, "saved"> {
  readonly saved: readonly SlotRow[];
  readonly state: "ready" | "running" | "done" | "failed";
  readonly freed: boolean;
  readonly run: number | null;
  readonly grads_in: readonly (Summary | null)[];
  readonly grads_out: readonly (Summary | null)[];
  readonly local: readonly (Matrix | null)[] | null;
  readonly time: number;
}

export interface RunRow extends Row<BackwardEvent> {
  readonly status: string;
  readonly order: readonly number[];
  readonly time: number;
}

export type ScopeRow = Row<ScopeEvent>;

export interface ErrorRow extends Row<ErrorEvent> {
  readonly time: number;
}

/** An iteration of a loop whose details are in the log: from its first event to after its last. */
export interface IterationRow {
  readonly number: number;
  readonly scope: number;
  readonly from: number;
  readonly to: number | null;
}

export interface LoopRow {
  /** The loop's scope. */
  readonly loop: number;
  /** How many iterations began, also those whose details are not stored. */
  readonly count: number;
  readonly iterations: readonly IterationRow[];
  /** By name, the scalar of each iteration (iteration 1 first); null where an iteration computed none. */
  readonly curves: Readonly<Record<string, readonly (Numeric | null)[]>>;
}

/** Of a call in a program: its number, what it reads, and the block that it is fused into. */
export type PassStep = readonly [number, readonly (number | string)[], number | null];

/** A pass over a static graph, with the calls that were left, in order. */
export interface PassRow extends Omit<Row<PassEvent>, "steps"> {
  readonly steps: readonly PassStep[];
  readonly time: number;
}

/** A row of a program's own listing, about a value or a call. */
export interface ListedRow extends Row<RowEvent> {
  readonly time: number;
}

export interface Model {
  time: number;
  dropped: number;
  readonly ops: Map<string, Row<DefineEvent>>;
  readonly sources: Table<Row<SourceEvent>>;
  cells: readonly Row<CellEvent>[];
  readonly values: Table<ValueRow>;
  readonly calls: Table<CallRow>;
  readonly storages: Table<StorageRow>;
  readonly nodes: Table<NodeRow>;
  readonly runs: Table<RunRow>;
  /** "scope\0name" to the value bound to it now. */
  readonly names: Map<string, number>;
  readonly scopes: Table<ScopeRow>;
  readonly loops: Table<LoopRow>;
  errors: readonly ErrorRow[];
  passes: readonly PassRow[];
  rows: readonly ListedRow[];
  /** An index, no state: by storage, the nodes not freed that saved something of it. */
  readonly holders: Table<readonly number[]>;
  /** An index, no state: by call, the nodes that it made. */
  readonly made: Table<readonly number[]>;
  /** An index, no state: when each cell began that did something and is still on record. */
  cellTimes: readonly number[];
  /** No state: when a cell began that has done nothing yet. */
  begun: number | null;
  /** No state: lists that only this model holds, so that they can grow where they are. */
  own: WeakSet<readonly unknown[]>;
  /** No state: rows made from this time on belong to this model only. */
  since: number;
}

/** The tables of a snapshot. */
export const TABLES = [
  "ops",
  "sources",
  "values",
  "calls",
  "storages",
  "nodes",
  "runs",
  "names",
  "scopes",
  "loops",
] as const;

export function emptyModel(): Model {
  return {
    time: 0,
    dropped: 0,
    ops: new Map(),
    sources: new Table(),
    cells: [],
    values: new Table(),
    calls: new Table(),
    storages: new Table(),
    nodes: new Table(),
    runs: new Table(),
    names: new Map(),
    scopes: new Table(),
    loops: new Table(),
    errors: [],
    passes: [],
    rows: [],
    holders: new Table(),
    made: new Table(),
    cellTimes: [],
    begun: null,
    own: new WeakSet(),
    since: 0,
  };
}

/** Whether the log tells what a program is made of, and not what ran: it is about calls. */
export function isProgram({ passes, rows }: Model): boolean {
  return passes.length > 0 || rows.length > 0;
}

/** A list with one more item: the same list when only this model holds it, else a copy. */
export function grown<T>(model: Model, items: readonly T[], item: T): readonly T[] {
  if (model.own.has(items)) {
    (items as T[]).push(item);
    return items;
  }
  const copy = [...items, item];
  model.own.add(copy);
  return copy;
}

/** A list with another item in one place: likewise. */
export function replaced<T>(model: Model, items: readonly T[], at: number, item: T): readonly T[] {
  const list = model.own.has(items) ? (items as T[]) : [...items];
  if (at >= 0) list[at] = item;
  model.own.add(list);
  return list;
}

/** A model that can go its own way; the rows, and lists that grew, are shared from now on. */
export function fork(model: Model): Model {
  model.own = new WeakSet();
  model.since = model.time;
  return {
    ...model,
    own: new WeakSet(),
    ops: new Map(model.ops),
    sources: new Table(model.sources),
    values: new Table(model.values),
    calls: new Table(model.calls),
    storages: new Table(model.storages),
    nodes: new Table(model.nodes),
    runs: new Table(model.runs),
    names: new Map(model.names),
    scopes: new Table(model.scopes),
    loops: new Table(model.loops),
    holders: new Table(model.holders),
    made: new Table(model.made),
  };
}

/** Events also of a cell that only looks at things, or deletes them. */
const IDLE: ReadonlySet<string> = new Set(
  "cell source define name dead free curve scope".split(" "),
);

/** A cell counts from its first event that is more than a look: until then the one before does. */
export function cellBegins(model: Model, { event }: Event, begun: number): void {
  if (IDLE.has(event)) return;
  model.cellTimes = grown(model, model.cellTimes, begun);
  model.begun = null;
}

/** A write that made a saved value stale before its node ran. */
export interface Hazard {
  readonly node: NodeRow;
  readonly slot: SavedTensor;
  /** Which of the node's slots. */
  readonly index: number;
}

export const hazards = (model: Model): Hazard[] => hazardsIn(model.nodes);

const hazardsIn = rare<NodeRow, Hazard>((node, add) => {
  if (node.state === "done" || (node.freed && node.state !== "failed")) return;
  node.saved.forEach((slot, index) => {
    if (holdsTensor(slot) && slot.stale.length > 0) add({ node, slot, index });
  });
});

/** What is found once of a model, which is never changed after it was given away. */
export function once<T>(find: (model: Model) => T): (model: Model) => T {
  const found = new WeakMap<Model, T>();
  return (model) => {
    const known = found.get(model);
    if (known !== undefined) return known;
    const made = find(model);
    found.set(model, made);
    return made;
  };
}

/** The scopes from one outward, itself first. */
export function scopesAround(model: Model, scope: number | null): ScopeRow[] {
  const found: ScopeRow[] = [];
  for (let at = scope; at !== null;) {
    const row = model.scopes.get(at);
    if (!row) break;
    found.push(row);
    at = row.parent;
  }
  return found;
}

const stepScopes = rare<ScopeRow, ScopeRow>((scope, add) => {
  if (scope.kind === "step") add(scope);
});

/** The scopes in which an optimizer makes a step. */
const scopesWithSteps = once((model): ReadonlySet<number> => {
  const found = new Set<number>();
  for (const { parent } of stepScopes(model.scopes)) {
    for (let up = parent; up !== null && !found.has(up);) {
      found.add(up);
      up = model.scopes.get(up)?.parent ?? null;
    }
  }
  return found;
});

const NONE: readonly NodeRow[] = [];

/** The nodes that a call made. */
export function nodesOf(model: Model, call: number): readonly NodeRow[] {
  const made = model.made.get(call);
  return made ? made.flatMap((id) => model.nodes.get(id) ?? []) : NONE;
}

/** The call that made a value. */
export function makerOf(model: Model, value: ValueRow | undefined): CallRow | undefined {
  return value == null || value.call === null ? undefined : model.calls.get(value.call);
}

/** The write that happened at a time, if that storage has it on record. */
export function writeAt(model: Model, storage: number, time: number): WriteRow | undefined {
  return model.storages.get(storage)?.writes.find((write) => write.time === time);
}

/** Whether a loop trains: some iteration on record runs backward or makes a step. */
export function isTrainingLoop(model: Model, { iterations, curves }: LoopRow): boolean {
  if (iterations.length === 0) return Object.keys(curves).length > 0;
  const inIteration = (time: number): boolean =>
    iterations.some(({ from, to }) => from <= time && (to === null || time < to));
  for (const run of model.runs.values()) if (inIteration(run.time)) return true;
  const steps = scopesWithSteps(model);
  return iterations.some(({ scope }) => steps.has(scope));
}

/** The value whose numbers a node used of one that it saved: a write through `.data` before the run
 * counts no version, so that nothing stopped the node from reading what was written. */
export function usedBy(model: Model, node: NodeRow, saved: number): number {
  const slot = node.saved.find(({ value }) => value === saved);
  const run = node.run === null ? undefined : model.runs.get(node.run);
  let used = saved;
  for (let next = model.values.get(saved)?.next; slot && next != null;) {
    const row = model.values.get(next);
    if (next <= used) break; // a log from elsewhere may lead in a circle
    if (!row || row.version !== slot.version || row.time > (run?.time ?? Infinity)) break;
    // A node keeps the memory of its own result, whatever `result.data = …` puts in its place.
    if (makerOf(model, row)?.op === "data_" && node.outputs.includes(saved)) break;
    used = next;
    next = row.next;
  }
  return used;
}
