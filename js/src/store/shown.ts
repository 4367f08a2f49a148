/* What the picture stresses at the moment shown: errors, stale slots, runs, and paths. */

import { computed, type ReadonlySignal } from "@preact/signals";
import type { Graph, Wire } from "../graph/graph";
import { findPaths, type Paths } from "../graph/paths";
import { gaveUp, reached } from "../graph/reach";
import { once, type Hazard, type Model, type ValueRow } from "../log/model";
import type { Derived } from "./derived";
import type { State } from "./state";

/** The paths between a value and an output that are spoken of. */
export interface ShownPaths {
  readonly from: number;
  readonly to: number;
  readonly found: Paths;
}

export type Shown = ReturnType<typeof show>;

export function show(state: State, derived: Derived) {
  const { model, graph } = derived;
  const error = computed(() => {
    const last = model.value.errors.at(-1);
    const cell = model.value.cellTimes.at(-1);
    return last && (cell === undefined || last.time >= cell) ? last : null;
  });
  /** Whether an earlier cell brought it about. */
  const isOld = ({ slot }: Hazard): boolean => {
    const cell = model.value.cellTimes.at(-1) ?? 0;
    return (slot.stale.at(-1) ?? cell) < cell;
  };
  /** Those of nodes that may still run, or failed in this cell. */
  const pending = computed(() => {
    const all = derived.hazards.value;
    if (all.length === 0) return all;
    const runs = runnable(model.value, () => true);
    const named = runnable(model.value, (value) => isMeant(model.value, value));
    const failedNow = error.value?.node ?? null;
    const lost = gaveUp(model.value, model.value.cellTimes.at(-1) ?? 0);
    return all.filter((hazard) => {
      const { node, state } = hazard.node;
      if (state === "failed") return node === failedNow;
      return (isOld(hazard) ? named : runs).has(node) && !lost.has(node);
    });
  });
  const drawn = computed(() => {
    const nodes = new Set<number>();
    for (const box of graph.value.boxes.values()) {
      if (box.kind === "pill") for (const { node } of box.nodes) nodes.add(node);
      if (box.kind === "group") for (const node of box.nodes) nodes.add(node);
    }
    return nodes;
  });
  /** Those of nodes that are drawn. */
  const hazards = computed(() => pending.value.filter(({ node }) => drawn.value.has(node.node)));
  /** Those from earlier cells: described in a few words only. */
  const older = computed(() => {
    const failed = error.value?.node ?? null; // the error tells it
    return pending.value.filter((hazard) => hazard.node.node !== failed && isOld(hazard));
  });
  /** Those that are news. */
  const newest = computed(() => {
    const old = new Set(older.value);
    return hazards.value.filter((hazard) => !old.has(hazard));
  });
  /** Nodes that failed; an error that only speaks of a node (a None gradient) is no failure. */
  const failed = computed(() => failedNodes(model.value));
  /**
   * The value that an error is about: a leaf written into, a gradient not kept, no graph; or that
   * by which the graph led back to the node that failed, in an earlier iteration.
   */
  const wrong = computed(() => {
    const last = error.value;
    if (last === null) return null;
    if (last.node === null || last.kind === "none") return last.value;
    if (drawn.value.has(last.node)) return null;
    for (const box of graph.value.boxes.values()) {
      if (box.kind !== "card" || box.value.node === null) continue;
      const before = !drawn.value.has(box.value.node);
      if (before && reached(model.value, [box.value.node]).has(last.node)) return box.value.value;
    }
    return null;
  });
  /** The newest run, whose gradients are drawn strongly. */
  const run = computed(() => [...model.value.runs.keys()].at(-1) ?? null);
  /** Values at the end of the graph, from which backward can be run. */
  const roots = computed(() => ends(graph.value));
  const paths = showPaths(state, derived, roots);
  return { error, hazards, newest, older, failed, wrong, run, roots, ...paths };
}

function showPaths(
  state: State,
  { model, graph }: Derived,
  roots: ReadonlySignal<ReadonlySet<number>>,
) {
  /** The values that paths of the selected one lead to, or come from when it is an end. */
  const others = computed(() => {
    const id = state.selected.value;
    return id === null ? [] : otherEnds(model.value, id, [...roots.value]);
  });
  const paths: ReadonlySignal<ShownPaths | null> = computed(() => {
    const id = state.selected.value;
    const [first] = others.value;
    if (id === null || first === undefined) return null;
    const wanted = state.otherEnd.value;
    const end = wanted !== null && others.value.includes(wanted) ? wanted : first;
    const found = findPaths(model.value, id, end);
    if (found.count > 0) return { from: id, to: end, found };
    if (end !== wanted) return null; // of an output, the reader chooses the leaf
    return { from: end, to: id, found: findPaths(model.value, end, id) };
  });
  /** Numbers of the shown paths that use a wire, by wire, as "1 2". */
  const pathsByWire = computed(() =>
    paths.value
      ? wiresOn(model.value, graph.value, paths.value, state.onePath.value)
      : new Map<string, string>(),
  );
  /** The boxes on the paths shown; null when none are. */
  const lit = computed(() => {
    if (pathsByWire.value.size === 0) return null;
    const boxes = new Set<string>();
    for (const wire of graph.value.wires) {
      if (pathsByWire.value.has(wire.key)) boxes.add(wire.from).add(wire.to);
    }
    return boxes;
  });
  return { others, paths, pathsByWire, lit };
}

/**
 * Whether the program can still mean a value that an earlier cell left: by its name in the notebook,
 * or, where it never had one, as an end that nothing read (of a list of losses, say). Else a
 * notebook's history, a traceback or the graph itself keeps it, and nobody will use it.
 */
function isMeant(model: Model, { value, names }: ValueRow): boolean {
  const own = names.filter(([scope]) => scope === "");
  if (own.length === 0) return !readIn(model).has(value);
  return own.some(([scope, name]) => model.names.get(`${scope}\0${name}`) === value);
}

/** The values that some call read. */
const readIn = once((model): ReadonlySet<number> => {
  const found = new Set<number>();
  for (const { inputs } of model.calls.values())
    for (const input of inputs) if (typeof input === "number") found.add(input);
  return found;
});

/** The nodes that a backward from some value of the program, of those meant, would run. */
function runnable(model: Model, meant: (value: ValueRow) => boolean): ReadonlySet<number> {
  const waiting: number[] = [];
  for (const row of model.values.values())
    if (row.alive && row.node !== null && meant(row)) waiting.push(row.node);
  for (const { status, roots } of model.runs.values()) {
    if (status === "running") waiting.push(...roots.map(([, node]) => node));
  }
  return reached(model, waiting);
}

function failedNodes(model: Model): ReadonlySet<number> {
  const failed = new Set<number>();
  for (const { kind, node } of model.errors) {
    const state = node === null ? null : model.nodes.get(node)?.state;
    if (node !== null && state === "failed" && !/^(none|leaf)$/.test(kind)) failed.add(node);
  }
  return failed;
}

/** Values that have a node and that nothing drawn reads. */
function ends({ boxes, wires }: Graph): ReadonlySet<number> {
  const used = new Set(wires.filter((wire) => wire.way !== "out").map((wire) => wire.value));
  const found = new Set<number>();
  for (const box of boxes.values()) {
    if (box.kind !== "card" || box.copy || box.value.node === null) continue;
    if (box.value.requires_grad && !used.has(box.value.value)) found.add(box.value.value);
  }
  return found;
}

/** At most this many other ends are offered. */
const MOST_ENDS = 6;

function otherEnds(model: Model, id: number, roots: readonly number[]): number[] {
  const value = model.values.get(id);
  if (!value?.requires_grad) return [];
  const runs = [...model.runs.values()].at(-1)?.roots ?? [];
  const outputs = [...new Set([...runs.flatMap(([v]) => (v === null ? [] : [v])), ...roots])];
  const down = outputs.filter((end) => end !== id && findPaths(model, id, end, 1).count > 0);
  if (down.length > 0) return down.slice(0, MOST_ENDS);
  const leaves: number[] = [];
  for (const node of model.nodes.values()) {
    const leaf = node.variable;
    if (leaf === null || leaf === id || leaves.includes(leaf)) continue;
    if (leaves.length < MOST_ENDS && findPaths(model, leaf, id, 1).count > 0) leaves.push(leaf);
  }
  return leaves;
}

/** The most paths that are drawn, and the colours that they take in turn. */
const MOST_DRAWN = 8;
const COLOURS = 4;

function wiresOn(
  model: Model,
  { wires }: Graph,
  { to, found }: ShownPaths,
  only: number | null,
): ReadonlyMap<string, string> {
  const on = new Map<string, string>();
  const mark = (n: number, test: (wire: Wire) => boolean): void => {
    const colour = String((n % COLOURS) + 1);
    for (const { key } of wires.filter(test)) {
      const known = on.get(key);
      if (!known?.includes(colour)) on.set(key, known ? `${known} ${colour}` : colour);
    }
  };
  found.paths.slice(0, MOST_DRAWN).forEach(({ hops }, n) => {
    if (only !== null && only !== n) return;
    let nr = model.values.get(to)?.nr;
    for (const { node, edge } of hops) {
      const output = nr;
      mark(n, (w) => w.way === "out" && w.node === node && w.edge === output);
      mark(n, (w) => w.way === "in" && w.node === node && w.edge === edge);
      nr = model.nodes.get(node)?.next[edge]?.[1];
    }
  });
  return on;
}
