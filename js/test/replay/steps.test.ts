import { describe, expect, it } from "vitest";
import { stepAt } from "../../src/replay/steps";
import { createStore, type Store } from "../../src/store/store";
import { Program } from "../builder";
import { exampleA, exampleC, exampleG } from "../examples";

function load(program: Program): Store {
  const store = createStore();
  store.load(program.packed());
  return store;
}

describe("steps", () => {
  it("are one for each leaf, op, node and the beginning of backward", () => {
    const store = load(exampleA());
    const kinds = store.steps.value.map((step) => step.kind);
    expect(kinds).toEqual([
      ...["leaf", "leaf", "op", "op", "op"],
      ...["backward", "node", "node", "node", "node", "node"],
    ]);
  });

  it("of a run that waits end where it begins, though its gradient is told after that", () => {
    const program = exampleA(false);
    program.tell("backward", 7, [[5, 3]], false, false, true, null, null);
    program.tell("value", 90, 90, 0, false, true, false, null, [[], "float32", [1], null, null]);
    expect(load(program).steps.value.at(-1)?.kind).toBe("backward");
  });

  it("have what backward keeps for a leaf with the leaf, which has no name yet", () => {
    const program = new Program();
    const hidden = program.unnamed([0]);
    program.tell("node", 90, "AccumulateGrad", null, [], [], [], hidden.id);
    program.op("mul", [hidden, 2]);
    expect(load(program).steps.value.map(({ kind }) => kind)).toEqual(["leaf", "op"]);
  });

  it("have the node of an earlier cell's leaf with the op that is given the leaf", () => {
    const program = new Program();
    const w = program.leaf("w", [0]);
    const before = load(program).steps.value.length;
    program.cell();
    program.tell("node", 90, "AccumulateGrad", null, [], [], [], w.id);
    program.op("mul", [w, 2]);
    const kinds = load(program).steps.value.map(({ kind }) => kind);
    expect(kinds.slice(before)).toEqual(["op"]);
  });

  it("of a node that does something itself are its beginning, what it does, and its end", () => {
    const program = exampleA(false);
    const before = load(program).steps.value.length;
    program.tell("backward", 7, [[5, 3]], true, true, false, null, null);
    program.tell("start", 7, 3, [null]);
    program.tell("value", 90, 90, 0, false, true, false, null, [[], "float32", [1], null, null]);
    program.tell("op", 90, "add", ["1", "0"], {}, [90], null, false, null, null);
    program.tell("finish", 7, 3, [], null);
    program.tell("done", 7, "ok");
    const kinds = load(program).steps.value.map(({ kind }) => kind);
    expect(kinds.slice(before)).toEqual(["backward", "node", "op", "node"]);
  });

  it("cover the log without gaps", () => {
    for (const program of [exampleA(), exampleC(), exampleG()]) {
      const steps = load(program).steps.value;
      expect(steps[0]?.from).toBe(0);
      expect(steps.at(-1)?.to).toBe(program.json.length);
      steps.slice(1).forEach((step, i) => {
        expect(step.from).toBe(steps[i]?.to);
      });
    }
  });

  it("are the same however the events come", () => {
    const program = exampleC();
    const store = createStore();
    program.json.forEach((event, from) => {
      store.received({ type: "events", from, events: [event] });
    });
    expect(store.steps.value).toEqual(load(program).steps.value);
  });

  it("are found by time", () => {
    const { steps } = load(exampleA());
    expect(stepAt(steps.value, 0)).toBe(-1);
    steps.value.forEach((step, i) => {
      expect(stepAt(steps.value, step.to)).toBe(i);
    });
  });
});
