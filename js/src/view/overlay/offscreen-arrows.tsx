/* Links at the edges of the window, to the ends of stale values' arrows that are out of view. */

import { cut } from "../../log/format";
import type { Direction, Point } from "../../scene/flow";
import { rectOf } from "../../scene/scene";
import type { Store } from "../../store/store";
import { inView, overlaps, type Camera, type Size } from "../stage/camera";
import { along, staleArrows, type ArrowEnd, type StaleArrow } from "./stale-arrows";
import { UNSEEN, type ViewState } from "../view-state";
import { t } from "../../text/text";

type Side = "left" | "right" | "top" | "bottom";

export interface OffscreenEnd {
  readonly key: string;
  readonly text: string;
  readonly side: Side;
  /** Where its middle stands along that side, in pixels of the window. */
  readonly at: number;
}

/** More links than these would cover the picture. */
const MOST = 3;

/** Of arrows with one end in view, the other ends. */
export function offscreenEnds(
  arrows: readonly StaleArrow[],
  direction: Direction,
  camera: Camera,
  size: Size,
): readonly OffscreenEnd[] {
  const window = inView(camera, size, 0);
  const isSeen = ({ placed }: ArrowEnd): boolean => overlaps(rectOf(placed, direction), window);
  const found = new Map<string, OffscreenEnd>();
  for (const { writer, saver, points } of arrows) {
    if (isSeen(writer) === isSeen(saver)) continue;
    const there = isSeen(writer) ? saver : writer;
    const { key } = there.placed.box;
    const [side, at] = exit((t) => along(points, there === saver ? t : 1 - t), camera, size);
    found.set(key, { key, text: wordsOf(there, side), side, at });
  }
  return [...found.values()].slice(0, MOST);
}

/** How finely it is looked where a curve leaves the window. */
const STEPS = 64;

/** The side on which a curve leaves the window, and where. */
function exit(curve: (t: number) => Point, { x, y, k }: Camera, { w, h }: Size): [Side, number] {
  const at = (t: number): [number, number] => [curve(t).x * k + x, curve(t).y * k + y];
  for (let step = 0; step < STEPS; step += 1) {
    const [left, top] = at(step / STEPS);
    if (left < 0 || left > w) return [left < 0 ? "left" : "right", top];
    if (top < 0 || top > h) return [top < 0 ? "top" : "bottom", left];
  }
  const [left, top] = at(1);
  return [left > w / 2 ? "right" : "left", top];
}

const ARROWS = { left: "←", right: "→", top: "↑", bottom: "↓" } as const;

function wordsOf({ placed: { box }, line }: ArrowEnd, side: Side): string {
  const name = cut(box.kind === "pill" ? box.sign : box.title, 24);
  const words = line === null ? name : `${name} · ${line}`;
  return side === "left" ? `${ARROWS[side]} ${words}` : `${words} ${ARROWS[side]}`;
}

/** From a link to the ends of its side, in pixels. */
const MARGIN = 70;

/** Links at the edges of the window to where arrows go that leave it. */
export function OffscreenArrows({ store, view }: { store: Store; view: ViewState }) {
  const [camera, size] = [view.camera.value, view.size.value];
  const scene = store.scene.value;
  if (camera === UNSEEN || store.shown.hazards.value.length === 0) return null;
  const arrows = staleArrows(store.model.value, scene, store.shown.hazards.value);
  return (
    <>
      {offscreenEnds(arrows, scene.direction, camera, size).map(({ key, text, side, at }) => {
        const upright = side === "left" || side === "right";
        const [least, most] = upright ? [20, size.h - 20] : [MARGIN, size.w - MARGIN];
        const along = `${Math.max(least, Math.min(most, at))}px`;
        return (
          <button
            key={key}
            type="button"
            class={`gw-chip gw-chip-wrong gw-offscreen gw-offscreen-${upright ? "upright" : "flat"}`}
            style={{ [side]: "6px", [upright ? "top" : "left"]: along }}
            data-testid="offscreen-arrow"
            title={t.bars.view.otherEnd}
            onClick={() => {
              store.seek(key);
            }}
          >
            {text}
          </button>
        );
      })}
    </>
  );
}
