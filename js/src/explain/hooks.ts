/* Gradients that hooks changed on their way. */

import { push } from "../collections";
import type { Summary } from "../log/events";
import { shape } from "../log/format";
import { once, type Model, type NodeRow } from "../log/model";
import { givenTo } from "./root";
import { toText, type Line } from "../text/piece";
import { t } from "../text/text";
import { numbers } from "./text";

/** Numbers that differ by less, compared with the largest, are the same but for rounding. */
const ROUGH = 1e-4;
const ROUGH_HALF = 1e-2;

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
 * it is the same, or where that is not known.
 */
export function hookLine(parts: readonly Summary[], out: Summary | null | undefined): Line {
  const sum = sumOfAll(parts);
  const [first] = parts;
  if (!sum || !first || !out?.values || shape(out.shape) !== shape(first.shape)) return [];
  const most = Math.max(...sum.map(Math.abs), ...out.values.map((x) => Math.abs(Number(x))), 0);
  const rough = first.dtype.endsWith("float16") ? ROUGH_HALF : ROUGH;
  const differs = (value: number, i: number): boolean =>
    Math.abs(value - Number(out.values?.[i])) > rough * most;
  if (!sum.some(differs)) return [];
  const before: Summary = { ...first, values: sum };
  return t.explain.node.hook(numbers(before), numbers(out));
}

/** What makes up the gradient of a node's first output: what was given there, and what was sent. */
export function partsOf(model: Model, node: NodeRow, output: number): Summary[] {
  return [...givenTo(model, node, output), ...contributions(model, node.node, node.run)];
}

/** The gradients that nodes of this run sent to a node's first output, as they ran. */
export function contributions(model: Model, target: number, run: number | null): Summary[] {
  const order = run === null ? [] : (model.runs.get(run)?.order ?? []);
  const found: Summary[] = [];
  for (const id of order) {
    const from = model.nodes.get(id);
    if (!from || from.run !== run) continue;
    from.next.forEach(([next, nr], edge) => {
      const sent = from.grads_out[edge];
      if (next === target && nr === 0 && sent) found.push(sent);
    });
  }
  return found;
}

/** By node, in words, what hooks made of the gradients that came to the nodes' first outputs. */
export const changedByHooks = once((model: Model): ReadonlyMap<number, string> => {
  const sent = new Map<number, Summary[]>();
  const unknown = new Set<number>(); // what was sent there, as its senders have run again since
  for (const { next, grads_out, run } of model.nodes.values()) {
    next.forEach(([to, nr], edge) => {
      const part = grads_out[edge];
      const target = to === null ? undefined : model.nodes.get(to);
      if (!target || nr !== 0) return;
      if (run !== null && target.run !== null && run > target.run) unknown.add(target.node);
      if (part && target.run === run) push(sent, target.node, part);
    });
  }
  const found = new Map<number, string>();
  for (const row of model.nodes.values()) {
    const [came, output] = [row.grads_in[0], row.outputs[0]];
    if (row.run === null || !came || unknown.has(row.node)) continue;
    const given = output === undefined ? [] : givenTo(model, row, output);
    const line = hookLine([...given, ...(sent.get(row.node) ?? [])], came);
    if (line.length > 0) found.set(row.node, toText(line));
  }
  return found;
});
