// @vitest-environment happy-dom
import { describe, expect, it } from "vitest";
import { Program } from "../builder";
import { exampleG } from "../examples";
import { press, show, texts, tick } from "./mounted";

describe("the words about problems", () => {
  it("tells what was jumped to or clicked, and not the newest error all the time", async () => {
    const p = new Program();
    const fails = (own: string, line: string): void => {
      p.cell();
      const b = p.op("add", [p.leaf(`leaf of ${own}`, [1, 3]), 2], own);
      const loss = p.op("mean", [p.op("mul", [b, b])], `loss of ${own}`);
      const after = p.fill(b, 1000, line);
      p.backward(loss, [after]);
    };
    fails("b", "b[0] = 1000.");
    fails("d", "d += 5");
    const bad = [[1], "float32", ["nan"], null, null];
    p.tell("value", 90, 90, 0, false, true, false, null, bad);
    p.tell("name", 90, "bad", "");
    const el = await show(p.packed());
    const words = (of: string): string => texts(el, `[data-testid="${of}"]`).join("");
    expect(words("error")).toContain("d += 5");
    await press(el, "problem"); // the error
    expect(words("error")).toContain("d += 5");
    await press(el, "problem");
    expect(words("error")).toBe("");
    expect(words("nan")).toContain("bad");
    await press(el, "problem"); // the error again
    expect(words("error")).toContain("d += 5");
    await press(el, "everything");
    const slots = [...el.querySelectorAll('[data-state="stale"]')];
    const [older, newer] = [slots[0], slots.at(-1)];
    older?.dispatchEvent(new MouseEvent("click", { bubbles: true }));
    await tick();
    expect(words("error")).toBe("");
    expect(words("hazard")).toContain("b[0] = 1000.");
    expect(words("hazard")).toContain("backward failed");
    newer?.dispatchEvent(new MouseEvent("click", { bubbles: true }));
    await tick();
    expect(words("error") + words("hazard")).toContain("d += 5");
    older?.dispatchEvent(new MouseEvent("click", { bubbles: true }));
    await press(el, "previous"); // another moment tells of itself
    expect(words("hazard")).not.toContain("b[0]");
  });

  it("leads to what an earlier cell will fail by, which is not drawn before", async () => {
    const p = exampleG(false);
    p.cell();
    p.op("add", [p.leaf("x", [1]), 1], "y");
    const el = await show(p.packed());
    expect(texts(el, ".gw-name")).toEqual(["x", "y"]);
    el.querySelector<HTMLElement>('[data-testid="older-hazards"]')?.click();
    await tick();
    expect(texts(el, ".gw-name")).toContain("loss");
    expect(texts(el, '[data-testid="hazard"]').join("")).toContain("b[0] = 1000.");
  });
});
