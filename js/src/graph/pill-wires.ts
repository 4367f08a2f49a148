/* The wires of a pill: what its call reads, and what it makes or writes. */

import type { Model } from "../log/model";
import type { Pill } from "./boxes";
import { inputEdges } from "./edges";
import { inputKey, outputKey, valueKey } from "./keys";
import { inputsOf, origin, type baseWrites, type Visible } from "./visible";
import { NO_EDGE, type Wire } from "./wire";

type Writes = ReturnType<typeof baseWrites>;

const wiresByPill = new WeakMap<Pill, readonly Wire[]>();

/** The wires into and out of the pill of a call; the same objects while they join the same. */
export function wiresOfPill(
  model: Model,
  pill: Pill,
  writes: Writes,
  seen: Visible,
): readonly Wire[] {
  const known = wiresByPill.get(pill);
  if (known && !pill.call.inplace) {
    const same = known.every((w) => w.way === "out" || w.from === valueKey(seen.standIn(w.value)));
    if (same) return known;
  }
  const made = makeWires(model, pill, writes, seen);
  wiresByPill.set(pill, made);
  return made;
}

function makeWires(model: Model, pill: Pill, writes: Writes, { standIn, steps }: Visible): Wire[] {
  const { call, nodes } = pill;
  const outputs = [...call.outputs];
  if (call.inplace) {
    for (const write of writes.values()) {
      if (write.call === call.call) outputs.push(write.base);
    }
  }
  const first = outputs.at(-1);
  const value = first === undefined ? undefined : model.values.get(first);
  const from = value ? origin(model, writes, value) : null;
  const inputs = from ? inputsOf(from) : call.inputs.filter((x) => typeof x === "number");
  const node = nodes.find((n) => n.node === value?.node) ?? nodes.at(-1);
  const edges = node ? inputEdges(model, node, inputs) : [];
  const step = steps.has(call.call);
  const wires: Wire[] = inputs.map((input, i) => ({
    key: inputKey(call.call, i),
    from: valueKey(standIn(input)),
    to: pill.key,
    value: input,
    call: call.call,
    way: "in",
    ...(edges[i] ?? NO_EDGE),
  }));
  // A step reads the version before, where that is drawn, and no gradients.
  if (step)
    wires.splice(0, wires.length, ...wires.filter((w) => w.from === valueKey(w.value)).slice(0, 1));
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
