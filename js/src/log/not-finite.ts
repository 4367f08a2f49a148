/* Where numbers stop being numbers: the values and the nodes with which NaN or Inf begin. */

import type { Summary } from "./events";
import { notFinite } from "./format";
import { once, type Model, type NodeRow, type ValueRow } from "./model";
import { rare } from "./table";

/** The values with a NaN or an Inf in them. */
export const spoilt = (model: Model): ValueRow[] => spoiltIn(model.values);

const spoiltIn = rare<ValueRow, ValueRow>((value, add) => {
  if (notFinite(value.summary) > 0) add(value);
});

/** Ops that put a number where the program wants it. */
const PUTS = /^(masked_fill|fill|full|where|copy)\b|^(masked_fill|fill|copy)_/;

/** Whether the program itself put an infinity there: `scores.masked_fill(mask, float("-inf"))`. */
export function isMasked(model: Model, { call }: ValueRow): boolean {
  const by = call === null ? undefined : model.calls.get(call);
  if (!by || !PUTS.test(by.op)) return false;
  const numbers = by.inputs.filter((input) => typeof input === "string");
  return [...numbers, ...Object.values(by.params)].some((text) => /^-?inf$/.test(text));
}

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
 * The values that are not finite though made of values that are: there the trouble begins. Scores
 * that were masked with an infinity are none yet, but what is made of them may be; and what is made
 * of a gradient of a run (`w.grad`, a step by it) does not begin it.
 */
export const birthsInForward = once((model): readonly ValueRow[] => {
  return spoilt(model).filter((value) => {
    if (neverRead(model, value) || isMasked(model, value)) return false;
    const call = value.call === null ? undefined : model.calls.get(value.call);
    if (!call) return value.gradient_of === null;
    return !call.inputs.some((input) => {
      const stepped = call.inplace && hasSpoilt([gradOf(model, input)]);
      return stepped || isSpoilt(model, input);
    });
  });
});

function gradOf(model: Model, input: number | string): Summary | null {
  return (typeof input === "number" ? model.values.get(input)?.grad : null) ?? null;
}

/** Whether an input of a call is a value that is not finite, and not because it was masked. */
function isSpoilt(model: Model, input: number | string): boolean {
  const value = typeof input === "number" ? model.values.get(input) : undefined;
  return value !== undefined && notFinite(value.summary) > 0 && !isMasked(model, value);
}

/** Memory as it was found (`torch.empty`), which was filled before anything was computed of it. */
function neverRead(model: Model, { value, call, next }: ValueRow): boolean {
  if (call !== null || next === null) return false;
  return ![...model.calls.values()].some(
    ({ inplace, inputs }) => !inplace && inputs.includes(value),
  );
}
