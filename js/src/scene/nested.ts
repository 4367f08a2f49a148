/*
 * The layout of a graph with open groups: each is laid out alone, the innermost first, and then
 * stands in the one around it as one large pill. Wires that lead out of a group end at gates on
 * its edge and go on from there outside.
 */

import { get } from "../collections";
import { ageOf } from "../graph/draw/boxes";
import type { Gaps, Graph } from "../graph/graph";
import { frameTitleWidth } from "../graph/draw/group-box";
import { layout } from "../layout/layout";
import type { Layout, LayoutBox, LayoutWire } from "../layout/types";
import { extents, FRAME, type Direction } from "./flow";
import { columnsOf, type Columns, type Sizes } from "./columns";

/** One group laid out (the outermost is called ""), with the sizes that it was made for. */
export interface Level {
  readonly layout: Layout;
  readonly sizes: Sizes;
  readonly columns: Columns;
  /** Its size along the flow and across it. */
  readonly length: number;
  readonly low: number;
  readonly high: number;
  /** Where the outermost level begins, along the flow and across it. */
  readonly origin: readonly [number, number];
}

/** The levels by the places of their frames. */
export type Levels = ReadonlyMap<string, Level>;

export const NO_LEVELS: Levels = new Map();

/** What boxes, frames and wires are called in layouts: in each iteration of a loop alike. */
export const placeIn = ({ places }: Graph, key: string): string => places.get(key) ?? key;

/** The gate of a frame through which wires of a box come in or go out. */
export const gateKey = (way: "in" | "out", place: string): string =>
  way === "in" ? `<${place}` : `>${place}`;

/** The frames around a box, the innermost first. */
export function framesAround(graph: Graph, key: string): string[] {
  const around: string[] = [];
  for (let up = graph.homes.get(key) ?? ""; up !== ""; up = graph.frames.get(up)?.home ?? "") {
    around.push(up);
  }
  return around;
}

/** The frames that a wire leaves and those that it enters, in the order it meets them. */
export function crossed(graph: Graph, from: string, to: string): [string[], string[]] {
  const [out, into] = [framesAround(graph, from), framesAround(graph, to)];
  while (out.length > 0 && out.at(-1) === into.at(-1)) {
    out.pop();
    into.pop();
  }
  return [out, into.reverse()];
}

/** Lays out all levels. What `previous` placed stays as far as possible. */
export function layOut(graph: Graph, direction: Direction, previous: Levels): Levels {
  const contents = contentsOf(graph, direction);
  const levels = new Map<string, Level>();
  // Inner frames come after outer ones: from the end, each finds its inner ones done.
  for (const [key, { boxes, wires, sizes }] of [...contents].reverse()) {
    for (const frame of graph.frames.values()) {
      if (frame.home !== key) continue;
      const place = placeIn(graph, frame.key);
      const size = frameExtents(get(levels, place), direction, frameTitleWidth(frame.facts) + 12);
      sizes.set(place, size);
      const [main, before, after] = size;
      boxes.push({
        key: place,
        kind: "pill",
        main,
        before,
        after,
        age: agesOf(contents, frame.key),
      });
    }
    boxes.sort((a, b) => a.age - b.age);
    const place = key === "" ? "" : placeIn(graph, key);
    const made = layout(boxes, wires, previous.get(place)?.layout);
    const origin = previous.get(place)?.origin ?? [0, 0];
    levels.set(place, { ...levelOf(made, sizes, direction, graph.gaps), origin });
  }
  return levels;
}

/** Where only names are drawn boxes stand closer together, by so much on either side. */
const CLOSER = 7;

interface Contents {
  readonly boxes: LayoutBox[];
  readonly wires: LayoutWire[];
  readonly sizes: Map<string, readonly [number, number, number]>;
}

/** For each frame, and for "", the boxes that stand in it and the pieces of wires. */
export function contentsOf(graph: Graph, direction: Direction): Map<string, Contents> {
  const contents = new Map<string, Contents>();
  for (const key of ["", ...graph.frames.keys()]) {
    contents.set(key, { boxes: [], wires: [], sizes: new Map() });
  }
  for (const box of graph.boxes.values()) {
    const { boxes, sizes } = get(contents, graph.homes.get(box.key) ?? "");
    const key = placeIn(graph, box.key);
    const size = extents(box, direction);
    sizes.set(key, size);
    const close = graph.gaps === "brief" ? CLOSER : 0;
    const [main, before, after] = [size[0], size[1] - close, size[2] - close];
    const kind = box.kind === "card" ? "card" : "pill";
    const late = box.kind === "pill" && box.late;
    const ordered = box.kind === "pill" && box.operands.length > 1;
    boxes.push({ key, kind, late, ordered, main, before, after, age: ageOf(box) });
  }
  for (const wire of graph.wires) {
    const key = placeIn(graph, wire.key);
    const age = ageOf(get(graph.boxes, wire.to));
    for (const { level, from, to } of piecesOf(graph, wire.from, wire.to)) {
      const { boxes, wires, sizes } = get(contents, level);
      for (const [kind, gate] of [
        ["in", from],
        ["out", to],
      ] as const) {
        if (!/^[<>]/.test(gate) || sizes.has(gate)) continue;
        sizes.set(gate, [0, 5, 5]);
        boxes.push({ key: gate, kind, main: 0, before: 5, after: 5, age });
      }
      wires.push({ key, from, to });
    }
  }
  return contents;
}

/** A wire piece by piece: which place it joins with which, in the levels that it passes. */
export function piecesOf(
  graph: Graph,
  from: string,
  to: string,
): { level: string; from: string; to: string }[] {
  const [out, into] = crossed(graph, from, to);
  const pieces: { level: string; from: string; to: string }[] = [];
  let start = placeIn(graph, from);
  const gateOut = gateKey("out", start);
  const gateIn = gateKey("in", start);
  for (const level of out) {
    pieces.push({ level, from: start, to: gateOut });
    start = placeIn(graph, level);
  }
  const top = into[0] ?? to;
  const outermost = out.at(-1);
  const level =
    outermost === undefined
      ? (graph.homes.get(from) ?? "")
      : (graph.frames.get(outermost)?.home ?? "");
  pieces.push({ level, from: start, to: placeIn(graph, top) });
  into.forEach((frame, i) => {
    pieces.push({ level: frame, from: gateIn, to: placeIn(graph, into[i + 1] ?? to) });
  });
  return pieces;
}

/** When the oldest box in a frame came. */
function agesOf(contents: ReadonlyMap<string, Contents>, key: string): number {
  const { boxes } = get(contents, key);
  return boxes.reduce((oldest, box) => Math.min(oldest, box.age), Infinity);
}

function levelOf(
  made: Layout,
  sizes: Sizes,
  direction: Direction,
  gaps: Gaps,
): Omit<Level, "origin"> {
  const columns = columnsOf(sizes, made, direction, gaps);
  let [length, low, high] = [0, Infinity, -Infinity];
  for (const [key, { rank, cross }] of made.places) {
    const [, before, after] = get(sizes, key);
    length = Math.max(length, columns(rank)[1]);
    low = Math.min(low, cross - before);
    high = Math.max(high, cross + after);
  }
  if (low === Infinity) [low, high] = [0, 0];
  return { layout: made, sizes, columns, length, low, high };
}

/** The size of a frame in the level around it: along the flow, and to either side across it. */
export function frameExtents(
  { length, low, high }: Pick<Level, "length" | "low" | "high">,
  direction: Direction,
  title: number,
): readonly [number, number, number] {
  const { before, after, first, last } = FRAME[direction];
  const [along, across] = direction === "LR" ? [title, 0] : [0, title];
  const half = Math.max(high - low + first + last, across) / 2;
  return [Math.max(length + before + after, along), half, half];
}
