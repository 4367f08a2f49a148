/* From ranked boxes to a layered graph, in which wires step from rank to rank. */

import { at, get } from "../collections";
import type { Item, Layered, LayoutBox, LayoutWire } from "./types";

/** Cuts wires that span several ranks into points, one on each rank they pass. */
export function layer(
  boxes: readonly LayoutBox[],
  wires: readonly LayoutWire[],
  rankOf: ReadonlyMap<string, number>,
): Layered {
  const items: Item[] = [];
  const index = new Map<string, number>();
  for (const box of boxes) {
    index.set(box.key, items.length);
    const { key, before, after, age, ordered = false } = box;
    items.push({ key, rank: get(rankOf, key), before, after, age, wire: null, ordered });
  }
  const edges: [number, number][] = [];
  for (const wire of wires) {
    const from = index.get(wire.from);
    const to = index.get(wire.to);
    if (from === undefined || to === undefined) continue;
    let last = from;
    const { rank: end, age } = at(items, to);
    if (end <= at(items, from).rank) continue; // part of a circle: it has no say
    for (let rank = at(items, from).rank + 1; rank < end; rank += 1) {
      edges.push([last, items.length]);
      last = items.length;
      const key = `${wire.key}@${rank}`;
      items.push({ key, rank, before: 0, after: 0, age, wire: wire.key, ordered: false });
    }
    edges.push([last, to]);
  }
  return { items, ranks: byRank(items), ...neighbours(items.length, edges) };
}

function byRank(items: readonly Item[]): number[][] {
  const most = items.reduce((top, item) => Math.max(top, item.rank), 0);
  const ranks: number[][] = Array.from({ length: most + 1 }, () => []);
  items.forEach((item, i) => at(ranks, item.rank).push(i));
  return ranks;
}

function neighbours(count: number, edges: readonly [number, number][]) {
  const above: number[][] = Array.from({ length: count }, () => []);
  const below: number[][] = Array.from({ length: count }, () => []);
  for (const [from, to] of edges) {
    at(below, from).push(to);
    at(above, to).push(from);
  }
  return { above, below };
}
