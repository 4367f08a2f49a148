/* How high a widget is: as its picture needs, or as the user drags it. */

import { useSignalEffect } from "@preact/signals";
import { useRef } from "preact/hooks";
import type { Store } from "../store/store";
import { fit, NAMES, PADDING, READING } from "./camera";
import type { ViewState } from "./view-state";

const LOWEST = 220;
const HIGHEST = 640;

/**
 * Tells the height that the picture's window needs: it grows with the picture and never shrinks,
 * so that what stands below it in the notebook does not move up and down.
 */
export function useNeed(store: Store, view: ViewState): void {
  const { need } = view;
  useSignalEffect(() => {
    const { bounds } = store.scene.value;
    const { w } = view.size.value;
    if (w === 0 || bounds.h === 0) return;
    const whole = fit(bounds, { w, h: Infinity }).k;
    const k = whole >= NAMES ? whole : READING; // else it is panned
    const height = Math.ceil(bounds.h * k + 2 * PADDING + 2);
    need.value = Math.min(HIGHEST, Math.max(need.peek(), height));
  });
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
      aria-label="Height"
      aria-valuemin={LOWEST}
      aria-valuemax={2000}
      aria-valuenow={store.height.value ?? LOWEST}
      title="Drag to change the height; double click to let it follow the picture"
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
