/* The wires of a closed group: those of the calls inside that lead out of it, each once. */

import { at, groupBy } from "../../collections";
import { nodesOf, type CallRow, type Model, type NodeRow } from "../../log/model";
import { inputEdges, type Edge } from "./edges";
import { stageOf } from "./group-box";
import { callsOf, type Group } from "../group/groups";
import { callKey, groupWireKey, valueKey } from "../keys";
import type { Placement } from "../place/place";
import { NO_EDGE, type Wire } from "./wire";

/** The wires of a group at one moment, when so much of it was there. */
interface Known {
  readonly siteOf: Placement["siteOf"];
  readonly stage: string;
  readonly wires: readonly Wire[];
}

/** For each group its wires when it was there as a whole, and at some moment before. */
const known = new WeakMap<Group, Record<"whole" | "part", Known | undefined>>();

/**
 * Wires into and out of the box of a closed group, of which these calls were made; found once for
 * each stage of it.
 */
export function wiresOfGroup(
  model: Model,
  group: Group,
  calls: readonly number[],
  nested: Placement,
): readonly Wire[] {
  const { siteOf } = nested;
  const stage = stageOf(model, calls);
  const both = known.get(group) ?? { whole: undefined, part: undefined };
  known.set(group, both);
  const which = calls.length === callsOf(group).length ? "whole" : "part";
  const last = both[which];
  if (last?.siteOf === siteOf && last.stage === stage) return last.wires;
  const wires = findWires(model, group, nested);
  both[which] = { siteOf, stage, wires };
  return wires;
}

function findWires(
  model: Model,
  group: Group,
  { cards, makers, siteOf, crossing }: Placement,
): readonly Wire[] {
  const wires: Wire[] = [];
  const into = new Map<number, number>(); // by value, where in `wires` its wire is
  const beside = new Map<string, Set<number>>(); // values without a card, by what made them
  for (const id of crossing(group)) {
    const call = model.calls.get(id);
    if (!call) continue;
    let i = -1; // counts the inputs that are tensors
    let edges: readonly (Edge | null)[] | null = null;
    for (const input of call.inputs) {
      const value = input;
      if (typeof value !== "number") continue;
      i += 1;
      const place = into.get(value);
      const before = place === undefined ? undefined : wires[place];
      if (before?.way === "through") continue;
      let from = before?.from;
      if (from === undefined) {
        const maker = makers.get(value);
        const site = maker === undefined ? undefined : siteOf(maker);
        if (site?.closed === group) continue;
        if (cards.has(value)) from = valueKey(value);
        else if (maker === undefined) continue;
        else {
          from = site?.closed?.key ?? callKey(maker);
          const all = beside.get(from) ?? new Set();
          beside.set(from, all.add(value));
          if (all.size > MOST_BESIDE) continue;
        }
      }
      const key = groupWireKey(valueKey(value), group.key, value);
      edges ??= edgesOf(model, call, nodesOf(model, id).at(-1));
      const edge = edges[i] ?? NO_EDGE;
      const rest = { key, from, to: group.key, value, call: id };
      if (before && place !== undefined) {
        const reached = receiver(model, value, before.node === null ? edge : before);
        wires[place] = { ...rest, way: "through", ...reached };
      } else {
        into.set(value, wires.length);
        wires.push({ ...rest, way: "in", ...edge });
      }
    }
    for (const output of call.outputs) {
      if (!cards.has(output)) continue;
      const to = valueKey(output);
      const key = groupWireKey(group.key, to, output);
      const own = makerNode(model, output);
      wires.push({ key, from: group.key, to, value: output, call: id, way: "out", ...own });
    }
  }
  const many = [...beside].filter(([, all]) => all.size > MOST_BESIDE);
  for (const [from, { size }] of many) {
    const first = wires.findIndex((wire) => wire.from === from);
    wires[first] = bundle(at(wires, first), size);
  }
  const left = new Set(many.map(([from]) => from));
  return wires.filter(({ from, times }) => times !== undefined || !left.has(from));
}

function edgesOf(model: Model, call: CallRow, node: NodeRow | undefined) {
  const inputs = call.inputs.filter((input) => typeof input === "number");
  return node ? inputEdges(model, node, inputs) : [];
}

/** More wires than these between two boxes cannot be distinguished. */
const MOST_BESIDE = 6;

/** One wire for all that join two boxes, which has no gradient of its own. */
function bundle(first: Wire, times: number): Wire {
  return { ...first, ...NO_EDGE, key: `${first.from}>${first.to}`, times };
}

/** The wires with one for all that join the same two boxes, where they are many. */
export function bundled(wires: Wire[]): Wire[] {
  const joined = groupBy(wires, ({ from, to }) => `${from}>${to}`);
  if (joined.size === wires.length) return wires;
  return [...joined.values()].flatMap((list) => {
    const times = list.reduce((sum, { times = 1 }) => sum + times, 0);
    return times > MOST_BESIDE ? [bundle(at(list, 0), times)] : list;
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
