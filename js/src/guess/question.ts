/* Questions about the next step, for learners who answer before they see it. */

import type { Event, Summary } from "../log/events";
import { holdsTensor, type Model, type NodeRow } from "../log/model";
import type { Step } from "../replay/steps";

/** A question with numbers for an answer. */
interface Numbers {
  readonly kind: "result" | "sent" | "grad" | "version";
  /** The value that is asked for: a result, what a gradient is sent to, a leaf, what is written. */
  readonly value: number;
  /** The node that sends the gradient. */
  readonly node: number | null;
  readonly answer: readonly number[];
}

/** A question with one of several things for an answer. */
interface Choice {
  readonly kind: "next" | "fails" | "slot";
  /** Nodes, or values that a node saved; yes (1) and no (0) for `fails`. */
  readonly choices: readonly number[];
  readonly node: number | null;
  readonly answer: readonly number[];
}

export type Question = Numbers | Choice;

/** The most numbers that a learner has to type. */
const MOST = 4;

/** The question for a step; `model` is the whole recording. Null where there is nothing to guess. */
export function questionOf(model: Model, step: Step, events: readonly Event[]): Question | null {
  const event = events[step.anchor - step.from];
  switch (event?.event) {
    case "op":
      return ofWrite(events) ?? ofResult(model, event.outputs, events);
    case "write":
      return ofWrite(events);
    case "backward": {
      const run = model.runs.get(event.run);
      if (run?.status !== "ok" && run?.status !== "failed") return null;
      const answer = [run.status === "failed" ? 1 : 0];
      return { kind: "fails", choices: [1, 0], node: null, answer };
    }
    case "start": {
      const node = model.nodes.get(event.node);
      return node ? (ofOrder(model, event.run, node) ?? ofGradient(model, node, events)) : null;
    }
    case "error": {
      const node = event.node === null ? undefined : model.nodes.get(event.node);
      return event.kind === "version" && node ? ofSlots(node) : null;
    }
    default:
      return null;
  }
}

function ofWrite(events: readonly Event[]): Question | null {
  const write = events.find((event) => event.event === "write");
  if (!write) return null;
  return {
    kind: "version",
    value: write.base_before ?? write.before,
    node: null,
    answer: [write.version],
  };
}

function ofResult(
  model: Model,
  outputs: readonly number[],
  events: readonly Event[],
): Question | null {
  const [value] = outputs;
  if (outputs.length !== 1 || value === undefined) return null;
  const made = events.find((event) => event.event === "value" && event.value === value);
  const answer = numbersOf(made?.event === "value" ? made.summary : null);
  const named = (model.values.get(value)?.names.length ?? 0) > 0;
  return answer && named ? { kind: "result", value, node: null, answer } : null;
}

/** Which node runs, where the one before it has sent gradients to several. */
function ofOrder(model: Model, run: number, node: NodeRow): Question | null {
  const order = model.runs.get(run)?.order ?? [];
  const at = order.indexOf(node.node);
  const before = model.nodes.get(order[at - 1] ?? -1);
  const next = (before?.next ?? []).flatMap(([to]) => (to === null ? [] : [to]));
  const choices = [...new Set(next)].sort((a, b) => a - b);
  const equal = choices.every((id) => model.nodes.get(id)?.variable != null); // none goes first
  if (at < 1 || choices.length < 2 || equal || !choices.includes(node.node)) return null;
  return { kind: "next", choices, node: node.node, answer: [node.node] };
}

function ofGradient(model: Model, node: NodeRow, events: readonly Event[]): Question | null {
  if (node.variable !== null) {
    const kept = events.find((event) => event.event === "grad" && event.value === node.variable);
    const answer = numbersOf(kept?.event === "grad" ? kept.summary : null);
    return answer ? { kind: "grad", value: node.variable, node: node.node, answer } : null;
  }
  const finish = events.find((event) => event.event === "finish");
  const sent = finish?.event === "finish" ? finish.grads : [];
  for (const [edge, [next]] of node.next.entries()) {
    const to = next === null ? undefined : model.nodes.get(next);
    const value = to?.variable ?? to?.outputs[0];
    const answer = numbersOf(sent[edge]);
    if (value !== undefined && answer) return { kind: "sent", value, node: node.node, answer };
  }
  return null;
}

function ofSlots(node: NodeRow): Question | null {
  const slots = node.saved.filter(holdsTensor);
  const stale = slots.find((slot) => slot.stale.length > 0);
  const choices = [...new Set(slots.map(({ value }) => value))];
  if (!stale || choices.length < 2) return null;
  return { kind: "slot", choices, node: node.node, answer: [stale.value] };
}

function numbersOf(summary: Summary | null | undefined): number[] | null {
  const values = summary?.values ?? null;
  if (!values || values.length === 0 || values.length > MOST) return null;
  const numbers = values.filter((item) => typeof item === "number" && Number.isFinite(item));
  return numbers.length === values.length ? numbers.map(Number) : null;
}

/** The numbers of what a learner has typed: `[2, 1/3]`, `2 0.333`. */
export function numbersIn(text: string): number[] {
  const number = String.raw`[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?`;
  const found = text
    .replaceAll("−", "-")
    .matchAll(new RegExp(`(${number})(?:/(${number}))?`, "gi"));
  return [...found].map(([, over, under]) => Number(over) / Number(under ?? 1));
}

/** Whether an answer is right: numbers may be off by half a percent, or by 0.0015. */
export function isRight({ answer }: Question, given: readonly number[]): boolean {
  return (
    given.length === answer.length &&
    answer.every((item, i) => {
      const off = Math.abs(item - (given[i] ?? NaN));
      return off <= Math.max(0.0015, 0.005 * Math.abs(item));
    })
  );
}
