/* The part of the graph that is spoken of: what the newest cell worked on. */

import { countWhile } from "../collections";
import { groups } from "../layout/components";
import { hazards, nodesOf, type Model, type WriteRow } from "../log/model";
import type { Work } from "../slices";
import { guiltyWrite, inputsOf, origin, type Visible } from "./visible";

/** What the newest cell worked on, and how many other graphs are left out. */
export interface Focus {
  readonly seen: Visible;
  readonly others: number;
}

/**
 * Keeps the connected parts that were touched last (built, written or run backward), and loose
 * values newer than those. A notebook has many small graphs; one is spoken of at a time.
 */
export function* focus(
  model: Model,
  seen: Visible,
  writes: ReadonlyMap<number, WriteRow>,
  everything: boolean,
): Work<Focus> {
  const find = yield* parts(model, seen, writes);
  yield;
  const touched = new Map<number, number>(); // by part: the last cell that worked on it
  let count = 0;
  for (const id of seen.calls) {
    if ((count += 1) % PART === 0) yield;
    let last = model.calls.get(id)?.time;
    if (last === undefined) continue;
    for (const { run } of nodesOf(model, id)) last = Math.max(last, timeOf(model, run));
    const cell = cellOf(model, last);
    const root = find(-id);
    touched.set(root, Math.max(cell, touched.get(root) ?? cell));
  }
  const now = model.cellTimes.length;
  const latest = Math.max(-1, ...touched.values());
  // A cell that worked on nothing may have failed at something that was there before.
  const about = latest < now ? failedAt(model, seen, find) : null;
  const isSpokenOf = (root: number, cell: number): boolean => about?.has(root) ?? cell === latest;
  const others = [...touched].filter(([root, cell]) => !isSpokenOf(root, cell)).length;
  if (everything || latest < 0) return { seen, others };
  yield;
  const newest = about ? now : latest;
  const keep = (key: number): boolean => {
    const root = find(key);
    const cell = touched.get(root);
    if (about?.has(root) || cell !== undefined) return isSpokenOf(root, cell ?? now);
    return key > 0 && cellOf(model, model.values.get(key)?.time ?? 0) >= newest;
  };
  const values = new Set([...seen.values].filter(keep));
  yield;
  const calls = new Set([...seen.calls].filter((id) => keep(-id)));
  if (values.size === seen.values.size && calls.size === seen.calls.size) return { seen, others };
  return { seen: { ...seen, values, calls }, others };
}

/** So many values or calls are looked at before others may have their turn. */
const PART = 500;

/** Joins what belongs together: values by their number, calls by theirs with a minus. */
function* parts(
  model: Model,
  seen: Visible,
  writes: ReadonlyMap<number, WriteRow>,
): Work<(key: number) => number> {
  const { join, find } = groups([...seen.values, ...[...seen.calls].map((id) => -id)]);
  yield;
  let count = 0;
  for (const id of seen.values) {
    if ((count += 1) % PART === 0) yield;
    const value = model.values.get(id);
    const from = value && origin(model, writes, value);
    if (from) join(id, -from.call.call);
    if (from?.write && !seen.steps.has(from.call.call)) {
      for (const input of inputsOf(from)) join(seen.standIn(input), -from.call.call);
    }
    if (value?.view_of != null) join(id, seen.standIn(value.view_of));
  }
  for (const id of seen.calls) {
    if ((count += 1) % PART === 0) yield;
    if (seen.steps.has(id)) continue;
    for (const input of model.calls.get(id)?.inputs ?? []) {
      if (typeof input === "number") join(seen.standIn(input), -id);
    }
  }
  for (const hazard of hazards(model)) {
    const guilty = guiltyWrite(model, hazard);
    if (!guilty || hazard.node.call === null || !seen.calls.has(hazard.node.call)) continue;
    const written = guilty.base ?? guilty.value;
    if (seen.values.has(written)) join(written, -hazard.node.call);
  }
  return find;
}

/** The parts that the errors of the newest cell are about; null if there are none. */
function failedAt(
  model: Model,
  seen: Visible,
  find: (key: number) => number,
): ReadonlySet<number> | null {
  const begun = model.cellTimes.at(-1) ?? 0;
  const keys = model.errors
    .filter(({ time }) => time >= begun)
    .flatMap(({ value, node }) => [
      value === null ? 0 : seen.standIn(value),
      -(model.nodes.get(node ?? -1)?.call ?? 0),
    ]);
  const known = keys.filter((key) => (key > 0 ? seen.values.has(key) : seen.calls.has(-key)));
  return known.length > 0 ? new Set(known.map(find)) : null;
}

function timeOf(model: Model, run: number | null): number {
  return (run === null ? undefined : model.runs.get(run)?.time) ?? -1;
}

/** How many cells had begun by a time. */
function cellOf(model: Model, time: number): number {
  return countWhile(model.cellTimes, (cell) => cell <= time);
}
