import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { outOfPlace } from "../../src/explain/fix";

/* tests/graph/test_fixes.py runs the same lines and what is offered for them. */
const FILE = join(import.meta.dirname, "..", "..", "..", "tests", "graph", "fixes.json");
const fixes = JSON.parse(readFileSync(FILE, "utf8")) as { line: string; fix: string }[];

describe("a line that writes in place", () => {
  it.each(fixes)("$line", ({ line, fix }) => {
    expect(outOfPlace(line)).toBe(fix);
  });

  it("makes a new item where an item of a list was written", () => {
    expect(outOfPlace("keep[40].mul_(2)", false)).toBe("keep[40] = keep[40].mul(2)");
    expect(outOfPlace("keep[i + 1].zero_()", false)).toBe(
      "keep[i + 1] = torch.zeros_like(keep[i + 1])",
    );
    expect(outOfPlace("keep[40].mul_(2)")).toBe("keep = keep.clone()\nkeep[40].mul_(2)");
  });

  it.each([
    "loss = net(x)",
    "torch.relu_(b)",
    "b == c",
    "for b in c:",
    "b.detach()",
    "b.__init__()",
  ])("%s is left alone", (line) => {
    expect(outOfPlace(line)).toBeNull();
  });
});
