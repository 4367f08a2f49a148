/* Plays a log: shows its steps one after another. */

import { effect, type ReadonlySignal, type Signal } from "@preact/signals";

/** Steps per second at speed 1. */
const PACE = 1.1;

/** What is played. */
export interface Playable {
  readonly playing: Signal<boolean>;
  readonly speed: ReadonlySignal<number>;
  /** Which step is shown, and whether there is a next one. */
  readonly index: ReadonlySignal<number>;
  readonly canGoOn: ReadonlySignal<boolean>;
  readonly toNext: () => void;
}

/**
 * While playing, shows the next step a while after the last one was shown. A run that waits is
 * advanced once for each of its nodes: the next command goes out when the last one's events
 * have come. Returns what stops it.
 */
export function play({ playing, speed, index, canGoOn, toNext }: Playable): () => void {
  return effect(() => {
    if (!playing.value) return undefined;
    const { value: _step } = index; // so that this runs again after each step
    if (!canGoOn.value) {
      playing.value = false;
      return undefined;
    }
    const timer = setTimeout(toNext, 1000 / (PACE * speed.value));
    return () => {
      clearTimeout(timer);
    };
  });
}
