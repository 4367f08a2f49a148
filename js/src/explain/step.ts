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
import { dim, grad, math, plain, type Line, type Piece } from "../text/piece";
import { phrase, t } from "../text/text";
import { atLine, list, listOf, name, numbers, type Explanation } from "./text";

const NOTHING: Explanation = { tone: "plain", title: [], lines: [], where: null, code: null };

/** Before the first step there is what earlier cells left, or nothing. */
export function explainStart(model: Model): Explanation {
  const left = model.dropped > 0 || model.values.size > 0;
  const { beforeCell, beforeFirst } = t.explain.step;
  return { ...NOTHING, title: [plain(left ? beforeCell : beforeFirst)] };
}

/**
 * What a step did, like a line in a textbook. `model` is the state after it, `events` are its
 * events.
 */
export function explainStep(model: Model, step: Step, events: readonly Event[]): Explanation {
  const event = events[step.anchor - step.from];
  if (!event) return NOTHING;
  const words = explainEvent(model, step, events, event);
  const value = event.event === "value" ? model.values.get(event.value) : undefined;
  if (model.rows.length === 0 || (value && !unseen(value.summary))) return words;
  return explainStatic(model, words, event, true);
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
        ? t.explain.step.named(link)
        : t.explain.step.alsoNamed(link, math(before)),
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
  if (call.view_of !== null) lines.push(t.explain.step.isView(name(model, call.view_of)));
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

/** The most results of one call that are given in numbers. */
const SHOWN = 3;

/** The formula with numbers, when they are there and few enough to read. */
function resultLine(model: Model, call: CallRow, results: readonly ValueRow[]): Line {
  const formula = call.op !== "grad"; // its numbers are of the graph, not of what it was given
  const known = call.inputs.every(
    (input) => typeof input === "string" || model.values.get(input)?.summary.values != null,
  );
  const values = call.inputs.map((input) => {
    const value = typeof input === "number" ? model.values.get(input) : undefined;
    return value ? brief(value.summary, 18) : cut(String(input), 18);
  });
  const text = inNumbers(model, call, values);
  const shown = formula && known && text.length <= 60 ? `${text} = ` : "= ";
  const numbered = results
    .slice(0, SHOWN)
    .map(({ summary }): Piece => ({ ...numbers(summary, 40), tone: "math" }));
  const more = results.length - numbered.length;
  return [math(shown), ...listOf(numbered, more)];
}

/** A call with the numbers of its inputs: `2. ^ 3`, or as a function, `sum([1., 2.])`. */
function inNumbers(model: Model, call: CallRow, values: readonly string[]): string {
  const op = model.ops.get(call.op);
  const sign = op?.sign ?? call.op;
  // A number that the op takes as a parameter is no input: the formula knows its place.
  if (values.length === 1 && op && OPERATOR.test(op.text)) {
    const base = sign === "^" ? values.map((x) => (x.startsWith("-") ? `(${x})` : x)) : values;
    return fill(phrase(op.text), byInput(model, call, base, String), call);
  }
  if (values.length === 2 && sign.length <= 2) return values.join(` ${sign} `);
  const given = values.filter((text) => text !== "None");
  return `${call.op.replace(/\..*/, "")}(${given.join(", ")})`;
}

/** A formula that is one operator between two things. */
const OPERATOR = /^\{\w+\} [^\w\s]{1,2} \{\w+\}$/;

function savedLine(model: Model, call: CallRow, result: ValueRow | undefined): Line {
  const node = call.node === null ? undefined : model.nodes.get(call.node);
  if (!node) {
    if (result?.requires_grad === false && !isSymbol(result)) {
      return [dim(t.explain.step.noGradFn)];
    }
    return [];
  }
  const slots = node.saved.filter(holdsTensor);
  const packing = node.saved.map(packingOf).find((word) => word !== null);
  const [own, words] = [math(node.name), t.explain.step];
  if (slots.length === 0 && packing) {
    return packing === "packed by a hook" ? words.packed(own) : words.recomputed(own);
  }
  if (slots.length === 0) {
    const some = node.saved.some(({ text }) => text?.startsWith("tensor[")); // unknown to the log
    return some ? words.savedHidden(own) : words.savedNothing(own);
  }
  const names = slots.map((slot) => {
    const saved = name(model, slot.value);
    return { ...saved, text: words.atVersion(saved.text, slot.version) };
  });
  return words.saved(own, list(names));
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
    const { shapeIs, valueIsNow } = t.explain.step;
    lines.push((isShape(value, 40) ? shapeIs : valueIsNow)(numbers(value.summary, 40)));
  }
  const shared = [...model.values.values()].filter(
    (v) => v.storage === storage && v.alive && v.value !== target && v.next === null,
  );
  if (shared.length > 0) {
    const names = list(shared.slice(0, 4).map((v) => name(model, v.value)));
    lines.push(t.explain.step.shared(names, shared.length));
  }
  const stale = hazards(model).filter(({ slot }) => slot.stale.includes(time));
  if (isPastAutograd(model, storage)) {
    lines.push([plain(t.explain.step.throughData)]);
  } else if (stale.length === 0) {
    lines.push([dim(t.explain.step.harmless)]);
  }
  const around = belongsTo(model, call?.scope ?? null);
  if (around.length > 0) lines.push(around);
  return atLine(model, write.source, {
    tone: "plain",
    title: changed(
      model,
      storage,
      write,
      // What has no name is called as before: what was written is no longer that expression.
      name(model, value && before && userName(value) === null ? before.value : target),
    ),
    lines,
  });
}

/** What a write did: one through `.data` does not raise the version of the tensor. */
function changed(model: Model, storage: number, write: WriteRow, own: Piece): Line {
  const words = t.explain.step;
  const call = write.call === null ? undefined : model.calls.get(write.call);
  if (call?.op === "data_") return words.givenData(own);
  if (write.base !== null && isPastAutograd(model, storage)) return words.writtenData(own);
  return words.written(own, write.version - 1, write.version);
}

/** What an operator in place worked out, as `0.2 − (-0.13)`; empty where it cannot be read. */
function operatorInNumbers(model: Model, call: CallRow): string {
  if (call.inputs.length !== 2 || !OPERATOR.test(model.ops.get(call.op)?.text ?? "")) return "";
  const values = call.inputs.map((input) => {
    const value = typeof input === "number" ? model.values.get(input) : undefined;
    return value ? brief(value.summary, 18) : String(input);
  });
  if (values.some((text) => text.startsWith("("))) return ""; // only its shape is known
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

/** Whether `numbers` shows the shape of a value alone. */
const isShape = ({ summary }: ValueRow, length: number): boolean =>
  brief(summary, length) === shape(summary.shape);

function explainLeaf(model: Model, id: number): Explanation {
  const value = model.values.get(id);
  if (!value) return NOTHING;
  const { parameter, leaf, constant, newValue, shapeIs, valueIs } = t.explain.step;
  const what = value.parameter ? parameter : value.requires_grad ? leaf : constant;
  return {
    ...NOTHING,
    title: what(userName(value) === null ? plain(newValue) : name(model, id)),
    lines: [(isShape(value, 48) ? shapeIs : valueIs)(numbers(value.summary, 48))],
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
  const words = t.explain.step;
  const through = first ? math(first.name) : null;
  if (whole) lines.push(through ? words.runsTo(through) : [plain(words.runs)]);
  else lines.push(through ? words.runsFromOneTo(through) : [plain(words.runsFromOne)]);
  if (run.inputs) {
    lines.push(words.onlyOf(list(run.inputs.map((value) => name(model, value)))));
  }
  if (run.retain_graph) lines.push([dim(words.retainGraph)]);
  if (run.create_graph) lines.push([dim(words.createGraph)]);
  return atLine(model, run.source, {
    tone: "backward",
    title: (run.live ? words.beginsLive : words.begins)(list(roots)),
    lines,
  });
}

function explainEnd(model: Model, id: number): Explanation {
  const run = model.runs.get(id);
  const { done, failed, stopped, ended } = t.explain.step;
  const words: Readonly<Record<string, string>> = { ok: done, failed, abandoned: stopped };
  return atLine(model, run?.source ?? null, {
    tone: run?.status === "failed" ? "error" : "backward",
    title: [plain(words[run?.status ?? ""] ?? ended)],
    lines: [],
  });
}

function explainFlag(model: Model, id: number): Explanation {
  const value = model.values.get(id);
  if (!value) return NOTHING;
  const keeps = value.retains_grad && !value.leaf;
  const { keepsGrad, passesGrad, requiresGrad, requiresNone } = t.explain.step;
  const requires = value.leaf ? requiresGrad : passesGrad;
  const what = keeps ? keepsGrad : value.requires_grad ? requires : requiresNone;
  return { ...NOTHING, title: what(name(model, id)) };
}

function explainGrad(model: Model, event: Extract<Event, { event: "grad" }>): Explanation {
  const own = name(model, event.value);
  const { gradZeroed, gradCleared, gradAssigned, gradChanged } = t.explain.step;
  const words: Readonly<Record<string, (own: Piece) => Line>> = {
    zeroed: gradZeroed,
    cleared: gradCleared,
    assigned: gradAssigned,
  };
  const lines: Line[] = event.summary
    ? [[grad(`${own.text}.grad = `), numbers(event.summary, 40)]]
    : [];
  return {
    ...NOTHING,
    title: (words[event.how] ?? gradChanged)({ ...own, text: `${own.text}.grad` }),
    lines,
  };
}
