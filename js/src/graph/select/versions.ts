/*
 * The versions of what is trained: a step is a write in place, which makes a new value. What
 * forward used keeps its card, and the new value is drawn behind the step.
 */

import { makerOf, scopesAround, type CallRow, type Model, type ValueRow } from "../../log/model";

/** Whether a value is trained: written by plain in-place writes that have no history. */
export function isTrained(value: ValueRow): boolean {
  return value.parameter || (value.leaf && value.requires_grad);
}

/** Ops with which a step is written by hand: `w -= 0.1 * w.grad`. */
const LIKE_STEPS = /^(add|sub|mul|div|addcmul|addcdiv|lerp)_/;

/** Whether a call looks like a step that is written by hand. */
export const isLikeStep = ({ op }: CallRow): boolean => LIKE_STEPS.test(op);

/**
 * The call that made this version of a trained value, if it is drawn as one pill: an optimizer's
 * step, or one written by hand on a parameter that is a module's.
 */
export function stepOf(model: Model, value: ValueRow): CallRow | null {
  if (!isTrained(value) || value.call === null) return null;
  const call = model.calls.get(value.call);
  if (!call?.inplace) return null;
  if (stepScope(model, call) !== null) return call;
  return value.names.some(([scope]) => scope === "module") && isLikeStep(call) ? call : null;
}

/** Whether a call writes a trained value and leaves no history: a step, or initialisation. */
export function isPlainWrite(model: Model, call: CallRow): boolean {
  const value = call.inplace ? model.values.get(call.outputs[0] ?? -1) : undefined;
  return value !== undefined && value.node === null && isTrained(value);
}

/** The optimizer's class when a call is part of its step. */
export function stepScope(model: Model, call: CallRow): string | null {
  return scopesAround(model, call.scope).find(({ kind }) => kind === "step")?.name ?? null;
}

/**
 * Whether a call writes in place into what has no name and no history, as gradients have none.
 * What an optimizer writes so is its state.
 */
export function writesNameless(model: Model, { inplace, outputs, scope }: CallRow): boolean {
  if (!inplace || outputs.length === 0) return false;
  const rows = outputs.map((output) => model.values.get(output));
  if (!rows.every((row) => row && !row.requires_grad && row.names.length === 0)) return false;
  return scopesAround(model, scope).every(({ kind }) => kind !== "step");
}

/** Whether a call writes into gradients, as to clip them: in place, into what `.grad` holds. */
export function writesGradients(model: Model, { inplace, outputs }: CallRow): boolean {
  return inplace && outputs.length > 0 && gradientsIn(model, outputs).size > 0;
}

/** The values whose `.grad` some of these are. */
export function gradientsIn(model: Model, values: readonly number[]): ReadonlySet<number> {
  const leaves = values.map((id) => model.values.get(id)?.gradient_of ?? null);
  return new Set(leaves.filter((leaf) => leaf !== null));
}

/**
 * Whether a value is a constant without a name that nothing recorded had made, or only written, as
 * gradients are.
 */
export function isNameless(model: Model, value: ValueRow): boolean {
  if (!value.leaf || value.requires_grad || value.names.length > 0) return false;
  const maker = makerOf(model, value);
  return value.view_of === null && (!maker || writesNameless(model, maker));
}

/** For each storage that a step wrote what wrote it: the optimizer's class, or the word itself. */
export function steppedBy(
  model: Model,
  steps: ReadonlyMap<number, number>,
): ReadonlyMap<number, string> {
  const found = new Map<number, string>();
  for (const id of steps.keys()) {
    const call = model.calls.get(id);
    const value = model.values.get(call?.outputs[0] ?? -1);
    if (call && value) found.set(value.storage, stepScope(model, call) ?? "stepped");
  }
  return found;
}

/** Whether a value is a module's own: a parameter or a buffer. */
export function isOwn(value: ValueRow): boolean {
  return value.parameter || value.names.some(([scope]) => scope === "module");
}
