/* The part of the graph that is spoken of: what the newest cell worked on. */

import { countWhile } from "../../collections";
import { groups } from "../../layout/components";
import { hazards, nodesOf, type Model, type WriteRow } from "../../log/model";
import type { Work } from "../../sliced-work";
import { ownWork, wrongBefore } from "./own-work";
import { overwriteOf, inputsOf, origin, type Selected } from "./select";

/** What the newest cell worked on, and how many other graphs are left out. */
export interface Focus {
  readonly seen: Selected;
  readonly others: number;
  /** The number of the cell that worked last on what is kept. */
  readonly latest: number;
}

/**
 * Keeps the connected parts that were touched last (built, written, run backward, or what an error
 * is about), and loose values newer than those. A notebook has many small graphs; one is spoken of
 * at a time. Of a part in which earlier cells did more, only what the newest cell works on: both may
 * read the same leaf. Where it made but steps, all that their parameters are in.
 */
export function* focus(
  model: Model,
  seen: Selected,
  writes: ReadonlyMap<number, WriteRow>,
  everything: boolean,
): Work<Focus> {
  const find = yield* parts(model, seen, writes);
  yield;
  const touched = new Map<number, number>(); // by part: the last cell that worked on it
  const touch = (key: number, time: number): void => {
    const [root, cell] = [find(key), cellOf(model, time)];
    touched.set(root, Math.max(cell, touched.get(root) ?? cell));
  };
  const worked = new Map<number, number>(); // by call: the last cell that made or ran it
  let count = 0;
  for (const id of seen.calls) {
    if ((count += 1) % PART === 0) yield;
    let last = model.calls.get(id)?.time;
    if (last === undefined) continue;
    for (const { run } of nodesOf(model, id)) last = Math.max(last, timeOf(model, run));
    touch(-id, last);
    worked.set(id, cellOf(model, last));
  }
  for (const error of model.errors) {
    const value = error.value;
    if (value !== null && seen.values.has(value)) touch(value, error.time);
  }
  const latest = latestOf(model, seen, touched, find);
  const begun = model.cellTimes[latest - 1] ?? 0;
  const shared = new Set<number>(); // parts in which earlier cells did what may be another story
  const wrong = wrongBefore(model, begun);
  const beyondSteps = new Set<number>(); // parts in which the newest cell did more than steps
  for (const [id, cell] of worked) {
    if (cell === latest && !seen.steps.has(id)) beyondSteps.add(find(-id));
  }
  for (const [id, cell] of worked) {
    const part = find(-id);
    if (touched.get(part) !== latest) continue;
    if (wrong.has(id) || (cell < latest && beyondSteps.has(part))) shared.add(part);
  }
  yield;
  const own = shared.size > 0 ? yield* ownWork(model, seen, writes, begun) : null;
  const keep = (key: number): boolean => {
    const part = find(key);
    const cell = touched.get(part);
    if (cell !== undefined) return cell === latest && (!shared.has(part) || !own || own.has(key));
    return key > 0 && cellOf(model, model.values.get(key)?.time ?? 0) >= latest;
  };
  const closed = [...shared].filter((part) =>
    [...seen.calls].some((id) => find(-id) === part && !keep(-id)),
  );
  const older = [...touched.values()].filter((cell) => cell < latest);
  const others = older.length + closed.length;
  if (everything || latest < 0) return { seen, others, latest };
  yield;
  const values = new Set([...seen.values].filter(keep));
  yield;
  const calls = new Set([...seen.calls].filter((id) => keep(-id)));
  if (values.size === seen.values.size && calls.size === seen.calls.size) {
    return { seen, others, latest };
  }
  return { seen: { ...seen, values, calls }, others, latest };
}

/**
 * The cell that worked last on some part. Where that is no longer on record, all that lives would
 * be of it: then the cell that is on record is meant, if it made loose values.
 */
function latestOf(
  model: Model,
  { values }: Selected,
  touched: ReadonlyMap<number, number>,
  find: (key: number) => number,
): number {
  const latest = Math.max(-1, ...touched.values());
  if (latest !== 0 || model.cellTimes.length === 0) return latest;
  const loose = [...values].filter((id) => !touched.has(find(id)));
  return Math.max(0, ...loose.map((id) => cellOf(model, model.values.get(id)?.time ?? 0)));
}

/** So many values or calls are looked at before others may have their turn. */
const PART = 500;

/** Joins what belongs together: values by their number, calls by theirs with a minus. */
function* parts(
  model: Model,
  seen: Selected,
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
      for (const input of inputsOf(from)) join(input, -from.call.call);
    }
    if (value?.view_of != null) join(id, value.view_of);
  }
  for (const id of seen.calls) {
    if ((count += 1) % PART === 0) yield;
    const first = seen.steps.get(id);
    if (first !== undefined) {
      join(first, -id);
      continue;
    }
    for (const input of model.calls.get(id)?.inputs ?? []) {
      if (typeof input === "number") join(input, -id);
    }
  }
  for (const hazard of hazards(model)) {
    const overwrite = overwriteOf(model, hazard);
    if (!overwrite || hazard.node.call === null || !seen.calls.has(hazard.node.call)) continue;
    const written = overwrite.base ?? overwrite.value;
    if (seen.values.has(written)) join(written, -hazard.node.call);
  }
  return find;
}

function timeOf(model: Model, run: number | null): number {
  return (run === null ? undefined : model.runs.get(run)?.time) ?? -1;
}

/** How many cells had begun by a time. */
function cellOf(model: Model, time: number): number {
  return countWhile(model.cellTimes, (cell) => cell <= time);
}
