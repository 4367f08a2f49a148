import { describe, expect, it } from "vitest";
import { toText, type Line } from "../src/text/piece";
import { TABLES } from "../src/text/text";

/* The tables of texts: complete, and with the same places in every language. */

const { en, ...others } = TABLES;

/** The parameters of a text with places, as they are written. */
function places(text: (...places: never[]) => unknown): string[] {
  const [, list = ""] = /^\(?([^)=]*)\)?\s*=>/.exec(text.toString()) ?? [];
  return list.split(",").flatMap((place) => place.trim() || []);
}

/** A text filled with the names of its places. */
function filled(text: (...places: never[]) => unknown, named: readonly string[]): string {
  const marks = named.map((name) => ({
    text: `<${name}>`,
    tone: "name",
    toString: () => `<${name}>`,
  }));
  return shown(text(...(marks as never[])));
}

const shown = (text: unknown): string =>
  Array.isArray(text) && !Array.isArray(text[0]) ? toText(text as Line) : String(text);

/** What is wrong with a table beside the English one. */
function* faults(own: unknown, english: unknown, path: string): Generator<string> {
  if (path === ".phrases") return;
  if (typeof english === "function" && typeof own === "function") {
    const [wanted, found] = [english, own].map((text) => places(text as () => unknown));
    if (!wanted || !found) return;
    if (found.some((place, i) => place !== wanted[i])) yield `${path}(${found.join()})`;
    const [theirs, ours] = [english, own].map((text) => filled(text as () => unknown, wanted));
    for (const place of wanted) {
      if (theirs?.includes(`<${place}>`) !== ours?.includes(`<${place}>`))
        yield `${path}: ${place}`;
    }
  } else if (typeof english === "string" || Array.isArray(english)) {
    if (shown(own) === "") yield `${path} is empty`;
  } else if (english instanceof RegExp) {
    return;
  } else {
    for (const [key, text] of Object.entries(english as object)) {
      yield* faults((own as Record<string, unknown>)[key], text, `${path}.${key}`);
    }
  }
}

describe("the texts of a language", () => {
  it.each(Object.entries(others))("%s have the places of the English ones", (_, table) => {
    expect([...faults(table, en, "")]).toEqual([]);
  });

  it("are Chinese in the Chinese table", () => {
    const texts: string[] = [];
    const gather = (text: unknown): void => {
      if (typeof text === "string") texts.push(text);
      else if (typeof text === "function")
        texts.push(filled(text as () => unknown, places(text as () => unknown)));
      else if (typeof text === "object" && !(text instanceof RegExp))
        Object.values(text ?? {}).forEach(gather);
    };
    gather({ ...TABLES.zh, phrases: "" });
    const left = texts.filter((text) =>
      /\b[a-z]{3,} [a-z]{2,} [a-z]{2,}/.test(text.replace(/<\w+>/g, "0")),
    );
    expect(left).toEqual([]);
  });
});
