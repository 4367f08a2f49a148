/*
 * Events as they come from outside, one after the other. Each is looked at alone by `decode`; here
 * is what only all of them together can show: nothing may contain or make itself, because what is
 * drawn is a graph without cycles and what is nested ends somewhere.
 */

import { counted, Unreadable } from "./checks";
import { decode, type Event, type OpEvent, type PassEvent, type ScopeEvent } from "./events";
import { readState } from "./snapshot";

/** Scopes within scopes beyond this many are no program's. */
const DEEPEST = 2000;

export class Reader {
  /** The scope around each scope. */
  private readonly parents = new Map<number, number | null>();
  /** Values that calls have read or made. */
  private readonly used = new Set<number>();
  /** Calls seen so far: those of a static graph are repeated at each run. */
  private readonly calls = new Map<number, OpEvent>();

  /** The calls of the program that the last pass left. */
  private program: PassEvent["steps"] = [];

  /** The event of a time from its JSON. Throws Unreadable: `event 312 (op): 'call' is ...`. */
  read(json: unknown, time: number): Event {
    try {
      const event = decode(json);
      if (event.event === "snapshot") readState(event.state);
      this.learn(event);
      return event;
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      const kind: unknown = Array.isArray(json) ? json[0] : null;
      const named = typeof kind === "string" && /^\w{1,20}$/.test(kind) ? ` (${kind})` : "";
      throw new Unreadable(`event ${counted(time)}${named}: ${error.message}`);
    }
  }

  /** Takes in an event that was read before. */
  learn(event: Event): void {
    if (event.event === "op") this.made(event);
    else if (event.event === "scope") this.nested(event);
    else if (event.event === "pass") this.passed(event);
    else if (event.event === "snapshot") this.forget();
  }

  /** The program before a pass and after it are drawn as one graph. */
  private passed({ steps }: PassEvent): void {
    const both = [...this.program, ...steps];
    const waiting = new Map<number, number>(); // for a value, how many calls have yet to make it
    for (const { outputs } of both) {
      for (const value of outputs) waiting.set(value, (waiting.get(value) ?? 0) + 1);
    }
    let left = both;
    for (let count = -1; count !== left.length;) {
      count = left.length;
      left = left.filter(({ inputs, outputs }) => {
        if (inputs.some((value) => typeof value === "number" && (waiting.get(value) ?? 0) > 0)) {
          return true;
        }
        for (const value of outputs) waiting.set(value, (waiting.get(value) ?? 0) - 1);
        return false;
      });
    }
    if (left.length > 0) throw new Unreadable("'steps' and those before them read each other");
    this.program = steps;
  }

  private made(event: OpEvent): void {
    const { call, inputs, outputs } = event;
    const known = this.calls.get(call);
    if (known && same(known.inputs, inputs) && same(known.outputs, outputs)) return;
    this.calls.set(call, event);
    for (const input of inputs) if (typeof input === "number") this.used.add(input);
    for (const output of outputs) {
      if (this.used.has(output)) {
        throw new Unreadable(`value ${output} is read before this call makes it`);
      }
    }
    for (const output of outputs) this.used.add(output);
  }

  private nested({ scope, parent }: ScopeEvent): void {
    if (this.parents.has(scope)) return; // it ends, or is known
    let depth = 0;
    for (let at: number | null | undefined = parent; at != null; at = this.parents.get(at)) {
      depth += 1;
      if (at === scope) throw new Unreadable(`scope ${scope} lies in itself`);
      if (depth > DEEPEST) throw new Unreadable(`scopes lie deeper than ${counted(DEEPEST)}`);
    }
    this.parents.set(scope, parent);
  }

  private forget(): void {
    this.parents.clear();
    this.used.clear();
  }
}

function same<T>(some: readonly T[], others: readonly T[]): boolean {
  return some.length === others.length && some.every((item, i) => item === others[i]);
}
