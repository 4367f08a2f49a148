import { describe, expect, it } from "vitest";
import { fold } from "../../src/log/fold";
import { toJson } from "../to-json";
import { Timeline } from "../../src/log/timeline";
import { exampleC } from "../examples";

describe("the timeline", () => {
  it("gives the same model for a moment however it is reached", () => {
    const program = exampleC();
    const timeline = new Timeline();
    timeline.append(program.json);
    for (const time of [3, 40, 7, timeline.end, 0, 21]) {
      const direct = fold(program.events().slice(0, time));
      expect(toJson(timeline.at(time))).toEqual(toJson(direct));
    }
  });

  it("keeps the models asked for last, so that going to and fro computes nothing anew", () => {
    const timeline = new Timeline();
    timeline.append(exampleC().json);
    const [end, now] = [timeline.at(timeline.end), timeline.at(9)];
    for (let i = 0; i < 3; i += 1) {
      expect(timeline.at(timeline.end)).toBe(end);
      expect(timeline.at(9)).toBe(now);
    }
  });

  it("says which event cannot be read", () => {
    expect(() => {
      new Timeline().append([["nonsense"]]);
    }).toThrow("event 0 (nonsense): it is of no known kind");
  });
});
