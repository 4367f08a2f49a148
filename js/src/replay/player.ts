import { effect } from "@preact/signals";
import type { Store } from "../store/store";

/** Steps per second at speed 1. */
const PACE = 1.1;

/**
 * While playing, shows the next step a while after the last one was shown. A run that waits is
 * advanced once for each of its nodes: the next command goes out when the last one's events
 * have come. Returns what stops it.
 */
export function play(store: Store): () => void {
  return effect(() => {
    if (!store.playing.value || store.index.value < -1) return undefined;
    if (!store.canGoOn) {
      store.playing.value = false;
      return undefined;
    }
    const timer = setTimeout(
      () => {
        store.toNext();
      },
      1000 / (PACE * store.speed.value),
    );
    return () => {
      clearTimeout(timer);
    };
  });
}
