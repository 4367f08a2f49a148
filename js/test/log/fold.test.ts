import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { decode } from "../../src/log/events";
import { fold } from "../../src/log/fold";
import { toJson } from "../to-json";
import { emptyModel, hazards, type Model } from "../../src/log/model";
import { exampleA, exampleC, exampleG } from "../examples";

const GOLDEN = join(import.meta.dirname, "..", "..", "..", "tests", "golden");
const names = existsSync(GOLDEN) ? readdirSync(GOLDEN).filter((n) => n.endsWith(".json")) : [];

interface Golden {
  events: unknown[];
  model: unknown;
}

describe("the fold equals Python's", () => {
  for (const name of names) {
    const golden = JSON.parse(readFileSync(join(GOLDEN, name), "utf8")) as Partial<Golden>;
    if (!golden.events || golden.model === undefined) continue; // another kind of record
    it(name, () => {
      const model = fold((golden.events ?? []).map(decode));
      expect(JSON.parse(JSON.stringify(toJson(model)))).toEqual(golden.model);
    });
  }
});

describe("the fold", () => {
  it("knows why a node failed also when its graph has gone", () => {
    const p = exampleG();
    const before = fold(p.events());
    const failed = [...before.nodes.values()].find(({ state }) => state === "failed");
    p.tell("free", failed?.node);
    const after = fold(p.events());
    expect(after.nodes.get(failed?.node ?? -1)?.freed).toBe(true);
    const slots = (model: Model) =>
      hazards(model).flatMap(({ node, index }) => (node.node === failed?.node ? [index] : []));
    expect(slots(before)).not.toEqual([]);
    expect(slots(after)).toEqual(slots(before));
  });

  it("knows what a call saved and wrote at once as stale", () => {
    const numbers = [[2], "float32", [1, 2], null, null];
    const model = fold(
      [
        ["value", 1, 1, 0, true, true, false, null, numbers],
        ["value", 2, 1, 1, true, false, false, null, numbers],
        ["write", 1, 1, 1, 2, null, null, null, null],
        ["node", 1, "MulBackward0", null, [2], [[null, 0]], [["other", 1, 1, 0, null]], null],
      ].map(decode),
    );
    expect(hazards(model).map(({ slot }) => slot.stale)).toEqual([[2]]);
  });

  it("adds gradients up in leaves", () => {
    const model = fold(exampleA().events());
    expect(model.values.get(1)?.grad?.values).toEqual([5]);
    expect(model.values.get(2)?.grad?.values).toEqual([2]);
  });

  it("gives example C its gradients", () => {
    const model = fold(exampleC().events());
    const grads = [2, 3, 4].map((id) => model.values.get(id)?.grad?.values);
    expect(grads).toEqual([[28], [8], [10]]);
  });

  it("finds the hazard at the write, before any backward", () => {
    const model = fold(exampleG(false).events());
    expect(hazards(model).map(({ node, slot }) => [node.name, slot.version])).toEqual([
      ["MulBackward0", 0],
      ["MulBackward0", 0],
    ]);
  });

  it("restores a snapshot", () => {
    const program = exampleC();
    const model = fold(program.events());
    const snapshot = decode(["snapshot", model.time, JSON.parse(JSON.stringify(toJson(model)))]);
    const restored = fold([snapshot], { ...emptyModel(), time: model.time - 1 });
    expect(toJson(restored)).toEqual(toJson({ ...model, dropped: model.time }));
  });
});
