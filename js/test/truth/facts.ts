/*
 * What the page says of recorded programs, as data for `tests/truth`: formulas with the numbers of
 * values in the place of names, cards, and wires. Run by node; reads and writes a file of JSON.
 */

import { readFileSync, writeFileSync } from "node:fs";
import { explainStep } from "../../src/explain/step";
import { COPY_SLICES, rulesOf, sized } from "../../src/explain/node";
import { hookLine } from "../../src/explain/hooks";
import { givenTo } from "../../src/explain/root";
import { tidy } from "../../src/explain/formula";
import { toText } from "../../src/text/piece";
import { edgeInputs } from "../../src/graph/draw/edges";
import { buildGraph } from "../../src/graph/graph";
import { meanOver } from "../../src/graph/losses";
import { boundNames, byInput, fill, ownName, textOf } from "../../src/graph/names";
import { planOf } from "../../src/graph/plan";
import type { Summary } from "../../src/log/events";
import { usedBy, type CallRow, type Model, type NodeRow } from "../../src/log/model";
import { Timeline } from "../../src/log/timeline";
import { Stepper, type Step } from "../../src/replay/steps";

const CHOICES = { everything: true, opened: new Map<string, boolean>() };

/** What stands for each placeholder: `v12` for a value, so that its numbers can be looked up. */
function texts(model: Model, call: CallRow, node: NodeRow | undefined): Map<string, string> {
  const used = (value: number) => `v${node ? usedBy(model, node, value) : value}`;
  const items = call.inputs.map((input) => (typeof input === "number" ? used(input) : input));
  const found = byInput(model, call, items, (all) => all.join(", "));
  const output = node?.outputs[0];
  if (output !== undefined) found.set("result", used(output));
  const n = meanOver(model, call);
  if (n !== null) found.set("count", String(n));
  return found;
}

function forward(model: Model, call: CallRow) {
  const op = model.ops.get(call.op);
  if (!op?.text) return null;
  const text = fill(textOf(model, call, op.text), texts(model, call, undefined), call);
  return { op: call.op, text, inputs: call.inputs, outputs: call.outputs, params: call.params };
}

/** The formulas of the gradients that a node sent, with `g` for what came in. */
function backward(model: Model, node: NodeRow) {
  const call = node.call === null ? undefined : model.calls.get(node.call);
  const [output] = node.outputs;
  const came = node.grads_in[0];
  if (!call || output === undefined || !came || node.grads_in.length > 1) return [];
  if (node.name === COPY_SLICES) return [];
  const inputs = call.inputs.filter((input) => typeof input === "number");
  const targets = edgeInputs(model, node, inputs);
  const rules = rulesOf(model, call);
  const names = texts(model, call, node).set("grad", "g");
  return node.next.flatMap(([next], edge) => {
    const [sent, input] = [node.grads_out[edge], inputs[targets[edge] ?? -1]];
    const rule = rules[targets[edge] ?? -1];
    const inner = next !== null && model.nodes.get(next)?.call === call.call;
    if (next === null || !sent || !rule || input === undefined || inner) return [];
    const [formula] = sized(rule.vjp, came.shape, sent.shape);
    return [
      {
        op: call.op,
        local: rule.local === null ? null : tidy(fill(rule.local, names, call)),
        text: tidy(fill(formula, names, call)),
        input,
        came,
        sent,
      },
    ];
  });
}

/** The cards of a moment, and what the wires into calls carry. */
function picture(model: Model) {
  const graph = buildGraph(model, planOf(model, CHOICES).plan);
  const takers = new Map<number, NodeRow>(); // what adds to the gradient of a leaf
  for (const node of model.nodes.values()) {
    if (node.variable !== null) takers.set(node.variable, node);
  }
  const cards = [...graph.boxes.values()].flatMap((box) => {
    if (box.kind !== "card" || box.copy) return [];
    const { value } = box;
    const taker = takers.get(value.value) ?? model.nodes.get(value.node ?? -1);
    const back: Summary[] = taker ? [...givenTo(model, taker, value.value)] : [];
    const came = taker?.grads_in[taker.variable === null ? value.nr : 0] ?? null;
    let whole = true; // whether all that reads the value is drawn by itself
    for (const wire of graph.wires) {
      if (wire.value !== value.value || wire.way === "out") continue;
      const sender = wire.node === null ? undefined : model.nodes.get(wire.node);
      const sent = sender?.run === taker?.run ? sender?.grads_out[wire.edge] : null;
      if (wire.way === "through" || wire.times !== undefined) whole = false;
      // A write into a part takes the rest of the gradient past it.
      if (model.calls.get(wire.call)?.inplace) whole = false;
      // Of a function with many nodes that is recorded as one call a wire may tell no gradient.
      if (wire.node === null && (model.made.get(wire.call)?.length ?? 0) > 1) whole = false;
      if (sent) back.push(sent);
    }
    return [
      {
        value: value.value,
        title: box.title,
        name: ownName(model, value),
        bound: boundNames(model, value),
        names: value.names,
        view: value.view_of !== null,
        alive: value.alive && value.next === null,
        version: value.version,
        requires_grad: value.requires_grad,
        retains: value.retains_grad,
        grad: value.grad,
        nodeName: value.node === null ? null : (model.nodes.get(value.node)?.name ?? null),
        summary: value.summary,
        came,
        node: value.node,
        made: value.call !== null,
        whole: whole && hookLine(back, came).length === 0,
        back,
      },
    ];
  });
  const read = graph.wires.flatMap(({ way, from, value, call }) => {
    const box = graph.boxes.get(from);
    if (way !== "in" || box?.kind !== "card") return [];
    return [{ call, wanted: value, shown: box.value.value, summary: box.value.summary }];
  });
  const slots = [...graph.boxes.values()].flatMap((box) =>
    box.kind === "pill"
      ? box.slots.map(({ node, row, state, count }) => ({
          node,
          slot: row.slot,
          state,
          count,
          value: row.value,
          version: row.version,
        }))
      : [],
  );
  return { cards, read, slots };
}

function summaries(model: Model, text: string): Record<string, Summary> {
  const found: Record<string, Summary> = {};
  for (const [, id] of text.matchAll(/\bv(\d+)\b/g)) {
    const value = model.values.get(Number(id));
    if (value) found[`v${id ?? ""}`] = value.summary;
  }
  return found;
}

function factsOf(timeline: Timeline, step: Step) {
  const model = timeline.at(step.to);
  const events = timeline.between(step.from, step.to);
  const words = explainStep(model, step, events);
  const call = events.flatMap((event) => (event.event === "op" ? [event.call] : [])).at(-1);
  const row = call === undefined ? undefined : model.calls.get(call);
  const nodes = events.flatMap((event) => (event.event === "finish" ? [event.node] : []));
  const first = row ? forward(model, row) : null;
  const back = nodes.flatMap((id) => {
    const node = model.nodes.get(id);
    return node ? backward(model, node) : [];
  });
  const formulas = [first?.text ?? "", ...back.map(({ text, local }) => `${text} ${local ?? ""}`)];
  const made = (first?.outputs ?? []).map((id) => `v${id}`).join(" ");
  return {
    to: step.to,
    kind: step.kind,
    words: [words.title, ...words.lines].map(toText),
    call: call ?? null,
    forward: first,
    backward: back,
    values: summaries(model, [...formulas, made].join(" ")),
  };
}

const [from = "", to = ""] = process.argv.slice(2);
const programs = JSON.parse(readFileSync(from, "utf8")) as { events: unknown[]; looks: number[] }[];
const found = programs.map(({ events, looks }) => {
  const timeline = new Timeline();
  timeline.append(events);
  const stepper = new Stepper();
  stepper.push(timeline.events);
  const steps = stepper.all().map((step) => factsOf(timeline, step));
  return { steps, looks: looks.map((time) => ({ time, ...picture(timeline.at(time)) })) };
});
writeFileSync(to, JSON.stringify(found));
