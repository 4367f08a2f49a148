// Bundles the page's half into one ESM and one style sheet, where the Python package looks for them.
// `node build.mjs --watch` rebuilds on every change.
import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const dist = join(here, "..", "graphwidget", "widget", "dist");
await mkdir(dist, { recursive: true });

const options = {
  absWorkingDir: here,
  entryPoints: [
    { in: "src/index.ts", out: "widget" },
    { in: "style/widget.css", out: "widget" },
  ],
  outdir: dist,
  bundle: true,
  format: "esm",
  target: ["es2022"],
  jsx: "automatic",
  jsxImportSource: "preact",
  minify: !process.argv.includes("--watch"),
  legalComments: "none",
  logLevel: "info",
};

if (process.argv.includes("--watch")) {
  const context = await esbuild.context(options);
  await context.watch();
} else {
  await esbuild.build(options);
}
