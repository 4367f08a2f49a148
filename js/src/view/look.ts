/* What is worth looking at: what a picture opens on, what a step is about, what was asked for. */

import { ageOf, holdsNode } from "../graph/boxes";
import { callKey, valueKey } from "../graph/keys";
import { RAISED_KEY } from "../graph/raised";
import { writeAt, type Hazard, type Model } from "../log/model";
import { rectOf, type Placed, type Scene } from "../scene/scene";
import type { Rect } from "../scene/flow";
import type { Store } from "../store/store";
import { changedRect } from "./changes";
import { READING, union, type Size } from "./camera";

/**
 * What the camera keeps in view when the whole is too large: at first what matters most, and once
 * the user walks through time what the step shown is about.
 */
export function subjectOf(store: Store, scene: Scene, size: Size): Rect | null {
  if (store.passes.value.length > 0) return changedRect(store, scene);
  const walks = store.walked.value || store.liveRun.value !== null;
  if (walks) return stepSubject(store, scene);
  return firstSubject(store, scene, size) ?? stepSubject(store, scene);
}

/** This cell's error, else a hazard, else the named value that was computed last. */
function firstSubject(store: Store, scene: Scene, size: Size): Rect | null {
  const { direction, boxes } = scene;
  const rect = (placed: Placed | undefined): Rect | null =>
    placed ? rectOf(placed, direction) : null;
  const model = store.model.value;
  const error = store.shown.error.value;
  const hazard = store.shown.hazards.value.at(-1);
  if (hazard && (!error || error.kind === "version")) return hazardRect(model, scene, hazard, size);
  if (error) {
    const value = error.value ?? error.inputs.at(-1) ?? null;
    const call = error.kind === "call" ? boxes.get(RAISED_KEY) : undefined;
    const failed = error.node === null ? call : pillOfNode(scene, error.node);
    const found = rect(failed) ?? (value === null ? null : rect(boxes.get(valueKey(value))));
    if (found) return found;
  }
  return rect(lastNamed(model, scene));
}

/** The stale slot with what wrote it, when both can be seen together. */
export function hazardRect(
  model: Model,
  scene: Scene,
  { node, slot }: Hazard,
  size: Size,
): Rect | null {
  const owner = pillOfNode(scene, node.node);
  const [time] = slot.stale;
  const write = time === undefined ? undefined : writeAt(model, slot.storage, time);
  const writer =
    write &&
    ((write.call === null ? undefined : scene.boxes.get(callKey(write.call))) ??
      scene.boxes.get(valueKey(write.base ?? write.value)));
  const [a, b] = [owner, writer].map((placed) => placed && rectOf(placed, scene.direction));
  if (!a || !b) return a ?? b ?? null;
  const both = union(a, b);
  const seen = both.w * READING <= size.w - 40 && both.h * READING <= size.h - 40;
  return seen ? both : a;
}

/** The value with a name that was computed last: a loss, an output. */
function lastNamed(model: Model, scene: Scene): Placed | undefined {
  const cell = model.cellTimes.at(-1) ?? 0;
  let found: Placed | undefined;
  let newest = -1;
  for (const placed of scene.boxes.values()) {
    const { box } = placed;
    if (box.kind !== "card" || box.copy || !box.named || box.value.leaf) continue;
    const { time } = box.value;
    if (time > newest && time >= cell) [found, newest] = [placed, time];
  }
  return found;
}

function stepSubject(store: Store, scene: Scene): Rect | null {
  const active = store.activeNode.value;
  // An AccumulateGrad has no pill: its step is about the leaf.
  const leaf = active === null ? null : (store.model.value.nodes.get(active)?.variable ?? null);
  let found: Placed | undefined = active === null ? undefined : pillOfNode(scene, active);
  if (!found && leaf !== null) found = scene.boxes.get(valueKey(leaf));
  let newest = -1;
  if (!found) {
    for (const placed of scene.boxes.values()) {
      const age = ageOf(placed.box);
      if (age > newest) [found, newest] = [placed, age];
    }
  }
  return found ? rectOf(found, scene.direction) : null;
}

/** Where something that was asked for is drawn: by its own key, or as a node (`n5`) of a pill. */
export function findBox(scene: Scene, key: string): Placed | undefined {
  const known = scene.boxes.get(key);
  if (known || !key.startsWith("n")) return known;
  return pillOfNode(scene, Number(key.slice(1)));
}

function pillOfNode(scene: Scene, node: number): Placed | undefined {
  for (const placed of scene.boxes.values()) {
    if (holdsNode(placed.box, node)) return placed;
  }
  return undefined;
}
