/* Which nodes a backward would run. */

import type { Model } from "../log/model";

/** The nodes that backward from a node would run, itself included. */
export function nodesBelow(model: Model, start: number): number[] {
  const seen = new Set([start]);
  const stack = [start];
  for (let id = stack.pop(); id !== undefined; id = stack.pop()) {
    for (const [next] of model.nodes.get(id)?.next ?? []) {
      if (next === null || seen.has(next)) continue;
      seen.add(next);
      stack.push(next);
    }
  }
  return [...seen];
}
