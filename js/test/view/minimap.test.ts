import { expect, it } from "vitest";
import { cornerFor } from "../../src/view/overlay/minimap";

const window = { w: 900, h: 200 };
const map = { w: 160, h: 60 };

it("lies where it covers no box, and stays there while that is free", () => {
  const last = { x: 760, y: 100, w: 120, h: 80 }; // at the bottom right
  expect(cornerFor("bottom right", map, window, [])).toEqual({
    corner: "bottom right",
    free: true,
  });
  const moved = cornerFor("bottom right", map, window, [last]);
  expect(moved).toEqual({ corner: "bottom left", free: true });
  expect(cornerFor("bottom left", map, window, [])).toEqual({ corner: "bottom left", free: true });
});

it("says when it must cover something, and covers the least", () => {
  const row = { x: 0, y: 20, w: 900, h: 175 };
  const found = cornerFor("bottom right", map, window, [row]);
  expect(found.free).toBe(false);
  expect(found.corner).toMatch("top"); // the row leaves more air above it
});
