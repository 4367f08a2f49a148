/* Where the camera stands: fitting, following and zooming, as pure functions. */

import type { Rect } from "../scene/flow";

/** A point of the plane `p` is drawn at `p * k + (x, y)`. */
export interface Camera {
  readonly x: number;
  readonly y: number;
  readonly k: number;
}

export interface Size {
  readonly w: number;
  readonly h: number;
}

const PADDING = 26;
const LARGEST = 1.25;
const SMALLEST_READABLE = 0.55;

/** The whole rectangle in the middle of the view. */
export function fit(bounds: Rect, size: Size): Camera {
  const k = Math.min(
    LARGEST,
    (size.w - 2 * PADDING) / Math.max(bounds.w, 1),
    (size.h - 2 * PADDING) / Math.max(bounds.h, 1),
  );
  const scale = Math.max(k, 0.004);
  return {
    k: scale,
    x: (size.w - bounds.w * scale) / 2 - bounds.x * scale,
    y: (size.h - bounds.h * scale) / 2 - bounds.y * scale,
  };
}

/**
 * Where the camera goes by itself: the whole picture while it can be read, else as near as it
 * can be read with `subject` in view, moving no further than it must.
 */
export function follow(camera: Camera, bounds: Rect, subject: Rect | null, size: Size): Camera {
  const whole = fit(bounds, size);
  if (whole.k >= SMALLEST_READABLE || !subject) {
    // Small growth is no reason to move: the picture stays while all of it is in view.
    const near = camera.k <= LARGEST && camera.k < whole.k * 1.35 && camera.k >= whole.k * 0.7;
    return near && inside(bounds, camera, size, 8) ? camera : whole;
  }
  const k = camera.k >= SMALLEST_READABLE && camera.k <= 1 ? camera.k : 0.75;
  const kept =
    k === camera.k
      ? camera
      : { k, x: size.w / 2 - k * middle(subject).x, y: size.h / 2 - k * middle(subject).y };
  const near = pan(kept, subject, size);
  // A side of the picture that fits is in the middle.
  return {
    k,
    x: bounds.w * k <= size.w - 2 * PADDING ? size.w / 2 - k * middle(bounds).x : near.x,
    y: bounds.h * k <= size.h - 2 * PADDING ? size.h / 2 - k * middle(bounds).y : near.y,
  };
}

function middle(rect: Rect): { x: number; y: number } {
  return { x: rect.x + rect.w / 2, y: rect.y + rect.h / 2 };
}

function inside(rect: Rect, { x, y, k }: Camera, size: Size, margin: number): boolean {
  return (
    rect.x * k + x >= margin &&
    rect.y * k + y >= margin &&
    (rect.x + rect.w) * k + x <= size.w - margin &&
    (rect.y + rect.h) * k + y <= size.h - margin
  );
}

/** The least movement that brings a rectangle into view, with some air around it. */
function pan(camera: Camera, rect: Rect, size: Size): Camera {
  const shift = (from: number, to: number, room: number): number => {
    const air = Math.min(90, room / 4);
    if (from < air) return air - from;
    if (to > room - air) return room - air - to;
    return 0;
  };
  const { k } = camera;
  return {
    k,
    x: camera.x + shift(rect.x * k + camera.x, (rect.x + rect.w) * k + camera.x, size.w),
    y: camera.y + shift(rect.y * k + camera.y, (rect.y + rect.h) * k + camera.y, size.h),
  };
}

/** Larger or smaller around a point of the view that stays where it is. */
export function zoom(camera: Camera, factor: number, x: number, y: number): Camera {
  const k = Math.min(3, Math.max(0.004, camera.k * factor));
  const ratio = k / camera.k;
  return { k, x: x - (x - camera.x) * ratio, y: y - (y - camera.y) * ratio };
}

/** The part of the plane that is in view, with half a view of margin on every side. */
export function inView({ x, y, k }: Camera, size: Size): Rect {
  const margin = 0.5;
  return {
    x: (-x - size.w * margin) / k,
    y: (-y - size.h * margin) / k,
    w: (size.w * (1 + 2 * margin)) / k,
    h: (size.h * (1 + 2 * margin)) / k,
  };
}

export function overlaps(a: Rect, b: Rect): boolean {
  return a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;
}
