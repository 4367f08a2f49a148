import { extents, sized, type Box } from "../graph/boxes";
import type { Graph, Wire } from "../graph/graph";
import { bracketKey } from "../graph/keys";
import type { Layout } from "../layout/types";

/** Left to right or top down. */
export type Direction = "LR" | "TD";

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** A box with the top left corner of its rectangle (of a pill: of the pill itself). */
export interface Placed {
  readonly box: Box;
  readonly x: number;
  readonly y: number;
}

export interface DrawnWire {
  readonly wire: Wire;
  /** SVG paths of the forward wire and of the gradient's way back beside it. */
  readonly forward: string;
  readonly backward: string;
  readonly label: Point;
  readonly box: Rect;
}

export interface DrawnBracket {
  readonly key: string;
  readonly path: string;
  readonly label: Point;
}

export interface Rect {
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
}

export interface Scene {
  readonly direction: Direction;
  readonly boxes: ReadonlyMap<string, Placed>;
  readonly wires: readonly DrawnWire[];
  readonly wiresByKey: ReadonlyMap<string, DrawnWire>;
  readonly brackets: readonly DrawnBracket[];
  readonly bounds: Rect;
}

/** Space between a card and the pill after it (numbers stand there), and after a pill. */
const GAPS = { LR: [62, 24], TD: [44, 20] } as const;
const SHELF_GAP = 28;
const BESIDE = 5; // from a forward wire to the backward one

/** Of each box the size along the flow, and what it reaches to either side. */
export type Sizes = ReadonlyMap<string, readonly [number, number, number]>;

/** A moment of a picture that is known as a whole: what stands already, where it will stay. */
export function partOf(whole: Scene, graph: Graph): Scene {
  const boxes = new Map<string, Placed>();
  for (const [key, box] of graph.boxes) {
    const known = whole.boxes.get(key);
    if (!known) continue;
    if (known.box === box) boxes.set(key, known);
    else {
      const own = box.kind === "card" ? sized(box, known.box) : box;
      boxes.set(key, { box: own, x: known.x, y: known.y });
    }
  }
  const wires = graph.wires.flatMap((wire) => {
    const known = whole.wiresByKey.get(wire.key);
    if (!known || !boxes.has(wire.from) || !boxes.has(wire.to)) return [];
    return known.wire === wire ? known : { ...known, wire };
  });
  const shown = new Set(graph.brackets.map((b) => bracketKey(b.view, b.base)));
  return { ...whole, boxes, wires, brackets: whole.brackets.filter((b) => shown.has(b.key)) };
}

/**
 * Where everything stands in the plane. `sizes` are those of all boxes of the layout, also of
 * ones that are not drawn, so that columns do not move when these come.
 */
export function buildScene(
  graph: Graph,
  layout: Layout,
  sizes: Sizes,
  direction: Direction,
): Scene {
  const at = columns(sizes, layout, direction);
  const boxes = placeAll(graph, layout, at, direction);
  const wires = drawWires(graph, layout, boxes, at, direction);
  const views = new Map<string, number>(); // brackets of one base are drawn under each other
  const brackets = graph.brackets.flatMap((b) => {
    const [view, base] = [boxes.get(b.view), boxes.get(b.base)];
    if (!view || !base) return [];
    const row = views.get(b.base) ?? 0;
    views.set(b.base, row + 1);
    return [drawBracket(bracketKey(b.view, b.base), view, base, row)];
  });
  const wiresByKey = new Map(wires.map((drawn) => [drawn.wire.key, drawn]));
  const bounds = boundsOf(boxes.values(), direction);
  return { direction, boxes, wires, wiresByKey, brackets, bounds };
}

function placeAll(
  graph: Graph,
  layout: Layout,
  at: Columns,
  direction: Direction,
): Map<string, Placed> {
  const boxes = new Map<string, Placed>();
  for (const [key, box] of graph.boxes) {
    const place = layout.places.get(key);
    if (!place) continue;
    const [start, end] = at(place.rank);
    const [main] = extents(box, direction);
    // Cards begin where their column begins, pills stand at the end of theirs: so the wire
    // from a pill to its card is short everywhere.
    const from = box.kind === "card" ? start : end - (main + inner(box, direction)) / 2;
    const cross = place.cross - (direction === "LR" ? box.h : box.w) / 2;
    boxes.set(key, direction === "LR" ? { box, x: from, y: cross } : { box, x: cross, y: from });
  }
  return boxes;
}

function inner(box: Box, direction: Direction): number {
  return direction === "LR" ? box.w : box.h;
}

type Columns = (rank: number) => readonly [number, number];

/** From a rank to where it begins and ends along the flow. */
function columns(sizes: Sizes, layout: Layout, direction: Direction): Columns {
  const depths: number[] = [];
  let widest = 0;
  for (const [key, [main]] of sizes) {
    const rank = layout.places.get(key)?.rank ?? 0;
    if (rank < 0) widest = Math.max(widest, main);
    else depths[rank] = Math.max(depths[rank] ?? 0, main);
  }
  const starts: number[] = [];
  let x = 0;
  for (let rank = 0; rank < depths.length; rank += 1) {
    starts.push(x);
    x += (depths[rank] ?? 0) + GAPS[direction][rank % 2 === 0 ? 0 : 1];
  }
  return (rank) => {
    const start = rank < 0 ? (-1 - rank) * (widest + SHELF_GAP) : (starts[rank] ?? x);
    return [start, start + (rank < 0 ? widest : (depths[rank] ?? 0))];
  };
}

function drawWires(
  graph: Graph,
  layout: Layout,
  boxes: ReadonlyMap<string, Placed>,
  at: Columns,
  direction: Direction,
): DrawnWire[] {
  const ports = spreadPorts(graph, layout);
  const twins = new Map<string, number>(); // wires drawn so far between the same two boxes
  const totals = new Map<string, number>();
  for (const w of graph.wires) {
    totals.set(`${w.from} ${w.to}`, (totals.get(`${w.from} ${w.to}`) ?? 0) + 1);
  }
  return graph.wires.flatMap((wire) => {
    const [from, to] = [boxes.get(wire.from), boxes.get(wire.to)];
    if (!from || !to) return [];
    const [start, end] = ports.get(wire.key) ?? [0, 0];
    const points: Point[] = [leaving(from, direction, start)];
    for (const pass of layout.passes.get(wire.key) ?? []) {
      for (const main of at(pass.rank)) points.push(point(main, pass.cross, direction));
    }
    points.push(entering(to, direction, end));
    const beside = direction === "LR" ? { x: 0, y: BESIDE } : { x: BESIDE, y: 0 };
    const back = points.map((p) => ({ x: p.x + beside.x, y: p.y + beside.y })).reverse();
    const pair = `${wire.from} ${wire.to}`;
    const twin = twins.get(pair) ?? 0;
    twins.set(pair, twin + 1);
    return {
      wire,
      forward: smooth(points, direction),
      backward: smooth(back, direction),
      label: labelPoint(back, direction, (twin - ((totals.get(pair) ?? 1) - 1) / 2) * 14),
      box: around(points),
    };
  });
}

function point(main: number, cross: number, direction: Direction): Point {
  return direction === "LR" ? { x: main, y: cross } : { x: cross, y: main };
}

/** Small shifts of wire ends, so that wires into one pill or out of one card stay apart. */
function spreadPorts(graph: Graph, layout: Layout): Map<string, [number, number]> {
  const ends = new Map<string, [number, number]>();
  const cross = (key: string): number => layout.places.get(key)?.cross ?? 0;
  const side = (key: "from" | "to", slot: 0 | 1, step: number, far: "from" | "to"): void => {
    const byBox = new Map<string, Wire[]>();
    for (const wire of graph.wires) {
      const list = byBox.get(wire[key]);
      if (list) list.push(wire);
      else byBox.set(wire[key], [wire]);
    }
    for (const list of byBox.values()) {
      const toward = (w: Wire): number => {
        const passes = layout.passes.get(w.key);
        return (slot === 0 ? passes?.[0] : passes?.at(-1))?.cross ?? cross(w[far]);
      };
      list.sort((a, b) => toward(a) - toward(b));
      const room = Math.min(step, 22 / Math.max(1, list.length - 1));
      list.forEach((wire, i) => {
        const known = ends.get(wire.key) ?? [0, 0];
        known[slot] = (i - (list.length - 1) / 2) * room - BESIDE / 2;
        ends.set(wire.key, known);
      });
    }
  };
  side("from", 0, 11, "to");
  side("to", 1, 11, "from");
  return ends;
}

function leaving({ box, x, y }: Placed, direction: Direction, shift: number): Point {
  if (direction === "LR") return { x: x + box.w, y: y + box.h / 2 + shift };
  return { x: x + box.w / 2 + shift, y: y + box.h };
}

function entering({ box, x, y }: Placed, direction: Direction, shift: number): Point {
  if (direction === "LR") return { x, y: y + box.h / 2 + shift };
  return { x: x + box.w / 2 + shift, y };
}

/** A path that leaves and enters along the flow and bends between the points. */
function smooth(points: readonly Point[], direction: Direction): string {
  const [start] = points;
  if (!start) return "";
  const r = (n: number): number => Math.round(n * 10) / 10;
  let path = `M${r(start.x)} ${r(start.y)}`;
  for (let i = 1; i < points.length; i += 1) {
    const [a, b] = [points[i - 1] ?? start, points[i] ?? start];
    if (direction === "LR") {
      const middle = r((a.x + b.x) / 2);
      path += `C${middle} ${r(a.y)} ${middle} ${r(b.y)} ${r(b.x)} ${r(b.y)}`;
    } else {
      const middle = r((a.y + b.y) / 2);
      path += `C${r(a.x)} ${middle} ${r(b.x)} ${middle} ${r(b.x)} ${r(b.y)}`;
    }
  }
  return path;
}

/** The gradient's number stands on the wire next to the pill it comes from. */
function labelPoint(back: readonly Point[], direction: Direction, shift: number): Point {
  const [a, b] = [back[0] ?? { x: 0, y: 0 }, back[1] ?? { x: 0, y: 0 }];
  const middle = { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 };
  if (direction === "LR") return { x: middle.x, y: middle.y + shift };
  return { x: middle.x + shift * 2, y: middle.y };
}

function around(points: readonly Point[]): Rect {
  const xs = points.map((p) => p.x);
  const ys = points.map((p) => p.y);
  const [x, y] = [Math.min(...xs), Math.min(...ys)];
  return { x, y, w: Math.max(...xs) - x, h: Math.max(...ys) - y };
}

/** A bracket along one side of the two cards, or joining them when they do not face. */
function drawBracket(key: string, view: Placed, base: Placed, row: number): DrawnBracket {
  const [a, b] = [base, view].map((p) => ({
    x: p.x + p.box.w / 2 + (p === base ? row * 7 : 0),
    top: p.y,
    bottom: p.y + p.box.h,
  })) as [Side, Side];
  const under = Math.max(a.bottom, b.bottom) + 13 + row * 9;
  const path =
    `M${a.x} ${a.bottom + 2}V${under - 6}Q${a.x} ${under} ${a.x + Math.sign(b.x - a.x) * 6} ${under}` +
    `H${b.x - Math.sign(b.x - a.x) * 6}Q${b.x} ${under} ${b.x} ${under - 6}V${b.bottom + 2}`;
  return { key, path, label: { x: a.x + (b.x - a.x) * 0.75, y: under } };
}

interface Side {
  readonly x: number;
  readonly top: number;
  readonly bottom: number;
}

/** The rectangle of a placed box, with a pill's slots. */
export function rectOf({ box, x, y }: Placed, direction: Direction): Rect {
  const [main, before, after] = extents(box, direction);
  if (direction === "LR") {
    return { x: x + (box.w - main) / 2, y: y + box.h / 2 - before, w: main, h: before + after };
  }
  return { x: x + box.w / 2 - before, y: y + (box.h - main) / 2, w: before + after, h: main };
}

export function boundsOf(boxes: Iterable<Placed>, direction: Direction): Rect {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const placed of boxes) {
    const { x, y, w, h } = rectOf(placed, direction);
    [left, top] = [Math.min(left, x), Math.min(top, y)];
    [right, bottom] = [Math.max(right, x + w), Math.max(bottom, y + h)];
  }
  if (left === Infinity) return { x: 0, y: 0, w: 0, h: 0 };
  return { x: left, y: top, w: right - left, h: bottom - top };
}
