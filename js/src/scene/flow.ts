/*
 * The flow and the plane. A scene is built along the flow (`main`) and across it (`cross`), as the
 * layout is; `turned` says which of them is x.
 */

import type { Box } from "../graph/draw/boxes";
import { SLOT_GAP, SLOT_H } from "../graph/draw/pills";

/** Reading size: the smallest text, of 10 px, is 9 px high. The camera never goes below by itself. */
export const READING = 0.9;

/** The same where names are shown and little more: of this the smallest text has 11 px. */
export const BRIEF = 0.82;

/** At this scale names (of 13 px) are still 9 px high; below, boxes are coloured shapes. */
export const NAMES = 0.693;

/** Air around a picture that fits. */
export const PADDING = 24;

/** Left to right or top down. */
export type Direction = "LR" | "TD";

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Rect {
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
}

/** A pair (main, cross) as (x, y), or (x, y) as (main, cross): turning is its own inverse. */
export function turned(direction: Direction, a: number, b: number): [number, number] {
  return direction === "LR" ? [a, b] : [b, a];
}

/** A rectangle of the flow in the plane. */
export function rectAt(
  direction: Direction,
  main: number,
  cross: number,
  length: number,
  breadth: number,
): Rect {
  const [x, y] = turned(direction, main, cross);
  const [w, h] = turned(direction, length, breadth);
  return { x, y, w, h };
}

/** The size of a box along the flow and across it, on either side of its line of flow. */
export function extents(box: Box, direction: Direction): [number, number, number] {
  const [length, breadth] = turned(direction, box.w, box.h);
  if (box.kind !== "pill" || box.slots.length === 0) return [length, breadth / 2, breadth / 2];
  const stack = box.slots.length * (SLOT_H + 2) - 2;
  const [slotsLength, slotsBreadth] = turned(direction, box.slotW, stack);
  return [Math.max(length, slotsLength), breadth / 2, breadth / 2 + SLOT_GAP + slotsBreadth];
}

/**
 * The air inside a frame: before and after what stands in it along the flow, and on its first
 * and last side across it. The title stands on top.
 */
export const FRAME = {
  LR: { before: 18, after: 18, first: 34, last: 16 },
  TD: { before: 36, after: 16, first: 18, last: 18 },
} as const;
