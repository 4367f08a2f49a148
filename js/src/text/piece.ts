/* Pieces of sentences, which a view sets and a test reads. */

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
export interface SourceLine {
  readonly cell: number | null;
  readonly line: number;
  readonly text: string;
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

/** Code that can be pasted as it stands. */
export function pasted(text: string): Piece {
  return { text, tone: "code", copy: true };
}

/** What a place of a sentence takes: text, one piece or several. */
export type Place = string | number | Piece | Line;

/** A sentence with its places filled: line`${node} saved ${value}.` */
export function line(texts: TemplateStringsArray, ...places: readonly Place[]): Line {
  const found = texts.flatMap((text, i) => {
    const place = places[i] ?? "";
    const filled = typeof place === "object" ? place : plain(String(place));
    return [plain(text), ...(isLine(filled) ? filled : [filled])];
  });
  return found.filter(({ text }) => text !== "");
}

const isLine = (place: Piece | Line): place is Line => Array.isArray(place);

/** A sentence in small print. */
export function dimmed(of: Line): Line {
  return of.map((part) => (part.tone === "plain" ? dim(part.text) : part));
}

export function toText(of: Line): string {
  return of.map(({ text }) => text).join("");
}
