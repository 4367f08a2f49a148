/*
 * What a pass over a static graph changed: the program before it and after it are drawn as one
 * picture, and of each part that is not in both it is said what became of it.
 */

import type { CallRow, Model, PassRow } from "../log/model";

/**
 * What became of a call or value. `rewired` calls read other values than before, `known` values
 * are constants now, `over` ones are written into the memory of an operand.
 */
export type Change = "removed" | "added" | "rewired" | "fused" | "known" | "over";

export interface Changes {
  readonly pass: PassRow;
  /** The pass before it; null where the program was just built. */
  readonly before: PassRow | null;
  readonly calls: ReadonlyMap<number, Change>;
  readonly values: ReadonlyMap<number, Change>;
  /** What calls read that read other values now, [call, value] each. */
  readonly reads: readonly (readonly [number, number])[];
  /** For results that share the memory of an operand since this pass, that operand. */
  readonly over: ReadonlyMap<number, number>;
}

const known = new WeakMap<Model, Changes | null>();

/** What the newest pass changed; null without passes. Found once for a model. */
export function changesOf(model: Model): Changes | null {
  const same = known.get(model);
  if (same !== undefined) return same;
  const made = find(model);
  known.set(model, made);
  return made;
}

function find(model: Model): Changes | null {
  const [before, pass] = [model.passes.at(-2) ?? null, model.passes.at(-1)];
  if (!pass) return null;
  if (!before) {
    const none = new Map<number, never>();
    return { pass, before, calls: none, values: none, reads: [], over: none };
  }
  const [was, is] = [stepsOf(before), stepsOf(pass)];
  const calls = new Map<number, Change>();
  const reads: (readonly [number, number])[] = [];
  for (const call of was.keys()) if (!is.has(call)) calls.set(call, "removed");
  for (const [call, [inputs, block]] of is) {
    const [old, from] = was.get(call) ?? [null, null];
    if (!old) calls.set(call, "added");
    else if (block !== from) calls.set(call, "fused");
    else if (old.join() !== inputs.join()) calls.set(call, "rewired");
    for (const value of old ?? []) {
      if (typeof value === "number" && !inputs.includes(value)) reads.push([call, value]);
    }
  }
  const over = new Map(pass.over.filter(([result]) => !before.over.some(([a]) => a === result)));
  return { pass, before, calls, values: valueChanges(model, before, pass, over), reads, over };
}

function stepsOf({ steps }: PassRow) {
  return new Map(steps.map(([call, inputs, block]) => [call, [inputs, block] as const]));
}

function valueChanges(
  model: Model,
  before: PassRow,
  pass: PassRow,
  over: ReadonlyMap<number, number>,
): Map<number, Change> {
  const values = new Map<number, Change>();
  const [was, is] = [used(model, before), used(model, pass)];
  const [made, makes] = [madeBy(model, before), madeBy(model, pass)];
  for (const value of was) if (!is.has(value)) values.set(value, "removed");
  for (const value of is) {
    if (!was.has(value)) values.set(value, "added");
    else if (made.has(value) && !makes.has(value)) values.set(value, "known");
    else if (over.has(value)) values.set(value, "over");
  }
  return values;
}

function callsOf(model: Model, { steps }: PassRow): CallRow[] {
  return steps.flatMap(([call]) => model.calls.get(call) ?? []);
}

function madeBy(model: Model, pass: PassRow): ReadonlySet<number> {
  return new Set(callsOf(model, pass).flatMap(({ outputs }) => outputs));
}

/** The values that a program reads, makes or gives. */
export function used(model: Model, pass: PassRow): ReadonlySet<number> {
  const found = new Set([...madeBy(model, pass), ...pass.wanted]);
  for (const [, inputs] of pass.steps) {
    for (const value of inputs) if (typeof value === "number") found.add(value);
  }
  return found;
}

/** The calls and values of the program before the newest pass and after it. */
export function inPasses(model: Model): { values: Set<number>; calls: Set<number> } | null {
  const [before, pass] = [model.passes.at(-2), model.passes.at(-1)];
  if (!pass) return null;
  const values = new Set<number>();
  const calls = new Set<number>();
  for (const each of before ? [before, pass] : [pass]) {
    for (const [call] of each.steps) calls.add(call);
    for (const value of used(model, each)) values.add(value);
  }
  return { values, calls };
}
