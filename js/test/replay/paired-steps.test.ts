import { describe, expect, it } from "vitest";
import { pairSteps } from "../../src/replay/paired-steps";

describe("two programs on one time axis", () => {
  it("builds the right one first, then runs both call by call", () => {
    const pairs = pairSteps(["mul", "add"], ["", "mul", "add", "mul", "add"], 3);
    expect(pairs).toEqual([
      [-1, 0],
      [-1, 1],
      [-1, 2],
      [0, 3],
      [1, 4],
    ]);
  });
  it("takes along what only the right one does, and steps through what only the left one does", () => {
    const pairs = pairSteps(["", "lt", "select", "add"], ["lt", "enter", "lt", "enter", "add"], 1);
    expect(pairs).toEqual([
      [-1, 0],
      [1, 2],
      [2, 2],
      [3, 4],
    ]);
  });
  it("ends where both end, whatever they have in common", () => {
    expect(pairSteps(["a"], ["b", "c"], 0)).toEqual([
      [0, -1],
      [0, 1],
    ]);
    expect(pairSteps([], ["b"], 1)).toEqual([[-1, 0]]);
    expect(pairSteps([], [], 0)).toEqual([[-1, -1]]);
  });
  it("joins long programs in proportion, each moment later than the one before", () => {
    const left = Array.from({ length: 3000 }, () => "add");
    const right = Array.from({ length: 1000 }, () => "add");
    const pairs = pairSteps(left, right, 0);
    expect(pairs.at(-1)).toEqual([2999, 999]);
    pairs.forEach(([l, r], i) => {
      const [before, other] = pairs[i - 1] ?? [-1, -1];
      expect(l).toBeGreaterThanOrEqual(before);
      expect(r).toBeGreaterThanOrEqual(other);
    });
  });
});
