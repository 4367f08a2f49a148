/* The wires of a closed group: those of the calls inside that lead out of it, each once. */

import type { Model, NodeRow } from "../log/model";
import { inputEdges } from "./edges";
import type { Group } from "./groups";
import { groupWireKey, valueKey } from "./keys";
import type { Nest } from "./nest";
import type { Visible } from "./visible";
import { NO_EDGE, type Wire } from "./wire";

/** Wires into and out of the box of a closed group. */
export function wiresOfGroup(
  model: Model,
  group: Group,
  calls: readonly number[],
  seen: Visible,
  { cards, makers, sites }: Nest,
  nodesOf: (call: number) => readonly NodeRow[],
): Wire[] {
  const wires = new Map<string, Wire>();
  for (const id of calls) {
    const call = model.calls.get(id);
    if (!call) continue;
    const inputs = call.inputs.filter((input) => typeof input === "number");
    inputs.forEach((input, i) => {
      const value = seen.standIn(input);
      const maker = makers.get(value);
      const drawn = cards.has(value) || (maker !== undefined && sites.get(maker)?.closed !== group);
      if (!drawn) return;
      const from = valueKey(value);
      const key = groupWireKey(from, group.key, value);
      const rest = { key, from, to: group.key, value, call: id };
      if (wires.has(key)) {
        wires.set(key, { ...rest, way: "through", ...makerNode(model, value) });
        return;
      }
      const node = nodesOf(id).at(-1);
      const edge = node ? inputEdges(model, node, inputs)[i] : null;
      wires.set(key, { ...rest, way: "in", ...(edge ?? NO_EDGE) });
    });
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

/** The node whose incoming gradient is that of a value: its maker, or its AccumulateGrad. */
function makerNode(model: Model, id: number): Pick<Wire, "node" | "edge"> {
  const value = model.values.get(id);
  if (value?.node != null) return { node: value.node, edge: value.nr };
  return NO_EDGE;
}
