/*
 * The layered layout, and how it stands still: parts of the graph that were drawn before keep
 * their places, and what is new is fitted in (`settle`). Only a part that is mostly new, or
 * that nobody has seen, is laid out afresh.
 */

import { at, push } from "../collections";
import { coordinates } from "./coordinates";
import { components, type Component } from "./components";
import { layer } from "./layers";
import { orderRanks } from "./order";
import { settle, wish } from "./settle";
import { relax } from "./relax";
import { assignRanks } from "./ranks";
import {
  GAP,
  type Layered,
  type Layout,
  type LayoutBox,
  type LayoutWire,
  type Place,
} from "./types";

/** A part is laid out afresh when more than this share of its boxes is new. */
const MOSTLY_NEW = 0.34;

/** Space between separate parts, and boxes without wires on one line. */
export const PART_GAP = 46;
export const SHELF = 5;

interface Part {
  readonly places: Map<string, Place>;
  readonly passes: Map<string, Place[]>;
  readonly low: number;
  readonly high: number;
  /** It stays where it was; others make room. */
  readonly anchored: boolean;
}

export const EMPTY: Layout = { places: new Map(), passes: new Map() };

/** Places for all boxes. With a `previous` layout, what it placed stays as far as possible. */
export function layout(
  boxes: readonly LayoutBox[],
  wires: readonly LayoutWire[],
  previous: Layout = EMPTY,
): Layout {
  const parts: Part[] = [];
  const loose: LayoutBox[] = [];
  for (const component of components(boxes, wires)) {
    const [only] = component.boxes;
    if (component.wires.length === 0 && only) loose.push(only);
    else parts.push(place(component, previous));
  }
  if (loose.length > 0) parts.push(shelf(loose));
  stack(parts);
  const places = new Map<string, Place>();
  const passes = new Map<string, Place[]>();
  for (const part of parts) {
    for (const [key, spot] of part.places) places.set(key, spot);
    for (const [key, points] of part.passes) passes.set(key, points);
  }
  return { places, passes };
}

function place(component: Component, previous: Layout): Part {
  const { boxes, wires } = component;
  const placed = new Map<string, Place>();
  // A box that had no wires when it was last drawn waits for its slot beside its consumer.
  for (const { key } of boxes) {
    const slot = previous.places.get(key);
    if (slot && slot.rank >= 0) placed.set(key, slot);
  }
  const fresh = boxes.length - placed.size;
  if (placed.size === 0 || fresh > MOSTLY_NEW * boxes.length) return freshly(component, placed);
  // Gates go with what stands between them.
  const gates = new Set(boxes.filter(({ kind }) => kind === "out").map(({ key }) => key));
  const kept = new Map<string, number>();
  for (const [key, { rank }] of placed) if (!gates.has(key)) kept.set(key, rank);
  const graph = layer(boxes, wires, assignRanks(boxes, wires, kept));
  return finish(graph, settle(graph, placed, previous.passes), true);
}

function freshly({ boxes, wires }: Component, placed: ReadonlyMap<string, Place>): Part {
  const graph = layer(boxes, wires, assignRanks(boxes, wires));
  const known = graph.items.map((item) => placed.get(item.key)?.cross);
  const seed = graph.items.map((item, i) => known[i] ?? item.age);
  orderRanks(graph, placed.size > 0 ? wish(graph, known) : seed, placed.size === 0);
  const cross = relax(graph, coordinates(graph));
  if (placed.size === 0) return finish(graph, cross, false);
  const shifts: number[] = [];
  known.forEach((before, i) => {
    if (before !== undefined) shifts.push(before - at(cross, i));
  });
  shifts.sort((a, b) => a - b);
  const shift = at(shifts, shifts.length >> 1);
  return finish(
    graph,
    cross.map((x) => x + shift),
    true,
  );
}

/** Boxes on the shelf have negative ranks, from here down: their column. */
export const LOOSE = -1;

function finish(graph: Layered, cross: readonly number[], anchored: boolean): Part {
  const places = new Map<string, Place>();
  const passes = new Map<string, Place[]>();
  let low = Infinity;
  let high = -Infinity;
  graph.items.forEach((item, i) => {
    const spot = { rank: item.rank, cross: at(cross, i) };
    low = Math.min(low, spot.cross - item.before);
    high = Math.max(high, spot.cross + item.after);
    if (item.wire === null) places.set(item.key, spot);
    else push(passes, item.wire, spot);
  });
  return { places, passes, low, high, anchored };
}

/** Boxes without wires, a few to a line. They keep their order and are not anchored. */
function shelf(boxes: readonly LayoutBox[]): Part {
  const places = new Map<string, Place>();
  let line = 0;
  for (let i = 0; i < boxes.length; i += SHELF) {
    const row = boxes.slice(i, i + SHELF);
    const before = Math.max(...row.map((box) => box.before));
    row.forEach((box, column) => {
      places.set(box.key, { rank: LOOSE - column, cross: line + before });
    });
    line += before + Math.max(...row.map((box) => box.after)) + GAP;
  }
  return { places, passes: new Map(), low: 0, high: line - GAP, anchored: false };
}

/** Moves parts across the flow until none overlap; those that were anchored stay if they can. */
function stack(parts: readonly Part[]): void {
  const taken: [number, number][] = [];
  const anchored = parts.filter((part) => part.anchored).sort((a, b) => a.low - b.low);
  let edge = -Infinity;
  for (const part of anchored) {
    const shift = Math.max(0, edge - part.low);
    move(part, shift);
    taken.push([part.low + shift, part.high + shift]);
    edge = part.high + shift + PART_GAP;
  }
  for (const part of parts.filter((p) => !p.anchored)) {
    let low = Math.min(0, ...taken.map(([from]) => from));
    const height = part.high - part.low;
    for (const [from, to] of taken.sort((a, b) => a[0] - b[0])) {
      if (low + height + PART_GAP <= from) break;
      low = Math.max(low, to + PART_GAP);
    }
    move(part, low - part.low);
    taken.push([low, low + height]);
  }
}

function move(part: Part, shift: number): void {
  if (shift === 0) return;
  const moved = (spot: Place): Place => ({ ...spot, cross: spot.cross + shift });
  for (const [key, spot] of part.places) part.places.set(key, moved(spot));
  for (const [key, points] of part.passes) part.passes.set(key, points.map(moved));
}
