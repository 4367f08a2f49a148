/* Ranks become columns along the flow. */

import { at, get, push } from "../collections";
import type { Gaps } from "../graph/graph";
import { LOOSE } from "../layout/layout";
import type { Layout } from "../layout/types";
import type { Direction } from "./flow";

/** Of each box the size along the flow, and what it reaches to either side. */
export type Sizes = ReadonlyMap<string, readonly [number, number, number]>;

/** From a rank to where it begins and ends along the flow. */
export type Columns = (rank: number) => readonly [number, number];

/** Space between a card and the pill after it (numbers stand there), and after a pill. */
const GAPS = {
  wide: { LR: [62, 24], TD: [44, 20] },
  tight: { LR: [50, 14], TD: [40, 16] },
  narrow: { LR: [22, 16], TD: [24, 16] },
  brief: { LR: [20, 14], TD: [18, 12] },
} as const;

/** Space after a rank where nothing stands: a wire from pill to pill has its number there. */
const EMPTY = {
  wide: { LR: [38, 12], TD: [22, 10] },
  tight: { LR: [38, 12], TD: [22, 10] },
  narrow: { LR: [8, 8], TD: [8, 8] },
  brief: { LR: [8, 8], TD: [8, 8] },
} as const;
const SHELF_GAP = 28;

/** The columns of a layout. `sizes` are those of all its boxes, also of ones not drawn yet. */
export function columnsOf(
  sizes: Sizes,
  { places }: Pick<Layout, "places">,
  direction: Direction,
  gaps: Gaps,
): Columns {
  const lengths = new Map<number, number[]>();
  for (const [key, { rank }] of places) push(lengths, Math.max(rank, LOOSE), get(sizes, key)[0]);
  const depth = (rank: number): number =>
    (lengths.get(rank) ?? []).reduce((most, length) => Math.max(most, length), 0);
  let last = LOOSE;
  for (const rank of lengths.keys()) last = Math.max(last, rank);
  const spans: [number, number][] = [];
  let start = 0;
  for (let rank = 0; rank <= last; rank += 1) {
    const end = start + depth(rank);
    spans.push([start, end]);
    const gap = GAPS[gaps][direction][rank % 2 === 0 ? 0 : 1];
    start =
      end + (end === start && rank > 0 ? EMPTY[gaps][direction][rank % 2 === 0 ? 0 : 1] : gap);
  }
  const shelf = depth(LOOSE);
  return (rank) => {
    if (rank >= 0) return at(spans, rank);
    const from = (LOOSE - rank) * (shelf + SHELF_GAP);
    return [from, from + shelf];
  };
}
