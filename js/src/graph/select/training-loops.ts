/*
 * Training loops in the picture: one iteration of each is shown, that of the moment shown. Equal
 * structure keeps equal places from one iteration to the next.
 */

import {
  isTrainingLoop,
  scopesAround,
  type LoopRow,
  type Model,
  type IterationRow,
} from "../../log/model";

export interface ShownIteration {
  readonly loop: LoopRow;
  /** The iteration that is shown. */
  readonly iteration: IterationRow;
}

export interface TrainingLoops {
  /** The iteration that the newest cell shows, if it has such a loop. */
  readonly shown: ShownIteration | null;
  /** Scopes around which no box is drawn: the loops and the shown iterations themselves. */
  readonly unboxed: ReadonlySet<number>;
  /** Whether a scope lies in an iteration that is not shown. */
  readonly hides: (scope: number | null) => boolean;
}

/** The training loops of a model; of each the last iteration is shown. */
export function trainingLoops(model: Model): TrainingLoops {
  const unboxed = new Set<number>();
  const hidden = new Set<number>();
  let shown: ShownIteration | null = null;
  for (const loop of model.loops.values()) {
    const last = loop.iterations.at(-1);
    if (!last || !isTrainingLoop(model, loop)) continue;
    unboxed.add(loop.loop).add(last.scope);
    for (const { scope } of loop.iterations) if (scope !== last.scope) hidden.add(scope);
    if (!shown || shown.iteration.from <= last.from) shown = { loop, iteration: last };
  }
  const cell = model.cellTimes.at(-1);
  if (shown && cell !== undefined && shown.iteration.from < cell) shown = null;
  const known = new Map<number, boolean>();
  const hides = (scope: number | null): boolean => {
    if (scope === null || hidden.size === 0) return false;
    const before = known.get(scope);
    if (before !== undefined) return before;
    const answer = hidden.has(scope) || hides(model.scopes.get(scope)?.parent ?? null);
    known.set(scope, answer);
    return answer;
  };
  return { shown, unboxed, hides };
}

/** What calls and groups of an iteration are called: the same in each iteration that runs the same lines. */
export interface Places {
  readonly calls: ReadonlyMap<number, string>;
  /** By scope. */
  readonly groups: ReadonlyMap<number, string>;
}

export const NO_PLACES: Places = { calls: new Map(), groups: new Map() };

/** The places of the iteration that is shown and of what came after it; none without a loop. */
export function placesOf(model: Model, { shown, unboxed }: TrainingLoops): Places {
  return shown ? occurrences(model, shown.iteration.from, Infinity, unboxed) : NO_PLACES;
}

/** The places that were in the iteration before the one shown; null when that is not known. */
export function placesBefore(
  model: Model,
  { shown, unboxed }: TrainingLoops,
): ReadonlySet<string> | null {
  const before = shown?.loop.iterations.find((row) => row.number === shown.iteration.number - 1);
  if (!before || before.to === null) return null;
  const skipped = new Set(unboxed).add(before.scope);
  const { calls, groups } = occurrences(model, before.from, before.to, skipped);
  return new Set([...calls.values(), ...groups.values()]);
}

/** Calls by group, op, line and how often that came before; groups by name likewise. */
function occurrences(model: Model, from: number, to: number, skipped: ReadonlySet<number>): Places {
  const calls = new Map<number, string>();
  const groups = new Map<number, string>();
  const counts = new Map<string, number>();
  const placed = (name: string): string => {
    const nr = (counts.get(name) ?? 0) + 1;
    counts.set(name, nr);
    return `${name}#${nr}`;
  };
  for (const call of model.calls.values()) {
    if (call.time < from || call.time >= to) continue;
    let home = "";
    for (const scope of scopesAround(model, call.scope).reverse()) {
      const id = scope.scope;
      if (skipped.has(id)) continue;
      const place =
        groups.get(id) ??
        placed(`${home}/${scope.kind === "iteration" ? "iteration" : scope.name}`);
      groups.set(id, place);
      home = place;
    }
    calls.set(call.call, placed(`${home}/${call.op}@${call.source ?? ""}`));
  }
  return { calls, groups };
}
