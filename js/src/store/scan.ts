/* A computed signal over its own past. */

import { computed, type ReadonlySignal } from "@preact/signals";

/** Each value is computed from the one before it, beginning with `first`. */
export function scan<T>(first: T, next: (last: T) => T): ReadonlySignal<T> {
  let last = first;
  return computed(() => (last = next(last)));
}
