/*
 * The training loop that a moment is in, its iterations that can be shown, and the steps of each.
 * An iteration without stored details is known by its scalars only.
 */

import type { Numeric } from "../log/events";
import {
  isTrainingLoop,
  scopesAround,
  type LoopRow,
  type Model,
  type IterationRow,
} from "../log/model";
import type { Step } from "./steps";

/** The steps of one iteration, or those between two iterations (`iteration` is null), as indices. */
export interface Section {
  readonly iteration: IterationRow | null;
  readonly first: number;
  readonly last: number;
}

/**
 * The loop that a time is in, the innermost; between loops of its cell the one before it, else the
 * first. Loops of other cells are not this cell's.
 */
export function loopAt(model: Model, time: number): LoopRow | null {
  const begin = model.cellTimes.findLast((at) => at < time) ?? -Infinity;
  const end = model.cellTimes.find((at) => at >= time) ?? Infinity;
  let found: LoopRow | null = null;
  let best: readonly [number, number] = [-1, -1];
  for (const loop of model.loops.values()) {
    const start = loop.iterations.at(-1)?.from ?? -Infinity;
    if (start < begin || start >= end || loop.count < 2 || !isTrainingLoop(model, loop)) continue;
    const iteration = loop.iterations.findLast(({ from }) => from < time);
    const inside = iteration !== undefined && goesOn(iteration, time);
    const rank = [inside ? 2 : iteration ? 1 : 0, iteration?.from ?? -1] as const;
    const later = rank[0] > 0 && rank[0] === best[0] && rank[1] >= best[1];
    if (rank[0] > best[0] || later) {
      [found, best] = [loop, rank];
    }
  }
  return found && innermost(model, found, time);
}

const goesOn = ({ to }: IterationRow, time: number): boolean => to === null || time <= to;

/** Of a loop the one within its iteration that began last by then, and so on inwards. */
function innermost(model: Model, loop: LoopRow, time: number): LoopRow {
  const iteration = loop.iterations.findLast(({ from }) => from < time);
  if (!iteration) return loop;
  const began = ({ iterations }: LoopRow): number => iterations[0]?.from ?? Infinity;
  let inner: LoopRow | null = null;
  for (const loop of model.loops.values()) {
    const from = began(loop);
    if (from <= iteration.from || from >= time || loop.count < 2 || !isTrainingLoop(model, loop))
      continue;
    const within = scopesAround(model, loop.loop).some(({ scope }) => scope === iteration.scope);
    if (within && (!inner || from > began(inner))) inner = loop;
  }
  return inner ? innermost(model, inner, time) : loop;
}

/** A loop with those around it, as batches with their epochs: the outermost first. */
export function loopsAround(model: Model, loop: LoopRow): readonly LoopRow[] {
  const [, ...around] = scopesAround(model, loop.loop);
  const outer = around.flatMap(({ scope }) => {
    const loop = model.loops.get(scope);
    return loop && loop.count > 1 ? [loop] : [];
  });
  return [...outer.reverse(), loop].map((loop) => withInnerScalars(model, loop));
}

/**
 * A loop with the scalars of loops inside it that ran once in each of its iterations, as a
 * framework's over the parts of a batch: these are no loops of their own.
 */
function withInnerScalars(model: Model, loop: LoopRow): LoopRow {
  if (Object.keys(loop.curves).length > 0) return loop;
  const curves: Record<string, (Numeric | null)[]> = {};
  for (const { loop: inner, count, curves: own } of model.loops.values()) {
    if (count !== 1 || Object.keys(own).length === 0) continue;
    const around = new Set(scopesAround(model, inner).map(({ scope }) => scope));
    const at = loop.iterations.find(({ scope }) => around.has(scope))?.number;
    if (at === undefined) continue;
    for (const [name, [value]] of Object.entries(own)) {
      curves[name] ??= new Array<Numeric | null>(loop.count).fill(null);
      curves[name][at - 1] = value ?? null;
    }
  }
  return Object.keys(curves).length > 0 ? { ...loop, curves } : loop;
}

/**
 * The steps of each iteration of a loop; iterations without a step of their own are left out. What is `idle`
 * after an iteration, as what a library keeps its books with, belongs to it.
 */
export function sectionsOf(
  loop: LoopRow,
  steps: readonly Step[],
  idle: (step: Step) => boolean = () => false,
): readonly Section[] {
  const sections: Section[] = [];
  let step = 0;
  const take = (iteration: IterationRow | null, until: number): void => {
    const first = step;
    while (step < steps.length && (steps[step]?.anchor ?? Infinity) < until) step += 1;
    if (step === first) return;
    const before = sections.at(-1);
    if (iteration === null && before && steps.slice(first, step).every(idle)) {
      sections[sections.length - 1] = { ...before, last: step - 1 };
    } else sections.push({ iteration, first, last: step - 1 });
  };
  for (const iteration of loop.iterations) {
    take(null, iteration.from);
    take(iteration, iteration.to ?? Infinity);
  }
  take(null, Infinity);
  return sections;
}

/** The section that a step is in; before the first step, the first one. */
export function sectionAt(sections: readonly Section[], step: number): Section | null {
  return sections.findLast(({ first }) => first <= Math.max(0, step)) ?? null;
}

/** A number that travelled, as a number: nan and inf come as text. */
export function scalar(value: unknown): number | null {
  if (value === null || value === undefined) return null;
  if (typeof value !== "string") return Number(value);
  if (value === "inf") return Infinity;
  return value === "-inf" ? -Infinity : Number(value);
}
