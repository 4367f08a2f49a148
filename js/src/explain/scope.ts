/* Where a call belongs: to a module with its formula, to an optimizer's step with its rule. */

import { scopeKey } from "../graph/keys";
import { brief } from "../log/format";
import type { Summary } from "../log/events";
import { scopesAround, type Model, type ScopeRow, type ValueRow } from "../log/model";
import { dim, math, plain, type Line } from "../text/piece";
import { phrase, t } from "../text/text";

/** What an optimizer does with each parameter w and its gradient g. */
const RULES: Readonly<Record<string, string>> = {
  Adam: "w ← w − lr · m̂ ÷ (√v̂ + eps), with running means m of g and v of g²",
  AdamW: "w ← w − lr · (m̂ ÷ (√v̂ + eps) + weight_decay · w)",
  RMSprop: "w ← w − lr · g ÷ (√v + eps), with a running mean v of g²",
  Adagrad: "w ← w − lr · g ÷ (√Σg² + eps)",
};

/** The rule of SGD, which depends on its options. */
function ruleOfSgd(numbers: string): string {
  const g = numbers.includes("weight_decay") ? "(g + weight_decay · w)" : "g";
  if (!numbers.includes("momentum")) return `w ← w − lr · ${g}`;
  const mean = `v ← momentum · v + ${g}`;
  if (!numbers.includes("nesterov")) return `${mean}, then w ← w − lr · v`;
  return `${mean}, then w ← w − lr · (${g.replace(/[()]/g, "")} + momentum · v)`;
}

/** How the class of a module ends that `torch.compile` made. */
const COMPILED = ", compiled";

/** What a module computes of its input x. */
const FORMULAS: Readonly<Record<string, string>> = {
  Linear: "x @ weightᵀ + bias",
  ReLU: "x where x > 0, else 0",
  Tanh: "tanh(x)",
  Sigmoid: "1 ÷ (1 + e⁻ˣ)",
  LayerNorm: "(x − mean) ÷ √(var + eps) × weight + bias",
  Embedding: "the rows of weight that x names",
  Dropout: "x with some items set to 0, the others scaled up",
};

/** An optimizer's step: who makes it, and by which rule. */
function describe({ name, text }: ScopeRow): Line {
  const rule = name === "SGD" ? ruleOfSgd(text) : RULES[name];
  return [
    math(name),
    ...(text === "" ? [] : [plain(` (${text})`)]),
    ...(rule === undefined ? [] : [dim(": "), math(phrase(rule))]),
  ];
}

/** The optimizer's step around a scope; empty where there is none. */
export function stepAround(model: Model, scope: number | null): Line {
  const step = scopesAround(model, scope).find(({ kind }) => kind === "step");
  return step ? describe(step) : [];
}

/** What plain SGD makes of a parameter, in numbers: `[1., 2.] − 0.1 · [2., 4.]`; else empty. */
export function sgdInNumbers(
  model: Model,
  scope: number | null,
  before: ValueRow,
  after: ValueRow,
): string {
  const step = scopesAround(model, scope).find(({ kind }) => kind === "step");
  const rate = step?.name === "SGD" ? /^lr=(\S+)$/.exec(step.text)?.[1] : undefined;
  const [w, g, made] = [before.summary, after.grad, after.summary];
  if (rate === undefined || g === null) return "";
  // Only what happened is said: the gradient may have been written since, or maximized.
  const [ws, gs, results] = [numbersOf(w), numbersOf(g), numbersOf(made)];
  if (ws.length === 0 || ws.length !== gs.length) return "";
  const off = ws.some((x, i) => {
    const found = x - Number(rate) * (gs[i] ?? NaN);
    return !(Math.abs(found - (results[i] ?? NaN)) <= 1e-5 * Math.max(1, Math.abs(found)));
  });
  const texts = [w, g].map((each) => brief(each, 24));
  const readable = !off && texts.every((text) => !text.startsWith("("));
  return readable ? texts.join(` − ${rate} · `) : "";
}

/** All numbers of an array, where they are known. */
function numbersOf({ values }: Summary): readonly number[] {
  return values?.map(Number) ?? [];
}

/** One line on the innermost module or optimizer's step around a scope; empty where there is none. */
export function belongsTo(model: Model, scope: number | null): Line {
  for (const row of scopesAround(model, scope)) {
    if (row.kind === "step") return t.explain.scope.step(describe(row));
    if (row.kind === "module") {
      const formula = FORMULAS[row.text];
      return [
        ...t.explain.scope.module({ ...math(row.name), key: scopeKey(row.scope) }, row.text),
        ...(formula === undefined ? [] : [dim(": "), math(phrase(formula))]),
        ...(row.text.endsWith(COMPILED) ? [dim(t.explain.scope.compiled)] : []),
      ];
    }
  }
  return [];
}
