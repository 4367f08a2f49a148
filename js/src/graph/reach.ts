/* Which nodes a backward would run. */

import type { Model } from "../log/model";

/** The nodes that backward from a node would run, itself included. */
export function nodesBelow(model: Model, start: number): number[] {
  return [...reached(model, [start])];
}

/** The nodes that backward from some nodes would run, these included. */
export function reached(model: Model, starts: Iterable<number>): ReadonlySet<number> {
  const seen = new Set(starts);
  const stack = [...seen];
  for (let id = stack.pop(); id !== undefined; id = stack.pop()) {
    for (const [next] of model.nodes.get(id)?.next ?? []) {
      if (next === null || seen.has(next)) continue;
      seen.add(next);
      stack.push(next);
    }
  }
  return seen;
}

/** The nodes of runs that failed before a time: what was wrong with them has been said. */
export function gaveUp(model: Model, before: number): ReadonlySet<number> {
  const roots: number[] = [];
  for (const run of model.runs.values()) {
    if (run.status === "failed" && run.time < before)
      roots.push(...run.roots.map(([, node]) => node));
  }
  return reached(model, roots);
}
