/* What values and calls are called in sentences and formulas. */

import { brief, cutName, shape } from "../log/format";
import {
  makerOf,
  scopesAround,
  type CallRow,
  type Model,
  type ScopeRow,
  type ValueRow,
} from "../log/model";
import { phrase, t } from "../text/text";
import { ofLoss } from "./losses";

/** The user's latest name of a value, or null. Locals and module paths count as names. */
export function userName(value: ValueRow): string | null {
  const last = value.names.at(-1);
  return last ? last[1] : null;
}

/** The variables that a value is bound to now, oldest first. */
export function boundNames(model: Model, { value, names }: ValueRow): ValueRow["names"] {
  return names.filter(([scope, name]) => model.names.get(`${scope}\0${name}`) === value);
}

/**
 * What the user would type for a value: the path in a module, a variable of the notebook, of a
 * function; of what no variable is bound to any more what it was called last. Null for none.
 */
export function ownName(model: Model, value: ValueRow): string | null {
  const bound = boundNames(model, value);
  const known = bound.length > 0 ? bound : value.names;
  const of = (wanted: string) =>
    bound.length > 0
      ? known.find(([scope]) => scope === wanted)
      : known.findLast(([scope]) => scope === wanted);
  return ((value.parameter && of("module")) || of("") || known.at(-1))?.[1] ?? null;
}

/** What stands on the card of a value: all its names in the notebook; that one was its before. */
export function cardName(model: Model, value: ValueRow): string | null {
  const own = ownName(model, value);
  const bound = boundNames(model, value);
  if (own !== null && bound.length === 0 && value.alive) return t.picture.names.earlier(own);
  const others = bound.filter(([scope, name]) => scope === "" && name !== own);
  const [other] = value.parameter ? [] : others;
  return own !== null && other ? `${own}, ${other[1]}` : own;
}

/** Whether a name is that of a static graph (`add:0`), and no variable's. */
export const isGraphName = ([scope]: readonly [scope: string, name: string]) => scope === "graph";

/** Whether a value is a static graph's: such have no `grad_fn` and no version. */
export const isSymbol = ({ names }: ValueRow): boolean => names.some(isGraphName);

/** `w.grad`, of a value that is a gradient; else null. */
export function gradientName(model: Model, { gradient_of: of }: ValueRow): string | null {
  const leaf = of === null ? undefined : model.values.get(of);
  const own = leaf ? ownName(model, leaf) : null;
  return own === null ? null : `${own}.grad`;
}

/**
 * What a value is called in a sentence: its name, else the expression that made it (`x + w`),
 * else its shape and what it is the output of. `budget` bounds the length of an expression, inner ones in brackets, and `longest` that of a name.
 */
export function called(model: Model, id: number, budget = 24, longest = 24): string {
  const value = model.values.get(id);
  if (!value) return "?";
  const text = short(model, value, budget, longest);
  if (text !== null && isWhole(text)) return text;
  return described(model, value);
}

/** Whether a text describes a value that has no name: its size is in it. */
export const isDescription = (text: string): boolean => t.picture.names.isDescription.test(text);

/** Whether nothing is left out in an expression. */
export const isWhole = (text: string): boolean => !/(?<![\w./])…/.test(text);

/** A value's name, or the expression that made it, if that is short and no module's; else null. */
function short(model: Model, value: ValueRow, budget: number, longest = 24): string | null {
  const name = ownName(model, value) ?? gradientName(model, value);
  if (name !== null) return cutName(name, longest);
  const call = makerOf(model, value);
  if (!call || budget <= 4 || moduleThatGave(model, call) !== null) return null;
  const text = expression(model, call, budget - 4);
  return text.length <= budget ? text : null;
}

/** What a value is that has no name: of what it is the output, or which kind of leaf. */
function described(model: Model, value: ValueRow): string {
  const { scalar, outputOf, parameter, value: other, leaf, constant } = t.picture.names;
  const dims = value.summary.shape;
  const size = dims.length === 0 ? scalar : shape(dims);
  const call = makerOf(model, value);
  if (call) {
    return outputOf(size, moduleThatGave(model, call)?.name ?? call.op.split(".")[0] ?? call.op);
  }
  if (value.parameter) return parameter(size);
  if (!value.leaf) return other(size); // whatever made it was not recorded
  return (value.requires_grad ? leaf : constant)(size);
}

/** The innermost module around a call, if that call was its last; else null. */
function moduleThatGave(model: Model, call: CallRow): ScopeRow | null {
  const module = scopesAround(model, call.scope).find(({ kind }) => kind === "module");
  if (module?.open !== false) return null;
  const next = model.calls.get(call.call + 1);
  const goesOn = next && scopesAround(model, next.scope).includes(module);
  return goesOn ? null : module;
}

/** What a value is called in a formula: the same, but rather by its op or module than by its shape. */
export function symbol(model: Model, id: number, budget: number): string {
  const value = model.values.get(id);
  if (!value) return "?";
  const text = short(model, value, budget);
  if (text !== null && isWhole(text)) return text;
  const call = makerOf(model, value);
  if (!call) return "·";
  return moduleThatGave(model, call) ? standIn(model, value) : (call.op.split(".")[0] ?? "·");
}

/** An expression that stands beside other operators: in brackets when it has its own. */
export function factor(model: Model, id: number, budget = 24): string {
  const value = model.values.get(id);
  if (!value) return "?";
  const text = short(model, value, budget);
  return text === null ? standIn(model, value) : bracketed(text);
}

/** Letters that the numbers of a constant without a name may have in a formula. */
const FEW_LETTERS = 16;

/** What stands in a formula for a value that nothing short calls: `net(x)`, `… − …`, its numbers. */
function standIn(model: Model, value: ValueRow): string {
  const call = makerOf(model, value);
  if (!call) {
    const text = value.summary.values ? brief(value.summary, FEW_LETTERS) : "…";
    const tells = !value.requires_grad && !text.startsWith("(") && text.length <= FEW_LETTERS;
    return tells ? text : "…"; // a shape is no value
  }
  const module = moduleThatGave(model, call);
  if (module === null) {
    const gaps = call.inputs.map((input) => (typeof input === "number" ? "…" : input));
    const pattern = phrase(model.ops.get(call.op)?.text ?? "");
    const text = fill(
      pattern,
      byInput(model, call, gaps, () => "…"),
      call,
    );
    const fits = text !== "" && text.length <= FEW_LETTERS;
    return fits ? bracketed(text) : `${call.op.split(".")[0] ?? call.op}(…)`;
  }
  return `${cutName(module.name, 24)}(${inputOf(model, module, call) ?? "…"})`;
}

/** So many calls of a module are looked through for what it was given. */
const MOST_CALLS = 8;

/** The name of the one value, besides its own parameters, that a module was given; else null. */
function inputOf(model: Model, module: ScopeRow, last: CallRow): string | null {
  const inside: CallRow[] = [];
  for (let call: CallRow | undefined = last; call; call = model.calls.get(call.call - 1)) {
    if (!scopesAround(model, call.scope).includes(module)) break;
    if (inside.length === MOST_CALLS) return null;
    inside.push(call);
  }
  const first = inside.at(-1)?.call ?? 0;
  const found = new Set<string | null>();
  for (const input of inside.flatMap(({ inputs }) => inputs)) {
    const value = typeof input === "number" ? model.values.get(input) : undefined;
    if (!value || value.parameter || (value.call ?? -1) >= first) continue;
    const name = userName(value);
    if (!name?.startsWith(`${module.name}.`)) found.add(name);
  }
  const [name = null] = found;
  return found.size === 1 && name !== null && name.length <= 12 ? name : null;
}

/** A text in brackets, unless it is a name, a function of something, or numbers. */
export function bracketed(text: string): string {
  const whole = !/ |^−/.test(text) || enclosed(text, /^[\w.[\]]*\(/) || isDescription(text);
  return whole ? text : `(${text})`;
}

/** Whether a text begins like this, up to a bracket that its last letter closes. */
function enclosed(text: string, start: RegExp): boolean {
  const begun = start.exec(text)?.[0].length ?? 0;
  if (begun === 0) return false;
  let depth = 1;
  for (let i = begun; i < text.length; i += 1) {
    depth += text[i] === "(" ? 1 : text[i] === ")" ? -1 : 0;
    if (depth === 0) return i === text.length - 1;
  }
  return false;
}

/** A call written as the formula of its op, with the names of its inputs. */
export function expression(model: Model, call: CallRow, budget = 40): string {
  const op = model.ops.get(call.op);
  const inputs = inputTexts(model, call, budget);
  if (!op?.text) {
    const all = op?.inputs.length ? [...inputs.values()] : given(model, call, budget);
    return `${call.op}(${all.join(", ")})`;
  }
  return fill(phrase(textOf(model, call, op.text)), inputs, call);
}

/** The formula of a call: what is assigned to a part of a tensor leaves the rest as it was. */
export function textOf(model: Model, call: CallRow, text: string): string {
  const { op, params } = call;
  if (op.startsWith("copy_") && params.index !== undefined) return "{self} with {src} at [{index}]";
  if (op.startsWith("rsub") && (params.alpha ?? "1") !== "1") return "{other} − {alpha} · {self}";
  const within = op.startsWith("logit") && (params.eps ?? "None") !== "None";
  if (within) return "log(c ÷ (1 − c)) of c = {self} between {eps} and 1 − {eps}";
  return withDims(model, call, text);
}

/** A formula in which two dims change places: these need not be the last two. */
export function withDims(model: Model, call: CallRow, text: string): string {
  const [input] = call.inputs;
  const value = typeof input === "number" ? model.values.get(input) : undefined;
  if (!value || !call.op.startsWith("transpose")) return text;
  const n = value.summary.shape.length;
  const [a, b] = [call.params.dim0, call.params.dim1].map((dim) => (Number(dim) + n) % n);
  if (a === undefined || b === undefined || isNaN(a + b)) return text;
  if (a === b) return text.replace("}ᵀ", "}");
  if (Math.max(a, b) === n - 1 && Math.min(a, b) === n - 2) return text;
  return text.replace("}ᵀ", "}.transpose({dim0}, {dim1})");
}

/** The most inputs that are written out in a formula. */
const MOST_INPUTS = 24;

/** For each input's name in the op's signature, what stands there in this call. */
export function inputTexts(model: Model, call: CallRow, budget = 40): Map<string, string> {
  return byInput(model, call, given(model, call, budget), (list) => list.join(", "));
}

/** What each input is called. */
function given(model: Model, call: CallRow, budget: number): string[] {
  // Many inputs share the room: else an expression of many of many would have no end.
  const even = call.inputs.length > 2 ? Math.floor(budget / call.inputs.length) : budget;
  const share = call.inputs.length === 3 ? Math.min(budget, 20) : even; // `x @ weightᵀ + bias`
  const texts = call.inputs
    .slice(0, MOST_INPUTS)
    .map((input) => (typeof input === "number" ? factor(model, input, share) : input));
  if (call.inputs.length > MOST_INPUTS) texts.push("…");
  return texts;
}

/** Sorts what belongs to the call's inputs under their names; a list input takes them all. */
export function byInput<T>(
  model: Model,
  call: CallRow,
  items: readonly T[],
  join: (items: readonly T[]) => T,
): Map<string, T> {
  const names = model.ops.get(call.op)?.inputs ?? [];
  const found = new Map<string, T>();
  names.forEach((name, i) => {
    if (name.startsWith("*")) found.set(name.slice(1), join(items.slice(i)));
    else {
      const item = items[i];
      if (item !== undefined) found.set(name, item);
    }
  });
  return found;
}

/** What stands for a bound that was not given. */
const BOUNDS: Readonly<Record<string, string>> = { min: "−∞", max: "∞" };

/** A formula without its factors of 1. */
const withoutOnes = (text: string): string =>
  text.replace(/ · 1(?:\.0)?(?![\w.])/g, "").replace(/(?<![\w.]|[÷^] )1(?:\.0)? · /g, "");

/** A text with `{name}` placeholders, filled from inputs first and then from params. */
export function fill(text: string, inputs: ReadonlyMap<string, string>, call: CallRow): string {
  const filled = text.replace(/(\(?)\{\*?(\w+)\}(\)?)/g, (_whole, before, name: string, after) => {
    const found = inputs.get(name) ?? ofLoss(name, inputs, call) ?? call.params[name];
    if (found === undefined) return `${before}${BOUNDS[name] ?? name}${after}`;
    // Brackets of the formula are enough: `σ({self})` of `(a + b)` is `σ(a + b)`.
    if (before && after && enclosed(found, /^\(/)) return found;
    return `${before}${found}${after}`;
  });
  // What was not given is left out, as are factors of 1, and the two dims of a matrix that change places are a transpose.
  return withoutOnes(filled)
    .replace(/ \+ None$/, "")
    .replace(/ with dims \(?1, 0\)?$/, "ᵀ");
}
