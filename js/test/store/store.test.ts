import { describe, expect, it, vi } from "vitest";
import type { Command } from "../../src/kernel/protocol";
import { toText } from "../../src/text/piece";
import { createStore, type Store } from "../../src/store/store";
import { Program } from "../builder";
import { exampleA, exampleC, exampleG } from "../examples";

function live(): { store: Store; sent: Command[] } {
  const store = createStore();
  const sent: Command[] = [];
  store.connect((command) => {
    sent.push(command);
    return true;
  });
  store.connection.value = "live";
  return { store, sent };
}

describe("the store", () => {
  it("tells hazards of earlier cells until what they are in has lost its names", () => {
    const p = exampleG(false);
    const store = createStore();
    const tell = (): number => {
      store.load(p.packed());
      return store.shown.older.value.length;
    };
    p.cell();
    const c = p.leaf("c", [1]);
    expect(tell()).toBe(2);
    p.cell(); // the mended cell, run anew; the notebook keeps the old loss, which it displayed
    for (const name of ["b", "loss"]) p.op("mul", [c, 2], name);
    expect(tell()).toBe(0);
  });

  it("tells no hazard of a mended cell because a graph that nobody means keeps values alive", () => {
    const p = new Program();
    const store = createStore();
    const cell = (mended: boolean): number => {
      p.cell();
      const b = p.op("add", [p.leaf("a", [1, 3]), 2], "b");
      const local = p.op("mul", [b, b], mended ? "scaled" : "weights", "forward");
      p.op("mul", [local, local], "loss"); // which saves the local
      if (!mended) p.fill(b, 1000);
      p.cell();
      p.leaf("z", [1]);
      store.load(p.packed());
      return store.shown.older.value.length;
    };
    expect(cell(false)).toBe(2);
    expect(cell(true)).toBe(0);
  });

  it("draws of a cell that only made values these, and not all that lived before", () => {
    const p = new Program();
    p.op("mul", [p.leaf("x", [1]), 2], "y"); // in a cell that is no longer on record
    p.cell();
    p.leaf("z", [3]);
    const store = createStore();
    store.load(p.packed());
    const drawn = [...store.graph.value.boxes.values()];
    expect(drawn.map((box) => box.kind === "card" && box.title)).toEqual(["z"]);
    expect(store.focus.value.others).toBe(1);
  });

  it("asks again for events that were lost on the way, and ignores those it has", () => {
    const { store, sent } = live();
    const { json } = exampleA();
    store.received({ type: "events", from: 5, events: json.slice(5) });
    expect(sent).toEqual([{ type: "need", from: 0 }]);
    store.received({ type: "events", from: 0, events: json.slice(0, 8) });
    store.received({ type: "events", from: 5, events: json.slice(5) });
    expect(store.end.value).toBe(json.length);
  });

  it("starts anew at a snapshot that lies beyond what it has", () => {
    const { store } = live();
    const state = { ops: {}, cells: [], names: {}, errors: [], values: {}, calls: {} };
    const rest = { storages: {}, nodes: {}, runs: {}, sources: {}, scopes: {}, loops: {} };
    const events = [["snapshot", 100, { ...state, ...rest }]];
    store.received({ type: "events", from: 99, events });
    expect(store.end.value).toBe(100);
    expect(store.model.value.dropped).toBe(100);
    store.goTo(0);
    expect(toText(store.explanation.value?.title ?? [])).toContain("earlier cells");
  });

  it("opens a log as richly when its picture was empty before", () => {
    const p = new Program();
    let x = p.leaf("x", [1]);
    p.within("module", "net", "Net", () => {
      for (const layer of [0, 1]) {
        p.within("module", `net[${layer}]`, "Block", () => {
          for (let i = 0; i < 12; i += 1) x = p.op("mul", [x, 2], `h${i}`);
        });
      }
    });
    const boxes = (store: Store): string[] => {
      store.load(p.packed());
      return [...store.scene.value.boxes.keys()].sort();
    };
    const early = createStore();
    expect(early.scene.value.boxes.size).toBe(0);
    expect(boxes(early)).toEqual(boxes(createStore()));
  });

  it("shows a reject and a broken event", () => {
    const { store } = live();
    store.received({ type: "reject", re: {}, why: "y has no grad_fn" });
    expect(store.notice.value).toEqual({ text: "y has no grad_fn", tone: "error" });
    store.received({ type: "events", from: 0, events: [["nonsense"]] });
    expect(store.fault.value).toContain("nonsense");
  });

  it("steps a live run from its end, and travels in the past", () => {
    const { store, sent } = live();
    const { json } = exampleA(false);
    store.received({ type: "events", from: 0, events: json });
    const run = ["backward", 7, [[5, 3]], false, false, true, null, null];
    store.received({ type: "events", from: json.length, events: [run] });
    store.toNext();
    expect(sent).toEqual([{ type: "step", run: 7, count: 1 }]);
    store.toPrevious();
    store.toNext();
    expect(sent.length).toBe(1);
  });

  it("takes the steps of a closed group at once, there and back", () => {
    const p = new Program();
    p.cell();
    const w = p.leaf("w", [1]);
    let y = w;
    p.within("module", "net", "Linear", () => {
      for (let i = 0; i < 3; i += 1) y = p.op("mul", [y, 2]);
    });
    p.op("add", [y, 1], "out");
    const store = createStore();
    store.load(p.packed());
    const stops = (go: () => void): number[] => {
      const seen = [store.index.value];
      for (let last = NaN; last !== store.index.value;) {
        last = store.index.value;
        go();
        if (store.index.value !== last) seen.push(store.index.value);
      }
      return seen;
    };
    const back = stops(store.toPrevious);
    expect(back.length).toBe(store.steps.value.length - 1); // three ops in one
    expect(stops(store.toNext)).toEqual([...back].reverse());
    const [group] = [...store.graph.value.boxes.values()].filter(({ kind }) => kind === "group");
    if (group?.kind !== "group") throw new Error("the module is no closed group");
    store.opened.value = new Map([[group.facts.place, true]]);
    expect(stops(store.toPrevious).length).toBe(store.steps.value.length + 1);
  });

  it("tells what an earlier cell has spoilt until its backward has failed", () => {
    const spoilt = (backward: boolean): Store => {
      const program = new Program();
      program.cell();
      const b = program.op("add", [program.leaf("a", [1, 3]), 2], "b");
      const square = program.op("mul", [b, b], "square");
      const cube = program.op("mul", [square, b], "cube");
      const after = program.fill(b, 1000);
      if (backward) program.backward(cube, [after]); // never comes to the node of the square
      program.cell();
      program.leaf("z", [1]);
      const store = createStore();
      store.load(program.packed());
      return store;
    };
    expect(spoilt(false).shown.older.value.length).toBe(3);
    expect(spoilt(true).shown.older.value).toEqual([]);
  });

  const names = (store: Store): string[] =>
    [...store.graph.value.boxes.values()].flatMap((box) =>
      box.kind === "card" ? [box.value.names.at(-1)?.[1] ?? ""] : [],
    );

  it("draws of a cell its own work, and not what failed earlier beside a leaf of both", () => {
    for (const failed of [true, false]) {
      const p = new Program();
      p.cell();
      const w = p.leaf("w", [1, 3]);
      const b = p.op("add", [w, 2], "b");
      const c = p.op("mul", [b, b], "c");
      const loss = p.op("mean", [c], "loss");
      const after = p.fill(b, 1000);
      if (failed) p.backward(loss, [after]); // else backward will fail
      p.cell();
      const d = p.op("mul", [w, 3], "d");
      const store = createStore();
      store.load(p.packed());
      expect(names(store)).toEqual(["w", "d"]);
      expect(store.focus.value.others).toBe(1);
      expect(store.shown.hazards.value).toEqual([]);
      expect(store.shown.older.value.length).toBe(failed ? 0 : 2);
      store.everything.value = true;
      expect(names(store)).toContain("loss");
      store.everything.value = false;
      p.op("add", [c, d], "read"); // what of the earlier cell this one reads, is drawn
      store.load(p.packed());
      expect(new Set(names(store))).toEqual(new Set(["w", "b", "c", "d", "read"]));
      p.cell();
      p.backward(loss, [after]); // the error is of this cell now
      store.load(p.packed());
      expect(names(store)).toContain("loss");
      expect(store.shown.error.value?.kind).toBe("version");
    }
  });

  it("draws of a cell its own work, and not what an earlier one made of the same leaf", () => {
    const p = new Program();
    p.cell();
    const w = p.parameter("w", [1, 3]);
    const b = p.op("add", [w, 2], "b");
    const loss = p.op("mean", [p.op("mul", [b, w], "c")], "loss");
    p.cell();
    const store = createStore();
    const drawn = (): ReadonlySet<string> => {
      store.load(p.packed());
      return new Set(names(store));
    };
    const d = p.op("mul", [w, 3], "d");
    expect(drawn()).toEqual(new Set(["w", "d"]));
    expect(store.focus.value.others).toBe(1);
    store.goTo(store.steps.value.length - 2); // the earlier cell's own picture is as it was
    expect(new Set(names(store))).toEqual(new Set(["w", "b", "c", "loss"]));
    store.toLast();
    p.cell();
    p.op("add", [b, d], "read");
    expect(drawn()).toEqual(new Set(["w", "b", "d", "read"]));
    p.cell();
    p.backward(loss);
    expect(drawn()).toEqual(new Set(["w", "b", "c", "loss"]));
    p.cell();
    p.update(w); // of a step, all that the parameter is in
    expect(drawn()).toContain("loss");
  });

  it("answers a pause, names it in its commands, and drops it when the kernel is silent", () => {
    vi.useFakeTimers();
    const { store, sent } = live();
    const { json } = exampleA(false);
    const run = ["backward", 7, [[5, 3]], false, false, true, null, null];
    store.received({ type: "events", from: 0, events: [...json, run] });
    store.received({ type: "state", pause: { number: 4, run: 7 }, waiting: false });
    expect(sent).toEqual([{ type: "here" }]);
    store.toNext();
    store.runTo(3);
    expect(sent.slice(1)).toEqual([
      { type: "step", run: 7, count: 1, pause: 4 },
      { type: "until", run: 7, node: 3, pause: 4 },
    ]);
    vi.advanceTimersByTime(5000);
    expect(store.canGoOn.value).toBe(true);
    vi.advanceTimersByTime(5000);
    expect(store.canGoOn.value).toBe(false);
    expect(store.why.value).toContain("restarted");
    store.received({ type: "state", pause: null, waiting: false }); // it was only slow
    expect(store.liveRun.value?.run).toBe(7);
    vi.useRealTimers();
  });

  it("says that a command waits for the cell once it has waited", () => {
    vi.useFakeTimers();
    const { store } = live();
    const tell = (waiting: boolean): void => {
      store.received({ type: "state", pause: null, waiting });
    };
    tell(true);
    tell(false); // an idle kernel takes it at once
    vi.advanceTimersByTime(1000);
    expect(store.queued.value).toBe(false);
    tell(true);
    expect(store.queued.value).toBe(false);
    vi.advanceTimersByTime(1000);
    expect(store.queued.value).toBe(true);
    tell(false);
    expect(store.queued.value).toBe(false);
    tell(true);
    store.pastIs("This is the past.");
    vi.advanceTimersByTime(1000);
    expect(store.queued.value).toBe(false);
    vi.useRealTimers();
  });

  it("of an earlier moment of the notebook asks nothing and offers nothing", () => {
    const { store, sent } = live();
    const { json } = exampleA(false);
    const run = ["backward", 7, [[5, 3]], false, false, true, null, null];
    store.received({ type: "events", from: 0, events: [...json, run] });
    store.pastIs("This is the past.");
    store.received({ type: "state", pause: null, waiting: false });
    expect(store.canGoOn.value).toBe(false);
    store.backward(5);
    expect(store.notice.value?.text).toBe("This is the past.");
    expect(sent).toEqual([]);
  });

  it("moves to the present before a command and says so", () => {
    const { store, sent } = live();
    store.received({ type: "events", from: 0, events: exampleC(false).json });
    store.goTo(2);
    store.retainGrad(5, true);
    expect(store.cursor.value).toBeNull();
    expect(store.notice.value?.text).toContain("Moved to the latest step first");
    expect(sent).toEqual([{ type: "retain_grad", value: 5, on: true }]);
  });

  it("follows the end while nobody looks at the past", () => {
    const { store } = live();
    const { json } = exampleC();
    store.received({ type: "events", from: 0, events: json.slice(0, 30) });
    expect(store.time.value).toBe(30);
    store.goTo(1);
    const { value: time } = store.time;
    store.received({ type: "events", from: 30, events: json.slice(30) });
    expect(store.time.value).toBe(time);
  });
});
