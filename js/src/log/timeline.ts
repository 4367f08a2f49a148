/* The log in the page, and the model at any moment of it. */

import type { Event } from "./events";
import { apply } from "./fold";
import { emptyModel, fork, type Model } from "./model";
import { Reader } from "./reader";
import type { Work } from "../sliced-work";

/** A fold is kept every so many events (milliseconds of folding): any moment is not far away. */
const CHECKPOINT = 5000;

/** So many events are folded before others may have their turn. */
const PART = 250;

/** So many models are kept as they were asked for. */
const RECENT = 4;

/** The page forgets the oldest events beyond this many; a log that comes as a whole is shorter. */
const MAX_EVENTS = 200_000;

/**
 * The log in the page: events from `first` on, and the model at any time between.
 *
 * A model it returned is never changed afterwards.
 */
export class Timeline {
  readonly events: Event[] = [];
  private base: Model;
  private checkpoints: Model[] = [];
  /** The models asked for last: the moment shown, the end of its cell, the present. */
  private recent: Model[] = [];
  private reader = new Reader();

  /** Begins at a time; what follows must begin with a snapshot unless it is 0. */
  constructor(public first = 0) {
    this.base = { ...emptyModel(), time: first };
  }

  /** The time after the last event. */
  get end(): number {
    return this.first + this.events.length;
  }

  /** Appends events in their wire format. Throws Unreadable when one cannot be read: then none. */
  append(json: readonly unknown[]): void {
    const { end } = this;
    let read: Event[];
    try {
      read = json.map((event, i) => this.reader.read(event, end + i));
    } catch (error) {
      this.reader = new Reader();
      for (const event of this.events) this.reader.learn(event);
      throw error;
    }
    for (const event of read) this.events.push(event);
    if (this.events.length > MAX_EVENTS) this.forget(this.events.length - MAX_EVENTS / 2);
  }

  /** Takes over the events of another timeline, to which nothing is appended any more. */
  become(other: Timeline): void {
    Object.assign(this, other);
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
    const known = this.recent.find(({ time }) => time === until);
    if (known) return this.remember(known);
    let start = this.base;
    for (const model of [...this.checkpoints, ...this.recent]) {
      if (model.time <= until && model.time > start.time) start = model;
    }
    const model = fork(start);
    this.goOn(model, until);
    return this.remember(model);
  }

  /** Folds to the end and keeps folds on the way, so that no moment is far away. */
  *foldAll(): Work {
    let start = this.checkpoints.at(-1) ?? this.base;
    for (const model of this.recent) if (model.time > start.time) start = model;
    const model = fork(start);
    while (model.time < this.end) {
      this.goOn(model, Math.min(model.time + PART, this.end));
      yield;
    }
    this.remember(model);
  }

  private goOn(model: Model, until: number): void {
    for (let t = model.time; t < until; t += 1) {
      const event = this.eventAt(t);
      if (event) apply(model, event);
      const last = this.checkpoints.at(-1)?.time ?? this.base.time;
      if (model.time >= last + CHECKPOINT) this.checkpoints.push(fork(model));
    }
  }

  private remember(model: Model): Model {
    this.recent = [model, ...this.recent.filter((other) => other !== model)].slice(0, RECENT);
    return model;
  }

  private forget(count: number): void {
    const base = fork(this.at(this.first + count));
    base.dropped = base.time;
    this.events.splice(0, count);
    this.first = base.time;
    this.base = base;
    this.checkpoints = [];
    this.recent = [];
  }
}
