/* Moving through the log: to a step, and at its end on into a run that waits. */

import { computed } from "@preact/signals";
import type { Send } from "./commands";
import type { Derived } from "./derived";
import type { State } from "./state";

export function createTimeTravel(state: State, { index, liveRun }: Derived, send: Send) {
  const { cursor, steps, playing } = state;
  /** Whether there is a next step: in the past, or of a run that waits. */
  const canGoOn = computed(() => cursor.value !== null || liveRun.value !== null);

  /** Shows the state after a step; -1 is the beginning, the last one follows the present. */
  const goTo = (step: number): void => {
    const last = steps.value.length - 1;
    const target = Math.max(-1, Math.min(step, last));
    cursor.value = target >= last ? null : (steps.value[target]?.to ?? state.first.value);
  };
  const toFirst = (): void => {
    if (steps.value.length > 0) goTo(-1);
  };
  const toPrevious = (): void => {
    goTo(index.value - 1);
  };
  const toLast = (): void => {
    cursor.value = null;
  };
  /** The next step; at the end of the log a waiting run is advanced by one node. */
  const toNext = (): void => {
    if (cursor.value !== null) goTo(index.value + 1);
    else if (liveRun.value) send({ type: "step", run: liveRun.value.run, count: 1 });
    else playing.value = false;
  };
  /** Play from here; from the present, when nothing waits there, from the beginning. */
  const togglePlay = (): void => {
    const start = !playing.value;
    if (start && !canGoOn.value) toFirst();
    playing.value = start;
  };
  return { canGoOn, goTo, toFirst, toPrevious, toLast, toNext, togglePlay };
}
