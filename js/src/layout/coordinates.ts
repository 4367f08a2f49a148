import { separation, type Layered } from "./types";

/*
 * Brandes and Koepf, "Fast and Simple Horizontal Coordinate Assignment" (2001): items are
 * joined to blocks that run straight through the ranks, in four ways (from either end, to
 * either side); each way gives positions, and the average of the middle two is taken. Long
 * wires come out straight. Item sizes enter through `separation`.
 */

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
    const upper = new Map((ranks[r - 1] ?? []).map((item, i) => [item, i]));
    const rank = ranks[r] ?? [];
    let left = 0;
    let scanned = 0;
    rank.forEach((item, i) => {
      const inner = innerEnd(graph, item);
      if (inner === null && i < rank.length - 1) return;
      const right = inner === null ? upper.size : (upper.get(inner) ?? 0);
      for (; scanned <= i; scanned += 1) {
        const to = rank[scanned] ?? 0;
        for (const from of above[to] ?? []) {
          const at = upper.get(from) ?? 0;
          const isInner = items[from]?.wire !== null && items[to]?.wire !== null;
          if ((at < left || at > right) && !isInner) conflicts.add(`${from} ${to}`);
        }
      }
      left = right;
    });
  }
  return conflicts;
}

function innerEnd({ items, above }: Layered, item: number): number | null {
  const from = above[item]?.[0];
  if (items[item]?.wire === null || from === undefined) return null;
  return items[from]?.wire === null ? null : from;
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
  const { root, next } = align(ranks, links, blocked, graph.items.length);
  const placed = compact(graph, ranks, root, next, forward);
  return forward ? placed : placed.map((x) => -x);
}

/** Joins each item with the middle one of its neighbours on the rank before, if it can. */
function align(
  ranks: readonly (readonly number[])[],
  links: Links,
  blocked: (from: number, to: number) => boolean,
  count: number,
): { root: number[]; next: number[] } {
  const root = Array.from({ length: count }, (_, i) => i);
  const next = [...root];
  for (let r = 1; r < ranks.length; r += 1) {
    const at = new Map((ranks[r - 1] ?? []).map((item, i) => [item, i]));
    let limit = -1;
    for (const item of ranks[r] ?? []) {
      const near = (links[item] ?? []).filter((n) => at.has(n));
      near.sort((a, b) => (at.get(a) ?? 0) - (at.get(b) ?? 0));
      const middle = (near.length - 1) / 2;
      for (const m of new Set([Math.floor(middle), Math.ceil(middle)])) {
        const from = near[m];
        if (from === undefined || next[item] !== item) continue;
        const position = at.get(from) ?? 0;
        if (blocked(from, item) || position <= limit) continue;
        next[from] = item;
        root[item] = root[from] ?? from;
        next[item] = root[item];
        limit = position;
      }
    }
  }
  return { root, next };
}

/** Positions of the blocks: each as far to the start as its neighbours before it allow. */
function compact(
  graph: Layered,
  ranks: readonly (readonly number[])[],
  root: readonly number[],
  next: readonly number[],
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
    const [x, y] = [graph.items[forward ? a : b], graph.items[forward ? b : a]];
    return x && y ? separation(x, y) : 0;
  };
  const blocks = blockGraph(root, before, gap);
  const place = new Array<number>(root.length).fill(0);
  for (const block of blocks.order) {
    for (const [other, distance] of blocks.from.get(block) ?? []) {
      place[block] = Math.max(place[block] ?? 0, (place[other] ?? 0) + distance);
    }
  }
  pullTogether(blocks, place);
  return next.map((_, i) => place[root[i] ?? i] ?? 0);
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
    const [a, b] = [root[other] ?? other, root[item] ?? item];
    const distance = gap(other, item);
    push(from, b, [a, distance]);
    push(to, a, [b, distance]);
    missing.set(b, (missing.get(b) ?? 0) + 1);
  }
  const order = [...missing].filter(([, n]) => n === 0).map(([r]) => r);
  for (let head = 0; head < order.length; head += 1) {
    for (const [b] of to.get(order[head] ?? 0) ?? []) {
      const left = (missing.get(b) ?? 0) - 1;
      missing.set(b, left);
      if (left === 0) order.push(b);
    }
  }
  return { order, from, to };
}

function push<T>(lists: Map<number, T[]>, key: number, item: T): void {
  const list = lists.get(key);
  if (list) list.push(item);
  else lists.set(key, [item]);
}

/** Blocks with nothing before them move up to what follows, so that no hole stays between. */
function pullTogether(blocks: Blocks, place: number[]): void {
  for (const block of [...blocks.order].reverse()) {
    if ((blocks.from.get(block) ?? []).length > 0) continue;
    const after = blocks.to.get(block) ?? [];
    const room = Math.min(...after.map(([b, d]) => (place[b] ?? 0) - d - (place[block] ?? 0)));
    if (Number.isFinite(room) && room > 0) place[block] = (place[block] ?? 0) + room;
  }
}

/** The four results laid over the narrowest, then the average of the middle two. */
function balance(graph: Layered, results: readonly (readonly number[])[]): number[] {
  const spans = results.map((xs) => {
    let low = Infinity;
    let high = -Infinity;
    xs.forEach((x, i) => {
      low = Math.min(low, x - (graph.items[i]?.before ?? 0));
      high = Math.max(high, x + (graph.items[i]?.after ?? 0));
    });
    return [low, high] as const;
  });
  const widths = spans.map(([low, high]) => high - low);
  const narrowest = spans[widths.indexOf(Math.min(...widths))] ?? [0, 0];
  const shifts = spans.map(([low, high], i) =>
    i % 2 === 0 ? narrowest[0] - low : narrowest[1] - high,
  );
  return graph.items.map((_, i) => {
    const four = results.map((xs, k) => (xs[i] ?? 0) + (shifts[k] ?? 0)).sort((a, b) => a - b);
    return ((four[1] ?? 0) + (four[2] ?? 0)) / 2;
  });
}
