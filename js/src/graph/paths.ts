/*
 * The paths along which a leaf reaches an output, read off the backward graph: each edge has the
 * local derivative (a Jacobian matrix) that its node recorded when it ran. The product along a
 * path is that path's part of the derivative, and the parts add up to the whole.
 */

import { at, get } from "../collections";
import type { Matrix, Numeric } from "../log/events";
import type { Model, NodeRow } from "../log/model";

/** Rows are items of the output, columns items of the input; numbers in C order. */
export interface Jacobian {
  readonly rows: number;
  readonly columns: number;
  readonly numbers: readonly number[];
}

/** One edge of a path: a node, which of its edges, and its local derivative if recorded. */
export interface Hop {
  readonly node: number;
  readonly edge: number;
  readonly local: Jacobian | null;
}

export interface Path {
  /** From the output to the leaf. */
  readonly hops: readonly Hop[];
  /** The product along the path; null when some local derivative is not known. */
  readonly product: Jacobian | null;
}

export interface Paths {
  readonly paths: readonly Path[];
  /** How many there are; more than `paths` when not all are listed. */
  readonly count: number;
  /** The sum over all paths, also those not listed. */
  readonly sum: Jacobian | null;
}

/** The most paths that are listed: there can be exponentially many. */
export const MOST_PATHS = 24;

/** All paths from value `leaf` to value `output`; none when gradients do not flow between. */
export function findPaths(model: Model, leaf: number, output: number, most = MOST_PATHS): Paths {
  const none: Paths = { paths: [], count: 0, sum: null };
  const start = model.values.get(output)?.node;
  const goal = goalOf(model, leaf);
  if (start == null || goal === null || start === goal.node) return none;
  const order = reach(model, start, goal.node);
  const count = counts(model, order, goal);
  const total = get(count, start);
  if (total === 0) return none;
  const paths: Path[] = [];
  const stack: { node: number; hops: readonly Hop[] }[] = [{ node: start, hops: [] }];
  for (let top = stack.pop(); top && paths.length < most; top = stack.pop()) {
    const { hops } = top;
    if (top.node === goal.node) {
      paths.push({ hops, product: productOf(hops) });
      continue;
    }
    const node = model.nodes.get(top.node);
    if (!node) continue;
    for (const [edge, next] of goalEdges(node, count, goal).reverse()) {
      const hop: Hop = { node: node.node, edge, local: localOf(node, edge) };
      stack.push({ node: next, hops: [...hops, hop] });
    }
  }
  return { paths, count: total, sum: sumOver(model, order, start, goal) };
}

interface Goal {
  readonly node: number;
  /** For an intermediate value: which output of its node. Null for a leaf. */
  readonly nr: number | null;
}

/** Where paths to a value end: its AccumulateGrad, or the node that made it. */
function goalOf(model: Model, value: number): Goal | null {
  const row = model.values.get(value);
  if (row?.node != null) return { node: row.node, nr: row.nr };
  for (const node of model.nodes.values()) {
    if (node.variable === value) return { node: node.node, nr: null };
  }
  return null;
}

/** Nodes reachable from `start`, each after all nodes that lead to it. */
function reach(model: Model, start: number, goal: number): number[] {
  const missing = new Map<number, number>([[start, 0]]);
  const stack = [start];
  for (let id = stack.pop(); id !== undefined; id = stack.pop()) {
    if (id === goal) continue;
    for (const [next] of model.nodes.get(id)?.next ?? []) {
      if (next === null) continue;
      const known = missing.get(next);
      if (known === undefined) stack.push(next);
      missing.set(next, known === undefined ? 1 : known + 1);
    }
  }
  const order: number[] = [];
  const ready = [start];
  for (let id = ready.pop(); id !== undefined; id = ready.pop()) {
    order.push(id);
    if (id === goal) continue;
    for (const [next] of model.nodes.get(id)?.next ?? []) {
      if (next === null) continue;
      const left = get(missing, next) - 1;
      missing.set(next, left);
      if (left === 0) ready.push(next);
    }
  }
  return order;
}

/** For each node, how many paths lead from it to the goal. */
function counts(model: Model, order: readonly number[], goal: Goal): Map<number, number> {
  const count = new Map<number, number>();
  for (const id of [...order].reverse()) {
    if (id === goal.node) {
      count.set(id, 1);
      continue;
    }
    let paths = 0;
    for (const [next, nr] of model.nodes.get(id)?.next ?? []) {
      if (next === null || (next === goal.node && goal.nr !== null && nr !== goal.nr)) continue;
      paths += get(count, next);
    }
    count.set(id, paths);
  }
  return count;
}

/** The edges of a node by which paths lead to the goal, with the nodes that they lead to. */
function goalEdges(
  node: NodeRow,
  count: ReadonlyMap<number, number>,
  goal: Goal,
): [number, number][] {
  const edges: [number, number][] = [];
  node.next.forEach(([next, nr], edge) => {
    if (next === null || get(count, next) === 0) return;
    if (next === goal.node && goal.nr !== null && nr !== goal.nr) return;
    edges.push([edge, next]);
  });
  return edges;
}

function localOf(node: NodeRow, edge: number): Jacobian | null {
  const recorded: Matrix | null = node.local?.[edge] ?? null;
  return recorded && { ...recorded, numbers: recorded.numbers.map(toNumber) };
}

function toNumber(x: Numeric): number {
  if (typeof x === "number") return x;
  if (typeof x === "boolean") return x ? 1 : 0;
  return x === "inf" ? Infinity : x === "-inf" ? -Infinity : NaN;
}

function productOf(hops: readonly Hop[]): Jacobian | null {
  let product: Jacobian | null = null;
  for (const { local } of hops) {
    if (!local) return null;
    product = product === null ? local : multiply(product, local);
    if (product === null) return null;
  }
  return product;
}

/** The derivative of the output by the leaf, node by node, without listing paths. */
function sumOver(
  model: Model,
  order: readonly number[],
  start: number,
  goal: Goal,
): Jacobian | null {
  const inside = new Set(order);
  const so = new Map<number, Jacobian | null | "one">([[start, "one"]]);
  for (const id of order) {
    const here = so.get(id);
    const node = model.nodes.get(id);
    if (here === undefined || !node || id === goal.node) continue;
    for (const [edge, [next, nr]] of node.next.entries()) {
      if (next === null || !inside.has(next)) continue;
      if (next === goal.node && goal.nr !== null && nr !== goal.nr) continue;
      const local = localOf(node, edge);
      const part = here === "one" ? local : here && local ? multiply(here, local) : null;
      const known = so.get(next);
      so.set(next, known === undefined ? part : add(known === "one" ? null : known, part));
    }
  }
  const sum = so.get(goal.node);
  return sum === "one" ? null : (sum ?? null);
}

export function multiply(a: Jacobian, b: Jacobian): Jacobian | null {
  if (a.columns !== b.rows) return null;
  const numbers = new Array<number>(a.rows * b.columns).fill(0);
  for (let i = 0; i < a.rows; i += 1) {
    for (let k = 0; k < a.columns; k += 1) {
      const x = at(a.numbers, i * a.columns + k);
      for (let j = 0; j < b.columns; j += 1) {
        const cell = i * b.columns + j;
        numbers[cell] = at(numbers, cell) + x * at(b.numbers, k * b.columns + j);
      }
    }
  }
  return { rows: a.rows, columns: b.columns, numbers };
}

function add(a: Jacobian | null, b: Jacobian | null): Jacobian | null {
  if (!a || !b || a.numbers.length !== b.numbers.length) return null;
  return { ...a, numbers: a.numbers.map((x, i) => x + at(b.numbers, i)) };
}
