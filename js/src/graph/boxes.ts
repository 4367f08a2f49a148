/*
 * Cards, pills and slots with their sizes in pixels. Text is measured by counting letters, so
 * that the layout needs no page and gives the same picture everywhere.
 */

import type { Summary } from "../log/events";
import { brief, cut, cutName, dtype, rows, shape } from "../log/format";
import {
  holdsTensor,
  type CallRow,
  type Model,
  type NodeRow,
  type SavedTensor,
  type ValueRow,
} from "../log/model";
import { callKey, copyKey, valueKey } from "./keys";
import { byInput, called, fill, userName } from "./names";

export type Role = "leaf" | "parameter" | "constant" | "intermediate";

export interface Card {
  readonly kind: "card";
  readonly key: string;
  readonly value: ValueRow;
  readonly role: Role;
  readonly title: string;
  readonly named: boolean;
  readonly meta: string;
  /** The numbers in lines; empty when a strip of the summary is drawn instead. */
  readonly lines: readonly string[];
  /** The gradient that passed through, when its node has run. */
  readonly passing: Summary | null;
  /** A small copy beside one consumer of a value with many. */
  readonly copy: boolean;
  readonly w: number;
  readonly h: number;
}

export interface Slot {
  readonly key: string;
  readonly node: number;
  readonly index: number;
  readonly row: SavedTensor;
  readonly name: string;
  readonly state: "held" | "empty" | "stale";
}

export interface Pill {
  readonly kind: "pill";
  readonly key: string;
  readonly call: CallRow;
  /** The node whose outputs are drawn, and others that the same call made (CopySlices). */
  readonly nodes: readonly NodeRow[];
  readonly sign: string;
  readonly slots: readonly Slot[];
  /** The pill alone; slots stand beside it across the direction of flow. */
  readonly w: number;
  readonly h: number;
  readonly slotW: number;
}

export type Box = Card | Pill;

export const PILL_H = 28;
export const SLOT_H = 17;
export const SLOT_GAP = 4;
export const LINE_H = 14;
export const STRIP_H = 24;
export const GRAD_H = 19;
export const HEAD_H = 36;

export function role(value: ValueRow): Role {
  if (value.parameter) return "parameter";
  if (value.requires_grad) return value.leaf ? "leaf" : "intermediate";
  return value.call === null ? "constant" : "intermediate";
}

const cards = new WeakMap<ValueRow, Card>();

/** The card of a value; the same object for the same row, so nothing is drawn twice. */
export function card(value: ValueRow, passing: Summary | null): Card {
  const known = cards.get(value);
  if (known?.passing === passing) return known;
  const made = makeCard(value, passing);
  cards.set(value, made);
  return made;
}

function makeCard(value: ValueRow, passing: Summary | null): Card {
  const name = userName(value);
  const dims = shape(value.summary.shape);
  const title = cutName(name ?? (dims === "()" ? "scalar" : dims), 17);
  const type = dtype(value.summary.dtype);
  const meta = name === null ? type : `${dims} ${type}`;
  const lines = rows(value.summary);
  const header = 17 + title.length * 7.3 + 30 + (value.requires_grad ? 10 : 0);
  const numbers = Math.max(0, ...(lines ?? []).map((line) => line.length)) * 6.7 + 6;
  const gradient = value.requires_grad ? gradWidth(value, passing) : 0;
  const content = Math.max(header, meta.length * 5.6 + 4, lines ? numbers : 96, gradient) + 16;
  const body = lines ? lines.length * LINE_H : STRIP_H;
  return {
    kind: "card",
    key: valueKey(value.value),
    value,
    role: role(value),
    title,
    named: name !== null,
    meta,
    lines: lines ?? [],
    passing,
    copy: false,
    w: Math.min(216, Math.ceil(Math.max(content, 84) / 12) * 12),
    h: HEAD_H + body + (value.requires_grad ? GRAD_H + 3 : 6),
  };
}

/** Room for the gradient, so that a card need not grow when it comes. */
function gradWidth(value: ValueRow, passing: Summary | null): number {
  const shown = value.grad ?? passing;
  const text = shown ? brief(shown, 16).length : 6;
  return 30 + text * 6.4 + (value.leaf ? 0 : 16);
}

/** A small copy of a card, beside one of its many consumers. */
export function copyOf(original: Card, call: number): Card {
  const title = original.title;
  const w = Math.ceil((title.length * 7.3 + 30) / 12) * 12;
  return { ...original, key: copyKey(original.value.value, call), copy: true, w, h: 24 };
}

/** The text on a pill: the op's sign with the plain numbers of the call (`+ 1`, `[0]`, `×=`). */
export function pillText(model: Model, call: CallRow, part = ""): string {
  const op = model.ops.get(call.op);
  const sign = op?.sign ? op.sign : call.op;
  const numbers = call.inputs.filter((input) => typeof input === "string");
  if (call.inplace) {
    const sets = /^(fill|copy)/.test(call.op);
    const verb = sets && part ? "=" : /^\w/.test(sign) ? `${sign}_` : `${sign}=`;
    return cut([part, verb, ...numbers.map((n) => cut(n, 8))].join(" ").trim(), 16);
  }
  if (call.inputs.length - numbers.length === 1 && op) {
    // One tensor among numbers: the formula without it says all ("{self} + {other}" -> "+ 1").
    const tensor = call.inputs.findIndex((input) => typeof input === "number");
    const own = op.inputs[tensor] ?? "self";
    const texts = byInput(model, call, call.inputs.map(String), (list) => list.join(", "));
    const text = fill(op.text.replace(`{${own}}`, ""), texts, call).trim();
    const short = text.length <= 12 && !/[A-Za-z]\(/.test(text) && !op.text.startsWith(`${sign}(`);
    if (text !== "" && text !== op.text && short) return text;
  }
  return cut(sign, 14);
}

export function makePill(model: Model, call: CallRow, nodes: readonly NodeRow[], part = ""): Pill {
  const sign = pillText(model, call, part);
  const slots = nodes.flatMap((node) => slotsOf(model, node));
  const widest = Math.max(0, ...slots.map((slot) => slot.name.length));
  return {
    kind: "pill",
    key: callKey(call.call),
    call,
    nodes,
    sign,
    slots,
    w: Math.max(38, Math.ceil(sign.length * 8.2 + 20)),
    h: PILL_H,
    slotW: slots.length > 0 ? Math.max(46, Math.ceil(widest * 6 + 32)) : 0,
  };
}

/** The saved tensors of a node; plain numbers and shapes that it keeps are no slots. */
function slotsOf(model: Model, node: NodeRow): Slot[] {
  const slots: Slot[] = [];
  node.saved.forEach((row, index) => {
    if (!holdsTensor(row)) return;
    const stale = row.stale.length > 0 && !node.freed && node.state !== "done";
    slots.push({
      key: `${node.node}:${index}`,
      node: node.node,
      index,
      row,
      name: slotName(model, row),
      state: node.freed ? "empty" : stale ? "stale" : "held",
    });
  });
  return slots;
}

/** What a slot is called: the user's variable, or a short expression, or the slot's own name. */
export function slotName(model: Model, row: SavedTensor): string {
  const value = model.values.get(row.value);
  const own = value ? userName(value) : null;
  if (own !== null) return cut(own, 9);
  if (row.slot === "result" || !value) return cut(row.slot, 9);
  const text = called(model, value.value, 9);
  return cut(text.startsWith("the ") ? row.slot : text, 9);
}

const resized = new WeakMap<Card, Card>();

/** A card in the size that it will have when all has come that is still to come. */
export function sized(own: Card, { w, h }: { w: number; h: number }): Card {
  if (own.w === w && own.h === h) return own;
  const known = resized.get(own);
  if (known?.w === w && known.h === h) return known;
  const made = { ...own, w, h };
  resized.set(own, made);
  return made;
}
