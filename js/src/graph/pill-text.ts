/* What the pill of an op says. */

import { cut, number } from "../log/format";
import type { CallRow, Model } from "../log/model";
import { byInput, fill } from "./names";

/** The most letters of a sign: there is room for the path of a module in a listed program. */
const LONGEST_SIGN = 24;

/** The most letters of a formula in place of a sign: `reshape -1, 64`. */
const LONGEST_FORMULA = 14;

/** The text on a pill: the op's sign with the plain numbers of the call (`+ 1`, `[0]`, `×=`). */
export function pillText(model: Model, call: CallRow, part = ""): string {
  const op = model.ops.get(call.op);
  const sign = op?.sign ? op.sign : call.op;
  const numbers = call.inputs.filter((input) => typeof input === "string").map(plain);
  if (call.inplace) {
    const place = part || (call.params.index === undefined ? "" : `[${call.params.index}]`);
    const zero = call.op === "zero_";
    const sets = zero || /^(fill|copy)/.test(call.op);
    const verb = zero ? "= 0" : sets && place ? "=" : /^\w/.test(sign) ? `${sign}_` : `${sign}=`;
    return cut([place, verb, ...numbers.map((n) => cut(n, 8))].join(" ").trim(), 16);
  }
  if (call.inputs.length - numbers.length === 1 && op) {
    // One tensor among numbers: the formula without it says all ("{self} + {other}" -> "+ 1"),
    // if it stands there once.
    const tensor = call.inputs.findIndex((input) => typeof input === "number");
    const own = op.inputs[tensor] ?? "self";
    const once = op.text.split(`{${own}}`).length <= 2;
    const given = call.inputs.map((input) => plain(String(input)));
    const texts = byInput(model, call, given, (list) => list.join(", "));
    const rest = fill(op.text.replace(`{${own}}`, ""), texts, call).trim();
    const text = rest.replace(/^as (?=[-\d])/, `${sign} `); // to a shape
    const short =
      text.length <= LONGEST_FORMULA && !/[A-Za-z]\(/.test(text) && !op.text.startsWith(`${sign}(`);
    if (text !== "" && text !== op.text && once && short) return text;
  }
  return cut(sign, LONGEST_SIGN);
}

/** A number as a person would write it: 0.1, not 0.10000000149. */
function plain(text: string): string {
  return /^-?\d+\.\d{4,}/.test(text) ? number(Number(text)) : text;
}
