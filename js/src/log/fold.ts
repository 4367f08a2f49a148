/*
 * The fold: events in, state out. It does what graphwidget/recording/fold.py does; golden logs
 * hold the two equal. An event may speak of an id that the model does not know, because a
 * snapshot let go of it; such an event changes what is known and passes over the rest.
 */

import type {
  CurveEvent,
  Event,
  NodeEvent,
  Numeric,
  PassEvent,
  ScopeEvent,
  SnapshotEvent,
  ValueEvent,
  WriteEvent,
} from "./events";
import { addToIndices, dropSaved } from "./indices";
import {
  cellBegins,
  emptyModel,
  grown,
  replaced,
  TABLES,
  type LoopRow,
  type Model,
  type NodeRow,
  type ValueRow,
} from "./model";
import { readState } from "./snapshot";
import type { Table } from "./table";

export function fold(events: Iterable<Event>, model: Model = emptyModel()): Model {
  for (const event of events) apply(model, event);
  return model;
}

/** Change `model` to what it is after `event`. Nothing else changes a model. */
export function apply(model: Model, event: Event): void {
  if (model.begun !== null) cellBegins(model, event, model.begun);
  rule(model, event);
  model.time += 1;
}

function rule(model: Model, e: Event): void {
  switch (e.event) {
    case "define":
      model.ops.set(e.op, row(e));
      break;
    case "source":
      model.sources.set(e.source, row(e));
      break;
    case "cell":
      model.cells = grown(model, model.cells, row(e));
      model.begun = model.time;
      break;
    case "value":
      setValue(model, e);
      break;
    case "op":
      model.calls.set(e.call, { ...row(e), node: null, time: model.time });
      for (const value of e.outputs) patch(model, model.values, value, { call: e.call });
      break;
    case "name":
      bind(model, e.value, e.scope, e.name);
      if (e.made_in !== null) patch(model, model.values, e.value, { made_in: e.made_in });
      break;
    case "write":
      write(model, e);
      break;
    case "node":
      setNode(model, e);
      break;
    case "flag":
      patch(model, model.values, e.value, {
        requires_grad: e.requires_grad,
        retains_grad: e.retains_grad,
        ...(e.requires_grad ? {} : { node: null, nr: 0, leaf: true }), // `detach_`
        ...(e.grad_fn ? { node: e.grad_fn[0], nr: e.grad_fn[1] } : {}),
      });
      break;
    case "grad":
      patch(model, model.values, e.value, { grad: e.summary, how: e.how });
      break;
    case "dead":
      patch(model, model.values, e.value, { alive: false });
      break;
    case "scope":
      setScope(model, e);
      break;
    case "curve":
      setCurve(model, e);
      break;
    case "pass":
      setPass(model, e);
      break;
    case "row":
      model.rows = grown(model, model.rows, { ...row(e), time: model.time });
      break;
    case "snapshot":
      restore(model, e);
      break;
    default:
      runRule(model, e);
  }
}

function setScope(model: Model, e: ScopeEvent): void {
  if (model.scopes.has(e.scope)) patch(model, model.scopes, e.scope, { open: e.open });
  else model.scopes.set(e.scope, row(e));
  const scope = model.scopes.get(e.scope);
  if (scope?.kind !== "iteration" || scope.parent === null) return;
  const loop = loopOf(model, scope.parent);
  if (scope.open) {
    const number = Number(scope.name);
    const row = { number, scope: e.scope, from: model.time, to: null };
    const iterations = grown(model, loop.iterations, row);
    model.loops.set(loop.loop, { ...loop, iterations, count: Math.max(loop.count, number) });
  } else {
    const to = model.time + 1;
    const at = loop.iterations.findLastIndex((row) => row.scope === e.scope);
    const iteration = loop.iterations[at];
    if (!iteration) return;
    const iterations = replaced(model, loop.iterations, at, { ...iteration, to });
    model.loops.set(loop.loop, { ...loop, iterations });
  }
}

/** The program is now what the pass made of it; what no call makes any more is a constant. */
function setPass(model: Model, e: PassEvent): void {
  const read = e.steps.flatMap(({ inputs }) => inputs.filter((each) => typeof each === "number"));
  for (const value of [...read, ...e.wanted]) patch(model, model.values, value, { call: null });
  for (const step of e.steps) {
    const time = model.calls.get(step.call)?.time ?? model.time;
    model.calls.set(step.call, { ...step, view_of: null, inplace: false, node: null, time });
    for (const value of step.outputs) patch(model, model.values, value, { call: step.call });
  }
  const steps = e.steps.map(({ call, inputs, scope }) => [call, inputs, scope] as const);
  model.passes = grown(model, model.passes, { ...row(e), steps, time: model.time });
}

function loopOf(model: Model, loop: number): LoopRow {
  return model.loops.get(loop) ?? { loop, count: 0, iterations: [], curves: {} };
}

function setCurve(model: Model, e: CurveEvent): void {
  const loop = loopOf(model, e.loop);
  const curves = { ...loop.curves };
  e.names.forEach((name, nr) => {
    let curve: readonly (Numeric | null)[] = curves[name] ?? [];
    if (curve.length >= e.first) curve = curve.slice(0, e.first - 1);
    while (curve.length < e.first - 1) curve = grown(model, curve, null);
    for (const numbers of e.rows) curve = grown(model, curve, numbers[nr] ?? null);
    curves[name] = curve;
  });
  const count = Math.max(loop.count, e.first - 1 + e.rows.length);
  model.loops.set(e.loop, { ...loop, curves, count });
}

type RunEvent = Extract<
  Event,
  { event: "backward" | "start" | "finish" | "done" | "free" | "error" }
>;

function runRule(model: Model, e: RunEvent): void {
  switch (e.event) {
    case "backward":
      model.runs.set(e.run, { ...row(e), status: "running", order: [], time: model.time });
      break;
    case "start": {
      const run = model.runs.get(e.run);
      if (run) model.runs.set(e.run, { ...run, order: grown(model, run.order, e.node) });
      patch(model, model.nodes, e.node, {
        state: "running",
        run: e.run,
        grads_in: e.grads,
        grads_out: [],
        local: null,
      });
      break;
    }
    case "finish":
      patch(model, model.nodes, e.node, {
        state: "done",
        run: e.run,
        grads_out: e.grads,
        local: e.local,
      });
      break;
    case "done":
      done(model, e.run, e.status);
      break;
    case "free":
      dropSaved(model, e.node);
      patch(model, model.nodes, e.node, { freed: true });
      break;
    case "error":
      model.errors = grown(model, model.errors, { ...row(e), time: model.time });
      if (e.node !== null) patch(model, model.nodes, e.node, { state: "failed" });
  }
}

/** The fields of an event without its tag. */
function row<E extends Event>(event: E): Omit<E, "event"> {
  const { event: _tag, ...fields } = event;
  return fields;
}

/** Changes a row that only this model holds, and replaces one that others hold too. */
function patch<R extends object>(
  model: Model,
  table: Table<R>,
  id: number | null,
  change: Partial<R>,
): void {
  const known = id === null ? undefined : table.get(id);
  if (known === undefined || id === null) return;
  if ("time" in known && (known as { time: number }).time >= model.since) {
    Object.assign(known, change);
  } else table.set(id, { ...known, ...change });
}

function setValue(model: Model, e: ValueEvent): void {
  const known = model.values.get(e.value);
  const fresh: Omit<ValueRow, keyof ReturnType<typeof row<ValueEvent>>> = known ?? {
    retains_grad: false,
    names: [],
    alive: true,
    call: null,
    node: null,
    nr: 0,
    grad: null,
    how: null,
    next: null,
    made_in: null,
    time: model.time,
  };
  model.values.set(e.value, { ...fresh, ...row(e) });
  const storage = model.storages.get(e.storage) ?? { version: e.version, writes: [] };
  const version = Math.max(storage.version, e.version);
  model.storages.set(e.storage, { ...storage, version });
}

function bind(model: Model, value: number, scope: string, name: string): void {
  model.names.set(`${scope}\0${name}`, value);
  const known = model.values.get(value);
  if (!known || known.names.some(([s, n]) => s === scope && n === name)) return;
  model.values.set(value, { ...known, names: [...known.names, [scope, name]] });
}

/** The tensor that was `before` is now `value`: the names bound to it go with it. */
function replace(model: Model, before: number | null, value: number | null): void {
  if (before === null || value === null) return;
  const old = model.values.get(before);
  if (!old) return;
  model.values.set(before, { ...old, next: value, alive: false });
  for (const [scope, name] of old.names) {
    if (model.names.get(`${scope}\0${name}`) === before) bind(model, value, scope, name);
  }
  const { retains_grad, grad, how } = old;
  patch(model, model.values, value, { retains_grad, grad, how });
  const after = model.values.get(value);
  if (after?.node !== null || after.leaf) return;
  patch(model, model.values, value, { node: old.node, nr: old.nr }); // written under no_grad
}

function write(model: Model, e: WriteEvent): void {
  replace(model, e.before, e.value);
  replace(model, e.base_before, e.base);
  const storage = model.storages.get(e.storage) ?? { version: 0, writes: [] };
  const last = storage.writes.at(-1);
  // Another tensor of this storage may follow a write that is on record already.
  if (e.call === null && last && last.version >= e.version) {
    model.storages.set(e.storage, storage);
    return;
  }
  const { storage: _storage, ...fields } = row(e);
  model.storages.set(e.storage, {
    version: Math.max(storage.version, e.version),
    writes: grown(model, storage.writes, { time: model.time, ...fields }),
  });
  for (const id of model.holders.get(e.storage) ?? []) {
    const node = model.nodes.get(id);
    if (!node) continue;
    const saved = node.saved.map((slot) =>
      slot.storage === e.storage && slot.version !== null && slot.version < e.version
        ? { ...slot, stale: [...slot.stale, model.time] }
        : slot,
    );
    model.nodes.set(id, { ...node, saved });
  }
}

function setNode(model: Model, e: NodeEvent): void {
  dropSaved(model, e.node);
  const node: NodeRow = {
    ...row(e),
    saved: e.saved.map((slot) => ({ ...slot, stale: since(model, slot) })),
    state: "ready",
    freed: false,
    run: null,
    grads_in: [],
    grads_out: [],
    local: null,
    time: model.time,
  };
  model.nodes.set(e.node, node);
  addToIndices(model, node);
  e.outputs.forEach((value, nr) => {
    if (!model.values.get(value)?.requires_grad) return; // as the indices of a maximum
    patch(model, model.values, value, { node: e.node, nr });
  });
  patch(model, model.calls, e.call, { node: e.node });
}

const NONE: readonly number[] = [];

/** The times of the writes that a saved value has seen: of a call that saves and writes at once. */
function since(model: Model, slot: NodeEvent["saved"][number]): readonly number[] {
  const { storage, version } = slot;
  if (storage === null || version === null) return NONE;
  const { writes } = model.storages.get(storage) ?? { writes: [] };
  if (writes.length === 0) return NONE;
  return writes.filter((each) => each.version > version).map((each) => each.time);
}

function done(model: Model, id: number, status: string): void {
  const run = model.runs.get(id);
  if (!run) return;
  model.runs.set(id, { ...run, status });
  // Nodes run one at a time: only the last can be running.
  const last = run.order.at(-1);
  const node = last === undefined ? undefined : model.nodes.get(last);
  if (node?.run === id && node.state === "running") {
    model.nodes.set(node.node, { ...node, state: status === "failed" ? "failed" : "ready" });
  }
}

/** The state at hand gives way to the snapshot's. */
function restore(model: Model, e: SnapshotEvent): void {
  const state = readState(e.state);
  for (const name of TABLES) {
    const into = model[name] as Pick<Map<unknown, unknown>, "clear" | "set">;
    into.clear();
    for (const [key, value] of state[name]) into.set(key, value);
  }
  const { cells, errors, passes, rows } = state;
  Object.assign(model, { cells, errors, passes, rows });
  model.dropped = e.dropped;
  model.time = e.dropped - 1; // the snapshot stands where the last dropped event stood
  [model.cellTimes, model.begun] = [[], null];
  for (const lists of [model.holders, model.made]) lists.clear();
  for (const node of model.nodes.values()) addToIndices(model, node);
}
