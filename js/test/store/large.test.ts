import { expect, it, vi } from "vitest";
import { decode, PROTOCOL } from "../../src/log/events";
import { fold } from "../../src/log/fold";
import { toJson } from "../to-json";
import { createDuo } from "../../src/store/side-by-side";
import { createStore, type Store } from "../../src/store/store";
import { Program } from "../builder";
import { training } from "../examples";

/** A chain of modules that read one parameter, which is stepped at the end. */
function large(modules: number, ops: number): Program {
  const p = new Program();
  p.cell();
  const w = p.leaf("w", [0.5]);
  let h = p.leaf("x", [1]);
  for (let i = 0; i < modules; i += 1) {
    p.within("module", `net[${i}]`, i % 2 === 0 ? "Even" : "Odd", () => {
      for (let j = 0; j < ops; j += 1) h = p.op("add", [h, j > 0 ? i + 0.5 : w]);
    });
  }
  p.backward(p.op("mean", [h], "loss"));
  p.within("step", "SGD", "", () => {
    const [, , ...rest] = p.json.find(([event, id]) => event === "value" && id === w.id) ?? [];
    p.tell("value", 9000, ...rest.with(1, 1));
    p.tell("op", 9000, "add_", [w.id, "0.1"], {}, [9000], null, true, null, null);
    p.tell("write", w.storage, 1, w.id, 9000, null, null, 9000, null);
  });
  return p;
}

/** Whatever work there is takes long, until that is restored. */
function slowWork(): { mockRestore: () => void } {
  let clock = 0;
  return vi.spyOn(performance, "now").mockImplementation(() => (clock += 5));
}

/** Until a long log has been read. */
const untilRead = (store: Store) =>
  vi.waitFor(
    () => {
      expect(store.loading.value).toBe(false);
    },
    { timeout: 15_000 },
  );

it("reads a long log in slices, between which the page has its turn", async () => {
  const now = slowWork();
  const store = createStore();
  store.load(large(6, 300).packed());
  let iterations = 0;
  for (; store.loading.value; iterations += 1) await new Promise((done) => setTimeout(done));
  now.mockRestore();
  expect(iterations).toBeGreaterThan(10);
  expect(store.steps.value.length).toBeGreaterThan(1800);
});

it("shows what it has while more comes in, also when that alone is little", async () => {
  const { json } = large(6, 300);
  const store = createStore();
  const events = (from: number, to?: number) => {
    store.received({ type: "events", from, events: json.slice(from, to) });
  };
  events(0, 6000);
  await untilRead(store);
  const before = store.scene.value;
  events(6000, 6200);
  events(6200);
  expect([store.end.value, store.loading.value]).toEqual([6000, false]);
  expect(store.scene.value).toBe(before);
  await vi.waitFor(
    () => {
      expect(store.end.value).toBe(json.length);
    },
    { timeout: 15_000 },
  );
  expect(store.scene.value).not.toBe(before);
});

it("stands still while a chain grows, but where its parts become larger", async () => {
  const p = new Program();
  p.cell();
  let h = p.leaf("x", [1]);
  for (let i = 0; i < 400; i += 1) h = p.op("add", [h, 1]);
  const store = createStore();
  const updates: number[] = [];
  let before = new Map<string, string>();
  for (let from = 0; from < p.json.length; from += 40) {
    const events = p.json.slice(from, from + 40);
    store.received({ type: "events", from, events });
    await vi.waitFor(
      () => {
        expect(store.end.value).toBe(from + events.length);
      },
      { interval: 1, timeout: 15_000 },
    );
    const now = new Map([...store.scene.value.boxes].map(([key, { x, y }]) => [key, `${x} ${y}`]));
    const groups = [...store.scene.value.boxes.values()].filter(({ box }) => box.kind === "group");
    // The result, which nobody has read yet, goes into the last part with the next op.
    const stood = [...before].filter(([key]) => key.startsWith("c"));
    if (groups.length > 0) updates.push(stood.filter(([key, at]) => now.get(key) !== at).length);
    before = now;
  }
  expect(updates.length).toBeGreaterThan(20);
  expect(updates.filter((moved) => moved > 0).length).toBeLessThan(5);
  expect(store.end.value).toBe(p.json.length);
});

it("draws at each moment of a large model the part of its picture that is there by then", async () => {
  const program = large(6, 300);
  const store = createStore();
  store.load(program.packed());
  expect(store.steps.value).toEqual([]); // a long log is read in slices
  await untilRead(store);
  const last = store.scene.value;
  const total = store.steps.value.length;
  let most = 0;
  for (const share of [0, 0.05, 0.2, 0.4, 0.6, 1]) {
    store.goTo(Math.round(share * (total - 1)));
    const { values, calls } = store.model.value;
    const { boxes, wires } = store.scene.value;
    for (const { box } of boxes.values()) {
      if (box.kind === "card") expect(values.get(box.value.value)).toBe(box.value);
      if (box.kind === "pill") expect(calls.has(box.call.call)).toBe(true);
    }
    for (const { wire } of wires) expect(values.has(wire.value)).toBe(true);
    expect(boxes.size).toBeGreaterThanOrEqual(most);
    most = boxes.size;
    // The newest card of the parameter has the version that it has at this moment.
    const cards = [...boxes.values()].flatMap(({ box }) => (box.kind === "card" ? [box] : []));
    const versions = cards.filter(({ title }) => title === "w").map(({ value }) => value.version);
    expect(Math.max(0, ...versions)).toBe(store.model.value.storages.get(1)?.version);
    if (share > 0) expect(wires.some(({ wire }) => wire.value === 1)).toBe(true);
  }
  expect(most).toBe(last.boxes.size);
});

it("draws the op at hand at each step of a long loop, also in iterations before the last", async () => {
  const iterations = 300;
  const store = createStore();
  store.load(
    training(
      iterations,
      Array.from({ length: iterations }, (_, i) => i + 1),
    ).packed(),
  );
  await untilRead(store);
  for (const [index, { kind }] of store.steps.value.entries()) {
    if (kind !== "op" || (index > 40 && index < store.steps.value.length - 40)) continue;
    store.goTo(index);
    const [newest] = [...store.model.value.calls.values()].toReversed();
    const drawn = [...store.scene.value.boxes.values()].map(({ box }) => box.key);
    expect(drawn).toContain(`c${newest?.call}`);
  }
});

it("shows what it has until a log that begins later is read, and then its first moment", async () => {
  const { json } = large(6, 300);
  const store = createStore();
  store.load(JSON.stringify({ protocol: PROTOCOL, first: 0, events: json.slice(0, 900) }));
  const state = toJson(fold(json.map(decode)));
  const more = large(6, 300).json.slice(0, 6000); // told again, and with it all as it was
  const first = json.length - 1;
  const now = slowWork();
  store.received({
    type: "events",
    from: first,
    events: [["snapshot", json.length, state], ...more],
  });
  expect(store.end.value).toBe(900); // it is being read
  const shown: number[] = [];
  for (let step = 10; store.end.value === 900; step += 1) {
    if (step < 18) {
      store.goTo(step);
      expect(store.index.value).toBe(step);
      shown.push(store.scene.value.boxes.size);
    }
    await new Promise((done) => setTimeout(done));
  }
  now.mockRestore();
  expect(shown.length).toBeGreaterThan(3);
  expect(Math.min(...shown)).toBeGreaterThan(1);
  expect([store.first.value, store.index.value]).toEqual([first, 0]);
  expect(store.scene.value.boxes.size).toBeGreaterThan(1);
});

it("opens two long logs side by side at their end, and stays where the user went", async () => {
  const { json } = large(6, 300);
  const [left, right] = [createStore(), createStore()];
  for (const store of [left, right])
    store.load(JSON.stringify({ protocol: PROTOCOL, first: 0, events: json }));
  const duo = createDuo(left, right);
  await Promise.all([untilRead(left), untilRead(right)]);
  const ends = () => [left, right].map(({ index, steps }) => steps.value.length - 1 - index.value);
  expect(duo.pairs.value.length).toBeGreaterThan(1800);
  expect(duo.index.value).toBe(duo.pairs.value.length - 1);
  expect(ends()).toEqual([0, 0]);
  expect(left.scene.value.boxes.size).toBeGreaterThan(1);
  duo.goTo(1000);
  expect(duo.index.value).toBe(1000);
  expect(Math.min(...ends())).toBeGreaterThan(100);
  duo.goTo(-1);
  expect([duo.index.value, left.index.value, right.index.value]).toEqual([-1, -1, -1]);
  duo.stop();
});

it("takes a log with white space around it", async () => {
  const store = createStore();
  store.load(`\n${large(6, 300).packed()}\n`);
  await untilRead(store);
  expect(store.steps.value.length).toBeGreaterThan(1800);
});
