import { readdirSync, readFileSync } from "node:fs";
import { join, posix, sep } from "node:path";
import ts from "typescript";
import { describe, expect, it } from "vitest";

/* The house rules of js/src: what may import what, how long a file may be, how it begins. */

const SRC = join(import.meta.dirname, "..", "src");

/** The folders of the pipeline: each imports only those before it. `index.ts` imports any. */
const ORDER = [
  "text",
  "log",
  "kernel",
  "layout",
  "graph",
  "scene",
  "replay",
  "explain",
  "formula",
  "guess",
  "store",
  "view",
];

const texts = new Map(
  readdirSync(SRC, { recursive: true, encoding: "utf8" })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => [name.split(sep).join("/"), readFileSync(join(SRC, name), "utf8")]),
);

/** The files that a file imports, also only for their types. */
const imports = new Map(
  [...texts].map(([name, text]) => [
    name,
    ts
      .preProcessFile(text)
      .importedFiles.filter(({ fileName }) => fileName.startsWith("."))
      .map(({ fileName }) => {
        const path = posix.join(posix.dirname(name), fileName);
        return [`${path}.ts`, `${path}.tsx`].find((file) => texts.has(file)) ?? path;
      }),
  ]),
);

/** The first circle of files found, as the files along it. */
function circle(): string[] {
  const done = new Set<string>();
  const visit = (file: string, trail: readonly string[]): string[] => {
    if (trail.includes(file)) return [...trail.slice(trail.indexOf(file)), file];
    if (done.has(file)) return [];
    for (const next of imports.get(file) ?? []) {
      const found = visit(next, [...trail, file]);
      if (found.length > 0) return found;
    }
    done.add(file);
    return [];
  };
  for (const file of texts.keys()) {
    const found = visit(file, []);
    if (found.length > 0) return found;
  }
  return [];
}

describe("the files of the page", () => {
  it("are all found, with what they import", () => {
    expect(texts.size).toBeGreaterThan(40);
    for (const file of [...imports.values()].flat()) expect([...texts.keys()]).toContain(file);
  });

  it("import each other in no circle, types included", () => {
    expect(circle()).toEqual([]);
  });

  it("import only from folders before their own", () => {
    const folder = (file: string): string => file.split("/")[0] ?? "";
    const wrong = [...imports].flatMap(([file, imported]) =>
      imported
        .filter((other) => ORDER.includes(folder(file)) && other.includes("/"))
        .filter((other) => ORDER.indexOf(folder(other)) > ORDER.indexOf(folder(file)))
        .map((other) => `${file} imports ${other}`),
    );
    expect(wrong).toEqual([]);
    expect([...new Set([...texts.keys()].map(folder))].sort()).toEqual(
      [...ORDER, "collections.ts", "index.ts", "sliced-work.ts"].sort(),
    );
  });

  it("begin with what they are for, and are short", () => {
    for (const [name, text] of texts) {
      expect(text.startsWith("/*") || text.startsWith("//"), `${name} says what it is`).toBe(true);
      if (name === "log/events.ts") continue; // generated
      expect(text.split("\n").length, name).toBeLessThan(400);
    }
  });
});
