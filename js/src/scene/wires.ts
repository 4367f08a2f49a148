/* Wires as curves: the forward wire, and the gradient's way back beside it. */

import { at, get, groupBy } from "../collections";
import type { Graph, Wire } from "../graph/graph";
import type { Layout } from "../layout/types";
import { rectAt, turned, type Direction, type Point, type Rect } from "./flow";
import type { Columns, Seat } from "./seats";

export interface DrawnWire {
  readonly wire: Wire;
  /** SVG paths of the forward wire and of the gradient's way back beside it. */
  readonly forward: string;
  readonly backward: string;
  readonly label: Point;
  readonly box: Rect;
}

/** A point of the flow: along it and across it. */
type FlowPoint = readonly [main: number, cross: number];

/** From a forward wire to the backward one. */
const BESIDE = 5;

/** Between the labels of wires that join the same two boxes: text is wider than high. */
const LABEL_STEP = { LR: 14, TD: 28 } as const;

export function drawWires(
  graph: Graph,
  layout: Layout,
  seats: ReadonlyMap<string, Seat>,
  columns: Columns,
  direction: Direction,
): DrawnWire[] {
  const ports = spreadPorts(graph, layout);
  const ends = ({ from, to }: Wire): string => `${from} ${to}`;
  const twins = groupBy(graph.wires, ends);
  return graph.wires.map((wire) => {
    const [start, end] = get(ports, wire.key);
    const passes = layout.passes.get(wire.key) ?? [];
    const points = [
      leaving(get(seats, wire.from), start),
      ...passes.flatMap(({ rank, cross }) => columns(rank).map((main): FlowPoint => [main, cross])),
      entering(get(seats, wire.to), end),
    ];
    const back = points.map(([main, cross]): FlowPoint => [main, cross + BESIDE]).reverse();
    const same = get(twins, ends(wire));
    const shift = (same.indexOf(wire) - (same.length - 1) / 2) * LABEL_STEP[direction];
    return {
      wire,
      forward: smooth(points, direction),
      backward: smooth(back, direction),
      label: labelPoint(back, direction, shift),
      box: around(points, direction),
    };
  });
}

/** Small shifts of wire ends, so that wires into one pill or out of one card stay apart. */
function spreadPorts({ wires }: Graph, layout: Layout): Map<string, readonly [number, number]> {
  const cross = (key: string): number => get(layout.places, key).cross;
  const starts = spread(
    wires,
    (w) => w.from,
    (w) => layout.passes.get(w.key)?.at(0)?.cross ?? cross(w.to),
  );
  const ends = spread(
    wires,
    (w) => w.to,
    (w) => layout.passes.get(w.key)?.at(-1)?.cross ?? cross(w.from),
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

function leaving({ main, cross, length, breadth }: Seat, shift: number): FlowPoint {
  return [main + length, cross + breadth / 2 + shift];
}

function entering({ main, cross, breadth }: Seat, shift: number): FlowPoint {
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

/** The gradient's number stands on the wire next to the pill it comes from. */
function labelPoint(back: readonly FlowPoint[], direction: Direction, shift: number): Point {
  const [a, b] = [at(back, 0), at(back, 1)];
  const [x, y] = turned(direction, (a[0] + b[0]) / 2, (a[1] + b[1]) / 2 + shift);
  return { x, y };
}

function around(points: readonly FlowPoint[], direction: Direction): Rect {
  const mains = points.map(([main]) => main);
  const crosses = points.map(([, cross]) => cross);
  const [main, cross] = [Math.min(...mains), Math.min(...crosses)];
  return rectAt(direction, main, cross, Math.max(...mains) - main, Math.max(...crosses) - cross);
}
