/* How a log comes in: whole, or piece by piece from a kernel. */

import { batch } from "@preact/signals";
import { parsePacked, type Receiver } from "../kernel/protocol";
import type { Timeline } from "../log/timeline";
import { Stepper } from "../replay/steps";
import type { Send } from "./commands";
import type { State } from "./state";

export function createReceiver(state: State, timeline: Timeline, send: Send) {
  let stepper = new Stepper();

  const take = (from: number, events: readonly unknown[]): void => {
    const kind = Array.isArray(events[0]) ? (events[0] as unknown[])[0] : null;
    if (from > timeline.end && kind !== "snapshot") {
      send({ type: "need", from: timeline.end }); // something was lost on the way
      return;
    }
    try {
      batch(() => {
        if (from > timeline.end) {
          timeline.reset(from);
          stepper = new Stepper(from);
        }
        const known = timeline.end - from;
        const before = timeline.events.length;
        timeline.append(known > 0 ? events.slice(known) : events);
        stepper.push(timeline.events.slice(before));
        state.fault.value = null;
        state.first.value = timeline.first;
        state.end.value = timeline.end;
        state.steps.value = [...stepper.all()];
      });
    } catch (error) {
      state.fault.value = `An event cannot be read: ${wordsOf(error)}.`;
    }
  };

  const receiver: Receiver = {
    received: (message) => {
      state.connection.value = "live";
      if (message.type === "events") take(message.from, message.events);
      else state.notice.value = { text: message.why, tone: "error" };
    },
    counted: (count) => {
      if (count > timeline.end) send({ type: "need", from: timeline.end });
    },
    failed: (why) => {
      state.fault.value = why;
    },
  };
  /** Takes in a packed log. */
  const load = (packed: unknown): void => {
    try {
      const log = parsePacked(packed);
      if (log) take(log.first, log.events);
    } catch (error) {
      state.fault.value = wordsOf(error);
    }
  };
  /** Nobody answered: the kernel is busy, or there is none. */
  const silent = (): void => {
    if (state.connection.value !== "waiting" || state.fault.value !== null) return;
    state.notice.value = {
      text: "The kernel has not answered yet. What is recorded can be replayed meanwhile.",
      tone: "info",
    };
  };
  return { ...receiver, load, silent };
}

const wordsOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);
