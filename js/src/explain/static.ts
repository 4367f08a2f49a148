/* What a step of a static graph did, in words: it has no backward, and at first no numbers. */

import { at } from "../collections";
import { isGraphName } from "../graph/names";
import type { Event } from "../log/events";
import { unseen } from "../log/format";
import type { Model, ValueRow } from "../log/model";
import { dim, math, plain, toText } from "../text/piece";
import { t } from "../text/text";
import { list, name, numbers, sentence, type Explanation } from "./text";

/** The most values that are given besides the last. */
const FEW = 3;

/**
 * The results of runs of a static graph in the newest cell: the values that the user's variables
 * hold, whatever ran after them. Null when what happened last is of no static graph.
 */
export function explainRun(model: Model, last: Event): Explanation | null {
  const made = last.event === "op" ? model.values.get(last.outputs[0] ?? -1) : undefined;
  if (!made?.names.some(isGraphName)) return null;
  const begun = model.cellTimes.at(-1) ?? 0;
  const known = [...model.values.values()].filter((value) => {
    return value.call !== null && value.time >= begun && !unseen(value.summary) && hasName(value);
  });
  known.sort((a, b) => b.time - a.time);
  if (known.length === 0) return null;
  const results = known
    .slice(0, FEW + 1)
    .map(({ value, summary }) => [
      name(model, value),
      plain(" = "),
      { ...numbers(summary, 40), tone: "math" as const },
    ]);
  const others = results.slice(1).map((pieces) => pieces.map(({ text }) => text).join(""));
  return {
    ...{ tone: "plain", where: null, code: null, title: at(results, 0) },
    lines: others.length > 0 ? [sentence(t.explain.run.before(list(others.map(math))))] : [],
  };
}

/** Whether a variable of the user's holds a static graph's value. */
function hasName({ names }: ValueRow): boolean {
  const last = names.at(-1);
  return last !== undefined && !isGraphName(last) && names.some(isGraphName);
}

/** The explanation of a step of a static graph that is being built, or that runs. */
export function explainStatic(
  model: Model,
  words: Explanation,
  event: Event | undefined,
  building: boolean,
): Explanation {
  if (!building) {
    const { noGradFn } = t.explain.step;
    return { ...words, lines: words.lines.filter((line) => toText(line) !== noGradFn) };
  }
  if (event?.event === "value") {
    return {
      ...words,
      title: t.explain.run.waits(name(model, event.value)),
      lines: [[dim(t.explain.run.eachRun)]],
    };
  }
  const outputs = event?.event === "op" ? event.outputs : [];
  const made = outputs.map((value) => name(model, value));
  return {
    ...words,
    lines: [made.length > 0 ? t.explain.run.noValue(list(made), made.length) : []],
  };
}
