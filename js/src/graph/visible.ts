/*
 * Which values are drawn: what the program still holds, and all that it was computed from.
 * What a loop has thrown away is not drawn, as it is not kept in memory either.
 */

import type { CallRow, Model, ValueRow, WriteRow } from "../log/model";

/** How many in-place writes without history are followed back (a counter in a `while` loop). */
const WRITES_BACK = 32;

/** The newest boxes that are drawn when there would be more. */
const MOST_VALUES = 1800;

export interface Visible {
  readonly values: ReadonlySet<number>;
  readonly calls: ReadonlySet<number>;
  /** How many older values were left out. */
  readonly left: number;
}

/** What made a value: a call, either as its output or by writing into its base. */
export interface Origin {
  readonly call: CallRow;
  readonly write: WriteRow | undefined;
}

/** For a value that is the new base after a write through a view, the write. */
export function baseWrites(model: Model): Map<number, WriteRow> {
  const found = new Map<number, WriteRow>();
  for (const storage of model.storages.values()) {
    for (const write of storage.writes) if (write.base !== null) found.set(write.base, write);
  }
  return found;
}

export function origin(
  model: Model,
  writes: ReadonlyMap<number, WriteRow>,
  value: ValueRow,
): Origin | null {
  const write = writes.get(value.value);
  const id = write ? write.call : value.call;
  const call = id === null ? undefined : model.calls.get(id);
  return call ? { call, write } : null;
}

/** The values a call read, with the base when it wrote through a view. */
export function inputsOf({ call, write }: Origin): number[] {
  const inputs = call.inputs.filter((input) => typeof input === "number");
  if (write?.base_before != null) inputs.push(write.base_before);
  return inputs;
}

export function visible(model: Model, writes: ReadonlyMap<number, WriteRow>): Visible {
  const values = new Set<number>();
  const calls = new Set<number>();
  const stopped: Origin[] = [];
  const queue: [number, number][] = roots(model).map((id) => [id, 0]);
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    const [id, back] = next;
    const value = model.values.get(id);
    if (!value || values.has(id)) continue;
    values.add(id);
    if (value.view_of !== null) queue.push([value.view_of, back]);
    const from = origin(model, writes, value);
    if (!from) continue;
    const plain = from.call.inplace && value.node === null;
    if (plain && (value.requires_grad || back >= WRITES_BACK)) {
      stopped.push(from); // an optimizer's step: the parameter starts a new life
      continue;
    }
    calls.add(from.call.call);
    for (const input of inputsOf(from)) queue.push([input, back + (plain ? 1 : 0)]);
  }
  for (const from of stopped) {
    // The value before the write is drawn for another reason: so is the write between them.
    const inputs = inputsOf(from);
    if (inputs.every((id) => values.has(id))) calls.add(from.call.call);
  }
  return newest(model, values, calls);
}

/** Values held by the program, and results nobody kept of the last cell that computed. */
function roots(model: Model): number[] {
  const found: number[] = [];
  const used = new Set<number>();
  let last = 0;
  for (const call of model.calls.values()) {
    for (const input of call.inputs) if (typeof input === "number") used.add(input);
    last = Math.max(last, call.time);
  }
  const since = model.cellTimes.findLast((time) => time <= last) ?? 0; // no cell: the beginning
  const latest = new Map<string, number>(); // what each line computed last, as loops repeat
  for (const call of model.calls.values()) {
    const output = call.outputs[0];
    if (call.time >= since && output !== undefined) latest.set(lineOf(call), output);
  }
  for (const value of model.values.values()) {
    if (value.alive) found.push(value.value);
    else if (value.call !== null && value.next === null && !used.has(value.value)) {
      const call = model.calls.get(value.call);
      if (call && latest.get(lineOf(call)) === value.value) found.push(value.value);
    }
  }
  return found;
}

function lineOf(call: CallRow): string {
  return `${call.source ?? ""} ${call.op}`;
}

function newest(model: Model, values: Set<number>, calls: Set<number>): Visible {
  const left = Math.max(0, values.size - MOST_VALUES);
  if (left === 0) return { values, calls, left };
  const kept = new Set([...values].sort((a, b) => a - b).slice(left));
  for (const id of calls) {
    const outputs = model.calls.get(id)?.outputs ?? [];
    if (!outputs.some((value) => kept.has(value))) calls.delete(id);
  }
  return { values: kept, calls, left };
}
