/*
 * The state in a snapshot: the tables of a model as JSON. A row has the fields of the event that
 * made it, which the event's own decoder checks, and some that the fold adds.
 */

import {
  FLAG,
  list,
  many,
  NUMERIC,
  one,
  pair,
  table,
  TEXT,
  Unreadable,
  WHOLE,
  WHOLE_OR_TEXT,
} from "./checks";
import { decode, decodeMatrix, decodeSummary, FIELDS, type Event } from "./events";
import type {
  ErrorRow,
  ListedRow,
  LoopRow,
  Model,
  NodeRow,
  PassRow,
  PassStep,
  RunRow,
  SlotRow,
  StorageRow,
  TABLES,
  ValueRow,
  WriteRow,
} from "./model";
import { Table } from "./table";

type Json = Readonly<Record<string, unknown>>;
type State = Pick<Model, (typeof TABLES)[number] | "cells" | "errors" | "passes" | "rows">;

/** The tables of a snapshot. Throws Unreadable with a sentence of what is wrong. */
export function readState(state: Json): State {
  return {
    ops: new Map(entries(state, "ops").map(([op, row]) => [op, readAs("define", row)])),
    sources: rows(state, "sources", (row) => readAs("source", row)),
    cells: list(state.cells, "cells").map((row) => readAs("cell", row)),
    values: rows(state, "values", readValue),
    calls: rows(state, "calls", (row) => {
      return { ...readAs("op", row), node: id(row, "node"), time: one(WHOLE, row.time, "time") };
    }),
    storages: rows(state, "storages", readStorage),
    nodes: rows(state, "nodes", readNode),
    runs: rows(state, "runs", readRun),
    names: new Map(
      Object.entries(table(state.names, "names")).map(([name, x]) => [
        name,
        one(WHOLE, x, "names"),
      ]),
    ),
    scopes: rows(state, "scopes", (row) => readAs("scope", row)),
    loops: rows(state, "loops", readLoop),
    errors: list(state.errors, "errors").map((row) => readError(table(row, "errors"))),
    passes: list(state.passes ?? [], "passes").map((row) => readPass(table(row, "passes"))),
    rows: list(state.rows ?? [], "rows").map((row) => readListed(table(row, "rows"))),
  };
}

type Kind = Event["event"];
type Fields<K extends Kind> = Omit<Extract<Event, { event: K }>, "event">;

/** The row's fields that an event of this kind has. */
function readAs<K extends Kind>(kind: K, json: unknown, change: Json = {}): Fields<K> {
  const row = { ...table(json, kind), ...change };
  const names = FIELDS[kind] ?? [];
  const { event: _tag, ...fields } = decode([kind, ...names.map((name) => row[name])]);
  return fields as unknown as Fields<K>;
}

function entries(state: Json, name: string): [string, Json][] {
  return Object.entries(table(state[name], name)).map(([key, row]) => [key, table(row, name)]);
}

function rows<R extends object>(state: Json, name: string, read: (row: Json) => R): Table<R> {
  const found = new Table<R>();
  for (const [key, row] of entries(state, name)) {
    if (!/^\d{1,15}$/.test(key)) throw new Unreadable(`'${name}' has a row without a number`);
    found.set(Number(key), read(row));
  }
  return found;
}

function id(row: Json, field: string): number | null {
  return row[field] === null ? null : one(WHOLE, row[field], field);
}

const summary = (x: unknown) => (x === null ? null : decodeSummary(x));

function readValue(row: Json): ValueRow {
  return {
    ...readAs("value", row),
    retains_grad: one(FLAG, row.retains_grad, "retains_grad"),
    names: list(row.names, "names").map((x) =>
      pair(x, "names", (a, b) => [one(TEXT, a, "names"), one(TEXT, b, "names")]),
    ),
    alive: one(FLAG, row.alive, "alive"),
    call: id(row, "call"),
    node: id(row, "node"),
    nr: one(WHOLE, row.nr, "nr"),
    grad: summary(row.grad),
    how: row.how === null ? null : one(TEXT, row.how, "how"),
    next: id(row, "next"),
    made_in: row.made_in === undefined ? null : id(row, "made_in"),
    time: one(WHOLE, row.time, "time"),
  };
}

function readStorage(row: Json): StorageRow {
  const writes = list(row.writes, "writes").map((x): WriteRow => {
    const { storage: _storage, ...fields } = readAs("write", x, { storage: 0 });
    return { ...fields, time: one(WHOLE, table(x, "writes").time, "time") };
  });
  return { version: one(WHOLE, row.version, "version"), writes };
}

const SLOT = ["slot", "value", "storage", "version", "text"];

function readNode(row: Json): NodeRow {
  const slots = list(row.saved, "saved").map((x) => table(x, "saved"));
  const saved = slots.map((slot) => SLOT.map((name) => slot[name]));
  const fields = readAs("node", row, { saved });
  const summaries = (name: string) => list(row[name], name).map(summary);
  return {
    ...fields,
    saved: fields.saved.map((slot, i): SlotRow => {
      return { ...slot, stale: many(WHOLE, slots[i]?.stale, "stale") };
    }),
    state: stateOf(row.state),
    freed: one(FLAG, row.freed, "freed"),
    run: id(row, "run"),
    grads_in: summaries("grads_in"),
    grads_out: summaries("grads_out"),
    local:
      row.local === null
        ? null
        : list(row.local, "local").map((x) => (x === null ? null : decodeMatrix(x))),
    time: one(WHOLE, row.time, "time"),
  };
}

function stateOf(x: unknown): NodeRow["state"] {
  if (x === "ready" || x === "running" || x === "done" || x === "failed") return x;
  throw new Unreadable("'state' is no state of a node");
}

function readRun(row: Json): RunRow {
  return {
    ...readAs("backward", row),
    status: one(TEXT, row.status, "status"),
    order: many(WHOLE, row.order, "order"),
    time: one(WHOLE, row.time, "time"),
  };
}

function readLoop(row: Json): LoopRow {
  const iterations = list(row.iterations, "iterations").map((x) => {
    const iteration = table(x, "iterations");
    return {
      number: one(WHOLE, iteration.number, "number"),
      scope: one(WHOLE, iteration.scope, "scope"),
      from: one(WHOLE, iteration.from, "from"),
      to: id(iteration, "to"),
    };
  });
  const curves = Object.entries(table(row.curves, "curves")).map(([name, curve]) => [
    name,
    list(curve, "curves").map((x) => (x === null ? null : one(NUMERIC, x, "curves"))),
  ]);
  return {
    loop: one(WHOLE, row.loop, "loop"),
    count: one(WHOLE, row.count, "count"),
    iterations,
    curves: Object.fromEntries(curves) as LoopRow["curves"],
  };
}

function readPass(row: Json): PassRow {
  const steps = list(row.steps, "steps").map((x): PassStep => {
    const [call, inputs, scope] = list(x, "steps");
    const fused = scope === null ? null : one(WHOLE, scope, "steps");
    return [one(WHOLE, call, "steps"), many(WHOLE_OR_TEXT, inputs, "steps"), fused];
  });
  return { ...readAs("pass", row, { steps: [] }), steps, time: one(WHOLE, row.time, "time") };
}

function readListed(row: Json): ListedRow {
  return { ...readAs("row", row), time: one(WHOLE, row.time, "time") };
}

function readError(row: Json): ErrorRow {
  return { ...readAs("error", row), time: one(WHOLE, row.time, "time") };
}
