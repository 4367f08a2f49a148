/* The explanation of a backward node that ran, like a line of a textbook. */

import { at } from "../collections";
import type { DefineEvent, Event, Summary } from "../log/events";
import { brief, matrix, shape, size } from "../log/format";
import { edgeInputs } from "../graph/draw/edges";
import {
  bracketed,
  byInput,
  factor,
  expression,
  fill,
  inputTexts,
  symbol,
  userName,
  withDims,
} from "../graph/names";
import { rootName, rootOf } from "./root";
import { contributions, hookLine, partsOf } from "./hooks";
import { meanOver } from "../graph/losses";
import { summedOver, tidy, transposed } from "./formula";
import { holdsTensor, usedBy, type CallRow, type Model, type NodeRow } from "../log/model";
import { dim, grad, line, math, plain, type Line, type Piece } from "../text/piece";
import { phrase, t } from "../text/text";
import { list, name, numbers, type Explanation } from "./text";

/** A node of the backward graph that ran: what came in, its derivatives, what went out. */
export function explainNode(
  model: Model,
  node: NodeRow,
  events: readonly Event[],
): Pick<Explanation, "title" | "lines"> {
  if (node.variable !== null) return accumulate(model, node, node.variable, events);
  const call = node.call === null ? undefined : model.calls.get(node.call);
  const output = node.outputs[0];
  const lines: Line[] = [];
  // What a node did itself is on record between its beginning and its end.
  const began = events.some(({ event }) => event === "start");
  const { runs, hasRun, derivativeOf } = t.explain.node;
  const title = (began ? runs : hasRun)(math(node.name));
  if (call && output !== undefined) {
    const arrivedAs = partsOf(model, node, output);
    const changed = hookLine(arrivedAs, node.grads_in[0]);
    const own = name(model, output);
    const made = isNamed(model, output) ? line`${own} = ${math(expression(model, call))}` : [own];
    lines.push(derivativeOf(made, arrived(model, node, output)));
    if (changed.length > 0) lines.push(changed);
    if (node.name === COPY_SLICES) lines.push(...ofWrittenPart(model, node, call));
    else lines.push(...derivatives(model, node, call, output));
  } else if (call) lines.push(...ofPart(model, node, call));
  lines.push(...after(model, node, events));
  return { title, lines };
}

function isNamed(model: Model, value: number): boolean {
  const row = model.values.get(value);
  return row !== undefined && userName(row) !== null;
}

function shortName(model: Model, value: number): string {
  return bracketed(symbol(model, value, 18));
}

/** `∂top/∂bottom = `; nothing of two values that have one name, as `h = f(h)` gives them. */
function equation(top: string, bottom: string): string {
  return top === bottom ? "" : `∂${top}/∂${bottom} = `;
}

/** The gradient that came in, and how it was added up when it came along several wires. */
function arrived(model: Model, node: NodeRow, output: number): Line {
  const parts = partsOf(model, node, output);
  const changed = hookLine(parts, node.grads_in[0]).length > 0;
  // A node that fails before it begins says nothing of what came in: the nodes before it do.
  const seen = node.grads_in.length > 0 || parts.length === 0;
  if (!seen && parts.length > 1) return [plain(t.explain.node.wires(parts.length))];
  const incoming = seen ? node.grads_in[0] : parts[0];
  const [root, own] = [rootName(model, node), shortName(model, output)];
  const sum = parts.length > 1 && !changed ? `${sumOf(parts, 12)} = ` : "";
  // An earlier value of the root's name (`total = total + x`) is not what was derived.
  const start = root === own && output !== rootOf(model, node) ? "" : `∂${root}/∂${own} = `;
  return t.explain.node.incoming([math(start), grad(sum), numbers(incoming)]);
}

/** `[3.] + [2.]`; many in words: `25 equal contributions of [2.]`, if all numbers are known. */
function sumOf(parts: readonly Summary[], length: number): string {
  const texts = parts.map((p) => brief(p, length));
  if (texts.length <= 4) return texts.join(" + ");
  const sizes = new Set(parts.map((part) => shape(part.shape)));
  if (sizes.size === 1 && parts.some(({ values }, i) => !values || sizes.has(texts[i] ?? ""))) {
    return t.explain.node.gradients(texts.length, [...sizes].join(""));
  }
  return new Set(texts).size === 1
    ? t.explain.node.equal(texts.length, texts[0] ?? "")
    : t.explain.node.contributions(texts.slice(0, 2).join(" + "), texts.length);
}

/** The most inputs whose derivatives are spelled out. */
const MOST_INPUTS = 24;

/** One of several nodes of a call, which is not the one that its result has. */
function ofPart(model: Model, node: NodeRow, call: CallRow): Line[] {
  const outputs = list(call.outputs.map((value) => name(model, value)));
  const incoming = list(node.grads_in.map((gradient) => numbers(gradient)));
  const lines: Line[] = [t.explain.node.partOf(outputs, incoming)];
  node.grads_out.forEach((sent, edge) => {
    if (sent) lines.push(sentOn(model, node, edge, sent));
  });
  return lines;
}

/** The node of a write through a view: it derives what was written, and the rest of the base. */
export const COPY_SLICES = "CopySlices";

/** What a write through a view sends on: to the base, and to what was written into it. */
function ofWrittenPart(model: Model, node: NodeRow, call: CallRow): Line[] {
  const op = call.op.replace(/_?(\..*)?$/, "");
  return node.next.flatMap(([next], edge): Line[] => {
    const [sent, to] = [node.grads_out[edge], next === null ? undefined : model.nodes.get(next)];
    const value = to?.variable ?? to?.outputs[0];
    if (!sent || !to) return [];
    const { aroundWritten, ofWritten } = t.explain.node;
    const words = (edge === 0 ? aroundWritten : ofWritten)(op);
    const where = value === undefined ? math(to.name) : name(model, value);
    return [t.explain.node.to(where, [math(`${words} = `), numbers(sent)])];
  });
}

/** What went along an edge, and where that leads: to a value, or to one more node of a call. */
function sentOn(model: Model, node: NodeRow, edge: number, sent: Summary): Line {
  const [next] = at(node.next, edge);
  const to = next === null ? undefined : model.nodes.get(next);
  if (!to) return [];
  const value = to.variable ?? to.outputs[0];
  if (isPart(node, to)) return t.explain.node.toPart(math(to.name), [numbers(sent)]);
  const where = value === undefined ? math(to.name) : name(model, value);
  return t.explain.node.to(where, [numbers(sent)]);
}

/** Whether a node that another leads to is one more of the same call. */
function isPart(from: NodeRow, to: NodeRow | undefined): boolean {
  return to !== undefined && to.call !== null && to.call === from.call;
}

/** For each edge: the local derivative, and its product with the gradient that came in. */
function derivatives(model: Model, node: NodeRow, call: CallRow, output: number): Line[] {
  const inputs = call.inputs.filter((input) => typeof input === "number");
  const targets = edgeInputs(model, node, inputs);
  const rules = rulesOf(model, call);
  const root = rootName(model, node);
  const out = shortName(model, output);
  const symbols = texts(model, call, node, null);
  const values = texts(model, call, node, node.grads_in[0] ?? null);
  const lines: Line[] = [];
  let more = 0;
  node.next.forEach(([next], edge) => {
    const input = inputs[at(targets, edge)]; // -1 for none
    const rule = rules[at(targets, edge)];
    const sent = node.grads_out[edge];
    if (next === null || !sent) return;
    if (lines.length === MOST_INPUTS) {
      more += 1;
      return;
    }
    // A gradient of what is inside of the call is none of its input.
    const inside = isPart(node, model.nodes.get(next));
    if (input === undefined || (inside && !rule)) {
      lines.push(sentOn(model, node, edge, sent));
      return;
    }
    const own = shortName(model, input);
    const local = rule?.local ?? null;
    const rest: Piece[] = [];
    const chained = new Set([root, out, own]).size === 3;
    // An input that was spread over the output gets the sum of what each item sends back.
    const sum = itemsOf(model, output) > itemsOf(model, input) ? "Σ " : "";
    if (local !== null) {
      const factorText = tidy(fill(phrase(local), symbols, call));
      const jacobian = node.local?.[edge];
      const number = scalar(jacobian) ?? numeric(local, values, call);
      rest.push(math(`${equation(out, own)}${factorText}`));
      if (number !== null && number !== factorText) rest.push(math(` = ${number}`));
      if (!chained) rest.push(plain(t.explain.node.times));
      else {
        rest.push(plain(t.explain.node.so));
        const factors = `${sum}∂${root}/∂${out} · ∂${out}/∂${own}`;
        rest.push(math(`∂${root}/∂${own} = ${factors} = `));
      }
      const came = brief(node.grads_in[0] ?? sent, 16);
      const value = number !== null && local.includes(" where ") ? `(${number})` : number;
      rest.push(grad(`${sum}${came} · ${value ?? bracketed(factorText)} = `));
    } else {
      rest.push(math(equation(root, own)));
      if (rule) rest.push(...product(model, rule.vjp, call, node, edge));
    }
    lines.push(t.explain.node.to(name(model, input), [...rest, numbers(sent)]));
  });
  if (more > 0) lines.push([plain(t.explain.node.more(more))]);
  return lines;
}

/** A derivative that is no factor: the formula, of a product of matrices with the shapes. */
function product(model: Model, vjp: string, call: CallRow, node: NodeRow, edge: number): Line {
  const [incoming, sent] = [node.grads_in[0], node.grads_out[edge]];
  const output = node.outputs[0];
  if (!sent || output === undefined) return [];
  const symbols = texts(model, call, node, null);
  const [formula, words] = sized(vjp, incoming?.shape ?? shapeOfValue(model, output), sent.shape);
  const own = math(tidy(fill(phrase(formula), symbols, call)));
  const found = words === null ? [own] : t.explain.node.words(own, words);
  if (/@/.test(vjp) && incoming) {
    const shapes = new Map([["grad", shape(incoming.shape)]]);
    byInput(model, call, call.inputs, () => "").forEach((input, key) => {
      const value = typeof input === "number" ? model.values.get(input) : undefined;
      if (value) shapes.set(key, shape(value.summary.shape));
    });
    const written = transposed(fill(formula, shapes, call));
    return [...found, dim(t.explain.node.shapes(written, shape(sent.shape))), math(" = ")];
  }
  return [...found, math(" = ")];
}

/** A formula with its `n` as a number, and what is summed over in words: what comes in is so large,
 * what goes out so. */
export function sized(
  vjp: string,
  came: readonly number[],
  sent: readonly number[],
): readonly [string, string | null] {
  const summed = / summed to the shape of \{\*?\w+\}$/;
  const words = summed.test(vjp) ? summedOver(came, sent) : null;
  const n = size(came) === 0 ? "n" : String(size(sent) / size(came));
  const formula = vjp.replace(summed, "").replace(/÷ n\b/, `÷ ${n}`).replace(/\(n −/, `(${n} −`);
  return [formula, words];
}

function shapeOfValue(model: Model, value: number): readonly number[] {
  return model.values.get(value)?.summary.shape ?? [];
}

function itemsOf(model: Model, value: number): number {
  return size(shapeOfValue(model, value));
}

/** How a call is derived by one of its inputs. */
type Rule = Pick<DefineEvent["derivatives"][number], "vjp" | "local">;

/** How a call is derived by each value that it was given, in their order; null where nothing says. */
export function rulesOf(model: Model, call: CallRow): (Rule | null)[] {
  const op = model.ops.get(call.op);
  const rules = new Map(op?.derivatives.map((rule) => [rule.input, rule]));
  const names = op?.inputs ?? [];
  const rest = names.findIndex((name) => name.startsWith("*"));
  const assigns = call.op.startsWith("copy_") && call.params.index !== undefined;
  const within = ["gradient, 0 where it was overwritten", "the written part of the gradient"];
  return call.inputs.flatMap((input, i): (Rule | null)[] => {
    if (typeof input !== "number") return [];
    if (assigns) return [{ vjp: within[i] ?? "", local: null }];
    const name = rest >= 0 && i >= rest ? names[rest] : names[i];
    const rule = rules.get(name?.replace("*", "") ?? "") ?? rules.get(name ?? "");
    return [rule ? { ...rule, vjp: withDims(model, call, rule.vjp) } : null];
  });
}

/** What stands for each placeholder of a formula: names, or numbers when `incoming` is given. */
export function texts(
  model: Model,
  call: CallRow,
  node: NodeRow,
  incoming: Summary | null,
): Map<string, string> {
  const found = incoming ? numberTexts(model, call, node) : new Map(inputTexts(model, call));
  const output = at(node.outputs, 0);
  const summary = model.values.get(usedBy(model, node, output))?.summary;
  found.set("result", incoming && summary ? brief(summary, 16) : factor(model, output));
  found.set("grad", incoming ? brief(incoming, 16) : t.explain.node.gradient);
  const n = meanOver(model, call);
  if (n !== null) found.set("count", String(n));
  byInput(model, call, call.inputs, () => "").forEach((input, key) => {
    const value = typeof input === "number" ? model.values.get(input) : undefined;
    if (value) found.set(`${key}_shape`, `(${value.summary.shape.join(", ")})`);
  });
  return found;
}

function numberTexts(model: Model, call: CallRow, node: NodeRow): Map<string, string> {
  const items = call.inputs.map((input) => {
    const used = typeof input === "number" ? usedBy(model, node, input) : null;
    const value = used === null ? undefined : model.values.get(used);
    if (!value) return String(input);
    return size(value.summary.shape) <= 4 ? brief(value.summary, 16) : factor(model, value.value);
  });
  return byInput(model, call, items, (all) => all.join(", "));
}

function numeric(local: string, values: Map<string, string>, call: CallRow): string | null {
  return /\{/.test(local) ? tidy(fill(phrase(local), values, call)) : null;
}

function scalar(jacobian: Parameters<typeof matrix>[0] | null | undefined): string | null {
  return jacobian && jacobian.rows * jacobian.columns === 1 ? matrix(jacobian) : null;
}

/** What else the step did: gradients kept, saved values released. */
function after(model: Model, node: NodeRow, events: readonly Event[]): Line[] {
  const lines: Line[] = [];
  for (const event of events) {
    if (event.event !== "grad" || event.how !== "retained") continue;
    const own = name(model, event.value);
    const kept = [grad(`${own.text}.grad = `), numbers(event.summary)];
    lines.push(t.explain.node.retains(own, kept));
  }
  const freed = node.freed || events.some((event) => event.event === "free");
  const kept = node.saved.filter(holdsTensor);
  const names = list(kept.map((slot) => name(model, slot.value)));
  if (freed && kept.length > 0) lines.push(t.explain.node.freed(names, kept.length));
  else if (!freed && kept.length > 0 && node.state === "done") {
    lines.push(t.explain.node.kept(names, kept.length));
  }
  return lines;
}

/** The end of a path: the gradient is added to the leaf's `.grad`. */
function accumulate(
  model: Model,
  node: NodeRow,
  leaf: number,
  events: readonly Event[],
): Pick<Explanation, "title" | "lines"> {
  const own = name(model, leaf);
  const { addsTo, added, addedTo, incoming: came } = t.explain.node;
  const title = addsTo(math(node.name), { ...own, text: `${own.text}.grad` });
  const parts = contributions(model, node.node, node.run);
  const lines: Line[] = [];
  const incoming = node.grads_in[0];
  const changed = hookLine(parts, incoming);
  if (changed.length > 0) lines.push(changed);
  else if (parts.length > 1) {
    lines.push(added(parts.length, [grad(`${sumOf(parts, 14)} = `), numbers(incoming)]));
  }
  for (const event of events) {
    if (event.event !== "grad") continue;
    const before =
      event.added && brief(event.added, 20) !== brief(event.summary ?? event.added, 20);
    // What is there for the first time is the gradient itself.
    if (before && parts.length <= 1) lines.push(came([numbers(incoming)]));
    const sum = [grad(`${own.text}.grad = `), numbers(event.summary)];
    lines.push(before ? addedTo(`${own.text}.grad`, sum) : sum);
  }
  if (lines.length === 0) lines.push(came([numbers(incoming)]));
  return { title, lines };
}
