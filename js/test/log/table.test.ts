import { describe, expect, it } from "vitest";
import { rare, Table } from "../../src/log/table";

interface Row {
  readonly n: number;
}

const filled = (count: number): Table<Row> => {
  const table = new Table<Row>();
  for (let n = 0; n < count; n += 1) table.set(n * 3, { n });
  return table;
};

describe("a table", () => {
  it("holds what a map holds, also under numbers far apart", () => {
    const table = new Table<Row>();
    const map = new Map<number, Row>();
    let seed = 7;
    for (let i = 0; i < 2000; i += 1) {
      seed = (seed * 48271) % 2147483647;
      const id = seed % 5 === 0 ? 2 ** 40 + (seed % 90) : seed % 700;
      if (seed % 7 === 0) {
        table.delete(id);
        map.delete(id);
      } else {
        table.set(id, { n: i });
        map.set(id, { n: i });
      }
      expect(table.size).toBe(map.size);
      expect(table.get(id)).toEqual(map.get(id));
    }
    const sorted = (rows: Iterable<[number, Row]>) => [...rows].sort(([a], [b]) => a - b);
    expect(sorted(table)).toEqual(sorted(map));
    expect([...table.keys()].length).toBe(map.size);
  });

  it("goes its own way from its copy, in both directions", () => {
    const table = filled(500);
    const copy = new Table(table);
    table.set(30, { n: -1 }).set(9999, { n: -2 });
    copy.set(60, { n: -3 });
    copy.delete(90);
    expect([table.get(30)?.n, copy.get(30)?.n]).toEqual([-1, 10]);
    expect([table.get(60)?.n, copy.get(60)?.n]).toEqual([20, -3]);
    expect([table.get(90)?.n, copy.get(90)]).toEqual([30, undefined]);
    expect([table.size, copy.size]).toEqual([501, 499]);
    expect(copy.has(9999)).toBe(false);
  });

  it("looks for what is rare only where something changed", () => {
    let looked = 0;
    const find = rare<Row, number>(({ n }, add) => {
      looked += 1;
      if (n % 100 === 0) add(n);
    });
    const table = filled(1000);
    expect(find(table)).toEqual([0, 100, 200, 300, 400, 500, 600, 700, 800, 900]);
    expect(looked).toBe(1000);
    const copy = new Table(table);
    copy.set(0, { n: 5 });
    expect(find(copy)).not.toContain(0);
    expect(find(table)).toContain(0);
    expect(looked).toBeLessThan(1100);
  });
});
