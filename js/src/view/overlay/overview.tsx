/* The picture from afar: boxes as coloured shapes on a canvas, names of whole groups only. */

import { useSignalEffect } from "@preact/signals";
import { useRef } from "preact/hooks";
import { holdsNode } from "../../graph/draw/boxes";
import { RAISED_KEY } from "../../graph/select/raised";
import { birthsInBackward } from "../../log/not-finite";
import { rectOf, type Placed, type Scene } from "../../scene/scene";
import type { Store } from "../../store/store";
import { inView, overlaps } from "../stage/camera";
import type { ViewState } from "../view-state";

/** One canvas, drawn at most once a frame, whatever the number of boxes. */
export function Overview({ store, view }: { store: Store; view: ViewState }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useSignalEffect(() => {
    const { value: _theme } = view.theme;
    // Read here what the drawing depends on: the drawing itself waits for the next frame.
    const seen = { scene: store.scene.value, colours: coloursOf(store) };
    const [camera, size] = [view.camera.value, view.size.value];
    const frame = requestAnimationFrame(() => {
      const target = canvas.current;
      if (target) draw(target, seen.scene, seen.colours, camera, size);
    });
    return () => {
      cancelAnimationFrame(frame);
    };
  });
  return <canvas ref={canvas} class="gw-overview" data-testid="overview" aria-hidden="true" />;
}

/** Which colour (a variable of the theme) each box has. */
export type ColourOf = (placed: Placed) => string;

/** What is wrong is red, what is selected blue, and the rest as its kind. */
export function coloursOf(store: Store): ColourOf {
  const wrong = troubled(store);
  const selected = store.selected.value;
  const active = store.activeNode.value;
  return ({ box }) => {
    if (wrong.has(box.key)) return "--gw-error";
    if (box.kind === "card") {
      return box.value.value === selected ? "--gw-focus" : ROLE_COLOURS[box.role];
    }
    return active !== null && holdsNode(box, active) ? "--gw-grad-line" : "--gw-node";
  };
}

const ROLE_COLOURS = {
  leaf: "--gw-leaf",
  parameter: "--gw-parameter",
  constant: "--gw-constant",
  intermediate: "--gw-wire",
} as const;

/** The boxes of an error or a hazard, or in whose backward NaN or Inf begins. */
export function troubled(store: Store): ReadonlySet<string> {
  const nodes = new Set(store.shown.failed.value);
  for (const { node } of store.shown.hazards.value) nodes.add(node.node);
  for (const { node } of birthsInBackward(store.model.value)) nodes.add(node);
  const error = store.shown.error.value;
  const found = new Set<string>();
  if (nodes.size === 0 && error === null) return found;
  for (const { box } of store.scene.value.boxes.values()) {
    const bad =
      box.kind === "card"
        ? error !== null && box.value.value === error.value
        : box.key === RAISED_KEY || [...nodes].some((node) => holdsNode(box, node));
    if (bad) found.add(box.key);
  }
  return found;
}

/** A box's name where it stands for a whole group. */
function groupName({ box }: Placed): string | null {
  return box.kind === "group" ? box.facts.title : null;
}

/** Lines thinner than this share of a pixel only make the picture grey. */
const THINNEST = 0.12;

function draw(
  canvas: HTMLCanvasElement,
  scene: Scene,
  colourOf: ColourOf,
  camera: ViewState["camera"]["value"],
  size: ViewState["size"]["value"],
): void {
  const paint = canvas.getContext("2d");
  if (!paint) return;
  const ratio = Math.min(globalThis.devicePixelRatio || 1, 2);
  const [width, height] = [Math.round(size.w * ratio), Math.round(size.h * ratio)];
  if (canvas.width !== width) canvas.width = width;
  if (canvas.height !== height) canvas.height = height;
  const style = getComputedStyle(canvas);
  const area = inView(camera, size, 0);
  const { x, y, k } = camera;
  paint.setTransform(1, 0, 0, 1, 0, 0);
  paint.clearRect(0, 0, width, height);
  paint.setTransform(ratio * k, 0, 0, ratio * k, ratio * x, ratio * y);
  if (k > THINNEST) {
    paint.beginPath();
    for (const { wire, box } of scene.wires) {
      const [from, to] = [scene.boxes.get(wire.from), scene.boxes.get(wire.to)];
      if (!from || !to || !overlaps(box, area)) continue;
      paint.moveTo(from.x + from.box.w / 2, from.y + from.box.h / 2);
      paint.lineTo(to.x + to.box.w / 2, to.y + to.box.h / 2);
    }
    paint.strokeStyle = style.getPropertyValue("--gw-wire");
    paint.lineWidth = 1.6;
    paint.stroke();
  }
  const byColour = new Map<string, Path2D>();
  const names: [string, number, number, number][] = [];
  for (const placed of scene.boxes.values()) {
    const rect = rectOf(placed, scene.direction);
    if (!overlaps(rect, area)) continue;
    const colour = colourOf(placed);
    const path = byColour.get(colour) ?? new Path2D();
    byColour.set(colour, path);
    // At least a pixel of each box remains.
    path.rect(placed.x, placed.y, Math.max(placed.box.w, 1 / k), Math.max(placed.box.h, 1 / k));
    const name = groupName(placed);
    if (name !== null) names.push([name, rect.x * k + x, rect.y * k + y, rect.w * k]);
  }
  for (const [colour, path] of byColour) {
    paint.fillStyle = style.getPropertyValue(colour);
    paint.fill(path);
  }
  paint.setTransform(ratio, 0, 0, ratio, 0, 0);
  paint.font = `600 11px ${style.fontFamily}`;
  paint.fillStyle = style.getPropertyValue("--gw-text");
  for (const [name, left, top, room] of names) {
    if (paint.measureText(name).width <= Math.max(room, 40)) paint.fillText(name, left, top - 3);
  }
}
