/*
 * Positions across the flow, by Brandes and Koepf, "Fast and Simple Horizontal Coordinate
 * Assignment" (2001): items are joined to blocks that run straight through the ranks, in four ways (from either end, to
 * either side); each way gives positions, and the average of the middle two is taken. Long
 * wires come out straight. Item sizes enter through `separation`.
 */

import { at, get, push } from "../collections";
import { seatOf, seatsIn, separation, type Layered } from "./types";

type Links = readonly (readonly number[])[];

/** Positions across the flow for every item of an ordered layered graph. */
export function coordinates(graph: Layered): number[] {
  const conflicts = innerConflicts(graph);
  const results: number[][] = [];
  for (const down of [true, false]) {
    for (const forward of [true, false]) results.push(oneWay(graph, down, forward, conflicts));
  }
  return balance(graph, results);
}

/** Pairs of edges where a wire's inner piece is crossed: the inner piece is kept straight. */
function innerConflicts(graph: Layered): Set<string> {
  const conflicts = new Set<string>();
  const { items, ranks, above } = graph;
  for (let r = 1; r < ranks.length; r += 1) {
    const upper = seatsIn(at(ranks, r - 1));
    const rank = at(ranks, r);
    let left = 0;
    let scanned = 0;
    rank.forEach((item, i) => {
      const inner = innerEnd(graph, item);
      if (inner === null && i < rank.length - 1) return;
      const right = inner === null ? upper.size : get(upper, inner);
      for (; scanned <= i; scanned += 1) {
        const to = at(rank, scanned);
        for (const from of at(above, to)) {
          const seat = seatOf(from, upper);
          const isInner = at(items, from).wire !== null && at(items, to).wire !== null;
          if ((seat < left || seat > right) && !isInner) conflicts.add(`${from} ${to}`);
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

function oneWay(
  graph: Layered,
  down: boolean,
  forward: boolean,
  conflicts: ReadonlySet<string>,
): number[] {
  const links: Links = down ? graph.above : graph.below;
  let ranks = graph.ranks.map((rank) => (forward ? rank : [...rank].reverse()));
  if (!down) ranks = ranks.reverse();
  const blocked = (from: number, to: number): boolean =>
    conflicts.has(down ? `${from} ${to}` : `${to} ${from}`);
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
  blocked: (from: number, to: number) => boolean,
  count: number,
): number[] {
  const root = Array.from({ length: count }, (_, i) => i);
  const next = [...root];
  for (let r = 1; r < ranks.length; r += 1) {
    const seats = seatsIn(at(ranks, r - 1));
    let limit = -1;
    for (const item of at(ranks, r)) {
      const near = at(links, item).filter((n) => seats.has(n));
      near.sort((a, b) => get(seats, a) - get(seats, b));
      const middle = (near.length - 1) / 2;
      for (const m of new Set([Math.floor(middle), Math.ceil(middle)])) {
        const from = near[m];
        if (from === undefined || next[item] !== item) continue;
        const seat = get(seats, from);
        if (blocked(from, item) || seat <= limit) continue;
        next[from] = item;
        root[item] = at(root, from);
        next[item] = root[item];
        limit = seat;
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
  const before = new Map<number, number>();
  for (const rank of ranks) {
    rank.forEach((item, i) => {
      const other = rank[i - 1];
      if (other !== undefined) before.set(item, other);
    });
  }
  const gap = (a: number, b: number): number => {
    const [x, y] = forward ? [a, b] : [b, a];
    return separation(at(graph.items, x), at(graph.items, y));
  };
  const blocks = blockGraph(root, before, gap);
  const place = new Array<number>(root.length).fill(0);
  for (const block of blocks.order) {
    for (const [other, distance] of blocks.from.get(block) ?? []) {
      place[block] = Math.max(at(place, block), at(place, other) + distance);
    }
  }
  pullTogether(blocks, place);
  return root.map((block) => at(place, block));
}

interface Blocks {
  /** Roots in an order in which every constraint leads forward. */
  readonly order: number[];
  readonly from: Map<number, [number, number][]>;
  readonly to: Map<number, [number, number][]>;
}

function blockGraph(
  root: readonly number[],
  before: ReadonlyMap<number, number>,
  gap: (a: number, b: number) => number,
): Blocks {
  const from = new Map<number, [number, number][]>();
  const to = new Map<number, [number, number][]>();
  const missing = new Map<number, number>();
  root.forEach((r) => missing.set(r, 0));
  for (const [item, other] of before) {
    const [a, b] = [at(root, other), at(root, item)];
    const distance = gap(other, item);
    push(from, b, [a, distance]);
    push(to, a, [b, distance]);
    missing.set(b, get(missing, b) + 1);
  }
  const order = [...missing].filter(([, n]) => n === 0).map(([r]) => r);
  for (const a of order) {
    for (const [b] of to.get(a) ?? []) {
      const left = get(missing, b) - 1;
      missing.set(b, left);
      if (left === 0) order.push(b); // and the walk goes on to it
    }
  }
  return { order, from, to };
}

/** Blocks with nothing before them move up to what follows, so that no hole stays between. */
function pullTogether(blocks: Blocks, place: number[]): void {
  for (const block of [...blocks.order].reverse()) {
    const after = blocks.to.get(block);
    if (blocks.from.has(block) || !after) continue;
    const start = at(place, block);
    const room = Math.min(...after.map(([b, distance]) => at(place, b) - distance - start));
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
