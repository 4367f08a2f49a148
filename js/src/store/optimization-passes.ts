/*
 * Optimization passes over a static graph: what the one shown changed, and whether the program is
 * drawn as it was before it, as it is after it, or both.
 */

import { computed, signal } from "@preact/signals";
import { changesOf, type Change, type Changes } from "../graph/changes";
import { callKey, scopeOfKey, valueKey } from "../graph/keys";
import type { PassRow } from "../log/model";
import type { Scene } from "../scene/scene";
import type { Derived } from "./derived";

/** The program before the pass, after it, or both with what changed. */
export type Look = "before" | "changes" | "after";

export type Passes = ReturnType<typeof createPasses>;

export function createPasses({ model, present, scene }: Derived) {
  const look = signal<Look>("changes");
  const changes = computed(() => changesOf(model.value));
  /** All passes, and the one that is shown. */
  const passes = computed((): readonly PassRow[] => present.value.passes);
  const passShown = computed(() => model.value.passes.length - 1);
  /** The scene as it is drawn: of a pass, what was before it, what is after it, or both. */
  const drawnScene = computed(() =>
    changes.value && look.value !== "changes"
      ? half(scene.value, changes.value, look.value)
      : scene.value,
  );
  return { look, changes, passes, passShown, drawnScene };
}

/** The scene without what the other side of a pass has. */
function half(scene: Scene, { before, pass, calls, values, reads }: Changes, look: Look): Scene {
  const gone: Change = look === "before" ? "added" : "removed";
  const hidden = new Set<string>();
  for (const [call, change] of calls) if (change === gone) hidden.add(callKey(call));
  for (const [value, change] of values) if (change === gone) hidden.add(valueKey(value));
  const boxes = new Map([...scene.boxes].filter(([key]) => !hidden.has(key)));
  const blocks = new Set((look === "before" ? before : pass)?.steps.map(([, , block]) => block));
  const frames = [...scene.frames].filter(([key]) => {
    const scope = scopeOfKey(key);
    return scope === null || blocks.has(scope);
  });
  const isNew = newReads({ before, pass, reads });
  const wires = scene.wires.filter(
    ({ wire }) =>
      boxes.has(wire.from) &&
      boxes.has(wire.to) &&
      !(look === "before" && wire.way === "in" && isNew(wire.call, wire.value)),
  );
  return { ...scene, boxes, frames: new Map(frames), wires };
}

/** Tells whether a call that was there before reads a value only since this pass. */
export function newReads({
  before,
  pass,
}: Pick<Changes, "before" | "pass" | "reads">): (call: number, value: number) => boolean {
  const was = new Map(before?.steps.map(([call, inputs]) => [call, inputs]));
  const is = new Map(pass.steps.map(([call, inputs]) => [call, inputs]));
  return (call, value) => {
    const old = was.get(call);
    return old !== undefined && !old.includes(value) && (is.get(call)?.includes(value) ?? false);
  };
}
