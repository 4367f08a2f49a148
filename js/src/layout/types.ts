/*
 * What the layout is given and what it gives. It knows boxes by key, kind and size only, and works along the *flow* ("main", one rank after
 * another) and *across* it; which of them is x is the caller's business. A box lies on a line of
 * flow at its `cross` position and reaches `before` and `after` to its sides.
 */

import { at } from "../collections";

export interface LayoutBox {
  readonly key: string;
  /**
   * Cards stand on even ranks, pills on odd ones. Gates are where wires come into a group from
   * outside (`in`, on the first rank) and leave it (`out`, on the last).
   */
  readonly kind: "card" | "pill" | "in" | "out";
  /** A pill that stands, with what it makes, at the end of the flow. */
  readonly late?: boolean;
  /** A pill whose wires come in an order that should be kept, if that crosses no more wires. */
  readonly ordered?: boolean;
  /** Size along the flow. */
  readonly main: number;
  readonly before: number;
  readonly after: number;
  /** Ties are settled by age. */
  readonly age: number;
}

export interface LayoutWire {
  readonly key: string;
  readonly from: string;
  readonly to: string;
}

export interface Place {
  readonly rank: number;
  readonly cross: number;
}

export interface Layout {
  readonly places: ReadonlyMap<string, Place>;
  /** Where a wire passes the ranks between its ends: rank -> cross position. */
  readonly passes: ReadonlyMap<string, readonly Place[]>;
}

/** Space between neighbours of one rank: two boxes, or a box and a wire that passes. */
export const GAP = 30;
export const WIRE_GAP = 14;

/** An item of a rank: a box, or the point where a long wire passes. */
export interface Item {
  readonly key: string;
  readonly rank: number;
  readonly before: number;
  readonly after: number;
  readonly age: number;
  readonly wire: string | null;
  readonly ordered: boolean;
}

export function separation(a: Item, b: Item): number {
  const gap = a.wire !== null || b.wire !== null ? WIRE_GAP : GAP;
  return a.after + gap + b.before;
}

/** For each item of a rank the least distance from the one before it; 0 for the first. */
export function gapsIn({ items }: Layered, rank: readonly number[]): number[] {
  return rank.map((item, k) =>
    k === 0 ? 0 : separation(at(items, at(rank, k - 1)), at(items, item)),
  );
}

/** Which slot of its rank each item has. */
export function slotsIn(graph: Layered): Int32Array {
  const slots = new Int32Array(graph.items.length);
  for (const rank of graph.ranks) takeSlots(slots, rank);
  return slots;
}

/** Notes the slots of one rank. */
export function takeSlots(slots: Int32Array, rank: readonly number[]): void {
  for (let slot = 0; slot < rank.length; slot += 1) slots[at(rank, slot)] = slot;
}

/** A layered graph: edges, as indices into `items`, join neighbouring ranks. */
export interface Layered {
  readonly items: readonly Item[];
  /** Indices into `items`, in order across, for each rank. */
  readonly ranks: number[][];
  readonly above: readonly (readonly number[])[];
  readonly below: readonly (readonly number[])[];
}
