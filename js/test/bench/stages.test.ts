import { expect, it } from "vitest";

import { buildGraph, type Graph } from "../../src/graph/graph";
import { planOf } from "../../src/graph/plan";
import { hazards } from "../../src/log/model";
import { BLANK, nextPicture, type Picture } from "../../src/scene/pictures";
import { Timeline } from "../../src/log/timeline";
import { createStore } from "../../src/store/store";
import { manyBoxes } from "../examples";

function timed<T>(name: string, run: () => T, times = 20): T {
  let result = run();
  const all: number[] = [];
  for (let i = 0; i < times; i += 1) {
    const start = performance.now();
    result = run();
    all.push(performance.now() - start);
  }
  all.sort((a, b) => a - b);
  console.log(`${name.padEnd(28)} ${(all[all.length >> 1] ?? 0).toFixed(2)} ms`);
  return result;
}

it("times each stage for a graph of 1,000 boxes", () => {
  const program = manyBoxes(470);
  const timeline = new Timeline();
  timeline.append(program.json);
  let t = timeline.end - 400;
  const model = timed("timeline.at, one step", () => timeline.at((t += 3)));
  timed("hazards", () => hazards(model));
  const graph = timed("buildGraph", () => buildGraph(model));
  timed("plan", () => planOf(model, { everything: false, opened: new Map() }));
  const whole = buildGraph(timeline.at(timeline.end));
  console.log(`${whole.boxes.size} boxes, ${whole.wires.length} wires`);
  const wish = { whole, direction: "LR", room: { w: 900, h: 400 }, state: "" } as const;
  const draw = (last: Picture, now: Graph) => nextPicture(last, { ...wish, graph: now });
  const first = timed("first layout and scene", () => draw(BLANK, whole), 5);
  timed("scene in a known layout", () => draw(first, graph));
  const store = createStore();
  store.load(program.packed());
  expect(store.scene.value.boxes.size).toBeGreaterThan(5); // a few closed parts
  let i = 600;
  timed("store: next step", () => {
    store.goTo((i += 1));
    return [store.scene.value, store.explanation.value, store.shown.hazards.value];
  });
});
