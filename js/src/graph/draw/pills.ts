/*
 * Pills and their slots with their sizes in pixels, measured as cards are.
 */

import { cut } from "../../log/format";
import {
  holdsTensor,
  type CallRow,
  type Model,
  type NodeRow,
  packingOf,
  type SavedTensor,
} from "../../log/model";
import { t } from "../../text/text";
import type { Pill, Slot, SlotState } from "./boxes";
import { callKey } from "../keys";
import { textWidth } from "./measure";
import { called, isDescription, ownName } from "../names";
import { pillText } from "../pill-text";
import { operandsOf } from "./operands";
import { isPlainWrite } from "../select/versions";

export const PILL_H = 28;
/** More slots than these are folded: only stale ones stand alone. */
const MOST_SLOTS = 4;
export const SLOT_H = 17;
export const SLOT_GAP = 4;

export function makePill(
  model: Model,
  call: CallRow,
  nodes: readonly NodeRow[],
  part = "",
  sign = pillText(model, call, part),
): Pill {
  const slots = foldedSlots(nodes.flatMap((node) => slotsOf(model, node, call)));
  return {
    kind: "pill",
    key: callKey(call.call),
    call,
    nodes,
    sign,
    slots,
    operands: operandsOf(model, call),
    late: isPlainWrite(model, call),
    w: Math.max(38, Math.ceil(textWidth(sign, 14, "bold") + 22)),
    h: PILL_H,
    slotW: slots.reduce((most, slot) => Math.max(most, slotWidth(slot)), 0),
  };
}

/** A slot has room for its name and version, in bold as when it is stale, and for the word that
 * stands there when it is freed. */
function slotWidth({ name, row, count, state }: Slot): number {
  const { counted, unused, ...words } = t.picture.slots;
  if (state === "packed" || state === "recomputed") {
    const word = words[state];
    return Math.ceil(textWidth(count > 1 ? counted(count, word) : word, 10, "regular") + 12);
  }
  if (count > 1) return Math.ceil(textWidth(counted(count, unused), 10, "regular") + 12);
  const text = textWidth(name, 10, "bold") + textWidth(`v${row.version}`, 10, "mono");
  return Math.max(48, Math.ceil(text + 17));
}

/**
 * The saved tensors of a node, those of operands first and in their order; of those that are not
 * kept one says so. Plain numbers and shapes that it keeps are no slots.
 */
function slotsOf(model: Model, node: NodeRow, { inputs }: CallRow): Slot[] {
  const slots: Slot[] = [];
  node.saved.forEach((row, index) => {
    const packing = packingOf(row);
    const own = { key: `${node.node}:${index}`, node: node.node, index, row, count: 1 };
    if (holdsTensor(row)) {
      slots.push({ ...own, name: slotName(model, row), state: slotState(row, node) });
    } else if (packing !== null) {
      const state = packing === "packed by a hook" ? "packed" : "recomputed";
      const alike = slots.findIndex((slot) => slot.state === state);
      const known = slots[alike];
      if (known) slots[alike] = { ...known, count: known.count + 1 };
      else slots.push({ ...own, name: row.slot, state });
    }
  });
  const place = ({ row }: Slot): number => {
    const nr = row.value === null ? -1 : inputs.indexOf(row.value);
    return nr < 0 ? inputs.length : nr;
  };
  return slots.sort((a, b) => place(a) - place(b));
}

function slotState(row: SavedTensor, { freed, state }: NodeRow): SlotState {
  const stale = row.stale.length > 0;
  if (stale && state === "failed") return "stale"; // why it failed is said even when all is released
  if (freed) return state === "ready" ? "gone" : "empty";
  return stale && state !== "done" ? "stale" : "kept";
}

/** Of many slots those that are alike as one. The stale ones, which arrows point at, stay. */
function foldedSlots(slots: readonly Slot[]): readonly Slot[] {
  if (slots.length <= MOST_SLOTS) return slots;
  const found: Slot[] = [];
  for (const slot of slots) {
    const alike = found.findIndex(({ state }) => state === slot.state);
    const known = found[alike];
    if (known && slot.state !== "stale") found[alike] = { ...known, count: known.count + 1 };
    else found.push(slot);
  }
  return found;
}

/** What a slot is called: the user's variable, or a short expression, or the slot's own name. */
export function slotName(model: Model, row: SavedTensor): string {
  const value = model.values.get(row.value);
  const own = value ? ownName(model, value) : null;
  if (own !== null) return cut(own, 9);
  if (row.slot === "result" || !value) return cut(row.slot, 9);
  const text = called(model, value.value, 9);
  return cut(isDescription(text) ? row.slot : text, 9);
}
