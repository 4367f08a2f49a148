import { describe, expect, it } from "vitest";
import { fold } from "../../src/log/fold";
import { findPaths, multiply, type Jacobian } from "../../src/graph/paths";
import { pathsLine, productText, sumText } from "../../src/explain/paths";
import { toText } from "../../src/text/piece";
import { Program } from "../builder";
import { exampleA, exampleC } from "../examples";

/** A small generator of equal numbers each time (mulberry32). */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

function randomProgram(seed: number): { program: Program; leaves: number[]; root: number } {
  const next = random(seed);
  const p = new Program();
  p.cell();
  const scalar = (): number => Math.round(next() * 6 - 3);
  const width = next() < 0.5 ? 1 : 3;
  const data = (): number[] => Array.from({ length: width }, scalar);
  const values = [p.leaf("a", data()), p.leaf("b", data()), p.leaf("c", data())];
  const leaves = values.map((v) => v.id);
  const pick = () => values[Math.floor(next() * values.length)] ?? values[0];
  for (let i = 0; i < 3 + Math.floor(next() * 8); i += 1) {
    const [x, y] = [pick(), next() < 0.2 ? scalar() : pick()];
    if (x !== undefined && y !== undefined) {
      values.push(p.op(next() < 0.5 ? "add" : "mul", [x, y], `h${i}`));
    }
  }
  const last = values.at(-1) ?? p.leaf("z", data());
  const root = width === 1 ? last : p.op("mean", [last], "loss");
  if (root.node !== null) p.backward(root);
  return { program: p, leaves, root: root.id };
}

describe("paths", () => {
  it("finds example A's two paths: 2·1 + 3·1 = 5", () => {
    const model = fold(exampleA().events());
    const { paths, count, sum } = findPaths(model, 1, 5);
    expect(count).toBe(2);
    expect(paths.map(productText).sort()).toEqual(["2 · 1 = 2", "3 · 1 = 3"]);
    expect(sum?.numbers).toEqual([5]);
    expect(sumText("w", "y", paths, count, sum)).toBe("∂y/∂w = 2·1 + 3·1 = 5");
  });

  it("multiplies Jacobians in example C", () => {
    const model = fold(exampleC().events());
    const { sum, count } = findPaths(model, 2, 9);
    expect(count).toBe(2);
    expect(sum?.numbers[0]).toBeCloseTo(28);
  });

  it("does not count more paths than anybody would", () => {
    const p = new Program();
    p.cell();
    const leaf = p.leaf("x", [1]);
    let root = leaf;
    for (let i = 0; i < 40; i += 1) root = p.op("add", [root, root], `y${i}`);
    const model = fold(p.events());
    const told = (to: number): string => {
      const found = findPaths(model, leaf.id, to);
      return toText(pathsLine(model, { from: leaf.id, to, found }));
    };
    expect(told(root.id)).toBe("More than 10000 paths lead from x to y39");
  });

  it("adds up to the gradient on random graphs, path by path and at once", () => {
    let checked = 0;
    for (let seed = 1; seed <= 150; seed += 1) {
      const { program, leaves, root } = randomProgram(seed);
      const model = fold(program.events());
      for (const leaf of leaves) {
        const gradient = model.values.get(leaf)?.grad?.values;
        const { paths, count, sum } = findPaths(model, leaf, root, 1e5);
        if (!gradient) {
          expect(count).toBe(0);
          continue;
        }
        expect(paths.length).toBe(count);
        const total = gradient.map((_, i) =>
          paths.reduce((all, path) => all + (path.product?.numbers[i] ?? NaN), 0),
        );
        gradient.forEach((g, i) => {
          const size = 1 + Math.abs(Number(g));
          expect((total[i] ?? NaN) / size).toBeCloseTo(Number(g) / size, 6);
          expect((sum?.numbers[i] ?? NaN) / size).toBeCloseTo(Number(g) / size, 6);
        });
        checked += 1;
      }
    }
    expect(checked).toBeGreaterThan(200);
  });

  it("lists no more paths than asked but sums all", () => {
    const p = new Program();
    p.cell();
    let x = p.leaf("x", [1]);
    const first = x.id;
    for (let i = 0; i < 30; i += 1) x = p.op("add", [x, x], `h${i}`);
    p.backward(x);
    const { paths, count, sum } = findPaths(fold(p.events()), first, x.id);
    expect(paths.length).toBe(24);
    expect(count).toBe(2 ** 30);
    expect(sum?.numbers).toEqual([2 ** 30]);
  });

  it("multiplies matrices", () => {
    const a: Jacobian = { rows: 1, columns: 2, numbers: [1, 2] };
    const b: Jacobian = { rows: 2, columns: 1, numbers: [3, 4] };
    expect(multiply(a, b)).toEqual({ rows: 1, columns: 1, numbers: [11] });
    expect(multiply(a, a)).toBeNull();
  });
});
