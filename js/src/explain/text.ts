/* Explanations as data: sentences of pieces, which a view sets and a test reads. */

import type { Summary } from "../log/events";
import { brief, notFinite } from "../log/format";
import { called } from "../graph/names";
import type { Model } from "../log/model";
import { code, grad, plain, wrong, type Line, type Piece, type SourceLine } from "../text/piece";
import { t } from "../text/text";

/** The words about a step, an error or a value. */
export interface Explanation {
  readonly tone: "plain" | "backward" | "error";
  readonly title: Line;
  readonly lines: readonly Line[];
  /** The user's line: `cell 3, line 2` and its text. */
  readonly where: string | null;
  readonly code: string | null;
  readonly source?: SourceLine | undefined;
}

/** A value's name in a sentence: whole, for sentences can be broken, if it is no page of text. */
export function name(model: Model, value: number): Piece {
  return { text: called(model, value, 24, 80), tone: "name", value };
}

/** The numbers of an array; what is not finite is marked. */
export function numbers(summary: Summary | null | undefined, length = 30): Piece {
  if (!summary) return grad(t.picture.numbers.none);
  const text = brief(summary, length);
  return notFinite(summary) > 0 ? wrong(`⚠ ${text}`) : grad(text);
}

/** Where a line of the user's program stands: `cell 3, line 2`, or `train.py, line 12`. */
export function place(model: Model, source: number | null): string | null {
  const row = source === null ? undefined : model.sources.get(source);
  if (!row) return null;
  if (row.cell !== null) return t.explain.place.cell(row.cell, row.line);
  const file = baseName(row.file ?? "");
  return file ? t.explain.place.file(file, row.line) : t.explain.place.line(row.line);
}

/** A line of the user's program in two words, where there is little room: `line 12`. */
export function shortPlace(model: Model, source: number | null): string | null {
  const row = source === null ? undefined : model.sources.get(source);
  return row ? t.explain.place.line(row.line) : null;
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
  words: Pick<Explanation, "tone" | "title" | "lines">,
): Explanation {
  const row = source === null ? undefined : model.sources.get(source);
  return { ...words, where: place(model, source), code: codeAt(model, source), source: row };
}

/** A place with its line: "cell 3, line 2, `b[0] = 1000.`"; a link to what it did, if there is one. */
export function lineAt(model: Model, source: number | null, key?: string): Line {
  const [where, text] = [place(model, source), codeAt(model, source)];
  if (where === null) return [plain(t.explain.place.unknown)];
  const start: Piece = key === undefined ? plain(where) : { text: where, tone: "name", key };
  if (text === null) return [start];
  const row = source === null ? undefined : model.sources.get(source);
  return t.explain.place.withCode(start, row ? { ...code(text), source: row } : code(text));
}

/** Parts of a sentence joined as "a, b and c". */
export function listed(parts: readonly Line[]): Line {
  const { and, comma } = t.explain.place;
  return parts.flatMap((part, i) =>
    i === 0 ? part : [plain(i === parts.length - 1 ? and : comma), ...part],
  );
}

/** Pieces joined as "a, b and c". */
export const list = (pieces: readonly Piece[]): Line => listed(pieces.map((piece) => [piece]));

/** The same, where there are more than are named. */
export function listOf(pieces: readonly Piece[], more: number): Line {
  return more > 0 ? [...list(pieces), plain(t.explain.place.more(more))] : list(pieces);
}

/** A sentence with its full stop: a number such as `1.` at its end has one already. */
export function sentence(line: Line): Line {
  return line.at(-1)?.text.endsWith(".") ? line : [...line, plain(t.explain.place.stop)];
}
