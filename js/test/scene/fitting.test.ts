import { describe, expect, it, vi } from "vitest";
import { buildGraph, type Graph } from "../../src/graph/graph";
import { contentOf, detailsByLine, detailsOf, planOf, type Detail } from "../../src/graph/plan";
import { fold } from "../../src/log/fold";
import { fitting, sizeOf } from "../../src/scene/fitting";
import { NAMES, READING } from "../../src/scene/flow";
import { BLANK, nextPicture } from "../../src/scene/pictures";
import { atOnce, type Work } from "../../src/sliced-work";
import { createStore } from "../../src/store/store";
import { Program } from "../builder";
import { exampleA, exampleC } from "../examples";

/** A model of two blocks, and a loss of it. */
function trained(blocks = 2): Program {
  const p = new Program();
  p.cell();
  let h = p.leaf("x", [1, 2], false);
  p.within("module", "net", "Net", () => {
    for (let i = 0; i < blocks; i += 1) {
      const w = p.parameter(`net.layers[${i}].w`, [1, 2]);
      p.within("module", `net.layers[${i}]`, `Block${i}`, () => {
        for (let k = 0; k < 3; k += 1) h = p.op("mul", [h, w]);
      });
    }
  });
  p.op("mean", [p.op("mul", [p.op("add", [h, 1]), h])], "loss");
  return p;
}

const choices = { everything: false, opened: new Map<string, boolean>() };

function drawn(p: Program) {
  const model = fold(p.events());
  const draw = (detail: Detail): Graph => buildGraph(model, planOf(model, choices, detail).plan);
  return { draw, details: () => detailsOf(contentOf(model, false)) };
}

describe("the size of a graph", () => {
  it("is known along the flow before it is laid out, and nearly so across it", () => {
    for (const program of [exampleA(), exampleC(), trained()]) {
      const { draw, details } = drawn(program);
      for (const detail of details()) {
        const graph = draw(detail);
        const wish = { graph, whole: graph, room: { w: 900, h: 400 }, state: "" };
        for (const direction of ["LR", "TD"] as const) {
          const { bounds } = nextPicture(BLANK, { ...wish, direction }).scene;
          const size = sizeOf(graph, direction);
          const [along, across] =
            direction === "LR" ? (["w", "h"] as const) : (["h", "w"] as const);
          expect(Math.abs(size[along] - bounds[along])).toBeLessThan(3);
          expect(size[across]).toBeLessThanOrEqual(bounds[across] + 1);
          expect(size[across]).toBeGreaterThan(bounds[across] * 0.6);
        }
      }
    }
  });
});

describe("what is shown", () => {
  it("becomes less with less room, inner groups closing first", () => {
    const { draw, details } = drawn(trained());
    // eslint-disable-next-line require-yield
    function* work(detail: Detail): Work<Graph> {
      return draw(detail);
    }
    const of = (w: number) => atOnce(fitting(details(), work, { w, h: 400 }, "LR"))?.detail;
    expect(of(9000)).toMatchObject({ depth: 2, values: "roomy" });
    const seen = [9000, 2400, 2000, 1600, 1200, 900, 700].map(of);
    for (const [i, detail] of seen.entries()) {
      const before = seen[i - 1];
      if (before) expect(detail?.depth).toBeLessThanOrEqual(before.depth);
    }
    expect(seen.at(-1)).toMatchObject({ depth: 1, values: "names" });
  });

  it("opens what hides nearly all while at least its names can be read", () => {
    const seen = (p: Program, w: number) => {
      const { draw, details } = drawn(p);
      // eslint-disable-next-line require-yield
      function* work(detail: Detail): Work<Graph> {
        return draw(detail);
      }
      const found = atOnce(fitting(details(), work, { w, h: 400 }, "LR"));
      if (!found) throw new Error("nothing fits");
      const { detail, graph } = found;
      const ops = [...graph.boxes.values()].filter(({ kind }) => kind !== "card").length;
      return { values: detail.values, ops, frames: graph.frames.size, w: sizeOf(graph, "LR").w };
    };
    const p = new Program();
    p.cell();
    let h = p.leaf("x", [1, 2], false);
    p.within("module", "layer", "Layer", () => {
      const w = p.parameter("layer.w", [1, 2]);
      for (let i = 0; i < 10; i += 1) {
        p.within("module", `layer.part${i}`, `Part${i}`, () => (h = p.op("mul", [h, w])));
      }
    });
    // Where the whole has room with its numbers, with names, with names when it is small, closed.
    expect(seen(p, 9000)).toMatchObject({ values: "roomy", ops: 10, frames: 1 });
    for (const w of [1500, 1000]) {
      const found = seen(p, w);
      expect(found).toMatchObject({ values: "names", ops: 10, frames: 1 });
      expect(found.w * NAMES).toBeLessThanOrEqual(w * READING);
    }
    expect(seen(p, 800)).toMatchObject({ values: "roomy", ops: 1, frames: 0 });
  });

  it("of a program without modules is a box for each line, rather than a part of it", () => {
    const p = new Program();
    p.cell();
    let h = p.leaf("x", [1, 2]);
    for (const name of ["a", "b", "loss"]) {
      for (let i = 0; i < 5; i += 1) h = p.op("mul", [h, 2], i === 4 ? name : undefined);
    }
    let nr = 0;
    for (const event of p.json) {
      if (event[0] !== "source" || !String(event[6]).includes("mul")) continue;
      [event[4], event[6]] = [10 + Math.floor(nr / 5), "b = a * 2 * 2 * 2 * 2 * 2"];
      nr += 1;
    }
    const model = fold(p.events());
    // eslint-disable-next-line require-yield
    function* work(detail: Detail): Work<Graph> {
      return buildGraph(model, planOf(model, choices, detail).plan);
    }
    const content = contentOf(model, false);
    const room = { w: 1000, h: 400 };
    const found = atOnce(
      fitting(detailsOf(content), work, room, "LR", detailsByLine(model, content)),
    );
    const boxes = [...(found?.graph.boxes.values() ?? [])];
    expect(boxes.flatMap((b) => (b.kind === "card" ? [b.title] : []))).toEqual(
      expect.arrayContaining(["x", "a", "b", "loss"]),
    );
    expect(boxes.flatMap((b) => (b.kind === "group" ? [[b.title, b.facts.subtitle]] : []))).toEqual(
      [10, 11, 12].map((line) => ["a * 2 * 2 * 2 * 2 * 2", `line ${line}`]),
    );
    expect(found && sizeOf(found.graph, "LR").w).toBeLessThanOrEqual(room.w);
  });

  it("without a name is a chip, or no more than its wire, where there is little room", () => {
    const { draw, details } = drawn(trained());
    const by = new Map([...details()].filter(({ depth }) => depth === 0).map((d) => [d.values, d]));
    const [cards, chips, wires] = (["cards", "chips", "wires"] as const).map((values) => {
      const detail = by.get(values);
      if (!detail) throw new Error(values);
      return draw(detail);
    });
    const unnamed = (graph?: Graph) =>
      [...(graph?.boxes.values() ?? [])].flatMap((b) => (b.kind === "card" && !b.named ? [b] : []));
    expect(unnamed(cards).map(({ slim }) => slim)).toContain(false);
    expect(unnamed(chips).every(({ slim, lines }) => slim && lines.length === 0)).toBe(true);
    expect(unnamed(wires)).toEqual([]);
    // Each op is still joined to what it reads: `mul` reads what `add` made.
    const joins = wires?.wires.map(({ from, to }) => `${from}>${to}`);
    expect(joins?.some((text) => /^c\d+>c\d+$/.test(text))).toBe(true);
    expect([...(wires?.boxes.values() ?? [])].some((b) => b.kind === "card" && b.named)).toBe(true);
  });

  it("of very many variables is a few parts, joined by what they make for each other", async () => {
    const p = new Program();
    p.cell();
    const made = [p.leaf("x", [1, 2])];
    const recent = (back: number) => made.at(-1 - (back % made.length)) ?? p.leaf("y", [1]);
    for (let i = 0; i < 1500; i += 1) {
      made.push(p.op("add", [recent(0), recent((i * i * i) % 997)], `h${i}`));
    }
    const store = createStore();
    store.load(p.packed());
    const read = () => {
      expect(store.loading.value).toBe(false);
    };
    await vi.waitFor(read, { timeout: 15_000 });
    const { boxes, wires } = store.graph.value;
    const groups = [...boxes.values()].filter((box) => box.kind === "group");
    expect(groups.reduce((sum, { facts }) => sum + facts.ops, 0)).toBe(1500);
    expect(boxes.size).toBeLessThan(20);
    for (const [i, { key }] of groups.entries()) {
      const next = groups[i + 1]?.key;
      if (next) expect(wires.some(({ from, to }) => from === key && to === next)).toBe(true);
    }
    const names = [...boxes.values()].flatMap((box) => (box.kind === "card" ? [box.title] : []));
    expect(names).toEqual(["x", "h1499"]);
  });

  it("of a store depends on its room alone, and what the reader opens opens in place", () => {
    const store = createStore();
    store.room.value = { w: 700, h: 400 };
    store.load(trained().packed());
    const closed = [...store.scene.value.boxes.keys()].filter((key) => key.startsWith("s"));
    expect(closed).toEqual(["s2", "s3"]);
    store.openGroup("s2", true);
    expect([...store.scene.value.frames.keys()]).toEqual(["s1", "s2"]);
    const { room } = store;
    store.opened.value = new Map();
    room.value = { w: 9000, h: 400 };
    expect([...store.scene.value.frames.keys()].sort()).toEqual(["s1", "s2", "s3"]);
  });

  it("stays while the reader steps through a cell, and closes no group twice", () => {
    const store = createStore();
    store.room.value = { w: 700, h: 400 };
    store.load(trained().packed());
    const known = store.scene.value.boxes;
    for (let time = store.first.value + 6; time < store.end.value; time += 2) {
      store.goTo(time);
      for (const [key, { x, y }] of store.scene.value.boxes) {
        expect(known.get(key)).toMatchObject({ x, y });
      }
      expect(store.scene.value.frames.size).toBeLessThanOrEqual(1);
    }
  });
});
