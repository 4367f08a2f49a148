/* The log in the page, and the model at any moment of it. */

import { decode, type Event } from "./events";
import { apply } from "./fold";
import { emptyModel, fork, type Model } from "./model";

/** A fold is kept every so many events, so that any moment is at most this far away. */
const CHECKPOINT = 200;

/** The page forgets the oldest events beyond this many; the kernel's own log is shorter. */
const MAX_EVENTS = 60_000;

/**
 * The log in the page: events from `first` on, and the model at any time between.
 *
 * A model it returned is never changed afterwards.
 */
export class Timeline {
  first = 0;
  readonly events: Event[] = [];
  private base: Model = emptyModel();
  private checkpoints: Model[] = [];
  private recent: Model | null = null;

  /** The time after the last event. */
  get end(): number {
    return this.first + this.events.length;
  }

  /** Appends events in their wire format. Throws a TypeError when one cannot be read. */
  append(json: readonly unknown[]): void {
    for (const event of json.map(decode)) this.events.push(event);
    if (this.events.length > MAX_EVENTS) this.forget(this.events.length - MAX_EVENTS / 2);
  }

  /** Starts anew at a time; what follows must begin with a snapshot unless it is 0. */
  reset(first: number): void {
    this.first = first;
    this.events.length = 0;
    this.base = { ...emptyModel(), time: first };
    this.checkpoints = [];
    this.recent = null;
  }

  eventAt(time: number): Event | undefined {
    return this.events[time - this.first];
  }

  /** The events from a time on, up to another. */
  between(from: number, to: number): readonly Event[] {
    return this.events.slice(Math.max(0, from - this.first), Math.max(0, to - this.first));
  }

  /** The model after all events before `time`. */
  at(time: number): Model {
    const until = Math.min(Math.max(time, this.first), this.end);
    if (this.recent?.time === until) return this.recent;
    let start = this.base;
    for (const model of this.checkpoints) if (model.time <= until) start = model;
    if (this.recent && this.recent.time <= until && this.recent.time > start.time) {
      start = this.recent;
    }
    const model = fork(start);
    for (let t = start.time; t < until; t += 1) {
      const event = this.eventAt(t);
      if (event) apply(model, event);
      const last = this.checkpoints.at(-1)?.time ?? this.base.time;
      if (model.time >= last + CHECKPOINT) this.checkpoints.push(fork(model));
    }
    this.recent = model;
    return model;
  }

  private forget(count: number): void {
    const base = fork(this.at(this.first + count));
    base.dropped = base.time;
    this.events.splice(0, count);
    this.first = base.time;
    this.base = base;
    this.checkpoints = [];
    this.recent = null;
  }
}
