/* Walking over the picture with the keyboard: from box to box along the wires. */

import { useEffect } from "preact/hooks";
import { valueKey } from "../../graph/keys";
import { rectOf, type Placed, type Scene } from "../../scene/scene";
import type { Store } from "../../store/store";
import { goTo, inside, pan, READING } from "./camera";
import { release, type ViewState } from "../view-state";

export type Arrow = "ArrowLeft" | "ArrowRight" | "ArrowUp" | "ArrowDown";

interface Centre {
  readonly key: string;
  readonly x: number;
  readonly y: number;
}

function centreOf(placed: Placed, scene: Scene): Centre {
  const { x, y, w, h } = rectOf(placed, scene.direction);
  return { key: placed.box.key, x: x + w / 2, y: y + h / 2 };
}

/**
 * The box that an arrow leads to from another: along the flow by a wire, the straightest one;
 * across it to the nearest neighbour.
 */
export function stepAlong(scene: Scene, key: string, arrow: Arrow): string | null {
  const here = scene.boxes.get(key);
  if (!here) return null;
  const from = centreOf(here, scene);
  const [ahead, back] =
    scene.direction === "LR"
      ? (["ArrowRight", "ArrowLeft"] as const)
      : (["ArrowDown", "ArrowUp"] as const);
  const others: Centre[] = [];
  if (arrow === ahead || arrow === back) {
    for (const { wire } of scene.wires) {
      const [start, end] = arrow === ahead ? [wire.from, wire.to] : [wire.to, wire.from];
      const other = start === key ? scene.boxes.get(end) : undefined;
      if (other) others.push(centreOf(other, scene));
    }
    return nearest(from, others, () => true);
  }
  for (const placed of scene.boxes.values()) {
    if (placed !== here) others.push(centreOf(placed, scene));
  }
  return nearest(from, others, ({ x, y }) => {
    const [dx, dy] = [x - from.x, y - from.y];
    switch (arrow) {
      case "ArrowLeft":
        return -dx > Math.abs(dy) / 2;
      case "ArrowRight":
        return dx > Math.abs(dy) / 2;
      case "ArrowUp":
        return -dy > Math.abs(dx) / 2;
      default:
        return dy > Math.abs(dx) / 2;
    }
  });
}

function nearest(
  from: Centre,
  others: readonly Centre[],
  counts: (other: Centre) => boolean,
): string | null {
  let found: string | null = null;
  let least = Infinity;
  for (const other of others) {
    const distance = Math.hypot(other.x - from.x, other.y - from.y);
    if (distance < least && counts(other)) [found, least] = [other.key, distance];
  }
  return found;
}

const ARROWS: ReadonlySet<string> = new Set(["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"]);

/** Alt and an arrow: to the next box. Gives whether the key was one of these. */
export function walkKey(event: KeyboardEvent, store: Store, view: ViewState): boolean {
  if (!event.altKey || event.ctrlKey || event.metaKey || !ARROWS.has(event.key)) return false;
  event.preventDefault();
  const scene = store.scene.value;
  const from = view.focused.value;
  const to =
    from === null || !scene.boxes.has(from)
      ? entry(store, scene)
      : stepAlong(scene, from, event.key as Arrow);
  if (to !== null) focusBox(to, store, view);
  return true;
}

/** Where the keyboard enters the picture: at what is selected, else at what came last. */
function entry(store: Store, scene: Scene): string | null {
  const selected = store.selected.value;
  const key = selected === null ? store.chosen.value : valueKey(selected);
  if (key !== null && scene.boxes.has(key)) return key;
  return [...scene.boxes.keys()].at(-1) ?? null;
}

/** Moves the camera to a box as far as needed, and the focus with it. */
export function focusBox(key: string, store: Store, view: ViewState): void {
  const scene = store.scene.value;
  const placed = scene.boxes.get(key);
  if (!placed) return;
  const [rect, size, camera] = [
    rectOf(placed, scene.direction),
    view.size.value,
    view.camera.value,
  ];
  view.focused.value = key;
  if (camera.k < READING) view.camera.value = goTo(camera, rect, size);
  else if (!inside(rect, camera, size, 8)) {
    release(view);
    view.camera.value = pan(camera, rect, size);
  }
}

const BOX = "[data-key]";

/**
 * One box of the picture can be reached with Tab, the others from it: the one that last had the
 * focus. A box that had it and is drawn no more gives it to the nearest that is.
 */
export function useRoving(svg: { readonly current: SVGSVGElement | null }, view: ViewState): void {
  useEffect(() => {
    const root = svg.current;
    if (!root) return undefined;
    let had = false; // whether the focus is in the picture
    const all = (): Element[] => [...root.querySelectorAll(BOX)];
    const settle = (): void => {
      const boxes = all();
      const key = view.focused.value;
      const stop =
        boxes.find((box) => box.getAttribute("data-key") === key) ??
        boxes.find((box) => box.classList.contains("gw-selected")) ??
        boxes.findLast((box) => box.getAttribute("data-key")?.startsWith("v")) ??
        boxes.at(-1);
      for (const box of root.querySelectorAll(`${BOX}[tabindex="0"]`)) {
        if (box !== stop) reach(box, false);
      }
      const lost = had && !root.contains(document.activeElement) && nothingFocused();
      if (!stop) {
        if (lost) root.closest<HTMLElement>(".gw")?.focus({ preventScroll: true });
        return;
      }
      reach(stop, true);
      const asked = view.focused.value !== null && had && !stop.contains(document.activeElement);
      if (lost || (asked && stop.getAttribute("data-key") === key)) focus(stop);
    };
    const focused = (event: FocusEvent): void => {
      const box = event.target instanceof Element ? event.target.closest(BOX) : null;
      had = true;
      view.focused.value = box?.getAttribute("data-key") ?? null;
      settle();
    };
    const blurred = (event: FocusEvent): void => {
      if (event.relatedTarget instanceof Node && !root.contains(event.relatedTarget)) had = false;
    };
    const elsewhere = (event: FocusEvent): void => {
      if (!event.composedPath().includes(root)) had = false;
    };
    const unsubscribe = view.focused.subscribe((key) => {
      if (key === null) return;
      had = true;
      requestAnimationFrame(settle); // the box may only now come into view
    });
    const observer = new MutationObserver(settle);
    observer.observe(root, { childList: true, subtree: true });
    root.addEventListener("focusin", focused);
    root.addEventListener("focusout", blurred);
    document.addEventListener("focusin", elsewhere);
    settle();
    return () => {
      unsubscribe();
      observer.disconnect();
      root.removeEventListener("focusin", focused);
      root.removeEventListener("focusout", blurred);
      document.removeEventListener("focusin", elsewhere);
    };
  }, []);
}

function nothingFocused(): boolean {
  const at = document.activeElement;
  return at === null || at === document.body;
}

/** Whether Tab reaches a box and the switches on it. */
function reach(box: Element, on: boolean): void {
  const value = on ? "0" : "-1";
  if (!isFrame(box)) box.setAttribute("tabindex", value);
  for (const part of box.querySelectorAll("[tabindex]")) part.setAttribute("tabindex", value);
}

/** Gives a box the focus; of a frame, its title, which closes it. */
function focus(box: Element): void {
  const own = isFrame(box) ? box.querySelector("[tabindex]") : box;
  if (own instanceof SVGElement) own.focus({ preventScroll: true });
}

const isFrame = (box: Element): boolean => box.getAttribute("data-testid") === "frame";
