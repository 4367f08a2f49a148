/* What an optimization pass over a static graph did, in words. */

import { changesOf, type Change, type Changes } from "../graph/changes";
import { callKey, valueKey } from "../graph/keys";
import { called, expression } from "../graph/names";
import type { Model, PassRow } from "../log/model";
import { bytes, duration } from "../log/quantities";
import { code, dim, list, math, plain, type Explanation, type Line, type Piece } from "./text";

/** What each pass is about. */
const ABOUT: Readonly<Record<string, string>> = {
  built: "the program as it was built",
  stabilise: "logarithms of exponentials are written so that they cannot overflow",
  uniform: "an array of equal numbers is one number",
  constants: "what depends on constants alone is computed now, once",
  common: "what is computed twice is computed once",
  algebra: "what changes nothing is left out (× 1, + 0, a view of the same shape)",
  transposes: "transposes that cancel are left out: (a bᵀ)ᵀ is b aᵀ",
  dead: "what no result needs is left out",
  fusion: "operations on large arrays, item by item, run together on one block after the other",
  reuse: "a value is freed after its last use, and its memory is written again",
};

/** At most so many operations are named. */
const NAMED = 4;

/** What the newest pass did. */
export function explainPass(model: Model): Explanation {
  const changes = changesOf(model);
  const title: Line = changes
    ? [code(changes.pass.name), plain(`: ${ABOUT[changes.pass.name] ?? "a pass"}`)]
    : [];
  const lines = changes ? [...linesOf(model, changes), figures(changes)] : [];
  return { tone: "plain", title, lines, where: null, code: null };
}

function linesOf(model: Model, changes: Changes): Line[] {
  const { before, calls, values } = changes;
  if (!before) {
    return [[dim("Each step is one pass of the optimiser. Marked is what it changes.")]];
  }
  const of = (change: Change): number[] =>
    [...calls].filter(([, own]) => own === change).map(([call]) => call);
  const known = [...values].filter(([, change]) => change === "known").map(([value]) => value);
  const lines: Line[] = [
    told(model, "Left out", of("removed"), "−"),
    told(model, "In its place", of("added"), "+"),
    told(model, "Reads another value now", of("rewired"), "→"),
  ];
  if (known.length > 0) {
    const names = known.slice(0, NAMED).map((value) => ({
      ...math(called(model, value)),
      key: valueKey(value),
    }));
    lines.push([plain("= Constant from here on: "), ...list(names), ...rest(known.length)]);
  }
  const fused = of("fused").length;
  if (fused > 0) lines.push([plain(`∘ ${fused} operations are one loop over blocks now.`)]);
  if (changes.over.size > 0) {
    const names = [...changes.over].slice(0, NAMED).map(([result, operand]): Piece => {
      return {
        ...math(`${called(model, result, 16)} over ${called(model, operand, 16)}`),
        key: valueKey(result),
      };
    });
    lines.push([plain("↻ Written in place: "), ...list(names), ...rest(changes.over.size)]);
  }
  const found = lines.filter((line) => line.length > 0);
  if (found.length > 0) return found;
  const less = (changes.pass.bytes ?? 0) < (before.bytes ?? 0);
  return [
    [
      less
        ? plain("The calls stay; each large value is freed after its last use.")
        : dim("There was nothing for it to do in this program."),
    ],
  ];
}

function told(model: Model, what: string, calls: readonly number[], sign: string): Line {
  if (calls.length === 0) return [];
  const names = calls.slice(0, NAMED).map((id) => {
    const call = model.calls.get(id);
    return { ...math(call ? expression(model, call, 28) : "?"), key: callKey(id) };
  });
  return [plain(`${sign} ${what}: `), ...list(names), ...rest(calls.length)];
}

function rest(count: number): Line {
  return count > NAMED ? [plain(` and ${count - NAMED} more`)] : [];
}

/** What was left, and what it was before. */
function figures({ pass, before }: Changes): Line {
  const parts = [
    became("operations", before?.nodes ?? null, pass.nodes, String),
    became("memory", before?.bytes ?? null, pass.bytes, bytes),
    time(before, pass),
  ];
  return parts
    .filter((part) => part !== "")
    .map((part, i) => plain(`${i > 0 ? " · " : ""}${part}`));
}

function became(
  what: string,
  was: number | null,
  now: number | null,
  text: (n: number) => string,
): string {
  if (now === null) return "";
  return was === null || was === now
    ? `${what} ${text(now)}`
    : `${what} ${text(was)} → ${text(now)}`;
}

function time(before: PassRow | null, pass: PassRow): string {
  const now = pass.microseconds;
  if (now === null) return "it could not be run here: no memory or time was measured";
  const was = before?.microseconds ?? null;
  if (was === null) return `a run ${duration(now)}`;
  const chance = Math.max(pass.spread ?? 0, before?.spread ?? 0);
  const same = Math.abs(now - was) <= chance;
  return `a run ${duration(was)} → ${duration(now)}${same ? ", which may be chance" : ""}`;
}
