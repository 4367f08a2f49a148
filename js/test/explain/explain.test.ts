import { describe, expect, it } from "vitest";
import { backwardEffects } from "../../src/explain/effects";
import { explainError, explainHazard } from "../../src/explain/problems";
import { toText } from "../../src/explain/text";
import { fold } from "../../src/log/fold";
import { hazards } from "../../src/log/model";
import { createStore, type Store } from "../../src/store/store";
import type { Program } from "../builder";
import { exampleA, exampleG } from "../examples";

function load(program: Program): Store {
  const store = createStore();
  store.load(program.packed());
  return store;
}

/** The title and lines of every step. */
function told(store: Store): string[] {
  return store.steps.value.map((_, i) => {
    store.goTo(i);
    const words = store.explanation.value;
    return words ? [words.title, ...words.lines].map(toText).join(" | ") : "";
  });
}

describe("explanations", () => {
  it("tell a forward op with names and numbers", () => {
    const lines = told(load(exampleA()));
    expect(lines[4]).toBe(
      "y = a × b | [3.] × [2.] = [6.] | " +
        "MulBackward0 waits for backward and saved a (version 0) and b (version 0).",
    );
  });

  it("tell a node's derivatives like a textbook", () => {
    const lines = told(load(exampleA()));
    expect(lines[6]).toContain("MulBackward0 runs | It is the derivative of y = a × b.");
    expect(lines[6]).toContain("→ a: ∂y/∂a = b = 2, times the gradient: [1.] · 2 = [2.]");
    expect(lines[6]).toContain("Freed, as it was saved for this: a and b.");
    expect(lines[7]).toContain("∂y/∂w = ∂y/∂b · ∂b/∂w = [3.] · 1 = [3.]");
  });

  it("tell where gradients were added up", () => {
    const lines = told(load(exampleA()));
    const line = lines.find((text) => text.startsWith("AccumulateGrad for w"));
    expect(line).toContain("2 wires and were added: [3.] + [2.] = [5.]");
    expect(line).toContain("w.grad = [5.]");
  });

  it("tell a hazard at once, with both lines, versions and a fix", () => {
    const model = fold(exampleG(false).events());
    const [hazard] = hazards(model);
    if (!hazard) throw new Error("no hazard");
    const { title, lines } = explainHazard(model, hazard);
    const text = [title, ...lines].map(toText).join(" ");
    expect(text).toContain("MulBackward0 saved b at version 0 (cell 1, line 3");
    expect(text).toContain("cell 1, line 5, b[0] = 1000. wrote into the same memory");
    expect(text).toContain("version 1");
    expect(text).toContain("b.clone()");
  });

  it("tell an error first in our words and last in PyTorch's", () => {
    const model = fold(exampleG().events());
    const [error] = model.errors;
    if (!error) throw new Error("no error");
    const { title, lines } = explainError(model, error);
    expect(toText(title)).toContain("Backward failed");
    expect(toText(lines[0] ?? [])).toContain("MulBackward0 saved b");
    expect(toText(lines.at(-1) ?? [])).toContain("modified by an inplace operation");
  });

  it("say what backward would do before it is pressed", () => {
    const before = fold(exampleA(false).events());
    expect(toText(backwardEffects(before, 5))).toBe(
      "Backward from y runs 5 nodes, adds to .grad of w and x, and releases 2 saved values.",
    );
    const after = fold(exampleA().events());
    expect(toText(backwardEffects(after, 5))).toContain("will fail");
  });
});
