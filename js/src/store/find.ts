/* Finding things in a model: by words, and what is wrong. */

import { called, expression } from "../graph/names";
import { callKey, nodeKey, scopeKey, valueKey } from "../graph/keys";
import { RAISED_KEY } from "../graph/select/raised";
import { dtype, shape } from "../log/format";
import type { CallRow, ErrorRow, Hazard, Model, ScopeRow, ValueRow } from "../log/model";
import { birthsInBackward, birthsInForward, spoilt } from "../log/not-finite";
import { t } from "../text/text";

/** Something found: where it is drawn, and what it is in words. */
export interface Hit {
  readonly key: string;
  readonly kind: "value" | "op" | "group";
  readonly title: string;
  readonly detail: string;
}

/** The most hits that are listed. */
const MOST = 60;

/**
 * What all words of a query speak of: names, ops, nodes, shapes, variables, classes of modules,
 * source lines. What `drawn` knows comes first, and then the newest.
 */
export function findAll(
  model: Model,
  query: string,
  drawn: { has(key: string): boolean },
): readonly Hit[] {
  const words = query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  if (words.length === 0) return [];
  const found: { hit: Hit; rank: number }[] = [];
  const offer = (text: string, time: number, hit: () => Hit): void => {
    const lower = text.toLowerCase();
    if (!words.every((word) => lower.includes(word))) return;
    const made = hit();
    const exact = made.title.toLowerCase() === query.trim().toLowerCase() ? 2e9 : 0;
    found.push({ hit: made, rank: time + exact + (drawn.has(made.key) ? 1e9 : 0) });
  };
  for (const value of model.values.values()) {
    offer(textOfValue(model, value), value.time, () => valueHit(model, value));
  }
  for (const call of model.calls.values()) {
    offer(textOfCall(model, call), call.time, () => callHit(model, call));
  }
  for (const scope of model.scopes.values()) {
    if (scope.kind === "iteration") continue;
    offer(`${scope.kind} ${scope.name} ${scope.text}`, scope.scope, () => ({
      key: scopeKey(scope.scope),
      kind: "group",
      title: scope.name || kindOf(scope),
      detail: scope.text || kindOf(scope),
    }));
  }
  return found
    .sort((a, b) => b.rank - a.rank)
    .slice(0, MOST)
    .map(({ hit }) => hit);
}

const kindOf = ({ kind }: ScopeRow): string => t.bars.find.scopes[kind] ?? kind;

function textOfValue(model: Model, { names, summary, call }: ValueRow): string {
  const made = call === null ? undefined : model.calls.get(call);
  const own = names.map(([, name]) => name).join(" ");
  // An unnamed value is found by the op that made it: as that op.
  if (names.length === 0 && made) return "";
  return `${own} ${shape(summary.shape)} ${dtype(summary.dtype)} ${lineOf(model, made?.source)}`;
}

function textOfCall(model: Model, call: CallRow): string {
  const node = call.node === null ? "" : (model.nodes.get(call.node)?.name ?? "");
  const sign = model.ops.get(call.op)?.sign ?? "";
  const shapes = call.outputs.map((id) => shape(model.values.get(id)?.summary.shape ?? []));
  return `${call.op} ${sign} ${node} ${shapes.join(" ")} ${lineOf(model, call.source)}`;
}

function lineOf(model: Model, source: number | null | undefined): string {
  const row = source == null ? undefined : model.sources.get(source);
  return row ? `line ${row.line} ${t.explain.place.line(row.line)} ${row.text}` : "";
}

function valueHit(model: Model, value: ValueRow): Hit {
  const { summary } = value;
  return {
    key: valueKey(value.value),
    kind: "value",
    title: called(model, value.value),
    detail: `${shape(summary.shape)} ${dtype(summary.dtype)}`,
  };
}

function callHit(model: Model, call: CallRow): Hit {
  return {
    key: callKey(call.call),
    kind: "op",
    title: call.op,
    detail: expression(model, call, 30).slice(0, 60),
  };
}

/** Something that is wrong: an error, a hazard, a value that is not finite. */
export interface Problem {
  readonly key: string;
  readonly kind: "error" | "hazard" | "nan";
}

/** What is wrong, in the order in which it is looked at. */
export function problemsOf(
  model: Model,
  error: ErrorRow | null,
  hazards: readonly Hazard[],
  wrong: number | null = null,
): readonly Problem[] {
  const problems: Problem[] = [];
  if (error) {
    const value = error.value ?? error.inputs.at(-1) ?? null;
    if (error.kind === "call" && error.inputs.length > 0) {
      problems.push({ key: RAISED_KEY, kind: "error" });
    } else if (wrong !== null) problems.push({ key: valueKey(wrong), kind: "error" });
    else if (error.node !== null) problems.push({ key: nodeKey(error.node), kind: "error" });
    else if (value !== null) problems.push({ key: valueKey(value), kind: "error" });
  }
  for (const { node } of hazards) {
    const key = nodeKey(node.node);
    if (!problems.some((known) => known.key === key)) problems.push({ key, kind: "hazard" });
  }
  for (const { key } of births(model).slice(0, MOST - problems.length)) {
    problems.push({ key, kind: "nan" });
  }
  return problems;
}

/**
 * Where NaN or Inf begins, in the order in which it did, in the newest cell before all others: cards
 * of values, pills of nodes' calls. What began in an earlier cell is of interest where the newest one
 * has made more of it.
 */
function births(model: Model): readonly { readonly key: string; readonly time: number }[] {
  const values = birthsInForward(model).map(({ value, time }) => ({ key: valueKey(value), time }));
  const nodes = new Map<string, number>();
  for (const { call, run } of birthsInBackward(model)) {
    const time = model.runs.get(run ?? -1)?.time ?? 0;
    if (call !== null) nodes.set(callKey(call), time);
  }
  const all = [...values, ...[...nodes].map(([key, time]) => ({ key, time }))];
  const begun = model.cellTimes.at(-1) ?? 0;
  const older = (time: number): number => Number(time < begun);
  const made = [...all, ...spoilt(model)].some(({ time }) => !older(time));
  if (!made) return [];
  return all.sort((a, b) => older(a.time) - older(b.time) || a.time - b.time);
}
