import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { changesOf, inPasses } from "../../src/graph/changes";
import { explainPass } from "../../src/explain/optimization-pass";
import { toText } from "../../src/text/piece";
import { decode, type Event } from "../../src/log/events";
import { fold } from "../../src/log/fold";
import type { Model } from "../../src/log/model";

const FILE = join(import.meta.dirname, "..", "..", "..", "tests", "golden", "K.json");
const golden = JSON.parse(readFileSync(FILE, "utf8")) as { events: unknown[] };
const events = golden.events.map(decode);

/** The model when a pass has run. */
function after(pass: string): Model {
  const end = events.findIndex((event: Event) => event.event === "pass" && event.name === pass);
  return fold(events.slice(0, end + 1));
}

/** The ops of calls with a change. */
function opsWith(model: Model, change: string): string[] {
  const calls = changesOf(model)?.calls ?? [];
  return [...calls]
    .filter(([, own]) => own === change)
    .map(([id]) => model.calls.get(id)?.op ?? "");
}

describe("what a pass changed", () => {
  it("is nothing where the program was built", () => {
    const model = after("built");
    expect(changesOf(model)?.calls.size).toBe(0);
    expect(inPasses(model)?.calls.size).toBe(9);
  });
  it("is a call in the place of another", () => {
    const model = after("stabilise");
    expect(opsWith(model, "removed")).toEqual(["log"]);
    expect(opsWith(model, "added")).toEqual(["logsumexp"]);
    expect(inPasses(model)?.calls.size).toBe(10); // both are drawn
  });
  it("is a value that is a constant now", () => {
    const model = after("constants");
    const constant = [...(changesOf(model)?.values ?? [])].find(([, own]) =>
      /known|added/.test(own),
    );
    const value = model.values.get(constant?.[0] ?? -1);
    expect([value?.call, Number(value?.summary.values?.[0])]).toEqual([null, 0]);
    expect(opsWith(model, "removed")).toEqual(["mul"]);
  });
  it("is a call that reads another value than before", () => {
    const model = after("common");
    expect(opsWith(model, "removed")).toEqual(["mm"]);
    expect(opsWith(model, "rewired")).toEqual(["add"]);
    const [call, value] = changesOf(model)?.reads[0] ?? [0, 0];
    expect(model.calls.get(call)?.op).toBe("add");
    expect(model.calls.get(call)?.inputs).not.toContain(value);
  });
  it("is a result in the memory of an operand", () => {
    expect(changesOf(after("reuse"))?.over.size).toBe(1);
    expect(changesOf(after("fusion"))?.calls.size).toBe(0);
  });
  it("is told in words with its figures", () => {
    const { title, lines } = explainPass(after("common"));
    expect(toText(title)).toBe("common: what is computed twice is computed once");
    expect(lines.map(toText).join("\n")).toMatch(/− Left out: x @ w\n→ .*\noperations 8 → 7/);
  });
});
