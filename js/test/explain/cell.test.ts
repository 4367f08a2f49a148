import { describe, expect, it } from "vitest";
import { toText } from "../../src/text/piece";
import { told as steps } from "./explained";
import { createStore, type Store } from "../../src/store/store";
import { Program } from "../builder";
import { exampleA, exampleG, training } from "../examples";

function load(program: Program): Store {
  const store = createStore();
  store.load(program.packed());
  return store;
}

const told = ({ explanation }: Store): string => {
  const words = explanation.value;
  return words
    ? [words.title, ...words.lines]
        .filter((line) => line.length > 0)
        .map(toText)
        .join(" | ")
    : "";
};

/** One parameter per number, all multiplied into one result. */
function product(numbers: readonly number[]): Program {
  const p = new Program();
  p.cell();
  const all = numbers.map((x, i) => p.parameter(`net[${i}].weight`, [x]));
  p.backward(all.reduce((a, b) => p.op("mul", [a, b])));
  return p;
}

describe("a cell in which backward has run", () => {
  it("is told by what it came to, and its steps once they are gone through", () => {
    const store = load(exampleA());
    expect(told(store)).toBe("y = [6.] | y.backward() computed w.grad = [5.] and x.grad = [2.].");
    store.toPrevious();
    store.toNext();
    expect(told(store)).toContain("AccumulateGrad adds to");
  });

  it("names all results that backward began with, and what it differentiated", () => {
    const p = new Program();
    p.cell();
    const w = p.leaf("w", [3]);
    const [y, z] = [p.op("mul", [w, 2], "y"), p.op("mul", [w, 3], "z")];
    const numbers = (n: number): unknown[] => [[1], "float32", [n], null, null];
    const roots = [y, z].map(({ id, node }) => [id, node]);
    p.tell("backward", 9, roots, false, false, false, null, null, [numbers(1), numbers(10)]);
    const words = steps(load(p)).at(-1);
    expect(words).toContain("Backward begins at y and z.");
    expect(words).toContain("What is differentiated is L = [1.] · y + [10.] · z.");
    p.tell("start", 9, y.node, [numbers(1)]);
    p.tell("finish", 9, y.node, [numbers(2), null], null);
    expect(steps(load(p)).at(-1)).toContain("Incoming gradient: ∂L/∂y = [1.]");
    expect(steps(load(p)).at(-1)).toContain("∂L/∂w = ∂L/∂y · ∂y/∂w = [1.] · 2 = [2.]");
  });

  it("is told also when something was looked at after it, as a norm that is printed", () => {
    const p = new Program();
    p.cell();
    const w = p.parameter("w", [3]);
    p.backward(p.op("mul", [w, 2], "loss"));
    p.op("mean", [p.unnamed([2])]);
    expect(told(load(p))).toContain("loss.backward() computed w.grad = [2.].");
    p.op("mean", [p.unnamed([2])], "norm");
    expect(told(load(p))).toContain("norm = ");
  });

  it("tells of many parameters the largest and the smallest gradient", () => {
    const numbers = [1, 2, 4, 8, 16];
    const whole = numbers.reduce((a, b) => a * b);
    const text = told(load(product(numbers)));
    expect(text).toContain(`gradients for ${numbers.length} parameters`);
    expect(text).toContain(`the largest for net[0].weight (up to ${whole})`);
    expect(text).toContain(`the smallest for net[4].weight (up to ${whole / 16})`);
  });

  it("tells of one gradient with many numbers how large they are", () => {
    const p = new Program();
    p.cell();
    p.backward(p.op("mul", [p.leaf("u", [1, 2, 3, 4, 5]), 2]));
    expect(told(load(p))).toContain("backward() computed a gradient for u (up to 2).");
  });

  it("names the leaf of one gradient of which no largest number can be told", () => {
    const p = new Program();
    p.cell();
    p.backward(p.op("mul", [p.leaf("u", [1, 2, 3, 4, 5]), 2]));
    const events = p.packed().replaceAll("[2,2,2,2,2]", '[2,2,2,2,"inf"]');
    const store = createStore();
    store.load(events);
    expect(told(store)).toContain("backward() computed a gradient for u.");
  });

  it("tells which line clipped the gradients before the optimizer's step", () => {
    const p = new Program();
    p.cell();
    const [w, u] = [p.parameter("w", [1]), p.parameter("u", [1])];
    p.backward(p.op("mul", [w, u]));
    p.fill(p.unnamed([1]), 0.9, "ema.mul_(0.9)");
    p.fill(p.gradient(w, [1]), 0.5, "clip_grad_norm_([w, u], 0.5)");
    p.within("step", "SGD", "lr=0.1", () => {
      p.update(w);
    });
    const store = load(p);
    expect(told(store)).toContain(
      "Then clip_grad_norm_([w, u], 0.5) changed one gradient in place.",
    );
  });

  it("tells the optimizer's step also when something was computed after it", () => {
    const p = new Program();
    p.cell();
    const w = p.parameter("w", [1]);
    p.within("step", "Adam", "lr=1", () => {
      p.update(w);
    });
    p.backward(p.op("mul", [w, 2]));
    expect(told(load(p))).not.toContain("Then a step");
    p.within("step", "SGD", "lr=0.1", () => {
      p.update(w);
    });
    p.op("mean", [p.unnamed([2])]);
    expect(told(load(p))).toContain("Then a step of SGD (lr=0.1): w ← w − lr · g");
  });

  it("tells what backward computed, whatever has written the parameter and its gradient since", () => {
    const p = new Program();
    p.cell();
    const w = p.parameter("w", [1]);
    p.backward(p.op("mul", [w, 2]));
    expect(told(load(p))).toContain("w.grad = [2.]");
    p.update(w);
    p.tell("grad", w.id, "assigned", [[1], "float32", [7], null, null], null, null, null);
    expect(told(load(p))).toContain("backward() computed [2.] for w.");
  });

  it("is told by what autograd.grad gave, where it ended with that", () => {
    const p = new Program();
    p.cell();
    const [w, x] = [p.leaf("w", [3]), p.leaf("x", [2])];
    const y = p.op("mul", [w, x], "y");
    const numbers = (n: number): unknown[] => [[1], "float32", [n], null, null];
    const begin = (...inputs: number[]): void => {
      p.tell("backward", 9, [[y.id, y.node]], false, false, false, inputs, null);
      p.tell("start", 9, y.node, [numbers(1)]);
      p.tell("finish", 9, y.node, [numbers(2), numbers(3)], null);
      p.tell("done", 9, "ok");
    };
    begin(w.id);
    p.tell("value", 90, 90, 0, false, true, false, null, numbers(2));
    p.tell("op", 90, "grad", [y.id, w.id], {}, [90], null, false, null, null);
    expect(told(load(p))).toMatch(/^grad\(y, w\) = \[2\.\] \| /);
    p.tell("name", 90, "dw", "");
    expect(told(load(p))).toBe(
      "dw = [2.] | autograd.grad gave it: the gradient of y by w. No .grad was changed.",
    );
    begin(w.id, x.id);
    p.tell("value", 91, 91, 0, false, true, false, null, numbers(2));
    p.tell("value", 92, 92, 0, false, true, false, null, numbers(3));
    p.tell("op", 91, "grad", [y.id, w.id, x.id], {}, [91, 92], null, false, null, null);
    p.tell("name", 91, "a", "");
    p.tell("name", 92, "b", "");
    expect(told(load(p))).toContain("a = [2.] and b = [3.] | autograd.grad gave them");
    expect(told(load(p))).toContain("of y by w and x, in this order.");
    p.op("mul", [w, 2], "v");
    expect(told(load(p))).toMatch(/^v = /);
  });

  it("tells of a gradient that has a graph, which ops of the run have made", () => {
    const p = new Program();
    p.cell();
    const [w, x] = [p.leaf("w", [3]), p.leaf("x", [2])];
    const y = p.op("mul", [w, x], "y");
    p.tell("backward", 9, [[y.id, y.node]], true, true, false, [w.id], null);
    p.tell("start", 9, y.node, [null]);
    p.tell("value", 90, 90, 0, true, false, false, null, [[1], "float32", [2], null, null]);
    p.tell("op", 90, "mul", [x.id, "1"], {}, [90], null, false, null, null);
    p.tell("finish", 9, y.node, [[[1], "float32", [2], null, null], null], null);
    p.tell("done", 9, "ok");
    expect(told(load(p))).toContain("MulBackward0 has run");
    p.tell("name", 90, "dw", "");
    expect(told(load(p))).toContain("dw = [2.] | autograd.grad gave it");
    expect(told(load(p))).toContain("it can be differentiated again");
  });

  it("is told by its last step where that is something newer", () => {
    const p = exampleA();
    p.op("mul", [p.leaf("u", [3]), 2], "v");
    expect(told(load(p))).toMatch(/^v = /);
    expect(told(load(exampleG()))).toContain("Backward failed");
    const next = exampleA();
    next.cell();
    next.tell("grad", 1, "zeroed", null, null, null);
    expect(told(load(next))).not.toContain("Backward from it");
  });

  it("tells the newest iteration of a loop", () => {
    expect(told(load(training(4, [3, 4])))).toContain("loss = ");
  });
});
