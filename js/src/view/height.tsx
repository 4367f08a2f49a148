/* How high a widget is: as its picture needs, or as the user drags it. */

import { useSignalEffect } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { Store } from "../store/store";
import { fit, NAMES, PADDING, READING } from "./stage/camera";
import type { ViewState } from "./view-state";
import { t } from "../text/text";

/** The least that the picture's window and the whole widget are high, in pixels. */
const LEAST = 140;
const LOWEST = 220;

/** Room above and below a picture that is panned, so that its map covers nothing. */
const MAP = 44;

/**
 * Tells the height that the picture's window needs. While the picture grows and while its steps
 * are gone through it never shrinks, so that what stands below it in the notebook does not move up
 * and down; once it is complete it has the height that it needs.
 */
export function useNeed(store: Store, view: ViewState): void {
  const { need } = view;
  const settled = useRef(view.settled.peek());
  useSignalEffect(() => {
    const { bounds } = store.scene.value;
    const { w } = view.size.value;
    if (w === 0 || bounds.h === 0) return;
    const whole = fit(bounds, { w, h: Infinity }).k;
    const k = whole >= NAMES ? whole : READING; // else it is panned
    const map = whole >= NAMES ? 0 : MAP;
    const height = Math.ceil(bounds.h * k + 2 * PADDING + 2 + map);
    const afresh = view.settled.value !== settled.current;
    settled.current = view.settled.value;
    need.value = Math.min(store.highest.value, Math.max(afresh ? LEAST : need.peek(), height));
  });
}

/**
 * Notes how high the style lets a widget become in this window: before anything is drawn in it, as
 * it would be laid out twice. (Where the user has made it as high as it is, the style says nothing.)
 */
export function useHighest(
  root: { readonly current: Element | null },
  store: Store,
  view: ViewState,
): void {
  const seen = view.seen.value; // until then it has the height that is kept for it
  useLayoutEffect(() => {
    const note = (): void => {
      const maxHeight = root.current ? getComputedStyle(root.current).maxHeight : "";
      if (!maxHeight.endsWith("px")) return;
      store.highest.value = parseFloat(maxHeight) - moreWords(view);
    };
    note();
    addEventListener("resize", note);
    return () => {
      removeEventListener("resize", note);
    };
  }, [store, seen]);
}

/** How much more room the words have needed than when the picture came to rest, in pixels. */
export function moreWords({ words, firstWords }: ViewState): number {
  return Math.max(0, words.value - firstWords.value);
}

/** A line under the widget that is dragged, or moved with the arrow keys. */
export function HeightHandle({ store }: { store: Store }) {
  const start = useRef<{ y: number; height: number } | null>(null);
  const clamp = (height: number): number => Math.round(Math.min(2000, Math.max(LOWEST, height)));
  const heightOf = (event: Event): number =>
    (event.currentTarget as Element).closest(".gw")?.getBoundingClientRect().height ?? LOWEST;
  const steps: Partial<Record<string, number>> = { ArrowDown: 20, ArrowUp: -20 };
  return (
    <div
      class="gw-handle"
      data-testid="height"
      role="separator"
      tabIndex={0}
      aria-orientation="horizontal"
      aria-label={t.bars.view.height}
      aria-valuemin={LOWEST}
      aria-valuemax={2000}
      aria-valuenow={store.height.value ?? LOWEST}
      title={t.bars.view.dragHeight}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        start.current = { y: event.clientY, height: heightOf(event) };
      }}
      onPointerMove={(event) => {
        const from = start.current;
        if (from) store.height.value = clamp(from.height + event.clientY - from.y);
      }}
      onPointerUp={() => {
        start.current = null;
      }}
      onDblClick={() => {
        store.height.value = null;
      }}
      onKeyDown={(event) => {
        const step = steps[event.key];
        if (step === undefined) return;
        event.preventDefault();
        event.stopPropagation();
        store.height.value = clamp(heightOf(event) + step);
      }}
    />
  );
}
