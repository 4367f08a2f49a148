import { describe, expect, it } from "vitest";
import { createStore } from "../../src/store/store";
import { relatedTo } from "../../src/store/related";
import { stepAlong, type Arrow } from "../../src/view/stage/walk";
import { exampleA, manyBoxes } from "../examples";

function sceneOf(direction: "LR" | "TD", program = exampleA()) {
  const store = createStore();
  store.load(program.packed());
  store.wantedDirection.value = direction;
  return store.scene.value;
}

describe("walking over the picture", () => {
  it("goes along the wires, there and back", () => {
    for (const [direction, on, back] of [
      ["LR", "ArrowRight", "ArrowLeft"],
      ["TD", "ArrowDown", "ArrowUp"],
    ] as const) {
      const scene = sceneOf(direction);
      const walk = (from: string, arrow: Arrow): string[] => {
        const seen = [from];
        for (let at = stepAlong(scene, from, arrow); at; at = stepAlong(scene, at, arrow)) {
          seen.push(at);
        }
        return seen;
      };
      // x, +, a, ×, y: and nothing follows y
      expect(walk("v2", on)).toEqual(["v2", "c1", "v3", "c3", "v5"]);
      const home = walk("v5", back);
      expect(home[0]).toBe("v5");
      expect(["v1", "v2"]).toContain(home.at(-1));
    }
  });

  it("goes across the flow to a neighbour and back", () => {
    const scene = sceneOf("LR");
    const [a, b] = [scene.boxes.get("v3"), scene.boxes.get("v4")];
    if (!a || !b) throw new Error("not drawn");
    const [up, down] = a.y < b.y ? ["v3", "v4"] : ["v4", "v3"];
    expect(stepAlong(scene, up, "ArrowDown")).toBe(down);
    expect(stepAlong(scene, down, "ArrowUp")).toBe(up);
  });

  it("reaches every box of a connected picture", () => {
    const scene = sceneOf("LR", manyBoxes(60));
    const seen = new Set<string>();
    const stack = [...scene.boxes.keys()].slice(-1);
    for (let key = stack.pop(); key !== undefined; key = stack.pop()) {
      if (seen.has(key)) continue;
      seen.add(key);
      for (const arrow of ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"] as const) {
        const next = stepAlong(scene, key, arrow);
        if (next !== null) stack.push(next);
      }
    }
    expect(seen.size).toBe(scene.boxes.size);
  });
});

describe("what a box came from and reaches", () => {
  it("is all before it and all after it, and not what stands beside", () => {
    const scene = sceneOf("LR");
    const wires = scene.wires.map(({ wire }) => wire);
    expect([...relatedTo("v3", wires)].sort()).toEqual(["v1", "v2", "c1", "v3", "c3", "v5"].sort());
    expect(relatedTo("v1", wires).size).toBe(7); // all but x
  });
});
