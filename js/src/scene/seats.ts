/* Where boxes stand in the flow: ranks become columns, and each box gets its seat in one. */

import { at, get, push } from "../collections";
import type { Box } from "../graph/boxes";
import type { Graph } from "../graph/graph";
import { LOOSE } from "../layout/layout";
import type { Layout } from "../layout/types";
import { extents, turned, type Direction } from "./flow";

/** A box in the flow: where its rectangle begins (of a pill: the pill itself), and its size. */
export interface Seat {
  readonly box: Box;
  readonly main: number;
  readonly cross: number;
  readonly length: number;
  readonly breadth: number;
}

/** Of each box the size along the flow, and what it reaches to either side. */
export type Sizes = ReadonlyMap<string, readonly [number, number, number]>;

/** From a rank to where it begins and ends along the flow. */
export type Columns = (rank: number) => readonly [number, number];

/** Space between a card and the pill after it (numbers stand there), and after a pill. */
const GAPS = { LR: [62, 24], TD: [44, 20] } as const;
const SHELF_GAP = 28;

/** The columns of a layout. `sizes` are those of all its boxes, also of ones not drawn yet. */
export function columnsOf(sizes: Sizes, { places }: Layout, direction: Direction): Columns {
  const lengths = new Map<number, number[]>();
  for (const [key, { rank }] of places) push(lengths, Math.max(rank, LOOSE), get(sizes, key)[0]);
  const depth = (rank: number): number => Math.max(0, ...(lengths.get(rank) ?? []));
  const last = Math.max(...lengths.keys());
  const spans: [number, number][] = [];
  let start = 0;
  for (let rank = 0; rank <= last; rank += 1) {
    const end = start + depth(rank);
    spans.push([start, end]);
    start = end + GAPS[direction][rank % 2 === 0 ? 0 : 1];
  }
  const shelf = depth(LOOSE);
  return (rank) => {
    if (rank >= 0) return at(spans, rank);
    const from = (LOOSE - rank) * (shelf + SHELF_GAP);
    return [from, from + shelf];
  };
}

/** The seats of all boxes of a graph; the layout has a place for each. */
export function seatsOf(
  graph: Graph,
  layout: Layout,
  columns: Columns,
  direction: Direction,
): Map<string, Seat> {
  const seats = new Map<string, Seat>();
  for (const [key, box] of graph.boxes) {
    const place = get(layout.places, key);
    const [start, end] = columns(place.rank);
    const [length, breadth] = turned(direction, box.w, box.h);
    const [reach] = extents(box, direction);
    // Cards begin where their column begins, pills stand at the end of theirs: so the wire
    // from a pill to its card is short everywhere.
    const main = box.kind === "card" ? start : end - (reach + length) / 2;
    seats.set(key, { box, main, cross: place.cross - breadth / 2, length, breadth });
  }
  return seats;
}
