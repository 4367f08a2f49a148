/* What each kind of step did, in words. */

import type { Event } from "../log/events";
import { brief, cut, shape, unseen } from "../log/format";
import { byInput, expression, fill, isSymbol, userName } from "../graph/names";
import {
  hazards,
  holdsTensor,
  makerOf,
  packingOf,
  type CallRow,
  type Model,
  type ValueRow,
  type WriteRow,
} from "../log/model";
import type { Step } from "../replay/steps";
import { explainStatic } from "./static";
import { belongsTo, sgdInNumbers } from "./scope";
import { explainNode } from "./node";
import { explainPass } from "./optimization-pass";
import { explainError } from "./problems";
import { givenLine, isWhole, wholeLine } from "./root";
import { atLine, dim, grad, list, math, name, numbers, plain } from "./text";
import type { Explanation, Line, Piece } from "./text";

const NOTHING: Explanation = { tone: "plain", title: [], lines: [], where: null, code: null };

/** Before the first step there is what earlier cells left, or nothing. */
export function explainStart(model: Model): Explanation {
  const left = model.dropped > 0 || model.values.size > 0;
  const words = left ? "Before this cell: what earlier cells left" : "Before the first step";
  return { ...NOTHING, title: [plain(words)] };
}

/**
 * What a step did, like a line in a textbook. `model` is the state after it, `events` are its
 * events.
 */
export function explainStep(model: Model, step: Step, events: readonly Event[]): Explanation {
  const event = events[step.anchor - step.from];
  if (!event) return NOTHING;
  const told = explainEvent(model, step, events, event);
  const value = event.event === "value" ? model.values.get(event.value) : undefined;
  if (model.rows.length === 0 || (value && !unseen(value.summary))) return told;
  return explainStatic(model, told, event, true);
}

function explainEvent(
  model: Model,
  step: Step,
  events: readonly Event[],
  event: Event,
): Explanation {
  switch (event.event) {
    case "op":
      return explainOp(model, event.call);
    case "write":
      return explainWrite(model, event.storage, step.anchor);
    case "value":
      return explainLeaf(model, event.value);
    case "start":
    case "finish": {
      const node = model.nodes.get(event.node);
      if (!node) return NOTHING;
      const source = model.runs.get(event.run)?.source ?? null;
      const failed = model.errors.at(-1);
      if (failed && failed.time >= step.from && failed.time < step.to) break;
      return atLine(model, source, { tone: "backward", ...explainNode(model, node, events) });
    }
    case "pass":
      return explainPass(model);
    case "backward":
      return explainBegin(model, event.run);
    case "done":
      return explainEnd(model, event.run);
    case "flag":
      return explainFlag(model, event.value);
    case "grad":
      return explainGrad(model, event);
    case "error": {
      const error = model.errors.find((row) => row.time === step.anchor) ?? model.errors.at(-1);
      if (!error) return NOTHING;
      return atLine(model, error.source, explainError(model, error));
    }
    case "name":
      return explainName(model, event.value, event.name);
    default:
      return NOTHING;
  }
  return NOTHING;
}

/** A value got a name that it had not when it was made. */
function explainName(model: Model, value: number, own: string): Explanation {
  const before = model.values.get(value)?.names.at(-2)?.[1];
  const link = { ...name(model, value), text: own };
  return {
    ...NOTHING,
    title:
      before === undefined
        ? [link, plain(" is the name of a value now")]
        : [link, plain(" is now another name of "), math(before)],
  };
}

function explainOp(model: Model, id: number): Explanation {
  const call = model.calls.get(id);
  if (!call) return NOTHING;
  if (call.inplace) {
    const writes = [...model.storages].find(([, s]) => s.writes.some((w) => w.call === id));
    const write = writes?.[1].writes.find((w) => w.call === id);
    if (writes && write) return explainWrite(model, writes[0], write.time);
  }
  const outputs = call.outputs.map((output) => name(model, output));
  const lines: Line[] = [];
  const results = call.outputs.flatMap((output) => model.values.get(output) ?? []);
  const [result] = results;
  if (result) lines.push(resultLine(model, call, results));
  if (call.view_of !== null) {
    lines.push([
      plain("It is a view: it shares the memory and the version counter of "),
      name(model, call.view_of),
      plain("."),
    ]);
  }
  lines.push(savedLine(model, call, result));
  const around = belongsTo(model, call.scope);
  if (around.length > 0) lines.push(around);
  return atLine(model, call.source, {
    tone: "plain",
    title:
      result && userName(result) === null
        ? list(outputs)
        : [...list(outputs), plain(outputs.length > 0 ? " = " : ""), math(expression(model, call))],
    lines,
  });
}

/** As many results of one call are told in numbers. */
const SHOWN = 3;

/** The formula with numbers, when they are there and few enough to read. */
function resultLine(model: Model, call: CallRow, results: readonly ValueRow[]): Line {
  const formula = call.op !== "grad"; // its numbers are of the graph, not of what it was given
  const told = call.inputs.every(
    (input) => typeof input === "string" || model.values.get(input)?.summary.values != null,
  );
  const values = call.inputs.map((input) => {
    const value = typeof input === "number" ? model.values.get(input) : undefined;
    return value ? brief(value.summary, 18) : cut(String(input), 18);
  });
  const text = inNumbers(model, call, values);
  const shown = formula && told && text.length <= 60 ? `${text} = ` : "= ";
  const numbered = results
    .slice(0, SHOWN)
    .map(({ summary }): Piece => ({ ...numbers(summary, 40), tone: "math" }));
  const more = results.length - numbered.length;
  return [math(shown), ...list(numbered), plain(more > 0 ? ` and ${more} more` : "")];
}

/** A call with the numbers of its inputs: `2. ^ 3`, or as a function, `sum([1., 2.])`. */
function inNumbers(model: Model, call: CallRow, values: readonly string[]): string {
  const op = model.ops.get(call.op);
  const sign = op?.sign ?? call.op;
  // A number that the op takes as a parameter is no input: the formula knows its place.
  if (values.length === 1 && op && OPERATOR.test(op.text)) {
    const base = sign === "^" ? values.map((x) => (x.startsWith("-") ? `(${x})` : x)) : values;
    return fill(op.text, byInput(model, call, base, String), call);
  }
  if (values.length === 2 && sign.length <= 2) return values.join(` ${sign} `);
  const told = values.filter((text) => text !== "None");
  return `${call.op.replace(/\..*/, "")}(${told.join(", ")})`;
}

/** A formula that is one operator between two things. */
const OPERATOR = /^\{\w+\} [^\w\s]{1,2} \{\w+\}$/;

function savedLine(model: Model, call: CallRow, result: ValueRow | undefined): Line {
  const node = call.node === null ? undefined : model.nodes.get(call.node);
  if (!node) {
    if (result?.requires_grad === false && !isSymbol(result)) {
      return [dim("It has no grad_fn: backward does not pass here.")];
    }
    return [];
  }
  const slots = node.saved.filter(holdsTensor);
  const packing = node.saved.map(packingOf).find((word) => word !== null);
  if (slots.length === 0 && packing) {
    const saved =
      packing === "packed by a hook"
        ? " What it needs was packed by a hook, which gives it back in backward."
        : " It saved nothing: what it needs is recomputed in backward.";
    return [math(node.name), plain(` is recorded for backward.${saved}`)];
  }
  if (slots.length === 0) {
    const some = node.saved.some(({ text }) => text?.startsWith("tensor[")); // unknown to the log
    const saved = some ? " It saved a tensor that is not shown." : " It saved no tensor.";
    return [math(node.name), plain(` is recorded for backward.${saved}`)];
  }
  const names = slots.map((slot) => ({
    ...name(model, slot.value),
    text: `${name(model, slot.value).text} (version ${slot.version})`,
  }));
  return [math(node.name), plain(" is recorded for backward; saved "), ...list(names), plain(".")];
}

function explainWrite(model: Model, storage: number, time: number): Explanation {
  const write = model.storages.get(storage)?.writes.find((w) => w.time === time);
  if (!write) return NOTHING;
  const target = write.base ?? write.value;
  const lines: Line[] = [];
  const call = write.call === null ? undefined : model.calls.get(write.call);
  const value = model.values.get(target);
  const before = model.values.get(write.before);
  const bySgd = value && before ? sgdInNumbers(model, call?.scope ?? null, before, value) : "";
  const worked = bySgd || (call ? operatorInNumbers(model, call) : "");
  if (value && worked) {
    lines.push([math(`${worked} = `), { ...numbers(value.summary, 40), tone: "math" }]);
  } else if (value) {
    const what = shown(value, 40);
    lines.push([
      plain(`Its ${what} is ${what === "shape" ? "" : "now "}`),
      numbers(value.summary, 40),
    ]);
  }
  const shared = [...model.values.values()].filter(
    (v) => v.storage === storage && v.alive && v.value !== target && v.next === null,
  );
  if (shared.length > 0) {
    lines.push([
      plain("The memory is shared, so "),
      ...list(shared.slice(0, 4).map((v) => name(model, v.value))),
      plain(shared.length === 1 ? " changes with it." : " change with it."),
    ]);
  }
  const stale = hazards(model).filter(({ slot }) => slot.stale.includes(time));
  if (isPastAutograd(model, storage)) {
    lines.push([
      plain("It was written through .data, which autograd does not notice: "),
      plain("what was saved for backward may have other numbers now, and no error is raised."),
    ]);
  } else if (stale.length === 0) {
    lines.push([dim("Nothing that backward needs was overwritten.")]);
  }
  const around = belongsTo(model, call?.scope ?? null);
  if (around.length > 0) lines.push(around);
  return atLine(model, write.source, {
    tone: "plain",
    title: [
      // What has no name is called as before: what was written is no longer that expression.
      name(model, value && before && userName(value) === null ? before.value : target),
      plain(changed(model, storage, write)),
    ],
    lines,
  });
}

/** What a write did: one through `.data` does not raise the version of the tensor. */
function changed(model: Model, storage: number, write: WriteRow): string {
  const call = write.call === null ? undefined : model.calls.get(write.call);
  if (call?.op === "data_") return " is given other data: its version stays";
  if (write.base !== null && isPastAutograd(model, storage)) {
    return " is written through .data: its version stays";
  }
  return ` is written in place: version ${write.version - 1} → ${write.version}`;
}

/** What an operator in place worked out, as `0.2 − (-0.13)`; empty where it cannot be read. */
function operatorInNumbers(model: Model, call: CallRow): string {
  if (call.inputs.length !== 2 || !OPERATOR.test(model.ops.get(call.op)?.text ?? "")) return "";
  const values = call.inputs.map((input) => {
    const value = typeof input === "number" ? model.values.get(input) : undefined;
    return value ? brief(value.summary, 18) : String(input);
  });
  if (values.some((text) => text.startsWith("("))) return ""; // only its shape is told
  const [left = "", right = ""] = values;
  return inNumbers(model, call, [left, right.startsWith("-") ? `(${right})` : right]);
}

/** Whether a memory is that of some tensor's `.data`, which counts versions of its own. */
function isPastAutograd(model: Model, storage: number): boolean {
  for (const value of model.values.values()) {
    if (value.storage === storage && makerOf(model, value)?.op === "data") return true;
  }
  return false;
}

/** How a value came to be. */
export function explainMade(model: Model, { value, call }: ValueRow): Explanation {
  return call === null ? explainLeaf(model, value) : explainOp(model, call);
}

/** What `numbers` shows of a value: its numbers, or its shape alone. */
const shown = ({ summary }: ValueRow, length: number): string =>
  brief(summary, length) === shape(summary.shape) ? "shape" : "value";

function explainLeaf(model: Model, id: number): Explanation {
  const value = model.values.get(id);
  if (!value) return NOTHING;
  const what = value.parameter
    ? " is a parameter"
    : value.requires_grad
      ? " is a leaf that requires grad"
      : " does not require grad: backward computes no gradient for it";
  const own = userName(value);
  return {
    ...NOTHING,
    title: [own === null ? plain("A new value") : name(model, id), plain(what)],
    lines: [[plain(`Its ${shown(value, 48)} is `), numbers(value.summary, 48)]],
  };
}

function explainBegin(model: Model, id: number): Explanation {
  const run = model.runs.get(id);
  if (!run) return NOTHING;
  const roots = run.roots.flatMap(([value]) => (value === null ? [] : [name(model, value)]));
  const lines: Line[] = [];
  const [[, node]] = (run.roots.length > 0 ? run.roots : [[null, -1]]) as [[number | null, number]];
  const first = model.nodes.get(node);
  const whole = isWhole(run);
  if (whole) lines.push(givenLine(run), wholeLine(model, run));
  lines.push([
    plain(whole ? "Its gradient " : "The gradient of a result by itself is 1. From there it "),
    plain("runs against the arrows"),
    ...(first ? [plain(", first through "), math(first.name)] : []),
    plain("."),
  ]);
  if (run.inputs) {
    lines.push([
      plain("Only the gradients of "),
      ...list(run.inputs.map((value) => name(model, value))),
      plain(" are asked for; no .grad is changed."),
    ]);
  }
  if (run.retain_graph) lines.push([dim("retain_graph=True: saved values are kept.")]);
  if (run.create_graph) lines.push([dim("create_graph=True: the gradients get a graph too.")]);
  const live = run.live ? " Press next: the engine runs one node at a time." : "";
  return atLine(model, run.source, {
    tone: "backward",
    title: [plain("Backward begins at "), ...list(roots), plain(`.${live}`)],
    lines,
  });
}

function explainEnd(model: Model, id: number): Explanation {
  const run = model.runs.get(id);
  const words: Readonly<Record<string, string>> = {
    ok: "Backward is done",
    failed: "Backward failed",
    abandoned: "Backward was stopped before its end",
  };
  return atLine(model, run?.source ?? null, {
    tone: run?.status === "failed" ? "error" : "backward",
    title: [plain(words[run?.status ?? ""] ?? "Backward ended")],
    lines: [],
  });
}

function explainFlag(model: Model, id: number): Explanation {
  const value = model.values.get(id);
  if (!value) return NOTHING;
  const keeps = value.retains_grad && !value.leaf;
  const what = keeps
    ? " will keep its gradient in .grad (retain_grad)"
    : value.requires_grad
      ? " requires grad; its own gradient is not kept unless it is a leaf"
      : " does not require grad";
  return {
    ...NOTHING,
    title: [
      name(model, id),
      plain(value.leaf && !keeps && value.requires_grad ? " requires grad" : what),
    ],
  };
}

function explainGrad(model: Model, event: Extract<Event, { event: "grad" }>): Explanation {
  const own = name(model, event.value);
  const words: Readonly<Record<string, string>> = {
    zeroed: " was set to zero",
    cleared: " was cleared: it is None again",
    assigned: " was assigned",
  };
  const lines: Line[] = event.summary
    ? [[grad(`${own.text}.grad = `), numbers(event.summary, 40)]]
    : [];
  return {
    ...NOTHING,
    title: [{ ...own, text: `${own.text}.grad` }, plain(words[event.how] ?? " changed")],
    lines,
  };
}
