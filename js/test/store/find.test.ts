import { describe, expect, it, vi } from "vitest";
import { explainNotFiniteGradient } from "../../src/explain/not-finite";
import { toText } from "../../src/text/piece";
import { findAll, problemsOf } from "../../src/store/find";
import { createStore, type Store } from "../../src/store/store";
import { Program } from "../builder";
import { exampleA, exampleG, manyBoxes } from "../examples";

function load(program: Program): Store {
  const store = createStore();
  store.load(program.packed());
  return store;
}

const search = (store: Store, query: string): string[] =>
  findAll(store.model.value, query, store.scene.value.boxes).map(({ key }) => key);

describe("the search", () => {
  it("finds variables, ops, signs, nodes, shapes and source lines", () => {
    const store = load(exampleA());
    expect(search(store, "y")[0]).toBe("v5"); // the name itself before all that contains it
    expect(search(store, "mul")).toContain("c3");
    expect(search(store, "×")).toEqual(["c3"]);
    expect(search(store, "MulBackward0")).toEqual(["c3"]);
    expect(search(store, "(1,)").length).toBe(8);
    expect(search(store, "line 3 add")).toContain("c1");
    expect(search(store, "mul add")).toEqual([]);
    expect(search(store, "  ")).toEqual([]);
  });

  it("lists the newest first, and not without end", async () => {
    const store = load(manyBoxes(500));
    const read = () => {
      expect(store.loading.value).toBe(false);
    };
    await vi.waitFor(read, { timeout: 15_000 }); // it is long
    const hits = search(store, "add");
    expect(hits.length).toBe(60);
    const calls = hits.map((key) => Number(key.slice(1)));
    expect(calls).toEqual([...calls].sort((a, b) => b - a));
  });
});

describe("what is wrong", () => {
  const problems = (store: Store) =>
    problemsOf(
      store.model.value,
      store.shown.error.value,
      store.shown.hazards.value,
      store.shown.wrong.value,
    );

  it("is nothing where all went well", () => {
    expect(problems(load(exampleA()))).toEqual([]);
  });

  it("is a hazard before backward, and its error afterwards", () => {
    expect(problems(load(exampleG(false))).map(({ kind }) => kind)).toEqual(["hazard"]);
    const failed = load(exampleG());
    const [first] = problems(failed);
    expect(first?.kind).toBe("error");
    expect(first?.key).toBe(`n${[...failed.shown.failed.value][0] ?? ""}`);
  });

  it("is told once where the backward of a later cell fails", () => {
    const p = new Program();
    p.cell();
    const b = p.op("add", [p.leaf("a", [1, 3]), 2], "b");
    const loss = p.op("mean", [p.op("mul", [b, b])], "loss");
    const after = p.fill(b, 1000);
    p.cell("loss.backward()");
    p.tell("flag", b.id, true, true); // a cell that does something
    expect(load(p).shown.older.value.length).toBeGreaterThan(0);
    p.backward(loss, [after]);
    const failed = load(p);
    expect(problems(failed)[0]?.kind).toBe("error");
    expect(failed.shown.older.value).toEqual([]);
  });

  it("is the value by which an iteration leads back to one whose graph is freed", () => {
    const p = new Program();
    p.cell();
    const w = p.parameter("w", [2]);
    let state = p.leaf("state", [1]);
    let failed: number | null = null;
    p.within("loop", "", "for x in xs:", () => {
      for (let iteration = 0; iteration < 2; iteration++) {
        p.within("iteration", String(iteration + 1), "", () => {
          const used = p.op("mul", [state, w], "used");
          failed = iteration === 0 ? used.node : failed;
          state = p.op("add", [used, 1], "state");
          const loss = p.op("mean", [state], "loss");
          p.backward(loss);
        });
      }
    });
    const [type, none] = ["RuntimeError", [null, null, null, null]];
    p.tell("error", "freed", type, "a second time", [], null, failed, ...none, [], null, null, []);
    const store = load(p);
    const { wrong } = store.shown;
    expect(store.model.value.values.get(wrong.value ?? -1)?.names.at(-1)?.[1]).toBe("state");
    expect(problems(store)).toEqual([{ key: `v${wrong.value ?? ""}`, kind: "error" }]);
  });

  it("is the value with which NaN begins, and not all that it spoils", () => {
    const p = new Program();
    p.cell();
    const x = p.leaf("x", [1]);
    p.tell("value", 90, 90, 0, false, true, false, null, [[1], "float32", ["inf"], null, null]);
    p.tell("op", 90, "mul", [x.id, "inf"], {}, [90], null, false, null, null);
    p.tell("value", 91, 91, 0, false, true, false, null, [[1], "float32", ["nan"], null, null]);
    p.tell("op", 91, "mul", [90, "0"], {}, [91], null, false, null, null);
    expect(problems(load(p))).toEqual([{ key: "v90", kind: "nan" }]);
  });

  it("is no infinity that the program put there itself, but the NaN that comes of it", () => {
    const p = new Program();
    p.cell();
    const [x, mask] = [p.leaf("x", [1]), p.leaf("mask", [1], false)];
    const scores = [[2], "float32", ["-inf", 1], null, null];
    p.tell("value", 90, 90, 0, false, true, false, null, scores);
    p.tell(
      "op",
      90,
      "masked_fill",
      [x.id, mask.id],
      { value: "-inf" },
      [90],
      null,
      false,
      null,
      null,
    );
    expect(problems(load(p))).toEqual([]);
    p.tell("value", 91, 91, 0, false, true, false, null, [[2], "float32", ["nan", 1], null, null]);
    p.tell("op", 91, "softmax", [90], { dim: "-1" }, [91], null, false, null, null);
    expect(problems(load(p))).toEqual([{ key: "v91", kind: "nan" }]);
  });

  /** `log(x)` is -inf, and so is the sum of it and `mask`, of which `last` makes the loss. */
  const infinite = (first: string, last: string, loss: unknown): string[] => {
    const p = new Program();
    p.cell();
    const x = p.leaf("x", [0]);
    const float = (number: unknown) => [[1], "float32", [number], null, null];
    const value = (id: number, number: unknown): void => {
      p.tell("value", id, id, 0, true, false, false, null, float(number));
    };
    p.tell("value", 89, 89, 0, false, true, false, null, float("-inf"));
    value(90, first === "log" ? "-inf" : 0);
    p.tell("op", 90, first, [x.id], {}, [90], null, false, null, null);
    value(91, "-inf");
    p.tell("op", 91, "add", [90, 89], {}, [91], null, false, null, null);
    value(92, loss);
    p.tell("op", 92, last, [91], {}, [92], null, false, null, null);
    p.tell("node", 92, "LastBackward0", 92, [92], [], [], null);
    p.tell("backward", 1, [[92, 92]], false, false, false, null, null);
    p.tell("done", 1, "ok");
    return problems(load(p)).map(({ key }) => key);
  };

  it("is no infinity that comes neither into the loss nor into a gradient", () => {
    expect(infinite("log", "where", 1)).toEqual([]);
    expect(infinite("log", "mean", "-inf")).toEqual(["v90"]);
    expect(infinite("neg", "softmax", 1)).toEqual([]);
    expect(infinite("neg", "softmax", "nan")).toEqual(["v92"]);
    expect(infinite("neg", "add", "-inf")).toEqual(["v89"]); // nothing else is to blame
  });

  /** A root in a leaf at 0: its value is finite, its derivative is not. */
  const rootAtZero = (p: Program, leaf: number[], came: unknown[], sent: unknown[]): void => {
    p.cell();
    const x = p.leaf("x", leaf);
    const float = (numbers: unknown[]) => [[numbers.length], "float32", numbers, null, null];
    const of = [90, 90, 0, true, false, false, null];
    p.tell("value", ...of, float(leaf.map(Math.sqrt)));
    p.tell("op", 90, "sqrt", [x.id], {}, [90], null, false, null, null);
    p.tell("node", 91, "AccumulateGrad", null, [], [], [], x.id);
    p.tell("node", 90, "SqrtBackward0", 90, [90], [[91, 0]], [], null);
    p.tell("backward", 1, [[90, 90]], false, false, false, null, null);
    p.tell("start", 1, 90, [float(came)]);
    p.tell("finish", 1, 90, [float(sent)], null);
    p.tell("start", 1, 91, [float(sent)]);
    p.tell("grad", x.id, "accumulated", float(sent), null, 1, null);
    p.tell("finish", 1, 91, [], null);
    p.tell("done", 1, "ok");
  };

  it("is the op in whose backward NaN begins, where forward was finite", () => {
    const p = new Program();
    rootAtZero(p, [4, 0], [1, 1], [0.25, "inf"]);
    const store = load(p);
    expect(problems(store)).toEqual([{ key: "c90", kind: "nan" }]);
    store.ask({ key: "c90", kind: "nan" });
    const asked = store.askedProblem.value;
    expect(asked?.kind).toBe("nan-gradient");
    if (asked?.kind !== "nan-gradient") return;
    const { title } = explainNotFiniteGradient(store.model.value, asked.node);
    expect(toText(title)).toBe("The gradient became inf here: backward of sqrt at 0");
    p.cell();
    p.leaf("y", [1]);
    expect(problems(load(p))).toEqual([]); // a cell that has nothing to do with it
    p.tell("value", 95, 95, 0, true, true, false, null, [[1], "float32", ["nan"], null, null]);
    expect(problems(load(p)).map(({ key }) => key)).toEqual(["v95", "c90"]); // the newest cell's first
    store.goTo(0); // before it ran there is none
    expect(problems(store)).toEqual([]);
  });

  it("is no op that got the NaN from others, nor one whose value was it before", () => {
    const came = new Program();
    rootAtZero(came, [4, 0], [1, "nan"], [0.25, "nan"]);
    expect(problems(load(came))).toEqual([]);
    const before = new Program();
    rootAtZero(before, [4, -1], [1, 1], [0.25, "nan"]);
    expect(problems(load(before))).toEqual([]);
  });

  it("is not what was made of a gradient in which it is: the gradient itself, or a step by it", () => {
    const p = new Program();
    rootAtZero(p, [0], [1], ["inf"]);
    const inf = [[1], "float32", ["inf"], null, null];
    p.tell("value", 92, 92, 0, false, true, false, null, inf, 1); // x.grad
    p.tell("value", 93, 93, 0, false, true, false, null, inf);
    p.tell("op", 92, "mul", [92, "2"], {}, [93], null, false, null, null);
    p.tell("value", 94, 1, 1, true, true, false, null, [[1], "float32", ["-inf"], null, null]);
    p.tell("op", 93, "SGD_", [1], {}, [94], null, true, null, null);
    p.tell("write", 1, 1, 1, 94, null, null, 93, null);
    expect(problems(load(p)).map(({ key }) => key)).toEqual(["c90"]);
  });
});
