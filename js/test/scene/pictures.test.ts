import { describe, expect, it } from "vitest";
import { buildGraph, type Graph } from "../../src/graph/graph";
import { fold } from "../../src/log/fold";
import { BLANK, drawAhead, nextPicture, type Picture, type Wish } from "../../src/scene/pictures";
import { exampleC } from "../examples";

const graphAt = (time?: number): Graph => buildGraph(fold(exampleC().events().slice(0, time)));

const draw = (last: Picture, graph: Graph, wish: Partial<Wish> = {}): Picture =>
  nextPicture(last, {
    graph,
    whole: graph,
    direction: "LR",
    room: { w: 900, h: 400 },
    state: "",
    ...wish,
  });

describe("pictures", () => {
  it("follow from the last one alone, which stays as it was", () => {
    const graph = graphAt();
    const first = draw(BLANK, graphAt(20));
    const [once, again] = [draw(first, graph), draw(first, graph)];
    expect(again.scene).toEqual(once.scene);
    expect(first.memory.LR.layouts.length).toBe(1);
    expect(BLANK.memory.LR.layouts).toEqual([]);
  });

  it("stay the same object while nothing changes", () => {
    const picture = draw(BLANK, graphAt());
    expect(draw(picture, picture.graph, { room: { w: 300, h: 400 } }).scene).toBe(picture.scene);
  });

  it("are used as they were drawn ahead, and are the same as if they were not", () => {
    for (const room of [
      { w: 900, h: 400 },
      { w: 200, h: 900 },
    ]) {
      const [graph, other] = [graphAt(), graphAt()];
      const slices = [...drawAhead(graph, "auto", room)].length;
      const [one, two] = [graph, other].map((each) =>
        draw(BLANK, each, { direction: "auto", room }),
      );
      expect(one?.scene).toEqual(two?.scene);
      expect(slices).toBe(4); // a layout and a scene, in either direction
      const before = draw(BLANK, graph, { direction: "LR", room });
      expect(draw(BLANK, graph, { direction: "LR", room }).scene).toBe(before.scene);
    }
  });

  it("show a moment of the past where its boxes will stay", () => {
    const [past, whole] = [graphAt(20), graphAt()];
    const { scene } = draw(BLANK, past, { whole });
    const all = draw(BLANK, whole).scene;
    expect(scene.boxes.size).toBeLessThan(all.boxes.size);
    for (const [key, { x, y }] of scene.boxes) expect(all.boxes.get(key)).toMatchObject({ x, y });
  });

  it("iteration where the width is too small, and are laid out anew when tidied", () => {
    const graph = graphAt();
    expect(draw(BLANK, graph, { direction: "auto", room: { w: 3000, h: 900 } }).direction).toBe(
      "LR",
    );
    expect(draw(BLANK, graph, { direction: "auto", room: { w: 200, h: 900 } }).direction).toBe(
      "TD",
    );
    const grown = draw(draw(BLANK, graphAt(20)), graph);
    expect(draw(grown, graph, { state: "tidied" }).scene).toEqual(draw(BLANK, graph).scene);
  });
});
