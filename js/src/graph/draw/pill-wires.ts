/* The wires of a pill: what its call reads, and what it makes or writes. */

import type { Model } from "../../log/model";
import type { Pill } from "./boxes";
import { inputEdges, type Edge } from "./edges";
import { inputKey, outputKey, valueKey } from "../keys";
import { inputsOf, origin, type baseWrites, type Selected } from "../select/select";
import { stepScope } from "../select/versions";
import { NO_EDGE, type Wire } from "./wire";

type Writes = ReturnType<typeof baseWrites>;

const wiresByPill = new WeakMap<Pill, readonly Wire[]>();

/** The wires into and out of the pill of a call; the same objects while they join the same. */
export function wiresOfPill(
  model: Model,
  pill: Pill,
  writes: Writes,
  seen: Selected,
): readonly Wire[] {
  const known = wiresByPill.get(pill);
  if (known && !pill.call.inplace) return known;
  const made = makeWires(model, pill, writes, seen);
  wiresByPill.set(pill, made);
  return made;
}

/**
 * Whether more nodes of a call lead to where an edge leads, as those of a function that is recorded
 * as one call: no single one of them has the gradient of the wire.
 */
function isOneOfSeveral(model: Model, { nodes, call }: Pill, own: Edge | null): boolean {
  if (!own || nodes.length < 2) return false;
  const [target, nr] = model.nodes.get(own.node)?.next[own.edge] ?? [null, 0];
  const same = nodes.flatMap(({ next }) => next.filter(([to, at]) => to === target && at === nr));
  return same.length > call.inputs.filter((input) => leadsTo(model, input, target, nr)).length;
}

/** Whether the gradient of an input goes to an output of a node. */
function leadsTo(model: Model, input: number | string, node: number | null, nr: number): boolean {
  const value = typeof input === "number" ? model.values.get(input) : undefined;
  if (!value || node === null) return false;
  if (value.node !== null) return value.node === node && value.nr === nr;
  return model.nodes.get(node)?.variable === value.value;
}

function makeWires(model: Model, pill: Pill, writes: Writes, { steps }: Selected): Wire[] {
  const { call, nodes } = pill;
  const outputs = [...call.outputs];
  if (call.inplace) {
    for (const write of writes.values()) {
      if (write.call === call.call) outputs.push(write.base);
    }
  }
  const last = outputs.at(-1);
  const value = last === undefined ? undefined : model.values.get(last);
  const from = value ? origin(model, writes, value) : null;
  const first = steps.get(call.call);
  const all = from ? inputsOf(from) : call.inputs.filter((x) => typeof x === "number");
  const inputs = first === undefined ? all : [first];
  const node = nodes.find((n) => n.node === value?.node) ?? nodes.at(-1);
  const edges = node ? inputEdges(model, node, inputs) : [];
  const wires: Wire[] = inputs.map((input, i) => ({
    key: inputKey(call.call, i),
    from: valueKey(input),
    to: pill.key,
    value: input,
    call: call.call,
    way: "in",
    ...(first !== undefined && stepScope(model, call) !== null ? { stepped: true } : {}),
    ...((isOneOfSeveral(model, pill, edges[i] ?? null) ? null : edges[i]) ?? NO_EDGE),
  }));
  for (const output of outputs) {
    const made = model.values.get(output);
    const own = nodes.find((n) => n.node === made?.node);
    wires.push({
      key: outputKey(call.call, output),
      from: pill.key,
      to: valueKey(output),
      value: output,
      call: call.call,
      way: "out",
      node: own?.node ?? null,
      edge: made ? made.nr : -1,
    });
  }
  return wires;
}
