/* How far along the flow each box stands. */

import { at } from "../collections";
import type { LayoutBox, LayoutWire } from "./types";

/**
 * A rank for every box, so that every wire leads to a higher one: first the longest path, then
 * boxes are drawn towards the side where they have more wires, to keep the wires short.
 *
 * Steps are of two ranks between two cards (a pill stands between them), and that parity is
 * kept: an even rank holds cards and an odd one pills. `kept` are ranks that stay as they are,
 * unless a wire would lead back.
 */
export function assignRanks(
  boxes: readonly LayoutBox[],
  wires: readonly LayoutWire[],
  kept: ReadonlyMap<string, number> = new Map(),
): Map<string, number> {
  const index = new Map(boxes.map((box, i) => [box.key, i]));
  const ins: number[][] = boxes.map(() => []);
  const outs: number[][] = boxes.map(() => []);
  for (const wire of wires) {
    const from = index.get(wire.from);
    const to = index.get(wire.to);
    if (from === undefined || to === undefined) continue;
    at(outs, from).push(to);
    at(ins, to).push(from);
  }
  const order = topological(ins, outs);
  const ranks = boxes.map((box) => kept.get(box.key) ?? (box.kind === "pill" ? 1 : 0));
  const fixed = boxes.map((box) => kept.has(box.key) || box.kind === "in");
  for (const i of order) {
    let least = at(ranks, i);
    for (const from of at(ins, i)) {
      const next = at(ranks, from) + 1;
      if (next > least) least = next + ((next - least) % 2); // cards stay even, pills odd
    }
    if (least > at(ranks, i)) ranks[i] = least;
  }
  const end = ranks.reduce((most, rank) => Math.max(most, rank), 0);
  for (const i of lateOnes(boxes, outs)) {
    if (fixed[i]) continue;
    ranks[i] = Math.max(at(ranks, i), end - (end % 2) - 1);
    for (const j of at(outs, i)) ranks[j] = at(ranks, i) + 1;
    for (const j of [i, ...at(outs, i)]) fixed[j] = true;
  }
  for (let pass = 0; pass < 6; pass += 1) {
    const walk = pass % 2 === 0 ? [...order].reverse() : order;
    let moved = false;
    for (const i of walk) if (!fixed[i] && tighten(i, ranks, ins, outs, fixed)) moved = true;
    if (!moved) break;
  }
  const last = ranks.reduce((most, rank) => Math.max(most, rank), 0);
  boxes.forEach((box, i) => {
    if (box.kind === "out") ranks[i] = last + (last % 2);
  });
  return new Map(boxes.map((box, i) => [box.key, at(ranks, i)]));
}

/** Late pills that only make what nothing reads. */
function lateOnes(boxes: readonly LayoutBox[], outs: readonly number[][]): readonly number[] {
  return boxes.flatMap(({ late }, i) =>
    late && at(outs, i).every((j) => at(outs, j).length === 0) ? [i] : [],
  );
}

/** Moves a box (with the pill that makes it, or the card that it makes) to shorten its wires. */
function tighten(
  i: number,
  ranks: number[],
  ins: number[][],
  outs: number[][],
  fixed: readonly boolean[],
): boolean {
  const rank = (j: number): number => at(ranks, j);
  const into = at(ins, i);
  const [maker] = into;
  // A card goes with the pill that made it, so that the two stay neighbours.
  const together =
    maker !== undefined && into.length === 1 && at(outs, maker).length === 1 ? maker : null;
  if (together === null ? into.length > 0 : fixed[together]) return false;
  // A source that only this pill reads comes along, so its wire costs nothing.
  const bound = (j: number): boolean =>
    at(ins, j).length > 0 || at(outs, j).length > 1 || at(fixed, j);
  const above = together === null ? [] : at(ins, together).filter(bound);
  const below = at(outs, i);
  if (below.length === 0 || above.length > below.length) return false;
  const room = Math.min(...below.map(rank)) - 1 - rank(i);
  const step = room - (room % 2);
  if (step <= 0) return false;
  ranks[i] = rank(i) + step;
  if (together !== null) ranks[together] = rank(together) + step;
  return true;
}

/** Indices so that every edge leads forward, but for those that lead back to the oldest of a circle. */
function topological(ins: readonly number[][], outs: readonly number[][]): number[] {
  const missing = ins.map((list) => list.length);
  const order: number[] = [];
  missing.forEach((n, i) => {
    if (n === 0) order.push(i);
  });
  const reached = missing.map((n) => n === 0);
  let oldest = 0;
  for (let next = 0; next < ins.length; next += 1) {
    if (next === order.length) {
      while (reached[oldest]) oldest += 1;
      order.push(oldest);
      reached[oldest] = true;
    }
    for (const to of at(outs, at(order, next))) {
      const left = at(missing, to) - 1;
      missing[to] = left;
      if (left > 0 || reached[to]) continue;
      order.push(to);
      reached[to] = true;
    }
  }
  return order;
}
