/*
 * What a log folds to. Rows are never changed but replaced, so a model is forked by copying its
 * tables (microseconds), and a component whose row is the same object need not be drawn again.
 */

import type {
  BackwardEvent,
  CellEvent,
  DefineEvent,
  ErrorEvent,
  Matrix,
  NodeEvent,
  Numeric,
  OpEvent,
  Saved,
  ScopeEvent,
  SourceEvent,
  Summary,
  ValueEvent,
} from "./events";

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

/** A turn of a loop whose details are in the log: from its first event to after its last. */
export interface TurnRow {
  readonly turn: number;
  readonly scope: number;
  readonly from: number;
  readonly to: number | null;
}

export interface LoopRow {
  /** The loop's scope. */
  readonly loop: number;
  /** How many turns began, also those whose details were let go. */
  readonly count: number;
  readonly turns: readonly TurnRow[];
  /** By name, the scalar of each turn (turn 1 first); null where a turn computed none. */
  readonly curves: Readonly<Record<string, readonly (Numeric | null)[]>>;
}

export interface Model {
  time: number;
  dropped: number;
  readonly ops: Map<string, Row<DefineEvent>>;
  readonly sources: Map<number, Row<SourceEvent>>;
  cells: readonly Row<CellEvent>[];
  readonly values: Map<number, ValueRow>;
  readonly calls: Map<number, CallRow>;
  readonly storages: Map<number, StorageRow>;
  readonly nodes: Map<number, NodeRow>;
  readonly runs: Map<number, RunRow>;
  /** "scope\0name" to the value bound to it now. */
  readonly names: Map<string, number>;
  readonly scopes: Map<number, ScopeRow>;
  readonly loops: Map<number, LoopRow>;
  errors: readonly ErrorRow[];
  /** An index, no state: by storage, the nodes not freed that saved something of it. */
  readonly holders: Map<number, readonly number[]>;
  /** An index, no state: when each cell began that is still on record. */
  cellTimes: readonly number[];
  /** No state: lists that only this model holds, so that they can grow where they are. */
  own: WeakSet<readonly unknown[]>;
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
    sources: new Map(),
    cells: [],
    values: new Map(),
    calls: new Map(),
    storages: new Map(),
    nodes: new Map(),
    runs: new Map(),
    names: new Map(),
    scopes: new Map(),
    loops: new Map(),
    errors: [],
    holders: new Map(),
    cellTimes: [],
    own: new WeakSet(),
  };
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

/** A model that can go its own way; the rows, and lists that grew, are shared from now on. */
export function fork(model: Model): Model {
  model.own = new WeakSet();
  return {
    ...model,
    own: new WeakSet(),
    ops: new Map(model.ops),
    sources: new Map(model.sources),
    values: new Map(model.values),
    calls: new Map(model.calls),
    storages: new Map(model.storages),
    nodes: new Map(model.nodes),
    runs: new Map(model.runs),
    names: new Map(model.names),
    scopes: new Map(model.scopes),
    loops: new Map(model.loops),
    holders: new Map(model.holders),
  };
}

/** A write that made a saved value stale before its node ran. */
export interface Hazard {
  readonly node: NodeRow;
  readonly slot: SavedTensor;
  /** Which of the node's slots. */
  readonly index: number;
}

export function hazards(model: Model): Hazard[] {
  const found: Hazard[] = [];
  for (const node of model.nodes.values()) {
    if (node.freed || node.state === "done") continue;
    node.saved.forEach((slot, index) => {
      if (holdsTensor(slot) && slot.stale.length > 0) found.push({ node, slot, index });
    });
  }
  return found;
}

/** The call that made a value. */
export function makerOf(model: Model, value: ValueRow | undefined): CallRow | undefined {
  return value == null || value.call === null ? undefined : model.calls.get(value.call);
}

/** The write that happened at a time, if that storage has it on record. */
export function writeAt(model: Model, storage: number, time: number): WriteRow | undefined {
  return model.storages.get(storage)?.writes.find((write) => write.time === time);
}
