/* The whole picture in a corner, while it is larger than its window. */

import { useSignalEffect } from "@preact/signals";
import { useRef } from "preact/hooks";
import { get } from "../../collections";
import { rectOf, type Scene } from "../../scene/scene";
import type { Rect } from "../../scene/flow";
import type { Store } from "../../store/store";
import { within, type Camera, type Size } from "../stage/camera";
import { coloursOf, troubled, type ColourOf } from "./overview";
import { release, UNSEEN, type ViewState } from "../view-state";
import { t } from "../../text/text";

/** The largest that the map gets, in pixels. */
const WIDEST = 168;
const HIGHEST = 104;
const EDGE = 5;

/** Where the map's points lie: a point of the plane `p` is at `p * scale + (x, y)`. */
interface Frame {
  readonly scale: number;
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
}

/** The map of a picture, as large as fits a corner of the window. */
export function frameOf(bounds: Rect, size: Size): Frame {
  const [widest, highest] = [Math.min(WIDEST, size.w * 0.3), Math.min(HIGHEST, size.h * 0.4)];
  const scale = Math.min(
    (widest - 2 * EDGE) / Math.max(bounds.w, 1),
    (highest - 2 * EDGE) / Math.max(bounds.h, 1),
  );
  // A long chain is a line: its map stays high enough to be taken hold of.
  const w = Math.round(Math.max(36, bounds.w * scale + 2 * EDGE));
  const h = Math.round(Math.max(30, bounds.h * scale + 2 * EDGE));
  return {
    scale,
    w,
    h,
    x: (w - bounds.w * scale) / 2 - bounds.x * scale,
    y: (h - bounds.h * scale) / 2 - bounds.y * scale,
  };
}

/** The corners of the window, in the order in which they are preferred. */
const CORNERS = ["bottom right", "bottom left", "top right", "top left"] as const;

export type Corner = (typeof CORNERS)[number];

/** From the map to the window's edges, in pixels. */
const MARGIN = 8;

/** So much of the boxes, in pixels, a map in a corner would cover. */
function covered(corner: Corner, map: Size, window: Size, boxes: readonly Rect[]): number {
  const top = corner.startsWith("top") ? 0 : window.h - map.h - 2 * MARGIN;
  const left = corner.endsWith("left") ? 0 : window.w - map.w - 2 * MARGIN;
  const [right, bottom] = [left + map.w + 2 * MARGIN, top + map.h + 2 * MARGIN];
  return boxes.reduce((sum, { x, y, w, h }) => {
    const [across, down] = [
      Math.min(right, x + w) - Math.max(left, x),
      Math.min(bottom, y + h) - Math.max(top, y),
    ];
    return across > 0 && down > 0 ? sum + across * down : sum;
  }, 0);
}

/** The corner where the map covers least: the one where it is, as long as that is free. */
export function cornerFor(
  now: Corner,
  map: Size,
  window: Size,
  boxes: readonly Rect[],
): { readonly corner: Corner; readonly free: boolean } {
  let [best, least] = [now, covered(now, map, window, boxes)];
  for (const corner of CORNERS) {
    if (least === 0) break;
    const area = covered(corner, map, window, boxes);
    if (area < least) [best, least] = [corner, area];
  }
  return { corner: best, free: least === 0 };
}

/** Where the boxes stand in the window; of very many it is no use to ask. */
function boxesInWindow({ boxes, direction }: Scene, { x, y, k }: Camera): Rect[] {
  if (boxes.size > MOST_BOXES) return [];
  return [...boxes.values()].map((placed) => {
    const rect = rectOf(placed, direction);
    return { x: rect.x * k + x, y: rect.y * k + y, w: rect.w * k, h: rect.h * k };
  });
}

const MOST_BOXES = 600;

export function MiniMap({ store, view }: { store: Store; view: ViewState }) {
  const { bounds } = store.scene.value;
  const [camera, size] = [view.camera.value, view.size.value];
  const larger = bounds.w * camera.k > size.w || bounds.h * camera.k > size.h;
  if (camera === UNSEEN || !larger) return null;
  if (size.w < 300 || size.h < 120) return null; // it would cover the picture
  return <WholeMap store={store} view={view} bounds={bounds} />;
}

function WholeMap({ store, view, bounds }: { store: Store; view: ViewState; bounds: Rect }) {
  const size = view.size.value;
  const map = frameOf(bounds, size);
  const { x, y, k } = view.camera.value;
  const s = map.scale / k;
  const left = Math.max(1, Math.min(map.w - 8, map.x - x * s));
  const top = Math.max(1, Math.min(map.h - 8, map.y - y * s));
  const right = Math.min(map.w - 1, Math.max(left + 7, map.x - x * s + size.w * s));
  const bottom = Math.min(map.h - 1, Math.max(top + 7, map.y - y * s + size.h * s));

  const pressed = useRef(false); // it does not go away from under the pointer
  const corner = useRef<Corner>("bottom right");
  const settled = useRef(0);
  if (settled.current !== view.settled.value) corner.current = "bottom right";
  settled.current = view.settled.value;
  const found = cornerFor(corner.current, map, size, boxesInWindow(store.scene.value, { x, y, k }));
  if (!pressed.current) corner.current = found.corner;
  const [vertical, horizontal] = corner.current.split(" ") as [string, string];

  /** The camera looks at a point of the map. */
  const look = (event: PointerEvent): void => {
    const box = (event.currentTarget as Element).getBoundingClientRect();
    const px = (event.clientX - box.left - map.x) / map.scale;
    const py = (event.clientY - box.top - map.y) / map.scale;
    release(view);
    const to = { k, x: size.w / 2 - k * px, y: size.h / 2 - k * py };
    view.camera.value = within(to, bounds, size);
  };
  return (
    <div
      class={`gw-map ${found.free ? "" : "gw-map-over"}`}
      data-testid="minimap"
      role="img"
      aria-label={t.bars.view.map}
      style={{
        width: `${map.w}px`,
        height: `${map.h}px`,
        [vertical]: `${MARGIN}px`,
        [horizontal]: `${MARGIN}px`,
      }}
      onPointerUp={() => {
        pressed.current = false;
      }}
      onPointerCancel={() => {
        pressed.current = false;
      }}
      onPointerDown={(event) => {
        pressed.current = true;
        (event.currentTarget as Element).setPointerCapture(event.pointerId);
        look(event);
      }}
      onPointerMove={(event) => {
        if (event.buttons & 1) look(event);
      }}
    >
      <Shapes store={store} view={view} w={map.w} h={map.h} />
      <div
        class="gw-map-view"
        style={{
          left: `${left}px`,
          top: `${top}px`,
          width: `${right - left}px`,
          height: `${bottom - top}px`,
        }}
      />
    </div>
  );
}

interface ShapesProps {
  store: Store;
  view: ViewState;
  w: number;
  h: number;
}

/** Drawn when the picture changes, not when the camera moves. */
function Shapes({ store, view, w, h }: ShapesProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useSignalEffect(() => {
    const { value: _theme } = view.theme;
    const scene = store.scene.value;
    const size = view.size.value;
    const colours = coloursOf(store);
    const wrong = troubled(store);
    const frame = requestAnimationFrame(() => {
      if (canvas.current) paintMap(canvas.current, scene, colours, wrong, size);
    });
    return () => {
      cancelAnimationFrame(frame);
    };
  });
  return <canvas ref={canvas} style={{ width: `${w}px`, height: `${h}px` }} />;
}

function paintMap(
  canvas: HTMLCanvasElement,
  scene: Scene,
  colours: ColourOf,
  wrong: ReadonlySet<string>,
  size: Size,
): void {
  const paint = canvas.getContext("2d");
  if (!paint) return;
  const map = frameOf(scene.bounds, size);
  const ratio = Math.min(globalThis.devicePixelRatio || 1, 2);
  const [width, height] = [Math.round(map.w * ratio), Math.round(map.h * ratio)];
  if (canvas.width !== width) canvas.width = width;
  if (canvas.height !== height) canvas.height = height;
  paint.setTransform(ratio, 0, 0, ratio, 0, 0);
  paint.clearRect(0, 0, map.w, map.h);
  const paths = new Map<string, Path2D>();
  const mark = (key: string, least: number): void => {
    const placed = get(scene.boxes, key);
    const { x, y, w, h } = rectOf(placed, scene.direction);
    const colour = colours(placed);
    const path = paths.get(colour) ?? new Path2D();
    paths.set(colour, path);
    path.rect(
      x * map.scale + map.x,
      y * map.scale + map.y,
      Math.max(least, w * map.scale),
      Math.max(least, h * map.scale),
    );
  };
  for (const key of scene.boxes.keys()) mark(key, 1);
  for (const key of wrong) mark(key, 4); // an error is seen however large the picture is
  const style = getComputedStyle(canvas);
  for (const [colour, path] of paths) {
    paint.fillStyle = style.getPropertyValue(colour);
    paint.fill(path);
  }
}
