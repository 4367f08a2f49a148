/* The formulas of a step: of a call what it computed, of a node one derivative for each edge. */

import { at } from "../collections";
import { edgeInputs } from "../graph/draw/edges";
import { bracketed, fill, inputTexts, symbol, textOf } from "../graph/names";
import { rootName } from "../explain/root";
import { rulesOf, sized, texts } from "../explain/node";
import { tidy } from "../explain/formula";
import type { Event } from "../log/events";
import { size } from "../log/format";
import type { CallRow, Model, NodeRow } from "../log/model";
import { marked, operator, parse, row, type Formula } from "./parse";
import { toTex } from "./tex";

/** Words that are part of a formula; with others it is a sentence, and stays one. */
const MATHEMATICAL = /^(?:where|else|mod|mean of|sum of|over)$/;

/** The most derivatives that are typeset. */
const MOST = 4;

/** The formulas of the step that an event stands for; none where there is no formula but words. */
export function formulasOf(model: Model, event: Event | undefined): Formula[] {
  if (event?.event === "op") {
    const call = model.calls.get(event.call);
    return call ? forward(model, call).filter(isFormula) : [];
  }
  if (event?.event !== "start" && event?.event !== "finish") return [];
  const node = model.nodes.get(event.node);
  const call = node?.call == null ? undefined : model.calls.get(node.call);
  return node && call ? backward(model, node, call).filter(isFormula) : [];
}

function isFormula(formula: Formula): boolean {
  if (formula.kind === "words") return MATHEMATICAL.test(formula.text);
  if (formula.kind === "row") return formula.items.every(isFormula);
  if (formula.kind === "fraction") return isFormula(formula.over) && isFormula(formula.under);
  return true;
}

/** A formula of scalars, in which each product is that of two numbers. */
function ofScalars(model: Model, value: number, text: string): string {
  return model.values.get(value)?.summary.shape.length === 0 ? text.replaceAll("×", "·") : text;
}

/** Names by the inputs that they stand for, marked as the program's. */
const allMarked = (names: ReadonlyMap<string, string>): Map<string, string> =>
  new Map([...names].map(([key, text]) => [key, marked(text)]));

/** `y = a × b`, of a call with one result. */
function forward(model: Model, call: CallRow): Formula[] {
  const op = model.ops.get(call.op);
  const [result] = call.outputs;
  if (!op?.text || result === undefined || call.outputs.length > 1) return [];
  const inputs = allMarked(inputTexts(model, call));
  const text = ofScalars(model, result, tidy(fill(textOf(model, call, op.text), inputs, call)));
  const own = symbol(model, result, 18);
  const made = parse(text);
  if (made.kind === "identifier") return []; // a view or a copy: nothing is computed
  const name = parse(marked(own));
  const same = own === call.op || toTex(name) === toTex(made); // a value without a name
  return same ? [] : [row([name, operator("="), made])];
}

/** `∂loss/∂a = ∂loss/∂y · ∂y/∂a = ∂loss/∂y · b`, for each value that a node sends a gradient to. */
function backward(model: Model, node: NodeRow, call: CallRow): Formula[] {
  const output = at(node.outputs, 0);
  const inputs = call.inputs.filter((input) => typeof input === "number");
  const targets = edgeInputs(model, node, inputs);
  const rules = rulesOf(model, call);
  const root = rootName(model, node);
  const out = symbol(model, output, 18);
  return node.next
    .flatMap(([next], edge) => {
      const input = inputs[at(targets, edge)];
      const rule = rules[at(targets, edge)];
      const sent = node.grads_out[edge];
      if (next === null || input === undefined || !rule || !sent) return [];
      const own = symbol(model, input, 18);
      if (own === out || own === root) return [];
      const incoming = root === out ? null : partial(root, out);
      if (incoming === null && !isOne(node)) return [];
      const came = model.values.get(output)?.summary.shape ?? [];
      const [pattern, summed] = sized(rule.vjp, node.grads_in[0]?.shape ?? came, sent.shape);
      const spread = size(came) > size(model.values.get(input)?.summary.shape ?? []);
      const sum = summed !== null || (rule.local !== null && spread) ? [operator("Σ")] : [];
      const product = filled(model, call, node, pattern, incoming);
      const chain =
        rule.local === null || incoming === null
          ? []
          : [...sum, incoming, operator("·"), partial(out, own), operator("=")];
      return [row([partial(root, own), operator("="), ...chain, ...sum, product])];
    })
    .slice(0, MOST);
}

/** Whether a node, the first of its run, began with a gradient of 1. */
const isOne = ({ grads_in: [incoming] }: NodeRow): boolean =>
  incoming?.values?.every((item) => item === 1) ?? false;

const partial = (over: string, under: string): Formula => ({
  kind: "fraction",
  over: row([operator("∂"), parse(marked(bracketed(over)))]),
  under: row([operator("∂"), parse(marked(bracketed(under)))]),
});

/** A derivative with the names of this call, and its incoming gradient as a tree. */
function filled(
  model: Model,
  call: CallRow,
  node: NodeRow,
  pattern: string,
  incoming: Formula | null,
): Formula {
  const names = allMarked(texts(model, call, node, null));
  if (!incoming) names.set("grad", "1");
  const text = ofScalars(model, at(node.outputs, 0), tidy(fill(pattern, names, call)));
  return parse(text, new Map(incoming ? [["gradient", incoming]] : []));
}
