import { describe, expect, it } from "vitest";
import { brief, cutName, dtype, full, number, rows, shapeOf } from "../../src/log/format";
import type { Summary } from "../../src/log/events";

describe("a name that is too long", () => {
  it("keeps its end, and what tells whose it is", () => {
    expect(cutName("layers.0.self_attn.in_proj_weight", 24)).toBe("layers.0.s…n_proj_weight");
    expect(cutName("layer.self_attn.in_proj_weight", 21)).toBe("layer.sel…proj_weight");
    expect(cutName("net.weight", 17)).toBe("net.weight");
    expect(cutName("a_very_long_name", 8)).toBe("a_v…name");
  });
});

const summary = (shape: number[], values: (number | string)[]): Summary => {
  return { shape, dtype: "float32", values, stats: null, histogram: null };
};

describe("numbers", () => {
  it("have four significant digits", () => {
    const texts = [0.8999999761581421, 0.1, 1 / 3, 12345.678, 1e-7, 1.23456e-5, -2.5e8, "nan", 7];
    expect(texts.map(number)).toEqual([
      "0.9",
      "0.1",
      "0.3333",
      "12350",
      "1e-7",
      "1.235e-5",
      "-2.5e8",
      "nan",
      "7",
    ]);
  });

  it("of a card are as many as have room, with a sign for the others", () => {
    const wide = [-0.02271, -0.00637, -0.1842, 0.2459];
    expect(rows(summary([4], wide))).toEqual(["[-0.02271, -0.00637, …]"]);
    expect(rows(summary([4], wide), 60)).toEqual(["[-0.02271, -0.00637, -0.1842, 0.2459]"]);
    expect(rows(summary([2, 4], [...wide, 1, 2, 3, 4]))?.every((x) => x.length <= 28)).toBe(true);
  });

  it("stand in brackets as PyTorch prints them", () => {
    expect(rows(summary([3], [1, 2, 3]))).toEqual(["[1., 2., 3.]"]);
    expect(rows(summary([2, 2], [1, 20, 3, 4]))).toEqual(["[[1., 20.],", "\u00a0[3., \u00a04.]]"]);
    expect(rows(summary([2, 1, 2], [1, 2, 3, 4]))).toEqual(["[[[1., 2.]],", "\u00a0[[3., 4.]]]"]);
    expect(rows(summary([1, 1], [5]))).toEqual(["[[5.]]"]);
    expect(brief(summary([2, 2], [0, 0, 0, 0]))).toBe("all 0.");
  });
});

describe("a value that nobody saw", () => {
  const unseen = (shape: number[], type: string): Summary => {
    return { shape, dtype: type, values: null, stats: null, histogram: null };
  };

  it("shows its shape where that is known", () => {
    const known = unseen([2, 3], "float32");
    expect([brief(known), full(known), shapeOf(known)]).toEqual(["(2, 3)", "(2, 3)", "(2, 3)"]);
    expect(rows(known)).toEqual(["not recorded"]);
    expect(brief(unseen([], "?"))).toBe("()");
    expect(dtype("?")).toBe("");
  });

  it("says that it was not recorded where nothing is known", () => {
    const nothing = unseen([], "");
    expect([brief(nothing), full(nothing), shapeOf(nothing)]).toEqual(
      Array.from({ length: 3 }, () => "not recorded"),
    );
    expect(rows(nothing)).toEqual(["not recorded"]);
  });
});
