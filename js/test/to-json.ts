/* A model as a snapshot has it. */

import type { Model } from "../src/log/model";

/** The model as JSON, as Python's `Model.to_json()` has it: nested parts are arrays again. */
export function toJson(model: Model): unknown {
  const parts = (x: unknown): unknown => {
    if (x === null || typeof x !== "object") return x;
    return Array.isArray(x) ? x.map(parts) : Object.values(x).map(parts);
  };
  const table = <R extends object>(rows: Iterable<[number | string, R]>, nested: string[] = []) =>
    Object.fromEntries(
      [...rows].map(([id, r]) => [
        String(id),
        Object.fromEntries(
          Object.entries(r).map(([k, v]) => [k, nested.includes(k) ? parts(v) : (v as unknown)]),
        ),
      ]),
    );
  return {
    time: model.time,
    dropped: model.dropped,
    ops: table(model.ops, ["derivatives"]),
    sources: table(model.sources),
    cells: model.cells,
    values: table(model.values, ["summary", "grad"]),
    calls: table(model.calls),
    storages: table(model.storages),
    nodes: table(model.nodes, ["grads_in", "grads_out", "local"]),
    runs: table(model.runs, ["grads"]),
    names: Object.fromEntries(model.names),
    scopes: table(model.scopes),
    loops: table(model.loops),
    errors: model.errors,
    passes: model.passes,
    rows: model.rows,
  };
}
