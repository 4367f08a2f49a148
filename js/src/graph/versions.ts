/*
 * One card for one parameter: an optimizer's write makes a new value of it, which takes the
 * place of the one before, unless a node still keeps that one for backward.
 */

import {
  holdsTensor,
  makerOf,
  scopesAround,
  type CallRow,
  type Model,
  type ValueRow,
} from "../log/model";

/** Whether a value is trained: written by plain in-place writes that have no history. */
export function isTrained(value: ValueRow): boolean {
  return value.parameter || (value.leaf && value.requires_grad);
}

/** For a value the one that is drawn for it: the newest version of a parameter. */
export function standIns(model: Model): (id: number) => number {
  const known = new Map<number, number>();
  return (id) => {
    const before = known.get(id);
    if (before !== undefined) return before;
    let newest = id;
    for (let value = model.values.get(id); value; value = model.values.get(newest)) {
      const next: ValueRow | undefined =
        value.next === null ? undefined : model.values.get(value.next);
      if (!next || !isTrained(value) || next.node !== null || isKept(model, value)) break;
      newest = next.value;
    }
    known.set(id, newest);
    return newest;
  };
}

/** Whether a node that is not freed keeps this version, or a view of it, for backward. */
function isKept(model: Model, value: ValueRow): boolean {
  return (model.holders.get(value.storage) ?? []).some((id) =>
    model.nodes
      .get(id)
      ?.saved.some(
        (slot) =>
          holdsTensor(slot) && slot.storage === value.storage && slot.version === value.version,
      ),
  );
}

/** Ops with which a step is written by hand: `w -= 0.1 * w.grad`. */
const LIKE_STEPS = /^(add|sub|mul|div|addcmul|addcdiv|lerp)_/;

/** The write that made this version of a trained value, if it is a step and no initialisation. */
export function stepOf(model: Model, value: ValueRow): CallRow | null {
  if (!isTrained(value) || value.call === null) return null;
  const call = model.calls.get(value.call);
  if (!call?.inplace) return null;
  return stepScope(model, call) !== null || LIKE_STEPS.test(call.op) ? call : null;
}

/** The optimizer's class when a call is part of its step. */
export function stepScope(model: Model, call: CallRow): string | null {
  return scopesAround(model, call.scope).find(({ kind }) => kind === "step")?.name ?? null;
}

/**
 * Whether a call writes into gradients, as to clip them: in place, into what has no name and no
 * history. What an optimizer writes so is its state.
 */
export function writesGradients(model: Model, { inplace, outputs, scope }: CallRow): boolean {
  if (!inplace || outputs.length === 0) return false;
  const rows = outputs.map((output) => model.values.get(output));
  if (!rows.every((row) => row && !row.requires_grad && row.names.length === 0)) return false;
  return scopesAround(model, scope).every(({ kind }) => kind !== "step");
}

/**
 * Whether a value is a constant without a name that nothing recorded had made, or only written, as
 * gradients are.
 */
export function isNameless(model: Model, value: ValueRow): boolean {
  if (!value.leaf || value.requires_grad || value.names.length > 0) return false;
  const maker = makerOf(model, value);
  return value.view_of === null && (!maker || writesGradients(model, maker));
}

/** For each storage that a step wrote what wrote it: the optimizer's class, or the word itself. */
export function steppedBy(model: Model, steps: ReadonlySet<number>): ReadonlyMap<number, string> {
  const found = new Map<number, string>();
  for (const id of steps) {
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
