/* How a log comes in: whole, or piece by piece from a kernel. */

import { batch } from "@preact/signals";
import { contentOf } from "../graph/plan";
import { parsePacked, type Pause, type Receiver } from "../kernel/protocol";
import { Unreadable } from "../log/checks";
import type { Timeline } from "../log/timeline";
import { Stepper } from "../replay/steps";
import type { Send } from "./commands";
import type { State } from "./state";

/** How long a kernel that holds a run may be silent, in milliseconds; it speaks every second. */
const SILENCE = 6000;

const GONE =
  "The kernel that recorded this was restarted or is gone: what was recorded can be replayed.";

/** A log of more events than these is read in slices, between which the page does other things. */
const SLICE = 5000;

/** So long a slice may take, in milliseconds. */
const BUDGET = 30;

/** Goes on in a task of its own. */
function later(): Promise<void> {
  return new Promise((done) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      done();
    };
    port2.postMessage(null);
  });
}

export function createReceiver(state: State, timeline: Timeline, send: Send) {
  let stepper = new Stepper();
  /** Where the log will end that is being read in slices, and what came in meanwhile. */
  let coming: { readonly end: number; readonly after: (() => void)[] } | null = null;

  /** Appends events as far as they are news, and their steps. */
  const append = (from: number, events: readonly unknown[]): void => {
    if (from > timeline.end) {
      timeline.reset(from);
      stepper = new Stepper(from);
    }
    const { end } = timeline;
    timeline.append(end > from ? events.slice(end - from) : events);
    if (timeline.first > end) stepper = new Stepper(timeline.first); // too many to keep
    stepper.push(timeline.between(end, timeline.end));
  };
  /** Shows all that was appended. */
  const publish = (): void => {
    batch(() => {
      state.fault.value = null;
      state.first.value = timeline.first;
      state.end.value = timeline.end;
      state.steps.value = [...stepper.all()];
      state.loading.value = false;
    });
  };

  /** Takes in a long log, and computes ahead what its picture needs. */
  const takeSlowly = async (from: number, events: readonly unknown[]): Promise<void> => {
    const after: (() => void)[] = [];
    coming = { end: from + events.length, after };
    state.loading.value = true;
    const pace = pacer();
    try {
      for (let i = 0; i < events.length; i += 500) {
        append(from + i, events.slice(i, i + 500));
        await pace();
      }
      for (let time = timeline.first; time < timeline.end; time += 500) {
        timeline.foldTo(time);
        await pace();
      }
      await later();
      contentOf(timeline.at(timeline.end), state.everything.peek());
      await later();
      publish();
    } catch (error) {
      state.loading.value = false;
      state.fault.value = faultOf(error);
    }
    coming = null;
    for (const next of after) next();
  };

  const take = (from: number, events: readonly unknown[]): void => {
    if (coming) {
      coming.after.push(() => {
        take(from, events);
      });
      return;
    }
    if (from > timeline.end && !beginsWithSnapshot(events)) {
      send({ type: "need", from: timeline.end }); // something was lost on the way
      return;
    }
    if (events.length > SLICE && from + events.length - timeline.end > SLICE) {
      void takeSlowly(from, events);
      return;
    }
    try {
      append(from, events);
      publish();
    } catch (error) {
      state.fault.value = faultOf(error);
    }
  };

  let pings: ReturnType<typeof setTimeout> | undefined;

  /** Which run waits in the running cell. The kernel repeats it, and hears that we are here. */
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
      if (message.type === "events") take(message.from, message.events);
      else if (message.type === "state") waits(message.pause);
      else state.notice.value = { text: message.why, tone: "error" };
    },
    counted: (count) => {
      if (count > receiver.known()) send({ type: "need", from: receiver.known() });
    },
    failed: (why) => {
      state.fault.value = why;
    },
    known: () => Math.max(timeline.end, coming?.end ?? 0),
    silent: () => {
      if (state.connection.value === "offline" || state.fault.value !== null) return;
      state.notice.value = {
        text: "The kernel has not answered yet. What is recorded can be replayed meanwhile.",
        tone: "info",
      };
    },
    gone: () => {
      end(past === "" ? GONE : past);
    },
  };
  /** Takes in a packed log. */
  const load = (packed: unknown): void => {
    try {
      const log = parsePacked(packed);
      if (log) {
        if (log.first > timeline.end && !beginsWithSnapshot(log.events)) {
          throw new Unreadable("its beginning is missing");
        }
        take(log.first, log.events);
      }
    } catch (error) {
      state.fault.value = faultOf(error);
    }
  };
  return { ...receiver, load, pastIs };
}

/** What waits for another task whenever the time of a slice is over. */
function pacer(): () => Promise<void> | undefined {
  let begin = performance.now();
  return () => {
    if (performance.now() - begin < BUDGET) return undefined;
    return later().then(() => {
      begin = performance.now();
    });
  };
}

function beginsWithSnapshot([first]: readonly unknown[]): boolean {
  return Array.isArray(first) && first[0] === "snapshot";
}

/** Why nothing can be shown, in one sentence; what only a programmer understands is left out. */
function faultOf(error: unknown): string {
  if (error instanceof Unreadable) return `The log cannot be read: ${error.message}.`;
  if (error instanceof TypeError && error.message.endsWith(".")) return error.message;
  return "The log cannot be read: its events contradict each other.";
}
