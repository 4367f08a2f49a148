/* Steps: the events of a log in groups that are shown at once. */

import { countWhile } from "../collections";
import type { Event } from "../log/events";

/** What one press of "next" shows: an op, a write, a node of backward ... */
export type StepKind =
  | "leaf"
  | "op"
  | "write"
  | "flag"
  | "grad"
  | "backward"
  | "node"
  | "done"
  | "error"
  | "pass"
  | "other";

export interface Step {
  /** Times of its first event, of the event that it is about, and after its last one. */
  readonly from: number;
  readonly anchor: number;
  readonly to: number;
  readonly kind: StepKind;
}

/** Events that come before the thing they belong to, and those that come after it. */
const LEADING = new Set(["define", "cell", "source", "value"]);
const TRAILING = new Set(["name", "node", "dead", "free", "finish", "write", "row"]);

/** Those of them that are no step of their own after a leaf either. */
const CLOSING = new Set(["node", "free", "finish"]);

/**
 * Groups events into steps, as they come.
 *
 * The last step may still take in events (a variable is bound after the op); a new one begins
 * with the first event that cannot belong to it.
 */
export class Stepper {
  readonly steps: Step[] = [];
  private pending: number | null = null; // where the events leading to the next step begin
  private created: number | null = null; // the last of them that made a value
  private inRun = false;
  private readonly seen = new Set<number>(); // a repeated value only has a new summary
  private time: number;

  constructor(first = 0) {
    this.time = first;
  }

  push(events: readonly Event[]): void {
    for (const event of events) {
      this.take(event);
      this.time += 1;
    }
  }

  /** The steps, with values made but not yet used as a step of their own. */
  all(): readonly Step[] {
    if (this.pending === null || this.created === null) return this.steps;
    const { pending, created, time } = this;
    return [...this.steps, { from: pending, anchor: created, to: time, kind: "leaf" }];
  }

  private take(event: Event): void {
    const kind = event.event;
    if (kind === "snapshot") return; // what was before
    if (kind === "backward") this.inRun = true;
    if (kind === "curve") {
      if (this.pending === null) this.extend(); // scalars of iterations are no step of their own
    } else if (this.leads(event)) this.lead(event);
    else if (this.trails(event)) this.extend();
    else this.begin(event);
    if (kind === "done") this.inRun = false;
  }

  /**
   * Whether an event comes before what it belongs to: a retained gradient, before its node, and
   * the node of a leaf of an earlier cell, before the op that is given the leaf.
   */
  private leads(event: Event): boolean {
    if (event.event === "node" && event.variable !== null) {
      return this.pending !== null && this.created === null;
    }
    if (event.event === "grad") return this.inRun && event.how === "retained";
    // What opens is of what comes; else the last step of an iteration would end in the next iteration.
    if (event.event === "scope") return event.open || this.pending !== null;
    return LEADING.has(event.event);
  }

  private lead(event: Event): void {
    const fresh = event.event === "value" && !this.seen.has(event.value);
    if (fresh) this.seen.add(event.value);
    // What is reported as a run begins is the gradient that it begins with: no step of its own.
    if (fresh && this.pending === null && this.inRun && this.steps.at(-1)?.kind === "backward") {
      this.extend();
      return;
    }
    // A second value begins the leaf before it; outputs of one op come together and are
    // claimed by the op that follows.
    this.pending ??= this.time;
    if (fresh) this.created = this.time;
  }

  /** Whether an event tells more of the step at hand. */
  private trails(event: Event): boolean {
    if (event.event === "name" && this.created !== null) {
      this.leaf(); // a name given to a value that no op made: it was a leaf
      return true;
    }
    if (this.created !== null && CLOSING.has(event.event)) {
      this.leaf(); // what backward has for a leaf is part of it
      return true;
    }
    if (this.steps.length === 0) return false;
    // A node that itself did something, as under create_graph, tells what came of it after that.
    if (event.event === "finish" && this.steps.at(-1)?.kind === "op") return false;
    if (event.event === "write") {
      // Reported after the op that wrote; other tensors of the storage follow with new values.
      this.pending = null;
      this.created = null;
      return true;
    }
    if (this.pending !== null && event.event !== "dead") return false;
    const last = this.steps.at(-1)?.kind;
    if (TRAILING.has(event.event)) return true;
    if (event.event === "scope") return true;
    if (event.event === "grad") return this.inRun && last === "node";
    if (event.event === "done") return last === "node" || last === "error";
    return false;
  }

  private leaf(): void {
    if (this.pending === null || this.created === null) return;
    this.add(this.pending, this.created, "leaf");
  }

  private extend(): void {
    const last = this.steps.at(-1);
    if (last) this.steps[this.steps.length - 1] = { ...last, to: this.time + 1 };
  }

  private begin(event: Event): void {
    // Values reported before an event that did not make them are leaves of their own step.
    const made = /^(op|write|pass)$/.test(event.event);
    if (!made && this.created !== null) this.leaf();
    this.add(this.pending ?? this.time, this.time, stepKind(event));
  }

  private add(from: number, anchor: number, kind: StepKind): void {
    this.steps.push({ from, anchor, to: Math.max(this.time, anchor + 1), kind });
    this.pending = null;
    this.created = null;
  }
}

function stepKind(event: Event): StepKind {
  switch (event.event) {
    case "op":
    case "write":
    case "flag":
    case "grad":
    case "backward":
    case "done":
    case "error":
    case "pass":
      return event.event;
    case "start":
    case "finish":
      return "node";
    default:
      return "other";
  }
}

/** The time at which a log's own story begins: after what was before, and the cell's own mark. */
export function startOf(eventAt: (time: number) => Event | undefined, first: number): number {
  let time = first;
  while (/^(snapshot|cell)$/.test(eventAt(time)?.event ?? "")) time += 1;
  return time;
}

/** The index of the step that a time shows: the last one complete by then, -1 before the first. */
export function stepAt(steps: readonly Step[], time: number): number {
  return countWhile(steps, (step) => step.to <= time) - 1;
}
