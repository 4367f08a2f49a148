/* The order within each rank, so that few wires cross. */

import { at } from "../collections";
import { slotsIn, takeSlots, type Layered } from "./types";

/** Sweeps up and down that bring no better order before we stop. */
const PATIENCE = 6;
const MOST_SWEEPS = 24;

/** Steps (items and wires looked at) that may be spent; a large graph gets fewer sweeps. */
export const MOST_STEPS = 2_000_000;

/** How much work was done, in items and wires looked at. */
export interface Work {
  steps: number;
}

/**
 * Orders each rank to have few crossings: barycentre and median sweeps in turn, with
 * neighbours exchanged where that helps. It starts from `seed` (a wanted position across for
 * each item) and, when the seed is no more than a guess, also from the orders in which walks
 * through the graph meet the items; the best order seen is kept: of those with equally few
 * crossings the one in which most operands stand in their order. Deterministic.
 */
export function orderRanks(graph: Layered, seed: readonly number[], guess = false): Work {
  const work: Work = { steps: 0 };
  const seeds = [seed];
  if (guess)
    seeds.push(walk(graph, graph.below, graph.above), walk(graph, graph.above, graph.below));
  let best: number[][] = [];
  let fewest = Infinity;
  for (const start of seeds) {
    if (best.length > 0 && work.steps > MOST_STEPS / 2) break;
    for (const rank of graph.ranks) stableSort(rank, (i) => at(start, i));
    const count = improve(graph, work) + disorder(graph);
    if (count < fewest) {
      fewest = count;
      best = graph.ranks.map((rank) => [...rank]);
    }
    if (fewest === 0) break;
  }
  restore(graph, best);
  return work;
}

/** Sweeps from the order at hand; leaves the best order found and returns its crossings. */
function improve(graph: Layered, work: Work): number {
  const slots = slotsIn(graph);
  let best = graph.ranks.map((rank) => [...rank]);
  let fewest = countCrossings(graph, slots, work);
  let waited = 0;
  for (let sweep = 0; sweep < MOST_SWEEPS && fewest > 0 && waited < PATIENCE; sweep += 1) {
    if (work.steps > MOST_STEPS) break;
    sweepOnce(graph, slots, sweep % 2 === 0, sweep % 4 < 2 ? barycentre : median, work);
    transpose(graph, slots, work);
    const count = countCrossings(graph, slots, work);
    waited = count < fewest ? 0 : waited + 1;
    if (count < fewest) {
      fewest = count;
      best = graph.ranks.map((rank) => [...rank]);
    }
  }
  restore(graph, best);
  return fewest;
}

/** How many pairs of operands stand in the other order than they are read in: less than 1 in all. */
function disorder(graph: Layered): number {
  const slots = slotsIn(graph);
  let [pairs, wrong] = [0, 0];
  graph.items.forEach(({ ordered }, item) => {
    const operands = ordered ? at(graph.above, item) : [];
    for (let i = 1; i < operands.length; i += 1) {
      pairs += 1;
      if (at(slots, at(operands, i)) < at(slots, at(operands, i - 1))) wrong += 1;
    }
  });
  return wrong / (pairs + 1);
}

function restore(graph: Layered, order: readonly number[][]): void {
  order.forEach((rank, r) => {
    const into = at(graph.ranks, r);
    rank.forEach((item, slot) => (into[slot] = item));
  });
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
      const next = at(from, item);
      for (let i = next.length - 1; i >= 0; i -= 1) stack.push(at(next, i));
    }
  }
  return met;
}

/** How many pairs of wires cross, counted between neighbouring ranks. */
export function crossings(graph: Layered): number {
  return countCrossings(graph, slotsIn(graph), { steps: 0 });
}

function countCrossings(graph: Layered, slots: Int32Array, work: Work): number {
  let count = 0;
  for (let r = 0; r + 1 < graph.ranks.length; r += 1) count += between(graph, slots, r, work);
  return count;
}

/** Crossings below one rank, with a Fenwick tree over the positions of the next. */
function between(graph: Layered, slots: Int32Array, r: number, work: Work): number {
  const upper = at(graph.ranks, r);
  const lower = at(graph.ranks, r + 1);
  if (upper.length < 2 || lower.length < 2) return 0;
  const tree = new Int32Array(lower.length + 1);
  let count = 0;
  let seen = 0;
  for (const item of upper) {
    const ends = at(graph.below, item);
    for (const to of ends) {
      let before = 0;
      for (let i = at(slots, to) + 1; i > 0; i -= i & -i) before += at(tree, i);
      count += seen - before;
    }
    for (const to of ends) {
      for (let i = at(slots, to) + 1; i < tree.length; i += i & -i) tree[i] = at(tree, i) + 1;
    }
    seen += ends.length;
  }
  work.steps += upper.length + seen;
  return count;
}

type Centre = (sorted: readonly number[]) => number;

const barycentre: Centre = (sorted) => sorted.reduce((sum, x) => sum + x, 0) / sorted.length;

const median: Centre = (sorted) => {
  const middle = sorted.length >> 1;
  const upper = at(sorted, middle);
  return sorted.length % 2 === 1 ? upper : (upper + at(sorted, middle - 1)) / 2;
};

function sweepOnce(
  graph: Layered,
  slots: Int32Array,
  down: boolean,
  centre: Centre,
  work: Work,
): void {
  const { ranks } = graph;
  const links = down ? graph.above : graph.below;
  const wanted = new Float64Array(graph.items.length);
  for (let k = 1; k < ranks.length; k += 1) {
    const rank = at(ranks, down ? k : ranks.length - 1 - k);
    // Items without wires to the fixed rank keep their slots; the others are sorted around them.
    const linked: number[] = [];
    const places: number[] = [];
    rank.forEach((item, slot) => {
      const near = at(links, item);
      work.steps += 1 + near.length;
      if (near.length === 0) return;
      linked.push(item);
      places.push(slot);
      const [only] = near;
      wanted[item] =
        near.length === 1 && only !== undefined
          ? at(slots, only)
          : centre(near.map((i) => at(slots, i)).sort((x, y) => x - y));
    });
    linked.sort((a, b) => at(wanted, a) - at(wanted, b));
    places.forEach((slot, i) => (rank[slot] = at(linked, i)));
    takeSlots(slots, rank);
  }
}

/** Exchanges neighbours where that removes crossings. */
function transpose(graph: Layered, slots: Int32Array, work: Work): void {
  // A rank is looked at again only when it or one beside it has changed.
  let changed = new Array<boolean>(graph.ranks.length).fill(true);
  for (let round = 0; round < 4; round += 1) {
    const next = new Array<boolean>(graph.ranks.length).fill(false);
    let swaps = 0;
    graph.ranks.forEach((rank, r) => {
      if (changed[r] !== true) return;
      for (let i = 0; i + 1 < rank.length; i += 1) {
        const [a, b] = [at(rank, i), at(rank, i + 1)];
        const gain =
          saved(at(graph.above, a), at(graph.above, b), slots, work) +
          saved(at(graph.below, a), at(graph.below, b), slots, work);
        if (gain <= 0) continue;
        rank[i] = b;
        rank[i + 1] = a;
        slots[b] = i;
        slots[a] = i + 1;
        swaps += 1;
        next[r] = true;
        if (r > 0) next[r - 1] = true;
        next[r + 1] = true;
      }
    });
    if (swaps === 0 || work.steps > MOST_STEPS) return;
    changed = next;
  }
}

/**
 * How many crossings are saved on one side when two neighbours are exchanged, whose wires end at
 * `first` and `second`.
 */
function saved(
  first: readonly number[],
  second: readonly number[],
  slots: Int32Array,
  work: Work,
): number {
  let count = 0;
  for (const one of first) {
    const slot = at(slots, one);
    for (const other of second) count += Math.sign(slot - at(slots, other));
  }
  work.steps += 1 + first.length * second.length;
  return count;
}

function stableSort(items: number[], key: (item: number) => number): void {
  items.sort((a, b) => key(a) - key(b));
}
