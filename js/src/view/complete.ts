/* When a picture that grew is complete, it is drawn as if it had been there at once. */

import { batch, useSignalEffect } from "@preact/signals";
import { useRef } from "preact/hooks";
import type { Store } from "../store/store";
import type { ViewState } from "./view-state";

/** A picture that has not changed for so long is complete, in milliseconds. */
const SETTLED = 600;

/** What has been seen for longer, in milliseconds, does not move under its reader's eyes. */
const FRESH = 1500;

/** A picture of more calls stays as it grew: to lay it out once more would be felt. */
const MANY = 500;

/**
 * Notices that a picture is complete that was not touched yet: while it grew nothing opened
 * again that had been closed for want of room, and boxes stayed where they first stood.
 */
export function useSettled(store: Store, view: ViewState): void {
  const seen = useRef<number | null>(null); // the end of the log that was drawn afresh
  const first = useRef(0); // when there was something to see
  useSignalEffect(() => {
    const { boxes } = store.scene.value;
    if (boxes.size > 0) {
      seen.current ??= store.end.peek(); // the first picture is one
      first.current ||= performance.now();
    }
    const past = store.walked.value || store.cursor.value !== null;
    if (boxes.size === 0 || past || store.opened.value.size > 0 || !view.auto.value)
      return undefined;
    const timer = setTimeout(() => {
      batch(() => {
        const end = store.end.peek();
        const fresh = performance.now() - first.current < FRESH;
        if (fresh && end !== seen.current && store.present.peek().calls.size <= MANY) store.tidy();
        seen.current = end;
        view.settled.value += 1;
      });
    }, SETTLED);
    return () => {
      clearTimeout(timer);
    };
  });
}
