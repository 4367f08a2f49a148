/* Where numbers stop being numbers: the values and the nodes with which NaN or Inf begin. */

import type { Summary } from "./events";
import { notFinite } from "./format";
import { makerOf, once, type CallRow, type Model, type NodeRow, type ValueRow } from "./model";
import { rare } from "./table";

/** The values with a NaN or an Inf in them. */
export const spoilt = (model: Model): ValueRow[] => spoiltIn(model.values);

const spoiltIn = rare<ValueRow, ValueRow>((value, add) => {
  if (notFinite(value.summary) > 0) add(value);
});

/** Ops that put a number where the program wants it. */
const PUTS = /^(masked_fill|fill|full|where|copy)\b|^(masked_fill|fill|copy)_/;

/** Ops that hand an infinity on as it is: what they make of a mask is masked as it was meant to. */
const KEEPS =
  /^(add|sub|cat|stack|where|masked_fill|copy|clone|to|float|double|contiguous|detach|triu|tril|view|reshape|expand|expand_as|repeat|squeeze|unsqueeze|flatten|permute|transpose|t|__getitem__|slice|select|index_select|gather)_?(\.|$)/;

/**
 * The values into which the program itself put an infinity: a mask (a leaf, `torch.full`), scores
 * to which it was added (`scores + mask`) or into which it was filled.
 */
const masked = once((model): ReadonlySet<number> => {
  const found = new Set<number>();
  for (const value of spoilt(model).sort((a, b) => a.value - b.value)) {
    if (hasNaN(value.summary)) continue;
    const by = makerOf(model, value);
    if (by ? puts(by) || handsOn(model, by, found) : isFound(model, value)) found.add(value.value);
  }
  return found;
});

/** Whether nothing that was recorded made the value: not even a write into what it is a view of. */
function isFound(model: Model, { value, storage, gradient_of }: ValueRow): boolean {
  const write = model.storages.get(storage)?.writes.find(({ base }) => base === value);
  const by = write?.call == null ? undefined : model.calls.get(write.call);
  return by ? puts(by) : gradient_of === null;
}

function puts({ op, inputs, params }: CallRow): boolean {
  if (!PUTS.test(op)) return false;
  const numbers = inputs.filter((input) => typeof input === "string");
  return [...numbers, ...Object.values(params)].some((text) => /^-?inf$/.test(text));
}

/** Whether a call only handed on the infinities that it read, which are the program's own. */
function handsOn(model: Model, { op, inputs }: CallRow, known: ReadonlySet<number>): boolean {
  if (!KEEPS.test(op)) return false;
  const bad = inputs.filter((input) => isBad(model, input));
  return bad.length > 0 && bad.every((id) => known.has(Number(id)));
}

function hasNaN({ values }: Summary): boolean {
  return values?.includes("nan") ?? false;
}

/**
 * The values that are not finite and that matter: from them a NaN or an Inf went on into a value
 * from which backward ran, or into a gradient, or into a result that nothing reads. What is put
 * aside on the way there, as by `torch.where` or by a softmax over masked scores, does not.
 */
export const harmful = once((model): ReadonlySet<number> => {
  const bad = new Set(spoilt(model).map(({ value }) => value));
  const found = new Set<number>();
  if (bad.size === 0) return found;
  const read = new Set<number>();
  const ends = new Set<number>();
  const tainted = new Set(spoiltNodes(model.nodes).map(({ call }) => call));
  for (const { call, inputs, outputs } of model.calls.values()) {
    for (const input of inputs) if (typeof input === "number") read.add(input);
    if (!tainted.has(call)) continue;
    for (const id of [...inputs, ...outputs]) if (typeof id === "number") ends.add(id);
  }
  for (const { roots } of model.runs.values()) for (const [root] of roots) ends.add(root ?? -1);
  for (const value of spoilt(model)) if (isResult(model, value, read)) ends.add(value.value);
  const waiting = [...ends].filter((id) => bad.has(id));
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    if (found.has(id)) continue;
    found.add(id);
    const call = model.calls.get(model.values.get(id)?.call ?? -1);
    for (const input of call?.inputs ?? []) {
      if (typeof input === "number" && bad.has(input)) waiting.push(input);
    }
  }
  return found;
});

/** Whether a value is what a cell computed in the end; where it trains, only if it has a name. */
function isResult(model: Model, value: ValueRow, read: ReadonlySet<number>): boolean {
  if (value.next !== null || read.has(value.value)) return false;
  if (value.gradient_of !== null || masked(model).has(value.value)) return false;
  return value.names.length > 0 || !trains(model);
}

/** Whether backward has run in the newest cell. */
function trains({ runs, cellTimes }: Model): boolean {
  const begun = cellTimes.at(-1) ?? 0;
  return [...runs.values()].some(({ time }) => time >= begun);
}

/** Whether a value is not finite, in a way that matters, and not because it was masked. */
export function isTrouble(model: Model, { value }: ValueRow): boolean {
  return harmful(model).has(value) && !masked(model).has(value);
}

const spoiltNodes = rare<NodeRow, NodeRow>((node, add) => {
  if (hasSpoilt(node.grads_in) || hasSpoilt(node.grads_out)) add(node);
});

/** Whether some of the gradients have a NaN or an Inf in them. */
export const hasSpoilt = (grads: readonly (Summary | null)[]): boolean =>
  grads.some((grad) => grad !== null && notFinite(grad) > 0);

/** The nodes that got finite gradients and sent on others, by values that are finite: in order. */
export const birthsInBackward = once((model): readonly NodeRow[] =>
  spoilers(model.nodes).filter(({ call }) => {
    const by = call === null ? undefined : model.calls.get(call);
    return by && ![...by.inputs, ...by.outputs].some((value) => isSpoilt(model, value));
  }),
);

const spoilers = rare<NodeRow, NodeRow>((node, add) => {
  if (hasSpoilt(node.grads_out) && !hasSpoilt(node.grads_in)) add(node);
});

/**
 * The values that matter and are not finite though made of values that are: there the trouble
 * begins. Scores that were masked with an infinity are none yet, but what is made of them may be;
 * and what is made of a gradient of a run (`w.grad`, a step by it) does not begin it. Where nothing
 * else is to blame the infinities are that the program put there.
 */
export const birthsInForward = once((model): readonly ValueRow[] => {
  const some = spoilt(model).filter((v) => harmful(model).has(v.value) && !neverRead(model, v));
  const born = some.filter((v) => !masked(model).has(v.value) && isBorn(model, v, isSpoilt));
  if (born.length > 0) return born;
  return some.filter((v) => masked(model).has(v.value) && isBorn(model, v, isBad));
});

function isBorn(model: Model, value: ValueRow, bad: typeof isSpoilt): boolean {
  const call = value.call === null ? undefined : model.calls.get(value.call);
  if (!call) return value.gradient_of === null;
  return !call.inputs.some((input) => {
    const stepped = call.inplace && hasSpoilt([gradOf(model, input)]);
    return stepped || bad(model, input);
  });
}

function gradOf(model: Model, input: number | string): Summary | null {
  return (typeof input === "number" ? model.values.get(input)?.grad : null) ?? null;
}

/** Whether an input of a call is a value that is not finite, and not because it was masked. */
function isSpoilt(model: Model, input: number | string): boolean {
  return isBad(model, input) && !masked(model).has(Number(input));
}

function isBad(model: Model, input: number | string): boolean {
  const value = typeof input === "number" ? model.values.get(input) : undefined;
  return value !== undefined && notFinite(value.summary) > 0;
}

/** Memory as it was found (`torch.empty`), which was filled before anything was computed of it. */
function neverRead(model: Model, { value, call, next }: ValueRow): boolean {
  if (call !== null || next === null) return false;
  return ![...model.calls.values()].some(
    ({ inplace, inputs }) => !inplace && inputs.includes(value),
  );
}
