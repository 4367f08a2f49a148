/* What a run differentiates: one result, or L, which several results or a given gradient make up. */

import { bracketed, symbol } from "../graph/names";
import type { Summary } from "../log/events";
import { brief, size } from "../log/format";
import type { Model, NodeRow, RunRow } from "../log/model";
import { grad, line, math, plain, type Line } from "../text/piece";
import { t } from "../text/text";
import { name, numbers } from "./text";

/** What is differentiated where it is no single result. */
const WHOLE = "L";

/** A value that a run began with, and the gradient that it began with there. */
interface Root {
  readonly value: number | null;
  readonly node: number;
  readonly given: Summary | null;
}

export function rootsOf({ roots, grads }: RunRow): readonly Root[] {
  return roots.map(([value, node], i) => ({ value, node, given: grads?.[i] ?? null }));
}

/** Whether a run differentiates a sum over its results rather than one of them by itself. */
export function isWhole({ roots, grads }: RunRow): boolean {
  return roots.length > 1 || grads !== null;
}

export function runOf(model: Model, node: NodeRow): RunRow | undefined {
  return node.run === null ? undefined : model.runs.get(node.run);
}

/** The value that is differentiated; null where it is no single one. */
export function rootOf(model: Model, node: NodeRow): number | null {
  const run = runOf(model, node);
  return !run || isWhole(run) ? null : (run.roots[0]?.[0] ?? null);
}

/** Its name, for the notation ∂loss/∂a. */
export function rootName(model: Model, node: NodeRow): string {
  const run = runOf(model, node);
  if (run && isWhole(run)) return WHOLE;
  const root = rootOf(model, node);
  return root === null ? "out" : bracketed(symbol(model, root, 18));
}

/** The gradient that a run began with at a value, of a node, where it was not the usual 1. */
export function givenTo(model: Model, node: NodeRow, value: number): Summary[] {
  const run = runOf(model, node);
  const found = run ? rootsOf(run).filter((root) => root.value === value) : [];
  return found.flatMap(({ given }) => given ?? []);
}

/** More results than these are only counted. */
const MOST = 6;

/** `L = 1 · square + 10 · cube`; for tensors `L = Σ g · y`. Empty where one result is differentiated. */
export function wholeLine(model: Model, run: RunRow): Line {
  if (!isWhole(run)) return [];
  const roots = rootsOf(run);
  if (roots.length > MOST) {
    return [plain(t.explain.run.whole(WHOLE, roots.length))];
  }
  const terms = roots.flatMap(({ value, given }, i): Line => {
    const own = value === null ? plain("out") : name(model, value);
    const sum = given && size(given.shape) > 1 ? "Σ " : "";
    const factor = given ? brief(given, 30) : "1";
    return line`${math(`${i > 0 ? " + " : ""}${sum}`)}${grad(factor)}${math(" · ")}${own}`;
  });
  return t.explain.run.differentiated([math(`${WHOLE} = `), ...terms]);
}

/** Which gradients were given to a run. */
export function givenLine(run: RunRow): Line {
  const [only] = rootsOf(run);
  if (run.roots.length !== 1 || !only?.given) return [];
  return t.explain.run.given(numbers(only.given));
}
