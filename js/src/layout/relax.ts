/* Shortens the wires of a layout across the flow. */

import { at } from "../collections";
import { pushApart } from "./settle";
import { gapsIn, type Layered } from "./types";

/** Inner pieces of long wires pull harder, so that these stay straight. */
const STRAIGHT = 6;
const ROUNDS = 12;

/**
 * Shortens the wires across the flow: rank by rank, there and back, each item wants to stand
 * at the mean of its neighbours, and the rank is pushed apart as little as that needs. The
 * order within ranks stays. Returns the positions with the least length seen.
 */
export function relax(graph: Layered, start: readonly number[]): number[] {
  const cross = [...start];
  let best = [...start];
  let shortest = length(graph, best);
  for (let round = 0; round < ROUNDS; round += 1) {
    const ranks = round % 2 === 0 ? graph.ranks : [...graph.ranks].reverse();
    for (const rank of ranks) relaxRank(graph, rank, cross);
    const now = length(graph, cross);
    if (now < shortest) {
      if (now > shortest * 0.999) return cross;
      shortest = now;
      best = [...cross];
    }
  }
  return best;
}

function relaxRank(graph: Layered, rank: readonly number[], cross: number[]): void {
  const { items, above, below } = graph;
  const wanted: number[] = [];
  const weights: number[] = [];
  for (const item of rank) {
    let sum = 0;
    let weight = 0;
    const { wire } = at(items, item);
    for (const near of [...at(above, item), ...at(below, item)]) {
      const pull = wire !== null && at(items, near).wire !== null ? STRAIGHT : 1;
      sum += pull * at(cross, near);
      weight += pull;
    }
    wanted.push(weight > 0 ? sum / weight : at(cross, item));
    weights.push(Math.max(weight, 0.1));
  }
  const placed = pushApart(wanted, gapsIn(graph, rank), weights);
  rank.forEach((item, k) => (cross[item] = at(placed, k)));
}

function length({ above }: Layered, cross: readonly number[]): number {
  let sum = 0;
  above.forEach((list, to) => {
    for (const from of list) sum += Math.abs(at(cross, from) - at(cross, to));
  });
  return sum;
}
