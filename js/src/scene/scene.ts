/*
 * The scene: every box, wire and bracket of a graph with its place in the plane. It is built in
 * the flow (`positions.ts`, `wires.ts`) and turned into the plane here.
 */

import { get, groupBy } from "../collections";
import type { Box } from "../graph/draw/boxes";
import { sized } from "../graph/draw/cards";
import type { Bracket, Frame, Gaps, Graph } from "../graph/graph";
import { bracketKey } from "../graph/keys";
import { extents, rectAt, turned, type Direction, type Point, type Rect } from "./flow";
import { placeIn, type Levels } from "./nested";
import { positionsOf } from "./positions";
import { drawWires, type DrawnWire } from "./wires";

/** A box with the top left corner of its rectangle (of a pill: of the pill itself). */
export interface Placed {
  readonly box: Box;
  readonly x: number;
  readonly y: number;
  /** What the box is called in a loop: the same in each iteration. */
  readonly place: string;
  /** It was not in the iteration before. */
  readonly fresh: boolean;
}

/** An open group: a frame around what stands in it. */
export interface PlacedFrame extends Rect {
  readonly frame: Frame;
  readonly place: string;
}

export interface DrawnBracket {
  readonly key: string;
  readonly path: string;
  readonly label: Point;
}

export interface Scene {
  readonly direction: Direction;
  readonly gaps: Gaps;
  readonly boxes: ReadonlyMap<string, Placed>;
  /** Outer frames before inner ones. */
  readonly frames: ReadonlyMap<string, PlacedFrame>;
  readonly wires: readonly DrawnWire[];
  readonly wiresByKey: ReadonlyMap<string, DrawnWire>;
  readonly brackets: readonly DrawnBracket[];
  readonly bounds: Rect;
}

/** Where everything stands in the plane. */
export function buildScene(graph: Graph, levels: Levels, direction: Direction): Scene {
  const positions = positionsOf(graph, levels, direction);
  const wires = drawWires(graph, positions, direction);
  const boxes = new Map<string, Placed>();
  for (const [key, { box, main, cross }] of positions.boxes) {
    const [x, y] = turned(direction, main, cross);
    boxes.set(key, { box, x, y, place: placeIn(graph, key), fresh: graph.fresh.has(key) });
  }
  const frames = new Map<string, PlacedFrame>();
  for (const [key, { frame, main, cross, length, breadth }] of positions.frames) {
    const rect = rectAt(direction, main, cross, length, breadth);
    frames.set(key, { frame, place: placeIn(graph, key), ...rect });
  }
  const wiresByKey = new Map(wires.map((drawn) => [drawn.wire.key, drawn]));
  const brackets = drawBrackets(graph.brackets, boxes, direction);
  const bounds = boundsOf(boxes.values(), direction, frames.values());
  return {
    direction,
    gaps: graph.gaps,
    boxes,
    frames,
    wires,
    wiresByKey,
    brackets,
    bounds,
  };
}

/** A moment of a picture that is known as a whole: what stands already, where it will stay. */
export function partOf(whole: Scene, graph: Graph): Scene {
  const boxes = new Map<string, Placed>();
  for (const [key, box] of graph.boxes) {
    const known = whole.boxes.get(key);
    if (!known) continue;
    if (known.box === box) boxes.set(key, known);
    else {
      const own = box.kind === "card" ? sized(box, known.box) : box;
      boxes.set(key, { ...known, box: own });
    }
  }
  const frames = new Map<string, PlacedFrame>();
  for (const [key, frame] of graph.frames) {
    const known = whole.frames.get(key);
    if (known) frames.set(key, { ...known, frame });
  }
  const wires = graph.wires.flatMap((wire) => {
    const known = whole.wiresByKey.get(wire.key);
    if (!known || !boxes.has(wire.from) || !boxes.has(wire.to)) return [];
    return known.wire === wire ? known : { ...known, wire };
  });
  const shown = new Set(graph.brackets.map((b) => bracketKey(b.view, b.base)));
  return {
    ...whole,
    boxes,
    frames,
    wires,
    brackets: whole.brackets.filter((b) => shown.has(b.key)),
  };
}

/** Brackets of one base are drawn under each other. */
function drawBrackets(
  brackets: readonly Bracket[],
  boxes: ReadonlyMap<string, Placed>,
  direction: Direction,
): DrawnBracket[] {
  if (brackets.length === 0) return [];
  const byBase = groupBy(brackets, ({ base }) => base);
  const rects = [...boxes.values()].map((placed) => rectOf(placed, direction));
  const isFree = ({ x, y }: Point): boolean =>
    !rects.some(
      (r) => Math.abs(r.x + r.w / 2 - x) < r.w / 2 + 17 && y > r.y - 8 && y < r.y + r.h + 8,
    );
  return brackets.map((bracket) => {
    const { view, base } = bracket;
    const row = get(byBase, base).indexOf(bracket);
    return drawBracket(bracketKey(view, base), get(boxes, view), get(boxes, base), row, isFree);
  });
}

/** Where a bracket's label may stand, as shares of its length: where it covers no box. */
const LABEL_PLACES = [0.75, 0.6, 0.9, 0.45, 0.3, 0.15];

/** A bracket along one side of the two cards, or joining them when they do not face. */
function drawBracket(
  key: string,
  view: Placed,
  base: Placed,
  row: number,
  isFree: (label: Point) => boolean,
): DrawnBracket {
  const [a, b] = [base, view].map((p) => ({
    x: p.x + p.box.w / 2 + (p === base ? row * 7 : 0),
    top: p.y,
    bottom: p.y + p.box.h,
  })) as [Side, Side];
  const under = Math.max(a.bottom, b.bottom) + 13 + row * 9;
  const path =
    `M${a.x} ${a.bottom + 2}V${under - 6}Q${a.x} ${under} ${a.x + Math.sign(b.x - a.x) * 6} ${under}` +
    `H${b.x - Math.sign(b.x - a.x) * 6}Q${b.x} ${under} ${b.x} ${under - 6}V${b.bottom + 2}`;
  const labels = LABEL_PLACES.map((share) => ({ x: a.x + (b.x - a.x) * share, y: under }));
  return { key, path, label: labels.find(isFree) ?? { x: a.x + (b.x - a.x) * 0.75, y: under } };
}

interface Side {
  readonly x: number;
  readonly top: number;
  readonly bottom: number;
}

/** The rectangle of a placed box, with a pill's slots. */
export function rectOf({ box, x, y }: Placed, direction: Direction): Rect {
  const [main, cross] = turned(direction, x, y);
  const [length, breadth] = turned(direction, box.w, box.h);
  const [reach, before, after] = extents(box, direction);
  const top = cross + breadth / 2 - before;
  return rectAt(direction, main + (length - reach) / 2, top, reach, before + after);
}

export function boundsOf(
  boxes: Iterable<Placed>,
  direction: Direction,
  frames: Iterable<Rect> = [],
): Rect {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  const rects = [...frames];
  for (const placed of boxes) rects.push(rectOf(placed, direction));
  for (const { x, y, w, h } of rects) {
    [left, top] = [Math.min(left, x), Math.min(top, y)];
    [right, bottom] = [Math.max(right, x + w), Math.max(bottom, y + h)];
  }
  if (left === Infinity) return { x: 0, y: 0, w: 0, h: 0 };
  return { x: left, y: top, w: right - left, h: bottom - top };
}
