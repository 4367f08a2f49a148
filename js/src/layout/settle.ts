/* Fits what is new into a layout that stands still. */

import { at } from "../collections";
import { gapsIn, type Layered, type Layout, type Place } from "./types";

/** How hard an item holds to the place it wants: what was drawn before hardly moves. */
const OLD_BOX = 400;
const OLD_PASS = 20;
const NEW = 1;

/**
 * Positions across the flow that change as little as possible from the last picture: what is
 * new takes a place beside its neighbours, and each rank is pushed apart just as far as its
 * boxes need (weighted least squares, by pooling adjacent violators).
 */
export function settle(
  graph: Layered,
  placed: ReadonlyMap<string, Place>,
  passes: Layout["passes"],
): number[] {
  const { items } = graph;
  const known = items.map((item) => {
    if (item.wire === null) return placed.get(item.key)?.cross;
    return passes.get(item.wire)?.find((pass) => pass.rank === item.rank)?.cross;
  });
  const wanted = wish(graph, known);
  const weights = items.map((item, i) => {
    if (known[i] === undefined) return NEW;
    return item.wire === null ? OLD_BOX : OLD_PASS;
  });
  const result = new Array<number>(items.length).fill(0);
  for (const rank of graph.ranks) {
    const byWish = (a: number, b: number): number =>
      at(wanted, a) - at(wanted, b) || at(items, a).age - at(items, b).age;
    const order = rank.filter((i) => known[i] !== undefined).sort(byWish);
    for (const item of rank.filter((i) => known[i] === undefined).sort(byWish)) {
      insert(graph, order, item, wanted, weights);
    }
    rank.splice(0, rank.length, ...order);
    const { placed } = arrange(graph, order, wanted, weights);
    order.forEach((item, k) => (result[item] = at(placed, k)));
  }
  return result;
}

/** Slots beyond the nearest ones that are tried on either side. */
const REACH = 4;

/** Puts an item where it disturbs the others least, in the slot it wants or one near that. */
function insert(
  graph: Layered,
  order: number[],
  item: number,
  wanted: readonly number[],
  weights: readonly number[],
): void {
  const wish = order.filter((other) => at(wanted, other) <= at(wanted, item)).length;
  const slots = new Set([wish]);
  for (let step = 1; step <= REACH; step += 1) {
    slots.add(Math.min(order.length, wish + step)).add(Math.max(0, wish - step));
  }
  let best = wish;
  let least = Infinity;
  for (const slot of slots) {
    const { cost } = arrange(graph, order.toSpliced(slot, 0, item), wanted, weights);
    if (cost < least) [least, best] = [cost, slot];
  }
  order.splice(best, 0, item);
}

/** Positions for a rank in an order, and how far they are from the wanted ones. */
function arrange(
  graph: Layered,
  order: readonly number[],
  wanted: readonly number[],
  weights: readonly number[],
): { placed: number[]; cost: number } {
  const wishes = order.map((i) => at(wanted, i));
  const weight = order.map((i) => at(weights, i));
  const placed = pushApart(wishes, gapsIn(graph, order), weight);
  const cost = placed.reduce((sum, x, k) => sum + at(weight, k) * (x - at(wishes, k)) ** 2, 0);
  return { placed, cost };
}

/** Wanted positions for items not drawn before: the mean of their neighbours'. */
export function wish(graph: Layered, known: readonly (number | undefined)[]): number[] {
  const wanted = [...known];
  const mean = (ids: readonly number[]): number | undefined => {
    const near = ids.map((i) => wanted[i]).filter((x) => x !== undefined);
    return near.length > 0 ? near.reduce((sum, x) => sum + x, 0) / near.length : undefined;
  };
  for (const rank of graph.ranks) for (const i of rank) wanted[i] ??= mean(at(graph.above, i));
  for (const rank of [...graph.ranks].reverse()) {
    for (const i of rank) wanted[i] ??= mean(at(graph.below, i));
  }
  return wanted.map((x) => x ?? 0); // joined to nothing known: anywhere is as good
}

/**
 * The positions nearest to `wanted` (weighted squares) in the given order with at least
 * `gaps[k]` between item k - 1 and item k.
 */
export function pushApart(
  wanted: readonly number[],
  gaps: readonly number[],
  weights: readonly number[],
): number[] {
  let offset = 0;
  const offsets = gaps.map((gap, k) => (offset += k === 0 ? 0 : gap));
  const pools: { sum: number; weight: number; count: number }[] = [];
  wanted.forEach((wish, k) => {
    const weight = at(weights, k);
    let pool = { sum: (wish - at(offsets, k)) * weight, weight, count: 1 };
    for (let last = pools.at(-1); last; last = pools.at(-1)) {
      if (last.sum / last.weight <= pool.sum / pool.weight) break;
      pools.pop();
      pool = {
        sum: pool.sum + last.sum,
        weight: pool.weight + last.weight,
        count: pool.count + last.count,
      };
    }
    pools.push(pool);
  });
  const result: number[] = [];
  for (const { sum, weight, count } of pools) {
    for (let i = 0; i < count; i += 1) {
      result.push(sum / weight + at(offsets, result.length));
    }
  }
  return result;
}
