/* The order of the operands of calls for which it matters: a − b is not b − a. */

import type { CallRow, Model } from "../../log/model";

/** Signs between operands that may change places. */
const COMMUTATIVE = new Set(["+", "×", "·", "=", "≠", "∧", "∨", "⊻", "&", "|", "xor"]);

/** Calls named by a word whose operands are alike, so that only their order tells them apart. */
const BY_ORDER =
  /^(where|cat|stack|block_diag|fmod|atan2|copysign|nextafter|lerp|addcdiv|xlogy|ldexp|heaviside|solve|dist|attention|gather|searchsorted)$/;

/**
 * The values that a call reads, in the order of its formula (of a call named by a word: of its
 * arguments). Empty where the order does not matter.
 */
export function operandsOf(model: Model, { op: name, inputs, params }: CallRow): readonly number[] {
  const op = model.ops.get(name);
  const values = inputs.filter((input) => typeof input === "number");
  if (!op || new Set(values).size < 2) return [];
  if (BY_ORDER.test(op.sign)) return values;
  const scaled = "alpha" in params && Number(params.alpha) !== 1;
  if (/^\w{2}/.test(op.sign) || (COMMUTATIVE.has(op.sign) && !scaled)) return [];
  const place = (value: number): number => op.text.indexOf(`{${op.inputs[inputs.indexOf(value)]}}`);
  return values.sort((a, b) => place(a) - place(b));
}
