import { execFileSync, spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { ageOf } from "../../src/graph/draw/boxes";
import { buildGraph } from "../../src/graph/graph";
import { fold } from "../../src/log/fold";
import { layer } from "../../src/layout/layers";
import { MOST_STEPS, orderRanks } from "../../src/layout/order";
import { assignRanks } from "../../src/layout/ranks";
import { layout } from "../../src/layout/layout";
import { pushApart } from "../../src/layout/settle";
import type { LayoutBox, LayoutWire, Layout } from "../../src/layout/types";
import { extents } from "../../src/scene/flow";
import { layOut, NO_LEVELS } from "../../src/scene/nested";
import { boundsOf, buildScene, type Scene } from "../../src/scene/scene";
import { Program, type Tensor } from "../builder";
import { exampleA, exampleC, exampleG, manyBoxes, network } from "../examples";

interface Sample {
  boxes: LayoutBox[];
  wires: LayoutWire[];
}

function sampleOf(program: Program, until = Infinity): Sample {
  const graph = buildGraph(fold(program.events().slice(0, until)));
  const boxes = [...graph.boxes.values()].map((box) => {
    const [main, before, after] = extents(box, "LR");
    const kind = box.kind === "card" ? ("card" as const) : ("pill" as const);
    return { key: box.key, kind, main, before, after, age: ageOf(box) };
  });
  boxes.sort((a, b) => a.age - b.age);
  return { boxes, wires: [...graph.wires] };
}

const SAMPLES: Record<string, Program> = {
  A: exampleA(),
  C: exampleC(),
  G: exampleG(),
  "MLP 2": network(2, 4),
  "MLP 3": network(3, 5),
  chain: manyBoxes(60),
};

/** Which earlier values op `i` reads. */
const SHAPES: Record<string, (i: number) => number[]> = {
  chain: (i) => [i - 1],
  star: () => [0],
  grid: (i) => [i - 1, Math.max(0, i - 22)],
  "random graph": (i) => [(i * 48271) % i, (i * 16807 + 11) % i, Math.floor(i / 2)],
};

/** `ops` calls of one output each. */
function shaped(ops: number, inputsOf: (i: number) => number[]): Sample {
  const size = { main: 60, before: 20, after: 20 };
  const boxes: LayoutBox[] = [{ key: "v0", kind: "card", ...size, age: 0 }];
  const wires: LayoutWire[] = [];
  for (let i = 1; i <= ops; i += 1) {
    boxes.push({ key: `c${i}`, kind: "pill", ...size, age: 2 * i });
    boxes.push({ key: `v${i}`, kind: "card", ...size, age: 2 * i + 1 });
    inputsOf(i).forEach((from, k) => {
      wires.push({ key: `w${i}.${k}`, from: `v${from}`, to: `c${i}` });
    });
    wires.push({ key: `w${i}>`, from: `c${i}`, to: `v${i}` });
  }
  return { boxes, wires };
}

function sceneOf(program: Program): Scene {
  const graph = buildGraph(fold(program.events()));
  return buildScene(graph, layOut(graph, "LR", NO_LEVELS), "LR");
}

/** Pairs of boxes that overlap. */
function overlaps(scene: Scene): string[] {
  const found: string[] = [];
  const all = [...scene.boxes.values()].map((placed) => ({
    key: placed.box.key,
    ...boundsOf([placed], scene.direction),
  }));
  for (const [i, a] of all.entries()) {
    for (const b of all.slice(i + 1)) {
      const apart = a.x + a.w <= b.x || b.x + b.w <= a.x || a.y + a.h <= b.y || b.y + b.h <= a.y;
      if (!apart) found.push(`${a.key} ${b.key}`);
    }
  }
  return found;
}

/** The total length of the wires, as straight lines between box centres by rank and cross. */
function crossLength({ places }: Layout, wires: readonly LayoutWire[]): number {
  return wires.reduce((sum, { from, to }) => {
    return sum + Math.abs((places.get(from)?.cross ?? 0) - (places.get(to)?.cross ?? 0));
  }, 0);
}

describe("the layout", () => {
  for (const [name, program] of Object.entries(SAMPLES)) {
    it(`leads every wire of ${name} forward and lets no boxes overlap`, () => {
      const { boxes, wires } = sampleOf(program);
      const { places } = layout(boxes, wires);
      for (const { from, to } of wires) {
        expect(places.get(to)?.rank).toBeGreaterThan(places.get(from)?.rank ?? Infinity);
      }
      expect(overlaps(sceneOf(program))).toEqual([]);
    });

    it(`is the same for ${name} each time`, () => {
      const { boxes, wires } = sampleOf(program);
      expect(layout(boxes, wires)).toEqual(layout(boxes, wires));
    });

    it(`stands still when one op is added to ${name}`, () => {
      const { boxes, wires } = sampleOf(program);
      const before = layout(boxes, wires);
      for (const at of [boxes.length - 1, boxes.length >> 1, 0]) {
        const source = boxes.filter((box) => box.kind === "card")[at >> 1];
        if (!source) continue;
        const op = {
          key: "c9999",
          kind: "pill",
          main: 40,
          before: 14,
          after: 14,
          age: 1e9,
        } as const;
        const out = {
          key: "v9999",
          kind: "card",
          main: 100,
          before: 36,
          after: 36,
          age: 1e9,
        } as const;
        const after = layout(
          [...boxes, op, out],
          [
            ...wires,
            { key: "w9999.0", from: source.key, to: op.key },
            { key: "w9999>", from: op.key, to: out.key },
          ],
          before,
        );
        const moved = boxes.filter(({ key }) => {
          const [a, b] = [before.places.get(key), after.places.get(key)];
          return !a || !b || a.rank !== b.rank || Math.abs(a.cross - b.cross) > 50;
        });
        expect(moved.length / boxes.length).toBeLessThanOrEqual(0.05);
      }
    });

    it(`grows ${name} op by op about as well as at once`, () => {
      const { boxes, wires } = sampleOf(program);
      let grown = layout([], []);
      for (let time = 1; time <= program.json.length; time += 1) {
        if (program.json[time - 1]?.[0] !== "op" && time < program.json.length) continue;
        const step = sampleOf(program, time + 1);
        grown = layout(step.boxes, step.wires, grown);
      }
      const fresh = crossLength(layout(boxes, wires), wires);
      expect(crossLength(grown, wires)).toBeLessThanOrEqual(fresh * 2.5 + 400);
    });
  }

  for (const [shape, inputsOf] of Object.entries(SHAPES)) {
    it(`orders 1,000 boxes of a ${shape} in a bounded number of steps`, () => {
      const { boxes, wires } = shaped(500, inputsOf);
      expect(boxes.length).toBe(1001);
      const graph = layer(boxes, wires, assignRanks(boxes, wires));
      const before = graph.ranks.map((rank) => [...rank].sort((a, b) => a - b));
      const { steps } = orderRanks(
        graph,
        graph.items.map((item) => item.age),
        true,
      );
      // A sweep that has begun is finished: no more than one over each wire and item.
      expect(steps).toBeLessThan(MOST_STEPS * 1.5);
      expect(graph.ranks.map((rank) => [...rank].sort((a, b) => a - b))).toEqual(before);
    });
  }

  it("stands what follows a circle behind it, however the boxes are listed", () => {
    const chain = ["x", "frame", "y", "write", "kept"];
    const wires: LayoutWire[] = chain.slice(1).map((to, i) => {
      return { key: to, from: chain[i] ?? "", to };
    });
    wires.push({ key: "back", from: "y", to: "frame" });
    const size = { main: 60, before: 20, after: 20 };
    const order = ["x", "frame", "kept", "write", "y"];
    const boxes = order.map((key, age): LayoutBox => ({ key, kind: "pill", ...size, age }));
    const ranks = assignRanks(boxes, wires);
    expect([...chain].sort((a, b) => (ranks.get(a) ?? 0) - (ranks.get(b) ?? 0))).toEqual(chain);
    expect(new Set(ranks.values()).size).toBe(chain.length);
  });

  it("leads wires forward when a new wire joins boxes that stood side by side", () => {
    const { boxes, wires } = shaped(6, () => [0]);
    const before = layout(boxes, wires);
    const more = [...wires, { key: "new", from: "v5", to: "c2" }];
    const { places } = layout(boxes, more, before);
    for (const { from, to } of more) {
      expect(places.get(to)?.rank).toBeGreaterThan(places.get(from)?.rank ?? Infinity);
    }
  });

  it("pushes apart as little as needed", () => {
    expect(pushApart([0, 0], [0, 10], [1, 1])).toEqual([-5, 5]);
    expect(pushApart([0, 0], [0, 10], [1e9, 1])[0]).toBeCloseTo(0);
    expect(pushApart([0, 50], [0, 10], [1, 1])).toEqual([0, 50]);
  });
});

const dot = spawnSync("dot", ["-V"]).status === 0;

describe.skipIf(!dot)("against Graphviz's dot", () => {
  for (const [name, program] of Object.entries(SAMPLES)) {
    it(`has no more crossings in ${name}`, () => {
      const sample = sampleOf(program);
      const scene = sceneOf(program);
      const ours = straightCrossings(centres(scene), sample.wires);
      const theirs = straightCrossings(dotCentres(scene, sample), sample.wires);
      console.log(`${name}: crossings ${ours}, dot ${theirs}`);
      // Scalar units that all read each other are the hard case, where dot is still better.
      const allowed = name.startsWith("MLP") ? 2 : 1.2;
      expect(ours).toBeLessThanOrEqual(Math.ceil(theirs * allowed));
    });

    it(`has wires about as short in ${name}`, () => {
      const scene = sceneOf(program);
      const sample = sampleOf(program);
      const ours = lengthOf(centres(scene), sample.wires);
      const theirs = lengthOf(dotCentres(scene, sample), sample.wires);
      console.log(`${name}: length ${ours.toFixed(0)}, dot ${theirs.toFixed(0)}`);
      expect(ours).toBeLessThanOrEqual(theirs * 1.2);
    });
  }
});

type Centres = Map<string, readonly [number, number]>;

function centres(scene: Scene): Centres {
  return new Map(
    [...scene.boxes.values()].map(({ box, x, y }) => [box.key, [x + box.w / 2, y + box.h / 2]]),
  );
}

function lengthOf(at: Centres, wires: readonly LayoutWire[]): number {
  return wires.reduce((sum, { from, to }) => {
    const [a, b] = [at.get(from) ?? [0, 0], at.get(to) ?? [0, 0]];
    return sum + Math.hypot(a[0] - b[0], a[1] - b[1]);
  }, 0);
}

/** Positions from dot for boxes of the same size and about our distances. */
function dotCentres(scene: Scene, { wires }: Sample): Centres {
  const inch = (n: number): string => (n / 72).toFixed(3);
  const nodes = [...scene.boxes.values()].map(
    ({ box }) => `${box.key} [width=${inch(box.w)}, height=${inch(box.h)}];`,
  );
  const text = `digraph { rankdir=LR; nodesep=0.3; ranksep=0.6; node [shape=box, fixedsize=true];
    ${nodes.join("\n")} ${wires.map((w) => `${w.from} -> ${w.to};`).join("\n")} }`;
  const out = execFileSync("dot", ["-Tplain"], { input: text, encoding: "utf8" });
  const found: Centres = new Map();
  for (const line of out.split("\n")) {
    const [kind, key, x, y] = line.split(" ");
    if (kind === "node" && key) found.set(key, [Number(x) * 72, Number(y) * 72]);
  }
  return found;
}

/** Pairs of wires that cross, drawn as straight lines between the middles of their boxes. */
function straightCrossings(at: Centres, wires: readonly LayoutWire[]): number {
  let count = 0;
  for (const [i, a] of wires.entries()) {
    for (const b of wires.slice(i + 1)) if (cross(at, a, b)) count += 1;
  }
  return count;
}

function cross(at: Centres, a: LayoutWire, b: LayoutWire): boolean {
  if (new Set([a.from, a.to, b.from, b.to]).size < 4) return false;
  const p = [a.from, a.to, b.from, b.to].map((key) => at.get(key) ?? ([0, 0] as const));
  const side = (i: number, j: number, k: number): number => {
    const [[x1, y1], [x2, y2], [x3, y3]] = [p[i], p[j], p[k]] as [number, number][] as [
      [number, number],
      [number, number],
      [number, number],
    ];
    return Math.sign((x2 - x1) * (y3 - y1) - (y2 - y1) * (x3 - x1));
  };
  return side(0, 1, 2) * side(0, 1, 3) < 0 && side(2, 3, 0) * side(2, 3, 1) < 0;
}

describe("operands whose order matters", () => {
  /** The numbers at the wires of `op(first, second)`, from top to bottom. */
  const numbers = (op: string, build: (p: Program) => [Tensor, Tensor]) => {
    const p = new Program();
    p.cell();
    p.op(op, build(p), "y");
    return sceneOf(p)
      .wires.flatMap(({ operand }) => operand ?? [])
      .sort((a, b) => a.y - b.y)
      .map(({ nr }) => nr);
  };
  /** Either way wires cross, or one of two pills has its operands in another order. */
  const twisted = (p: Program): [Tensor, Tensor] => {
    const [a, b] = [p.leaf("a", [1]), p.leaf("b", [2])];
    const product = p.op("sub", [a, b], "p");
    return [product, p.op("mean", [a], "m")];
  };
  const apart = (p: Program): [Tensor, Tensor] => {
    const [a, b] = [p.leaf("a", [1]), p.leaf("b", [2])];
    const means = [p.op("mean", [a], "m"), p.op("mean", [b], "n")] as const;
    return [means[1], means[0]];
  };

  it("are drawn in it where that crosses no wires, and numbered where they are not", () => {
    expect(numbers("sub", apart)).toEqual([]);
    expect(numbers("sub", twisted)).toEqual([2, 1]);
    expect(numbers("add", twisted)).toHaveLength(0);
  });
});
