/* Gradients that hooks changed on their way. */

import type { Summary } from "../log/events";
import { shape } from "../log/format";
import { grad, numbers, plain, type Line } from "./text";

/** Numbers that differ by less are the same but for rounding. */
const ROUGH = 1e-2;

/** The sum of gradients, item by item; null where their numbers are not all known. */
export function sumOfAll(parts: readonly Summary[]): readonly number[] | null {
  const [first] = parts;
  if (!first?.values) return null;
  const sum = first.values.map(Number);
  for (const { values, shape: dims } of parts.slice(1)) {
    if (!values || shape(dims) !== shape(first.shape)) return null;
    values.forEach((value, i) => (sum[i] = (sum[i] ?? 0) + Number(value)));
  }
  return sum;
}

/**
 * What a hook made of a gradient: of what arrived in `parts` something else came `out`. Empty where
 * it is the same, or where that cannot be told.
 */
export function hookLine(parts: readonly Summary[], out: Summary | null | undefined): Line {
  const sum = sumOfAll(parts);
  const [first] = parts;
  if (!sum || !first || !out?.values || shape(out.shape) !== shape(first.shape)) return [];
  const most = Math.max(...sum.map(Math.abs), ...out.values.map((x) => Math.abs(Number(x))), 0);
  const differs = (value: number, i: number): boolean =>
    Math.abs(value - Number(out.values?.[i])) > ROUGH * most;
  if (!sum.some(differs)) return [];
  const before: Summary = { ...first, values: sum };
  return [plain("A hook changed it: "), numbers(before), grad(" → "), numbers(out)];
}
