/* Where the camera stands: fitting, following and zooming, as pure functions. */

import { BRIEF, NAMES, PADDING, READING, type Direction, type Rect } from "../../scene/flow";

export { BRIEF, NAMES, PADDING, READING };

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

const LARGEST = 1.15;

const SMALLEST = 0.004;
const NEAREST = 3;

/** The whole rectangle in the middle of the view, however small that makes it. */
export function fit(bounds: Rect, size: Size): Camera {
  const k = Math.min(
    LARGEST,
    (size.w - 2 * PADDING) / Math.max(bounds.w, 1),
    (size.h - 2 * PADDING) / Math.max(bounds.h, 1),
  );
  return centred(bounds, size, Math.max(k, SMALLEST));
}

/** A rectangle's middle in the middle of the view. */
export function centred(rect: Rect, size: Size, k: number): Camera {
  const { x, y } = middle(rect);
  return { k, x: size.w / 2 - k * x, y: size.h / 2 - k * y };
}

/** What the camera is to show, and which way the picture flows towards it. */
export interface Subject {
  readonly rect: Rect;
  readonly direction: Direction;
  /** The scale at which all of it can be read. */
  readonly reading: number;
  /** Whether names are enough to see the whole. */
  readonly names: boolean;
}

/**
 * Where the camera goes by itself: the whole picture while it can be read, else at reading size
 * with the subject in view, moving no further than it must.
 */
export function follow(camera: Camera, bounds: Rect, subject: Subject | null, size: Size): Camera {
  const whole = fit(bounds, size);
  if (!subject || whole.k >= (subject.names ? NAMES : subject.reading)) {
    // Small growth is no reason to move: the picture stays while all of it is in view.
    const least = Math.min(whole.k, Math.max(READING, whole.k * 0.85));
    const near = camera.k <= LARGEST && camera.k < whole.k * 1.35 && camera.k >= least;
    return near && inside(bounds, camera, size, 8) ? camera : whole;
  }
  const read = camera.k >= subject.reading && camera.k <= LARGEST;
  const next = read ? pan(camera, subject.rect, size) : opening(subject, size);
  return within(next, bounds, size);
}

/** Where the camera goes with a step in a picture that is known: no further than it must. */
export function bring(camera: Camera, subject: Subject, size: Size): Camera {
  if (camera.k < NAMES) return opening(subject, size);
  return inside(subject.rect, camera, size, 8) ? camera : pan(camera, subject.rect, size);
}

/** A first look at a subject: near the end of the view, so that what it came from is seen too; but
 * all of it, where there is room. */
function opening({ rect, direction, reading: k }: Subject, size: Size): Camera {
  const { x, y } = middle(rect);
  const [along, across] = direction === "LR" ? [0.75, 0.5] : [0.5, 0.75];
  const camera = { k, x: size.w * along - k * x, y: size.h * across - k * y };
  return inside(rect, camera, size, 0) ? camera : pan(camera, rect, size);
}

/** The camera with no more empty space than it must show: a side that fits is in the middle. */
export function within({ x, y, k }: Camera, bounds: Rect, size: Size): Camera {
  const side = (at: number, from: number, length: number, room: number): number => {
    if (length * k <= room - 2 * PADDING) return room / 2 - k * (from + length / 2);
    return Math.min(PADDING - from * k, Math.max(room - PADDING - (from + length) * k, at));
  };
  return {
    k,
    x: side(x, bounds.x, bounds.w, size.w),
    y: side(y, bounds.y, bounds.h, size.h),
  };
}

function middle(rect: Rect): { x: number; y: number } {
  return { x: rect.x + rect.w / 2, y: rect.y + rect.h / 2 };
}

export function inside(rect: Rect, { x, y, k }: Camera, size: Size, margin: number): boolean {
  return (
    rect.x * k + x >= margin &&
    rect.y * k + y >= margin &&
    (rect.x + rect.w) * k + x <= size.w - margin &&
    (rect.y + rect.h) * k + y <= size.h - margin
  );
}

/** The least movement that brings a rectangle into view, with some air around it. */
export function pan(camera: Camera, rect: Rect, size: Size): Camera {
  const shift = (from: number, to: number, room: number): number => {
    const air = Math.min(90, room / 4, Math.max(8, (room - (to - from)) / 2));
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

/** Goes to a box that was asked for: at reading size, no further than it must. */
export function goTo(camera: Camera, rect: Rect, size: Size): Camera {
  if (camera.k < READING || camera.k > NEAREST) return centred(rect, size, READING);
  return inside(rect, camera, size, 12) ? camera : centred(rect, size, camera.k);
}

/**
 * Goes to a group that was opened, where not all of it is in view: to as much `around` it (from the
 * largest to the group itself) as can be read, else to all of it if its names can be read. Of a
 * larger group the beginning is shown.
 */
export function toFrame(camera: Camera, around: readonly Rect[], bounds: Rect, size: Size): Camera {
  const frame = around.at(-1);
  if (!frame || (camera.k >= READING && inside(frame, camera, size, 0))) return camera;
  const near = fit(frame, size).k;
  if (near < NAMES) {
    const k = Math.max(camera.k, READING); // as near as `goTo` comes
    const { x, y } = frame;
    const w = Math.min(frame.w, size.w / k - 2 * PADDING);
    const h = Math.min(frame.h, size.h / k - PADDING);
    return within(goTo(camera, { x, y, w, h }, size), bounds, size);
  }
  const least = Math.min(near, READING);
  const most = around.find((rect) => fit(rect, size).k >= least) ?? frame;
  const k = Math.min(fit(most, size).k, Math.max(camera.k, READING));
  return within(centred(most, size, k), bounds, size);
}

/** Larger or smaller around a point of the view that stays where it is. */
export function zoom(camera: Camera, factor: number, x: number, y: number): Camera {
  const k = Math.min(NEAREST, Math.max(SMALLEST, camera.k * factor));
  const ratio = k / camera.k;
  return { k, x: x - (x - camera.x) * ratio, y: y - (y - camera.y) * ratio };
}

/** The part of the plane that is in view, with a margin of a share of it on every side. */
export function inView({ x, y, k }: Camera, size: Size, margin = 0.35): Rect {
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

export function encloses(a: Rect, b: Rect): boolean {
  return a.x <= b.x && a.y <= b.y && a.x + a.w >= b.x + b.w && a.y + a.h >= b.y + b.h;
}

/** The smallest rectangle around two. */
export function union(a: Rect, b: Rect): Rect {
  const [x, y] = [Math.min(a.x, b.x), Math.min(a.y, b.y)];
  return {
    x,
    y,
    w: Math.max(a.x + a.w, b.x + b.w) - x,
    h: Math.max(a.y + a.h, b.y + b.h) - y,
  };
}
