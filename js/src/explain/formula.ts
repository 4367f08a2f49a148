/* Formulas made plain: numbers worked out, transposes undone, sums over a batch in words. */

import { t } from "../text/text";

/** A filled formula without what only its pattern needed. */
export function tidy(formula: string): string {
  return formula
    .replace(/\((\d+(?:\.\d+)?) − 1\)/g, (_all, n: string) => String(Number(n) - 1))
    .replace(/^(?:.* × )?0(?:\.0)? × \S+ \^ -1$/, "0") // of a power 0
    .replace(/ \^ 1(?![\w.])/g, "")
    .replace(/ \^ 2(?![\w.])/g, "²")
    .replace(/(?<![\w.])\[?None ≤ (\S+) ≤ (\S+?)\]?(?= |,|$)/g, "$1 ≤ $2")
    .replace(/(?<![\w.])−∞ ≤ | ≤ ∞/g, "") // a bound that was not given
    .replace(/\(([\w.]+)ᵀ\)ᵀ|([\w.]+)ᵀᵀ/g, (_all, a?: string, b?: string) => a ?? b ?? "")
    .replace(/ × 1(?![\w.])/g, "")
    .replace(/(?<![\p{L}\d_.)√])\(([\w.]+)\)(?!ᵀ)/gu, "$1");
}

/** Shapes with their transposes done: `(8, 4)ᵀ` is `(4, 8)`. */
export function transposed(shapes: string): string {
  return shapes.replace(/\(([\d, ]*)\)ᵀ/g, (_all, inner: string) => {
    const dims = inner
      .split(",")
      .map((n) => n.trim())
      .filter((n) => n !== "");
    const [b, a] = [dims.pop(), dims.pop()];
    return `(${[...dims, b, a].filter((n) => n !== undefined).join(", ")})`;
  });
}

/**
 * What became of the sizes that an input does not have: "summed over the 8 rows of the batch". Null
 * when nothing was summed.
 */
export function summedOver(from: readonly number[], to: readonly number[]): string | null {
  const extra = from.length - to.length;
  const lost = from.flatMap((n, i) => (i < extra || (to[i - extra] === 1 && n > 1) ? [i] : []));
  const items = lost.reduce((product, i) => product * (from[i] ?? 1), 1);
  if (lost.length === 0 || items === 1) return null;
  if (lost.length === from.length) return t.explain.node.summedAll(items);
  if (lost.length === 1 && lost[0] === 0) return t.explain.node.summedRows(items);
  const leading = lost.every((dim, i) => dim === i);
  if (leading) return t.explain.node.summedBatches(items);
  return t.explain.node.summedDims(lost.join(", "), items);
}
