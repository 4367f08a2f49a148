/* Where numbers stop being numbers: the value or the gradient in which NaN or Inf comes up first. */

import type { Summary } from "../log/events";
import { callKey } from "../graph/keys";
import { expression } from "../graph/names";
import { number } from "../log/format";
import type { CallRow, Model, NodeRow, ValueRow } from "../log/model";
import { hasSpoilt } from "../log/not-finite";
import { explainNode } from "./node";
import { explainMade } from "./step";
import { math, plain, toText } from "../text/piece";
import { t } from "../text/text";
import { atLine, list, type Explanation } from "./text";

/** A value that is not finite, made of values that are: what made it, and of what. */
export function explainNotFinite(model: Model, value: ValueRow): Explanation {
  const made = explainMade(model, value);
  return { ...made, tone: "error", title: t.explain.notFinite.value(made.title) };
}

/** A node that got finite gradients and sent on others: whose derivative that is, and where. */
export function explainNotFiniteGradient(model: Model, node: NodeRow): Explanation {
  const call = node.call === null ? undefined : model.calls.get(node.call);
  const spoilt = node.grads_out.find((grad) => hasSpoilt([grad]));
  const kinds = new Set((spoilt?.values ?? []).filter((x) => typeof x === "string"));
  const what = kinds.has("nan") ? "nan" : kinds.size > 0 ? "inf" : t.explain.notFinite.either;
  const place = call && spoilt ? placeOf(model, call, spoilt) : null;
  const of = call && (place === null ? expression(model, call) : (call.op.split(".")[0] ?? ""));
  const own = call ? { ...math(of ?? ""), key: callKey(call.call) } : math(node.name);
  const { gradient, gradientAt } = t.explain.notFinite;
  return atLine(model, call?.source ?? null, {
    tone: "error",
    title: place === null ? gradient(what, own) : gradientAt(what, own, place),
    lines: explainNode(model, node, []).lines,
  });
}

/** The numbers at which a function of one tensor has a derivative that is not finite: `0`. */
function placeOf(model: Model, { inputs }: CallRow, sent: Summary): string | null {
  const [input, ...more] = inputs.filter((each) => typeof each === "number");
  const values = model.values.get(input ?? -1)?.summary.values;
  if (more.length > 0 || !values || values.length !== sent.values?.length) return null;
  const places = values.filter((_, i) => typeof sent.values?.[i] === "string").map(number);
  const some = [...new Set(places)];
  return some.length <= 3 ? toText(list(some.map(plain))) : null;
}
