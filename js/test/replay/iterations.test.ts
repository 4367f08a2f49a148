import { describe, expect, it } from "vitest";
import { PROTOCOL } from "../../src/log/events";
import { fold } from "../../src/log/fold";
import { toJson } from "../to-json";
import { nextStop, previousStop, stepOver } from "../../src/replay/stops";
import { sectionAt, sectionsOf } from "../../src/replay/iterations";
import { createStore, type Store } from "../../src/store/store";
import { Program } from "../builder";
import { training } from "../examples";

function load(...kept: number[]): Store {
  const store = createStore();
  store.load(training(6, kept).packed());
  return store;
}

describe("the iterations of a loop", () => {
  it("are found in a loop that runs backward, with the steps of each", () => {
    const store = load(1, 5, 6);
    expect(store.loop.value?.count).toBe(6);
    const loop = store.loop.value;
    if (!loop) throw new Error("no loop");
    const sections = sectionsOf(loop, store.steps.value);
    expect(sections.map(({ iteration }) => iteration?.number ?? null)).toEqual([null, 1, 5, 6]);
    const lengths = sections.map(({ first, last }) => last - first + 1);
    expect(lengths.reduce((sum, n) => sum + n, 0)).toBe(store.steps.value.length);
    expect(new Set(lengths.slice(1)).size).toBe(1); // each iteration does the same
    expect(sectionAt(sections, -1)?.iteration).toBeNull();
  });

  it("are whole only while the log still holds their first op", () => {
    expect(load(1, 5, 6).loops.value.at(-1)?.whole).toEqual([1, 5, 6]);
    const program = training(6, [1, 5, 6]);
    const begins = program.json.findIndex(
      ([kind, , , , iteration]) => kind === "scope" && iteration === "5",
    );
    const cut = begins + 4; // the kernel let go of all before this
    const state = toJson(fold(program.events().slice(0, cut)));
    const store = createStore();
    const events = [["snapshot", cut, state], ...program.json.slice(cut)];
    store.load(JSON.stringify({ protocol: PROTOCOL, first: cut - 1, events }));
    expect(store.loop.value?.count).toBe(6);
    expect(store.loops.value.at(-1)?.whole).toEqual([6]);
    store.toIteration(1);
    expect(store.lostIteration.value?.iteration).toBe(1);
  });

  it("are gone to, one after another; of those let go only the scalars are told", () => {
    const store = load(1, 5, 6);
    expect(store.section.value?.iteration?.number).toBe(6);
    store.toIteration(1);
    expect(store.section.value?.iteration?.number).toBe(1);
    expect(store.walked.value).toBe(false); // an iteration is looked at as a whole
    store.toPrevious();
    expect(store.walked.value).toBe(true);
    store.toIteration(1);
    store.toNeighbour(1);
    expect(store.section.value?.iteration?.number).toBe(5);
    const { value: time } = store.time;
    store.toIteration(3);
    expect(store.lostIteration.value?.iteration).toBe(3);
    expect(store.time.value).toBe(time);
    store.toNeighbour(-1);
    expect([store.section.value?.iteration?.number, store.lostIteration.value]).toEqual([1, null]);
    store.toNeighbour(-1);
    expect(store.index.value).toBe(-1);
    store.toNeighbour(1);
    store.toNeighbour(1);
    store.toNeighbour(1);
    expect(store.cursor.value).toBeNull();
  });

  it("are none where a loop neither runs backward nor steps an optimizer", () => {
    const store = createStore();
    store.load(training(6, [1, 5, 6], false).packed());
    expect(store.loop.value).toBeNull();
  });

  it("end before the next one begins, and before gradients are cleared", () => {
    const p = new Program();
    p.cell("for step in range(2): ...");
    const w = p.leaf("w", [1]);
    p.tell("scope", 90, null, "loop", "", "for step in range(2):", null, true);
    for (const iteration of [1, 2]) {
      p.tell("scope", 90 + iteration, 90, "iteration", String(iteration), "", null, true);
      p.backward(p.op("mean", [p.op("mul", [w, 2], "y")], "loss"));
      p.tell("grad", w.id, "cleared", null, null, null, null);
      p.tell("scope", 90 + iteration, null, "iteration", String(iteration), "", null, false);
      p.tell("curve", 90, iteration, ["loss"], [[2]]);
    }
    const store = createStore();
    store.load(p.packed());
    store.toIteration(1);
    expect(store.section.value?.iteration?.number).toBe(1);
    expect(store.model.value.values.get(w.id)?.grad).not.toBeNull();
    const drawn = [...store.graph.value.boxes.values()];
    expect(drawn.some((box) => box.kind === "card" && box.title === "loss")).toBe(true);
  });

  it("have the scalars of a loop that runs once in each of their iterations", () => {
    const p = new Program();
    p.cell("trainer.train()");
    const w = p.leaf("w", [1]);
    p.tell("scope", 90, null, "loop", "", "trainer.train()", null, true);
    for (const iteration of [1, 2, 3]) {
      const [own, inner] = [100 * iteration, 100 * iteration + 1];
      p.tell("scope", own, 90, "iteration", String(iteration), "", null, true);
      p.tell("scope", inner, own, "loop", "", "trainer.train()", null, true);
      p.tell("scope", inner + 1, inner, "iteration", "1", "", null, true);
      p.backward(p.op("mean", [p.op("mul", [w, 2], "y")], "loss"));
      for (const scope of [inner + 1, inner, own]) {
        p.tell("scope", scope, null, scope === inner ? "loop" : "iteration", "1", "", null, false);
      }
      p.tell("curve", inner, 1, ["loss"], [[iteration / 2]]);
    }
    const store = createStore();
    store.load(p.packed());
    expect(store.loops.value.map(({ row }) => row.curves)).toEqual([{ loss: [0.5, 1, 1.5] }]);
  });

  it("are of the cell that trains, not of those after it", () => {
    const program = training(6, [1, 5, 6]);
    program.cell("later");
    program.leaf("z", [1]);
    const store = createStore();
    store.load(program.packed());
    expect(store.loop.value).toBeNull();
    store.goTo(4);
    expect(store.loop.value?.count).toBe(6);
  });

  it("are still shown when a later cell only looked at things", () => {
    const program = training(6, [1, 5, 6]);
    program.cell("print(w)");
    program.tell("dead", 1);
    const store = createStore();
    store.load(program.packed());
    expect(store.section.value?.iteration?.number).toBe(6);
    program.leaf("later", [1]);
    store.load(program.packed());
    expect(store.section.value).toBeNull();
  });
});

describe("loops within loops", () => {
  /** Epochs of batches, each batch in a function that the epoch calls. */
  function epochs(count: number, batches: number): Store {
    const p = new Program();
    p.cell("for epoch in range(n): fit()");
    const w = p.leaf("w", [1]);
    p.within("loop", "", "for epoch in range(n):", () => {
      for (let epoch = 1; epoch <= count; epoch += 1) {
        p.within("iteration", String(epoch), "", () => {
          p.within("function", "fit", "", () => {
            p.within("loop", "", "for batch in data:", () => {
              for (let batch = 1; batch <= batches; batch += 1) {
                p.within("iteration", String(batch), "", () => {
                  p.backward(p.op("mul", [w, epoch * batch], "loss"));
                });
              }
            });
          });
        });
      }
    });
    const store = createStore();
    store.load(p.packed());
    return store;
  }
  const iterations = ({ loops }: Store) =>
    loops.value.map(({ section }) => section?.iteration?.number);

  it("are shown together, and an epoch with its last batch", () => {
    const store = epochs(3, 2);
    expect(iterations(store)).toEqual([3, 2]);
    store.toIteration(2, store.loops.value[0]);
    expect(iterations(store)).toEqual([2, 2]);
    store.toIteration(1);
    expect(iterations(store)).toEqual([2, 1]);
  });

  it("are gone through batch by batch, from one epoch to the next", () => {
    const store = epochs(3, 2);
    store.goTo(-1);
    const seen = Array.from({ length: 6 }, () => {
      store.toNeighbour(1);
      return iterations(store).join(".");
    });
    expect(seen).toEqual(["1.1", "1.2", "2.1", "2.2", "3.1", "3.2"]);
    store.toNeighbour(-1);
    store.toNeighbour(-1);
    expect(iterations(store)).toEqual([2, 2]);
  });
});

describe("stops", () => {
  const groups = [null, "a", "a", "a", null, "b", "b"];
  const groupAt = (step: number): string | null => groups[step] ?? null;

  it("step over what is inside a closed group, there and back", () => {
    const forward = [-1];
    while (forward.length < 6) forward.push(nextStop(forward.at(-1) ?? 0, groups.length, groupAt));
    expect(forward.slice(0, 5)).toEqual([-1, 0, 3, 4, 6]);
    const back = [6];
    while ((back.at(-1) ?? -1) >= 0) back.push(previousStop(back.at(-1) ?? 0, groupAt));
    expect(back).toEqual([6, 4, 3, 0, -1]);
  });

  it("of a waiting run: the oldest node of the group that is entered next", () => {
    // 9 -> 8 -> 7 -> 6 -> 2, of which 8, 7, 6 are one group
    const next = (node: number): number[] => (node === 6 ? [2] : node > 6 ? [node - 1] : []);
    const groupOf = (node: number): string | null => (node >= 6 && node <= 8 ? "g" : null);
    const roots = [[1, 9]] as const;
    expect(stepOver({ roots, order: [] }, next, groupOf)).toBeNull();
    expect(stepOver({ roots, order: [9] }, next, groupOf)).toBe(6);
    expect(stepOver({ roots, order: [9, 8] }, next, groupOf)).toBe(6);
    expect(stepOver({ roots, order: [9, 8, 7] }, next, groupOf)).toBeNull();
    expect(stepOver({ roots, order: [9, 8, 7, 6] }, next, groupOf)).toBeNull();
  });
});
