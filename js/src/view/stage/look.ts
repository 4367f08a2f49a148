/* What is worth looking at: what a picture opens on, what a step is about, what was asked for. */

import { ageOf, holdsNode } from "../../graph/draw/boxes";
import { nodeOfKey, valueKey, writerKeys } from "../../graph/keys";
import { isGraphName } from "../../graph/names";
import { RAISED_KEY } from "../../graph/select/raised";
import { isTrained } from "../../graph/select/versions";
import { overwriteOf } from "../../graph/select/select";
import type { Hazard, Model, WriteRow } from "../../log/model";
import { rectOf, type Placed, type Scene } from "../../scene/scene";
import type { Rect } from "../../scene/flow";
import type { Store } from "../../store/store";
import { changedRect } from "../overlay/pass-marks";
import { BRIEF, READING, union, type Size, type Subject } from "./camera";

/**
 * What the camera keeps in view when the whole is too large: at first what matters most, and once
 * the user walks through time what the step shown is about. Of an error all must be read; else it is
 * enough to see the whole that its names can be read.
 */
export function subjectOf(store: Store, scene: Scene, size: Size): Subject | null {
  const { direction } = scene;
  const of = (rect: Rect | null, close: boolean): Subject | null =>
    rect && { rect, direction, reading: readingOf(scene), names: !close };
  if (store.passes.value.length > 0) return of(changedRect(store, scene), true);
  const step = (): Rect | null => stepSubject(store, scene);
  if (isWalked(store)) return of(step(), false);
  const wrong = wrongSubject(store, scene, size);
  if (wrong) return of(wrong, true);
  const last = lastNamed(store.model.value, scene);
  return of(last ? rectOf(last, direction) : step(), false);
}

/** Whether the reader goes through the steps. */
export const isWalked = ({ walked, liveRun }: Store): boolean =>
  walked.value || liveRun.value !== null;

/** The scale at which all texts of a scene can be read. */
export const readingOf = ({ gaps }: Scene): number => (gaps === "brief" ? BRIEF : READING);

/** This cell's error, else a hazard. */
function wrongSubject(store: Store, scene: Scene, size: Size): Rect | null {
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
  return null;
}

/** The stale slot with what wrote it, when both can be seen together. */
export function hazardRect(model: Model, scene: Scene, hazard: Hazard, size: Size): Rect | null {
  const owner = pillOfNode(scene, hazard.node.node);
  const write = overwriteOf(model, hazard);
  const writer = write && writerOf(scene, write);
  const [a, b] = [owner, writer].map((placed) => placed && rectOf(placed, scene.direction));
  if (!a || !b) return a ?? b ?? null;
  const both = union(a, b);
  const seen = both.w * READING <= size.w - 40 && both.h * READING <= size.h - 40;
  return seen ? both : a;
}

/** The value with a name that was computed last: a loss, an output; without gradients if need be. */
function lastNamed(model: Model, scene: Scene): Placed | undefined {
  const cell = model.cellTimes.at(-1) ?? 0;
  let found: Placed | undefined;
  let newest = [-1, -1]; // a variable's name comes before one of a static graph, a graph before none
  for (const placed of scene.boxes.values()) {
    const { box } = placed;
    if (box.kind !== "card" || box.copy || !box.named) continue;
    const { time, names, leaf, call } = box.value;
    if (leaf && (call === null || isTrained(box.value))) continue;
    const own = names.length > 0 && !names.slice(-1).some(isGraphName);
    const rank = (own ? 1 : 0) + (leaf ? 0 : 2);
    const [before = -1, latest = -1] = newest;
    const newer = rank > before || (rank === before && time > latest);
    if (newer && time >= cell) [found, newest] = [placed, [rank, time]];
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
  const node = nodeOfKey(key);
  return known || node === null ? known : pillOfNode(scene, node);
}

/** The box that stands for a write. */
export function writerOf({ boxes }: Scene, write: WriteRow): Placed | undefined {
  for (const key of writerKeys(write)) {
    const placed = boxes.get(key);
    if (placed) return placed;
  }
  return undefined;
}

function pillOfNode(scene: Scene, node: number): Placed | undefined {
  for (const placed of scene.boxes.values()) {
    if (holdsNode(placed.box, node)) return placed;
  }
  return undefined;
}
