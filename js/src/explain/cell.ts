/* The results of a cell in which backward has run, shown before its steps. */

import { at } from "../collections";
import { trainingLoops } from "../graph/select/training-loops";
import { userName } from "../graph/names";
import { gradientsIn, writesGradients } from "../graph/select/versions";
import type { Event, Summary } from "../log/events";
import { number } from "../log/format";
import type { Model, RunRow, ValueRow } from "../log/model";
import { callOf, explainGradCall } from "./grad-call";
import { isWhole, wholeLine } from "./root";
import { stepAround } from "./scope";
import { code, grad, line, plain, type Line, type Piece } from "../text/piece";
import { t } from "../text/text";
import { atLine, codeAt, listed, name, numbers, sentence, type Explanation } from "./text";

/** The most gradients that are given one by one. */
const FEW = 4;

/**
 * The newest run of the newest cell: from which value it went, and the gradients that it computed.
 * Null when what happened last tells something newer: an op, a write of the user's, an error. Of
 * a loop that trains the last iteration is described, whatever came after it.
 */
export function explainCell(model: Model, last: Event): Explanation | null {
  const scope = "call" in last && last.call !== null ? model.calls.get(last.call)?.scope : null;
  const steps = stepAround(model, scope ?? null).length > 0;
  const run = [...model.runs.values()].at(-1);
  const trains =
    run !== undefined && run.time >= (trainingLoops(model).shown?.iteration.from ?? Infinity);
  const over = OVER.has(last.event) || steps || looksOn(model, last);
  if (run?.status !== "ok" || run.time < (model.cellTimes.at(-1) ?? 0)) return null;
  const gave = "call" in last && last.call !== null && callOf(model, run)?.call === last.call;
  if (!over && !trains && !gave) return null;
  if (run.inputs) return explainGradCall(model, run);
  const roots = run.roots.flatMap(([value]) => value ?? []);
  const arrived = leavesOf(model, run);
  if (roots.length === 0 || arrived.length === 0) return null;
  const optimizer = stepAfter(model, run);
  return atLine(model, run.source, {
    tone: "backward",
    title: roots.slice(0, FEW).flatMap((root, i): Line => {
      const value = asValue(numbers(model.values.get(root)?.summary, 40));
      return line`${i > 0 ? t.explain.place.comma : ""}${rootName(model, run, root)} = ${value}`;
    }),
    lines: [
      isWhole(run) ? wholeLine(model, run) : [],
      sentence(t.explain.run.computed(ran(model, run, roots), gradients(model, arrived))),
      rewritten(model, run),
      optimizer.length > 0 ? t.explain.run.thenStep(optimizer) : [],
    ],
  });
}

/** What backward went from, by its name; without one as the line has it: `scaler.scale(loss)`. */
function rootName(model: Model, run: RunRow, root: number): Piece {
  const own = name(model, root);
  const value = model.values.get(root);
  const typed = value && userName(value) === null && run.roots.length === 1;
  return typed ? { ...own, text: startOf(model, run) ?? own.text } : own;
}

/** What stands before `.backward(` on the line of a run. */
function startOf(model: Model, run: RunRow): string | null {
  const [, start] =
    /^([\w.]+\([\w.,\s]*\))\.backward\(/.exec(codeAt(model, run.source) ?? "") ?? [];
  return start ?? null;
}

/** The call that ran backward, as it is usually written; a library's is not the user's. */
function ran(model: Model, run: RunRow, roots: readonly number[]): Line {
  const [root, other] = roots;
  if (!(codeAt(model, run.source) ?? ".backward(").includes(".backward(")) {
    return [plain("backward()")];
  }
  const own = root === undefined ? undefined : rootName(model, run, root);
  const typed = own?.text === startOf(model, run);
  if (!own || other !== undefined || (!typed && !/^[\w.[\]]+$/.test(own.text))) {
    return [plain("backward()")];
  }
  return [{ ...own, text: `${own.text}.backward()` }];
}

/** Whether an op only looked at something: its result has no name and no gradient, as a printed norm. */
function looksOn(model: Model, last: Event): boolean {
  if (last.event !== "op" || last.inplace) return false;
  const values = last.outputs.map((id) => model.values.get(id));
  return values.every((value) => value && !value.requires_grad && userName(value) === null);
}

/** The optimizer's step that came after a run; empty where there was none. */
function stepAfter(model: Model, run: RunRow): Line {
  for (const call of model.calls.values()) {
    const step = call.time > run.time && call.inplace ? stepAround(model, call.scope) : [];
    if (step.length > 0) return step;
  }
  return [];
}

/** Numbers that are no gradient's. */
const asValue = (piece: Piece): Piece =>
  piece.tone === "grad" ? { ...piece, tone: "math" } : piece;

/** Events that end a run, or take gradients back after it. */
const OVER: ReadonlySet<string> = new Set(["start", "finish", "done", "grad"]);

/** A leaf, and the gradient that came to it. */
type Arrived = readonly [leaf: number, grad: Summary];

/** The line that wrote into gradients after a run, as to clip them, and into how many. */
function rewritten(model: Model, run: RunRow): Line {
  let source: number | null = null;
  const leaves = new Set<number>();
  for (const call of model.calls.values()) {
    if (call.time <= run.time || !writesGradients(model, call)) continue;
    source ??= call.source;
    if (call.source !== source) continue;
    for (const leaf of gradientsIn(model, call.outputs)) leaves.add(leaf);
  }
  const text = codeAt(model, source);
  if (text === null) return [];
  const { thenOne, thenMany } = t.explain.run;
  return leaves.size === 1 ? thenOne(code(text)) : thenMany(code(text), leaves.size);
}

function leavesOf(model: Model, { run, order }: RunRow): Arrived[] {
  return order.flatMap((id): Arrived[] => {
    const node = model.nodes.get(id);
    const came = node?.grads_in[0];
    return node?.run === run && node.variable !== null && came ? [[node.variable, came]] : [];
  });
}

/** All of them where they are few and small; else how many, with the largest and the smallest. */
function gradients(model: Model, arrived: readonly Arrived[]): Line {
  if (arrived.length <= FEW && arrived.every(([, { values }]) => values && values.length <= FEW)) {
    return listed(
      arrived.map(([leaf, came]): Line => {
        const own = name(model, leaf);
        const row = newest(model, leaf);
        // What was cleared or written since then is no longer what backward left.
        const stays = row?.grad && row.how === "accumulated" ? row.grad : null;
        if (!stays) return t.explain.run.gradientFor(numbers(came), own);
        return line`${{ ...own, text: `${own.text}.grad` }} = ${numbers(stays)}`;
      }),
    );
  }
  const sized = arrived.flatMap(([leaf, came]) => {
    const most = largest(came);
    return most === null ? [] : [{ leaf, most }];
  });
  const { upTo, one, parameters, leaves, extremes } = t.explain.run;
  const spelled = ({ leaf, most }: (typeof sized)[number]): Line =>
    upTo(name(model, leaf), grad(number(most)));
  if (arrived.length === 1 && sized.length === 1) return one(spelled(at(sized, 0)));
  const [only] = arrived;
  if (arrived.length === 1 && only) return one([name(model, only[0])]);
  const many = arrived.every(([leaf]) => model.values.get(leaf)?.parameter);
  const words = (many ? parameters : leaves)(arrived.length);
  if (sized.length < arrived.length) return [plain(words)];
  sized.sort((a, b) => b.most - a.most);
  return extremes(words, spelled(at(sized, 0)), spelled(at(sized, sized.length - 1)));
}

/** What a leaf is now: an optimizer has written it since its node was made. */
function newest(model: Model, leaf: number): ValueRow | undefined {
  let value = model.values.get(leaf);
  while (value && value.next !== null) value = model.values.get(value.next);
  return value;
}

/** The largest item, leaving signs aside; null where that is not known. */
function largest({ values, stats }: Summary): number | null {
  const items = values ?? (stats ? [stats.min, stats.max] : null);
  const most = Math.max(...(items ?? [NaN]).map((x) => Math.abs(Number(x))));
  return Number.isFinite(most) ? most : null;
}
