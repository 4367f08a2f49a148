import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { PROTOCOL } from "../../src/log/events";
import { createStore, type Store } from "../../src/store/store";
import { fold } from "../../src/log/fold";
import { Program, type Tensor } from "../builder";
import { exampleG } from "../examples";
import { toJson } from "../to-json";

const GOLDEN = join(import.meta.dirname, "..", "..", "..", "tests", "golden");

function opened(log: string | DataView): Store {
  const store = createStore();
  store.load(log);
  return store;
}

/** The names on the cards that are drawn. */
const names = (store: Store): string[] =>
  [...store.graph.value.boxes.values()].flatMap((box) => (box.kind === "card" ? [box.title] : []));

describe("what a cell opens on", () => {
  const files = readdirSync(GOLDEN).filter((name) => /^[A-Z]\d?\.json$/.test(name));
  it.each(files)("is not blank in %s", (name) => {
    const { events } = JSON.parse(readFileSync(join(GOLDEN, name), "utf8")) as { events: unknown };
    if (!Array.isArray(events)) return;
    const store = opened(JSON.stringify({ protocol: PROTOCOL, first: 0, events }));
    expect(store.graph.value.boxes.size).toBeGreaterThan(0);
  });

  /** A loss, what a library makes of it `after` backward or before, and which of it lives. */
  function logged(after: boolean): Program {
    const p = new Program();
    p.cell();
    const w = p.leaf("w", [2]);
    const loss = p.op("mul", [w, w], "loss");
    const log = (value: Tensor): void => {
      p.within("library", "", "", () => p.op("add", [p.op("mul", [value, 1]), 0]));
    };
    if (!after) log(loss);
    p.backward(loss);
    if (after) log({ ...loss, grad: false, node: null });
    return p;
  }

  it.each([true, false])("is the loss, whatever a library made of it (after: %s)", (after) => {
    const store = opened(logged(after).packed());
    expect(names(store)).toContain("loss");
    expect(store.graph.value.boxes.size).toBe(3); // w, ×, loss
    expect(store.explanation.value?.title.map(({ text }) => text).join("")).toContain("loss");
  });

  it("is the newest iteration, whatever a library does after it", () => {
    const p = new Program();
    p.cell();
    const w = p.leaf("w", [2]);
    p.within("loop", "", "for x in loader:", () => {
      for (const iteration of ["1", "2", "3"]) {
        p.within("iteration", iteration, "", () => {
          p.backward(p.op("mul", [w, w], "loss"));
        });
      }
      p.within("library", "", "", () => p.op("add", [p.unnamed([1]), 1]));
    });
    const store = opened(p.packed());
    expect(store.section.value?.iteration?.number).toBe(3);
    expect(store.graph.value.boxes.size).toBeGreaterThan(2);
  });

  it("begins with what the cell does, and not with the error and the graphs of earlier ones", () => {
    const p = exampleG();
    p.cell();
    const cut = p.json.length - 1; // what came before is a snapshot
    p.op("add", [p.leaf("z", [1]), 1], "u");
    const state = toJson(fold(p.events().slice(0, cut)));
    const events = [["snapshot", cut, state], ...p.json.slice(cut)];
    const store = opened(JSON.stringify({ protocol: PROTOCOL, first: cut - 1, events }));
    store.toFirst();
    expect(names(store)).toEqual([]);
    expect(store.shown.error.value).toBeNull();
    expect(store.explanation.value?.title[0]?.text).toContain("earlier cells");
    store.toNext();
    expect(names(store)).toEqual(["z"]);
  });

  it("is what a library keeps for itself where there is nothing else", () => {
    const p = new Program();
    p.cell();
    p.within("library", "", "", () => p.op("add", [p.unnamed([1]), 1]));
    expect(opened(p.packed()).graph.value.boxes.size).toBeGreaterThan(0);
  });
});
