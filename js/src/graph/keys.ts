/*
 * The keys of what is drawn. The layout, the scene and the page know boxes and wires by them; what
 * kind of thing a key means stands beside it (`Box.kind`, `LayoutBox.kind`). Where there is nothing
 * but the key, it is read off it here and nowhere else.
 */

import type { WriteRow } from "../log/model";

/** The card of a value. */
export const valueKey = (value: number): string => `v${value}`;

/** The pill of a call. */
export const callKey = (call: number): string => `c${call}`;

/** A node, where it is asked for by itself: it is drawn with the pill of its call. */
export const nodeKey = (node: number): string => `n${node}`;

/** The value whose card has the key; null for all others. */
export const valueOfKey = (key: string): number | null => numberIn(/^v(\d+)$/, key);

/** The call whose pill has the key; null for all others. */
export const callOfKey = (key: string): number | null => numberIn(/^c(\d+)$/, key);

/** The scope whose group has the key; null for all others. */
export const scopeOfKey = (key: string): number | null => numberIn(/^s(\d+)$/, key);

/** The node that was asked for; null for all other keys. */
export const nodeOfKey = (key: string): number | null => numberIn(/^n(\d+)$/, key);

function numberIn(pattern: RegExp, key: string): number | null {
  const found = pattern.exec(key);
  return found ? Number(found[1]) : null;
}

/** What may stand for a write, the better first: the pill of its call, the card of what it wrote. */
export function writerKeys({ call, base, value }: WriteRow): readonly [string, ...string[]] {
  const card = valueKey(base ?? value);
  return call === null ? [card] : [callKey(call), card];
}

/** The group of a scope. */
export const scopeKey = (scope: number): string => `s${scope}`;

/** The wire between two boxes of which at least one is a closed group. */
export const groupWireKey = (from: string, to: string, value: number): string =>
  `${from}>${to}:${value}`;

/** The small copy of a value's card beside one of its consumers. */
export const copyKey = (value: number, call: number): string =>
  `${valueKey(value)}@${callKey(call)}`;

/** The wire into a call's input. */
export const inputKey = (call: number, index: number): string => `w${call}.${index}`;

/** The wire from a call to the value that it made. */
export const outputKey = (call: number, value: number): string => `w${call}>${value}`;

/** The bracket that joins a view to its base; both are box keys. */
export const bracketKey = (view: string, base: string): string => `${view}-${base}`;
