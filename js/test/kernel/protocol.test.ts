import { describe, expect, it, vi } from "vitest";
import { Link, parseMessage, parsePacked, type WidgetModel } from "../../src/kernel/protocol";
import { createStore } from "../../src/store/store";
import { exampleA } from "../examples";

describe("the protocol", () => {
  it("refuses what it does not understand, in words", () => {
    expect(() => parseMessage("hello")).toThrow("no object");
    expect(() => parseMessage({ type: "events", from: -1, events: [] })).toThrow("time");
    expect(() => parseMessage({ type: "dance" })).toThrow("unknown type");
    expect(() => parsePacked("{")).toThrow("not complete JSON");
    expect(() => parsePacked('{"protocol":99,"first":0,"events":[]}')).toThrow("protocol 99");
  });

  it("reads a log from text and from bytes, and nothing from nothing", () => {
    const text = exampleA().packed();
    const bytes = new DataView(new TextEncoder().encode(text).buffer);
    const parts = (packed: unknown) => [...(parsePacked(packed)?.parts ?? [])];
    expect(parts(bytes)).toEqual(parts(text));
    expect(parts(bytes).flat().length).toBe(parsePacked(text)?.count);
    expect(parsePacked(new DataView(new ArrayBuffer(0)))).toBeNull();
  });

  it("comes in lines, each of which is parsed when it is asked for", () => {
    const head = '{"protocol":2,"first":7,"count":3,"events":[\n';
    const log = parsePacked(`${head}["dead",1],["dead",2],\n["dead",3]\n]}`);
    expect([log?.first, log?.count]).toEqual([7, 3]);
    expect([...(log?.parts ?? [])]).toEqual([
      [
        ["dead", 1],
        ["dead", 2],
      ],
      [["dead", 3]],
    ]);
    expect([...(parsePacked(`${head}\n]}`)?.parts ?? [])]).toEqual([[]]);
    const broken = parsePacked(`${head}["dead",1],\n["dead",\n]}`)?.parts[Symbol.iterator]();
    expect(broken?.next().value).toEqual([["dead", 1]]);
    expect(() => broken?.next()).toThrow("not complete JSON");
    expect(() => parsePacked(`${head}["dead",1],\n["dead"`)).toThrow("not complete JSON");
  });

  it("adds up the ids of a page's log, which are differences there", () => {
    const head =
      '{"protocol":2,"first":0,"count":4,"digits":5,"columns":{"node":[1,3]},"events":[\n';
    const log = parsePacked(
      `${head}["node",5,7,2],["dead",1],\n["node",1,7,null],["node",1,7,3]\n]}`,
    );
    expect(log?.digits).toBe(5);
    expect([...(log?.parts ?? [])].flat()).toEqual([
      ["node", 5, 7, 2],
      ["dead", 1],
      ["node", 6, 7, null],
      ["node", 7, 7, 5],
    ]);
  });

  it("asks again when the kernel was exchanged, and gives it up when nobody answers", () => {
    vi.useFakeTimers();
    const heard = new Map<string, (...args: unknown[]) => void>();
    const sent: unknown[] = [];
    const model: WidgetModel = {
      get: () => 0,
      set: vi.fn(),
      save_changes: vi.fn(),
      on: (name, callback) => heard.set(name, callback),
      off: (name) => heard.delete(name),
      send: (content) => sent.push(content),
    };
    const store = createStore();
    const link = new Link(model, store);
    heard.get("msg:custom")?.({ type: "state", pause: null });
    expect(store.connection.value).toBe("live");
    heard.get("comm_live_update")?.();
    expect(sent).toEqual([{ type: "need", from: 0, language: "en" }]);
    heard.get("msg:custom")?.({ type: "state", pause: null });
    vi.advanceTimersByTime(10_000);
    expect(store.connection.value).toBe("live");
    heard.get("comm_live_update")?.();
    vi.advanceTimersByTime(10_000);
    expect(store.connection.value).toBe("offline");
    link.close();
    vi.useRealTimers();
  });

  it("hears the model and lets go of it", () => {
    const heard = new Map<string, (...args: unknown[]) => void>();
    const model: WidgetModel = {
      get: () => 3,
      set: vi.fn(),
      save_changes: vi.fn(),
      on: (name, callback) => heard.set(name, callback),
      off: (name) => heard.delete(name),
      send: () => {
        throw new Error("closed");
      },
    };
    const store = createStore();
    const link = new Link(model, store);
    expect(link.send({ type: "need", from: 0 })).toBe(false);
    heard.get("msg:custom")?.({ type: "events", from: 0, events: exampleA().json });
    expect(store.end.value).toBeGreaterThan(10);
    heard.get("msg:custom")?.(17);
    expect(store.fault.value).toContain("no object");
    link.close();
    expect(heard.size).toBe(0);
  });
});
