/* How a log comes in: whole, or piece by piece from a kernel. */

import { batch } from "@preact/signals";
import { cut, parsePacked, type Packed, type Pause, type Receiver } from "../kernel/protocol";
import { Unreadable } from "../log/checks";
import { Timeline } from "../log/timeline";
import { Stepper } from "../replay/steps";
import { atOnce, inSlices, type Work } from "../sliced-work";
import type { Send } from "./commands";
import type { Derived } from "./derived";
import type { State } from "./state";
import { t } from "../text/text";

/** How long a kernel that holds a run may be silent, in milliseconds; it speaks every second. */
const SILENCE = 6000;

/** A command that waits for so long, in milliseconds, is said to wait. */
const PATIENCE = 300;

/** More events than these are read in slices, between which the page does other things. */
const LONG = 1000;

/** So are all that come to more than these, whose picture takes long to change. */
const MANY = 1000;

/** What is read into: a log, and its steps so far. */
interface Read {
  readonly timeline: Timeline;
  stepper: Stepper;
}

/** Reads logs one after the other: short ones at once, long ones in slices. */
function createReader(state: State, { prepare }: Pick<Derived, "prepare">, timeline: Timeline) {
  let stepper = new Stepper();
  /** Where the log will end that is being read in slices, and what came in meanwhile. */
  let coming: { readonly end: number; readonly after: (() => void)[] } | null = null;

  /** Appends events as far as they are news, and their steps. */
  const append = (to: Read, from: number, events: readonly unknown[]): void => {
    const { end } = to.timeline;
    to.timeline.append(end > from ? events.slice(end - from) : events);
    if (to.timeline.first > end) to.stepper = new Stepper(to.timeline.first); // too many to keep
    to.stepper.push(to.timeline.between(end, to.timeline.end));
  };
  /** Shows all that was read. A moment that is not kept gives way to the first that is. */
  const publish = (read: Read): void => {
    batch(() => {
      if (read.timeline !== timeline) timeline.become(read.timeline);
      stepper = read.stepper;
      const steps = [...stepper.all()];
      const cursor = state.cursor.peek();
      if (cursor !== null && cursor < timeline.first) state.cursor.value = steps[0]?.to ?? null;
      state.fault.value = null;
      state.first.value = timeline.first;
      state.end.value = timeline.end;
      state.steps.value = steps;
      state.loading.value = false;
    });
  };

  /** Reads on; or apart, what begins beyond what is kept and will stand in its place. */
  function* read({ first, parts }: Packed): Work<Read> {
    const beyond = first > timeline.end;
    const to: Read = beyond
      ? { timeline: new Timeline(first), stepper: new Stepper(first) }
      : { timeline, stepper };
    let time = first;
    for (const events of parts) {
      if (beyond && time === first && !beginsWithSnapshot(events)) {
        throw new Unreadable("its beginning is missing");
      }
      append(to, time, events);
      time += events.length;
      yield;
    }
    return to;
  }
  /** Reads a long log, and computes ahead what its picture needs. */
  function* readAhead(log: Packed): Work<Read> {
    const to = yield* read(log);
    yield* to.timeline.foldAll();
    if (state.cursor.peek() === null) yield* prepare(to.timeline.at(to.timeline.end));
    return to;
  }
  const takeSlowly = async (log: Packed): Promise<void> => {
    const after: (() => void)[] = [];
    coming = { end: log.first + log.count, after };
    state.loading.value = state.steps.peek().length === 0;
    try {
      publish(await inSlices(readAhead(log)));
    } catch (error) {
      state.loading.value = false;
      state.fault.value = faultOf(error);
    }
    coming = null;
    for (const next of after) then(next);
  };
  const isLong = ({ first, count }: Packed): boolean => {
    const kept = first > timeline.end ? 0 : timeline.end - timeline.first;
    return first + count > timeline.end && (kept > MANY || count > LONG);
  };

  const take = (log: Packed): void => {
    if (isLong(log)) {
      void takeSlowly(log);
      return;
    }
    try {
      publish(atOnce(read(log)));
    } catch (error) {
      state.fault.value = faultOf(error);
    }
  };
  /** Does something as soon as no long log is being read. */
  const then = (next: () => void): void => {
    if (coming) coming.after.push(next);
    else next();
  };
  return { take, then, known: () => Math.max(timeline.end, coming?.end ?? 0) };
}

export type Reception = ReturnType<typeof createReceiver>;

export function createReceiver(
  state: State,
  derived: Pick<Derived, "prepare">,
  timeline: Timeline,
  send: Send,
) {
  const { take, then, known } = createReader(state, derived, timeline);

  /** Takes in events from the kernel, unless earlier ones were lost on the way. */
  const receive = (first: number, events: readonly unknown[]): void => {
    if (first > timeline.end && !beginsWithSnapshot(events)) {
      send({ type: "need", from: timeline.end });
      return;
    }
    const parts = events.length > LONG ? cut(events) : [events]; // of few all or none
    take({ first, count: events.length, parts });
  };

  let pings: ReturnType<typeof setTimeout> | undefined;
  let queueing: ReturnType<typeof setTimeout> | undefined;

  /** Whether what was asked waits for the running cell. It is said when that takes its time. */
  const queues = (waiting: boolean): void => {
    clearTimeout(queueing);
    if (!waiting) state.queued.value = false;
    else queueing = setTimeout(() => (state.queued.value = past === ""), PATIENCE);
  };

  /** Which run waits in the running cell. The kernel repeats it, and learns that the page is here. */
  const waits = (pause: Pause | null): void => {
    clearTimeout(pings);
    state.pause.value = pause;
    if (!pause) return;
    send({ type: "here" });
    pings = setTimeout(receiver.gone, SILENCE);
  };
  /** Nothing can be asked of the kernel any more. */
  const end = (why: string): void => {
    batch(() => {
      state.connection.value = "offline";
      state.why.value = why;
      state.pause.value = null;
      state.queued.value = false;
      state.playing.value = false;
    });
  };
  /** This widget shows an earlier moment, or is live if there is no sentence saying why. */
  const pastIs = (why: string): void => {
    past = why;
    if (past !== "") end(past);
  };
  let past = "";

  const receiver: Receiver = {
    received: (message) => {
      if (past === "") state.connection.value = "live";
      if (message.type === "events") {
        const { from, events } = message;
        then(() => {
          receive(from, events);
        });
      } else if (message.type === "state") {
        waits(message.pause);
        queues(message.waiting);
      } else state.notice.value = { text: message.why, tone: "error" };
    },
    counted: (count) => {
      if (count > known()) send({ type: "need", from: known() });
    },
    failed: (why) => {
      state.fault.value = why;
    },
    known,
    silent: () => {
      if (state.connection.value === "offline" || state.fault.value !== null) return;
      state.notice.value = {
        text: t.bars.notices.silent,
        tone: "info",
      };
    },
    gone: () => {
      end(past === "" ? t.bars.notices.gone : past);
    },
  };
  /** Takes in a packed log. */
  const load = (packed: unknown): void => {
    try {
      const log = parsePacked(packed);
      if (log) {
        state.digits.value = log.digits ?? null;
        then(() => {
          take(log);
        });
      }
    } catch (error) {
      state.fault.value = faultOf(error);
    }
  };
  return { ...receiver, load, pastIs };
}

function beginsWithSnapshot([first]: readonly unknown[]): boolean {
  return Array.isArray(first) && first[0] === "snapshot";
}

/** Why nothing can be shown, in one sentence; what only a programmer understands is left out. */
function faultOf(error: unknown): string {
  if (error instanceof Unreadable) return t.bars.notices.unreadable(error.message);
  if (error instanceof TypeError && /[.。]$/.test(error.message)) return error.message;
  return t.bars.notices.contradiction;
}
