import { describe, expect, it } from "vitest";
import type { Box } from "../../src/graph/draw/boxes";
import { buildGraph, type Graph } from "../../src/graph/graph";
import { callsIn, type Group } from "../../src/graph/group/groups";
import { openByDepth } from "../../src/graph/group/open";
import { planOf } from "../../src/graph/plan";
import { fold } from "../../src/log/fold";
import type { Model } from "../../src/log/model";
import { createStore } from "../../src/store/store";
import { Program, type Tensor } from "../builder";
import { exampleA, manyBoxes } from "../examples";

const modelOf = (p: Program, until?: number): Model => fold(p.events().slice(0, until));

function draw(model: Model, opened: Record<string, boolean> = {}): Graph {
  const choices = { everything: false, opened: new Map(Object.entries(opened)) };
  return buildGraph(model, planOf(model, choices).plan);
}

const rootOf = (model: Model): Group =>
  planOf(model, { everything: false, opened: new Map() }).plan.tree.root;

const groupsIn = (graph: Graph) =>
  [...graph.boxes.values()].filter((box): box is Box & { kind: "group" } => box.kind === "group");

const titles = (graph: Graph): string[] => groupsIn(graph).map(({ facts }) => facts.title);

/** A linear layer as the recorder tells it: two ops, a weight of its own. */
function linear(p: Program, x: Tensor, name: string, weight: Tensor): Tensor {
  let y = x;
  p.within("module", name, "Linear", () => {
    y = p.op("add", [p.op("mul", [x, weight]), 1]);
  });
  return y;
}

/** `layers` blocks of `ops` plain ops each, one after the other, inside one model. */
function stack(layers: number, ops: number): Program {
  const p = new Program();
  p.cell();
  let h = p.leaf("x", [1, 2], false);
  p.within("module", "net", "Net", () => {
    for (let i = 0; i < layers; i += 1) {
      const w = p.parameter(`net.layers[${i}].w`, [1, 2]);
      p.within("module", `net.layers[${i}]`, "Block", () => {
        for (let k = 0; k < ops; k += 1) h = p.op("mul", [h, w]);
      });
    }
  });
  p.op("mean", [h], "loss");
  return p;
}

/** A training loop: each iteration runs forward and backward and writes the weight. */
function training(
  iterations: number,
  extra: (iteration: number) => boolean = () => false,
): Program {
  const p = new Program();
  p.cell();
  const x = p.leaf("x", [1, 2], false);
  const w = p.parameter("net.weight", [0.5, 0.5]);
  p.within("loop", "", "for i in range(n):", () => {
    for (let iteration = 1; iteration <= iterations; iteration += 1) {
      p.within("iteration", String(iteration), "", () => {
        let h = linear(p, x, "net", w);
        if (extra(iteration)) h = p.op("add", [h, h]);
        p.backward(p.op("mean", [h], "loss"));
        p.within("step", "SGD", "lr=0.1", () => {
          p.update(w);
        });
      });
    }
  });
  return p;
}

describe("groups", () => {
  it("draw no base that nobody wrote, named or read", () => {
    const drawnBeside = (more: (p: Program, base: number) => void): boolean => {
      const p = new Program();
      const summary = [[2], "float32", [1, 2], null, null];
      p.tell("value", 90, 90, 0, false, true, false, null, summary);
      const buffer = p.leaf("mask", [1, 2], false);
      p.tell("value", buffer.id, 90, 0, false, true, false, 90, summary);
      p.op("mul", [buffer, p.leaf("x", [1, 2])], "y");
      more(p, 90);
      return buildGraph(modelOf(p)).boxes.has("v90");
    };
    expect(drawnBeside(() => undefined)).toBe(false);
    expect(drawnBeside((p, base) => { p.tell("name", base, "b", ""); })).toBe(true); // prettier-ignore
  });

  it("draw no write into what has neither name nor history, as a gradient that is clipped", () => {
    const pills = (name?: string): number => {
      const p = new Program();
      p.op("mul", [p.leaf("x", [1, 2]), 2], "y");
      const grad = name === undefined ? p.unnamed([1]) : p.leaf(name, [1], false);
      p.fill(grad, 0.5);
      return [...buildGraph(modelOf(p)).boxes.values()].filter(({ kind }) => kind === "pill")
        .length;
    };
    expect(pills()).toBe(1);
    expect(pills("mask")).toBe(2);
  });

  it("draw no op of a hook but one that the program reads", () => {
    const signs = (reads: boolean): string[] => {
      const p = new Program();
      const x = p.leaf("x", [1, 2]);
      p.op("mul", [x, 2], "y");
      let made = x;
      p.within("hook", "hook", "", () => (made = p.op("add", [p.unnamed([1, 2]), 10])));
      if (reads) p.op("mul", [x, made], "z");
      const boxes = [...buildGraph(modelOf(p)).boxes.values()];
      return boxes.flatMap((box) => (box.kind === "pill" ? [box.sign] : []));
    };
    expect(signs(false)).toEqual(["× 2"]);
    expect(signs(true)).toEqual(["× 2", "+ 10", "×"]);
  });

  it.each([
    ["each a pill for three parameters", 3, true, 3],
    ["one pill for five", 5, true, 1],
    ["each a pill where they overwrite what was saved", 5, false, 5],
  ])("draw of an optimizer's step %s", (_, n, run, expected) => {
    const p = new Program();
    const x = p.leaf("x", [1, 2]);
    const weights = Array.from({ length: n }, (_, i) => p.parameter(`w${i}`, [1, 2]));
    const loss = weights.reduce((h, w) => p.op("mul", [h, w]), x);
    if (run) p.backward(loss);
    p.within("step", "SGD", "", () => {
      for (const w of weights) p.update(w);
    });
    const { boxes, wires } = buildGraph(modelOf(p));
    const steps = [...boxes.values()].filter((box) => box.kind === "pill" && box.late);
    expect(steps.length).toBe(expected);
    const out = wires.filter(({ from }) => steps.some(({ key }) => key === from));
    expect(out.length).toBe(n);
  });

  it("leave out what nobody reads of the tensors that state_dict() detached", () => {
    const p = new Program();
    const weights = [0, 1, 2].map((i) => p.parameter(`net.w${i}`, [1, 2]));
    for (const w of weights) p.op("mul", [p.leaf("x", [1, 2]), w], "y");
    p.within("function", "f", "", () => {
      const [copy] = weights.map((w) => p.op("detach", [w]));
      if (copy) p.op("add", [copy, 1], "z");
    });
    const pills = [...buildGraph(modelOf(p)).boxes.values()].filter(({ kind }) => kind === "pill");
    expect(pills.length).toBe(5); // one detach of three
    p.cell("net.state_dict()");
    p.within("function", "f", "", () => {
      for (const w of weights) p.op("detach", [w]);
    });
    expect(draw(modelOf(p)).boxes.size).toBeGreaterThan(0); // all that this cell did
  });

  it("hold what a module makes for itself, and not what it is given", () => {
    const homes = (open: boolean): (string | undefined)[] => {
      const p = new Program();
      const x = p.leaf("x", [1, 2], false);
      const ids: number[] = [x.id];
      const net = p.within("module", "net", "Net", () => {
        const places = p.unnamed([1, 2]);
        p.tell("name", places.id, "places", "Net.forward", 1);
        ids.push(places.id);
        p.op("mul", [p.op("add", [x, places]), 2]);
      });
      const drawn = draw(modelOf(p), { [`s${net}`]: open });
      return ids.map((id) => drawn.homes.get(`v${id}`));
    };
    expect(homes(true)).toEqual(["", "s1"]);
    expect(homes(false)).toEqual(["", undefined]);
  });

  it("are none where there are no scopes, and the graph is as it is without them", () => {
    const model = modelOf(exampleA());
    expect([...draw(model).boxes.keys()]).toEqual([...buildGraph(model).boxes.keys()]);
    expect(draw(model).frames.size).toBe(0);
  });

  it("draw a known module as one pill with its sign", () => {
    const p = new Program();
    const w = p.parameter("net.weight", [1, 2]);
    linear(p, p.leaf("x", [1, 2], false), "net", w);
    const graph = draw(modelOf(p));
    expect(groupsIn(graph).map(({ facts }) => facts.sign)).toEqual(["W·x + b"]);
    expect([...graph.boxes.values()].filter(({ kind }) => kind === "pill")).toEqual([]);
    // The parameter stands beside it, as there is room.
    expect(graph.wires.map(({ from, to }) => [from, to])).toContainEqual([`v${w.id}`, "s1"]);
  });

  it("hold what is made and read in them, also if it is read outside later", () => {
    const p = new Program();
    p.cell();
    const made: Tensor[] = [];
    p.within("loop", "", "for i in range(2):", () => {
      for (let iteration = 1; iteration <= 2; iteration += 1) {
        p.within("iteration", String(iteration), "", () => {
          const y = p.op("mul", [made.at(-1) ?? p.leaf("x", [1, 2]), 3], "y");
          let h = y;
          for (let n = 0; n < 3; n += 1) h = p.op("mul", [h, n]);
          made.push(y, p.op("mul", [h, 2], "z"));
        });
      }
    });
    const [y, z] = made;
    p.op("mul", [y ?? 0, z ?? 0], "outside");
    const model = modelOf(p);
    const [loop] = rootOf(model).items.filter((item) => typeof item === "object");
    const [iteration] = loop?.items.filter((item) => typeof item === "object") ?? [];
    const open = (keys: string[]): Graph =>
      draw(model, Object.fromEntries(keys.map((key) => [key, true])));
    const all = open([loop?.key ?? "", iteration?.key ?? ""]);
    expect(all.homes.get(`v${y?.id}`)).toBe(iteration?.key);
    expect(all.homes.get(`v${z?.id}`)).toBe(loop?.key); // the next iteration reads it
  });

  it("open outermost first while they fit, and hold every op once", () => {
    const small = draw(modelOf(stack(1, 3)));
    expect([...small.frames.keys()]).toEqual(["s1", "s2"]);
    const large = draw(modelOf(stack(1, 50)));
    expect(large.frames.size).toBe(1);
    expect(titles(large)).toEqual(["net.layers[0]"]);
    expect(groupsIn(large)[0]?.facts.ops).toBe(50);
  });

  it("are the modules alone where each iteration of a loop is one module's call", () => {
    const p = new Program();
    p.cell();
    let h = p.leaf("x", [1, 2]);
    p.within("module", "net", "Net", () => {
      p.within("loop", "", "for block in self.blocks:", () => {
        for (let i = 0; i < 3; i += 1) {
          p.within("iteration", String(i + 1), "", () => {
            p.within("module", `net.blocks[${i}]`, "Block", () => {
              for (let k = 0; k < 2 + i; k += 1) h = p.op("mul", [h, 2]);
            });
          });
        }
      });
    });
    const [net] = rootOf(modelOf(p)).items;
    const inner = typeof net === "object" ? net.items : [];
    expect(inner.map((item) => (typeof item === "object" ? item.title : item))).toEqual(
      [0, 1, 2].map((i) => `net.blocks[${i}]`),
    );
  });

  it("tell when closed of what they give, and not of what they made last for nobody", () => {
    const p = new Program();
    p.cell();
    let h = p.leaf("x", [1, 2]);
    p.within("module", "net", "Net", () => {
      const given = p.op("mul", [h, 2]);
      p.op("mean", [given]);
      h = given;
    });
    p.backward(p.op("mean", [h], "loss"));
    const model = modelOf(p);
    const open = rootOf(model).items.find((item) => typeof item === "object");
    const [net] = groupsIn(draw(model, { [open?.place ?? ""]: false }));
    expect(net?.facts.shape).toBe("(2,)");
    expect(net?.facts.norm).not.toBeNull();
  });

  it("fold equal modules in a row, and unfold them when asked", () => {
    const model = modelOf(stack(6, 5));
    const [folded, ...others] = groupsIn(draw(model));
    expect(others).toEqual([]);
    expect(folded?.facts).toMatchObject({ title: "net.layers[0…5]", times: 6, ops: 30 });
    const open = draw(model, { [folded?.facts.place ?? ""]: true });
    expect(titles(open)).toEqual([0, 1, 2, 3, 4, 5].map((i) => `net.layers[${i}]`));
    expect(open.boxes.size).toBeLessThan(40);
  });

  it("follow the user before their own default", () => {
    const model = modelOf(stack(1, 3));
    const closed = draw(model, { s1: false });
    expect(closed.frames.size).toBe(0);
    expect(titles(closed)).toEqual(["net"]);
    expect([...closed.boxes.values()].map(({ key }) => key)).toContain("v1");
  });

  it("join their wires to what stands outside, each end drawn", () => {
    for (const opened of [{}, { s1: false }, { s1: true }, { "s2×": true, s3: true }]) {
      const graph = draw(modelOf(stack(3, 4)), opened);
      const reached = new Set<string>();
      for (const { from, to } of graph.wires) {
        expect(graph.boxes.has(from) && graph.boxes.has(to)).toBe(true);
        reached.add(from).add(to);
      }
      expect([...graph.boxes.keys()].filter((key) => !reached.has(key))).toEqual([]);
    }
  });

  it("show what is wrong inside", () => {
    const p = new Program();
    p.within("module", "net", "Net", () => {
      const h = p.op("mul", [p.leaf("x", [1, NaN]), 2]);
      p.op("mean", [p.op("add", [h, 1])]);
    });
    const model = modelOf(p);
    for (const [id, value] of model.values) {
      if (value.call === null) continue;
      model.values.set(id, { ...value, summary: { ...value.summary, values: [1, "nan"] } });
    }
    expect(groupsIn(draw(model, { s1: false }))[0]?.facts.trouble).toContain("NaN");
  });

  it("are cut again where a part is still too long, and open one in the other", () => {
    const p = new Program();
    p.cell();
    let h = p.leaf("x", [1]);
    for (let i = 0; i < 700; i += 1) h = p.op("add", [h, 1]);
    const model = modelOf(p);
    const [part] = groupsIn(draw(model));
    const opened = draw(model, { [part?.facts.place ?? ""]: true });
    expect(titles(opened)).toContain("ops 1–16");
    const inner = groupsIn(opened).find(({ facts }) => facts.title === "ops 1–16");
    expect(inner?.key).not.toBe(part?.key);
    expect(opened.homes.get(inner?.key ?? "")).toBe(part?.key);
    expect([...opened.frames.values()].map(({ home }) => home)).toEqual([""]);
  });

  it("draw as one thing what one call makes much of, under its name", () => {
    const lines = (many: number): string[] => {
      const p = new Program();
      p.cell();
      const x = p.leaf("x", [1, 2]);
      const y = p.op("mul", [x, 2], "y");
      p.within("module", "net", "Net", () => {
        p.op("mul", [y, y], "first");
        let h = y;
        for (let i = 0; i < many; i += 1) h = p.op("add", [h, 1]);
        p.op("mean", [h], "loss");
      });
      return rootOf(fold(p.events()))
        .items.flatMap((item) => (typeof item === "number" ? [] : item.items))
        .flatMap((item) => (typeof item === "number" ? [] : [`${item.title} ${item.ops}`]));
    };
    expect(lines(20)).toEqual(["add() 20"]);
    expect(lines(5)).toEqual([]);
  });

  it("cut ten thousand ops into a few parts that hold them all", () => {
    const model = modelOf(manyBoxes(10_000));
    const graph = draw(model);
    expect(graph.boxes.size).toBeLessThan(60);
    expect(groupsIn(graph).reduce((sum, { facts }) => sum + facts.ops, 0)).toBe(10_001);
    const root = rootOf(model);
    expect(callsIn(root)).toEqual([...callsIn(root)].sort((a, b) => a - b));
    for (const inner of root.items) {
      if (typeof inner !== "number") expect(inner.items.length).toBeLessThanOrEqual(60);
    }
    expect(openByDepth(root)).toEqual([]);
  });
});

describe("a loop", () => {
  it("shows one iteration, the one of the moment: what forward read of a parameter, and what the step made", () => {
    const model = modelOf(training(5));
    const graph = draw(model);
    const cards = [...graph.boxes.values()].filter((box) => box.kind === "card");
    expect(cards.filter(({ value }) => value.parameter).map(({ value }) => value.version)).toEqual([
      4, 5,
    ]);
    const step = graph.wires.filter(({ value }) => model.values.get(value)?.version === 5);
    expect(step.map(({ way }) => way)).toEqual(["out"]);
    // Into the step go the version before and its gradient.
    const into = graph.wires.filter(({ stepped }) => stepped === true);
    expect(into.map(({ value }) => model.values.get(value)?.version)).toEqual([4]);
    const signs = [...graph.boxes.values()].flatMap((b) => (b.kind === "pill" ? [b.sign] : []));
    expect(signs).toEqual(["mean", "SGD"]);
    expect(groupsIn(graph).length).toBe(1);
  });

  it("says on a closed group what stepped its parameters", () => {
    const [group] = groupsIn(draw(modelOf(training(3))));
    expect(group?.facts.stepped).toBe("SGD");
    expect(groupsIn(draw(modelOf(stack(1, 50))))[0]?.facts.stepped).toBe(null);
  });

  it("gives equal structure equal places from iteration to iteration", () => {
    const p = training(4);
    const ends = p
      .events()
      .flatMap((e, t) => (e.event === "scope" && e.kind === "iteration" && !e.open ? [t] : []));
    const [second, third] = ends.slice(1, 3).map((time) => draw(modelOf(p, time)));
    const places = (graph?: Graph) => new Set(graph?.places.values());
    expect(places(second).size).toBeGreaterThan(5);
    expect(places(third)).toEqual(places(second));
    expect([...(third?.boxes.keys() ?? [])]).not.toEqual([...(second?.boxes.keys() ?? [])]);
    expect(third?.fresh.size).toBe(0);
  });

  it("marks what the iteration before did not have", () => {
    const graph = draw(modelOf(training(3, (iteration) => iteration === 3)));
    const fresh = [...graph.fresh].map((key) => graph.boxes.get(key)?.kind).sort();
    expect(fresh).toEqual(["card", "pill"]);
  });

  it.each([10, 13])("is no loop where iterations run no backward: %d iterations", (count) => {
    const p = new Program();
    let h = p.leaf("x", [1, 2]);
    p.within("loop", "", "for t in range(n):", () => {
      for (let t = 1; t <= count; t += 1) {
        p.within("iteration", String(t), "", () => {
          h = p.op("mul", [p.op("add", [h, 1]), 2]);
        });
      }
    });
    p.op("mean", [h], "loss");
    const drawn = draw(modelOf(p));
    const [loop] = [...groupsIn(drawn), ...drawn.frames.values()];
    const facts = { title: "for t in range(n)", times: count, ops: 2 * count };
    expect(loop?.facts).toMatchObject(facts);
    // A few short iterations are drawn op by op.
    const ops = [...drawn.boxes.values()].filter(({ kind }) => kind === "pill").length;
    expect(ops).toBe(count > 12 ? 1 : 21);
    if (count > 12)
      expect(titles(draw(modelOf(p), { [loop?.facts.place ?? ""]: true })).length).toBe(13);
  });
});

describe("the store", () => {
  it("opens the groups around what is sought", () => {
    const store = createStore();
    store.load(stack(1, 50).packed());
    expect(store.scene.value.boxes.has("c7")).toBe(false);
    store.seek("c7");
    expect(store.scene.value.boxes.has("c7")).toBe(true);
    expect([...store.scene.value.frames.keys()]).toEqual(["s1", "s2"]);
  });

  it("opens none around what is drawn, and those around a leaf that a call in them takes", () => {
    const p = stack(1, 50);
    const store = createStore();
    store.load(p.packed());
    const frames = (): string[] => [...store.scene.value.frames.keys()];
    const before = frames();
    const { calls, values } = store.model.value;
    const out = [...calls.values()].at(-1)?.inputs[0] ?? ""; // of both modules the last value
    const weight = [...values.values()].find(({ parameter }) => parameter)?.value ?? 0;
    const drawn = (id: unknown): boolean => store.scene.value.boxes.has(`v${String(id)}`);
    expect([drawn(out), drawn(weight)]).toEqual([true, false]);
    store.seek(`v${String(out)}`);
    expect(frames()).toEqual(before);
    store.seek(`v${String(weight)}`);
    expect(drawn(weight)).toBe(true);
  });
});
