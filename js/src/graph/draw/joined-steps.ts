/* One pill for an optimizer's step of many parameters, or for a line that steps them in a loop. */

import { push } from "../../collections";
import { hazards, scopesAround, type CallRow, type Model } from "../../log/model";
import type { Box, Pill } from "./boxes";
import { overwriteOf } from "../select/select";
import type { Wire } from "./wire";

/** So many steps of one optimizer, or of one line, each have a pill of their own. */
const FEW = 3;

interface Draft {
  readonly boxes: Map<string, Box>;
  readonly homes: Map<string, string>;
  wires: Wire[];
}

/** Leaves one pill of each step that has many, with the wires of all. */
export function joinSteps(draft: Draft, model: Model, steps: ReadonlyMap<number, number>): void {
  if (steps.size <= FEW) return;
  const { boxes, homes } = draft;
  const overwrites = new Set(hazards(model).map((hazard) => overwriteOf(model, hazard)?.call));
  const alike = new Map<string, Pill[]>();
  for (const box of boxes.values()) {
    if (box.kind !== "pill" || !steps.has(box.call.call) || overwrites.has(box.call.call)) continue;
    push(alike, `${stepIn(model, box.call)} ${homes.get(box.key) ?? ""}`, box);
  }
  const kept = new Map<string, string>();
  for (const [first, ...others] of alike.values()) {
    if (!first || others.length < FEW) continue;
    for (const { key } of others) {
      kept.set(key, first.key);
      boxes.delete(key);
      homes.delete(key);
    }
  }
  if (kept.size === 0) return;
  draft.wires = draft.wires.map((wire) => {
    const [from, to] = [kept.get(wire.from) ?? wire.from, kept.get(wire.to) ?? wire.to];
    return from === wire.from && to === wire.to ? wire : { ...wire, from, to };
  });
}

/** What tells one step from another: the optimizer's scope, else the user's line. */
function stepIn(model: Model, { scope, source, op }: CallRow): string {
  const own = scopesAround(model, scope).find(({ kind }) => kind === "step");
  return own ? `scope ${own.scope}` : `line ${source ?? ""} ${op}`;
}
