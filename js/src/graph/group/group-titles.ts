/* What groups are called. */

import { get, push } from "../../collections";
import type { Model, ScopeRow } from "../../log/model";
import { t } from "../../text/text";

/** What a scope is called, and its class or what else helps to tell it. */
export function titleOf({ kind, name, text }: ScopeRow): [string, string] {
  if (kind === "loop") return [text.replace(/:$/, "") || name, ""];
  if (kind === "iteration") return [t.picture.groups.iteration(name), ""];
  if (kind === "function") return [`${name.split(".").at(-1) ?? name}()`, ""];
  return text === "" ? [name, ""] : [name, text];
}

/** Iterations of a loop that are one group. */
export const iterationsTitle = (first: ScopeRow | null, last: ScopeRow | null): string =>
  t.picture.groups.iterations(first?.name ?? "", last?.name ?? "");

/** A line of the user's program. */
export const lineTitle = (source: { readonly line: number } | undefined): string =>
  t.picture.groups.line(source?.line ?? 0);

/** Which ops of a long program a part holds, and of which lines its calls are. */
export function opsTitle(
  model: Model,
  calls: readonly number[],
  from: number,
  to: number,
): [string, string] {
  const { opsFromTo, line, lines: between } = t.picture.groups;
  const title = opsFromTo(from, to);
  const lines = new Map<string, number[]>();
  for (const call of calls) {
    const source = model.sources.get(get(model.calls, call).source ?? -1);
    if (source) push(lines, `${source.cell ?? ""} ${source.file ?? ""}`, source.line);
  }
  const [numbers] = lines.values();
  if (lines.size !== 1 || !numbers) return [title, ""];
  const low = numbers.reduce((least, line) => Math.min(least, line), Infinity);
  const high = numbers.reduce((most, line) => Math.max(most, line), 0);
  return [title, low === high ? line(low) : between(low, high)];
}
