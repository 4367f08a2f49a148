/*
 * Cards, pills and slots with their sizes in pixels. Text is measured by a table of letters, so
 * that the layout needs no page and gives the same picture everywhere.
 */

import type { Summary } from "../log/events";
import { brief, cut, dtype, number, rows, shape, shapeOf, unseen } from "../log/format";
import {
  holdsTensor,
  type CallRow,
  type Model,
  type NodeRow,
  type SavedTensor,
  type ValueRow,
} from "../log/model";
import type { GroupKind } from "./groups";
import { callKey, copyKey, valueKey } from "./keys";
import { cutToWidth, textWidth } from "./measure";
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
  /** A chip: title and shape, where there is no room for more. */
  readonly slim: boolean;
  /** So many letters a line of numbers may have. */
  readonly letters: number;
  /** Other cards show the same storage. */
  readonly shared: boolean;
  readonly w: number;
  readonly h: number;
}

export interface Slot {
  readonly key: string;
  readonly node: number;
  readonly index: number;
  readonly row: SavedTensor;
  readonly name: string;
  readonly state: SlotState;
  /** How many slots it stands for: many that are alike are drawn as one. */
  readonly count: number;
}

/** `empty` after the node's backward released it, `gone` when the node went without having run. */
export type SlotState = "held" | "stale" | "empty" | "gone";

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

/** What a group shows, closed or open. */
export interface GroupFacts {
  /** What it is called in a film; by this the user opens and closes it. */
  readonly place: string;
  readonly kind: GroupKind;
  /** What the user would type, and the class. */
  readonly title: string;
  readonly subtitle: string;
  readonly sign: string | null;
  readonly times: number;
  readonly ops: number;
  /** The shape of what it made last. */
  readonly shape: string;
  /** The size of the gradient that reached that, as text. */
  readonly norm: string | null;
  /** The optimizer that stepped parameters inside. */
  readonly stepped: string | null;
  /** What is wrong inside, in a few words. */
  readonly trouble: string | null;
  readonly state: "ready" | "running" | "done";
}

/** A closed group. */
export interface GroupBox {
  readonly kind: "group";
  readonly key: string;
  readonly facts: GroupFacts;
  /** The title; of what is known as one thing its sign, with what it is called under it. */
  readonly title: string;
  readonly label: string;
  /** Whether there is room for little more than its name. */
  readonly brief: boolean;
  /** The nodes of all calls inside. */
  readonly nodes: ReadonlySet<number>;
  readonly age: number;
  readonly w: number;
  readonly h: number;
}

export type Box = Card | Pill | GroupBox;

/** Whether a node is drawn by the box: one of the pill's, or one inside the group. */
export function holdsNode(box: Box, node: number): boolean {
  if (box.kind === "pill") return box.nodes.some((own) => own.node === node);
  return box.kind === "group" && box.nodes.has(node);
}

/** When what a box stands for came. */
export function ageOf(box: Box): number {
  if (box.kind === "group") return box.age;
  return box.kind === "card" ? box.value.time : box.call.time;
}

export const PILL_H = 28;
/** More slots than these are folded: only stale ones stand alone. */
const MOST_SLOTS = 4;
export const SLOT_H = 17;
export const SLOT_GAP = 4;
export const LINE_H = 14;
export const STRIP_H = 24;
export const GRAD_H = 19;
export const HEAD_H = 36;

/** The most that a card is wide, and a title in it. */
const WIDEST = 232;
const TITLE_ROOM = 158;

/** Letters of a line of numbers, and where there is little room. */
export const LETTERS = 28;
export const FEW_LETTERS = 16;

/** From the sizes that are needed to those that are given: few different ones. */
const stepped = (width: number): number => Math.ceil(width / 6) * 6;

export function role(value: ValueRow): Role {
  if (value.parameter) return "parameter";
  if (value.requires_grad) return value.leaf ? "leaf" : "intermediate";
  return value.call === null ? "constant" : "intermediate";
}

const cards = new WeakMap<ValueRow, Card>();

/**
 * The card of a value; the same object for the same row, so nothing is drawn twice. `text` is the
 * title of a value without a name.
 */
export function card(
  value: ValueRow,
  passing: Summary | null,
  text: string | null = null,
  shared = false,
  letters = LETTERS,
): Card {
  const known = cards.get(value);
  if (known?.passing === passing && known.shared === shared && known.letters === letters) {
    if (known.named || text === null || known.title === text) return known;
  }
  const made = makeCard(value, passing, text, shared, letters);
  cards.set(value, made);
  return made;
}

function makeCard(
  value: ValueRow,
  passing: Summary | null,
  text: string | null,
  shared: boolean,
  letters: number,
): Card {
  const name = userName(value);
  const dims = shapeOf(value.summary);
  const face = name === null ? "regular" : "bold";
  const title = cutToWidth(
    name ?? text ?? (dims === "()" ? "scalar" : dims),
    TITLE_ROOM,
    13.5,
    face,
  );
  const type = dtype(value.summary.dtype);
  const known = value.summary.dtype === "" ? "" : dims;
  const meta = name === null && text === null ? type : `${known} ${type}`.trim();
  const lines = isPromise(value) ? [NO_VALUE] : rows(value.summary, letters);
  const version = versionWidth(value.version) + (value.requires_grad ? 19 : 9);
  const inside = [
    24 + textWidth(title, 13.5, face) + 6 + version,
    9 + textWidth(meta, 10, "regular") + (shared ? 27 : 9),
    ...(lines ?? []).map((line) => 9 + textWidth(line, 11.5, "mono") + 9),
    lines ? 0 : 112,
    value.requires_grad ? gradWidth(value, passing) : 0,
  ];
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
    slim: false,
    letters,
    shared,
    w: Math.min(WIDEST, stepped(Math.max(...inside, 84))),
    h: HEAD_H + (lines ? lines.length * LINE_H : STRIP_H) + (value.requires_grad ? GRAD_H + 3 : 6),
  };
}

/** What stands in a card until a run has reached it. */
const NO_VALUE = "…";

/** A value of a static graph that no run has reached: only its shape and type are known. */
export function isPromise({ summary, requires_grad }: ValueRow): boolean {
  return unseen(summary) && summary.dtype !== "" && !requires_grad;
}

/** The width of the badge with a version. */
export const versionWidth = (version: number): number => 8 + textWidth(`v${version}`, 10, "mono");

/** Letters of a gradient on a card. */
export const GRAD_LENGTH = 16;

/** Room for the gradient, so that a card need not grow when it comes. */
function gradWidth(value: ValueRow, passing: Summary | null): number {
  const shown = value.grad ?? passing;
  const text = shown ? brief(shown, GRAD_LENGTH) : "[0.12]";
  return 35 + textWidth(text, 11, "mono") + (value.leaf ? 9 : 24);
}

/** A small copy of a card, beside one of its many consumers. */
export function copyOf(original: Card, call: number): Card {
  const title = original.title;
  const w = stepped(24 + textWidth(title, 13.5, original.named ? "bold" : "regular") + 10);
  return { ...original, key: copyKey(original.value.value, call), copy: true, w, h: 24 };
}

const chips = new WeakMap<Card, Card>();

/** The most that a chip's title is wide, and a name. */
const CHIP_ROOM = 76;
const NAME_ROOM = 120;

/** A card without numbers: what is computed on the way and has no name. */
export function chipOf(original: Card): Card {
  const known = chips.get(original);
  if (known) return known;
  const dims = shape(original.value.summary.shape);
  const [size, face] = original.named ? ([13.5, "bold"] as const) : ([13, "regular"] as const);
  const title = cutToWidth(original.title, original.named ? NAME_ROOM : CHIP_ROOM, size, face);
  const number = original.lines[0] ?? "";
  const meta = original.title === dims ? "" : dims === "()" ? number : dims;
  const inside = Math.max(
    24 + textWidth(title, size, face) + 12,
    9 + textWidth(meta, 11, "regular") + 9,
  );
  const made = { ...original, title, meta, lines: [], slim: true, w: stepped(inside), h: 34 };
  chips.set(original, made);
  return made;
}

/** The most letters of a sign: there is room for the path of a module in a listed program. */
const LONGEST_SIGN = 24;

/** The text on a pill: the op's sign with the plain numbers of the call (`+ 1`, `[0]`, `×=`). */
export function pillText(model: Model, call: CallRow, part = ""): string {
  const op = model.ops.get(call.op);
  const sign = op?.sign ? op.sign : call.op;
  const numbers = call.inputs.filter((input) => typeof input === "string").map(plain);
  if (call.inplace) {
    const place = part || (call.params.index === undefined ? "" : `[${call.params.index}]`);
    const sets = /^(fill|copy)/.test(call.op);
    const verb = sets && place ? "=" : /^\w/.test(sign) ? `${sign}_` : `${sign}=`;
    return cut([place, verb, ...numbers.map((n) => cut(n, 8))].join(" ").trim(), 16);
  }
  if (call.inputs.length - numbers.length === 1 && op) {
    // One tensor among numbers: the formula without it says all ("{self} + {other}" -> "+ 1").
    const tensor = call.inputs.findIndex((input) => typeof input === "number");
    const own = op.inputs[tensor] ?? "self";
    const given = call.inputs.map((input) => plain(String(input)));
    const texts = byInput(model, call, given, (list) => list.join(", "));
    const text = fill(op.text.replace(`{${own}}`, ""), texts, call).trim();
    const short = text.length <= 12 && !/[A-Za-z]\(/.test(text) && !op.text.startsWith(`${sign}(`);
    if (text !== "" && text !== op.text && short) return text;
  }
  return cut(sign, LONGEST_SIGN);
}

/** A number as a person would write it: 0.1, not 0.10000000149. */
function plain(text: string): string {
  return /^-?\d+\.\d{4,}/.test(text) ? number(Number(text)) : text;
}

export function makePill(
  model: Model,
  call: CallRow,
  nodes: readonly NodeRow[],
  part = "",
  sign = pillText(model, call, part),
): Pill {
  const slots = foldedSlots(nodes.flatMap((node) => slotsOf(model, node)));
  return {
    kind: "pill",
    key: callKey(call.call),
    call,
    nodes,
    sign,
    slots,
    w: Math.max(38, Math.ceil(textWidth(sign, 14, "bold") + 22)),
    h: PILL_H,
    slotW: slots.reduce((most, slot) => Math.max(most, slotWidth(slot)), 0),
  };
}

/** A slot has room for its name and version, in bold as when it is stale, and for the word that
 * stands there when it is freed. */
function slotWidth({ name, row, count }: Slot): number {
  if (count > 1) return Math.ceil(textWidth(`${count} saved`, 10, "regular") + 17);
  const text = textWidth(name, 10, "bold") + textWidth(`v${row.version}`, 10, "mono");
  return Math.max(46, Math.ceil(text + 17));
}

/** The saved tensors of a node; plain numbers and shapes that it keeps are no slots. */
function slotsOf(model: Model, node: NodeRow): Slot[] {
  const slots: Slot[] = [];
  node.saved.forEach((row, index) => {
    if (!holdsTensor(row)) return;
    slots.push({
      key: `${node.node}:${index}`,
      node: node.node,
      index,
      row,
      name: slotName(model, row),
      state: slotState(row, node),
      count: 1,
    });
  });
  return slots;
}

function slotState(row: SavedTensor, { freed, state }: NodeRow): SlotState {
  const stale = row.stale.length > 0;
  if (stale && state === "failed") return "stale"; // why it failed is told also when all has gone
  if (freed) return state === "ready" ? "gone" : "empty";
  return stale && state !== "done" ? "stale" : "held";
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
