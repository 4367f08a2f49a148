import { describe, expect, it } from "vitest";
import { textWidth } from "../../src/graph/draw/measure";
import { overlaps } from "../../src/view/stage/camera";
import { nameRoom, nameSpot, shortened } from "../../src/view/card/node-name";
import { rectOf } from "../../src/scene/scene";
import { createStore } from "../../src/store/store";
import { exampleA } from "../examples";

/** A picture of which the boxes right of a pill stand nearer by so much. */
function squeezed(direction: "LR" | "TD", by: number) {
  const store = createStore();
  store.wantedDirection.value = direction;
  store.load(exampleA().packed());
  const { boxes } = store.scene.value;
  const pill = boxes.get("c3");
  if (pill?.box.kind !== "pill") throw new Error("the product is a pill");
  const { x, box } = pill;
  // Beside the line on which the name stands, left and right.
  const spot = nameSpot(box, direction);
  const card = boxes.get("v1");
  if (!card) throw new Error("w is a card");
  const y = pill.y + spot.y - 20;
  const near = new Map([
    ["c3", pill],
    ["v1", { ...card, x: x + spot.x + by, y }],
    ["v2", { ...card, x: x - by - card.box.w, y }],
  ]);
  return { pill: box, at: { x, y: pill.y }, scene: { boxes: near, direction } };
}

describe("the name of a running node", () => {
  for (const direction of ["LR", "TD"] as const) {
    it(`touches nothing beside it, ${direction}`, () => {
      const name = "SqrtBackward0";
      for (const by of [35, 60, 70, 300]) {
        const { pill, at, scene } = squeezed(direction, by);
        const text = shortened(name, nameRoom(pill, at, scene));
        const w = textWidth(text, 10.5, "mono");
        const spot = nameSpot(pill, direction);
        const left = at.x + spot.x - (direction === "LR" ? w / 2 : 0);
        const drawn = { x: left, y: at.y + spot.y - 8, w, h: 10 };
        for (const key of ["v1", "v2"]) {
          const other = scene.boxes.get(key);
          expect(other && overlaps(rectOf(other, direction), drawn), `${key} ${by}`).toBe(false);
        }
        if (by === 300) expect(text).toBe(name);
        if (by === 35) expect(text).toMatch(/^S\w*…$/);
      }
    });
  }

  it("has under its pill at least the room of that", () => {
    const { pill, at, scene } = squeezed("LR", 1);
    expect(nameRoom(pill, at, scene)).toBe(pill.w);
    expect(shortened("AddBackward0", pill.w)).toMatch(/^A\w*…$/);
  });
});
