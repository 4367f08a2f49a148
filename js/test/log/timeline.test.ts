import { describe, expect, it } from "vitest";
import { fold, toJson } from "../../src/log/fold";
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

  it("says which event cannot be read", () => {
    expect(() => {
      new Timeline().append([["nonsense"]]);
    }).toThrow("unknown event nonsense");
  });
});
