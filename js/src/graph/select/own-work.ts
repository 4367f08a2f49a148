/*
 * The values that a cell worked on, and those of earlier cells that they were computed from. Other
 * graphs are left out, even if both read the same leaf.
 */

import { push } from "../../collections";
import { hazards, nodesOf, type Model, type WriteRow } from "../../log/model";
import type { Work } from "../../sliced-work";
import { gaveUp } from "../reach";
import { overwriteOf, inputsOf, origin, type Origin, type Selected } from "./select";

/** The calls whose backward failed before a time, or will since what was written before it. */
export function wrongBefore(model: Model, begun: number): ReadonlySet<number> {
  const found = new Set<number>();
  const add = (node: number): void => {
    const call = model.nodes.get(node)?.call ?? null;
    if (call !== null) found.add(call);
  };
  for (const node of gaveUp(model, begun)) add(node);
  for (const { node, slot } of hazards(model)) {
    if ((slot.stale.at(-1) ?? begun) < begun) add(node.node);
  }
  return found;
}

/** So many keys are followed before others may have their turn. */
const PART = 500;

/**
 * The values (by their number) and calls (by theirs with a minus) that were made or run since a
 * time, what an error or a new hazard since then is about, and all that was read for them.
 */
export function* ownWork(
  model: Model,
  seen: Selected,
  writes: ReadonlyMap<number, WriteRow>,
  begun: number,
): Work<ReadonlySet<number>> {
  const start = yield* since(model, seen, begun);
  const stale = new Map<number, WriteRow[]>(); // by call: what wrote over what its node saved
  for (const hazard of hazards(model)) {
    const write = overwriteOf(model, hazard);
    if (write && hazard.node.call !== null) push(stale, hazard.node.call, write);
  }
  const found = new Set<number>();
  const queue = [...start];
  let count = 0;
  for (let key = queue.pop(); key !== undefined; key = queue.pop()) {
    if ((count += 1) % PART === 0) yield;
    const known = key > 0 ? seen.values.has(key) : seen.calls.has(-key);
    if (!known || found.has(key)) continue;
    found.add(key);
    if (key > 0) {
      const value = model.values.get(key);
      const from = value && origin(model, writes, value);
      if (from) queue.push(-from.call.call, ...readBy(seen, from));
      if (value?.view_of != null) queue.push(value.view_of);
      continue;
    }
    const call = model.calls.get(-key);
    queue.push(...(call?.outputs ?? []));
    if (call) queue.push(...readBy(seen, { call, write: undefined }));
    for (const { base, value } of stale.get(-key) ?? []) queue.push(base ?? value);
  }
  return found;
}

/** What a call read; of a step the version that it began with. */
function readBy({ steps }: Selected, from: Origin): readonly number[] {
  const first = steps.get(from.call.call);
  return first === undefined ? inputsOf(from) : [first];
}

/** What was made, run, or found wrong since a time; of what is wrong, also what was made of it. */
function* since(model: Model, seen: Selected, begun: number): Work<readonly number[]> {
  const start: number[] = [];
  let count = 0;
  for (const id of seen.calls) {
    if ((count += 1) % PART === 0) yield;
    const ran = nodesOf(model, id).some(({ run }) => {
      return run !== null && (model.runs.get(run)?.time ?? -1) >= begun;
    });
    if (ran || (model.calls.get(id)?.time ?? -1) >= begun) start.push(-id);
  }
  for (const id of seen.values) if ((model.values.get(id)?.time ?? -1) >= begun) start.push(id);
  const wrong: number[] = [];
  for (const { value, time } of model.errors) {
    if (value !== null && time >= begun) wrong.push(value);
  }
  const lost = gaveUp(model, begun);
  for (const { node, slot } of hazards(model)) {
    const now = (slot.stale.at(-1) ?? -1) >= begun;
    if (now && node.call !== null && !lost.has(node.node)) wrong.push(-node.call);
  }
  if (wrong.length === 0) return start;
  yield;
  const readers = new Map<number, number[]>();
  for (const id of seen.calls) {
    const call = model.calls.get(id);
    const read = call ? readBy(seen, { call, write: undefined }) : [];
    for (const input of read) push(readers, input, -id);
  }
  const after = new Set<number>();
  for (let key = wrong.pop(); key !== undefined; key = wrong.pop()) {
    if (after.has(key)) continue;
    after.add(key);
    if (key > 0) wrong.push(...(readers.get(key) ?? []));
    else wrong.push(...(model.calls.get(-key)?.outputs ?? []));
  }
  return [...start, ...after];
}
