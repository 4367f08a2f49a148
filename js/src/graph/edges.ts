/* Which wire of a call belongs to which edge of its node. */

import type { Model, NodeRow } from "../log/model";

/**
 * Which input each edge of a node leads to: for edge `i`, an index into `inputs`, or -1.
 *
 * An edge leads to the node that made an input (or to the AccumulateGrad of a leaf). Values are
 * matched by that first, because a rebased history may have other edges than the call had
 * inputs; edges left over follow the order of the inputs.
 */
export function edgeInputs(model: Model, node: NodeRow, inputs: readonly number[]): number[] {
  const taken = new Set<number>();
  const result = node.next.map(([next, nr]) => {
    if (next === null) return -1;
    const accumulates = model.nodes.get(next)?.variable ?? null;
    const found = inputs.findIndex((id, i) => {
      if (taken.has(i)) return false;
      if (accumulates !== null) return id === accumulates;
      const value = model.values.get(id);
      return value?.node === next && value.nr === nr;
    });
    if (found >= 0) taken.add(found);
    return found;
  });
  if (node.next.length !== inputs.length) return result;
  return result.map((found, i) => {
    if (found >= 0 || node.next[i]?.[0] == null || taken.has(i)) return found;
    taken.add(i);
    return i;
  });
}
