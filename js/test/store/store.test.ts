import { describe, expect, it } from "vitest";
import type { Command } from "../../src/kernel/protocol";
import { createStore, type Store } from "../../src/store/store";
import { exampleA, exampleC } from "../examples";

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
    const rest = { storages: {}, nodes: {}, runs: {}, sources: {}, scopes: {} };
    const events = [["snapshot", 100, { ...state, ...rest }]];
    store.received({ type: "events", from: 99, events });
    expect(store.end.value).toBe(100);
    expect(store.model.value.dropped).toBe(100);
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

  it("moves to the present before a command and says so", () => {
    const { store, sent } = live();
    store.received({ type: "events", from: 0, events: exampleC(false).json });
    store.goTo(2);
    store.retainGrad(5, true);
    expect(store.cursor.value).toBeNull();
    expect(store.notice.value?.text).toContain("Moved to the present first");
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
