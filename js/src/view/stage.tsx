/* The window on the picture, which can be dragged, zoomed and fitted. */

import { useSignal, useSignalEffect } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { Box } from "../graph/boxes";
import type { Rect } from "../scene/flow";
import { rectOf, type Placed, type Scene } from "../scene/scene";
import type { Store } from "../store/store";
import { follow, zoom } from "./camera";
import { Picture } from "./picture";
import { release, type ViewState } from "./view-state";

/** The graph in its window: it can be dragged, zoomed, and fitted. */
export function Stage({ store, view }: { store: Store; view: ViewState }) {
  const svg = useRef<SVGSVGElement>(null);
  const dragged = useRef<{ x: number; y: number; moved: boolean } | null>(null);
  const dragging = useSignal(false);

  useEffect(() => {
    const element = svg.current;
    if (!element) return undefined;
    const observer = new ResizeObserver(([entry]) => {
      if (!entry || entry.contentRect.width === 0) return;
      const { width, height } = entry.contentRect;
      view.size.value = { w: width, h: height };
      store.width.value = width;
    });
    observer.observe(element);
    const wheel = (event: WheelEvent): void => {
      if (!event.ctrlKey && !event.metaKey) return; // the notebook scrolls
      event.preventDefault();
      const { left, top } = element.getBoundingClientRect();
      release(view);
      view.camera.value = zoom(
        view.camera.value,
        Math.exp(-event.deltaY * 0.004),
        event.clientX - left,
        event.clientY - top,
      );
    };
    element.addEventListener("wheel", wheel, { passive: false });
    return () => {
      observer.disconnect();
      element.removeEventListener("wheel", wheel);
    };
  }, []);

  useSignalEffect(() => {
    const scene = store.scene.value;
    const size = view.size.value;
    if (!view.auto.value || size.w === 0) return;
    const subject = view.whole.value ? null : subjectOf(store, scene);
    const camera = view.camera.peek();
    const next = follow(camera, scene.bounds, subject, size);
    if (next.x !== camera.x || next.y !== camera.y || next.k !== camera.k) view.camera.value = next;
  });

  const down = (event: PointerEvent): void => {
    if (event.button !== 0) return;
    dragged.current = { x: event.clientX, y: event.clientY, moved: false };
  };
  const move = (event: PointerEvent): void => {
    const start = dragged.current;
    if (!start) return;
    const [dx, dy] = [event.clientX - start.x, event.clientY - start.y];
    if (!start.moved && Math.hypot(dx, dy) < 4) return;
    if (!start.moved) svg.current?.setPointerCapture(event.pointerId);
    dragged.current = { x: event.clientX, y: event.clientY, moved: true };
    dragging.value = true;
    release(view);
    const { x, y, k } = view.camera.value;
    view.camera.value = { x: x + dx, y: y + dy, k };
  };
  const up = (event: PointerEvent): void => {
    const moved = dragged.current?.moved === true;
    dragged.current = null;
    dragging.value = false;
    if (!moved && event.target === svg.current) store.selected.value = null;
  };

  return (
    <svg
      ref={svg}
      class={dragging.value ? "gw-stage gw-dragging" : "gw-stage"}
      data-testid="graph"
      role="group"
      aria-label="The computation graph"
      onPointerDown={down}
      onPointerMove={move}
      onPointerUp={up}
      onPointerCancel={up}
    >
      <Picture store={store} view={view} moving={dragging.value} />
    </svg>
  );
}

/** What the camera keeps in view when the whole is too large: what the step shown is about. */
function subjectOf(store: Store, scene: Scene): Rect | null {
  const active = store.activeNode.value;
  // An AccumulateGrad has no pill: its step is about the leaf.
  const leaf = active === null ? null : (store.model.value.nodes.get(active)?.variable ?? null);
  let found: Placed | null = null;
  let newest = -1;
  for (const placed of scene.boxes.values()) {
    const { box } = placed;
    const about =
      box.kind === "pill"
        ? active !== null && box.nodes.some((n) => n.node === active)
        : box.value.value === leaf;
    if (about) return rectOf(placed, scene.direction);
    const age = timeOf(box);
    if (age > newest) [found, newest] = [placed, age];
  }
  return found && rectOf(found, scene.direction);
}

function timeOf(box: Box): number {
  return box.kind === "pill" ? box.call.time : box.value.time;
}
