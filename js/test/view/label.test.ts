import { expect, it } from "vitest";
import type { Summary } from "../../src/log/events";
import { labelText } from "../../src/view/stage/wires";

const summary = (shape: number[], values: number[] | null): Summary => ({
  shape,
  dtype: "float32",
  values,
  stats: null,
  histogram: null,
});

const large = summary([2, 5, 16], null);

it("a label never needs more than its room", () => {
  expect(labelText(large, Infinity)).toBe("(2,5,16)");
  expect(labelText(large, 52)).toBe("2×5×16");
  expect(labelText(large, 30)).toBeNull();
  expect(labelText(summary([1], [2]), 34)).toBe("[2.]");
  expect(labelText(summary([2], [0.125, -3]), 64)).toBe("(2,)");
});

it("says in large letters the numbers or nothing, as cards say shapes", () => {
  expect(labelText(summary([1], [2]), 62, true)).toBe("[2.]");
  expect(labelText(summary([1], [2]), 34, true)).toBeNull(); // it would cover what is beside it
  expect(labelText(large, Infinity, true)).toBeNull();
});
