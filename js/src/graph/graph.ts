/* The graph as it is drawn: which cards, pills, wires and brackets a model has. */

import { get, groupBy, push } from "../collections";
import type { Summary } from "../log/events";
import { makerOf, type CallRow, type Model, type NodeRow } from "../log/model";
import { card, copyOf, makePill, pillText, slotName, type Box, type Pill } from "./boxes";
import { edgeInputs } from "./edges";
import { callKey, inputKey, outputKey, valueKey } from "./keys";
import { baseWrites, inputsOf, origin, visible } from "./visible";

/** A forward wire, and the edge of the backward graph that runs the other way beside it. */
export interface Wire {
  readonly key: string;
  readonly from: string;
  readonly to: string;
  readonly value: number;
  readonly call: number;
  /** Into a call or out of it. */
  readonly way: "in" | "out";
  /** The node and its edge (into a call) or its output number (out of it); without: null, -1. */
  readonly node: number | null;
  readonly edge: number;
}

/** A view and the value that it looks at. */
export interface Bracket {
  readonly view: string;
  readonly base: string;
}

export interface Graph {
  readonly boxes: ReadonlyMap<string, Box>;
  readonly wires: readonly Wire[];
  readonly brackets: readonly Bracket[];
  /** Older values that were left out because there are too many. */
  readonly left: number;
}

/** Sources with more consumers than this are drawn as a small copy beside each. */
const MANY = 8;

/** What is drawn of a model: boxes and wires, without positions. */
export function buildGraph(model: Model): Graph {
  const writes = baseWrites(model);
  const seen = visible(model, writes);
  const nodes = nodesByCall(model);
  const boxes = new Map<string, Box>();
  const wires: Wire[] = [];
  for (const id of [...seen.values].sort((a, b) => a - b)) {
    const value = model.values.get(id);
    if (value) boxes.set(valueKey(id), card(value, passing(model, id)));
  }
  for (const id of [...seen.calls].sort((a, b) => a - b)) {
    const call = model.calls.get(id);
    if (!call) continue;
    const pill = pillOf(model, call, nodes.get(id) ?? []);
    boxes.set(pill.key, pill);
    for (const wire of wiresOf(model, pill, writes)) wires.push(wire);
  }
  foldViewWrites(model, boxes, wires);
  const drawn = wires.filter((wire) => boxes.has(wire.from) && boxes.has(wire.to));
  const copied = copySources(boxes, drawn);
  const brackets: Bracket[] = [];
  for (const box of boxes.values()) {
    if (box.kind !== "card" || box.copy || box.value.view_of === null) continue;
    const base = valueKey(box.value.view_of);
    if (boxes.has(base)) brackets.push({ view: box.key, base });
  }
  return { boxes, wires: copied, brackets, left: seen.left };
}

/** The gradient that reached a value's node: of the value as output of that node. */
function passing(model: Model, id: number): Summary | null {
  const value = model.values.get(id);
  const node = value?.node == null ? undefined : model.nodes.get(value.node);
  if (!value || !node || node.variable !== null) return null;
  return node.grads_in[value.nr] ?? null;
}

function nodesByCall(model: Model): Map<number, NodeRow[]> {
  const found = new Map<number, NodeRow[]>();
  for (const node of model.nodes.values()) if (node.call !== null) push(found, node.call, node);
  return found;
}

const pills = new WeakMap<CallRow, Pill>();

/** The pill of a call; the same object while nothing about it changes. */
function pillOf(model: Model, call: CallRow, nodes: readonly NodeRow[]): Pill {
  const known = pills.get(call);
  const same =
    known?.nodes.length === nodes.length &&
    known.nodes.every((node, i) => node === nodes[i]) &&
    known.slots.every((slot) => slot.name === slotName(model, slot.row));
  if (known && same) return known;
  const made = makePill(model, call, nodes);
  pills.set(call, made);
  return made;
}

type Writes = ReturnType<typeof baseWrites>;

const wiresByPill = new WeakMap<Pill, readonly Wire[]>();

function wiresOf(model: Model, pill: Pill, writes: Writes): readonly Wire[] {
  const known = wiresByPill.get(pill);
  if (known && !pill.call.inplace) return known;
  const made = makeWires(model, pill, writes);
  wiresByPill.set(pill, made);
  return made;
}

function makeWires(model: Model, pill: Pill, writes: Writes): Wire[] {
  const { call, nodes } = pill;
  const outputs = [...call.outputs];
  if (call.inplace) {
    for (const write of writes.values()) {
      if (write.call === call.call && write.base !== null) outputs.push(write.base);
    }
  }
  const first = outputs.at(-1);
  const value = first === undefined ? undefined : model.values.get(first);
  const from = value ? origin(model, writes, value) : null;
  const inputs = from ? inputsOf(from) : call.inputs.filter((x) => typeof x === "number");
  const node = nodes.find((n) => n.node === value?.node) ?? nodes.at(-1);
  const edges = node ? edgeInputs(model, node, inputs) : [];
  const wires: Wire[] = inputs.map((input, i) => ({
    key: inputKey(call.call, i),
    from: valueKey(input),
    to: pill.key,
    value: input,
    call: call.call,
    way: "in",
    node: edges.includes(i) ? (node?.node ?? null) : null,
    edge: edges.indexOf(i),
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

/**
 * A write through a view that has no name of its own (`b[0] = 1000.`) is drawn as a write into
 * the base: the passing views, before and after, and the op that made the first are left out.
 */
function foldViewWrites(model: Model, boxes: Map<string, Box>, wires: Wire[]): void {
  const hidden = (id: number): boolean => {
    const value = model.values.get(id);
    if (value?.view_of == null || value.names.length > 0) return false;
    const uses = wires.filter((wire) => wire.way === "in" && wire.value === id);
    return uses.every((wire) => model.calls.get(wire.call)?.inplace === true);
  };
  for (const storage of model.storages.values()) {
    for (const write of storage.writes) {
      const pill = write.call === null ? undefined : boxes.get(callKey(write.call));
      if (write.base === null || pill?.kind !== "pill") continue;
      for (const id of [write.value, write.before]) {
        if (!hidden(id)) continue;
        boxes.delete(valueKey(id));
        if (id === write.before) hideView(model, boxes, id, pill);
      }
    }
  }
}

/** Leaves out the op that made a passing view; the write's pill says what it selected. */
function hideView(model: Model, boxes: Map<string, Box>, view: number, writer: Pill): void {
  const call = makerOf(model, model.values.get(view));
  if (!call || call.call === writer.call.call) return;
  boxes.delete(callKey(call.call));
  const part = pillText(model, call);
  boxes.set(writer.key, makePill(model, writer.call, writer.nodes, part));
}

/** Draws a source that many calls read as a small copy beside each of them. */
function copySources(boxes: Map<string, Box>, wires: readonly Wire[]): readonly Wire[] {
  const uses = groupBy(wires, (wire) => wire.from);
  const made = new Set(wires.map((wire) => wire.to));
  return wires.map((wire) => {
    const source = boxes.get(wire.from);
    if (source?.kind !== "card" || made.has(source.key)) return wire;
    if (get(uses, source.key).length <= MANY) return wire;
    const copy = copyOf(source, wire.call);
    boxes.set(copy.key, copy);
    return { ...wire, from: copy.key };
  });
}
