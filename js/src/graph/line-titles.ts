/* What the ops of one line are called where they are drawn as one box. */

import { cut } from "../log/format";
import type { Model } from "../log/model";
import { lineTitle } from "./group-titles";
import { pillText } from "./pills";

/** The line of a source, of which several ops may have one each. */
export function lineOf(model: Model, source: number | null): string | null {
  const row = source === null ? undefined : model.sources.get(source);
  return row ? `${row.cell ?? ""} ${row.file ?? ""} ${row.line}` : null;
}

const LONGEST = 26;

/**
 * The expression of a line, and the number of the line. Where its ops are not together, as a module
 * is called between them, the signs of those in this `run`.
 */
export function titleOfRun(
  model: Model,
  items: readonly unknown[],
  run: readonly unknown[],
  source: number,
): [string, string] {
  const line = model.sources.get(source);
  const subtitle = lineTitle(line);
  const ofLine = (item: unknown): boolean =>
    typeof item === "number" &&
    lineOf(model, model.calls.get(item)?.source ?? null) === lineOf(model, source);
  const text = expressionOf(line?.text ?? "");
  const whole = items.filter(ofLine).length === run.length;
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
