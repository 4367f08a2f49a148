import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createStore, type Store } from "../../src/store/store";
import type { ListedRow } from "../../src/log/model";
import { isSelected, selectRow } from "../../src/view/panels/listing";
import { beyond } from "../../src/view/panels/sheet";

const FILE = join(import.meta.dirname, "..", "..", "..", "tests", "golden", "L.json");
const { events } = JSON.parse(readFileSync(FILE, "utf8")) as { events: unknown[] };

function opened(): { store: Store; row: (name: string) => ListedRow } {
  const store = createStore();
  store.load(JSON.stringify({ protocol: 2, first: 0, events }));
  const row = (name: string): ListedRow => {
    const found = store.present.value.rows.find(({ cells }) => cells.name === name);
    if (!found) throw new Error(name);
    return found;
  };
  return { store, row };
}

/** The rows that are lit. */
function lit(store: Store): (string | undefined)[] {
  return store.present.value.rows
    .filter((row) => isSelected(store, row))
    .map(({ cells }) => cells.name);
}

describe("the listing of a program", () => {
  it("has a box for each row", () => {
    const { store } = opened();
    store.opened.value = new Map([["s2", true]]);
    for (const { value, call } of store.present.value.rows) {
      const key = call === null ? `v${value ?? ""}` : `c${call}`;
      expect(store.groupsOver(key).length > 0 || store.graph.value.boxes.has(key)).toBe(true);
    }
  });

  it("selects the box of a row, once and for all", () => {
    const { store, row } = opened();
    selectRow(store, row("mul"));
    expect(store.chosen.value).toBe(`c${row("mul").call ?? ""}`);
    expect(store.sought.value?.key).toBe(store.chosen.value);
    selectRow(store, row("mul"));
    expect(lit(store)).toEqual(["mul"]);
    selectRow(store, row("scale"));
    expect([store.selected.value, store.chosen.value]).toEqual([row("scale").value, null]);
    expect(lit(store)).toEqual(["scale"]);
  });

  it("lights the row of the box that is selected", () => {
    const { store, row } = opened();
    expect(lit(store)).toEqual([]);
    store.choose(`c${row("output").call ?? ""}`);
    expect(lit(store)).toEqual(["output"]);
    store.select(row("x").value);
    expect(lit(store)).toEqual(["x"]);
    store.select(null);
    expect(lit(store)).toEqual([]);
  });

  it("goes to the moment at which a later row's box is there", () => {
    const { store, row } = opened();
    store.goTo(1);
    expect(store.model.value.calls.has(row("add").call ?? -1)).toBe(false);
    selectRow(store, row("add"));
    expect(store.model.value.rows.at(-1)?.cells.name).toBe("add");
    selectRow(store, row("x")); // which is there already
    expect(store.model.value.rows.at(-1)?.cells.name).toBe("add");
  });

  it("has a step for each row, told in words", () => {
    const { store } = opened();
    const { rows } = store.present.value;
    expect(store.steps.value.length).toBe(rows.length);
    store.goTo(0);
    const told = (): string =>
      [store.explanation.value?.title ?? [], ...(store.explanation.value?.lines ?? [])]
        .flat()
        .map(({ text }) => text)
        .join("");
    expect(told()).toContain("x waits for its value");
    store.goTo(3);
    expect(told()).toContain("scale is a parameter");
    store.goTo(rows.length - 1);
    expect(told()).toBe("output(sum_1)");
  });
});

describe("what a sheet scrolls by", () => {
  it("is nothing for what is in sight, else just enough", () => {
    expect(beyond(10, 20, 0, 50)).toBe(0);
    expect(beyond(45, 60, 0, 50)).toBe(10);
    expect(beyond(-5, 5, 0, 50)).toBe(-5);
    expect(beyond(10, 90, 0, 50)).toBe(10);
  });
});
