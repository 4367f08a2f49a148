/* Where numbers stop being numbers: the value in which NaN or Inf comes up first. */

import type { Model, ValueRow } from "../log/model";
import { explainMade } from "./step";
import { plain, wrong, type Explanation } from "./text";

/** A value that is not finite, made of values that are: what made it, and of what. */
export function explainNotFinite(model: Model, value: ValueRow): Explanation {
  const made = explainMade(model, value);
  const title = [...made.title, plain(": "), wrong("here NaN or Inf comes up first")];
  return { ...made, tone: "error", title };
}
