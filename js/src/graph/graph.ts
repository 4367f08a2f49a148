/* The graph as it is drawn: which cards, pills, groups, wires and brackets a model has. */

import { get, groupBy } from "../collections";
import type { Summary } from "../log/events";
import { unseen } from "../log/format";
import {
  holdsTensor,
  isProgram,
  makerOf,
  nodesOf,
  type CallRow,
  type Model,
  type NodeRow,
  type ValueRow,
} from "../log/model";
import { atOnce, type Work } from "../sliced-work";
import { card, chipOf, copyOf, FEW_LETTERS, LETTERS } from "./draw/cards";
import { makePill } from "./draw/pills";
import { slotName } from "./draw/pills";
import { pillText } from "./pill-text";
import { ageOf, type Box, type GroupFacts, type Pill } from "./draw/boxes";
import { callsBy, factsOf, groupBox, nodesIn } from "./draw/group-box";
import { bundled, wiresOfGroup } from "./draw/group-wires";
import { flatTree, type Group, type Tree } from "./group/groups";
import { joinSteps } from "./draw/joined-steps";
import { callKey, valueKey } from "./keys";
import { cardName, expression, gradientName, isWhole, ownName, userName } from "./names";
import { place, type Placement, type Values } from "./place/place";
import { wiresOfPill } from "./draw/pill-wires";
import { steppedBy, stepScope } from "./select/versions";
import { baseWrites, select, type Selected } from "./select/select";
import type { Wire } from "./draw/wire";

export type { Wire } from "./draw/wire";

/**
 * Gaps along the wires: `tight` where there is little room, `narrow` where no gradient comes, and
 * `brief` where none is shown, as there is room for names only.
 */
export type Gaps = "wide" | "tight" | "narrow" | "brief";

/** A view and the value that it looks at. */
export interface Bracket {
  readonly view: string;
  readonly base: string;
}

/** An open group, drawn as a frame around its boxes. */
export interface Frame {
  readonly key: string;
  readonly facts: GroupFacts;
  /** The frame that it stands in, "" for none. */
  readonly home: string;
}

export interface Graph {
  readonly boxes: ReadonlyMap<string, Box>;
  readonly wires: readonly Wire[];
  readonly brackets: readonly Bracket[];
  /** Open groups by key, outer ones before inner ones. */
  readonly frames: ReadonlyMap<string, Frame>;
  /** For each box the frame that it stands in, "" for none. */
  readonly homes: ReadonlyMap<string, string>;
  /** What boxes, frames and wires are called in each iteration of a loop alike; else by their keys. */
  readonly places: ReadonlyMap<string, string>;
  /** Boxes of this iteration that the iteration before did not have. */
  readonly fresh: ReadonlySet<string>;
  readonly gaps: Gaps;
  /** Older values that were left out because there are too many. */
  readonly left: number;
}

/** What is drawn of what was selected, and where it stands. */
export interface Plan {
  readonly seen: Selected;
  readonly tree: Tree;
  readonly placement: Placement;
  /** The places of the iteration before the one shown, when a loop is. */
  readonly before: ReadonlySet<string> | null;
  readonly values: Values;
}

/** Sources with more consumers than this are drawn as a small copy beside each. */
const MANY = 8;

/** Everything that was selected, without groups. */
export function flatPlan(model: Model): Plan {
  const seen = atOnce(select(model, baseWrites(model)));
  const tree = flatTree(seen);
  const placement = place(model, { seen, tree }, new Set([tree.root]), "roomy");
  return { seen, tree, placement, before: null, values: "roomy" };
}

/** A graph while it is made. */
interface Draft {
  readonly boxes: Map<string, Box>;
  readonly homes: Map<string, string>;
  readonly frames: Map<string, Frame>;
  wires: Wire[];
}

/** What is drawn of a model: boxes and wires, without positions. */
export function buildGraph(model: Model, plan: Plan = flatPlan(model)): Graph {
  return atOnce(findGraph(model, plan));
}

/** The same, group by group. */
export function* findGraph(model: Model, plan: Plan): Work<Graph> {
  const { seen, placement } = plan;
  const draft: Draft = { boxes: new Map(), homes: new Map(), frames: new Map(), wires: [] };
  addCards(draft, model, plan);
  yield;
  addPills(draft, model, plan);
  joinSteps(draft, model, seen.steps);
  yield;
  yield* addGroups(draft, model, plan);
  foldViewWrites(model, draft.boxes, draft.wires);
  joinClosed(draft, placement);
  yield;
  draft.wires = draft.wires.filter((w) => draft.boxes.has(w.from) && draft.boxes.has(w.to));
  copySources(draft);
  draft.wires = bundled(draft.wires);
  const named = namePlaces(draft, model, plan);
  return {
    ...draft,
    ...named,
    brackets: bracketsOf(draft.boxes, model, seen),
    gaps: isProgram(model) ? "narrow" : GAPS[plan.values],
    left: seen.left,
  };
}

function addPills(draft: Draft, model: Model, { seen, placement }: Plan): void {
  const writes = baseWrites(model);
  for (const id of [...placement.calls, ...seen.steps.keys()].sort((a, b) => a - b)) {
    const call = model.calls.get(id);
    if (!call) continue;
    const written = call.outputs[0] === undefined ? null : placement.cards.get(call.outputs[0]);
    if (seen.steps.has(id) && !written) continue; // its parameter is inside a closed group
    const step = seen.steps.has(id) ? (stepScope(model, call) ?? undefined) : undefined;
    const pill = pillOf(model, call, nodesOf(model, id), step);
    draft.boxes.set(pill.key, pill);
    draft.homes.set(pill.key, homeKey(placement.siteOf(id)?.home ?? written));
    for (const wire of wiresOfPill(model, pill, writes, seen)) draft.wires.push(wire);
  }
}

const GAPS: Readonly<Record<Values, Gaps>> = {
  roomy: "wide",
  cards: "wide",
  chips: "tight",
  wires: "tight",
  names: "brief",
  groups: "tight",
};

function isTight({ values }: Plan): boolean {
  return GAPS[values] !== "wide";
}

function homeKey(group: Group | null | undefined): string {
  return group?.parent ? group.key : "";
}

function addCards({ boxes, homes }: Draft, model: Model, plan: Plan): void {
  const { cards, makers, uses } = plan.placement;
  const tight = isTight(plan);
  const letters = tight ? FEW_LETTERS : LETTERS;
  const storages = new Map<number, number>();
  const drawn = [...cards].sort(([a], [b]) => a - b);
  for (const [id] of drawn) {
    const value = model.values.get(id);
    if (!value || value.next !== null) continue; // what was before a write shares it no more
    storages.set(value.storage, (storages.get(value.storage) ?? 0) + 1);
  }
  for (const [id, home] of drawn) {
    const value = model.values.get(id);
    if (!value) continue;
    const text = home.kind === "module" && home.parent ? null : titleOf(model, value);
    const shared = value.next === null && get(storages, value.storage) > 1;
    const made = card(value, passing(model, id), cardName(model, value), text, shared, letters);
    const between = tight && !made.named && makers.has(id) && uses.has(id);
    const promised = isProgram(model) && unseen(value.summary); // no run, no numbers
    const slim = between || promised || plan.values === "names";
    boxes.set(made.key, slim ? chipOf(made) : made);
    homes.set(valueKey(id), homeKey(home));
  }
}

/** A value without a name is titled by whose gradient it is, or the expression that made it. */
function titleOf(model: Model, value: ValueRow): string | null {
  const gradient = gradientName(model, value);
  if (gradient !== null) return gradient;
  const call = userName(value) === null ? makerOf(model, value) : undefined;
  if (!call || call.inplace) return null;
  const text = expression(model, call, 32);
  return text.includes("?") || !isWhole(text) ? null : text;
}

function* addGroups(draft: Draft, model: Model, { seen, placement, values }: Plan): Work {
  const stepped = steppedBy(model, seen.steps);
  for (const group of placement.frames) {
    const calls = callsBy(model, group);
    if (calls.length === 0) continue;
    const facts = factsOf(model, group, calls, stepped, placement.uses);
    draft.frames.set(group.key, { key: group.key, facts, home: homeKey(group.parent) });
  }
  for (const [group, home] of placement.closed) {
    const calls = callsBy(model, group);
    if (calls.length === 0) continue;
    const age = model.calls.get(calls[0] ?? -1)?.time ?? 0;
    const facts = factsOf(model, group, calls, stepped, placement.uses);
    yield;
    const nodes = nodesIn(model, group, calls);
    yield;
    draft.boxes.set(group.key, groupBox(group, facts, values === "names", age, nodes));
    draft.homes.set(group.key, homeKey(home));
    for (const wire of wiresOfGroup(model, group, calls, placement)) {
      draft.wires.push(wire);
    }
    yield;
  }
}

/** A wire from a value that is not drawn begins at the op, or the closed group, that made it. */
function joinClosed(draft: Draft, { makers, siteOf }: Placement): void {
  draft.wires = draft.wires.map((wire) => {
    if (wire.way === "out" || draft.boxes.has(wire.from)) return wire;
    const maker = makers.get(wire.value);
    if (maker === undefined) return wire;
    const from = siteOf(maker)?.closed?.key ?? callKey(maker);
    return from === wire.to ? wire : { ...wire, from };
  });
}

/** Brackets between a view and its base where a write concerns both. */
function bracketsOf(boxes: Draft["boxes"], model: Model, { steps }: Selected): Bracket[] {
  const brackets: Bracket[] = [];
  for (const box of boxes.values()) {
    if (box.kind !== "card" || box.copy || box.value.view_of === null) continue;
    const base = valueKey(box.value.view_of);
    const writes = model.storages.get(box.value.storage)?.writes ?? [];
    const written = writes.some(({ call }) => call === null || !steps.has(call));
    if (written && boxes.has(base)) brackets.push({ view: box.key, base });
  }
  return brackets;
}

/** In a loop boxes and wires get names that are the same in each iteration. */
function namePlaces(
  { boxes, wires, frames }: Draft,
  model: Model,
  { tree, seen, placement, before }: Plan,
): Pick<Graph, "places" | "fresh"> {
  const places = new Map<string, string>();
  const fresh = new Set<string>();
  if (!seen.loops.shown) return { places, fresh };
  const end = seen.loops.shown.iteration.to; // what came after the loop is no part of it
  const taken = new Map<string, number>();
  const name = (key: string, wanted: string): void => {
    const nr = (taken.get(wanted) ?? 0) + 1;
    taken.set(wanted, nr);
    places.set(key, nr === 1 ? wanted : `${wanted}~${nr}`);
  };
  for (const frame of frames.values()) name(frame.key, frame.facts.place);
  for (const [key, box] of boxes) {
    if (box.kind === "group") name(key, box.facts.place);
    else if (box.kind === "pill") name(key, pillPlace(box, tree, seen));
    else
      name(
        key,
        cardPlace(model, box.value, tree, placement) + (box.copy ? key.replace(/^.*@/, "@") : ""),
      );
    const made = box.kind === "group" ? box.facts.place : tree.places.calls.get(callOf(box));
    const after = ageOf(box) >= (end ?? Infinity);
    const known = made === undefined || /[×…]$/.test(made) || before?.has(made);
    if (before && !known && !after) fresh.add(key);
  }
  for (const { key, from, to } of wires) {
    name(key, `${places.get(from) ?? from}>${places.get(to) ?? to}`);
  }
  return { places, fresh };
}

const callOf = (box: Exclude<Box, { kind: "group" }>): number =>
  box.kind === "pill" ? box.call.call : (box.value.call ?? -1);

function pillPlace({ call, key }: Pill, { places }: Tree, { steps }: Selected): string {
  // A step has a place for each parameter, whatever other calls it needed.
  const nr = steps.has(call.call) ? null : places.calls.get(call.call);
  return nr ?? (steps.has(call.call) ? `step ${call.source ?? ""} ${call.op}` : key);
}

function cardPlace(model: Model, value: ValueRow, { places }: Tree, { makers }: Placement): string {
  const maker = makers.get(value.value);
  const made = maker === undefined ? undefined : places.calls.get(maker);
  if (made !== undefined) return `${made}>${value.nr}`;
  return value.parameter || value.names.length === 0
    ? `storage ${value.parameter ? value.storage : "of a source"}`
    : `name ${ownName(model, value) ?? ""}`;
}

/** The gradient that reached a value's node: of the value as output of that node. */
function passing(model: Model, id: number): Summary | null {
  const value = model.values.get(id);
  const node = value?.node == null ? undefined : model.nodes.get(value.node);
  if (!value || !node || node.variable !== null) return null;
  return node.grads_in[value.nr] ?? null;
}

const pills = new WeakMap<CallRow, Pill>();

/** The pill of a call; the same object while nothing about it changes. */
function pillOf(
  model: Model,
  call: CallRow,
  nodes: readonly NodeRow[],
  step: string | undefined,
): Pill {
  const known = pills.get(call);
  const same =
    (step === undefined || known?.sign === step) &&
    known?.nodes.length === nodes.length &&
    known.nodes.every((node, i) => node === nodes[i]) &&
    known.slots.every(({ name, row }) => !holdsTensor(row) || name === slotName(model, row));
  if (known && same) return known;
  const made = makePill(model, call, nodes, "", step);
  pills.set(call, made);
  return made;
}

/**
 * A write through a view that has no name of its own (`b[0] = 1000.`) is drawn as a write into
 * the base: the passing views, before and after, and the op that made the first are left out.
 */
function foldViewWrites(model: Model, boxes: Map<string, Box>, wires: Wire[]): void {
  const uses = groupBy(wires, (wire) => wire.value);
  const writes = ({ way, call }: Wire) => way !== "in" || model.calls.get(call)?.inplace === true;
  const hidden = (id: number): boolean => {
    const value = model.values.get(id);
    if (value?.view_of == null || value.names.length > 0) return false;
    return (uses.get(id) ?? []).every(writes);
  };
  for (const write of baseWrites(model).values()) {
    const pill = write.call === null ? undefined : boxes.get(callKey(write.call));
    if (pill?.kind !== "pill") continue;
    for (const id of [write.value, write.before]) {
      if (!hidden(id)) continue;
      boxes.delete(valueKey(id));
      if (id === write.before) hideView(model, boxes, id, pill);
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
function copySources(draft: Draft): void {
  const { boxes, homes, wires } = draft;
  const uses = groupBy(wires, (wire) => wire.from);
  const made = new Set(wires.map((wire) => wire.to));
  draft.wires = wires.map((wire) => {
    const source = boxes.get(wire.from);
    if (source?.kind !== "card" || made.has(source.key)) return wire;
    if (get(uses, source.key).length <= MANY) return wire;
    const copy = copyOf(source, wire.call);
    boxes.set(copy.key, copy);
    homes.set(copy.key, homes.get(wire.to) ?? "");
    return { ...wire, from: copy.key };
  });
}
