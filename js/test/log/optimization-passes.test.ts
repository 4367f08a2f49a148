import { describe, expect, it } from "vitest";
import { Reader } from "../../src/log/reader";

type Step = readonly [number, string, readonly unknown[], object, readonly number[], null, null];

const step = (call: number, inputs: readonly unknown[], output: number): Step => {
  return [call, "add", inputs, {}, [output], null, null];
};
const pass = (...steps: readonly Step[]) => ["pass", "p", steps, [], [], 1, null, null, null];

function reading(...events: readonly unknown[]): () => void {
  return () => {
    const reader = new Reader();
    events.forEach((event, time) => reader.read(event, time));
  };
}

describe("passes of a log from outside", () => {
  it("may drop, replace and rewire calls", () => {
    const built = pass(step(1, [1], 2), step(2, [2], 3), step(3, [2, 3], 4));
    expect(reading(built, pass(step(1, [1], 2), step(4, [2, "1"], 4)))).not.toThrow();
  });
  it("read nothing before it is made", () => {
    expect(reading(pass(step(1, [3], 2), step(2, [2], 3)))).toThrow(/before it is made/);
    expect(reading(pass(step(1, [2], 2)))).toThrow(/before it is made/);
  });
  it("make nothing twice", () => {
    expect(reading(pass(step(1, [1], 2), step(2, [1], 2)))).toThrow(/value 2 twice/);
  });
  it("are no circle with the program before them", () => {
    const one = pass(step(1, [1], 2), step(2, [2], 3));
    const other = pass(step(2, [1], 3), step(1, [3], 2));
    expect(reading(one, other)).toThrow(/read each other/);
  });
});
