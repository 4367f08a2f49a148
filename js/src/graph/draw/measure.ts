/*
 * How wide text is. The layout has no page to ask, so letters are measured by a table of a wide
 * font (DejaVu, in hundredths of the font's size): with a narrower one there is a little more air.
 */

const REGULAR =
  "32 40 46 84 64 95 78 27 39 39 50 84 32 36 32 34 64 64 64 64 64 64 64 64 64 64 34 34 84 84 84 53 " +
  "100 68 69 70 77 63 58 77 75 29 29 66 56 86 75 79 60 79 69 63 61 73 68 99 69 61 69 39 34 39 84 50 " +
  "50 61 63 55 63 62 35 63 63 28 28 58 28 97 63 61 63 63 41 52 39 63 59 82 59 59 52 64 34 64 84";

const BOLD =
  "35 46 52 84 70 100 87 31 46 46 52 84 38 42 38 37 70 70 70 70 70 70 70 70 70 70 40 40 84 84 84 58 " +
  "100 77 76 73 83 68 68 82 84 37 37 77 64 100 84 85 73 85 77 72 68 81 77 110 77 72 73 46 37 46 84 50 " +
  "50 67 72 59 72 68 44 72 71 34 34 67 34 104 71 69 72 72 49 60 48 71 65 92 65 65 58 71 37 71 84";

const widths = (list: string): readonly number[] => list.split(" ").map(Number);

export type Face = "regular" | "bold" | "mono";

const TABLES = { regular: widths(REGULAR), bold: widths(BOLD) } as const;

/** Letters of a fixed width are so wide; those of Chinese, emoji and the like take two. */
const FIXED = 60.3;

/** The width of a text in pixels, in a font of so many pixels. */
export function textWidth(text: string, size: number, face: Face): number {
  let sum = 0;
  for (const letter of text) sum += letterWidth(letter.codePointAt(0) ?? 32, face);
  return (sum * size) / 100;
}

function letterWidth(code: number, face: Face): number {
  if (code >= 0x300 && code < 0x370) return 0; // accents over the letter before
  if (code >= 0x1100 && !isSign(code)) return face === "mono" ? 2 * FIXED : 105;
  if (face === "mono") return FIXED;
  if (code === 0x2026) return 100; // …
  return (
    TABLES[face][code - 32] ?? (isSign(code) && code > 0x218f ? 84 : face === "bold" ? 78 : 66)
  );
}

/** Arrows, operators, letters with marks, superscripts: as wide as Latin letters. */
function isSign(code: number): boolean {
  return code >= 0x1d00 && code < 0x2800;
}

/** A text with as much taken from its middle as it must to have room, more from its beginning. */
export function cutToWidth(text: string, room: number, size: number, face: Face): string {
  if (textWidth(text, size, face) <= room) return text;
  const letters = Array.from(text);
  for (let kept = letters.length - 1; kept > 2; kept -= 1) {
    const head = Math.floor(kept * 0.45);
    const shorter = [
      ...letters.slice(0, head),
      "…",
      ...letters.slice(letters.length - kept + head),
    ];
    if (textWidth(shorter.join(""), size, face) <= room) return shorter.join("");
  }
  return "…";
}
