import { describe, expect, it } from "vitest";
import {
  drawCurve,
  shareOfIteration,
  scalarsOf,
  iterationAt,
} from "../../src/view/player/loss-curves";
import { keptWords, listed } from "../../src/view/player/loop-bars";

const points = (line: string | undefined): number[][] =>
  (line ?? "").split(" ").map((point) => point.split(",").map(Number));

describe("a curve of scalars", () => {
  it("goes from the first iteration to the last, and falls where the numbers fall", () => {
    const { lines, broken } = drawCurve([4, 3, 2, 1], 4);
    expect(lines.length).toBe(1);
    const [first, ...rest] = points(lines[0]);
    expect(first?.[0]).toBe(0);
    expect(rest.at(-1)?.[0]).toBe(100);
    const heights = points(lines[0]).map(([, y = NaN]) => y);
    expect(heights).toEqual([...heights].sort((a, b) => a - b)); // downward on the page
    expect(broken).toEqual([]);
  });

  it("is broken where a number is missing, and marks what is not finite", () => {
    const { lines, broken } = drawCurve([1, null, 3, "nan", 5, "inf"], 6);
    expect(lines.length).toBe(3);
    expect(broken).toEqual([4, 6]);
  });

  it("stays short for many iterations, and keeps their extremes", () => {
    const many = Array.from({ length: 50_000 }, (_, i) => (i === 31_234 ? 100 : Math.sin(i)));
    const { lines } = drawCurve(many, many.length);
    const all = lines.flatMap(points);
    expect(all.length).toBeLessThan(1000);
    expect(Math.min(...all.map(([, y = NaN]) => y))).toBe(3); // the one peak is at the top
  });

  it("finds the iteration at a place", () => {
    for (const count of [2, 7, 500]) {
      for (const iteration of [1, 2, count]) {
        expect(iterationAt(shareOfIteration(iteration, count), count)).toBe(iteration);
      }
    }
    expect([iterationAt(-1, 9), iterationAt(2, 9)]).toEqual([1, 9]);
  });

  it("says an iteration's numbers and which iterations are kept", () => {
    const curves = { loss: [0.5, "nan"], norm: [null, 2] };
    const loop = { loop: 1, count: 2, iterations: [], curves };
    expect(scalarsOf(loop, 1)).toBe("loss 0.5");
    expect(scalarsOf(loop, 2)).toBe("loss nan, norm 2");
    expect(listed([1, 5, 28, 29, 30])).toBe("1, 5, 28–30");
    expect(keptWords([1, 28, 29, 30])).toBe("all details: iterations 1, 28–30");
    expect(keptWords([1, 28, 29, 30], 30)).toBe("all details: iterations 1, 28–30");
    const many = [1, 2, 5, 6, 9, 10, 17, 18, 60]; // more ranges than have room
    expect(keptWords(many, 60)).toBe("all details: 9 of 60 iterations");
    expect(keptWords(many)).toContain("1–2, 5–6, 9–10");
    expect(keptWords([])).toBe("curve only");
  });
});
