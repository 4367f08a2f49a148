import { describe, expect, it } from "vitest";
import {
  bring,
  centred,
  fit,
  follow,
  goTo,
  within,
  inside,
  NAMES,
  READING,
  zoom,
  type Camera,
} from "../../src/view/stage/camera";
import { UNSEEN } from "../../src/view/view-state";

const SIZE = { w: 900, h: 400 };

/** Of such a subject all must be read. */
const whole = { reading: READING, names: false };

/** Where a point of the plane is drawn. */
const drawn = ({ x, y, k }: Camera, point: { x: number; y: number }) => ({
  x: point.x * k + x,
  y: point.y * k + y,
});

describe("the camera by itself", () => {
  it("never goes below reading size, however large the picture is", () => {
    for (const w of [500, 1000, 5000, 100_000]) {
      for (const h of [100, 500, 20_000]) {
        const bounds = { x: 0, y: 0, w, h };
        const rect = { x: w / 2, y: h / 2, w: 90, h: 70 };
        for (const direction of ["LR", "TD"] as const) {
          const camera = follow(UNSEEN, bounds, { rect, direction, ...whole }, SIZE);
          expect(camera.k).toBeGreaterThanOrEqual(READING);
          expect(inside(rect, camera, SIZE, 0)).toBe(true);
        }
      }
    }
  });

  it("shows the whole where it can be read, in the middle", () => {
    const bounds = { x: -100, y: 50, w: 700, h: 300 };
    const camera = follow(UNSEEN, bounds, null, SIZE);
    expect(drawn(camera, { x: 250, y: 200 })).toEqual({ x: 450, y: 200 });
    expect(inside(bounds, camera, SIZE, 20)).toBe(true);
  });

  it("shows the whole where its names can be read, unless all of the subject must be", () => {
    const bounds = { x: 0, y: 0, w: 1100, h: 300 };
    const subject = { rect: { x: 900, y: 0, w: 90, h: 70 }, direction: "LR" as const, ...whole };
    expect(
      inside(bounds, follow(UNSEEN, bounds, { ...subject, names: true }, SIZE), SIZE, 20),
    ).toBe(true);
    expect(follow(UNSEEN, bounds, subject, SIZE).k).toBe(READING);
    const wide = { ...bounds, w: 1400 };
    expect(follow(UNSEEN, wide, { ...subject, names: true }, SIZE).k).toBe(READING);
  });

  it("opens with all of a wide subject in view, as of a write and what it spoilt", () => {
    const bounds = { x: 0, y: 0, w: 10_000, h: 300 };
    const rect = { x: 5000, y: 100, w: 800, h: 90 };
    const camera = follow(UNSEEN, bounds, { rect, direction: "LR", ...whole }, SIZE);
    expect(inside(rect, camera, SIZE, 8)).toBe(true);
  });

  it("opens with what a value came from on the side that it came from", () => {
    const bounds = { x: 0, y: 0, w: 10_000, h: 300 };
    const rect = { x: 5000, y: 100, w: 100, h: 80 };
    const across = follow(UNSEEN, bounds, { rect, direction: "LR", ...whole }, SIZE);
    expect(drawn(across, { x: 5050, y: 140 }).x).toBeCloseTo(675);
    const tall = { x: 0, y: 0, w: 300, h: 10_000 };
    const below = { x: 100, y: 5000, w: 100, h: 80 };
    const down = follow(UNSEEN, tall, { rect: below, direction: "TD", ...whole }, SIZE);
    expect(drawn(down, { x: 150, y: 5040 }).y).toBeCloseTo(300);
  });

  it("stands still while the subject stays in view, and moves no further than it must", () => {
    const bounds = { x: 0, y: 0, w: 10_000, h: 300 };
    const at = (x: number) => ({
      rect: { x, y: 100, w: 100, h: 80 },
      direction: "LR" as const,
      ...whole,
    });
    const first = follow(UNSEEN, bounds, at(5000), SIZE);
    expect(follow(first, bounds, at(4800), SIZE)).toEqual(first);
    const moved = follow(first, bounds, at(5300), SIZE);
    expect(moved.k).toBe(first.k);
    expect(drawn(moved, { x: 5400, y: 0 }).x).toBeCloseTo(SIZE.w - 90);
  });

  it("shows no more empty space than it must", () => {
    const bounds = { x: 0, y: 0, w: 5000, h: 100 };
    const left = within({ x: 400, y: 0, k: 1 }, bounds, SIZE);
    expect(left.x).toBeGreaterThan(0);
    expect(left.x).toBeLessThan(40);
    expect(drawn(left, { x: 0, y: 50 }).y).toBe(SIZE.h / 2);
  });
});

describe("the camera with steps", () => {
  const direction = "LR" as const;
  const at = (x: number) => ({ rect: { x, y: 100, w: 100, h: 80 }, direction, ...whole });

  it("stays where what steps can be seen, at any scale at which names can be read", () => {
    for (const k of [NAMES, 1, 2]) {
      const camera = centred(at(5000).rect, SIZE, k);
      expect(bring(camera, at(5020), SIZE)).toBe(camera);
    }
  });

  it("goes no further than it must, at the same scale", () => {
    const camera = centred(at(5000).rect, SIZE, 2);
    const moved = bring(camera, at(5400), SIZE);
    expect([moved.k, moved.y]).toEqual([2, camera.y]);
    expect(inside(at(5400).rect, moved, SIZE, 8)).toBe(true);
  });

  it("comes near from where nothing can be read", () => {
    expect(bring({ x: 0, y: 0, k: 0.1 }, at(5000), SIZE).k).toBe(READING);
  });
});

describe("the camera by hand", () => {
  it("goes to what was asked for, and not at all when that is in view", () => {
    const rect = { x: 3000, y: 3000, w: 90, h: 70 };
    const near = goTo({ x: 0, y: 0, k: 0.05 }, rect, SIZE);
    expect(near).toEqual(centred(rect, SIZE, READING));
    expect(goTo(near, rect, SIZE)).toBe(near);
  });

  it("zooms around the point under the pointer", () => {
    const camera = { x: 13, y: -40, k: 0.8 };
    const point = { x: (300 - 13) / 0.8, y: (200 + 40) / 0.8 };
    const { x, y } = drawn(zoom(camera, 1.7, 300, 200), point);
    expect([x, y]).toEqual([expect.closeTo(300), expect.closeTo(200)]);
  });

  it("fits a picture of any size when asked to", () => {
    const bounds = { x: 5, y: 5, w: 40_000, h: 9 };
    expect(inside(bounds, fit(bounds, SIZE), SIZE, 10)).toBe(true);
  });
});
