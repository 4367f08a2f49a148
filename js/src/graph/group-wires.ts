/* The wires of a closed group: those of the calls inside that lead out of it, each once. */

import { groupBy } from "../collections";
import { nodesOf, type CallRow, type Model, type NodeRow } from "../log/model";
import { inputEdges, type Edge } from "./edges";
import type { Group } from "./groups";
import { groupWireKey, valueKey } from "./keys";
import type { Nest } from "./nest";
import type { Visible } from "./visible";
import { NO_EDGE, type Wire } from "./wire";

/** Wires into and out of the box of a closed group. */
export function wiresOfGroup(
  model: Model,
  group: Group,
  seen: Visible,
  { cards, makers, sites, crossing }: Nest,
): Wire[] {
  const wires = new Map<string, Wire>();
  for (const id of crossing(group)) {
    const call = model.calls.get(id);
    if (!call) continue;
    let i = -1; // counts the inputs that are tensors
    let edges: readonly (Edge | null)[] | null = null;
    for (const input of call.inputs) {
      if (typeof input !== "number") continue;
      i += 1;
      const value = seen.standIn(input);
      const maker = makers.get(value);
      const inside = maker !== undefined && sites.get(maker)?.closed === group;
      if (inside || !(cards.has(value) || maker !== undefined)) continue;
      const from = valueKey(value);
      const key = groupWireKey(from, group.key, value);
      const rest = { key, from, to: group.key, value, call: id };
      const known = wires.get(key);
      if (known?.way === "through") continue;
      edges ??= edgesOf(model, call, nodesOf(model, id).at(-1));
      const edge = edges[i] ?? NO_EDGE;
      const into = known && known.node !== null ? known : edge;
      if (known) wires.set(key, { ...rest, way: "through", ...receiver(model, value, into) });
      else wires.set(key, { ...rest, way: "in", ...edge });
    }
    for (const output of call.outputs) {
      if (!cards.has(output)) continue;
      const to = valueKey(output);
      const key = groupWireKey(group.key, to, output);
      const own = makerNode(model, output);
      wires.set(key, { key, from: group.key, to, value: output, call: id, way: "out", ...own });
    }
  }
  return [...wires.values()];
}

function edgesOf(model: Model, call: CallRow, node: NodeRow | undefined) {
  const inputs = call.inputs.filter((input) => typeof input === "number");
  return node ? inputEdges(model, node, inputs) : [];
}

/** More wires than these between two boxes cannot be told apart. */
const MOST_BESIDE = 6;

/** The wires with one for all that join the same two boxes, where they are many. */
export function bundled(wires: Wire[]): Wire[] {
  const joined = groupBy(wires, ({ from, to }) => `${from}>${to}`);
  if (joined.size === wires.length) return wires;
  return [...joined].flatMap(([key, list]) => {
    const [first] = list;
    if (!first || list.length <= MOST_BESIDE) return list;
    return [{ ...first, ...NO_EDGE, key, times: list.length }];
  });
}

/** The node whose incoming gradient is that of a value: its maker, or its AccumulateGrad. */
function receiver(model: Model, value: number, { node, edge }: Pick<Wire, "node" | "edge">) {
  const made = makerNode(model, value);
  if (made.node !== null || node === null) return made;
  const [next, nr] = model.nodes.get(node)?.next[edge] ?? [null, -1];
  return { node: next, edge: nr };
}

/** The node that made a value, and which of its outputs that is. */
function makerNode(model: Model, id: number): Pick<Wire, "node" | "edge"> {
  const value = model.values.get(id);
  return value?.node == null ? NO_EDGE : { node: value.node, edge: value.nr };
}
