import { expect, it } from "vitest";
import { RAISED, withRaised } from "../../src/graph/select/raised";
import { Program } from "../builder";
import { load } from "../explain/explained";

it("a run of a static graph that failed marks its operation, until it runs well", () => {
  const p = new Program();
  const x = p.leaf("x", [3]);
  const unknown = [[2, 2], "float32", null, null, null];
  p.tell("value", 90, 90, 0, false, false, false, null, unknown);
  p.tell("op", 90, "reshape", [x.id], {}, [90], null, false, null, null);
  p.tell("name", 90, "Reshape:0", "graph");
  const none = [null, null, null, null, null, null];
  p.tell("error", "call", "E", "m", [], ...none, [], null, "reshape", [x.id], null);
  const failed = withRaised(load(p).model.value);
  expect(failed.values.get(90)?.call).toBe(RAISED);
  expect(failed.calls.get(RAISED)?.outputs).toEqual([90]);
  expect(failed.calls.has(90)).toBe(false);
  const known = [[2, 2], "float32", [1, 2, 3, 4], null, null];
  p.tell("value", 90, 90, 0, false, false, false, null, known);
  const well = withRaised(load(p).model.value);
  expect(well.calls.has(RAISED)).toBe(false);
  expect(well.values.get(90)?.call).toBe(90);
});
