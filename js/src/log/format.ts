/* Numbers, shapes and arrays as short text. */

import { at } from "../collections";
import { t } from "../text/text";
import type { Matrix, Numeric, Summary } from "./events";

/** A number with four significant digits: 6, 0.25, -1.5, 1.235e-7, nan. */
export function number(x: Numeric): string {
  if (typeof x === "boolean") return x ? "True" : "False";
  if (typeof x === "string") return x;
  if (Number.isInteger(x) && Math.abs(x) < 1e6) return String(x);
  const size = Math.abs(x);
  if (size !== 0 && (size < 1e-3 || size >= 1e5)) {
    return x.toExponential(3).replace(/\.?0*e\+?/, "e");
  }
  return String(Number(x.toPrecision(4)));
}

/** How many items are nan or infinite. */
export function notFinite({ values, stats }: Summary): number {
  if (!values) return stats?.nonfinite ?? 0;
  let count = 0;
  for (const x of values) if (typeof x === "string") count += 1;
  return count;
}

/** Whether all items are 0, of which there are some. */
export function allZero({ values, stats, shape: dims }: Summary): boolean {
  if (size(dims) === 0) return false;
  if (values) return values.every((x) => x === 0 || x === false);
  return stats?.min === 0 && stats.max === 0 && stats.nonfinite === 0;
}

/** An item of an array as Python prints it: floats keep their point (`5.`). */
function items({ values, dtype: type }: Summary): string[] {
  const float = /float/.test(type);
  return (values ?? []).map((x) => {
    const text = number(x);
    return float && /^-?\d+$/.test(text) ? `${text}.` : text;
  });
}

/** A shape as Python writes it: (), (3,), (2, 2). */
/** PyTorch's way of writing a shape; a size that is not known yet (a static graph's) is `?`. */
export function shape(dims: readonly number[]): string {
  const inner = dims.map((size) => (size < 0 ? "?" : String(size))).join(", ");
  return dims.length === 1 ? `(${inner},)` : `(${inner})`;
}

export function size(dims: readonly number[]): number {
  return dims.reduce((product, n) => product * n, 1);
}

/** Text cut to a length, with an ellipsis. */
export function cut(text: string, length: number): string {
  const letters = Array.from(text);
  return letters.length <= length ? text : letters.slice(0, Math.max(1, length - 1)).join("") + "…";
}

/** A name cut to a length: its end tells it from its neighbours, its beginning whose it is. */
export function cutName(name: string, length: number): string {
  const letters = Array.from(name);
  if (letters.length <= length) return name;
  const head = Math.floor((length - 1) * 0.45);
  return `${letters.slice(0, head).join("")}…${letters.slice(letters.length - (length - 1 - head)).join("")}`;
}

/** Nobody saw the numbers of a value that was computed before the recording. */
export function unseen({ values, stats }: Summary): boolean {
  return values === null && stats === null;
}

/** Whether not even the shape of an array is known. */
export const isUnknown = (summary: Summary): boolean => unseen(summary) && summary.dtype === "";

/** The shape of an array; of one that nobody saw it may not be known either. */
export function shapeOf(summary: Summary): string {
  return isUnknown(summary) ? t.picture.numbers.unseen : shape(summary.shape);
}

/** The dtype without the name of the library; nothing where it is not known. */
export function dtype(name: string): string {
  return name === "?" ? "" : name.replace(/^(torch|graphwidget|numpy)\./, "");
}

/** The one value of an array whose items are all equal, if there are several. */
function uniform(values: readonly string[]): string | undefined {
  const first = values[0];
  return values.length > 2 && values.every((x) => x === first) ? first : undefined;
}

/** An array in one short line: `5.`, `[1., 3.]`, `all 1.5`, `(64, 10), mean 0.1`. */
export function brief(summary: Summary, length = 24): string {
  const { values, stats, shape: dims } = summary;
  if (unseen(summary)) return shapeOf(summary);
  const words = t.picture.numbers;
  if (size(dims) === 0) return words.empty;
  if (values) {
    const texts = items(summary);
    const same = uniform(texts);
    if (same !== undefined) return words.all(same);
    const text = nested(texts, dims);
    if (text.length <= length) return text;
    if (dims.length === 1) return beginning(texts, length);
  }
  const own = shape(dims);
  const mean = stats ? words.mean(own, number(stats.mean)) : own;
  const text = allZero(summary) ? words.allZero(own) : mean;
  return text.length <= length ? text : own;
}

/** As many items of a list as fit. */
function beginning(texts: readonly string[], length: number): string {
  let text = "[";
  for (const item of texts) {
    const next = `${text}${item}, `;
    if (next.length + 2 > length) break;
    text = next;
  }
  return `${text}…]`;
}

/** An array on a wire, where there is room for some nine characters. */
export function tiny(summary: Summary, length = 9): string {
  const { values, shape: dims } = summary;
  const words = t.picture.numbers;
  if (size(dims) === 0) return words.empty;
  if (values) {
    const texts = items(summary);
    const same = uniform(texts);
    const text = same === undefined ? nested(texts, dims).replaceAll(" ", "") : words.all(same);
    if (text.length <= length) return text;
    const [only, ...others] = texts;
    if (only !== undefined && others.length === 0 && only.length <= length) return only;
  }
  return shape(dims);
}

/** Items as nested lists, as Python prints them; a 0-d array is its number. */
function nested(texts: readonly string[], dims: readonly number[]): string {
  if (dims.length === 0) return texts[0] ?? "";
  const [, ...inner] = dims;
  const stride = size(inner);
  const parts: string[] = [];
  for (let i = 0; i < texts.length; i += Math.max(stride, 1)) {
    parts.push(inner.length > 0 ? nested(texts.slice(i, i + stride), inner) : (texts[i] ?? ""));
  }
  return `[${parts.join(", ")}]`;
}

/** All the numbers of a summary for a tooltip or the explanation, however many lines. */
export function full(summary: Summary): string {
  const words = t.picture.numbers;
  if (size(summary.shape) === 0) return words.emptyShape(shape(summary.shape));
  if (summary.values) return nested(items(summary), summary.shape);
  const { stats } = summary;
  if (!stats) return shapeOf(summary);
  const figures = [stats.min, stats.max, stats.mean].map(number);
  const [min = "", max = "", mean = ""] = figures;
  const own = shape(summary.shape);
  return stats.nonfinite > 0
    ? words.rangeNotFinite(own, min, max, mean, stats.nonfinite)
    : words.range(own, min, max, mean);
}

/**
 * The numbers of a card: at most three rows of at most four columns and so many letters, aligned
 * and in brackets as PyTorch prints them; null when the array is too large and a strip is drawn
 * instead.
 */
export function rows(summary: Summary, letters = 28): string[] | null {
  const { values, shape: dims } = summary;
  if (size(dims) === 0) return [t.picture.numbers.empty];
  if (unseen(summary)) return [t.picture.numbers.unseen];
  if (!values) return null;
  const texts = items(summary);
  if (dims.length === 0) return [texts[0] ?? ""];
  const columns = dims.at(-1) ?? 1;
  const lines: string[][] = [];
  for (let i = 0; i < texts.length; i += columns) lines.push(texts.slice(i, i + columns));
  const outer = dims.slice(0, -1);
  const few = lines.slice(0, lines.length > 3 ? 2 : 3);
  const more = lines.length > 3 ? ["⋮"] : [];
  for (let most = columns > 4 ? 3 : columns; ; most -= 1) {
    const shown = few.map((line) => clip(line, most));
    const made = align(shown, outer, lines.length);
    if (most <= 1 || made.every((line) => line.length <= letters)) return [...made, ...more];
  }
}

/** So many items, and a sign for the others. */
function clip(line: readonly string[], most: number): string[] {
  return line.length > most ? [...line.slice(0, most), "…"] : [...line];
}

/** Rows under each other, the first of `count`; `outer` are the sizes around them. */
function align(
  lines: readonly (readonly string[])[],
  outer: readonly number[],
  count: number,
): string[] {
  const columns = Math.max(...lines.map((line) => line.length));
  const widths = Array.from({ length: columns }, (_, c) =>
    Math.max(...lines.map((line) => (line[c] ?? "").length)),
  );
  return lines.map((line, row) => {
    const cells = line.map((cell, c) => cell.padStart(at(widths, c), "\u00a0"));
    const [opening, closing] = [edges(row, outer), edges(row + 1, outer)];
    const indent = "\u00a0".repeat(outer.length - opening) + "[".repeat(opening);
    const comma = row + 1 === count ? "" : ",";
    return `${indent}[${cells.join(", ")}]${"]".repeat(closing)}${comma}`;
  });
}

/** How many of the brackets around the rows begin, or end before, at a row. */
function edges(row: number, outer: readonly number[]): number {
  let [found, stride] = [0, 1];
  for (const n of [...outer].reverse()) {
    stride *= n;
    if (row % stride !== 0) break;
    found += 1;
  }
  return found;
}

/** A local derivative in words: its number, or its size. */
export function matrix(m: Matrix): string {
  if (m.rows * m.columns === 1) return number(at(m.numbers, 0));
  const same = diagonal(m);
  if (same !== null) return same;
  if (m.rows * m.columns > 9) return t.picture.numbers.jacobian(`${m.rows}×${m.columns}`);
  const lines: string[] = [];
  for (let r = 0; r < m.rows; r += 1) {
    const row = m.numbers.slice(r * m.columns, (r + 1) * m.columns);
    lines.push(`[${row.map(number).join(", ")}]`);
  }
  return m.rows === 1 ? (lines[0] ?? "") : `[${lines.join(", ")}]`;
}

/** A diagonal Jacobian, as ops that work item by item have it: `3·I`, `diag(1, 2)`. */
function diagonal(m: Matrix): string | null {
  if (m.rows !== m.columns || m.rows === 1) return null;
  const along: Numeric[] = [];
  for (const [i, x] of m.numbers.entries()) {
    if (i % (m.columns + 1) === 0) along.push(x);
    else if (x !== 0) return null;
  }
  const texts = along.map(number);
  if (texts.every((t) => t === texts[0])) return texts[0] === "1" ? "I" : `${texts[0] ?? ""}·I`;
  return along.length <= 6
    ? `diag(${texts.join(", ")})`
    : t.picture.numbers.diagonal(`${m.rows}×${m.rows}`);
}
