import { defineConfig } from "vitest/config";

export default defineConfig({
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  test: {
    include: ["test/**/*.test.{ts,tsx}"],
    exclude: ["test/bench/**"],
    environment: "node",
    testTimeout: 120_000,
    // One process that loads each module once: half the work, and the other core has other tests.
    isolate: false,
    maxWorkers: 1,
  },
});
