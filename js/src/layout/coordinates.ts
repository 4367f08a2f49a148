/*
 * Positions across the flow, by Brandes and Koepf, "Fast and Simple Horizontal Coordinate
 * Assignment" (2001): items are joined to blocks that run straight through the ranks, in four ways (from either end, to
 * either side); each way gives positions, and the average of the middle two is taken. Long
 * wires come out straight. Item sizes enter through `separation`.
 */

import { at } from "../collections";
import { slotsIn, separation, takeSlots, type Layered } from "./types";

type Links = readonly (readonly number[])[];

/** Positions across the flow for every item of an ordered layered graph. */
export function coordinates(graph: Layered): number[] {
  const pair: PairOf = (from, to) => from * graph.items.length + to;
  const conflicts = innerConflicts(graph, pair);
  const results: number[][] = [];
  for (const down of [true, false]) {
    for (const forward of [true, false]) {
      const blocked: Blocked = (from, to) => conflicts.has(down ? pair(from, to) : pair(to, from));
      results.push(oneWay(graph, down, forward, blocked));
    }
  }
  return balance(graph, results);
}

/** For pairs of items one number. */
type PairOf = (from: number, to: number) => number;

/** Pairs of edges where a wire's inner piece is crossed: the inner piece is kept straight. */
function innerConflicts(graph: Layered, pair: PairOf): Set<number> {
  const conflicts = new Set<number>();
  const { items, ranks, above } = graph;
  const slots = slotsIn(graph);
  for (let r = 1; r < ranks.length; r += 1) {
    const rank = at(ranks, r);
    const width = at(ranks, r - 1).length;
    let left = 0;
    let scanned = 0;
    rank.forEach((item, i) => {
      const inner = innerEnd(graph, item);
      if (inner === null && i < rank.length - 1) return;
      const right = inner === null ? width : at(slots, inner);
      for (; scanned <= i; scanned += 1) {
        const to = at(rank, scanned);
        for (const from of at(above, to)) {
          const slot = at(slots, from);
          const isInner = at(items, from).wire !== null && at(items, to).wire !== null;
          if ((slot < left || slot > right) && !isInner) conflicts.add(pair(from, to));
        }
      }
      left = right;
    });
  }
  return conflicts;
}

function innerEnd({ items, above }: Layered, item: number): number | null {
  const [from] = at(above, item);
  if (at(items, item).wire === null || from === undefined) return null;
  return at(items, from).wire === null ? null : from;
}

type Blocked = (from: number, to: number) => boolean;

function oneWay(graph: Layered, down: boolean, forward: boolean, blocked: Blocked): number[] {
  const links: Links = down ? graph.above : graph.below;
  let ranks = graph.ranks.map((rank) => (forward ? rank : [...rank].reverse()));
  if (!down) ranks = ranks.reverse();
  const root = align(ranks, links, blocked, graph.items.length);
  const placed = compact(graph, ranks, root, forward);
  return forward ? placed : placed.map((x) => -x);
}

/**
 * Joins each item with the middle one of its neighbours on the rank before, if it can. Returns
 * for each item the first one of its block.
 */
function align(
  ranks: readonly (readonly number[])[],
  links: Links,
  blocked: Blocked,
  count: number,
): number[] {
  const root = Array.from({ length: count }, (_, i) => i);
  const next = [...root];
  const slots = new Int32Array(count);
  ranks.forEach((rank) => {
    takeSlots(slots, rank);
  });
  for (let r = 1; r < ranks.length; r += 1) {
    let limit = -1;
    for (const item of at(ranks, r)) {
      const near = at(links, item);
      const sorted = near.length > 1 ? [...near].sort((a, b) => at(slots, a) - at(slots, b)) : near;
      const middle = (near.length - 1) / 2;
      for (const m of middle % 1 === 0 ? [middle] : [Math.floor(middle), Math.ceil(middle)]) {
        const from = sorted[m];
        if (from === undefined || next[item] !== item) continue;
        const slot = at(slots, from);
        if (blocked(from, item) || slot <= limit) continue;
        next[from] = item;
        root[item] = at(root, from);
        next[item] = at(root, from);
        limit = slot;
      }
    }
  }
  return root;
}

/** Positions of the blocks: each as far to the start as its neighbours before it allow. */
function compact(
  graph: Layered,
  ranks: readonly (readonly number[])[],
  root: readonly number[],
  forward: boolean,
): number[] {
  const gap = (a: number, b: number): number => {
    const [x, y] = forward ? [a, b] : [b, a];
    return separation(at(graph.items, x), at(graph.items, y));
  };
  const blocks = blockGraph(ranks, root, gap);
  const place = new Array<number>(root.length).fill(0);
  for (const block of blocks.order) {
    const start = at(place, block);
    for (const { to, distance } of at(blocks.after, block)) {
      place[to] = Math.max(at(place, to), start + distance);
    }
  }
  pullTogether(blocks, place);
  return root.map((block) => at(place, block));
}

interface Blocks {
  /** Roots in an order in which every constraint leads forward. */
  readonly order: readonly number[];
  /** By root: the blocks that stand after it, and how far at least. */
  readonly after: readonly (readonly { readonly to: number; readonly distance: number }[])[];
  /** By root: how many stand before it. */
  readonly before: Int32Array;
}

function blockGraph(
  ranks: readonly (readonly number[])[],
  root: readonly number[],
  gap: (a: number, b: number) => number,
): Blocks {
  const after: { to: number; distance: number }[][] = root.map(() => []);
  const before = new Int32Array(root.length);
  for (const rank of ranks) {
    for (let i = 1; i < rank.length; i += 1) {
      const [other, item] = [at(rank, i - 1), at(rank, i)];
      const to = at(root, item);
      at(after, at(root, other)).push({ to, distance: gap(other, item) });
      before[to] = at(before, to) + 1;
    }
  }
  const missing = Int32Array.from(before);
  const order: number[] = [];
  root.forEach((r, item) => {
    if (r === item && missing[r] === 0) order.push(r);
  });
  for (const a of order) {
    for (const { to } of at(after, a)) {
      const left = at(missing, to) - 1;
      missing[to] = left;
      if (left === 0) order.push(to); // and the walk goes on to it
    }
  }
  return { order, after, before };
}

/** Blocks with nothing before them move up to what follows, so that no hole stays between. */
function pullTogether({ order, after, before }: Blocks, place: number[]): void {
  for (let i = order.length - 1; i >= 0; i -= 1) {
    const block = at(order, i);
    const follow = at(after, block);
    if (at(before, block) > 0 || follow.length === 0) continue;
    const start = at(place, block);
    let room = Infinity;
    for (const { to, distance } of follow) {
      room = Math.min(room, at(place, to) - distance - start);
    }
    if (room > 0) place[block] = start + room;
  }
}

/** The four results laid over the narrowest, then the average of the middle two. */
function balance(graph: Layered, results: readonly (readonly number[])[]): number[] {
  const spans = results.map((xs) => {
    let low = Infinity;
    let high = -Infinity;
    xs.forEach((x, i) => {
      const { before, after } = at(graph.items, i);
      low = Math.min(low, x - before);
      high = Math.max(high, x + after);
    });
    return [low, high] as const;
  });
  const widths = spans.map(([low, high]) => high - low);
  const narrowest = at(spans, widths.indexOf(Math.min(...widths)));
  const shifts = spans.map(([low, high], i) =>
    i % 2 === 0 ? narrowest[0] - low : narrowest[1] - high,
  );
  return graph.items.map((_, i) => {
    const four = results.map((xs, k) => at(xs, i) + at(shifts, k)).sort((a, b) => a - b);
    return (at(four, 1) + at(four, 2)) / 2;
  });
}
