/* The result of a call of `autograd.grad`, shown before the steps of its run. */

import { userName } from "../graph/names";
import type { CallRow, Model, RunRow } from "../log/model";
import { dim, line, plain, type Line } from "../text/piece";
import { t } from "../text/text";
import { atLine, list, name, numbers, type Explanation } from "./text";

/** The most gradients that are given with their numbers. */
const FEW = 4;

/** The values that a run gave which computes gradients of its inputs only, and what they are. */
export function explainGradCall(model: Model, run: RunRow): Explanation | null {
  const { inputs } = run;
  if (!inputs) return null;
  const call = callOf(model, run);
  const given = call ? call.outputs : namedResults(model, run);
  const [first] = given;
  if (first === undefined) return null;
  const roots = list(run.roots.flatMap(([value]) => (value === null ? [] : [name(model, value)])));
  const [one, each] = [given.length === 1, given.length === inputs.length];
  // What ops have made comes in the order in which they ran, which is not that of the inputs.
  const paired = each && (one || call !== undefined);
  const { gradGaveOne, gradGaveInOrder, gradGave, graphBehind } = t.explain.run;
  const words = one ? gradGaveOne : paired ? gradGaveInOrder : gradGave;
  return atLine(model, run.source, {
    tone: "backward",
    title: [
      ...list(given.slice(0, FEW).map((value) => name(model, value))).flatMap((piece): Line => {
        const summary = piece.value === undefined ? null : model.values.get(piece.value)?.summary;
        return summary ? line`${piece} = ${numbers(summary, 40)}` : [piece];
      }),
      ...(given.length > FEW ? [plain(t.explain.place.more(given.length - FEW))] : []),
    ],
    lines: [
      words(roots, list(inputs.map((value) => name(model, value)))),
      run.create_graph ? [dim(graphBehind)] : [],
    ],
  });
}

/** The call that a run belongs to, where it is described as one. */
export function callOf(model: Model, run: RunRow): CallRow | undefined {
  return laterCalls(model, run).find(({ op }) => op === "grad");
}

/** What ops inside of a run have made that has a name: it is what was wanted. */
function namedResults(model: Model, run: RunRow): number[] {
  const made = laterCalls(model, run).flatMap(({ outputs }) => outputs);
  return made.filter((id) => {
    const value = model.values.get(id);
    return value !== undefined && userName(value) !== null;
  });
}

/** The calls of a run's line since it began. */
function laterCalls(model: Model, { time, source }: RunRow): CallRow[] {
  return [...model.calls.values()].filter((call) => call.time > time && call.source === source);
}
