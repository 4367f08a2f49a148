import { expect, it } from "vitest";
import type { Summary } from "../../src/log/events";
import { labelText } from "../../src/view/wires";

const summary = (shape: number[], values: number[] | null): Summary => ({
  shape,
  dtype: "float32",
  values,
  stats: null,
  histogram: null,
});

it("a label never needs more than its room", () => {
  const large = summary([2, 5, 16], null);
  expect(labelText(large, Infinity)).toBe("(2,5,16)");
  expect(labelText(large, 52)).toBe("2×5×16");
  expect(labelText(large, 30)).toBeNull();
  expect(labelText(summary([1], [2]), 34)).toBe("[2.]");
  expect(labelText(summary([2], [0.125, -3]), 64)).toBe("(2,)");
});
