/* The window on the picture, which can be dragged, zoomed and fitted. */

import { batch, untracked, useComputed, useSignal, useSignalEffect } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { nodeKey } from "../../graph/keys";
import type { Rect } from "../../scene/flow";
import { rectOf } from "../../scene/scene";
import type { Store } from "../../store/store";
import {
  bring,
  encloses,
  follow,
  goTo,
  inView,
  NAMES,
  overlaps,
  READING,
  toFrame,
  zoom,
  type Camera,
} from "./camera";
import { OffscreenArrows } from "../overlay/offscreen-arrows";
import { ChosenBar } from "../overlay/chosen";
import { Find } from "../panels/find";
import { findBox, isWalked, readingOf, subjectOf } from "./look";
import { MiniMap } from "../overlay/minimap";
import { Overview } from "../overlay/overview";
import { Picture } from "./picture";
import { useRoving } from "./walk";
import { release, UNSEEN, type ViewState } from "../view-state";
import { t } from "../../text/text";

/** The most boxes that are drawn as elements of the page; more are shapes on a canvas. */
const MOST_ELEMENTS = 600;

/** How long a box that was asked for stays lit, in milliseconds. */
const LIT = 1600;

/** The graph in its window: it can be dragged, zoomed, and fitted. */
export function Stage({ store, view }: { store: Store; view: ViewState }) {
  const svg = useRef<SVGSVGElement>(null);
  const dragging = useSignal(false);
  useWindow(svg, store, view);
  useCamera(store, view);
  useRoving(svg, view);
  const drag = useDrag(svg, store, view, dragging);
  const far = useComputed(() => tooFar(store, view)).value;
  const looks = useComputed(() => view.camera.value !== UNSEEN).value;
  const small = useComputed(() => view.camera.value.k < readingOf(store.drawnScene.value)).value;
  const state = ["gw-stage", dragging.value ? "gw-dragging" : "", small ? "gw-small" : ""];
  if (store.drawnScene.value.gaps === "brief") state.push("gw-names");
  return (
    <div class="gw-window">
      {far && <Overview store={store} view={view} />}
      <svg
        ref={svg}
        class={state.join(" ")}
        data-testid="graph"
        role="group"
        aria-label={t.bars.notices.graph}
        onClick={(event) => {
          chooseAt(event, store);
        }}
        {...drag}
      >
        {looks && !far && <Picture store={store} view={view} moving={dragging.value} />}
        <Ring store={store} view={view} />
      </svg>
      {store.index.value < 0 && store.drawnScene.value.boxes.size === 0 && (
        <p class="gw-stage-start gw-dim" data-testid="start">
          {t.bars.notices.start}
        </p>
      )}
      <MiniMap store={store} view={view} />
      <OffscreenArrows store={store} view={view} />
      <ChosenBar store={store} />
      {view.over.value === "find" && <Find store={store} view={view} />}
    </div>
  );
}

/** Whether the picture is drawn as shapes: text would be too small, or there is too much of it. */
function tooFar(store: Store, view: ViewState): boolean {
  const camera = view.camera.value;
  if (camera === UNSEEN) return false;
  if (camera.k < NAMES) return true;
  const scene = store.scene.value;
  if (scene.boxes.size <= MOST_ELEMENTS) return false;
  const area = inView(camera, view.size.value);
  let count = 0;
  for (const placed of scene.boxes.values()) {
    if (overlaps(rectOf(placed, scene.direction), area)) count += 1;
    if (count > MOST_ELEMENTS) return true;
  }
  return false;
}

type Svg = { readonly current: SVGSVGElement | null };

/** Tells how large the window is, and zooms by the wheel. */
function useWindow(svg: Svg, store: Store, view: ViewState): void {
  useEffect(() => {
    const element = svg.current;
    if (!element) return undefined;
    const observer = new ResizeObserver(([entry]) => {
      if (!entry || entry.contentRect.width === 0) return;
      const { width, height } = entry.contentRect;
      batch(() => {
        view.size.value = { w: width, h: height };
        store.room.value = { w: width, h: height };
      });
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
}

/** Moves the camera: with what grows, with the steps, and to what is asked for. */
function useCamera(store: Store, view: ViewState): void {
  const done = useRef(store.sought.peek()); // what was asked for before this view was there
  const settled = useRef(view.settled.peek());
  const bounds = useRef<Rect | null>(null);
  const seen = useRef({ w: 0, h: 0 });
  const run = useRef<number | null>(null);
  const start = useRef(store.index.peek()); // the step at which the picture, or the run, began; NaN after it
  useSignalEffect(() => {
    const scene = store.scene.value;
    const size = view.size.value;
    if (!view.auto.value || size.w === 0 || scene.boxes.size === 0) return;
    const afresh = view.settled.value !== settled.current;
    settled.current = view.settled.value;
    const subject = subjectOf(store, scene, size);
    // While the reader steps, only another picture is looked at anew, or a wider window: words make
    // it lower and higher. Before the first step the window may still find its height.
    const walked = isWalked(store);
    const live = store.liveRun.value?.run ?? null;
    const step = store.index.peek();
    const begins = live !== null && live !== run.current;
    run.current = live;
    if (begins || !walked) start.current = step;
    else if (step !== start.current) start.current = NaN;
    const { w, h } = seen.current;
    seen.current = size;
    const finds = (size.w !== w || size.h !== h) && step === start.current;
    const same = scene.bounds === bounds.current && walked;
    bounds.current = scene.bounds;
    const known = same && size.w <= w && !begins && !finds;
    if (!known && live !== null) start.current = step;
    const last = view.camera.peek();
    // What was fitted into a window that had no height yet cannot be read: it is fitted anew.
    const camera = afresh || last.k < NAMES || (same && !known) ? UNSEEN : last;
    const next =
      known && subject && camera === last
        ? bring(camera, subject, size)
        : follow(camera, scene.bounds, subject, size);
    if (next.x !== camera.x || next.y !== camera.y || next.k !== camera.k) view.camera.value = next;
  });
  const cells = useRef(store.present.peek().cellTimes.at(-1));
  // A new cell is looked at afresh, unless the reader is in the past.
  useSignalEffect(() => {
    const newest = store.present.value.cellTimes.at(-1);
    if (newest === cells.current || store.cursor.value !== null) return;
    cells.current = newest;
    store.walked.value = false;
    view.auto.value = true;
  });
  // A step is asked to be seen, wherever the reader has put the camera.
  useSignalEffect(() => {
    const { value: _step } = store.index;
    if (!store.walked.value || view.auto.peek()) return;
    const size = view.size.peek();
    const subject = untracked(() => subjectOf(store, store.scene.value, size));
    if (subject) view.camera.value = bring(view.camera.peek(), subject, size);
  });
  useUnfolded(store, view);
  useSignalEffect(() => {
    const sought = store.sought.value;
    const scene = store.scene.value;
    const size = view.size.value;
    if (!sought || sought === done.current || size.w === 0) return undefined;
    const found = findBox(scene, sought.key);
    if (!found) return undefined; // it may yet come, when its groups have opened
    done.current = sought;
    release(view);
    view.camera.value = goTo(view.camera.peek(), rectOf(found, scene.direction), size);
    view.ringed.value = found.box.key;
    const timer = setTimeout(() => {
      view.ringed.value = null;
    }, LIT);
    return () => {
      clearTimeout(timer);
    };
  });
}

/**
 * A group that was opened is shown whole, with the picture around it where that can be read; what
 * is too large for that is shown from its beginning. The window may become higher for it: until
 * the reader moves the camera it is placed anew.
 */
function useUnfolded(store: Store, view: ViewState): void {
  const before = useRef(store.unfolded.peek());
  const placed = useRef<Camera | null>(null);
  useSignalEffect(() => {
    const unfolded = store.unfolded.value;
    const scene = store.scene.value;
    const size = view.size.value;
    if (!unfolded || size.w === 0) return;
    const frame = [...scene.frames.values()].find(({ place }) => place === unfolded.place);
    const camera = view.camera.peek();
    if (!frame || (unfolded === before.current && camera !== placed.current)) return;
    before.current = unfolded;
    const around = [...scene.frames.values()].filter((outer) => encloses(outer, frame));
    around.sort((a, b) => b.w * b.h - a.w * a.h);
    const next = toFrame(camera, [scene.bounds, ...around], scene.bounds, size);
    placed.current = next;
    if (next === camera) return;
    release(view);
    view.camera.value = next;
  });
}

/** The picture is dragged with the pointer; a click beside all boxes selects nothing. */
function useDrag(
  svg: Svg,
  store: Store,
  view: ViewState,
  dragging: { value: boolean },
): Record<string, (event: PointerEvent) => void> {
  const dragged = useRef<{ x: number; y: number; moved: boolean } | null>(null);
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
    const start = dragged.current;
    dragged.current = null;
    dragging.value = false;
    if (!start || start.moved) return;
    if (tooFar(store, view)) lookCloser(event, view);
    else if (event.target === svg.current) store.select(null);
  };
  return { onPointerDown: down, onPointerMove: move, onPointerUp: up, onPointerCancel: up };
}

/** A click on a pill selects it, and explains a stale slot of it; a card does so itself. */
function chooseAt(event: MouseEvent, store: Store): void {
  const { target } = event;
  const pill = target instanceof Element ? target.closest<SVGElement>("[data-op]") : null;
  if (!(target instanceof Element) || !pill) return;
  store.choose(pill.dataset.key ?? null);
  const slot = target.closest<SVGElement>('[data-slot][data-state="stale"]');
  const [node, index] = [Number(slot?.dataset.node), Number(slot?.dataset.index)];
  const error = store.shown.error.peek();
  const shown = error?.node === node && error.slot === slot?.dataset.slot; // by the error itself
  store.ask(slot && !shown ? { key: nodeKey(node), kind: "hazard" } : null, index);
}

/** A click on the shapes seen from afar goes near. */
function lookCloser(event: PointerEvent, view: ViewState): void {
  if (!(event.currentTarget instanceof Element)) return;
  const { left, top } = event.currentTarget.getBoundingClientRect();
  const { x, y, k } = view.camera.value;
  const { w, h } = view.size.value;
  const point = { x: (event.clientX - left - x) / k, y: (event.clientY - top - y) / k };
  release(view);
  view.camera.value = { k: READING, x: w / 2 - READING * point.x, y: h / 2 - READING * point.y };
}

/** Lights the box that was asked for. */
function Ring({ store, view }: { store: Store; view: ViewState }) {
  const key = view.ringed.value;
  const scene = store.scene.value;
  const placed = key === null ? undefined : scene.boxes.get(key);
  if (!placed) return null;
  const { x, y, k } = view.camera.value;
  const rect = rectOf(placed, scene.direction);
  return (
    <rect
      class="gw-ring"
      data-testid="ring"
      x={rect.x * k + x - 7}
      y={rect.y * k + y - 7}
      width={rect.w * k + 14}
      height={rect.h * k + 14}
      rx={12}
    />
  );
}
