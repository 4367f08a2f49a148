/*
 * Films, which are loops that train, in the picture: it shows one turn of each, the one that the
 * moment shown is in; equal structure keeps equal places.
 */

import { isFilm, scopesAround, type LoopRow, type Model, type TurnRow } from "../log/model";

export interface Film {
  readonly loop: LoopRow;
  /** The turn that is shown. */
  readonly turn: TurnRow;
}

export interface Films {
  /** The film that the newest cell shows, if it shows one. */
  readonly shown: Film | null;
  /** Scopes around which no box is drawn: the loops and the shown turns themselves. */
  readonly unboxed: ReadonlySet<number>;
  /** Whether a scope lies in a turn that is not shown. */
  readonly hides: (scope: number | null) => boolean;
}

/** The films of a model; of each the last turn is the one that is shown. */
export function films(model: Model): Films {
  const unboxed = new Set<number>();
  const hidden = new Set<number>();
  let shown: Film | null = null;
  for (const loop of model.loops.values()) {
    const last = loop.turns.at(-1);
    if (!last || !isFilm(model, loop)) continue;
    unboxed.add(loop.loop).add(last.scope);
    for (const { scope } of loop.turns) if (scope !== last.scope) hidden.add(scope);
    if (!shown || shown.turn.from <= last.from) shown = { loop, turn: last };
  }
  const cell = model.cellTimes.at(-1);
  if (shown && cell !== undefined && shown.turn.from < cell) shown = null;
  const known = new Map<number, boolean>();
  const hides = (scope: number | null): boolean => {
    if (scope === null || hidden.size === 0) return false;
    const before = known.get(scope);
    if (before !== undefined) return before;
    const answer = hidden.has(scope) || hides(model.scopes.get(scope)?.parent ?? null);
    known.set(scope, answer);
    return answer;
  };
  return { shown, unboxed, hides };
}

/** What calls and groups of a turn are called: the same in each turn that runs the same lines. */
export interface Places {
  readonly calls: ReadonlyMap<number, string>;
  /** By scope. */
  readonly groups: ReadonlyMap<number, string>;
}

export const NO_PLACES: Places = { calls: new Map(), groups: new Map() };

/** The places of the turn that is shown and of what came after it; none without a film. */
export function placesOf(model: Model, { shown, unboxed }: Films): Places {
  return shown ? occurrences(model, shown.turn.from, Infinity, unboxed) : NO_PLACES;
}

/** The places that were in the turn before the one shown; null when that is not known. */
export function placesBefore(model: Model, { shown, unboxed }: Films): ReadonlySet<string> | null {
  const before = shown?.loop.turns.find((row) => row.turn === shown.turn.turn - 1);
  if (!before || before.to === null) return null;
  const skipped = new Set(unboxed).add(before.scope);
  const { calls, groups } = occurrences(model, before.from, before.to, skipped);
  return new Set([...calls.values(), ...groups.values()]);
}

/** Calls by group, op, line and how often that came before; groups by name likewise. */
function occurrences(model: Model, from: number, to: number, skipped: ReadonlySet<number>): Places {
  const calls = new Map<number, string>();
  const groups = new Map<number, string>();
  const counts = new Map<string, number>();
  const placed = (name: string): string => {
    const nr = (counts.get(name) ?? 0) + 1;
    counts.set(name, nr);
    return `${name}#${nr}`;
  };
  for (const call of model.calls.values()) {
    if (call.time < from || call.time >= to) continue;
    let home = "";
    for (const scope of scopesAround(model, call.scope).reverse()) {
      const id = scope.scope;
      if (skipped.has(id)) continue;
      const place =
        groups.get(id) ?? placed(`${home}/${scope.kind === "turn" ? "turn" : scope.name}`);
      groups.set(id, place);
      home = place;
    }
    calls.set(call.call, placed(`${home}/${call.op}@${call.source ?? ""}`));
  }
  return { calls, groups };
}
