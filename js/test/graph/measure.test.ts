import { describe, expect, it } from "vitest";
import type { Card } from "../../src/graph/draw/boxes";
import { stripTexts } from "../../src/graph/draw/cards";
import { buildGraph } from "../../src/graph/graph";
import { cutToWidth, textWidth } from "../../src/graph/draw/measure";
import { fold } from "../../src/log/fold";
import { Program } from "../builder";

/** The card of a value with so much not finite in it. */
function strip(nonfinite: number): Card {
  const p = new Program();
  const stats = [-0.9073, 0.511, 0.1, nonfinite];
  p.tell("value", 90, 90, 0, true, true, false, null, [[9, 9], "float32", null, stats, null]);
  p.tell("name", 90, "scores", "");
  return [...buildGraph(fold(p.events())).boxes.values()].find(
    (box) => box.kind === "card",
  ) as Card;
}

describe("text", () => {
  it("under a strip of numbers stands beside each other", () => {
    const { w, value } = strip(40);
    const texts = stripTexts(value.summary);
    expect(texts).toEqual(["-0.9073", "40 nan/inf", "0.511"]);
    const taken = texts.reduce((sum, text) => sum + textWidth(text, 10, "bold"), 0);
    expect(taken + 2 * 9).toBeLessThan(w);
    expect(strip(0).w).toBeLessThan(w);
  });

  it("is measured letter by letter", () => {
    expect(textWidth("iiii", 10, "regular")).toBeLessThan(textWidth("WWWW", 10, "regular") / 3);
    expect(textWidth("abc", 20, "bold")).toBeCloseTo(2 * textWidth("abc", 10, "bold"));
    expect(textWidth("iiii", 10, "mono")).toBe(textWidth("WWWW", 10, "mono"));
    expect(textWidth("e\u0301", 10, "regular")).toBe(textWidth("e", 10, "regular"));
  });

  it("is cut in its middle until it has room", () => {
    expect(cutToWidth("net.weight", 200, 13.5, "bold")).toBe("net.weight");
    const short = cutToWidth("layer.self_attn.in_proj_weight", 158, 13.5, "bold");
    expect(short).toMatch(/^layer\..*…\w*weight$/);
    expect(textWidth(short, 13.5, "bold")).toBeLessThanOrEqual(158);
  });

  it("never runs over the edge of a card, nor under its badge", () => {
    const p = new Program();
    for (const name of ["head.weight", "WWWW.MMMM.WWWWWWWW.weight", "i"]) {
      p.parameter(name, [-0.02271, -0.006371, -0.1842, 0.2459]);
    }
    for (const box of buildGraph(fold(p.events())).boxes.values()) {
      if (box.kind !== "card") continue;
      const badge = box.w - 19 - textWidth("v0", 10, "mono") - 8;
      expect(24 + textWidth(box.title, 13.5, "bold")).toBeLessThanOrEqual(badge);
      for (const line of box.lines) {
        expect(9 + textWidth(line, 11.5, "mono")).toBeLessThanOrEqual(box.w - 6);
      }
    }
  });
});
