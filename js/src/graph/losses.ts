/* What formulas of losses leave open, as it depends on the call: its reduction and its weights. */

import { size } from "../log/format";
import { t } from "../text/text";
import type { CallRow, Model } from "../log/model";

/** How a call reduces the losses of its items; PyTorch's calls tell words, our own numbers. */
function reductionOf({ params }: CallRow): "none" | "mean" | "sum" {
  const reduction = params.reduction;
  if (reduction === "0" || reduction === "none") return "none";
  return reduction === "2" || reduction === "sum" ? "sum" : "mean";
}

const isOfClasses = ({ op }: CallRow): boolean => op.startsWith("nll");

const PLACEHOLDERS = new Set(["reduced", "over_n", "weighted", "pos_weighted", "logits_slope"]);

/**
 * The text of a placeholder that the call of a loss settles; undefined for any other placeholder.
 * `inputs` has the texts of what the op was given.
 */
export function ofLoss(
  name: string,
  inputs: ReadonlyMap<string, string>,
  call: CallRow,
): string | undefined {
  if (!PLACEHOLDERS.has(name)) return undefined;
  const given = (input: string): string | null => {
    const text = inputs.get(input);
    return text === undefined || text === "None" ? null : text;
  };
  const [reduction, weight, target] = [reductionOf(call), given("weight"), given("target") ?? "t"];
  const own = weight !== null && isOfClasses(call) ? `${weight}[${target}]` : weight;
  const ofGradient = inputs.has("grad") || inputs.has("grad_output");
  const weightedMean = reduction === "mean" && isOfClasses(call) && own !== null;
  switch (name) {
    case "reduced":
      if (weightedMean) return t.picture.names.weightedMean(own);
      return reduction === "none" ? "" : t.picture.names.reductions[reduction];
    case "weighted":
      return own === null || (weightedMean && !ofGradient) ? "" : ` · ${own}`;
    case "over_n":
      if (reduction !== "mean") return "";
      return weightedMean ? ` ÷ Σ ${own}` : ` ÷ ${inputs.get("count") ?? "n"}`;
    case "pos_weighted":
      return given("pos_weight") === null ? "" : `, pos_weight=${given("pos_weight")}`;
    case "logits_slope": {
      const [x, p] = [inputs.get("self") ?? "x", given("pos_weight")];
      if (p === null) return `(σ(${x}) − ${target})`;
      return `((${p} · ${target} + 1 − ${target}) · σ(${x}) − ${p} · ${target})`;
    }
    default:
      return undefined;
  }
}

/** Over how many items a loss takes the mean; null where that is not known. */
export function meanOver(model: Model, call: CallRow): number | null {
  const names = model.ops.get(call.op)?.inputs ?? [];
  const [self, target] = ["self", "target"].map((name) => {
    const input = call.inputs[names.indexOf(name)];
    return typeof input === "number" ? model.values.get(input)?.summary : undefined;
  });
  if (!isOfClasses(call)) return self ? size(self.shape) : null;
  if (!target?.values) return null;
  const ignored = Number(call.params.ignore_index ?? -100);
  return target.values.filter((item) => item !== ignored).length;
}
