/*
 * Films: loops that train. Which loop the moment shown is in, which turns of it can be shown, and
 * which steps each has. A turn whose details were let go is known by its scalars only.
 */

import type { Numeric } from "../log/events";
import { isFilm, scopesAround, type LoopRow, type Model, type TurnRow } from "../log/model";
import type { Step } from "./steps";

/** The steps of one turn, or those between two turns (`turn` is null), as indices. */
export interface Section {
  readonly turn: TurnRow | null;
  readonly first: number;
  readonly last: number;
}

/**
 * The film that a time is in, the innermost; between films of its cell the one before it, else the
 * first. Films of other cells are not this cell's.
 */
export function filmAt(model: Model, time: number): LoopRow | null {
  const begin = model.cellTimes.findLast((at) => at < time) ?? -Infinity;
  const end = model.cellTimes.find((at) => at >= time) ?? Infinity;
  let found: LoopRow | null = null;
  let best: readonly [number, number] = [-1, -1];
  for (const loop of model.loops.values()) {
    const start = loop.turns.at(-1)?.from ?? -Infinity;
    if (start < begin || start >= end || loop.count < 2 || !isFilm(model, loop)) continue;
    const turn = loop.turns.findLast(({ from }) => from < time);
    const inside = turn !== undefined && goesOn(turn, time);
    const rank = [inside ? 2 : turn ? 1 : 0, turn?.from ?? -1] as const;
    const later = rank[0] > 0 && rank[0] === best[0] && rank[1] >= best[1];
    if (rank[0] > best[0] || later) {
      [found, best] = [loop, rank];
    }
  }
  return found && innermost(model, found, time);
}

const goesOn = ({ to }: TurnRow, time: number): boolean => to === null || time <= to;

/** Of a film the one within its turn that began last by then, and so on inwards. */
function innermost(model: Model, film: LoopRow, time: number): LoopRow {
  const turn = film.turns.findLast(({ from }) => from < time);
  if (!turn) return film;
  const began = ({ turns }: LoopRow): number => turns[0]?.from ?? Infinity;
  let inner: LoopRow | null = null;
  for (const loop of model.loops.values()) {
    const from = began(loop);
    if (from <= turn.from || from >= time || loop.count < 2 || !isFilm(model, loop)) continue;
    const within = scopesAround(model, loop.loop).some(({ scope }) => scope === turn.scope);
    if (within && (!inner || from > began(inner))) inner = loop;
  }
  return inner ? innermost(model, inner, time) : film;
}

/** A film with those around it, as batches with their epochs: the outermost first. */
export function filmsAround(model: Model, film: LoopRow): readonly LoopRow[] {
  const [, ...around] = scopesAround(model, film.loop);
  const outer = around.flatMap(({ scope }) => {
    const loop = model.loops.get(scope);
    return loop && loop.count > 1 ? [loop] : [];
  });
  return [...outer.reverse(), film].map((loop) => withInnerScalars(model, loop));
}

/**
 * A film with the scalars of loops inside it that ran once in each of its iterations, as a
 * framework's over the parts of a batch: these are no films of their own.
 */
function withInnerScalars(model: Model, film: LoopRow): LoopRow {
  if (Object.keys(film.curves).length > 0) return film;
  const curves: Record<string, (Numeric | null)[]> = {};
  for (const { loop, count, curves: own } of model.loops.values()) {
    if (count !== 1 || Object.keys(own).length === 0) continue;
    const around = new Set(scopesAround(model, loop).map(({ scope }) => scope));
    const at = film.turns.find(({ scope }) => around.has(scope))?.turn;
    if (at === undefined) continue;
    for (const [name, [value]] of Object.entries(own)) {
      curves[name] ??= new Array<Numeric | null>(film.count).fill(null);
      curves[name][at - 1] = value ?? null;
    }
  }
  return Object.keys(curves).length > 0 ? { ...film, curves } : film;
}

/**
 * The steps of each turn of a film; turns without a step of their own are left out. What is `idle`
 * after a turn, as what a library keeps its books with, belongs to it.
 */
export function sectionsOf(
  film: LoopRow,
  steps: readonly Step[],
  idle: (step: Step) => boolean = () => false,
): readonly Section[] {
  const sections: Section[] = [];
  let step = 0;
  const take = (turn: TurnRow | null, until: number): void => {
    const first = step;
    while (step < steps.length && (steps[step]?.anchor ?? Infinity) < until) step += 1;
    if (step === first) return;
    const before = sections.at(-1);
    if (turn === null && before && steps.slice(first, step).every(idle)) {
      sections[sections.length - 1] = { ...before, last: step - 1 };
    } else sections.push({ turn, first, last: step - 1 });
  };
  for (const turn of film.turns) {
    take(null, turn.from);
    take(turn, turn.to ?? Infinity);
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
