import { describe, expect, it } from "vitest";
import { toText } from "../../src/text/piece";
import { Program } from "../builder";
import { load, told } from "./explained";

describe("explanations of static graphs", () => {
  it("tell the numbers of each result, and of a static graph's nothing of backward", () => {
    const p = new Program();
    const x = p.leaf("x", [2]);
    const number = (value: number) => [[], "float32", [value], null, null];
    for (const [value, of] of [
      [90, 5],
      [91, 6],
    ] as const) {
      // prettier-ignore
      p.tell("value", value, value, 0, false, false, false, null, number(of));
    }
    p.tell("op", 90, "split", [x.id], {}, [90, 91], null, false, null, null);
    const plain = told(load(p)).at(-1);
    expect(plain).toContain("= 5. and 6. | It has no grad_fn");
    p.tell("name", 90, "split:0", "graph");
    p.tell("name", 91, "split:1", "graph");
    const symbolic = told(load(p)).find((words) => words.includes("5. and 6."));
    expect(symbolic).toBeDefined();
    expect(symbolic).not.toContain("grad_fn");
  });

  it("open a static graph's run on what the user's variables hold, whatever ran after it", () => {
    const p = new Program();
    const number = (value: number) => [[], "float32", [value], null, null];
    const x = p.leaf("x", [2]);
    p.tell("name", x.id, "x:0", "graph");
    p.cell();
    for (const [value, graph, variable] of [
      [90, "Square:0", "y"],
      [91, "Mean:0", "loss"],
      [92, "gradients/Mean_grad/Mul:0", ""],
    ] as const) {
      // prettier-ignore
      p.tell("value", value, value, 0, false, false, false, null, number(value));
      p.tell("op", value, "square", [x.id], {}, [value], null, false, null, null);
      p.tell("name", value, graph, "graph");
      if (variable) p.tell("name", value, variable, "");
    }
    const words = load(p).explanation.value;
    expect(words && [words.title, ...words.lines].map(toText)).toEqual([
      "loss = 91.",
      "Before it: y = 90.",
    ]);
  });
});
