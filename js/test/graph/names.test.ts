import { describe, expect, it } from "vitest";
import { tidy } from "../../src/explain/formula";
import { bracketed, called, expression, fill } from "../../src/graph/names";
import { fold } from "../../src/log/fold";
import type { CallRow } from "../../src/log/model";
import { createStore } from "../../src/store/store";
import { Program } from "../builder";

const LONG = "a_name_of_which_no_expression_is_short";

describe("an expression in the brackets of a function", () => {
  it("needs none of its own", () => {
    const p = new Program();
    const [a, b] = [p.leaf("a", [1]), p.leaf("b", [2])];
    const sum = p.op("add", [a, b]);
    const [mean, both] = [p.op("mean", [sum]), p.op("mul", [sum, sum])];
    const whole = p.op("mean", [p.op("mul", [sum, a])]);
    const model = fold(p.events());
    expect(called(model, mean.id)).toBe("mean(a + b)");
    expect(called(model, both.id)).toBe("(a + b) × (a + b)");
    expect(called(model, whole.id)).toBe("mean((a + b) × a)");
  });
});

/** What each call is as a formula. */
function formulas(p: Program): string[] {
  const model = fold(p.events());
  return [...model.calls.values()].map((call) => expression(model, call));
}

describe("a formula", () => {
  it("has brackets around what binds less, also between two functions or after a sign", () => {
    const p = new Program();
    const [a, b] = [p.leaf("a", [1]), p.leaf("b", [2])];
    p.op("mul", [p.op("add", [p.op("mean", [a]), p.op("mean", [b])]), b]);
    expect(formulas(p)).toContain("(mean(a) + mean(b)) × b");
    const texts = ["−a", "x[0]", "net[0](x)", "f(a, b + c)", "f(a)[0] + g(b)"];
    expect(texts.map(bracketed)).toEqual(["(−a)", ...texts.slice(1, 4), "(f(a)[0] + g(b))"]);
  });

  it("names a module's output as its call, a longer one by its op, a constant by its numbers", () => {
    const p = new Program();
    const [x, y, long] = [p.leaf("x", [1, 2]), p.leaf("y", [1, 2]), p.leaf(LONG, [1, 2])];
    const weight = p.parameter("net.a_weight_with_a_long_name", [3]);
    let out = x;
    p.within("module", "net", "Linear", () => (out = p.op("mul", [x, weight])));
    p.op("mean", [p.op("mul", [p.op("add", [out, y]), p.unnamed([5, 6])])]);
    p.op("mean", [p.op("mul", [p.op("mul", [long, long]), y])]);
    expect(formulas(p)).toContain("mean((net(x) + y) × [5., 6.])");
    expect(formulas(p)).toContain("mean((… × …) × y)");
    p.op("mul", [p.unnamed([1.25, 2.25, 3.25, 4.25, 5.25]), y]);
    expect(formulas(p).at(-1)).toMatch(/^\[1\.25, .*…\] × y$/);
  });

  it("leaves out what was not given, and has a sign for two dims that change places", () => {
    const call = { params: { dims: "1, 0" } } as unknown as CallRow;
    const given = new Map(Object.entries({ x: "k", bias: "None" }));
    expect(fill("{x} with dims {dims}", given, call)).toBe("kᵀ");
    expect(fill("{x} ∗ {x} + {bias}", given, call)).toBe("k ∗ k");
    expect(fill("clamp({x}, {min}, {max})", given, call)).toBe("clamp(k, −∞, ∞)");
    expect(tidy("1 where (0 ≤ x ≤ ∞), else 0")).toBe("1 where (0 ≤ x), else 0");
  });
});

describe("a value without a name", () => {
  it("is the output of the module that it leaves, else of its op", () => {
    const p = new Program();
    const x = p.leaf(LONG, [1, 2]);
    let [inner, out] = [x, x];
    p.within("module", "net", "Sequential", () => {
      p.within("module", "net[0]", "Linear", () => {
        inner = p.op("mul", [x, x]);
        out = p.op("add", [inner, x]);
      });
      p.op("mean", [out]);
    });
    const loss = p.op("mul", [x, out]);
    const model = fold(p.events());
    expect(called(model, inner.id)).toBe("the (2,) output of mul");
    expect(called(model, out.id)).toBe("the (2,) output of net[0]");
    expect(called(model, loss.id)).toBe("the (2,) output of mul");
  });

  it("is of no module that has not given it yet", () => {
    const p = new Program();
    const x = p.leaf(LONG, [1, 2]);
    let out = x;
    p.within("module", "net", "Net", () => {
      out = p.op("mul", [x, x]);
      expect(called(fold(p.events()), out.id)).toBe("the (2,) output of mul");
    });
    expect(called(fold(p.events()), out.id)).toBe("the (2,) output of net");
  });

  it("is a leaf or a constant where nothing made it", () => {
    const p = new Program();
    const summary = [[2, 3], "float32", [1, 2, 3, 4, 5, 6], null, null];
    p.tell("value", 90, 90, 0, true, true, false, null, summary);
    p.tell("value", 91, 91, 0, false, true, false, null, summary);
    p.tell("value", 92, 92, 0, true, true, true, null, summary);
    p.tell("value", 93, 93, 0, true, false, false, null, summary);
    const model = fold(p.events());
    expect([90, 91, 92, 93].map((id) => called(model, id))).toEqual([
      "the (2, 3) leaf without a name",
      "the (2, 3) constant without a name",
      "the (2, 3) parameter",
      "the (2, 3) value",
    ]);
  });

  it("is called after its leaf, where it is a gradient", () => {
    const p = new Program();
    const w = p.parameter("net.weight", [1]);
    const summary = [[1], "float32", [2], null, null];
    p.tell("value", 90, 90, 0, false, true, false, null, summary, w.id);
    p.tell("value", 91, 91, 0, false, true, false, null, summary);
    p.tell("op", 90, "norm", [90], {}, [91], null, false, null, null);
    p.tell("name", 91, "size", "");
    const store = createStore();
    store.load(p.packed());
    expect(called(store.model.value, 90)).toBe("net.weight.grad");
    const card = store.graph.value.boxes.get("v90");
    expect(card?.kind === "card" && card.title).toBe("net.weight.grad");
  });
});
