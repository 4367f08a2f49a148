/*
 * Selects the values and calls to draw: what the program still refers to, and all that it was
 * computed from. Of a training loop one iteration is drawn; its inputs are not followed further.
 */

import {
  hazards,
  makerOf,
  nodesOf,
  once,
  writeAt,
  type CallRow,
  type Model,
} from "../../log/model";
import type { Hazard, StorageRow, ValueRow, WriteRow } from "../../log/model";
import { rare } from "../../log/table";
import type { Work } from "../../sliced-work";
import { inPasses } from "../changes";
import { trainingLoops, type TrainingLoops } from "./training-loops";
import { dropCopies, isBookkeeping, keepsBooks, libraryAround } from "./library-calls";
import { RAISED } from "./raised";
import { isLikeStep, isOwn, isTrained, stepOf, writesNameless } from "./versions";

/** How many in-place writes without history are followed back (a counter in a `while` loop). */
const WRITES_BACK = 32;

/** The newest values that are taken in when there would be more. */
const MOST_VALUES = 24_000;

/** So many values are followed before others may have their turn. */
const PART = 500;

export interface Selected {
  readonly values: ReadonlySet<number>;
  readonly calls: ReadonlySet<number>;
  /** Calls that are drawn as a step from one version of a parameter to another: the first one. */
  readonly steps: ReadonlyMap<number, number>;
  readonly loops: TrainingLoops;
  /** How many older values were left out. */
  readonly left: number;
}

/** The write that made a saved value stale: it is drawn, whatever else is kept of what it wrote. */
export function overwriteOf(model: Model, { slot }: Hazard): WriteRow | undefined {
  const [time] = slot.stale;
  return time === undefined ? undefined : writeAt(model, slot.storage, time);
}

/** What made a value: a call, either as its output or by writing into its base. */
export interface Origin {
  readonly call: CallRow;
  readonly write: WriteRow | undefined;
}

/** For a value that is the new base after a write through a view, the write. */
export const baseWrites = once(
  (model) => new Map(writesToBases(model.storages).map((write) => [write.base, write])),
);

interface BaseWrite extends WriteRow {
  readonly base: number;
}

const writesToBases = rare<StorageRow, BaseWrite>(({ writes }, add) => {
  for (const write of writes) if (write.base !== null) add(write as BaseWrite);
});

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

export function* select(model: Model, writes: ReadonlyMap<number, WriteRow>): Work<Selected> {
  const program = inPasses(model) ?? inListing(model);
  if (program) {
    return { ...program, steps: new Map(), loops: trainingLoops(model), left: 0 };
  }
  const values = new Set<number>();
  const calls = new Set<number>();
  const all = trainingLoops(model);
  const since = all.shown?.iteration.from ?? -1;
  const before = (call: CallRow): boolean => call.time < since || all.hides(call.scope);
  const found = yield* roots(model, before, since);
  const queue: [number, number][] = [...found, ...losses(model)].map((id) => [id, 0]);
  const late = new Map<number, Origin>(); // plain writes into what is trained, by what they made
  for (const hazard of hazards(model)) {
    const overwrite = overwriteOf(model, hazard);
    const call = model.calls.get(overwrite?.call ?? -1);
    if (overwrite && call && !before(call)) queue.push([overwrite.base ?? overwrite.value, 0]);
  }
  const raised = model.calls.get(RAISED);
  if (raised) calls.add(raised.call);
  for (const input of raised ? inputsOf({ call: raised, write: undefined }) : []) {
    queue.push([input, 0]);
  }
  yield;
  for (;;) {
    const next = queue.pop() ?? nextStep(model, late, values, before);
    if (next === undefined) break;
    if (values.size % PART === 0) yield;
    const [id, back] = next;
    const value = model.values.get(id);
    if (!value || (values.has(id) && back !== AS_STEP)) continue;
    values.add(id);
    const from = origin(model, writes, value);
    const plain = from?.call.inplace === true && value.node === null;
    if (plain && isTrained(value) && back !== AS_STEP) {
      late.set(id, from); // it starts a new life, unless it is a step
      continue;
    }
    if (value.parameter && !plain) continue; // how it was made is another story
    if (from && before(from.call)) continue;
    if (value.view_of !== null && !isIncidental(model, writes, value.view_of)) {
      queue.push([value.view_of, back]);
    }
    if (!from) continue;
    if (plain && back >= WRITES_BACK) continue;
    calls.add(from.call.call);
    for (const input of inputsOf(from)) queue.push([input, Math.max(0, back) + (plain ? 1 : 0)]);
  }
  const steps = yield* stepsOf(model, values, before);
  for (const call of steps.keys()) calls.add(call);
  yield;
  yield* dropLoose(model, values, calls, steps);
  dropCopies(model, values, calls);
  return { ...newest(model, values, calls), steps, loops: all };
}

/** In place of how many writes were followed back: what a step made, which is drawn behind it. */
const AS_STEP = -1;

/**
 * Takes from the writes into what is trained one of this cell that is a step, as its version
 * before is drawn or it looks like one: the value that it made.
 */
function nextStep(
  model: Model,
  late: Map<number, Origin>,
  values: ReadonlySet<number>,
  before: (call: CallRow) => boolean,
): [number, number] | undefined {
  for (const [id, { call, write }] of late) {
    const value = model.values.get(id);
    if (call.time < lastCell(model) || before(call) || !value || stepOf(model, value)) continue;
    const was = write?.base_before ?? call.inputs[0];
    if (!isLikeStep(call) && (typeof was !== "number" || !values.has(was))) continue;
    late.delete(id);
    return [id, AS_STEP];
  }
  return undefined;
}

/**
 * The steps of this cell that are drawn as one pill each, with the version that they began with,
 * where any of its versions is drawn. What one step writes several times is written once.
 */
function* stepsOf(
  model: Model,
  values: Set<number>,
  before: (call: CallRow) => boolean,
): Work<ReadonlyMap<number, number>> {
  const steps = new Map<number, number>();
  const made = new Map<number, CallRow>(); // by version
  let count = 0;
  for (const call of model.calls.values()) {
    if ((count += 1) % PART === 0) yield;
    if (!call.inplace || call.time < lastCell(model) || before(call)) continue;
    const [was, is] = [call.inputs[0], call.outputs[0]];
    const value = model.values.get(is ?? -1);
    if (!value || is === undefined || typeof was !== "number" || !stepOf(model, value)) continue;
    const earlier = made.get(was);
    const again = earlier !== undefined && earlier.scope === call.scope;
    const first = (again ? steps.get(earlier.call) : was) ?? was;
    if (!values.has(first) && !values.has(is)) continue;
    if (again) {
      steps.delete(earlier.call);
      values.delete(was);
    }
    steps.set(call.call, first);
    made.set(is, call);
    values.add(first).add(is);
  }
  return steps;
}

/** All of a program that is listed: also what nobody reads, and what gives nothing. */
function inListing({ rows, values, calls }: Model) {
  return rows.length > 0 ? { values: new Set(values.keys()), calls: new Set(calls.keys()) } : null;
}

/**
 * Whether a base is nothing to the reader: it came to be inside a call that is recorded as one,
 * which gave out a view of it; or it is a constant without a name that nobody wrote.
 */
function isIncidental(model: Model, writes: ReadonlyMap<number, WriteRow>, base: number): boolean {
  const value = model.values.get(base);
  if (!value || value.names.length > 0 || origin(model, writes, value)) return false;
  const written = (model.storages.get(value.storage)?.writes.length ?? 0) > 0;
  return !value.leaf || !(value.requires_grad || written);
}

/** What has no name and nothing to do with any op that is drawn (an optimizer's state) is left out. */
function* dropLoose(
  model: Model,
  values: Set<number>,
  calls: ReadonlySet<number>,
  steps: ReadonlyMap<number, number>,
): Work {
  if (calls.size === 0) return;
  const joined = new Set<number>();
  for (const id of calls) {
    const call = model.calls.get(id);
    for (const output of call?.outputs ?? []) joined.add(output);
    for (const input of call?.inputs ?? []) if (typeof input === "number") joined.add(input);
    if (joined.size % PART === 0) yield;
  }
  for (const { base, base_before } of baseWrites(model).values()) {
    joined.add(base);
    if (base_before !== null) joined.add(base_before);
  }
  for (const id of values) {
    const value = model.values.get(id);
    if (value?.view_of == null) continue;
    joined.add(id);
    if (!isIncidental(model, baseWrites(model), value.view_of)) joined.add(value.view_of);
  }
  for (const first of steps.values()) joined.add(first);
  yield;
  for (const id of values) {
    if (!joined.has(id) && model.values.get(id)?.names.length === 0) values.delete(id);
  }
}

function lastCell(model: Model): number {
  return model.cellTimes.at(-1) ?? 0;
}

/** Values that the program keeps, and unused results of the last cell that computed. */
function* roots(
  model: Model,
  before: (call: CallRow) => boolean,
  since: number,
): Work<readonly number[]> {
  const found: number[] = [];
  const used = new Set<number>();
  let last = 0;
  for (const call of model.calls.values()) {
    last = Math.max(last, call.time);
    if (keepsBooks(model, call)) continue; // what only a library looks at is nobody's input
    for (const input of call.inputs) if (typeof input === "number") used.add(input);
  }
  yield;
  const cell = model.cellTimes.findLast((time) => time <= last) ?? 0; // no cell: the beginning
  const lost: [ValueRow, CallRow][] = []; // results that nobody kept
  const books: number[] = []; // what libraries keep for themselves
  const copied = copiedOn(model);
  let count = 0;
  for (const value of model.values.values()) {
    if ((count += 1) % PART === 0) yield;
    const maker = makerOf(model, value);
    if (maker ? before(maker) : value.time < since) continue;
    if (maker && isBookkeeping(model, value, maker)) {
      books.push(value.value);
      continue;
    }
    if (maker && copied.has(lineOf(maker)) && isCopy(model, maker)) {
      books.push(value.value);
      continue;
    }
    if (value.alive) {
      if (!isPassing(model, value, maker, used)) found.push(value.value);
    } else if (maker && value.next === null && !used.has(value.value)) lost.push([value, maker]);
  }
  const otherwise = (): readonly number[] => (found.length === 0 ? books : found);
  if (lost.length === 0) return otherwise();
  const isSetup = setups(model);
  const latest = new Map<string, number>(); // what each line computed last, as loops repeat
  for (const call of model.calls.values()) {
    if ((count += 1) % PART === 0) yield;
    const output = call.outputs[0];
    if (call.time >= cell && output !== undefined) latest.set(lineOf(call), output);
  }
  for (const [value, maker] of lost) {
    if (latest.get(lineOf(maker)) === value.value && !isSetup(value, maker)) {
      found.push(value.value);
    }
  }
  return otherwise();
}

/** What the newest run of the cell went backward from. */
function losses(model: Model): readonly number[] {
  const run = [...model.runs.values()].at(-1);
  if (!run || run.time < lastCell(model)) return [];
  return run.roots.flatMap(([value]) => value ?? []);
}

/** Whether a result has to do with making parameters only: their first numbers, or copies. */
function setups(model: Model): (value: ValueRow, maker: CallRow) => boolean {
  const storages = new Set<number>();
  for (const { parameter, storage } of model.values.values()) if (parameter) storages.add(storage);
  return (value, maker) =>
    !value.requires_grad || value.parameter
      ? storages.has(value.storage) ||
        maker.inputs.some((input) => {
          const read = typeof input === "number" ? model.values.get(input) : undefined;
          return read !== undefined && !read.requires_grad && storages.has(read.storage);
        })
      : false;
}

/** So many copies of parameters and buffers on one line are those of a whole module. */
const MANY_COPIES = 6;

/** The lines that copy a whole module, as `{k: v.clone() for k, v in net.state_dict().items()}`. */
function copiedOn(model: Model): ReadonlySet<string> {
  const counts = new Map<string, number>();
  for (const call of model.calls.values()) {
    if (!isCopy(model, call)) continue;
    const line = lineOf(call);
    counts.set(line, (counts.get(line) ?? 0) + 1);
  }
  return new Set([...counts].filter(([, count]) => count >= MANY_COPIES).map(([line]) => line));
}

/** Whether a call copies a parameter or a buffer of a module, without its history. */
function isCopy(model: Model, call: CallRow): boolean {
  let [input] = call.inputs;
  for (let op = call.op; op === "clone" || op === "detach";) {
    const value = typeof input === "number" ? model.values.get(input) : undefined;
    if (!value) return false;
    if (value.names.some(([scope]) => scope === "module"))
      return nodesOf(model, call.call).length === 0;
    const maker = makerOf(model, value);
    [input] = maker?.inputs ?? [];
    op = maker?.op ?? "";
  }
  return false;
}

/** Whether a library copies numbers into something, as `load_state_dict` does into buffers. */
const isLoaded = (model: Model, maker: CallRow): boolean =>
  maker.op === "copy_" && libraryAround(model, maker) !== null;

/** What is drawn only where a call that is drawn reads it: a module's parameter or buffer, a
 * gradient (also one that was clipped), what came to be inside a call. */
function isPassing(
  model: Model,
  value: ValueRow,
  maker: CallRow | undefined,
  used: ReadonlySet<number>,
): boolean {
  if (value.parameter || (!maker && isOwn(value)) || (maker && isLoaded(model, maker)))
    return value.names.every(([scope]) => scope !== "");
  if (maker) return writesNameless(model, maker);
  return value.names.length === 0 && (!value.leaf || used.has(value.value));
}

function lineOf(call: CallRow): string {
  return `${call.source ?? ""} ${call.op}`;
}

function newest(model: Model, values: Set<number>, calls: Set<number>) {
  const left = Math.max(0, values.size - MOST_VALUES);
  if (left === 0) return { values, calls, left };
  const kept = new Set([...values].sort((a, b) => a - b).slice(left));
  for (const id of calls) {
    const outputs = model.calls.get(id)?.outputs ?? [];
    if (!outputs.some((value) => kept.has(value))) calls.delete(id);
  }
  return { values: kept, calls, left };
}
