import { signal } from "@preact/signals";
import { describe, expect, it } from "vitest";
import { fold } from "../../src/log/fold";
import type { Model } from "../../src/log/model";
import { fitOf, lookOf } from "../../src/store/detail";
import { createState } from "../../src/store/state";
import { atOnce } from "../../src/sliced-work";
import { Program } from "../builder";

/** A program of one cell at three moments: with 2, 40 and 42 ops in two modules. */
function growing(): [Model, Model, Model] {
  const p = new Program();
  let x = p.leaf("x", [1]);
  const layer = (name: string, ops: number): void => {
    p.within("module", name, "Block", () => {
      for (let i = 0; i < ops; i += 1) x = p.op("mul", [x, 2], `${name}${i}`);
    });
  };
  const models = [1, 19, 1].flatMap((ops) => {
    for (const name of ["a", "b"]) layer(name, ops);
    return fold(p.events());
  });
  return models as [Model, Model, Model];
}

function detail(first: Model) {
  const [state, whole] = [createState(), signal(first)];
  const room = signal({ w: 900, h: 400 });
  return { state, whole, room, ...fitOf(state, whole, room) };
}

describe("the detail of a picture", () => {
  it("never becomes richer while a cell grows, until the picture is tidied", () => {
    const [little, much] = growing();
    const { fit, whole, state } = detail(little);
    const rich = lookOf(fit.value.detail);
    whole.value = much;
    const poor = lookOf(fit.value.detail);
    expect(poor).not.toBe(rich);
    whole.value = little;
    expect(lookOf(fit.value.detail)).toBe(poor);
    state.tidied.value += 1;
    expect(lookOf(fit.value.detail)).toBe(rich);
  });

  it("is the same whether it was chosen in advance or when it was shown", () => {
    const [little, ...later] = growing();
    const [ahead, shown] = [detail(little), detail(little)];
    expect(lookOf(ahead.fit.value.detail)).toBe(lookOf(shown.fit.value.detail));
    for (const model of [...later, little]) {
      const before = ahead.fit.value;
      atOnce(ahead.prepare(model));
      expect(ahead.fit.value).toBe(before); // nothing else is shown yet
      ahead.whole.value = model;
      shown.whole.value = model;
      expect(lookOf(ahead.fit.value.detail)).toBe(lookOf(shown.fit.value.detail));
    }
  });

  it("is chosen after what was chosen last, also where that was never shown", () => {
    const [little, much] = growing();
    const [seen, unseen, fresh] = [detail(little), detail(much), detail(much)];
    for (const model of [little, much]) {
      seen.whole.value = model;
      expect(seen.fit.value.graph.boxes.size).toBeGreaterThan(0);
      atOnce(unseen.prepare(model));
    }
    expect(lookOf(unseen.fit.value.detail)).toBe(lookOf(seen.fit.value.detail));
    expect(lookOf(unseen.fit.value.detail)).not.toBe(lookOf(fresh.fit.value.detail));
  });
});
