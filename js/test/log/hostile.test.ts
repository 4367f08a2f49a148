import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { called } from "../../src/graph/names";
import { decode, PROTOCOL } from "../../src/log/events";
import { fold } from "../../src/log/fold";
import { toJson } from "../to-json";
import { Timeline } from "../../src/log/timeline";
import { createStore, type Store } from "../../src/store/store";
import { toText } from "../../src/text/piece";
import { Program } from "../builder";

/* Logs that nobody should have written: each is refused in one sentence, or drawn. */

const GOLDEN = join(import.meta.dirname, "..", "..", "..", "tests", "golden");
const logs = readdirSync(GOLDEN)
  .filter((name) => name.endsWith(".json"))
  .map(
    (name) =>
      (JSON.parse(readFileSync(join(GOLDEN, name), "utf8")) as { events: unknown[] }).events,
  );

const packed = (events: unknown, more: object = {}): string =>
  JSON.stringify({ protocol: PROTOCOL, first: 0, events, ...more });

/** Loads a log and looks at it step by step; the fault, or all that was told. */
async function look(text: string): Promise<{ fault: string | null; told: string; store: Store }> {
  const store = createStore();
  store.load(text);
  while (store.loading.value) await new Promise((done) => setTimeout(done));
  const told: string[] = [];
  const steps = store.steps.value.length;
  for (let i = 0; i < steps; i += Math.max(1, Math.floor(steps / 20))) {
    store.goTo(i);
    const words = store.explanation.value;
    if (words) told.push(...[words.title, ...words.lines].map(toText));
    expect(store.scene.value.boxes.size).toBeLessThan(4000);
    told.push(store.shown.error.value?.kind ?? "no error");
    told.push(`${store.shown.hazards.value.length} hazards`);
  }
  return { fault: store.fault.value, told: told.join("\n"), store };
}

/** What a programmer says, and no reader of a page understands. */
const INTERNAL =
  /undefined|is not a function|not iterable|\[object|Cannot read prop|NaN\b|nothing is known/;

const x = ["value", 1, 1, 0, true, true, false, null, [[1], "float32", [2], null, null]];
const define = ["define", "add", "+", "{self} + {other}", ["self", "other"], []];
const call = (...change: [number, unknown][]): unknown[] => {
  const event: unknown[] = ["op", 1, "add", [1, "1"], {}, [2], null, false, null, null];
  for (const [field, y] of change) event[field] = y;
  return event;
};
const scope = (id: number, parent: number | null): unknown[] => {
  return ["scope", id, parent, "module", "net", "Linear", null, true];
};

const place = { file: "cell 3", line: 2, text: "b += 1", function: "" };
const finding = { kind: "stale", reader: null, culprit: place, fix: "", text: "b.", tried: "" };

const failed = (found: unknown): unknown[] => {
  const error = ["error", "other", "RuntimeError", "m", [], null, null, null, null, null, null];
  return [...error, [], null, null, [], null, found];
};

/** The state after an error, of which this was found. */
function stateWith(found: unknown): unknown {
  const state = toJson(fold([decode(failed(finding))])) as { errors: object[] };
  return { ...state, errors: state.errors.map((error) => ({ ...error, finding: found })) };
}

describe("a log that cannot be read is refused with what is wrong", () => {
  const list = (n: number): number[] => Array.from({ length: n }, (_, i) => i + 2);
  const summary = (n: number) => [[n], "float32", list(n), null, null];
  it.each<[string, string, string]>([
    ["an unknown kind", packed([["dance", 1]]), "event 0 (dance): it is of no known kind"],
    ["an inherited kind", packed([["constructor"]]), "of no known kind"],
    ["no list", packed([x, 17]), "event 1: it is no list"],
    ["a missing field", packed([["free"]]), "event 0 (free): 'node' is missing"],
    ["a wrong type", packed([x, define, call([5, "2"])]), "event 2 (op): 'outputs' is no list of"],
    ["wrong items", packed([x, call([5, [{}]])]), "event 1 (op): 'outputs' is no list of whole"],
    ["a call that reads itself", packed([x, call([3, [2]])]), "value 2 is read before this call"],
    [
      "two calls that read each other",
      packed([x, call([3, [3]]), call([1, 2], [3, [2]], [5, [3]])]),
      "event 2 (op): value 3 is read before this call",
    ],
    ["a scope in itself", packed([scope(1, 1)]), "scope 1 lies in itself"],
    ["scopes in each other", packed([scope(1, 2), scope(2, 1)]), "scope 2 lies in itself"],
    [
      "scopes too deep",
      packed(Array.from({ length: 5000 }, (_, i) => scope(i + 1, i === 0 ? null : i))),
      "deeper than 2,000",
    ],
    ["a million outputs", packed([x, call([5, list(1e6)])]), "'outputs' has 1,000,000 items"],
    ["100,000 values", packed([[...x.slice(0, 8), summary(1e5)]]), "'values' has 100,000 numbers"],
    ["too few values", packed([[...x.slice(0, 8), [[3], "f", [1], null, null]]]), "the shape (3)"],
    ["a huge text", packed([["cell", 1, "x".repeat(2e6)]]), "'source' is no text of at most"],
    ["a far iteration", packed([["curve", 1, 1e9, ["loss"], [[1]]]]), "'first' is no iteration"],
    [
      "an unnamed iteration",
      packed([["scope", 2, 1, "iteration", "x", "", null, true]]),
      "not its number",
    ],
    ["a finding as text", packed([failed("it is stale")]), "(error): 'finding' is no table"],
    [
      "a finding without words",
      packed([failed({ ...finding, text: undefined })]),
      "'text' is no text",
    ],
    ["a finding at no place", packed([failed({ ...finding, reader: 3 })]), "'place' is no table"],
    [
      "a finding at no line",
      packed([failed({ ...finding, culprit: { ...place, line: "2" } })]),
      "'line' is no whole number",
    ],
    [
      "a broken finding in a snapshot",
      packed([["snapshot", 3, stateWith({ ...finding, fix: null })]]),
      "(snapshot): 'fix' is no text",
    ],
    ["a broken snapshot", packed([["snapshot", 3, { ops: 1 }]]), "(snapshot): 'ops' is no table"],
    ["a missing beginning", packed([x], { first: 7 }), "its beginning is missing"],
    ["truncated JSON", packed([x]).slice(0, -9), "not complete JSON"],
    ["no log", "[1, 2]", "it is no log"],
    ["no events", packed({ a: 1 }), "it has no events"],
    ["a newer protocol", packed([x], { protocol: 99 }), "speaks protocol 99"],
    ["a protocol as text", packed([x], { protocol: "1" }), "does not say its protocol"],
    ["a fraction as time", packed([x], { first: 0.5 }), "it has no events"],
  ])("%s", async (_what, text, sentence) => {
    const { fault } = await look(text);
    expect(fault).toContain(sentence);
    expect(fault).not.toMatch(INTERNAL);
    expect(fault?.length).toBeLessThan(250);
  });

  it("an empty log is no mistake", async () => {
    for (const text of ["", " ", packed([])]) expect((await look(text)).fault).toBeNull();
  });
});

describe("a log that can be read is drawn", () => {
  it("with ids that nobody told, also of itself", async () => {
    const { fault, told } = await look(
      packed([
        x,
        define,
        ["value", 2, 1, 0, true, false, false, 2, [[1], "float32", [3], null, null]],
        call([3, [1, 77]], [6, 2]),
        [
          "node",
          5,
          "AddBackward0",
          1,
          [2],
          [
            [5, 0],
            [99, 3],
          ],
          [["self", 2, 8, 0, null]],
          null,
        ],
        ["write", 1, 1, 2, 2, null, null, 88, 99],
        ["backward", 1, [[2, 5]], false, false, false, null, null],
        ["start", 1, 5, []],
        ["finish", 1, 5, [], null],
        ["done", 1, "ok"],
        ["name", 55, "ghost", ""],
        [
          "error",
          "version",
          "RuntimeError",
          "m",
          [],
          7,
          8,
          "self",
          9,
          1,
          2,
          [400],
          3,
          null,
          [66],
          4,
        ],
      ]),
    );
    expect(fault).toBeNull();
    expect(told).not.toMatch(INTERNAL);
  });

  it("also one from before errors told their scope and what was found", async () => {
    const older = logs.map((events) =>
      events.map((event) =>
        Array.isArray(event) && event[0] === "error" ? event.slice(0, -2) : event,
      ),
    );
    const failed = older.find((events) => JSON.stringify(events).includes('["error"')) ?? [];
    const state = toJson(fold(failed.map(decode))) as {
      errors: { scope?: unknown; finding?: unknown }[];
    };
    for (const error of state.errors) {
      delete error.scope;
      delete error.finding;
    }
    older.push([["snapshot", failed.length, state]]);
    const seen = await Promise.all(older.map((events) => look(packed(events))));
    expect(seen.map(({ fault }) => fault)).toEqual(older.map(() => null));
    const errors = seen.flatMap(({ store }) => store.present.value.errors);
    expect(errors.length).toBeGreaterThan(3);
    expect(errors.every(({ scope, finding }) => scope === null && finding === null)).toBe(true);
  });

  it("with what was found of an error, which a snapshot keeps", async () => {
    for (const events of [[failed(finding)], [["snapshot", 1, stateWith(finding)]]]) {
      const { fault, store } = await look(packed(events));
      expect(fault).toBeNull();
      expect(store.present.value.errors[0]?.finding).toEqual(finding);
    }
  });

  it("with markup as text", async () => {
    const evil = "<script>f()</script>";
    const { fault, told } = await look(packed([x, ["name", 1, evil, ""], define, call()]));
    expect(fault).toBeNull();
    expect(told).toContain("<script>f()</script> is a leaf");
  });

  it("with very many inputs that are all unnamed", () => {
    const cat = ["define", "cat", "cat", "cat({*tensors})", ["*tensors"], []];
    const events: unknown[] = [x, cat];
    let before = [1];
    for (let i = 1; i < 7; i += 1) {
      const made = Array.from({ length: 60 }, (_, k) => i * 100 + k);
      for (const id of made) {
        events.push([
          "value",
          id,
          id,
          0,
          false,
          false,
          false,
          null,
          [[], "float32", [1], null, null],
        ]);
        events.push(["op", id, "cat", before, {}, [id], null, false, null, null]);
      }
      before = made;
    }
    const model = fold(events.map(decode));
    const start = performance.now();
    expect(called(model, 601)).toBe("the scalar output of cat");
    expect(performance.now() - start).toBeLessThan(200);
  });
});

/** Numbers that are the same every time. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

const ODD: readonly unknown[] = [
  null, -1, 1.5, 1e308, "", "nan", "<img src=x onerror=alert(1)>", [], [[]], {}, true, [null], 2, 7,
]; // prettier-ignore

/** One place of a log changed: an item replaced, dropped, doubled or moved. */
function corrupt(events: readonly unknown[], next: () => number): unknown[] {
  const copy = structuredClone(events) as unknown[];
  const pick = (n: number): number => Math.floor(next() * n);
  let at = copy;
  let place = pick(at.length);
  while (Array.isArray(at[place]) && (at[place] as unknown[]).length > 0 && next() < 0.8) {
    at = at[place] as unknown[];
    place = pick(at.length);
  }
  const how = pick(5);
  if (how < 2) at[place] = ODD[pick(ODD.length)];
  else if (how === 2) at.splice(place, 1);
  else if (how === 3) at.splice(place, 0, structuredClone(at[place]));
  else at.splice(pick(at.length), 0, ...at.splice(place, 1));
  return copy;
}

describe("random corruptions of real logs", () => {
  it("are refused in words or drawn, 200 of them", async () => {
    const next = random(20);
    let refused = 0;
    for (let i = 0; i < 200; i += 1) {
      const events = corrupt(logs[i % logs.length] ?? [], next);
      const { fault, told } = await look(packed(events));
      if (fault !== null) refused += 1;
      expect(fault ?? "").not.toMatch(INTERNAL);
      expect(fault ?? "The log cannot be read: event ").toMatch(/^The log cannot be read: event /);
      expect(told).not.toMatch(/undefined|\[object/);
    }
    expect(refused).toBeGreaterThan(40);
    expect(refused).toBeLessThan(180);
  }, 60_000);
});

describe("a long log", () => {
  it("is read and folded, and any moment of it equals the fold of its beginning", () => {
    const p = new Program();
    p.cell();
    let a = p.leaf("x", [1, 2]);
    const w = p.leaf("w", [0.5, 0.5]);
    for (let i = 0; i < 2_500; i += 1) a = p.op(i % 3 ? "mul" : "add", [a, i % 6 ? w : 0.5]);
    p.backward(p.op("mean", [a], "loss"));
    const timeline = new Timeline();
    timeline.append(p.json);
    expect(timeline.end).toBe(p.json.length);
    for (const part of [1, 0.5, 0.1, 0.9]) {
      const time = Math.floor(part * timeline.end);
      const plain = new Timeline();
      plain.append(p.json.slice(0, time));
      expect(timeline.at(time).values.size).toBe(plain.at(time).values.size);
      expect(timeline.at(time).time).toBe(time);
    }
  });
});
