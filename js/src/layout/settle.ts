import { separation, type Layered, type Layout, type Place } from "./types";

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
  seated: ReadonlyMap<string, Place>,
  passes: Layout["passes"],
): number[] {
  const { items } = graph;
  const known = items.map((item) => {
    if (item.wire === null) return seated.get(item.key)?.cross;
    return passes.get(item.wire)?.find((at) => at.rank === item.rank)?.cross;
  });
  const wanted = wish(graph, known);
  const weights = items.map((item, i) => {
    if (known[i] === undefined) return NEW;
    return item.wire === null ? OLD_BOX : OLD_PASS;
  });
  const result = new Array<number>(items.length).fill(0);
  for (const rank of graph.ranks) {
    const byWish = (a: number, b: number): number =>
      (wanted[a] ?? 0) - (wanted[b] ?? 0) || (items[a]?.age ?? 0) - (items[b]?.age ?? 0);
    const order = rank.filter((i) => known[i] !== undefined).sort(byWish);
    for (const item of rank.filter((i) => known[i] === undefined).sort(byWish)) {
      insert(graph, order, item, wanted, weights);
    }
    rank.splice(0, rank.length, ...order);
    const { placed } = arrange(graph, order, wanted, weights);
    order.forEach((item, k) => (result[item] = placed[k] ?? 0));
  }
  return result;
}

/** Seats beyond the nearest ones that are tried on either side. */
const REACH = 4;

/** Puts an item where it disturbs the others least, in the seat it wants or one near that. */
function insert(
  graph: Layered,
  order: number[],
  item: number,
  wanted: readonly number[],
  weights: readonly number[],
): void {
  const wish = order.filter((other) => (wanted[other] ?? 0) <= (wanted[item] ?? 0)).length;
  const seats = new Set([wish]);
  for (let step = 1; step <= REACH; step += 1) {
    seats.add(Math.min(order.length, wish + step)).add(Math.max(0, wish - step));
  }
  let best = wish;
  let least = Infinity;
  for (const seat of seats) {
    const { cost } = arrange(graph, order.toSpliced(seat, 0, item), wanted, weights);
    if (cost < least) [least, best] = [cost, seat];
  }
  order.splice(best, 0, item);
}

/** Positions for a rank in an order, and how far they are from the wanted ones. */
function arrange(
  { items }: Layered,
  order: readonly number[],
  wanted: readonly number[],
  weights: readonly number[],
): { placed: number[]; cost: number } {
  const gaps = order.map((item, k) => {
    const [a, b] = [items[order[k - 1] ?? -1], items[item]];
    return a && b ? separation(a, b) : 0;
  });
  const at = order.map((i) => wanted[i] ?? 0);
  const weight = order.map((i) => weights[i] ?? 1);
  const placed = pushApart(at, gaps, weight);
  const cost = placed.reduce((sum, x, k) => sum + (weight[k] ?? 1) * (x - (at[k] ?? 0)) ** 2, 0);
  return { placed, cost };
}

/** Wanted positions for items not drawn before: the mean of their neighbours'. */
export function wish(graph: Layered, known: readonly (number | undefined)[]): number[] {
  const wanted = [...known];
  const mean = (ids: readonly number[]): number | undefined => {
    const at = ids.map((i) => wanted[i]).filter((x) => x !== undefined);
    return at.length > 0 ? at.reduce((sum, x) => sum + x, 0) / at.length : undefined;
  };
  for (const rank of graph.ranks) for (const i of rank) wanted[i] ??= mean(graph.above[i] ?? []);
  for (const rank of [...graph.ranks].reverse()) {
    for (const i of rank) wanted[i] ??= mean(graph.below[i] ?? []);
  }
  return wanted.map((x) => x ?? 0);
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
  wanted.forEach((at, k) => {
    const weight = weights[k] ?? 1;
    let pool = { sum: (at - (offsets[k] ?? 0)) * weight, weight, count: 1 };
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
      result.push(sum / weight + (offsets[result.length] ?? 0));
    }
  }
  return result;
}
