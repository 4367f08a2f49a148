/* Two widgets side by side that one player moves: the dynamic graph and the static one. */

import { batch, computed, signal } from "@preact/signals";
import type { Event } from "../log/events";
import { play } from "../replay/player";
import { pairSteps, type Key } from "../replay/paired-steps";
import type { Store } from "./store";

export type Duo = ReturnType<typeof createDuo>;

export function createDuo(left: Store, right: Store) {
  const sides = computed(() => [callsOf(left), callsOf(right)] as const);
  /** How many steps of the right one only build it: until a call is reported a second time. */
  const built = computed(() => {
    const seen = new Set<number>();
    const again = sides.value[1].findIndex(({ call }) => {
      if (call === null) return false;
      const known = seen.has(call);
      seen.add(call);
      return known;
    });
    return again < 0 ? sides.value[1].length : again;
  });
  const pairs = computed(() => {
    const [one, two] = sides.value;
    return pairSteps(
      one.map(({ key }) => key),
      two.map(({ key }) => key),
      built.value,
    );
  });
  /** Null follows the end; otherwise the moment that the user went to. */
  const chosen = signal<number | null>(null);
  /** The moment shown; -1 before the first. */
  const index = computed(() => chosen.value ?? pairs.value.length - 1);
  const playing = signal(false);
  const speed = signal(1);
  const canGoOn = computed(() => index.value < pairs.value.length - 1);
  const goTo = (to: number): void => {
    batch(() => {
      const last = pairs.value.length - 1;
      chosen.value = to >= last ? null : Math.max(-1, to);
      const [l, r] = pairs.value[index.value] ?? [-1, -1];
      left.goTo(l);
      right.goTo(r);
    });
  };
  const toNext = (): void => {
    goTo(index.value + 1);
  };
  const togglePlay = (): void => {
    const start = !playing.value;
    if (start && !canGoOn.value) goTo(-1);
    playing.value = start;
  };
  /** The static graph is being built, or both run, or are done. */
  const phase = computed((): "nothing" | "building" | "running" | "done" => {
    if (index.value < 0) return "nothing";
    if (index.value < built.value) return "building";
    return canGoOn.value ? "running" : "done";
  });
  for (const side of [left, right]) side.wantedDirection.value = "TD"; // a half is narrow
  const stop = play({ playing, speed, index, canGoOn, toNext });
  return {
    left,
    right,
    pairs,
    built,
    index,
    playing,
    speed,
    canGoOn,
    phase,
    goTo,
    toNext,
    togglePlay,
    stop,
  };
}

interface Call {
  readonly key: Key;
  readonly call: number | null;
}

/** For each step of a log the call that it is about. */
function callsOf({ steps, eventAt }: Store): Call[] {
  return steps.value.map(({ anchor }) => {
    const event: Event | undefined = eventAt(anchor);
    // A write in place stands beside the operation that computes the same of new memory.
    if (event?.event === "op") {
      return { key: event.inplace ? event.op.replace(/_$/, "") : event.op, call: event.call };
    }
    return { key: "", call: null };
  });
}
