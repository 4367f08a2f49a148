/*
 * How much of a model is shown: as much as can be read at once. What a graph would need is found
 * without laying it out, from the ranks of its boxes alone.
 */

import { get } from "../collections";
import type { GroupFacts } from "../graph/draw/boxes";
import type { Gaps, Graph } from "../graph/graph";
import { frameTitleWidth } from "../graph/draw/group-box";
import type { Detail } from "../graph/plan";
import { components } from "../layout/components";
import { LOOSE, PART_GAP, SHELF } from "../layout/layout";
import { assignRanks } from "../layout/ranks";
import { GAP, WIRE_GAP, type LayoutBox, type LayoutWire } from "../layout/types";
import type { Work } from "../sliced-work";
import { columnsOf, type Sizes } from "./columns";
import { BRIEF, NAMES, READING, turned, type Direction } from "./flow";
import { contentsOf, frameExtents, placeIn } from "./nested";

export interface Room {
  readonly w: number;
  readonly h: number;
}

/** A detail, and the graph in it. */
export interface Fitting {
  readonly detail: Detail;
  readonly graph: Graph;
}

/** A picture of fewer ops and groups says little, however well it can be read. */
const ENOUGH = 4;

/** Of a picture that is panned, so much is to be seen if numbers are left out for it. */
const HALF = 0.5;

/**
 * The richest of the details that fits. A picture that hides nearly all in a box or two is chosen
 * only where not even the names in a richer one can be read at once. Before a picture is panned, the
 * richest that fits of those in which `lines` are boxes is chosen. What is too much to be drawn at
 * all has no graph; null where that is so of all details.
 */
export function* fitting(
  details: Iterable<Detail>,
  draw: (detail: Detail) => Work<Graph | null>,
  room: Room,
  direction: "auto" | Direction,
  lines: Iterable<Detail> = [],
): Work<Fitting | null> {
  const ways = direction === "auto" ? (["LR", "TD"] as const) : [direction];
  const shareIn = (graph: Graph): number =>
    Math.max(...ways.map((way) => shareOf(sizeOf(graph, way), room)));
  let named: Fitting | null = null; // of which the names can be read at once
  let panned: Fitting | null = null;
  let last: Fitting | null = null;
  for (const detail of details) {
    if (detail.values === "groups" && last) continue; // only where all else is too much
    yield;
    const graph = yield* draw(detail);
    if (!graph) continue;
    if (detail.values === "names" && last && !hasModules(graph)) continue;
    last = { detail, graph };
    const share = shareIn(graph);
    const enough = says(graph);
    if (share >= leastOf(detail)) {
      if (enough) return last;
      if (named === null && !tells(graph)) break;
      return named ?? last;
    }
    if (!enough) continue;
    if (share >= NAMES / READING && detail.depth >= (named?.detail.depth ?? 0)) named = last;
    // Far from fitting, names alone would not help.
    if (detail.values === "names" ? share > HALF : detail.values !== "wires") panned = last;
  }
  const lined = named ?? (yield* fittingLines(lines, draw, shareIn, last === null));
  return lined ?? panned ?? last;
}

/**
 * The richest of the details with lines as boxes that fits, else one whose names can be read; where
 * these are the `only` ones, the poorest.
 */
function* fittingLines(
  details: Iterable<Detail>,
  draw: (detail: Detail) => Work<Graph | null>,
  shareIn: (graph: Graph) => number,
  only: boolean,
): Work<Fitting | null> {
  let named: Fitting | null = null;
  let last: Fitting | null = null;
  for (const detail of details) {
    yield;
    const graph = yield* draw(detail);
    if (graph && only) last = { detail, graph };
    if (!graph || !tells(graph)) continue;
    const share = shareIn(graph);
    if (share >= leastOf(detail)) return { detail, graph };
    if (detail.values === "names" && share >= NAMES / READING) named ??= { detail, graph };
  }
  return named ?? last;
}

/** At which share of its size all of a picture can be read. */
const leastOf = ({ values }: Detail): number => (values === "names" ? BRIEF / READING : 1);

/** How much of a size has room, along the side where it is least. */
function shareOf({ w, h }: Room, room: Room): number {
  return Math.min(room.w / w, room.h / h);
}

/** Whether there are modules: of a program without them the numbers are what there is to see. */
function hasModules({ boxes, frames }: Graph): boolean {
  const closed = [...boxes.values()].some((box) => box.kind === "group" && isOfModel(box.facts));
  return closed || [...frames.values()].some((frame) => isOfModel(frame.facts));
}

function isOfModel({ kind }: GroupFacts): boolean {
  return kind === "module" || kind === "repeat";
}

/** Whether it says much: nothing is closed but what has a sign of its own, or enough is drawn beside. */
function says({ boxes }: Graph): boolean {
  let count = 0;
  let closed = false;
  for (const box of boxes.values()) {
    if (box.kind !== "card") count += 1;
    if (box.kind === "group" && box.facts.sign === null) closed = true;
  }
  return !closed || count >= ENOUGH;
}

/** Whether the closed boxes are at least named: one is a model, or one leads to the next. */
function tells(graph: Graph): boolean {
  const boxes = [...graph.boxes.values()].filter((box) => box.kind !== "card");
  return boxes.length > 1 || hasModules(graph);
}

/** The size that a graph has when it is laid out, or nearly so. */
export function sizeOf(graph: Graph, direction: Direction): Room {
  const sizes = new Map<string, readonly [number, number]>();
  const contents = contentsOf(graph, direction);
  for (const [key, { boxes, wires, sizes: own }] of [...contents].reverse()) {
    for (const frame of graph.frames.values()) {
      if (frame.home !== key) continue;
      const [length, breadth] = get(sizes, frame.key);
      const title = frameTitleWidth(frame.facts);
      const [main, before, after] = frameExtents(
        { length, low: 0, high: breadth },
        direction,
        title,
      );
      const place = placeIn(graph, frame.key);
      own.set(place, [main, before, after]);
      boxes.push({ key: place, kind: "pill", main, before, after, age: 0 });
    }
    sizes.set(key, levelSize(boxes, wires, own, direction, graph.gaps));
  }
  const [w, h] = turned(direction, ...get(sizes, ""));
  return { w, h };
}

/** The length and breadth of one level. */
function levelSize(
  boxes: readonly LayoutBox[],
  wires: readonly LayoutWire[],
  sizes: Sizes,
  direction: Direction,
  gaps: Gaps,
): [number, number] {
  const places = new Map<string, { rank: number; cross: number }>();
  let breadth = 0;
  let loose: LayoutBox[] = [];
  for (const part of components(boxes, wires)) {
    if (part.wires.length === 0) {
      loose = [...loose, ...part.boxes];
      continue;
    }
    const ranks = assignRanks(part.boxes, part.wires);
    for (const [key, rank] of ranks) places.set(key, { rank, cross: 0 });
    breadth += (breadth > 0 ? PART_GAP : 0) + widestRank(part.boxes, part.wires, ranks);
  }
  loose.forEach(({ key }, i) => places.set(key, { rank: LOOSE - (i % SHELF), cross: 0 }));
  for (let i = 0; i < loose.length; i += SHELF) {
    const row = loose.slice(i, i + SHELF).map(({ before, after }) => before + after);
    breadth += (breadth > 0 ? GAP : 0) + Math.max(...row);
  }
  const columns = columnsOf(sizes, { places }, direction, gaps);
  let length = 0;
  for (const { rank } of places.values()) length = Math.max(length, columns(rank)[1]);
  return [length, breadth];
}

/** What the fullest rank needs, with the wires that pass it. */
function widestRank(
  boxes: readonly LayoutBox[],
  wires: readonly LayoutWire[],
  ranks: ReadonlyMap<string, number>,
): number {
  const needs: number[] = [];
  const add = (rank: number, need: number): void => {
    needs[rank] = (needs[rank] ?? 0) + need;
  };
  for (const { key, before, after } of boxes) add(get(ranks, key), before + after + GAP);
  for (const { from, to } of wires) {
    for (let rank = get(ranks, from) + 1; rank < get(ranks, to); rank += 1) add(rank, WIRE_GAP);
  }
  return needs.reduce((most, need) => Math.max(most, need), GAP) - GAP;
}
