/* What an optimization pass over a static graph did, in words. */

import { changesOf, type Change, type Changes } from "../graph/changes";
import { callKey, valueKey } from "../graph/keys";
import { called, expression } from "../graph/names";
import type { Model, PassRow } from "../log/model";
import { bytes, duration } from "../log/quantities";
import { dim, math, plain, type Line, type Piece } from "../text/piece";
import { t } from "../text/text";
import { listOf, type Explanation } from "./text";

/** At most so many operations are named. */
const NAMED = 4;

/** What the newest pass did. */
export function explainPass(model: Model): Explanation {
  const changes = changesOf(model);
  const { about, title: words } = t.explain.passes;
  const known = Object.entries(about).find(([name]) => name === changes?.pass.name);
  const title = changes ? words(changes.pass.name, known?.[1] ?? about.other) : [];
  const lines = changes ? [...linesOf(model, changes), figures(changes)] : [];
  return { tone: "plain", title, lines, where: null, code: null };
}

function linesOf(model: Model, changes: Changes): Line[] {
  const { before, calls, values } = changes;
  const words = t.explain.passes;
  if (!before) {
    return [[dim(words.eachStep)]];
  }
  const of = (change: Change): number[] =>
    [...calls].filter(([, own]) => own === change).map(([call]) => call);
  const known = [...values].filter(([, change]) => change === "known").map(([value]) => value);
  const lines: Line[] = [
    listCalls(model, words.leftOut, of("removed")),
    listCalls(model, words.inPlace, of("added")),
    listCalls(model, words.rewired, of("rewired")),
  ];
  if (known.length > 0) {
    const names = known.slice(0, NAMED).map((value) => ({
      ...math(called(model, value)),
      key: valueKey(value),
    }));
    lines.push(words.known(listOf(names, known.length - NAMED)));
  }
  const fused = of("fused").length;
  if (fused > 0) lines.push([plain(words.fused(fused))]);
  if (changes.over.size > 0) {
    const names = [...changes.over].slice(0, NAMED).map(([result, operand]): Piece => {
      return {
        ...math(words.overOne(called(model, result, 16), called(model, operand, 16))),
        key: valueKey(result),
      };
    });
    lines.push(words.over(listOf(names, changes.over.size - NAMED)));
  }
  const found = lines.filter((line) => line.length > 0);
  if (found.length > 0) return found;
  const less = (changes.pass.bytes ?? 0) < (before.bytes ?? 0);
  return [[less ? plain(words.freedEarly) : dim(words.nothing)]];
}

function listCalls(model: Model, words: (calls: Line) => Line, calls: readonly number[]): Line {
  if (calls.length === 0) return [];
  const names = calls.slice(0, NAMED).map((id) => {
    const call = model.calls.get(id);
    return { ...math(call ? expression(model, call, 28) : "?"), key: callKey(id) };
  });
  return words(listOf(names, calls.length - NAMED));
}

/** What was left, and what it was before. */
function figures({ pass, before }: Changes): Line {
  const { operations, memory } = t.explain.passes;
  const parts = [
    became(operations, before?.nodes ?? null, pass.nodes, String),
    became(memory, before?.bytes ?? null, pass.bytes, bytes),
    time(before, pass),
  ];
  return parts
    .filter((part) => part !== "")
    .map((part, i) => plain(`${i > 0 ? " · " : ""}${part}`));
}

function became(
  words: (figure: string) => string,
  was: number | null,
  now: number | null,
  text: (n: number) => string,
): string {
  if (now === null) return "";
  return words(was === null || was === now ? text(now) : `${text(was)} → ${text(now)}`);
}

function time(before: PassRow | null, pass: PassRow): string {
  const now = pass.microseconds;
  const { notRun, run, chance: byChance } = t.explain.passes;
  if (now === null) return notRun;
  const was = before?.microseconds ?? null;
  if (was === null) return run(duration(now));
  const chance = Math.max(pass.spread ?? 0, before?.spread ?? 0);
  const same = Math.abs(now - was) <= chance;
  return (same ? byChance : run)(`${duration(was)} → ${duration(now)}`);
}
