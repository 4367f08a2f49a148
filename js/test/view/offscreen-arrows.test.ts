import { expect, it } from "vitest";
import { rectOf } from "../../src/scene/scene";
import { createStore } from "../../src/store/store";
import { offscreenEnds } from "../../src/view/overlay/offscreen-arrows";
import { centred } from "../../src/view/stage/camera";
import { staleArrows } from "../../src/view/overlay/stale-arrows";
import { exampleG } from "../examples";

it("tells at the window's edge what an arrow leads to that leaves it", () => {
  const store = createStore();
  store.load(exampleG().packed());
  const scene = store.scene.value;
  const arrows = staleArrows(store.model.value, scene, store.shown.hazards.value);
  const [arrow] = arrows;
  if (!arrow) throw new Error("nothing is stale");
  const ends = [arrow.writer, arrow.saver] as const;
  const size = { w: 60, h: 30 };
  const told = ends.map(({ placed }) =>
    offscreenEnds(arrows, scene.direction, centred(rectOf(placed, scene.direction), size, 1), size),
  );
  const line = (call: number | undefined): string => {
    const source = store.model.value.calls.get(call ?? 0)?.source ?? 0;
    return `line ${store.model.value.sources.get(source)?.line ?? "?"}`;
  };
  const calls = ends.map(({ placed: { box } }) => (box.kind === "pill" ? box.call.call : 0));
  expect(told.map(([one]) => one?.key)).toEqual([...ends].reverse().map((e) => e.placed.box.key));
  expect(told[0]?.[0]?.text).toContain(`× · ${line(calls[1])}`);
  expect(told[1]?.[0]?.text).toContain(line(calls[0]));
  const whole = { w: 4000, h: 4000 };
  const both = centred(rectOf(arrow.writer.placed, scene.direction), whole, 1);
  expect(offscreenEnds(arrows, scene.direction, both, whole)).toEqual([]);
});
