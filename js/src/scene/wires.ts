/* Wires as curves: the forward wire, and the gradient's way back beside it. */

import { at, get, groupBy } from "../collections";
import type { Graph } from "../graph/graph";
import type { Wire } from "../graph/draw/wire";
import { rectAt, turned, type Direction, type Point, type Rect } from "./flow";
import { crossed, gateKey, piecesOf, placeIn } from "./nested";
import type { Position, Positions } from "./positions";

export interface DrawnWire {
  readonly wire: Wire;
  /** SVG paths of the forward wire and of the gradient's way back beside it. */
  readonly forward: string;
  readonly backward: string;
  readonly label: LabelPlace;
  /** On the wire, beside the card that it joins. */
  readonly atCard: Point;
  /** Its number among the operands of its pill, where they do not stand in their order. */
  readonly operand: Operand | null;
  readonly box: Rect;
}

/** Which operand a wire brings, and where that is written: beside its end. */
export interface Operand extends Point {
  readonly nr: number;
}

/** Where the middle of a label stands, and how wide it may be. */
export interface LabelPlace extends Point {
  readonly room: number;
}

/** A point of the flow: along it and across it. */
type FlowPoint = readonly [main: number, cross: number];

/** From a forward wire to the backward one. */
const BESIDE = 5;

/** Between the labels of wires that join the same two boxes: text is wider than high. */
const LABEL_STEP = { LR: 14, TD: 28 } as const;

export function drawWires(graph: Graph, positions: Positions, direction: Direction): DrawnWire[] {
  const ends = ({ from, to }: Wire): string => `${from} ${to}`;
  const twins = groupBy(graph.wires, ends);
  const between = new Map(graph.wires.map((wire) => [wire.key, pointsOf(graph, wire, positions)]));
  const ports = spreadPorts(graph, positions, between);
  const numbers = operandNumbers(graph, ports);
  return graph.wires.map((wire) => {
    const [start, end] = get(ports, wire.key);
    const points = [
      leaving(get(positions.boxes, wire.from), start),
      ...get(between, wire.key),
      entering(get(positions.boxes, wire.to), end),
    ];
    const back = points.map(([main, cross]): FlowPoint => [main, cross + BESIDE]);
    if (wire.stepped !== true) back.reverse();
    const same = get(twins, ends(wire));
    const number = numbers.get(wire.key);
    const shift = (same.indexOf(wire) - (same.length - 1) / 2) * LABEL_STEP[direction];
    return {
      wire,
      forward: smooth(points, direction),
      backward: smooth(back, direction),
      label: labelPoint(back, direction, shift),
      atCard: besideCard(points, wire, direction),
      operand:
        number === undefined
          ? null
          : { nr: number.nr, ...besideEnd(points, number.side, direction) },
      box: around(points, direction),
    };
  });
}

/** Where a wire goes between its ends: past other boxes, and through the edges of frames. */
function pointsOf(
  graph: Graph,
  { key, from, to }: Wire,
  { frames, grounds }: Positions,
): FlowPoint[] {
  const place = placeIn(graph, key);
  const [out, into] = crossed(graph, from, to);
  const points: FlowPoint[] = [];
  const start = placeIn(graph, from);
  const gate = (frame: string, way: "in" | "out"): void => {
    const { level, cross } = get(grounds, frame);
    const position = get(frames, frame);
    const spot = get(level.layout.places, gateKey(way, start));
    points.push([
      way === "in" ? position.main : position.main + position.length,
      cross + spot.cross,
    ]);
  };
  piecesOf(graph, from, to).forEach(({ level }, i) => {
    const entered = into[i - out.length - 1];
    if (entered !== undefined) gate(entered, "in");
    const ground = get(grounds, level);
    for (const { rank, cross } of ground.level.layout.passes.get(place) ?? []) {
      for (const main of ground.level.columns(rank)) {
        points.push([ground.main + main, ground.cross + cross]);
      }
    }
    const left = out[i];
    if (left !== undefined) gate(left, "out");
  });
  return points;
}

/**
 * For the wires of pills whose operands do not stand in their order the number of each, and on
 * which side of its wire there is room for it.
 */
function operandNumbers(
  { boxes, wires }: Graph,
  ports: ReadonlyMap<string, readonly [number, number]>,
): Map<string, { nr: number; side: number }> {
  const numbers = new Map<string, { nr: number; side: number }>();
  const into = groupBy(
    wires.filter(({ way }) => way === "in"),
    ({ to }) => to,
  );
  for (const [key, all] of into) {
    const box = get(boxes, key);
    const operands = box.kind === "pill" ? box.operands : [];
    const shown = all.filter(({ value }) => operands.includes(value));
    shown.sort((a, b) => get(ports, a.key)[1] - get(ports, b.key)[1]);
    const order = shown.map(({ value }) => operands.indexOf(value));
    if (order.every((nr, i) => i === 0 || nr >= at(order, i - 1))) continue;
    shown.forEach((wire, i) => {
      const side = i === 0 ? -1 : i === shown.length - 1 ? 1 : 0;
      numbers.set(wire.key, { nr: at(order, i) + 1, side });
    });
  }
  return numbers;
}

/** Where the number of an operand stands: before the end of its wire, on one side of it. */
function besideEnd(points: readonly FlowPoint[], side: number, direction: Direction): Point {
  const [main, cross] = at(points, points.length - 1);
  const away = side < 0 ? -NUMBER : side > 0 ? NUMBER + BESIDE : 0;
  const [x, y] = turned(direction, main - (side === 0 ? 18 : 8), cross + away);
  return { x, y };
}

function besideCard(points: readonly FlowPoint[], { way }: Wire, direction: Direction): Point {
  const [main, cross] = at(points, way === "out" ? points.length - 1 : 0);
  const [x, y] = turned(direction, main + (way === "out" ? -14 : 14), cross + BESIDE / 2);
  return { x, y };
}

/** From a wire to the middle of its number. */
const NUMBER = 8;

/** Small shifts of wire ends, so that wires into one pill or out of one card stay apart. */
function spreadPorts(
  { wires }: Graph,
  { boxes }: Positions,
  between: ReadonlyMap<string, readonly FlowPoint[]>,
): Map<string, readonly [number, number]> {
  const middle = (key: string): number => {
    const { cross, breadth } = get(boxes, key);
    return cross + breadth / 2;
  };
  const starts = spread(
    wires,
    (w) => w.from,
    (w) => get(between, w.key).at(0)?.[1] ?? middle(w.to),
  );
  const ends = spread(
    wires,
    (w) => w.to,
    (w) => get(between, w.key).at(-1)?.[1] ?? middle(w.from),
  );
  return new Map(wires.map(({ key }) => [key, [get(starts, key), get(ends, key)]]));
}

/** The shifts at one end: wires at the same box are ordered by where they come from or go. */
function spread(
  wires: readonly Wire[],
  boxOf: (wire: Wire) => string,
  toward: (wire: Wire) => number,
): Map<string, number> {
  const shifts = new Map<string, number>();
  for (const list of groupBy(wires, boxOf).values()) {
    list.sort((a, b) => toward(a) - toward(b));
    const room = Math.min(11, 22 / Math.max(1, list.length - 1));
    list.forEach(({ key }, i) => {
      shifts.set(key, (i - (list.length - 1) / 2) * room - BESIDE / 2);
    });
  }
  return shifts;
}

function leaving({ main, cross, length, breadth }: Position, shift: number): FlowPoint {
  return [main + length, cross + breadth / 2 + shift];
}

function entering({ main, cross, breadth }: Position, shift: number): FlowPoint {
  return [main, cross + breadth / 2 + shift];
}

/** A path that leaves and enters along the flow and bends between the points. */
function smooth(points: readonly FlowPoint[], direction: Direction): string {
  const round = (n: number): number => Math.round(n * 10) / 10;
  const pen = ([main, cross]: FlowPoint): string =>
    turned(direction, round(main), round(cross)).join(" ");
  let path = `M${pen(at(points, 0))}`;
  for (let i = 1; i < points.length; i += 1) {
    const [a, b] = [at(points, i - 1), at(points, i)];
    const middle = (a[0] + b[0]) / 2;
    path += `C${pen([middle, a[1]])} ${pen([middle, b[1]])} ${pen(b)}`;
  }
  return path;
}

/** Room along the flow that a label needs. */
const LABEL_ROOM = 40;

/** The gradient's number stands on the wire next to the pill it comes from, where it has room. */
function labelPoint(points: readonly FlowPoint[], direction: Direction, shift: number): LabelPlace {
  // Pieces that run straight on are one.
  const back = points.filter((point, i) => {
    const [before, after] = [points[i - 1], points[i + 1]];
    if (!before || !after) return true;
    return Math.abs(before[1] - point[1]) > BESIDE || Math.abs(after[1] - point[1]) > BESIDE;
  });
  let best = 0;
  let most = 0;
  for (let i = 0; i + 1 < back.length && most < LABEL_ROOM; i += 1) {
    const room = Math.abs(at(back, i)[0] - at(back, i + 1)[0]);
    if (room > most) [best, most] = [i, room];
  }
  const [a, b] = [at(back, best), at(back, best + 1)];
  const [x, y] = turned(direction, (a[0] + b[0]) / 2, (a[1] + b[1]) / 2 + shift);
  return { x, y, room: direction === "LR" ? Math.abs(a[0] - b[0]) : Infinity };
}

function around(points: readonly FlowPoint[], direction: Direction): Rect {
  const mains = points.map(([main]) => main);
  const crosses = points.map(([, cross]) => cross);
  const [main, cross] = [Math.min(...mains), Math.min(...crosses)];
  return rectAt(direction, main, cross, Math.max(...mains) - main, Math.max(...crosses) - cross);
}
