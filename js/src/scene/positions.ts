/* Where boxes and frames stand in the flow: each box gets its position in a column. */

import { get } from "../collections";
import type { Box } from "../graph/draw/boxes";
import type { Frame, Graph } from "../graph/graph";
import { extents, FRAME, turned, type Direction } from "./flow";
import { placeIn, type Level, type Levels } from "./nested";

/** A box in the flow: where its rectangle begins (of a pill: the pill itself), and its size. */
export interface Position {
  readonly main: number;
  readonly cross: number;
  readonly length: number;
  readonly breadth: number;
}

/** A level in the flow: its columns and places count from here. */
export interface Ground {
  readonly level: Level;
  readonly main: number;
  readonly cross: number;
}

export interface Positions {
  readonly boxes: ReadonlyMap<string, Position & { readonly box: Box }>;
  readonly frames: ReadonlyMap<string, Position & { readonly frame: Frame }>;
  /** By the key of the frame, "" for what stands in none. */
  readonly grounds: ReadonlyMap<string, Ground>;
}

/** The positions of all boxes and frames of a graph; the levels have a place for each. */
export function positionsOf(graph: Graph, levels: Levels, direction: Direction): Positions {
  const boxes = new Map<string, Position & { box: Box }>();
  const frames = new Map<string, Position & { frame: Frame }>();
  const grounds = new Map<string, Ground>();
  const outermost = get(levels, "");
  const [mainOrigin, crossOrigin] = outermost.origin;
  grounds.set("", { level: outermost, main: mainOrigin, cross: crossOrigin });
  const air = FRAME[direction];
  for (const [key, frame] of graph.frames) {
    const { level, main, cross } = get(grounds, frame.home);
    const place = placeIn(graph, key);
    const spot = get(level.layout.places, place);
    const [length, before, after] = get(level.sizes, place);
    const start = main + level.columns(spot.rank)[0];
    const top = cross + spot.cross - before;
    frames.set(key, { frame, main: start, cross: top, length, breadth: before + after });
    const inner = get(levels, place);
    grounds.set(key, {
      level: inner,
      main: start + air.before,
      cross: top + air.first - inner.low,
    });
  }
  for (const [key, box] of graph.boxes) {
    const ground = get(grounds, graph.homes.get(key) ?? "");
    const place = get(ground.level.layout.places, placeIn(graph, key));
    const [start, end] = ground.level.columns(place.rank);
    const [length, breadth] = turned(direction, box.w, box.h);
    const [reach] = extents(box, direction);
    // Cards begin where their column begins, pills stand at the end of theirs: so the wire
    // from a pill to its card is short everywhere.
    const main = box.kind === "card" ? start : end - (reach + length) / 2;
    boxes.set(key, {
      box,
      main: ground.main + main,
      cross: ground.cross + place.cross - breadth / 2,
      length,
      breadth,
    });
  }
  return { boxes, frames, grounds };
}
