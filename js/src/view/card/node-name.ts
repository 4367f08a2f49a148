/* The name of a running node beside its pill: as much of it as there is room for. */

import type { Pill } from "../../graph/draw/boxes";
import { textWidth } from "../../graph/draw/measure";
import { SLOT_GAP, SLOT_H } from "../../graph/draw/pills";
import type { Direction, Point } from "../../scene/flow";
import { rectOf, type Placed, type Scene } from "../../scene/scene";

/** The size of its letters, and how far they reach over and under their line, in pixels. */
const LETTERS = 10.5;
const [OVER, UNDER] = [10, 3];

/** Air between a name and what stands beside it. */
const AIR = 4;

/** The top left corner of a slot, from that of its pill. */
export function slotOffset(pill: Pill, index: number, direction: Direction): Point {
  const step = SLOT_H + 2;
  if (direction === "LR") {
    return { x: (pill.w - pill.slotW) / 2, y: pill.h + SLOT_GAP + index * step };
  }
  const stack = pill.slots.length * step - 2;
  return { x: pill.w + SLOT_GAP, y: (pill.h - stack) / 2 + index * step };
}

/**
 * Where a name stands, from the corner of its pill: on the free side, in the middle under the slots
 * or beginning after them.
 */
export function nameSpot(pill: Pill, direction: Direction): Point {
  if (direction === "TD") return { x: pill.w + SLOT_GAP * 2 + pill.slotW, y: pill.h / 2 + 4 };
  const last = slotOffset(pill, pill.slots.length - 1, direction);
  return { x: pill.w / 2, y: pill.slots.length > 0 ? last.y + SLOT_H + 13 : pill.h + 14 };
}

/** The room that other boxes leave for the name of a pill; under it at least as much as it has. */
export function nameRoom(
  pill: Pill,
  { x, y }: Point,
  { boxes, direction }: Pick<Scene, "boxes" | "direction">,
): number {
  const spot = nameSpot(pill, direction);
  const [from, line] = [x + spot.x, y + spot.y];
  let side = Infinity;
  for (const placed of boxes.values()) {
    if (placed.box.key === pill.key || !isBeside(placed, direction, line)) continue;
    const rect = rectOf(placed, direction);
    if (rect.x >= from) side = Math.min(side, rect.x - from - AIR);
    else if (direction === "LR") side = Math.min(side, from - (rect.x + rect.w) - AIR);
  }
  return direction === "LR" ? Math.max(pill.w, 2 * side) : side;
}

function isBeside(placed: Placed, direction: Direction, line: number): boolean {
  const { y, h } = rectOf(placed, direction);
  return y < line + UNDER && y + h > line - OVER;
}

/** A name without as much of its end as has no room. */
export function shortened(name: string, room: number): string {
  const fits = (text: string): boolean => textWidth(text, LETTERS, "mono") <= room;
  if (fits(name)) return name;
  let kept = name.length - 1;
  while (kept > 1 && !fits(`${name.slice(0, kept)}…`)) kept -= 1;
  return `${name.slice(0, kept)}…`;
}
