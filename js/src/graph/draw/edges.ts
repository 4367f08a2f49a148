/* Which wire of a call belongs to which edge of its nodes. */

import { push } from "../../collections";
import type { Model, NodeRow, ValueRow } from "../../log/model";

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
  const found = inputs.map((): Edge | null => null);
  for (const lead of leads(model, node, inputs)) if (lead) found[lead.input] = lead;
  return found;
}

function leads(model: Model, node: NodeRow, inputs: readonly number[]): (Lead | null)[] {
  if (isStraight(model, node, inputs)) {
    return node.next.map(([to], i) =>
      to === null ? null : { node: node.node, edge: i, input: i },
    );
  }
  const taken = new Set<number>();
  const inner = new Set<number>();
  const waiting = inputsBehind(model, inputs);
  const follow = (from: NodeRow, edge: number): Lead | null => {
    const [next, nr] = from.next[edge] ?? [null, 0];
    const to = next === null ? undefined : model.nodes.get(next);
    if (!to) return null;
    const input = waiting.get(behind(model, to, nr))?.shift();
    if (input !== undefined) {
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
  // The nodes behind what `autograd.grad` gave also lead into the graph that it went through.
  const through = node.call !== null && model.calls.get(node.call)?.op === "grad";
  if (through || node.next.length !== inputs.length) return found;
  return found.map((lead, i) => {
    const needs = model.values.get(inputs[i] ?? -1)?.requires_grad ?? false;
    if (lead || !needs || node.next[i]?.[0] == null || taken.has(i)) return lead;
    taken.add(i);
    return { node: node.node, edge: i, input: i };
  });
}

/** Whether each edge leads to what made the input in its place, and no more lead anywhere. */
function isStraight(model: Model, { next }: NodeRow, inputs: readonly number[]): boolean {
  return next.every(([to, nr], i) => {
    if (to === null) return i >= inputs.length;
    const [value, node] = [model.values.get(inputs[i] ?? -1), model.nodes.get(to)];
    if (!value || !node) return false;
    if (value.node === null) return node.variable === value.value;
    return value.node === to && value.nr === nr && node.variable === null;
  });
}

/** The inputs, as indices, by what takes their gradient; those of the same in their order. */
function inputsBehind(model: Model, inputs: readonly number[]): Map<string, number[]> {
  const found = new Map<string, number[]>();
  inputs.forEach((id, i) => {
    const value = model.values.get(id);
    if (value?.node != null) push(found, `${value.node} ${value.nr}`, i);
    else if (value) push(found, leafIdentity(value), i);
  });
  return found;
}

/** What `inputsBehind` calls the input `nr` of a node. */
function behind(model: Model, { node, variable }: NodeRow, nr: number): string {
  const leaf = variable === null ? undefined : model.values.get(variable);
  return leaf ? leafIdentity(leaf) : `${node} ${nr}`;
}

/** A leaf is the same before and after it was written into, as by an optimizer. */
function leafIdentity({ storage, view_of }: ValueRow): string {
  return `leaf ${storage} ${view_of ?? ""}`;
}
