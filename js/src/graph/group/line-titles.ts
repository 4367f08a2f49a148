/* What the ops of one line are called where they are drawn as one box. */

import { cut } from "../../log/format";
import type { Model } from "../../log/model";
import { lineTitle } from "./group-titles";
import { pillText } from "../pill-text";

/** The line of a source, of which several ops may have one each. */
export function lineOf(model: Model, source: number | null): string | null {
  const row = source === null ? undefined : model.sources.get(source);
  return row ? `${row.cell ?? ""} ${row.file ?? ""} ${row.line}` : null;
}

const LONGEST = 26;

/** How often each key comes. */
export function countBy<T, K>(items: readonly T[], keyOf: (item: T) => K): ReadonlyMap<K, number> {
  const counts = new Map<K, number>();
  for (const item of items) counts.set(keyOf(item), (counts.get(keyOf(item)) ?? 0) + 1);
  return counts;
}

/**
 * The expression of a line, and the number of the line. Where its ops are not together, as a module
 * is called between them, the signs of those in this `run`; `ofLine` tells how many a line has.
 */
export function titleOfRun(
  model: Model,
  run: readonly unknown[],
  source: number,
  ofLine: ReadonlyMap<string | null, number> | null,
): [string, string] {
  const line = model.sources.get(source);
  const subtitle = lineTitle(line);
  const text = expressionOf(line?.text ?? "");
  const whole = ofLine?.get(lineOf(model, source)) === run.length;
  if (whole && text !== "") return [cut(text, LONGEST), subtitle];
  const signs = run.flatMap((item) => {
    const call = typeof item === "number" ? model.calls.get(item) : undefined;
    return call ? [pillText(model, call)] : [];
  });
  return [cut(signs.join(" → "), LONGEST), subtitle];
}

/** What a line computes: without the names that it gives, `return`, and a comment. */
function expressionOf(line: string): string {
  return line
    .replace(/\s+#.*$/, "")
    .replace(/^(?:return|yield)\s+/, "")
    .replace(/^[\w.,\s[\]'"()*]+?\s*[-+*/@]?=(?!=)\s*/, "")
    .replace(/:$/, "")
    .trim();
}
