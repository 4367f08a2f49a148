/* Which wire of a call belongs to which edge of its nodes. */

import type { Model, NodeRow, ValueRow } from "../log/model";

/** One edge: a node, and which of those that leave it. */
export interface Edge {
  readonly node: number;
  readonly edge: number;
}

interface Lead extends Edge {
  readonly input: number;
}

/**
 * Which input each edge of a node leads to: for edge `i`, an index into `inputs`, or -1.
 *
 * An edge leads to the node that made an input (or to the AccumulateGrad of a leaf), perhaps
 * through other nodes of the same call. Values are matched by that first, because a rebased
 * history may have other edges than the call had inputs, and PyTorch's nodes order theirs in
 * their own way; edges left over follow the order of the inputs.
 */
export function edgeInputs(model: Model, node: NodeRow, inputs: readonly number[]): number[] {
  return leads(model, node, inputs).map((lead) => lead?.input ?? -1);
}

/** For each input the edge by which its gradient comes back, or null. */
export function inputEdges(
  model: Model,
  node: NodeRow,
  inputs: readonly number[],
): (Edge | null)[] {
  const found = leads(model, node, inputs);
  return inputs.map((_, input) => found.find((lead) => lead?.input === input) ?? null);
}

function leads(model: Model, node: NodeRow, inputs: readonly number[]): (Lead | null)[] {
  const taken = new Set<number>();
  const inner = new Set<number>();
  const follow = (from: NodeRow, edge: number): Lead | null => {
    const [next, nr] = from.next[edge] ?? [null, 0];
    const to = next === null ? undefined : model.nodes.get(next);
    if (!to) return null;
    const input = inputs.findIndex((id, i) => !taken.has(i) && isBehind(model, id, to, nr));
    if (input >= 0) {
      taken.add(input);
      return { node: from.node, edge, input };
    }
    if (to.call === null || to.call !== node.call || inner.has(to.node)) return null;
    inner.add(to.node);
    for (let i = 0; i < to.next.length; i++) {
      const lead = follow(to, i);
      if (lead) return lead;
    }
    return null;
  };
  const found = node.next.map((_, edge) => follow(node, edge));
  if (node.next.length !== inputs.length) return found;
  return found.map((lead, i) => {
    const needs = model.values.get(inputs[i] ?? -1)?.requires_grad ?? false;
    if (lead || !needs || node.next[i]?.[0] == null || taken.has(i)) return lead;
    taken.add(i);
    return { node: node.node, edge: i, input: i };
  });
}

/** Whether a node, at its input `nr`, takes the gradient of a value. */
function isBehind(model: Model, id: number, node: NodeRow, nr: number): boolean {
  if (node.variable === null) {
    const value = model.values.get(id);
    return value?.node === node.node && value.nr === nr;
  }
  return id === node.variable || isWrittenTo(model.values.get(id), model.values.get(node.variable));
}

/** Whether a leaf is another as it was before or after it was written into. */
function isWrittenTo(value: ValueRow | undefined, leaf: ValueRow | undefined): boolean {
  return (
    value !== undefined &&
    leaf !== undefined &&
    value.leaf &&
    value.requires_grad &&
    value.storage === leaf.storage &&
    value.view_of === leaf.view_of &&
    value.version !== leaf.version
  );
}
