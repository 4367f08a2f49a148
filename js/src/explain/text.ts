/* Explanations as data: sentences of pieces, which a view sets and a test reads. */

import type { SourceEvent, Summary } from "../log/events";
import { brief, notFinite } from "../log/format";
import { called } from "../graph/names";
import type { Model } from "../log/model";

/** A piece of a sentence; the tone says how it is set. */
export interface Piece {
  readonly text: string;
  readonly tone: "plain" | "name" | "grad" | "math" | "code" | "error" | "dim";
  /** The value it speaks of, to be lit up in the picture. */
  readonly value?: number;
  /** The box it speaks of, where that is no value's: a click goes there. */
  readonly key?: string;
  /** The line of the user's program that it is: a click goes to its cell, where there are cells. */
  readonly source?: SourceLine;
  /** Code to be pasted, with a button that copies it. */
  readonly copy?: true;
}

export type Line = readonly Piece[];

/** A line of the user's program. */
export type SourceLine = Pick<SourceEvent, "cell" | "line" | "text">;

/** What is told of a step, an error or a value. */
export interface Explanation {
  readonly tone: "plain" | "backward" | "error";
  readonly title: Line;
  readonly lines: readonly Line[];
  /** The user's line: `cell 3, line 2` and its text. */
  readonly where: string | null;
  readonly code: string | null;
  readonly source?: SourceLine | undefined;
}

const piece =
  (tone: Piece["tone"]) =>
  (text: string): Piece => ({ text, tone });

export const plain = piece("plain");
export const grad = piece("grad");
export const math = piece("math");
export const code = piece("code");
export const wrong = piece("error");
export const dim = piece("dim");

/** A value's name in a sentence: whole, for sentences can be broken, if it is no page of text. */
export function name(model: Model, value: number): Piece {
  return { text: called(model, value, 24, 80), tone: "name", value };
}

/** The numbers of an array; what is not finite is marked. */
export function numbers(summary: Summary | null | undefined, length = 30): Piece {
  if (!summary) return grad("none");
  const text = brief(summary, length);
  return notFinite(summary) > 0 ? wrong(`⚠ ${text}`) : grad(text);
}

/** Code that can be pasted as it stands. */
export function pasted(text: string): Piece {
  return { text, tone: "code", copy: true };
}

/** Where a line of the user's program stands: `cell 3, line 2`, or `train.py, line 12`. */
export function place(model: Model, source: number | null): string | null {
  const row = source === null ? undefined : model.sources.get(source);
  if (!row) return null;
  if (row.cell !== null) return `cell ${row.cell}, line ${row.line}`;
  const file = baseName(row.file ?? "");
  return file ? `${file}, line ${row.line}` : `line ${row.line}`;
}

/** A line of the user's program in two words, where there is little room: `line 12`. */
export function shortPlace(model: Model, source: number | null): string | null {
  const row = source === null ? undefined : model.sources.get(source);
  return row ? `line ${row.line}` : null;
}

/** A file's name without its folders. */
export function baseName(file: string): string {
  return file.split(/[\\/]/).at(-1) ?? "";
}

export function codeAt(model: Model, source: number | null): string | null {
  const text = source === null ? undefined : model.sources.get(source)?.text;
  return text ? text : null;
}

/** What a line of the user's program did, with that line. */
export function atLine(
  model: Model,
  source: number | null,
  told: Pick<Explanation, "tone" | "title" | "lines">,
): Explanation {
  const row = source === null ? undefined : model.sources.get(source);
  return { ...told, where: place(model, source), code: codeAt(model, source), source: row };
}

/** A place with its line: "cell 3, line 2, `b[0] = 1000.`"; a link to what it did, if told. */
export function lineAt(model: Model, source: number | null, key?: string): Piece[] {
  const [where, text] = [place(model, source), codeAt(model, source)];
  if (where === null) return [plain("an unknown line")];
  const start: Piece = key === undefined ? plain(where) : { text: where, tone: "name", key };
  if (text === null) return [start];
  const row = source === null ? undefined : model.sources.get(source);
  return [start, plain(", "), row ? { ...code(text), source: row } : code(text)];
}

/** Pieces joined as "a, b and c". */
export function list(pieces: readonly Piece[]): Piece[] {
  return pieces.flatMap((p, i) => {
    if (i === 0) return [p];
    return [plain(i === pieces.length - 1 ? " and " : ", "), p];
  });
}

/** A sentence with its full stop: a number such as `1.` at its end has one already. */
export function sentence(line: Line): Line {
  return line.at(-1)?.text.endsWith(".") ? line : [...line, plain(".")];
}

export function toText(line: Line): string {
  return line.map((p) => p.text).join("");
}
