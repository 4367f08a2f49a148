/*
 * Cards with their sizes in pixels. Text is measured by a table of letters, so that the layout
 * needs no page and gives the same picture everywhere.
 */

import type { Summary } from "../../log/events";
import { brief, dtype, number, rows, shape, shapeOf, unseen } from "../../log/format";
import type { ValueRow } from "../../log/model";
import { t } from "../../text/text";
import type { Card, Role } from "./boxes";
import { copyKey, valueKey } from "../keys";
import { cutToWidth, textWidth } from "./measure";
import { isSymbol } from "../names";

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
 * The card of a value; the same object for the same row, so nothing is drawn twice. `name` is what
 * it is called, and `text` the title of a value without a name.
 */
export function card(
  value: ValueRow,
  passing: Summary | null,
  name: string | null,
  text: string | null = null,
  shared = false,
  letters = LETTERS,
): Card {
  const known = cards.get(value);
  if (known?.passing === passing && known.shared === shared && known.letters === letters) {
    if (known.label === (name ?? text)) return known;
  }
  const made = makeCard(value, passing, name, text, shared, letters);
  cards.set(value, made);
  return made;
}

function makeCard(
  value: ValueRow,
  passing: Summary | null,
  name: string | null,
  text: string | null,
  shared: boolean,
  letters: number,
): Card {
  const dims = shapeOf(value.summary);
  const face = name === null ? "regular" : "bold";
  const title = cutToWidth(
    name ?? text ?? (dims === "()" ? t.picture.names.scalar : dims),
    TITLE_ROOM,
    13.5,
    face,
  );
  const type = dtype(value.summary.dtype);
  const known = value.summary.dtype === "" ? "" : dims;
  const meta = name === null && text === null ? type : `${known} ${type}`.trim();
  const lines = isPromise(value) ? [NO_VALUE] : rows(value.summary, letters);
  const version =
    (isSymbol(value) ? 0 : versionWidth(value.version)) + (value.requires_grad ? 19 : 9);
  const inside = [
    24 + textWidth(title, 13.5, face) + 6 + version,
    9 + textWidth(meta, 10, "regular") + (shared ? 27 : 9),
    ...(lines ?? []).map((line) => 9 + textWidth(line, 11.5, "mono") + 9),
    lines ? 0 : stripWidth(value.summary),
    value.requires_grad ? gradWidth(value, passing) : 0,
  ];
  return {
    kind: "card",
    key: valueKey(value.value),
    value,
    role: role(value),
    label: name ?? text,
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

/** The words under a strip of numbers: the least, what is not finite, the most. */
export function stripTexts({ stats }: Summary): readonly [string, string, string] {
  if (!stats) return ["", "", ""];
  const bad = stats.nonfinite > 0 ? t.picture.cards.notFinite(stats.nonfinite) : "";
  return [number(stats.min), bad, number(stats.max)];
}

/** Room for the line of a strip, and for the words under it beside each other. */
function stripWidth(summary: Summary): number {
  const [least, bad, most] = stripTexts(summary);
  const ends = textWidth(least, 10, "regular") + textWidth(most, 10, "regular");
  return Math.max(112, 9 + ends + 8 + textWidth(bad, 10, "bold") + 8 + 9);
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
const NAME_ROOM = 160;

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
