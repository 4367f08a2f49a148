/* The order within each rank, so that few wires cross. */

import { at, get } from "../collections";
import { seatOf, seatsIn, type Layered } from "./types";

/** Sweeps up and down that bring no better order before we stop. */
const PATIENCE = 6;
const MOST_SWEEPS = 24;

/**
 * Orders each rank to have few crossings: barycentre and median sweeps in turn, with
 * neighbours exchanged where that helps. It starts from `seed` (a wanted position across for
 * each item) and, when the seed is no more than a guess, also from the orders in which walks
 * through the graph meet the items; the best order seen is kept. Deterministic.
 */
export function orderRanks(graph: Layered, seed: readonly number[], guess = false): void {
  const seeds = [seed];
  if (guess)
    seeds.push(walk(graph, graph.below, graph.above), walk(graph, graph.above, graph.below));
  let best: number[][] = [];
  let fewest = Infinity;
  for (const start of seeds) {
    for (const rank of graph.ranks) stableSort(rank, (i) => at(start, i));
    const count = improve(graph);
    if (count < fewest) {
      fewest = count;
      best = graph.ranks.map((rank) => [...rank]);
    }
    if (fewest === 0) break;
  }
  best.forEach((rank, r) => at(graph.ranks, r).splice(0, rank.length, ...rank));
}

/** Sweeps from the order at hand; leaves the best order found and returns its crossings. */
function improve(graph: Layered): number {
  let best = graph.ranks.map((rank) => [...rank]);
  let fewest = crossings(graph);
  let waited = 0;
  for (let sweep = 0; sweep < MOST_SWEEPS && fewest > 0 && waited < PATIENCE; sweep += 1) {
    sweepOnce(graph, sweep % 2 === 0, sweep % 4 < 2 ? barycentre : median);
    transpose(graph);
    const count = crossings(graph);
    waited = count < fewest ? 0 : waited + 1;
    if (count < fewest) {
      fewest = count;
      best = graph.ranks.map((rank) => [...rank]);
    }
  }
  best.forEach((rank, r) => at(graph.ranks, r).splice(0, rank.length, ...rank));
  return fewest;
}

/** When a walk from the ends, depth first and back, meets each item. */
function walk(graph: Layered, toEnds: Layered["above"], from: Layered["above"]): number[] {
  const met = new Array<number>(graph.items.length).fill(-1);
  let time = 0;
  for (const [start, ends] of toEnds.entries()) {
    if (ends.length > 0) continue;
    const stack = [start];
    for (let item = stack.pop(); item !== undefined; item = stack.pop()) {
      if (at(met, item) >= 0) continue;
      met[item] = time++;
      for (const next of [...at(from, item)].reverse()) stack.push(next);
    }
  }
  return met;
}

/** How many pairs of wires cross, counted between neighbouring ranks. */
export function crossings(graph: Layered): number {
  let count = 0;
  for (let r = 0; r + 1 < graph.ranks.length; r += 1) count += between(graph, r);
  return count;
}

/** Crossings below one rank, with a Fenwick tree over the positions of the next. */
function between(graph: Layered, r: number): number {
  const lower = at(graph.ranks, r + 1);
  const seats = seatsIn(lower);
  const tree = new Int32Array(lower.length + 1);
  let count = 0;
  let seen = 0;
  for (const item of at(graph.ranks, r)) {
    const ends = at(graph.below, item).map((to) => seatOf(to, seats));
    for (const end of ends) {
      let before = 0;
      for (let i = end + 1; i > 0; i -= i & -i) before += at(tree, i);
      count += seen - before;
    }
    for (const end of ends) {
      for (let i = end + 1; i < tree.length; i += i & -i) tree[i] = at(tree, i) + 1;
    }
    seen += ends.length;
  }
  return count;
}

type Centre = (sorted: readonly number[]) => number;

const barycentre: Centre = (sorted) => sorted.reduce((sum, x) => sum + x, 0) / sorted.length;

const median: Centre = (sorted) => {
  const middle = sorted.length >> 1;
  const upper = at(sorted, middle);
  return sorted.length % 2 === 1 ? upper : (upper + at(sorted, middle - 1)) / 2;
};

function sweepOnce(graph: Layered, down: boolean, centre: Centre): void {
  const { ranks } = graph;
  const links = down ? graph.above : graph.below;
  for (let step = 1; step < ranks.length; step += 1) {
    const r = down ? step : ranks.length - 1 - step;
    const rank = at(ranks, r);
    const fixed = seatsIn(at(ranks, down ? r - 1 : r + 1));
    // Items with nothing on that side keep their seats; the others share the rest.
    const linked = rank.filter((item) => at(links, item).length > 0);
    const seats = linked.map((item) => rank.indexOf(item));
    stableSort(linked, (item) =>
      centre(
        at(links, item)
          .map((i) => seatOf(i, fixed))
          .sort((x, y) => x - y),
      ),
    );
    seats.forEach((seat, i) => (rank[seat] = at(linked, i)));
  }
}

/** Exchanges neighbours where that removes crossings. */
function transpose(graph: Layered): void {
  for (let round = 0; round < 4; round += 1) {
    let swaps = 0;
    graph.ranks.forEach((rank, r) => {
      const up = seatsIn(graph.ranks[r - 1] ?? []);
      const down = seatsIn(graph.ranks[r + 1] ?? []);
      for (let i = 0; i + 1 < rank.length; i += 1) {
        const [a, b] = [at(rank, i), at(rank, i + 1)];
        const gain =
          saved(at(graph.above, a), at(graph.above, b), up) +
          saved(at(graph.below, a), at(graph.below, b), down);
        if (gain <= 0) continue;
        rank[i] = b;
        rank[i + 1] = a;
        swaps += 1;
      }
    });
    if (swaps === 0) return;
  }
}

/**
 * How many crossings are saved on one side when two neighbours are exchanged, whose wires end at
 * `first` and `second`.
 */
function saved(
  first: readonly number[],
  second: readonly number[],
  seats: ReadonlyMap<number, number>,
): number {
  let count = 0;
  for (const one of first) {
    const seat = seatOf(one, seats);
    for (const other of second) count += Math.sign(seat - seatOf(other, seats));
  }
  return count;
}

function stableSort(items: number[], key: (item: number) => number): void {
  const keys = new Map(items.map((item) => [item, key(item)]));
  items.sort((a, b) => get(keys, a) - get(keys, b));
}
